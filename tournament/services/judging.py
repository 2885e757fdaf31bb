"""Judges' actions: penalties, calls from players' phones, deck checks; and lists of them for the pages."""

import datetime as dt
import hashlib
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.actionlog.service import Log, service
from tournament.errors import Conflict, Refused, WrongState, get_or_refuse
from tournament.event.display_names import load_names
from tournament.event.rounds import match_at, round_name
from tournament.event.table_plan import table_name
from tournament.models import DeckCheck, Entry, Flag, Match, Penalty, Round, Seat, Tournament
from tournament.results.desk_rows import CALL_DONE, DeskRow
from tournament.services.drops import apply_disqualification
from tournament.services.entries import find_own_entry, find_unmerged_entry
from tournament.services.penalties import LOSSES, NEXT_MATCH, record_penalty
from tournament.services.results import end_lost_match, extend_match
from tournament.services.self_service import LONGEST_MESSAGE
from tournament.text import clean_lines, clean_name

MOST_PENALTIES, MOST_MESSAGES = 2000, 200  # shown


def find_current_match(entry: Entry) -> Match | None:
    """Return the entry's match against an opponent in a published round, if it has no result yet."""
    matches = Match.objects.filter(
        seats__entry=entry, seats__opponent__isnull=False, round__state=Round.State.PUBLISHED, result=None
    )
    return matches.select_related("round__stage").order_by("-round__number").first()


@service("penalty")
def give_penalty(
    log: Log, code: str, kind: str, infraction: str, *, judge: str = "", description: str = ""
) -> None:
    """Record a penalty; a loss counts in the current match, else in the next one. The log omits the description."""
    if not code:
        raise Refused(_("Choose the player who gets the penalty."))
    if kind not in Penalty.Kind.values:
        raise Refused(_("Choose the penalty."))
    if not (infraction := clean_name(infraction)):
        raise Refused(_("Enter the infraction."))
    entry = find_unmerged_entry(log.tournament, code)
    about = {"judge": clean_name(judge), "description": clean_lines(description)}
    if kind == Penalty.Kind.DISQUALIFICATION:
        apply_disqualification(log, entry, infraction, **about)
        return
    match = find_current_match(entry) if kind in LOSSES else None
    counts_in = (match.round.number if match else NEXT_MATCH) if kind in LOSSES else None
    record_penalty(log, entry, kind, infraction, counts_in=counts_in, **about)
    if match:
        end_lost_match(log, match)


@service("judge call")
def call_judge(log: Log, code: str, text: str = "") -> None:
    """Call a judge to the player's table, unless one has been called already. The text is personal and not logged."""
    text = clean_name(text)
    if len(text) > LONGEST_MESSAGE:
        refusal = _("Say in at most %(most)s characters what the judge is needed for.")
        raise Refused(refusal, most=LONGEST_MESSAGE)
    match = find_current_match(find_own_entry(log, code))
    if match is None or match.table is None:
        raise WrongState(_("You are not in a match now. Ask at the event desk."))
    if open_call_at(match):
        return
    about = {"entry": code, "round": match.round.number, "at": timezone.now().isoformat()}
    log.add_next(Flag, {"kind": Flag.Kind.CALL, **about}, {"text": text})


@service("answer call")
def answer_call(log: Log, number: int) -> None:
    """Mark a call as taken. Raises Conflict if another judge has taken it."""
    call = find_call(log.tournament, number)
    if call.done:
        raise WrongState(_("This call is already done."))
    if call.judge and call.judge != log.actor:
        text = _("%(judge)s is already on the way to this table. You do not need to go.")
        raise Conflict(text, judge=call.judge)
    log.set(call, judge=log.actor)


@service(CALL_DONE, after_end=True)
def settle_call(log: Log, number: int) -> None:
    log.set(find_call(log.tournament, number), done=True)


def find_call(tournament: Tournament, number: int) -> Flag:
    calls = tournament.flags.filter(kind=Flag.Kind.CALL, number=number)
    return get_or_refuse(calls, _("There is no judge call %(number)s in this event."), number=number)


def open_call_at(match: Match) -> Flag | None:
    calls = match.round.flags.filter(kind=Flag.Kind.CALL, done=False, entry__seats__match=match)
    return calls.order_by("number").first()


