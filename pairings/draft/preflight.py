"""The list of what a scorekeeper checks before a round is published."""

import datetime as dt
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from pairings.engine import cost_of
from pairings.question.field import given_byes, playing_entries
from pairings.question.history import earlier_pairings
from pairings.question.request import PairingRequest
from pairings.words.lists import first_few, tables_words
from standings.engine.records import wins_losses_draws
from standings.event.records import records_of
from standings.event.rounds import carried_stages_of
from standings.words.formats import format_record, record_in_words
from tournament.event.table_plan import plan_of, table_name
from tournament.event.types import Event, Round
from tournament.history.describe import describe_actions
from tournament.models import Tournament
from tournament.results.wording import bye_words
from tournament.text.display_names import sort_by_name

MOST_NAMED = 8
RECENT = dt.timedelta(minutes=30)
MOST_EDITS = 5
GONE = ("dropped", "disqualified")
SLIP_FIELDS = ("result", "games", "winner")  # empty before a match slip is entered for the first time
# By the criterion that the bye, or the house opponent instead of it, costs; and by whether it is a bye.
BYES = {
    ("second_bye", True): gettext_lazy("Repeat bye: %(name)s already had one."),
    ("second_bye", False): gettext_lazy(
        "The player who meets the house opponent already had a house opponent or a bye."
    ),
    ("bye_group", True): gettext_lazy("The bye of %(name)s is above the lowest score group."),
    ("bye_group", False): gettext_lazy("The house opponent plays someone above the lowest score group."),
    ("", True): gettext_lazy("Bye: %(name)s, in the lowest score group."),
}


@dataclass(frozen=True, slots=True)
class Check:
    """A line of the list. `level` "wait" asks to look at it, "bad" stops the round.

    player   whose page helps
    absent   the codes of no-shows whom a button withdraws, one a line
    """

    level: Literal["good", "wait", "bad"]
    text: str
    player: str = ""
    absent: str = ""


@dataclass(frozen=True, slots=True)
class _Draft:
    """The draft that is checked. `request`: the one it answers; `names`: {entry code: name}."""

    tournament: Tournament
    event: Event
    round: Round
    request: PairingRequest
    names: Mapping[str, str]

    @property
    def last_round(self) -> int:
        """The number of the round before, among those that count together with this one; 0 where it is the first."""
        stages = carried_stages_of(self.event, self.round.stage)
        numbers = (r.number for r in self.event.rounds if r.stage in stages and r.number < self.round.number)
        return max(numbers, default=0)

    def names_words(self, codes: Sequence[str]) -> str:
        """The first names of a list."""
        return first_few([self.names[code] for code in codes])

    def tables_words(self, tables: Sequence[int | None]) -> str:
        """The first tables of a list: "tables 1, 2 and 3"."""
        words = tables_words(tables[:MOST_NAMED], plan_of(self.event))
        return words + (" …" if len(tables) > MOST_NAMED else "")


def checks_of(
    tournament: Tournament, event: Event, round_: Round, request: PairingRequest, names: Mapping[str, str]
) -> list[Check]:
    """The whole list, in the order in which it is read; `request`: the one the draft answers."""
    draft = _Draft(tournament, event, round_, request, names)
    lists = (
        _seat_checks,
        _absence_checks,
        _result_checks,
        _exception_checks,
        _label_checks,
        _fixed_table_checks,
        _plan_checks,
        _bye_checks,
        _drop_checks,
        _late_entry_checks,
        _decklist_checks,
        _late_edit_checks,
    )
    return [check for checks in lists for check in checks(draft)]


