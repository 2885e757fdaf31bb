"""Other players at tables: corrections of published rounds with their waivers, edits of drafts, and repairs."""

from collections import defaultdict
from collections.abc import Callable, Collection
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext as _

from tournament.actionlog import integrity
from tournament.actionlog.facts import SEAT_FIELDS
from tournament.actionlog.match_facts import Fact, MatchFact, unlocked_seats
from tournament.actionlog.service import Log, service
from tournament.errors import WrongState
from tournament.event.pairing_record import Edit, PairingRecord
from tournament.event.rounds import find_round
from tournament.event.table_plan import round_table_plan
from tournament.event.waivers import meeting_players, number_matches, renew_waivers
from tournament.models import Entry, Round, Seat, Tournament
from tournament.services.drops import apply_drop
from tournament.services.rounds import list_tables, open_matches

Pairs = Collection[tuple[MatchFact, MatchFact | None]]


def change_seats(
    log: Log, players: Collection[str], seat: Callable[[int, MatchFact], MatchFact | None]
) -> None:
    """Replace each Swiss match of these players by `seat(round number, match)`; None removes it.

    Only these players may then sit elsewhere, or have another result without an opponent. Meetings that become
    rematches or repeat byes get a waiver, others lose theirs; the waiver does not quote the log's reason, because
    waivers are public. A round paired here records that its seats were corrected.
    """
    seats = Seat.objects.filter(tournament=log.tournament, swiss=True)
    seats = seats.filter(Q(entry__code__in=players) | Q(kind="bye"))
    before = number_matches(seats)
    after = {key: seat(number, fact) for key, (number, fact) in before.items()}
    after = renew_waivers(log.tournament.profile or {}, before, after)
    moved: defaultdict[int, list[str]] = defaultdict(list)  # without a table: another player is another key
    stays: dict[str, Fact] = {}
    others: defaultdict[int, list[tuple[MatchFact, MatchFact | None]]] = defaultdict(list)
    for key, (number, old) in before.items():
        new = after[key]
        if new is None or new.key_in(number) != key or (new.b is None and new.result != old.result):
            moved[number].append(key)
        elif changes := {name for name in SEAT_FIELDS if getattr(new, name) != getattr(old, name)}:
            stays[key] = {name: getattr(new, name) for name in sorted(changes)}
        if _sits_elsewhere(old, new):
            others[number].append((old, new))
    rounds = {round_.number: round_ for round_ in log.tournament.rounds.filter(number__in={*others, *moved})}
    with ExitStack() as unlocked:
        for number, keys in moved.items():
            unlocked.enter_context(unlocked_seats(rounds[number]))
            log.unseat(rounds[number], keys)
        if stays:
            log.reseat(stays)
        for number, keys in moved.items():
            log.seat(rounds[number], [fact for key in keys if (fact := after[key])])
    for number, pairs in others.items():
        _note(log, rounds[number], pairs)


def _sits_elsewhere(old: MatchFact, new: MatchFact | None) -> bool:
    if new is None or meeting_players(old) != meeting_players(new):
        return bool(meeting_players(old) or (new and meeting_players(new)))
    return old.b is not None and (old.a, old.b) != (new.a, new.b)


def _note(log: Log, round_: Round, pairs: Pairs) -> None:
    """Record in a round paired here that other players sat at these tables, and drop the engine's reasons for them."""
    record = PairingRecord.from_json(round_.pairing)
    if not record.digest:
        return
    players = sorted({code for pair in pairs for fact in pair if fact for code in (fact.a, fact.b) if code})
    tables = tuple(old.table for old, _new in pairs if old.table or old.result == "bye")
    edit = Edit("seats", tuple(players), tables, "")
    reasons = {code: kept for code, kept in (record.reasons or {}).items() if code not in players}
    log.set(round_, pairing=record.replace(edits=(*record.edits, edit), reasons=reasons).to_json())


# --- other tables for a round: draft pairings edited by hand, a published round repaired ---