@service("deck check")
def start_deck_check(log: Log, number: int, table: int, sides: str = "ab", judge: str = "") -> None:
    """Start checking the decks of these sides ("a", "b", "ab") of a table in a published round."""
    match = match_at(log.tournament, number, table)
    if match.round.state != Round.State.PUBLISHED:
        text = _("The matches of %(round)s are not in progress.")
        raise WrongState(text, round=round_name(match.round).phrase)
    if open_checks_at(match):
        text = _("Decks are already being checked at table %(table)s.")
        raise WrongState(text, table=table_name(log.tournament, table, match.round))
    codes = list(match.seats.filter(side__in=sides).order_by("side").values_list("entry__code", flat=True))
    if not codes:
        raise Refused(_("Choose whose deck to check."))
    begun = {"round": number, "judge": clean_name(judge), "starts_at": timezone.now().isoformat()}
    for code in codes:
        log.add_next(DeckCheck, {**begun, "entry": code})


@service("end deck check")
def end_deck_check(log: Log, number: int, table: int, minutes: int = 0) -> None:
    """End the deck check at a table and give an outstanding table that many minutes back."""
    match = match_at(log.tournament, number, table)
    checks = open_checks_at(match)
    if not checks:
        text = _("No deck check is running at table %(table)s.")
        raise WrongState(text, table=table_name(log.tournament, table, match.round))
    now = timezone.now().isoformat()
    for check in checks:
        log.set(check, ends_at=now)
    if minutes and match.result is None:
        extend_match(log, match, minutes, _("deck check"))


def open_checks_at(match: Match) -> list[DeckCheck]:
    return list(match.round.deck_checks.filter(ends_at=None, entry__seats__match=match).order_by("number"))


# The following lists set on each row: `name` of the player, `table` (a number), and `table_name`.


def list_penalties(tournament: Tournament, codes: Collection[str] | None = None) -> list[Any]:
    rows = tournament.penalties.order_by("number")
    if codes is not None:
        rows = rows.filter(entry__code__in=codes)
    return _with_tables(tournament, rows, MOST_PENALTIES)


def list_player_messages(tournament: Tournament, *, done: bool = False) -> list[Any]:
    """Return the messages to review, oldest first; with `done`, the ones marked as done, newest first."""
    rows = tournament.flags.filter(kind=Flag.Kind.MESSAGE, done=done)
    return _with_tables(tournament, rows.order_by("-number" if done else "number"), MOST_MESSAGES)


def list_open_calls(tournament: Tournament, now: dt.datetime) -> list[Any]:
    """Return the calls that wait for a judge, each with the minutes it `waits`."""
    rows = tournament.flags.filter(kind=Flag.Kind.CALL, done=False).order_by("number")
    rows = rows.exclude(round__state=Round.State.COMPLETE)  # calls from them are obsolete
    calls = _with_tables(tournament, rows)
    for call in calls:
        call.waits = max(int((now - call.at).total_seconds() // 60), 0)
    return calls


def list_deck_checks(tournament: Tournament) -> list[Any]:
    return _with_tables(tournament, tournament.deck_checks.order_by("-number"))


def _with_tables(tournament: Tournament, rows: QuerySet[Any], most: int | None = None) -> list[Any]:
    seats = Seat.objects.filter(
        entry=OuterRef("entry"), round=OuterRef("round"), match__table__isnull=False
    ).values("match__table")
    found = list(rows.select_related("entry", "round").annotate(table=Subquery(seats[:1]))[:most])
    names = load_names(tournament) if found else {}
    for row in found:
        row.name = names[row.entry.code] if row.entry else ""
        row.table_name = table_name(tournament, row.table, row.round)
    return found


def suggest_tables(
    tournament: Tournament,
    rows: Sequence[DeskRow],
    checks: Sequence[DeckCheck],
    points: Mapping[str, Fraction],
) -> dict[str, DeskRow]:
    """Suggest outstanding tables for a deck check: a random one, one of the least checked, one with the most points.

    The random ones follow from the secret seed and the number of checks: not to be predicted, but verified afterwards.
    """
    rounds = {row.round for row in rows}
    running = [(check.round, check.entry) for check in checks if check.ends_at is None]
    busy = {entry.code for round_, entry in running if round_ and round_.number in rounds}
    done = {check.entry.code for check in checks}
    free = [row for row in rows if busy.isdisjoint(_codes(row))]
    if not free:
        return {}

    def chance(row: DeskRow) -> str:
        text = f"{tournament.seed}:deck check:{row.round}:{len(checks)}:{row.table}"
        return hashlib.sha256(text.encode()).hexdigest()

    def checked(row: DeskRow) -> int:
        return len(done & _codes(row))

    return {
        "random": min(free, key=chance),
        "unchecked": min(free, key=lambda row: (checked(row), chance(row))),
        "top": min(free, key=lambda row: (checked(row), -_points(row, points), row.table or 0)),
    }


def _codes(row: DeskRow) -> set[str]:
    return {player.code for player in (row.a, row.b) if player}


def _points(row: DeskRow, points: Mapping[str, Fraction]) -> Fraction:
    return sum((points.get(code, Fraction(0)) for code in _codes(row)), Fraction(0))
