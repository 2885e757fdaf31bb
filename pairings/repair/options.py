"""The three options for repairing a published round, compared by cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairings.engine.compare import Option, changes_between, repair_options, verify_round
from pairings.engine.types import Pairing, PairingRequest
from pairings.request.entrants import earlier_tables, event_before, given_byes, is_paired
from pairings.request.pairing_request import (
    build_record,
    fixed_tables,
    list_pair_downs,
    paired_codes,
    rebuild_request,
    round_seed,
    tables_elsewhere,
    vary_tables,
)
from pairings.words.certificate import certificate_words, change_words
from pairings.words.edits import TableChange, kept_tables_words, table_changes
from tournament import models
from tournament.actionlog.change import hash_body
from tournament.actionlog.match_facts import AWAY_RESULTS, MatchFact
from tournament.errors import Refused, WrongState
from tournament.event.display_names import names_in
from tournament.event.pairing_record import PairingRecord, PairingRun, RepairMade
from tournament.event.read import load_event_values
from tournament.event.table_plan import round_table_plan, table_name, table_numbers
from tournament.event.types import LEFT_THE_EVENT, Event, Match, Round
from tournament.event.waivers import waiver
from tournament.results import wording
from tournament.services.seats import Reseating, pairing_versions

ARRIVED_RESULTS = ("missed", "full_bye", "half_bye")  # a late player's, for a round joined too late


@dataclass(frozen=True, slots=True)
class OpenRound:
    """The round, its event, and the tables that stay because they have a result."""

    event: Event
    round: Round
    # (the round's revision, the standings' revision): a repair is saved only if neither has changed since.
    marks: tuple[int, int]
    names: dict[str, str]  # {entry code: name}
    finished: tuple[Match, ...]
    since: dict[str, int]  # {entry code: the last action on the row of a player without an opponent}

    @property
    def finished_codes(self) -> set[str]:
        return {code for match in self.finished for code in (match.a, match.b) if code}

    @property
    def is_played(self) -> bool:
        return len(self.finished) == sum(match.b is not None for match in self.round.matches)

    def _plays(self, code: str) -> bool:
        return self.event.entries[code].status == "playing"

    @property
    def absent(self) -> list[str]:
        """Codes of active players who do not play this round because they were late, had dropped or missed it."""
        requested = given_byes(self.event, self.event.stage(self.round.stage), self.round.number)
        away = [m for m in self.round.matches if m.b is None and m.result in ARRIVED_RESULTS]
        late = [m.a for m in away if self.event.entries[m.a].late or m.result == "missed"]
        return [code for code in late if self._plays(code) and code not in requested]

    @property
    def to_add(self) -> list[str]:
        """Absent players to suggest adding. Skips players removed by an earlier repair, unless reinstated since."""
        if self.is_played:
            return []
        removed = {code: repair.revision for repair in self.round.pairing.repairs for code in repair.removed}

        def is_back(code: str) -> bool:
            revision = removed[code]
            return revision is not None and self.since[code] > revision + 1

        return [code for code in self.absent if code not in removed or is_back(code)]

    @property
    def dropped(self) -> list[str]:
        """Codes of players who have dropped but still have an unfinished match in this round."""
        seated = [code for code in paired_codes(self.round) if code not in self.finished_codes]
        return [code for code in seated if self.event.entries[code].status in LEFT_THE_EVENT]

    def check_choice(self, added: Sequence[str], removed: Sequence[str]) -> None:
        """Raise Refused if a player cannot be added or removed, WrongState if the player's match is finished."""
        absent = {m.a for m in self.round.matches if m.b is None and m.result in AWAY_RESULTS}
        for code in added:
            if code not in absent or not self._plays(code):
                text = _("%(name)s was not absent this round, or has dropped. Reinstate the player first.")
                raise Refused(text, name=self.names.get(code, code))
        seated = {code for code in paired_codes(self.round) if not self.event.entries[code].house}
        finished = {code: match.table for match in self.finished for code in (match.a, match.b)}
        for code in removed:
            if code not in seated:
                raise Refused(_("%(name)s is not in this round."), name=self.names.get(code, code))
            if code in finished:
                text = _("%(name)s already has a result at table %(table)s, so that table stays.")
                table = table_name(self.event, finished[code], self.round)
                raise WrongState(text, name=self.names[code], table=table)

    def joined_by(self, added: Sequence[str]) -> OpenRound:
        """Return the round as if these players had joined in time for it."""
        number = self.round.number
        entries = dict(self.event.entries)
        for code in added:
            entries[code] = entries[code].replace(joined_round=min(entries[code].joined_round or 1, number))
        return replace(self, event=self.event.replace(entries=entries))

    def request_with(self, added: Sequence[str], removed: Sequence[str]) -> PairingRequest:
        """Build the request around the finished tables. An unfinished house opponent stays only if the field is odd."""
        record, entries = self.round.pairing, self.event.entries
        codes = [code for code in paired_codes(self.round) if code not in removed]
        free_houses = [code for code in codes if entries[code].house and code not in self.finished_codes]
        field = [code for code in codes if not entries[code].house] + list(added)
        field += [code for code in codes if entries[code].house and code not in free_houses]
        field += free_houses[: len(field) % 2]
        current = self.round.replace(pairing=record.replace(prohibited_pairs=self.event.forbidden))
        seed = round_seed(record.seed or self.event.seed, self.round.number, record.run_number + 1)
        request = replace(rebuild_request(self.event, current, field), seed=seed)
        return request.with_locks(tuple((match.a, match.b) for match in self.finished))


