"""Other tables for a round that is seated already: a draft edited by hand, a published round mended."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.db import models
from django.utils.translation import gettext as _

from tournament.actionlog import integrity
from tournament.actionlog.change import Log, unlocked_seats
from tournament.actionlog.match_facts import MatchFact
from tournament.actionlog.service import service
from tournament.errors import NotFound, WrongState
from tournament.event.pairing_record import PairingRecord
from tournament.models import Entry, Extension, Match, Round, Tournament
from tournament.services.rounds import open_matches, round_of


@dataclass(frozen=True)
class Reseating:
    """New tables as computed outside the lock, and the marks they were computed at.

    leaving  players whose present tables go; whoever sits there sits in `tables` afterwards, or is in `out`
    pairing  what the round keeps about how it was paired
    into     players who were away this round and now sit in it; out: those who no longer do
    """

    number: int
    marks: tuple[int, int]
    pairing: PairingRecord
    leaving: frozenset[str] = frozenset()
    tables: tuple[MatchFact, ...] = ()
    into: tuple[str, ...] = ()
    out: tuple[str, ...] = ()


def marks_of(tournament: Tournament, number: int) -> tuple[int, int]:
    """(the round's revision, the standings' revision): what a pairing of that round depends on."""
    round_ = tournament.rounds.filter(number=number).values_list("revision", "tournament__standings_revision")
    found = round_.first()
    if found is None:
        raise NotFound(_("There is no round %(number)s in this event.") % {"number": number})
    return found


@service("edit draft", computed=("change",))
def change_draft(log: Log, change: Reseating, asked: Any = None) -> None:
    """Seat other tables in a draft, by hand. `asked` is what the form asked for.

    Raises WrongState where the round is no draft, or a fact changed since the edit was computed.
    """
    round_ = round_of(log.tournament, change.number)
    if round_.state != Round.State.DRAFT:
        raise WrongState(_("Round %(number)s is already published.") % {"number": change.number})
    _check_marks(log, change)
    _reseat(log, round_, change)


@service("re-pair", computed=("change",))
def repair_round(log: Log, change: Reseating, asked: Any = None) -> None:
    """Re-pair some tables of a published round; the others, including finished ones, stay.

    Raises WrongState where a fact changed since, or a table that would go has a result.
    """
    tournament = log.tournament
    round_ = round_of(tournament, change.number)
    if round_.state != Round.State.PUBLISHED or not round_.swiss:
        raise WrongState(_("Round %(number)s is not in progress.") % {"number": change.number})
    _check_marks(log, change)
    going = round_.matches.filter(seats__entry__code__in=change.leaving).distinct()
    _check_unplayed(going)
    wrong = set(integrity.check(tournament, marks=False))
    for extension in Extension.objects.filter(match__in=going).select_related("match__round"):
        log.remove(extension)
    with unlocked_seats(round_):
        _sit_out(log, round_, change)
        _reseat(log, round_, change, change.into)
        missing = [code for code in change.out if _still_plays(tournament, code, change.number)]
        log.seat(round_, [MatchFact(code, result="missed") for code in missing])
    if broken := [problem for problem in integrity.check(tournament, marks=False) if problem not in wrong]:
        raise WrongState(_("That would break the round: %(problem)s.") % {"problem": broken[0]})


def _check_marks(log: Log, change: Reseating) -> None:
    if marks_of(log.tournament, change.number) != change.marks:
        raise WrongState(
            _("Something changed while you were working. Nothing was saved. Check the round again.")
        )


def _check_unplayed(matches: models.QuerySet[Match]) -> None:
    """Raises WrongState naming the tables that have a result."""
    played = matches.filter(table__isnull=False).exclude(result=None)
    if tables := sorted({table or 0 for table in played.values_list("table", flat=True)}):
        named = ", ".join(map(str, tables[:5])) + ("…" if len(tables) > 5 else "")
        raise WrongState(
            _("A result came in at table %(tables)s. Nothing was saved. Check the round again.")
            % {"tables": named}
        )


def _sit_out(log: Log, round_: Round, change: Reseating) -> None:
    """Added players belong to the round from now on; players removed after a drop belong to the previous one."""
    for entry in Entry.objects.filter(tournament=log.tournament, code__in=change.into):
        if (entry.joined_round or 1) > change.number:
            log.set(entry, joined_round=change.number)
    for entry in Entry.objects.filter(tournament=log.tournament, code__in=change.out):
        if entry.status != Entry.Status.PLAYING:
            log.set(entry, dropped_after=change.number - 1)


def _still_plays(tournament: Tournament, code: str, number: int) -> bool:
    entry = tournament.entries.get(code=code)
    return entry.dropped_after is None or entry.dropped_after >= number


def _reseat(log: Log, round_: Round, change: Reseating, into: Collection[str] = ()) -> None:
    """Take the tables of those who leave away, seat the new ones; bulk, whatever their number."""
    if going := {*change.leaving, *into}:
        log.unseat(round_, of=going)
    if change.tables:
        open_matches(log, round_, change.tables)
    log.set(round_, pairing=change.pairing.to_json())


@service("forbid")
def prohibit_pair(log: Log, a: str, b: str, *, lift: bool = False) -> None:
    """These two never meet from now on (or may again). Raises NotFound for an unknown player."""
    tournament: Tournament = log.tournament
    known = set(tournament.entries.filter(code__in=[a, b]).values_list("code", flat=True))
    if known != {a, b} or a == b:
        raise NotFound(_("Choose 2 players from this event."))
    pair = sorted((a, b))
    others = [both for both in tournament.forbidden if sorted(both) != pair]
    log.set(tournament, forbidden=others if lift else [*others, pair])
