"""The draft page: rows with points and reasons, the certificate, the checklist before publishing."""

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, Literal, NamedTuple

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from pairings.draft.edits import takes_coin_toss
from pairings.engine.pair import pause_gc
from pairings.engine.types import PairingRequest
from pairings.engine.verify import round_cost
from pairings.proof.page import PairingCertificate, TableRow, build_table_rows, describe_certificate
from pairings.request.entrants import earlier_pairings, given_byes, playing_entries
from pairings.request.pairing_request import (
    players_past_side_limits,
    rebuild_request,
    recorded_pairing,
    request_digest,
    same_label_matches,
)
from pairings.words.certificate import shorten_list, tables_words
from pairings.words.reasons import reasons_in
from standings.engine.records import count_outcomes
from standings.table.swiss import list_carried_stages, tally_records
from standings.words.formats import record_in_words
from tournament.event.display_names import names_in, sort_by_name
from tournament.event.read import load_event_values
from tournament.event.table_plan import round_table_plan, table_name
from tournament.event.types import LEFT_THE_EVENT, Event, Round
from tournament.history.describe import describe_actions
from tournament.models import Tournament
from tournament.results.wording import bye_words
from tournament.services.undo import UNDO, undone_numbers

MOST_NAMED = 8
RECENT = dt.timedelta(minutes=30)
MOST_EDITS = 5
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


class Check(NamedTuple):
    """One line of the checklist. Level "wait" asks for a look, "bad" blocks publishing."""

    level: Literal["good", "wait", "bad"]
    text: str
    player: str = ""  # whose page helps
    absent: str = ""  # the codes of no-shows that a button withdraws, one per line


@dataclass(frozen=True, slots=True)
class _Draft:
    tournament: Tournament
    event: Event
    round: Round
    request: PairingRequest  # the pairing request it answers
    names: Mapping[str, str]  # {entry code: name}

    @property
    def last_round(self) -> int:
        stages = list_carried_stages(self.event, self.round.stage)
        numbers = (r.number for r in self.event.rounds if r.stage in stages and r.number < self.round.number)
        return max(numbers, default=0)

    def names_words(self, codes: Iterable[str]) -> str:
        names = {code: self.names[code] for code in codes}
        return shorten_list([names[code] for code in sort_by_name(names)])

    def tables_words(self, tables: Sequence[int | None]) -> str:
        words = tables_words(tables[:MOST_NAMED], round_table_plan(self.event))
        return words + (" …" if len(tables) > MOST_NAMED else "")