def open_round(tournament: models.Tournament, number: int, seen: int | None = None) -> OpenRound:
    """Load the round, which must be in progress; tables finished after revision `seen` count as unfinished."""
    marks = pairing_versions(tournament, number)  # read first: what changes in between is noticed on saving
    event = load_event_values(tournament)
    round_ = next((round_ for round_ in event.rounds if round_.number == number), None)
    if round_ is None or round_.status != "published" or event.stage(round_.stage).kind != "swiss":
        raise WrongState(_("Round %(number)s is not in progress."), number=number)
    rows = models.Match.objects.filter(round__tournament=tournament, round__number=number)
    versions = dict(rows.values_list("table", "version"))
    since = dict(rows.filter(table=None).values_list("seats__entry__code", "version"))
    latest = tournament.revision if seen is None else seen
    finished = [m for m in round_.matches if m.b and m.result and versions.get(m.table, 0) <= latest]
    return OpenRound(event, round_, marks, names_in(event), tuple(finished), since)


def new_and_leaving(event: Event, round_: Round, pairing: Pairing) -> tuple[list[MatchFact], list[Match]]:
    """Return (new matches, removed matches). Pairs that stay keep their table and first move."""
    pairs = {frozenset(pair) for pair in pairing.pairs}
    leaving = [
        match
        for match in round_.matches
        if (match.b and frozenset((match.a, match.b)) not in pairs)
        or (match.result == "bye" and match.a != pairing.bye)
    ]
    there = {frozenset((match.a, match.b)) for match in round_.matches if match.b}
    earlier, reason = earlier_tables(event_before(event, round_.number)), _("no better pairing was possible")
    first = pairing.first or ("",) * len(pairing.pairs)
    new = [
        MatchFact(a, b, first=side, waived=waiver(a, b, earlier, reason))
        for (a, b), side in zip(pairing.pairs, first, strict=True)
        if frozenset((a, b)) not in there
    ]
    numbers = _table_numbers(event, round_, leaving, [(match.a, match.b) for match in new])
    new = [match._replace(table=table) for match, table in zip(new, numbers, strict=True)]
    bye = pairing.bye
    if bye is not None and not any(m.a == bye and m.result == "bye" for m in round_.matches):
        new.append(MatchFact(bye, result="bye", waived=waiver(bye, None, earlier, reason)))
    return new, leaving