def _seat_checks(draft: _Draft) -> Iterator[Check]:
    """Every player is seated exactly once, and no one else is."""
    event, round_ = draft.event, draft.round
    playing = {entry.id for entry in playing_entries(event, event.stage(round_.stage), round_.number)}
    seats = Counter(code for match in round_.matches for code in (match.a, match.b) if code)
    houses = [code for code in seats if event.entries[code].house]
    gone = [code for code in seats if code not in playing and code not in houses]
    problems = {
        _("Seated twice: %(names)s. Pair again."): [code for code, times in seats.items() if times > 1],
        _("Not seated: %(names)s. Pair again."): sorted(playing - set(seats)),
        _("No longer playing: %(names)s. Pair again."): gone,
    }
    for text, codes in problems.items():
        if codes:
            yield Check("bad", text % {"names": draft.names_words(codes)})
    if not any(problems.values()):
        players = ngettext(
            "%(count)s player is seated, once.", "All %(count)s players are seated, each once.", len(playing)
        )
        yield Check("good", players % {"count": len(playing)})
    given = given_byes(event, event.stage(round_.stage), round_.number)
    seated = {match.a: match.result for match in round_.matches if match.result not in (None, "bye")}
    if changed := sorted(code for code, _result in given.items() ^ seated.items() if code in playing):
        text = _("Byes changed since these pairings were made: %(names)s. Pair again.")
        yield Check("bad", text % {"names": draft.names_words(list(dict.fromkeys(changed)))})
    elif given:
        codes = sort_by_name({code: draft.names[code] for code in given})
        byes = [f"{draft.names[code]} ({bye_words(given[code])})" for code in codes]
        yield Check("good", _("Sitting out: %(names)s.") % {"names": first_few(byes)})
    if houses:
        yield Check("good", _("House opponent: %(name)s.") % {"name": draft.names_words(houses)})


def _absence_checks(draft: _Draft) -> Iterator[Check]:
    """Before the first round those who have not checked in, where others have."""
    event, round_ = draft.event, draft.round
    if draft.last_round:
        return
    sits_out = given_byes(event, event.stage(round_.stage), round_.number)
    playing = playing_entries(event, event.stage(round_.stage), round_.number)
    playing = [entry for entry in playing if entry.checked_in or entry.id not in sits_out]
    absent = sort_by_name({entry.id: draft.names[entry.id] for entry in playing if not entry.checked_in})
    if not absent or len(absent) == len(playing):
        return
    text = ngettext(
        "%(count)s player has not checked in: %(names)s.",
        "%(count)s players have not checked in: %(names)s.",
        len(absent),
    )
    enough = len(playing) - len(absent) >= 2
    words = text % {"count": len(absent), "names": draft.names_words(absent)}
    yield Check("wait", words, absent="\n".join(absent) if enough else "")


def _exception_checks(draft: _Draft) -> Iterator[Check]:
    """Prohibited pairs, rematches and locked tables."""
    matches, names = draft.round.matches, draft.names
    prohibited = {frozenset(pair) for pair in draft.event.forbidden}
    for match in matches:
        if match.b and frozenset((match.a, match.b)) in prohibited:
            words = {"a": names[match.a], "b": names[match.b], "table": table_name(draft.event, match.table)}
            text = _("Table %(table)s: %(a)s and %(b)s are on the do-not-pair list. Pair again.")
            yield Check("bad", text % words)
    if rematches := [m.table for m in matches if m.waived and m.waived["rule"] == "repeat"]:
        text = ngettext("%(count)s rematch: %(tables)s.", "%(count)s rematches: %(tables)s.", len(rematches))
        yield Check("wait", text % {"count": len(rematches), "tables": draft.tables_words(rematches)})
    else:
        yield Check("good", _("No rematches."))
    earlier = earlier_pairings(draft.event, draft.round)
    again = [m for m in matches if m.b and not m.waived and frozenset((m.a, m.b)) in earlier]
    if again:
        text = ngettext(
            "Paired again after a forfeit, which is no meeting under this ruleset: %(tables)s.",
            "Paired again after forfeits, which are no meetings under this ruleset: %(tables)s.",
            len(again),
        )
        yield Check("good", text % {"tables": draft.tables_words([match.table for match in again])})
    if locks := {frozenset(lock) for lock in draft.round.pairing.locks}:
        tables = [match.table for match in matches if frozenset((match.a, match.b)) in locks]
        yield Check("wait", _("Locked: %(tables)s.") % {"tables": draft.tables_words(tables)})


