"""A published round mended: a result corrected, a drop restored, somebody late or missing. Three ways, weighed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairings.question.past_round import round_as_paired
from pairings.question.public_reason import clean_reason
from pairings.question.request import PairingRequest, request_of, round_seed
from pairings.question.seats import paired_codes
from pairings.repair.options import RepairOption, next_attempt, options_of
from standings.words.formats import format_number
from tournament.actionlog.change import AWAY_RESULTS, digest_of, repeated_action
from tournament.errors import Conflict, Refused, WrongState
from tournament.event.read import event_of
from tournament.event.types import Event, Match, Round
from tournament.models import Action, Report, Tournament
from tournament.models import Match as MatchRow
from tournament.results import wording
from tournament.services.reseating import marks_of, repair_round
from tournament.text.display_names import names_in


@dataclass(frozen=True, slots=True)
class RepairPage:
    """The page of a repair. `finished`: tables that stand, as they have a result or a report.

    `ways`: none where what was request for was refused.
    """

    number: int
    seen: int
    names: dict[str, str]
    away: tuple[str, ...]
    gone: tuple[str, ...]
    corrected: tuple[tuple[str, str, str], ...]
    finished: int
    into: tuple[str, ...]
    out: tuple[str, ...]
    ways: tuple[RepairOption, ...]

    @property
    def settled(self) -> bool:
        """Whether no way would change a table: the round stands, and stands best."""
        return bool(self.ways) and all(way.possible and not way.moved for way in self.ways)


def repair_page(
    tournament: Tournament,
    number: int,
    into: Collection[str] | None = None,
    out: Collection[str] | None = None,
    *,
    seen: int | None = None,
) -> RepairPage:
    """What changed since the round was published, and the three ways on.

    `into` and `out` are who shall sit in the round and who shall not (None: as the facts suggest). `seen` is
    the revision of an earlier look: tables finished since then do not count as such, so that the same ways
    come out. Raises WrongState for a round that is not being played, Refused for people who cannot be moved.
    """
    marks = marks_of(tournament, number)
    event, round_ = _being_played(tournament, number)
    seen = tournament.revision if seen is None else seen
    names = names_in(event)
    finished = _finished(tournament, round_, seen)
    offered = [code for code in _away(event, round_) if code not in _taken_out(round_)]
    chosen_in = tuple(sorted(offered if into is None else into))
    chosen_out = tuple(sorted(_gone(event, round_, finished) if out is None else out))
    _check(event, round_, names, chosen_in, chosen_out, finished)
    left = None
    if chosen_in and not chosen_out:  # then nothing has to happen: who is late can begin with the next round
        stands = _question(event, round_, (), (), finished)
        left = options_of(event, round_, stands, names, marks, (), ())[0]
    for code in chosen_in:
        entry = event.entries[code]
        event.entries[code] = replace(entry, joined_round=min(entry.joined_round or 1, number))
    request = _question(event, round_, chosen_in, chosen_out, finished)
    ways = options_of(event, round_, request, names, marks, chosen_in, chosen_out)
    if left is not None:
        ways = (_without(left, round_, chosen_in, names), *ways[1:])
    page = _mend(tournament, event, round_, request, finished, chosen_in, chosen_out)
    return replace(page, seen=seen, ways=ways)


def refused_repair_page(
    tournament: Tournament, number: int, into: Collection[str], out: Collection[str]
) -> RepairPage:
    """The same page without a way on, for a choice that was refused: it stays as it was made.

    Raises WrongState for a round that is not being played.
    """
    event, round_ = _being_played(tournament, number)
    finished = _finished(tournament, round_, tournament.revision)
    request = _question(event, round_, (), (), finished)
    return _mend(tournament, event, round_, request, finished, tuple(into), tuple(out))


def _being_played(tournament: Tournament, number: int) -> tuple[Event, Round]:
    event = event_of(tournament)
    round_ = next((round_ for round_ in event.rounds if round_.number == number), None)
    if round_ is None or round_.status != "published" or event.stage(round_.stage).kind != "swiss":
        raise WrongState(_("Round %(number)s is not in progress.") % {"number": number})
    return event, round_


def _mend(
    tournament: Tournament,
    event: Event,
    round_: Round,
    request: PairingRequest,
    finished: list[Match],
    into: tuple[str, ...],
    out: tuple[str, ...],
) -> RepairPage:
    """The page as far as it does not depend on the ways on."""
    return RepairPage(
        number=round_.number,
        seen=tournament.revision,
        names=names_in(event),
        away=tuple(_away(event, round_)),
        gone=tuple(_gone(event, round_, finished)),
        corrected=_corrected(tournament, request, round_.number),
        finished=len(finished),
        into=into,
        out=out,
        ways=(),
    )


def _without(left: RepairOption, round_: Round, into: Sequence[str], names: dict[str, str]) -> RepairOption:
    """Keep the round as it is, and what that means for players who were absent."""
    if not left.possible:
        return left
    results = {match.a: match.result or "" for match in round_.matches if match.b is None}
    counts = [
        _("a loss") if result == "missed" else wording.bye_words(result)
        for result in sorted({results[code] for code in into})
    ]
    late = ngettext(
        "%(names)s starts next round; this round counts as %(counts)s",
        "%(names)s start next round; this round counts as %(counts)s",
        len(into),
    ) % {"names": ", ".join(names[code] for code in into), "counts": ", ".join(counts)}
    return replace(left, cost=_("%(late)s. For the others: %(cost)s") % {"late": late, "cost": left.cost})


def _finished(tournament: Tournament, round_: Round, seen: int) -> list[Match]:
    """Tables with a result that was there at revision `seen`, or with a player's report."""
    rows = MatchRow.objects.filter(round__tournament=tournament, round__number=round_.number)
    versions = dict(rows.filter(table__isnull=False).values_list("table", "version"))
    reported = set(Report.objects.filter(match__in=rows).values_list("match__table", flat=True))
    return [
        match
        for match in round_.matches
        if match.b
        and (match.table in reported or (match.result and versions.get(match.table or 0, 0) <= seen))
    ]