def _table_numbers(event: Event, round_: Round, leaving: list[Match], pairs: list[tuple]) -> list[int]:
    """Return tables for the new pairs: a player's fixed table if free, else freed tables, else further ones."""
    seated = [(match.a, match.b) for match in round_.matches if match.b]
    fixed = fixed_tables(event, [*seated, *pairs])
    taken = {match.table for match in round_.matches} - {match.table for match in leaving}
    closed = taken | set(fixed.values()) | tables_elsewhere(event, event.stage(round_.stage))
    own_tables: dict[tuple, int] = {}
    for pair in pairs:
        own = sorted(fixed[code] for code in pair if code in fixed and fixed[code] not in taken)
        if own:
            own_tables[pair] = own[0]
            taken.add(own[0])
    plan = round_table_plan(event, round_)
    free = sorted(match.table for match in leaving if match.table and match.table not in closed)
    free.sort(key=lambda table: table not in plan.features)  # the top pair of them plays the feature match
    venue = table_numbers(plan, {*free, *filter(None, closed)})
    numbers = chain(free, venue)
    tables = [own_tables[pair] if pair in own_tables else next(numbers) for pair in pairs]
    not_varied = {*own_tables.values(), *plan.features}
    vary = [index for index, table in enumerate(tables) if table not in not_varied]
    return vary_tables(event, event.stage(round_.stage), round_.number, pairs, tables, vary, groups=vary)


@dataclass(frozen=True, slots=True)
class RepairOption:
    name: str  # "leave" (unchanged), "keep" (as many tables as possible) or "anew" (all open tables)
    possible: bool  # whether it can be chosen; if not, `cost` says why
    cost: str = ""  # compared with the best option, in words; "" if no table changes
    is_best: bool = False  # whether no option costs less
    certificate: str = ""  # in one sentence; "" if nothing changes or it is impossible
    table_changes: tuple[TableChange, ...] = ()  # the tables it would change
    plan: str = ""  # identifies the option as shown, for the form to send back; "" if there is nothing to do
    reseating: Reseating | None = None  # what it would write; None if there is nothing to do

    @property
    def title(self) -> str:
        return {
            "leave": _("Keep the round as it is"),
            "keep": _("Change as few tables as possible"),
            "anew": _("Re-pair all open tables"),
        }[self.name]


def list_repair_options(
    round_: OpenRound, request: PairingRequest, added: tuple[str, ...], removed: tuple[str, ...]
) -> tuple[RepairOption, ...]:
    """Return the options leave, keep and anew; "leave" is judged without added players. Raises WrongState."""
    options = _build_options(round_.joined_by(added), request, added, removed)
    if added and not removed:
        leave = _build_options(round_, round_.request_with((), ()), (), ())[0]
        return (_with_late_words(leave, round_, added), *options[1:])
    return options


def _build_options(
    round_: OpenRound, request: PairingRequest, added: tuple[str, ...], removed: tuple[str, ...]
) -> tuple[RepairOption, ...]:
    if len(request.entrants) < 2:
        raise WrongState(_("A round needs at least 2 players."))
    options = repair_options(request, [(m.a, m.b) for m in round_.round.matches if is_paired(m)])
    best = options[2]
    return tuple(_build_option(round_, request, option, best, added, removed) for option in options)


def _build_option(
    round_: OpenRound,
    request: PairingRequest,
    option: Option,
    best: Option,
    added: tuple[str, ...],
    removed: tuple[str, ...],
) -> RepairOption:
    if option.pairing is None:
        return RepairOption(option.name, False, _no_pairing_words(round_, option, removed))
    cost, is_best = _cost_words(option, best, request), option.cost == best.cost
    if option.name == "leave":
        return RepairOption("leave", True, cost, is_best)
    if round_.is_played and option.pairing.bye in added:
        text = _("%(name)s gets the bye although every table has finished")
        cost, is_best = text % {"name": round_.names[str(option.pairing.bye)]}, False
    if _breaks_rules(request, option.pairing):
        return RepairOption(option.name, False, _("Impossible: it failed its check."))
    new, leaving = new_and_leaving(round_.event, round_.round, option.pairing)
    if not new:
        return RepairOption(option.name, True)
    old = round_.round.pairing
    repair = RepairMade(
        option=option.name,
        tables=tuple(match.table for match in new),
        added=added,
        removed=removed,
        finished=tuple(request.locked),
        gone=tuple((match.a, match.b) for match in leaving),
        before=PairingRun(old.attempt, old.engine, old.digest) if old.digest else PairingRun(),
    )
    reseating = Reseating(
        number=round_.round.number,
        marks=round_.marks,
        pairing=_repaired_record(old, request, option.pairing, repair),
        leaving=frozenset(code for match in leaving for code in (match.a, match.b) if code),
        tables=tuple(new),
        into=added,
        out=removed,
    )
    return RepairOption(
        name=option.name,
        possible=True,
        cost=cost,
        is_best=is_best,
        certificate=_certificate_words(request, option.pairing, reseating.pairing),
        table_changes=tuple(table_changes(leaving, new, round_.names)),
        plan=_plan_digest(reseating),
        reseating=reseating,
    )


