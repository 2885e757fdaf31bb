"""Change seats of published Swiss rounds together: in several rounds, with the waivers that follow."""

from collections import defaultdict
from collections.abc import Callable, Collection
from contextlib import ExitStack
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from tournament.actionlog.facts import SEAT_FIELDS
from tournament.actionlog.match_facts import Fact, MatchFact, match_facts, match_key, unlocked_seats
from tournament.actionlog.service import Log
from tournament.event.pairing_record import Edit, PairingRecord
from tournament.event.waivers import Meetings, meeting_of
from tournament.models import Match, Report, Round, Seat, Tournament
from tournament.rulesets import is_meeting

Numbered = dict[str, tuple[int, MatchFact]]  # the number of its round, and the match, by the match's key
Pairs = Collection[tuple[MatchFact, MatchFact | None]]


def change_seats(
    log: Log, players: Collection[str], seat: Callable[[int, MatchFact], MatchFact | None]
) -> None:
    """Replace each Swiss match of these players by `seat(round number, match)`; None removes it.

    Only these players may sit elsewhere afterwards, or alone with another result. Meetings that become rematches or
    repeat byes get a waiver, without the log's reason, as waivers are public; others lose theirs. A round paired here
    records that its seats were corrected.
    """
    seats = Seat.objects.filter(tournament=log.tournament, swiss=True)
    seats = seats.filter(Q(entry__code__in=players) | Q(kind="bye"))
    before = _matches_of(seats)
    after = {key: seat(number, fact) for key, (number, fact) in before.items()}
    after = _waive(log, before, after)
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


def set_result(log: Log, match: Match, **fields: Any) -> None:
    """Write a result and void its reports. Adjusts waivers where a forfeit becomes a meeting or the reverse."""
    if log.tournament.reporting != Tournament.Reporting.OFF:
        for report in match.reports.select_related("match__round"):
            log.remove(report)
    profile = log.tournament.profile or {}
    met, meets = (is_meeting(profile, result) for result in (match.result, fields["result"]))
    if met == meets or not match.round.swiss:
        log.set(match, **fields)
        return
    a, b = match.seats.order_by("side")
    before = _matches_of(
        Seat.objects.filter(tournament=log.tournament, entry=a.entry_id, opponent=b.entry_id)
    )
    after: dict[str, MatchFact | None] = {key: fact for key, (_number, fact) in before.items()}
    after[match_key(match)] = before[match_key(match)][1]._replace(result=fields["result"])
    after = _waive(log, before, after)
    waivers: dict[str, Fact] = {
        key: {"waived": fact.waived}
        for key, fact in after.items()
        if fact and fact.waived != before[key][1].waived
    }
    if met:  # remove a waiver only after the meeting, and add it before
        log.set(match, **fields)
    if waivers:
        log.reseat(waivers)
    if meets:
        log.set(match, **fields)


def remove_void_reports(log: Log) -> None:
    """Remove reports of matches that have a result, and all once players no longer report."""
    reports = Report.objects.filter(match__round__tournament=log.tournament)
    if log.tournament.reporting != Tournament.Reporting.OFF:
        reports = reports.filter(match__result__isnull=False)
    for report in reports.select_related("match__round"):
        log.remove(report)


def _matches_of(seats: QuerySet[Seat]) -> Numbered:
    stored = match_facts(Match.objects.filter(pk__in=seats.values("match")))
    return {key: (int(key.split("/")[1]), match.fact) for key, match in stored.items()}


def _sits_elsewhere(old: MatchFact, new: MatchFact | None) -> bool:
    if new is None or meeting_of(old) != meeting_of(new):
        return bool(meeting_of(old) or (new and meeting_of(new)))
    return old.b is not None and (old.a, old.b) != (new.a, new.b)


def _waive(log: Log, before: Numbered, after: dict[str, MatchFact | None]) -> dict[str, MatchFact | None]:
    """Return the matches with the waivers they need: none for a pair's first meeting or first pairing bye."""
    changed = {
        meeting_of(fact)
        for key, (_number, old) in before.items()
        for fact in (old, after[key])
        if fact is not None and after[key] != old
    }
    byes = {  # rounds with a changed pairing bye
        number
        for key, (number, old) in before.items()
        if (old.result == "bye") != ((new := after[key]) is not None and new.result == "bye")
    }
    meetings, waived = Meetings(log.tournament.profile or {}), dict(after)
    for key in sorted(before, key=lambda key: _place(before[key][0], after[key] or before[key][1])):
        number, old = before[key]
        if (fact := after[key]) is not None:
            needed = meetings.add(number, fact, _("as it was played"))
            if needed and meeting_of(fact) == meeting_of(old):
                needed = old.waived or needed
            if meeting_of(fact) in changed or (number in byes and fact.result == "bye"):
                waived[key] = fact._replace(waived=needed)
    return waived


def _place(number: int, match: MatchFact) -> tuple[int, bool, int, str]:
    return number, match.table is None, match.table or 0, match.a


def _note(log: Log, round_: Round, pairs: Pairs) -> None:
    """Record that other players sat at these tables of a round paired here, and drop the engine's reasons for them."""
    record = PairingRecord.from_json(round_.pairing)
    if not record.digest:
        return
    players = sorted({code for pair in pairs for fact in pair if fact for code in (fact.a, fact.b) if code})
    tables = tuple(old.table for old, _new in pairs if old.table or old.result == "bye")
    edit = Edit("seats", tuple(players), tables, "")
    reasons = {code: kept for code, kept in (record.reasons or {}).items() if code not in players}
    log.set(round_, pairing=record.replace(edits=(*record.edits, edit), reasons=reasons).to_json())