@dataclass(frozen=True)
class Reseating:
    """New tables, computed outside the event's lock."""

    number: int
    marks: tuple[int, int]  # versions they were computed from (`pairing_versions`)
    pairing: PairingRecord  # the round's new record
    leaving: frozenset[str] = frozenset()  # players whose tables go; later all in `tables` or `out`
    tables: tuple[MatchFact, ...] = ()
    into: tuple[str, ...] = ()  # players who were away this round and are seated now
    out: tuple[str, ...] = ()  # players who are no longer seated
    drops: tuple[str, ...] = ()  # those seated or no longer seated who drop from the event as well


def pairing_versions(tournament: Tournament, number: int) -> tuple[int, int]:
    """Return (the round's revision, the standings' revision), on which a pairing of that round depends."""
    round_ = find_round(tournament, number)
    standings = Tournament.objects.values_list("standings_revision", flat=True)
    return round_.revision, standings.get(pk=tournament.pk)


@service("edit draft", computed=("change",))
def change_draft(log: Log, change: Reseating, form: Any = None) -> None:
    """Save hand-made tables in a draft; `form`: what was sent. Raises WrongState if a fact changed since."""
    round_ = find_round(log.tournament, change.number)
    if round_.state != Round.State.DRAFT:
        raise WrongState(_("Round %(number)s is already published."), number=change.number)
    _check_marks(log, change)
    _reseat(log, round_, change)


@service("re-pair", computed=("change",))
def repair_round(log: Log, change: Reseating, form: Any = None) -> None:
    """Re-pair some tables of a published round. Raises WrongState if a fact changed since, or one has a result."""
    tournament = log.tournament
    round_ = find_round(tournament, change.number)
    if round_.state != Round.State.PUBLISHED or not round_.swiss:
        raise WrongState(_("Round %(number)s is not in progress."), number=change.number)
    _check_marks(log, change)
    going = round_.matches.filter(seats__entry__code__in=change.leaving).distinct()
    played = going.filter(table__isnull=False).exclude(result=None)
    if tables := sorted({table or 0 for table in played.values_list("table", flat=True)}):
        text = _("A result came in at table %(tables)s. Nothing was saved. Check the round again.")
        raise WrongState(text, tables=list_tables(round_table_plan(tournament, round_), tables))
    wrong = set(integrity.check(tournament, marks=False))
    _drop(log, {*change.drops} - {*change.into})
    with unlocked_seats(round_):
        for entry in tournament.entries.filter(code__in=change.into, joined_round__gt=change.number):
            log.set(entry, joined_round=change.number)
        dropped = tournament.entries.filter(code__in=change.out).exclude(status=Entry.Status.PLAYING)
        for entry in dropped:  # the round before is now their last
            log.set(entry, dropped_after=change.number - 1)
        _reseat(log, round_, change)
        gone = {entry.code for entry in dropped}
        log.seat(round_, [MatchFact(code, result="missed") for code in change.out if code not in gone])
    _drop(log, {*change.drops} & {*change.into})  # this round is their last, and may be their first
    if broken := [problem for problem in integrity.check(tournament, marks=False) if problem not in wrong]:
        raise WrongState(_("That would break the round: %(problem)s."), problem=broken[0])


def _drop(log: Log, codes: Collection[str]) -> None:
    for entry in log.tournament.entries.filter(code__in=codes, status=Entry.Status.PLAYING):
        apply_drop(log, entry)


def _check_marks(log: Log, change: Reseating) -> None:
    if pairing_versions(log.tournament, change.number) != change.marks:
        text = _("Something changed while you were working. Nothing was saved. Check the round again.")
        raise WrongState(text)


def _reseat(log: Log, round_: Round, change: Reseating) -> None:
    if going := {*change.leaving, *change.into}:
        log.unseat(round_, of=going)
    if change.tables:
        open_matches(log, round_, change.tables)
    log.set(round_, pairing=change.pairing.to_json())
