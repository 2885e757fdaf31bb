"""Other tables for a round that is already seated: draft pairings edited by hand, a published round repaired."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.db import models
from django.utils.translation import gettext as _

from tournament.actionlog import integrity
from tournament.actionlog.change import Log
from tournament.actionlog.match_facts import MatchFact, unlocked_seats
from tournament.actionlog.service import service
from tournament.errors import WrongState
from tournament.event.pairing_record import PairingRecord
from tournament.event.table_plan import plan_of
from tournament.models import Entry, Match, Round, Tournament
from tournament.services.drops import apply_drop
from tournament.services.rounds import list_tables, open_matches, round_of


@dataclass(frozen=True)
class Reseating:
    """New tables as computed outside the event's lock."""

    number: int
    marks: tuple[int, int]  # versions they were computed from (`marks_of`)
    pairing: PairingRecord  # the round's new record
    leaving: frozenset[str] = frozenset()  # players whose tables go; later all in `tables` or `out`
    tables: tuple[MatchFact, ...] = ()
    into: tuple[str, ...] = ()  # players who were away this round and are seated now
    out: tuple[str, ...] = ()  # players who are no longer seated
    drops: tuple[str, ...] = ()  # those seated or no longer seated who drop from the event as well


def marks_of(tournament: Tournament, number: int) -> tuple[int, int]:
    """Return (the round's revision, the standings' revision): what a pairing of that round depends on."""
    round_ = round_of(tournament, number)
    return round_.revision, Tournament.objects.values_list("standings_revision", flat=True).get(
        pk=tournament.pk
    )


@service("edit draft", computed=("change",))
def change_draft(log: Log, change: Reseating, form: Any = None) -> None:
    """Seat other tables in a draft, by hand; `form`: what was sent. Raises WrongState if a fact changed since."""
    round_ = round_of(log.tournament, change.number)
    if round_.state != Round.State.DRAFT:
        raise WrongState(_("Round %(number)s is already published."), number=change.number)
    _check_marks(log, change)
    _reseat(log, round_, change)


@service("re-pair", computed=("change",))
def repair_round(log: Log, change: Reseating, form: Any = None) -> None:
    """Re-pair some tables of a published round. Raises WrongState if a fact changed since, or one has a result."""
    tournament = log.tournament
    round_ = round_of(tournament, change.number)
    if round_.state != Round.State.PUBLISHED or not round_.swiss:
        raise WrongState(_("Round %(number)s is not in progress."), number=change.number)
    _check_marks(log, change)
    going = round_.matches.filter(seats__entry__code__in=change.leaving).distinct()
    _check_unplayed(log, round_, going)
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
    if marks_of(log.tournament, change.number) != change.marks:
        raise WrongState(
            _("Something changed while you were working. Nothing was saved. Check the round again.")
        )


def _check_unplayed(log: Log, round_: Round, matches: models.QuerySet[Match]) -> None:
    played = matches.filter(table__isnull=False).exclude(result=None)
    if tables := sorted({table or 0 for table in played.values_list("table", flat=True)}):
        raise WrongState(
            _("A result came in at table %(tables)s. Nothing was saved. Check the round again."),
            tables=list_tables(plan_of(log.tournament, round_), tables),
        )


def _reseat(log: Log, round_: Round, change: Reseating) -> None:
    if going := {*change.leaving, *change.into}:
        log.unseat(round_, of=going)
    if change.tables:
        open_matches(log, round_, change.tables)
    log.set(round_, pairing=change.pairing.to_json())