def _no_pairing_words(round_: OpenRound, option: Option, removed: Sequence[str]) -> str:
    if option.undecided:
        return _("Not decided: there are too many score groups to compare all rounds from the top down.")
    if option.name != "leave":
        return _("Impossible: no complete round is left around the finished tables.")
    if names := ", ".join(round_.names[code] for code in removed):
        return _("Impossible: it seats players who are gone: %(names)s.") % {"names": names}
    return _("Impossible: it breaks a rule.")


def _cost_words(option: Option, best: Option, request: PairingRequest) -> str:
    if option.cost == best.cost:
        return _("no better pairing exists")
    words = ", ".join(change_words(*each, request.unit) for each in changes_between(best.cost, option.cost))
    more = _count_pair_downs(request, option) - _count_pair_downs(request, best)
    if more <= 0:
        return words
    text = ngettext(
        "%(count)s more pair-down than needed (%(costs)s)",
        "%(count)s more pair-downs than needed (%(costs)s)",
        more,
    )
    return text % {"count": more, "costs": words}


def _count_pair_downs(request: PairingRequest, option: Option) -> int:
    return len(list_pair_downs(request, option.pairing.pairs)) if option.pairing else 0


def _breaks_rules(request: PairingRequest, pairing: Pairing) -> bool:
    finished = {code for lock in request.locked for code in lock}
    problems = verify_round(request, pairing)
    return any(p.severity == "error" and finished.isdisjoint(p.entrants) for p in problems)


def _with_late_words(leave: RepairOption, round_: OpenRound, added: Sequence[str]) -> RepairOption:
    if not leave.possible:
        return leave
    results = {match.a: match.result or "" for match in round_.round.matches if match.b is None}
    counts = [
        _("a loss") if result == "missed" else wording.bye_words(result)
        for result in sorted({results[code] for code in added})
    ]
    late = ngettext(
        "%(names)s starts next round; this round counts as %(counts)s",
        "%(names)s start next round; this round counts as %(counts)s",
        len(added),
    ) % {"names": ", ".join(round_.names[code] for code in added), "counts": ", ".join(counts)}
    return replace(leave, cost=_("%(late)s. For the others: %(cost)s") % {"late": late, "cost": leave.cost})


def _repaired_record(
    old: PairingRecord, request: PairingRequest, pairing: Pairing, repair: RepairMade
) -> PairingRecord:
    new = build_record(pairing, request)
    finished = {code for lock in request.locked for code in lock if code}
    stay = {code: reason for code, reason in (old.reasons or {}).items() if code in finished}
    fresh = {code: reason for code, reason in (new.reasons or {}).items() if code not in finished}
    return old.replace(
        engine=new.engine,
        digest=new.digest,
        certificate=new.certificate,
        prohibited_pairs=new.prohibited_pairs,
        attempt=old.run_number + 1,
        reasons=stay | fresh,
        unit=new.unit,
        repairs=(*old.repairs, repair),
    )


def _certificate_words(request: PairingRequest, pairing: Pairing, record: PairingRecord) -> str:
    entrants = {entrant.id: entrant for entrant in request.entrants}
    sentence = certificate_words(
        record.certificate,
        list_pair_downs(request, pairing.pairs),
        rematches=sum(b in entrants[a].opponents for a, b in pairing.pairs),
        house=any(entrant.house for entrant in request.entrants),
    )
    return kept_tables_words(sentence, len(request.locked))


def _plan_digest(reseating: Reseating) -> str:
    tables = [(match.table, match.a, match.b, match.first) for match in reseating.tables]
    return hash_body([tables, reseating.into, reseating.out, reseating.pairing.digest])[:32]
