"""What a scorekeeper looks at before a round is published, looked at by the program."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairings.engine import cost_of
from pairings.question.field import playing_entries
from pairings.question.request import PairingRequest
from pairings.words.certificate import tables_words
from standings.engine.records import wins_losses_draws
from standings.event.records import records_of
from standings.event.rounds import carried_stages_of
from standings.words.formats import format_record, record_in_words
from tournament.event.types import Event, Round
from tournament.history.describe import describe_actions
from tournament.models import Tournament

MOST_NAMED = 8
LATE = dt.timedelta(minutes=30)
MOST_EDITS = 5
SAID = ("result", "games", "winner")  # what a slip that is entered for the first time finds empty


@dataclass(frozen=True, slots=True)
class Check:
    """A line of the list. `level`: good, wait (look at it) or bad (stops the round); `player`: whose page helps."""

    level: str
    text: str
    player: str = ""


def checks_of(
    tournament: Tournament, event: Event, round_: Round, request: PairingRequest, names: Mapping[str, str]
) -> list[Check]:
    """The whole list, in the order in which it is looked at; `request`: the question the draft answers."""
    return [
        *_everybody(event, round_, names),
        *_results(tournament, event, round_, request),
        *_exceptions(event, round_, names),
        *_labels(round_, request),
        *_tables(event, round_, names),
        *_bye(round_, request, names),
        *_leavers(event, round_, names),
        *_newcomers(event, round_, names),
        *_late_edits(tournament, event, round_),
    ]


def before(event: Event, round_: Round) -> int:
    """The number of the round before this one in its session, those it carries on among it; 0 in its first."""
    session = carried_stages_of(event, round_.stage)
    return max((r.number for r in event.rounds if r.stage in session and r.number < round_.number), default=0)


def listed(codes: list[str], names: Mapping[str, str]) -> str:
    """The first names of a list."""
    return ", ".join(names[code] for code in codes[:MOST_NAMED]) + (" …" if len(codes) > MOST_NAMED else "")


def _everybody(event: Event, round_: Round, names: Mapping[str, str]) -> Iterator[Check]:
    """Every player is seated exactly once, and no one else is."""
    due = [entry.id for entry in playing_entries(event, event.stage(round_.stage), round_.number)]
    seats = Counter(code for match in round_.matches for code in (match.a, match.b) if code)
    known = set(due)
    problems = (
        (_("Seated twice: %(names)s. Pair again."), [c for c, times in seats.items() if times > 1]),
        (_("Not seated: %(names)s. Pair again."), [code for code in due if code not in seats]),
        (
            _("No longer playing: %(names)s. Pair again."),
            [code for code in seats if code not in known and not event.entries[code].house],
        ),
    )
    for text, codes in problems:
        if codes:
            yield Check("bad", text % {"names": listed(codes, names)})
    if not any(codes for _text, codes in problems):
        players = ngettext(
            "%(count)s player is seated, once.", "All %(count)s players are seated, each once.", len(due)
        )
        yield Check("good", players % {"count": len(due)})
    if house := [code for code in seats if event.entries[code].house]:
        yield Check("good", _("House opponent: %(name)s.") % {"name": listed(house, names)})


def _results(tournament: Tournament, event: Event, round_: Round, request: PairingRequest) -> Iterator[Check]:
    """Every result before it is in, and nothing that the draft was paired from changed since."""
    if last := before(event, round_):
        yield Check("good", _("All results of round %(number)s are in.") % {"number": last})
    record = round_.pairing
    if record.revision is None or tournament.standings_revision <= record.revision + 1:
        return  # nothing that a pairing depends on has moved since
    if request.digest == record.digest and not record.edits:
        return
    then = request.prohibited_pairs if record.prohibited_pairs is None else record.prohibited_pairs
    if {frozenset(pair) for pair in then} == {frozenset(pair) for pair in request.prohibited_pairs}:
        yield Check("wait", _("Players or results changed since these pairings were made. Pair again."))
    elif replace(request, prohibited_pairs=then).digest == record.digest:
        yield Check("wait", _("The do-not-pair list changed since these pairings were made. Pair again."))
    else:
        text = _(
            "Players, results or the do-not-pair list changed since these pairings were made. Pair again."
        )
        yield Check("wait", text)


def _exceptions(event: Event, round_: Round, names: Mapping[str, str]) -> Iterator[Check]:
    """Pairs that must never meet, repeats, the bye, locked tables."""
    never = {frozenset(pair) for pair in event.forbidden}
    for match in round_.matches:
        if match.b and frozenset((match.a, match.b)) in never:
            who = {"a": names[match.a], "b": names[match.b], "table": match.table}
            yield Check(
                "bad", _("Table %(table)s: %(a)s and %(b)s are on the do-not-pair list. Pair again.") % who
            )
    repeats = [m.table for m in round_.matches if m.waived and m.waived["rule"] == "repeat"]
    if repeats:
        said = ngettext("%(count)s rematch: %(tables)s.", "%(count)s rematches: %(tables)s.", len(repeats))
        shown = tables_words(repeats[:MOST_NAMED]) + (" …" if len(repeats) > MOST_NAMED else "")
        yield Check("wait", said % {"count": len(repeats), "tables": shown})
    else:
        yield Check("good", _("No rematches."))
    if locks := round_.pairing.locks:
        held = {frozenset(pair) for pair in locks}
        tables = [m.table for m in round_.matches if frozenset((m.a, m.b)) in held]
        yield Check("wait", _("Locked: %(tables)s.") % {"tables": tables_words(tables[:MOST_NAMED])})


def _labels(round_: Round, request: PairingRequest) -> Iterator[Check]:
    """Pairs with a label in common, while the ruleset keeps such players apart."""
    if tables := [match.table for match in request.same_label_matches(round_)]:
        said = ngettext(
            "%(count)s pair shares a label: %(tables)s.",
            "%(count)s pairs share a label: %(tables)s.",
            len(tables),
        )
        shown = tables_words(tables[:MOST_NAMED]) + (" …" if len(tables) > MOST_NAMED else "")
        yield Check("wait", said % {"count": len(tables), "tables": shown})


def _tables(event: Event, round_: Round, names: Mapping[str, str]) -> Iterator[Check]:
    """Whether players with a fixed table sit there, or at the one of whom they meet."""
    fixed = {code: entry.fixed_table for code, entry in event.entries.items() if entry.fixed_table}
    kept = 0
    for match in round_.matches:
        own = {code: fixed[code] for code in (match.a, match.b or "") if code in fixed and match.table}
        kept += len(own)
        if own and match.table not in own.values():
            code, table = next(iter(own.items()))
            place = {"name": names[code], "fixed": table, "table": match.table}
            yield Check(
                "wait", _("%(name)s has fixed table %(fixed)s but is seated at table %(table)s.") % place
            )
            kept = -len(fixed)
    if kept > 0:
        said = ngettext("%(count)s fixed table is kept.", "%(count)s fixed tables are kept.", kept)
        yield Check("good", said % {"count": kept})


def _bye(round_: Round, request: PairingRequest, names: Mapping[str, str]) -> Iterator[Check]:
    """Whether the bye, or the house opponent instead of it, is where it should be."""
    byes = [match for match in round_.matches if match.result == "bye"]
    house = any(entrant.house for entrant in request.entrants)
    if not byes and not house:
        return
    cost = cost_of(request.entrants, request.seating_of(round_), request.policy)
    if not byes:
        if cost["second_bye"]:
            yield Check(
                "wait", _("The player who meets the house opponent already had a house opponent or a bye.")
            )
        elif cost["bye_group"]:
            yield Check("wait", _("The house opponent plays someone above the lowest score group."))
        return
    said = {"name": names[byes[0].a]}
    if cost["second_bye"]:
        yield Check("wait", _("Repeat bye: %(name)s already had one.") % said)
    elif cost["bye_group"]:
        yield Check("wait", _("The bye of %(name)s is above the lowest score group.") % said)
    else:
        yield Check("good", _("Bye: %(name)s, in the lowest score group.") % said)


def _leavers(event: Event, round_: Round, names: Mapping[str, str]) -> Iterator[Check]:
    """Who left after the round before, each with the record: a good one may be a slip of the pen."""
    last = before(event, round_)
    gone = [
        code
        for code, entry in event.entries.items()
        if entry.status in ("dropped", "disqualified") and entry.dropped_after == last
    ]
    records = records_of(event, carried_stages_of(event, round_.stage), last) if gone else {}
    gone = [code for code in gone if code in records]  # not who left another session
    if not gone:
        return
    yield Check(
        "wait",
        ngettext(
            "%(count)s dropped since the last round:", "%(count)s dropped since the last round:", len(gone)
        )
        % {"count": len(gone)},
    )
    scored = sorted((wins_losses_draws(records[code])[1], names[code], code) for code in gone)
    for losses, name, code in scored[:MOST_NAMED]:
        won = wins_losses_draws(records[code])[0]
        sure = _("Sure?") if losses <= 1 and won > losses else ""
        said = {"name": name, "record": record_in_words(format_record(records[code])), "sure": sure}
        yield Check("wait", (_("%(name)s: %(record)s. %(sure)s") % said).strip(), player=code)


def _newcomers(event: Event, round_: Round, names: Mapping[str, str]) -> Iterator[Check]:
    last = before(event, round_)
    here = set(event.entries_of(event.stage(round_.stage)))
    new = [
        code
        for code, entry in event.entries.items()
        if last and code in here and last < (entry.joined_round or 0) <= round_.number
    ]
    if new:
        said = ngettext("%(count)s joined late: %(names)s.", "%(count)s joined late: %(names)s.", len(new))
        yield Check("wait", said % {"count": len(new), "names": listed(new, names)})


def _late_edits(tournament: Tournament, event: Event, round_: Round) -> Iterator[Check]:
    """Results of the round before that were changed in the last half hour."""
    tables = f"rounds/{before(event, round_)}/tables/"
    recent = tournament.actions.filter(at__gte=timezone.now() - LATE).exclude(kind__in=("draft", "publish"))
    changed = [
        action
        for action in recent.order_by("-number")
        if any(
            item["fact"].startswith(tables) and any((item.get("before") or {}).get(n) for n in SAID)
            for item in action.changes
        )
    ][:MOST_EDITS]
    for line in describe_actions(tournament, changed):
        minutes = int((timezone.now() - line.at).total_seconds() // 60)
        ago = ngettext("%(count)s minute ago", "%(count)s minutes ago", minutes) % {"count": minutes}
        yield Check("wait", f"{line.sentence} ({ago})")