def _label_checks(draft: _Draft) -> Iterator[Check]:
    """Pairs who share a label, while the ruleset keeps such players apart."""
    if tables := [match.table for match in draft.request.same_label_matches(draft.round)]:
        text = ngettext(
            "%(count)s pair shares a label: %(tables)s.",
            "%(count)s pairs share a label: %(tables)s.",
            len(tables),
        )
        yield Check("wait", text % {"count": len(tables), "tables": draft.tables_words(tables)})


def _fixed_table_checks(draft: _Draft) -> Iterator[Check]:
    """Whether players with a fixed table sit there, or at that of an opponent who has one too."""
    fixed = {code: entry.fixed_table for code, entry in draft.event.entries.items() if entry.fixed_table}
    plan, seats, broken = plan_of(draft.event), 0, False
    for match in draft.round.matches:
        own = {code: fixed[code] for code in (match.a, match.b or "") if code in fixed and match.table}
        seats += len(own)
        if own and match.table not in own.values():
            code, table = next(iter(own.items()))
            words = {
                "name": draft.names[code],
                "fixed": plan.name(table),
                "table": plan.name(match.table or 0),
            }
            text = _("%(name)s has fixed table %(fixed)s but is seated at table %(table)s.")
            yield Check("wait", text % words)
            broken = True
    if seats and not broken:
        text = ngettext("%(count)s fixed table is kept.", "%(count)s fixed tables are kept.", seats)
        yield Check("good", text % {"count": seats})


def _bye_checks(draft: _Draft) -> Iterator[Check]:
    """Whether the bye, or the house opponent instead of it, is where it should be."""
    request = draft.request
    byes = [match.a for match in draft.round.matches if match.result == "bye"]
    if not byes and not any(entrant.house for entrant in request.entrants):
        return
    cost = cost_of(request.entrants, request.seating_of(draft.round), request.policy)
    trouble = next((name for name in ("second_bye", "bye_group") if cost[name]), "")
    if byes or trouble:
        text = BYES[trouble, bool(byes)] % {"name": draft.names[byes[0]] if byes else ""}
        yield Check("wait" if trouble else "good", text)


def _result_checks(draft: _Draft) -> Iterator[Check]:
    """Whether every earlier result is in, and nothing that the draft was paired from has changed since."""
    if last := draft.last_round:
        yield Check("good", _("All results of round %(number)s are in.") % {"number": last})
    record, request = draft.round.pairing, draft.request
    if record.revision is None or draft.tournament.standings_revision <= record.revision + 1:
        return  # nothing that a pairing depends on has changed
    if request.digest == record.digest and all(edit.kind == "table" for edit in record.edits):
        return
    now = request.prohibited_pairs
    then = now if record.prohibited_pairs is None else record.prohibited_pairs
    if set(map(frozenset, then)) == set(map(frozenset, now)):
        text = _("Players or results changed since these pairings were made. Pair again.")
    elif replace(request, prohibited_pairs=then).digest == record.digest:
        text = _("The do-not-pair list changed since these pairings were made. Pair again.")
    else:
        text = _(
            "Players, results or the do-not-pair list changed since these pairings were made. Pair again."
        )
    yield Check("wait", text)