def _away(event: Event, round_: Round) -> list[str]:
    """Who plays in the event again, or arrived, but was entered as away in this round."""
    return [
        match.a
        for match in round_.matches
        if match.b is None
        and match.result in (*AWAY_RESULTS[:1], "full_bye", "half_bye")
        and event.entries[match.a].status == "playing"
        and (event.entries[match.a].late or match.result == "missed")
    ]


def _taken_out(round_: Round) -> set[str]:
    """Who lost the place in this round by a repair of it: nobody brings them back unasked."""
    return {code for repair in round_.pairing.repairs for code in repair.removed}


def _gone(event: Event, round_: Round, finished: list[Match]) -> list[str]:
    """Who has a place in this round, has not played there, and is no longer in the event."""
    played = {code for match in finished for code in (match.a, match.b)}
    return [
        code
        for code in paired_codes(round_)
        if code not in played and event.entries[code].status in ("dropped", "disqualified")
    ]


def _check(
    event: Event,
    round_: Round,
    names: dict[str, str],
    into: Sequence[str],
    out: Sequence[str],
    finished: list[Match],
) -> None:
    """Raises Refused naming who cannot come in or be taken out, and why."""
    away = {m.a for m in round_.matches if m.b is None and m.result in AWAY_RESULTS}
    for code in into:
        if code not in away or event.entries[code].status != "playing":
            raise Refused(
                _("%(name)s was not absent this round, or has dropped. Reinstate the player first.")
                % {"name": names.get(code, code)}
            )
    seated = set(paired_codes(round_))
    for code in out:
        if code not in seated or event.entries[code].house:
            raise Refused(_("%(name)s is not in this round.") % {"name": names.get(code, code)})
        for match in finished:
            if code in (match.a, match.b):
                raise WrongState(
                    _("%(name)s already has a result at table %(table)s, so that table stays.")
                    % {"name": names[code], "table": match.table}
                )


def _question(
    event: Event, round_: Round, into: Sequence[str], out: Sequence[str], finished: list[Match]
) -> PairingRequest:
    """The field as it shall be, with finished tables locked; the house plays on where the number stays odd."""
    record = round_.pairing
    leaving = set(out)
    seated = [code for code in paired_codes(round_) if code not in leaving]
    field_ = [code for code in seated if not event.entries[code].house] + list(into)
    stuck = {code for match in finished for code in (match.a, match.b)}
    houses = [code for code in seated if event.entries[code].house]
    held = [code for code in houses if code in stuck]
    free = [code for code in houses if code not in stuck]
    field_ += held + (free[:1] if (len(field_) + len(held)) % 2 else [])
    posted = replace(round_, pairing=replace(record, prohibited_pairs=event.forbidden))
    return replace(
        request_of(event, posted, field_),
        seed=round_seed(record.seed or event.seed, round_.number, next_attempt(round_)),
        locks=tuple((match.a, match.b) for match in finished),
    )


def _corrected(
    tournament: Tournament, request: PairingRequest, number: int
) -> tuple[tuple[str, str, str], ...]:
    """(code, points when the round was paired, points now) for each player whose points have changed."""
    then, round_ = round_as_paired(tournament, number)
    before = request_of(then, round_, [code for code in paired_codes(round_) if code in then.entries]).points
    return tuple(
        (code, format_number(before[code]), format_number(points))
        for code, points in request.points.items()
        if code in before and before[code] != points
    )


def apply_repair(
    tournament: Tournament,
    number: int,
    *,
    plan: str,
    into: Collection[str],
    out: Collection[str],
    seen: int,
    reason: str,
    actor: Any = "",
    key: str = "",
) -> Action | None:
    """Do what was seen as `plan` at revision `seen`, as one action.

    Raises Conflict where the facts have moved so that it would no longer be the same, Refused without a reason.
    """
    asked = {"number": number, "plan": plan, "seen": seen}
    why = clean_reason(reason)
    digest = digest_of([{"asked": asked}, why]) if key else ""
    if done := repeated_action(tournament, "re-pair", key, digest):
        return done
    page = repair_page(tournament, number, into, out, seen=seen)
    way = next((way for way in page.ways if plan and way.plan == plan), None)
    if way is None or way.change is None:
        raise Conflict(
            _("Something changed since you opened this page. Nothing was saved. Review the new options.")
        )
    record = way.change.pairing
    made = replace(record.repairs[-1], reason=why, revision=tournament.revision)
    record = replace(record, repairs=(*record.repairs[:-1], made))
    return repair_round(
        tournament, replace(way.change, pairing=record), asked, actor=actor, key=key, reason=why
    )