def _list_checks(draft: _Draft) -> list[Check]:
    lists = (
        _seat_checks,
        _absence_checks,
        _result_checks,
        _exception_checks,
        _label_checks,
        _side_checks,
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
    event, round_ = draft.event, draft.round
    playing = {entry.id for entry in playing_entries(event, event.stage(round_.stage), round_.number)}
    seats = Counter(code for match in round_.matches for code in (match.a, match.b) if code)
    houses = [code for code in seats if event.entries[code].house]
    gone = [code for code in seats if code not in playing and code not in houses]
    problems = {
        _("Seated twice: %(names)s. Pair again."): [code for code, times in seats.items() if times > 1],
        _("Not seated: %(names)s. Pair again."): playing.difference(seats),
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
    if changed := {code for code, _result in given.items() ^ seated.items() if code in playing}:
        text = _("Byes changed since these pairings were made: %(names)s. Pair again.")
        yield Check("bad", text % {"names": draft.names_words(changed)})
    elif given:
        codes = sort_by_name({code: draft.names[code] for code in given})
        byes = [f"{draft.names[code]} ({bye_words(given[code])})" for code in codes]
        yield Check("good", _("Sitting out: %(names)s.") % {"names": shorten_list(byes)})
    if houses:
        yield Check("good", _("House opponent: %(name)s.") % {"name": draft.names_words(houses)})


def _absence_checks(draft: _Draft) -> Iterator[Check]:
    event, round_ = draft.event, draft.round
    if draft.last_round:
        return
    sits_out = given_byes(event, event.stage(round_.stage), round_.number)
    playing = playing_entries(event, event.stage(round_.stage), round_.number)
    playing = [entry for entry in playing if entry.checked_in or entry.id not in sits_out]
    absent = [entry.id for entry in playing if not entry.checked_in]
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
            "Paired again after a forfeit, which does not count as a meeting under this ruleset: %(tables)s.",
            "Paired again after forfeits, which do not count as meetings under this ruleset: %(tables)s.",
            len(again),
        )
        yield Check("good", text % {"tables": draft.tables_words([match.table for match in again])})
    if locks := {frozenset(lock) for lock in draft.round.pairing.locks}:
        tables = [match.table for match in matches if frozenset((match.a, match.b)) in locks]
        yield Check("wait", _("Locked: %(tables)s.") % {"tables": draft.tables_words(tables)})


def _label_checks(draft: _Draft) -> Iterator[Check]:
    if tables := [match.table for match in same_label_matches(draft.request, draft.round)]:
        text = ngettext(
            "%(count)s pair shares a label: %(tables)s.",
            "%(count)s pairs share a label: %(tables)s.",
            len(tables),
        )
        yield Check("wait", text % {"count": len(tables), "tables": draft.tables_words(tables)})


def _side_checks(draft: _Draft) -> Iterator[Check]:
    if codes := players_past_side_limits(draft.request, draft.round):
        text = ngettext(
            "%(count)s player is on one side too often: %(names)s.",
            "%(count)s players are on one side too often: %(names)s.",
            len(codes),
        )
        yield Check("wait", text % {"count": len(codes), "names": draft.names_words(codes)})


def _fixed_table_checks(draft: _Draft) -> Iterator[Check]:
    fixed = {code: entry.fixed_table for code, entry in draft.event.entries.items() if entry.fixed_table}
    plan, seats, broken = round_table_plan(draft.event), 0, False
    for match in draft.round.matches:
        own = {code: fixed[code] for code in (match.a, match.b or "") if code in fixed and match.table}
        seats += len(own)
        if own and match.table not in own.values():
            code, table = next(iter(own.items()))
            seat = {"name": draft.names[code], "fixed": plan.name(table), "table": plan.name(match.table)}
            text = _("%(name)s has fixed table %(fixed)s but is seated at table %(table)s.")
            yield Check("wait", text % seat)
            broken = True
    if seats and not broken:
        text = ngettext("%(count)s fixed table is kept.", "%(count)s fixed tables are kept.", seats)
        yield Check("good", text % {"count": seats})


def _bye_checks(draft: _Draft) -> Iterator[Check]:
    request = draft.request
    byes = [match.a for match in draft.round.matches if match.result == "bye"]
    if not byes and not any(entrant.house for entrant in request.entrants):
        return
    cost = round_cost(request.entrants, recorded_pairing(request, draft.round), request.policy)
    trouble = next((name for name in ("second_bye", "bye_group") if cost[name]), "")
    if byes or trouble:
        text = BYES[trouble, bool(byes)] % {"name": draft.names[byes[0]] if byes else ""}
        yield Check("wait" if trouble else "good", text)


def _result_checks(draft: _Draft) -> Iterator[Check]:
    if last := draft.last_round:
        yield Check("good", _("All results of round %(number)s are in.") % {"number": last})
    record, request = draft.round.pairing, draft.request
    if record.revision is None or draft.tournament.standings_revision <= record.revision + 1:
        return  # nothing that a pairing depends on has changed
    # A lock may be newer than the pairings.
    if record.digest in map(request_digest, (request, request.with_locks(()))):
        return
    now = request.prohibited_pairs
    then = now if record.prohibited_pairs is None else record.prohibited_pairs
    if set(map(frozenset, then)) == set(map(frozenset, now)):
        text = _("Players or results changed since these pairings were made. Pair again.")
    elif request_digest(replace(request, prohibited_pairs=then)) == record.digest:
        text = _("The do-not-pair list changed since these pairings were made. Pair again.")
    else:
        text = _(
            "Players, results or the do-not-pair list changed since these pairings were made. Pair again."
        )
    yield Check("wait", text)


def _plan_checks(draft: _Draft) -> Iterator[Check]:
    plan, names = round_table_plan(draft.event), draft.names
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
    """List players who dropped after the previous round, with their records: a good record may mean a mistake."""
    event, last = draft.event, draft.last_round
    codes = [c for c, e in event.entries.items() if e.dropped_after == last and e.status in LEFT_THE_EVENT]
    records = tally_records(event, list_carried_stages(event, draft.round.stage), last) if codes else {}
    codes = [code for code in codes if code in records]  # not those of another flight
    if codes:
        text = ngettext(
            "%(count)s dropped since the last round:", "%(count)s dropped since the last round:", len(codes)
        )
        yield Check("wait", text % {"count": len(codes)})
    outcomes = {code: count_outcomes(records[code]) for code in codes}
    by_losses = sorted((outcomes[code].lost, draft.names[code], code) for code in codes)
    for losses, name, code in by_losses[:MOST_NAMED]:
        good = losses <= 1 and outcomes[code].won > losses
        text = _("%(name)s: %(record)s. Sure?") if good else _("%(name)s: %(record)s.")
        words = {"name": name, "record": record_in_words(outcomes[code])}
        yield Check("wait", text % words, player=code)


def _late_entry_checks(draft: _Draft) -> Iterator[Check]:
    event, last = draft.event, draft.last_round
    members = event.entries_of(event.stage(draft.round.stage)) if last else []
    joined = {code: event.entries[code].joined_round or 0 for code in members}
    if late := [code for code, number in joined.items() if last < number <= draft.round.number]:
        text = ngettext("%(count)s joined late: %(names)s.", "%(count)s joined late: %(names)s.", len(late))
        yield Check("wait", text % {"count": len(late), "names": draft.names_words(late)})


def _decklist_checks(draft: _Draft) -> Iterator[Check]:
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
        yield Check("wait", text % {"count": len(missing), "names": draft.names_words(missing)})


def _late_edit_checks(draft: _Draft) -> Iterator[Check]:
    tables = f"rounds/{draft.last_round}/tables/"
    now = timezone.now()

    def corrects(change: dict[str, Any]) -> bool:
        before = change.get("before") or {}
        return change["fact"].startswith(tables) and any(before.get(name) for name in SLIP_FIELDS)

    newest = draft.tournament.actions.exclude(kind__in=("draft", "publish")).order_by("-number").iterator(50)
    recent = takewhile(lambda action: action.at >= now - RECENT, newest)
    edits = [action for action in recent if any(map(corrects, action.changes))]
    if edits:
        gone = undone_numbers(draft.tournament, edits[-1].number)
        edits = [action for action in edits if action.number not in gone and action.kind != UNDO]
    for line in describe_actions(draft.tournament, edits[:MOST_EDITS]):
        minutes = int((now - line.at).total_seconds() // 60)
        ago = ngettext("%(count)s minute ago", "%(count)s minutes ago", minutes) % {"count": minutes}
        yield Check("wait", f"{line.sentence} ({ago})")


class DraftPage(NamedTuple):
    rows: list[TableRow]
    certificate: PairingCertificate
    checks: list[Check]
    revision: int  # the round's revision, sent back by every form on the page
    players: dict[str, str]  # {code: name} of everyone seated
    prohibited_pairs: list[tuple[str, str, str, str]]
    coin_toss: bool  # whether a coin toss decides the first moves
    has_sides: bool  # whether players move first or second

    @property
    def open_items(self) -> int:
        return sum(check.level == "bad" for check in self.checks)


@pause_gc()
def draft_page(tournament: Tournament, round_number: int, revision: int) -> DraftPage:
    event = load_event_values(tournament)
    round_ = next(round_ for round_ in event.rounds if round_.number == round_number)
    names = names_in(event)
    request = rebuild_request(event, round_)
    rows = build_table_rows(event, round_, request, names, reasons_in(round_))
    return DraftPage(
        rows=rows,
        certificate=describe_certificate(round_, rows, names, round_table_plan(event)),
        checks=_list_checks(_Draft(tournament, event, round_, request, names)),
        revision=revision,
        players={player.code: player.name for row in rows for player in (row.a, row.b) if player},
        prohibited_pairs=[(a, names.get(a, a), b, names.get(b, b)) for a, b in event.forbidden],
        coin_toss=takes_coin_toss(round_, request),
        has_sides=any(match.first for match in round_.matches),
    )