def _plan_checks(draft: _Draft) -> Iterator[Check]:
    """Who plays at the feature tables, and which matches the venue has no table for."""
    plan, names = plan_of(draft.event), draft.names
    matches = {match.table or 0: match for match in draft.round.matches if match.b}
    for table in plan.features:
        if match := matches.get(table):
            values = {"table": plan.name(table), "a": names[match.a], "b": names[match.b or ""]}
            yield Check("good", _("%(table)s: %(a)s vs. %(b)s.") % values)
    fixed = {entry.fixed_table for entry in draft.event.entries.values()}
    known = {*plan.order, *plan.features, *fixed}
    if plan.order and (beyond := sorted(set(matches) - known)):
        text = _("More matches than tables in the plan. Numbered on: %(tables)s.")
        yield Check("wait", text % {"tables": draft.tables_words(beyond)})


def _drop_checks(draft: _Draft) -> Iterator[Check]:
    """Players who dropped after the round before, each with the record: a good one may be a mistake."""
    event, last = draft.event, draft.last_round
    codes = [c for c, e in event.entries.items() if e.dropped_after == last and e.status in GONE]
    records = records_of(event, carried_stages_of(event, draft.round.stage), last) if codes else {}
    codes = [code for code in codes if code in records]  # not those of another flight
    if codes:
        text = ngettext(
            "%(count)s dropped since the last round:", "%(count)s dropped since the last round:", len(codes)
        )
        yield Check("wait", text % {"count": len(codes)})
    by_losses = sorted((wins_losses_draws(records[code])[1], draft.names[code], code) for code in codes)
    for losses, name, code in by_losses[:MOST_NAMED]:
        good = losses <= 1 and wins_losses_draws(records[code])[0] > losses
        text = _("%(name)s: %(record)s. Sure?") if good else _("%(name)s: %(record)s.")
        words = {"name": name, "record": record_in_words(format_record(records[code]))}
        yield Check("wait", text % words, player=code)


def _late_entry_checks(draft: _Draft) -> Iterator[Check]:
    """Players who joined after the round before."""
    event, last = draft.event, draft.last_round
    joined = {
        code: event.entries[code].joined_round or 0
        for code in event.entries_of(event.stage(draft.round.stage))
    }
    if late := [code for code in event.entries if last and last < joined.get(code, 0) <= draft.round.number]:
        text = ngettext("%(count)s joined late: %(names)s.", "%(count)s joined late: %(names)s.", len(late))
        yield Check("wait", text % {"count": len(late), "names": draft.names_words(late)})


def _decklist_checks(draft: _Draft) -> Iterator[Check]:
    """Players who begin without a decklist, where the event wants them."""
    if draft.last_round or draft.tournament.decklist_rule == Tournament.DecklistRule.OFF:
        return
    handed_in = set(draft.tournament.decklists.values_list("entry__code", flat=True).distinct().order_by())
    seated = [code for match in draft.round.matches for code in (match.a, match.b) if code]
    missing = [code for code in seated if code not in handed_in and not draft.event.entries[code].house]
    if missing:
        text = ngettext(
            "%(count)s player has no decklist: %(names)s.",
            "%(count)s players have no decklist: %(names)s.",
            len(missing),
        )
        names = draft.names_words(sort_by_name({code: draft.names[code] for code in missing}))
        yield Check("wait", text % {"count": len(missing), "names": names})


def _late_edit_checks(draft: _Draft) -> Iterator[Check]:
    """Results of the round before that were changed in the last half hour."""
    tables = f"rounds/{draft.last_round}/tables/"
    now = timezone.now()

    def corrects(change: dict[str, Any]) -> bool:
        before = change.get("before") or {}
        return change["fact"].startswith(tables) and any(before.get(name) for name in SLIP_FIELDS)

    recent = draft.tournament.actions.filter(at__gte=now - RECENT).exclude(kind__in=("draft", "publish"))
    edits = [action for action in recent.order_by("-number") if any(map(corrects, action.changes))]
    for line in describe_actions(draft.tournament, edits[:MOST_EDITS]):
        minutes = int((now - line.at).total_seconds() // 60)
        ago = ngettext("%(count)s minute ago", "%(count)s minutes ago", minutes) % {"count": minutes}
        yield Check("wait", f"{line.sentence} ({ago})")
