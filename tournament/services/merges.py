"""Merge two entries of the same player. A kind of correction: it is possible even in a finished event."""

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext as _

from tournament.actionlog import integrity
from tournament.actionlog.match_facts import Fact, MatchFact
from tournament.actionlog.service import Log, service
from tournament.errors import Refused, WrongState
from tournament.models import Entry, StageEntry
from tournament.services.corrections import CORRECTION, check_correction
from tournament.services.drops import find_last_round
from tournament.services.entries import fill_spots, find_unmerged_entry
from tournament.services.seats import change_seats
from tournament.services.stage_entries import leave_stages, list_person_entries

FILLED_FACTS = ("rating", "rating_source", "labels", "seed_rank", "fixed_table", "paid", "checked_in")
FILLED_PERSONAL = ("last_name", "contact", "alias", "display_name_only", "notes", "user_id", "members")
# If a round has different rows for the two entries, the first of these results is kept.
SEAT_KINDS = ("match", "bye", "awarded_bye", "full_bye", "half_bye", "zero_bye", "missed")


@service(CORRECTION, after_end=True)
def merge_entries(log: Log, keep: str, other: str) -> None:
    """Merge `other` into `keep`, which takes over the rounds that `other` played; `other` stays, marked as merged.

    Entries of different stages are only linked as one person. Empty fields of `keep` are filled from `other`, except
    membership number and player link. Raises WrongState if both had an opponent in one round, or if `other` is in the
    bracket.
    """
    mine, theirs = find_unmerged_entry(log.tournament, keep), find_unmerged_entry(log.tournament, other)
    if mine == theirs or mine.house or theirs.house:
        raise Refused(_("Choose the other entry of the same player."), status=422)
    check_correction(log)
    person = {row.pk: row for each in (theirs, mine) for row in (*list_person_entries(each), each)}
    stages, others = (set(entry.stage_entries.values_list("stage", flat=True)) for entry in (mine, theirs))
    if stages and others and not stages & others:
        _link(log, mine.same_person_as or mine, person.values())
        return
    if theirs.stage_entries.filter(seed__isnull=False).exists():
        text = _(
            "%(name)s (%(code)s) has a place in the bracket. Keep that entry, and merge the other one into it."
        )
        raise WrongState(text, name=theirs.name, code=theirs.code)
    problems = set(integrity.check(log.tournament, marks=False))
    facts = _merge_facts(mine, theirs)
    del person[theirs.pk]
    log.set(theirs, status="merged", dropped_after=0, checked_in=False, waits=None, same_person_as=keep)
    log.set(mine, **facts)
    links = [entry.same_person_as for entry in (mine, theirs) if entry.same_person_as]
    _link(log, next((entry for entry in links if entry not in (mine, theirs)), mine), person.values())
    missing = theirs.stage_entries.exclude(stage__stage_entries__entry=mine).select_related("stage")
    into = [(row.stage.number, row.alternate) for row in missing]
    leave_stages(log, theirs)
    for number, alternate in into:
        log.add(StageEntry, f"stages/{number}/entries/{keep}", {"alternate": alternate})
    _take_seats(log, mine, theirs)
    _take_mentions(log, mine, theirs)
    filled = {name: getattr(mine, name) or getattr(theirs, name) for name in FILLED_PERSONAL}
    log.fill_personal(mine, **filled, captain=(mine if mine.members else theirs).captain)
    fill_spots(log)
    if broken := [each for each in integrity.check(log.tournament, marks=False) if each not in problems]:
        raise WrongState(_("These two cannot be merged: %(problem)s."), problem=broken[0])


def _link(log: Log, first: Entry, person: Iterable[Entry]) -> None:
    for entry in person:
        if entry.status != Entry.Status.MERGED:
            log.set(entry, same_person_as=None if entry == first else first.code)


def _merge_facts(mine: Entry, theirs: Entry) -> Fact:
    """Return the kept entry's facts: empty ones from the other entry, and the time in the event of both."""
    facts: dict[str, Any] = {name: getattr(mine, name) or getattr(theirs, name) for name in FILLED_FACTS}
    byes = {bye["round"]: bye for entry in (theirs, mine) for bye in entry.requested_byes}
    facts["requested_byes"] = [byes[number] for number in sorted(byes)]
    inside = [entry for entry in (mine, theirs) if entry.stage_entries.exists()]
    if theirs not in inside:
        waits = [entry.waits for entry in (mine, theirs) if entry.waits is not None]
        if waits and mine not in inside and mine.status != Entry.Status.DISQUALIFIED:
            facts |= {"status": "waitlisted", "dropped_after": None, "waits": min(waits)}
        return facts
    joined = min(entry.joined_round or 1 for entry in inside)
    facts |= {
        "joined_round": None if joined == 1 else joined,
        "late": all(entry.late for entry in inside),
        "waits": None,
    }
    if mine.stage_entries.filter(seed__isnull=False).exists():
        return facts  # the bracket says when the player is out
    states = [entry.status for entry in inside]
    gone = "disqualified" if Entry.Status.DISQUALIFIED in states else "dropped"
    stays = gone == "dropped" and Entry.Status.PLAYING in states
    left = [
        find_last_round(entry) if entry.dropped_after is None else entry.dropped_after for entry in inside
    ]
    return facts | {"status": "playing" if stays else gone, "dropped_after": None if stays else max(left)}


def _take_seats(log: Log, mine: Entry, theirs: Entry) -> None:
    """Seat the kept entry wherever either entry sat. Raises WrongState if both had an opponent."""
    codes = (mine.code, theirs.code)
    rows: dict[int, dict[str, int]] = {}
    seats = log.tournament.seats.filter(entry__code__in=codes, swiss=True)
    for number, code, kind in seats.values_list("round__number", "entry__code", "kind"):
        rows.setdefault(number, {})[code] = SEAT_KINDS.index(kind)
    for number, kinds in sorted(rows.items()):
        if list(kinds.values()) == [0, 0]:
            text = _(
                "Both have an opponent in round %(round)s. If they are one person, correct who sat there first."
            )
            raise WrongState(text, round=number)

    def seat(number: int, fact: MatchFact) -> MatchFact | None:
        players = [fact.a, fact.b]
        sits = [code for code in codes if code in players]
        if not sits:
            return fact
        if sits[0] != min(rows[number], key=lambda code: (rows[number][code], code != mine.code)):
            return None
        return fact._replace(
            a=mine.code if fact.a == theirs.code else fact.a, b=mine.code if fact.b == theirs.code else fact.b
        )

    change_seats(log, codes, seat)


def _take_mentions(log: Log, mine: Entry, theirs: Entry) -> None:
    tournament = log.tournament
    for named in (tournament.penalties, tournament.deck_checks, tournament.decklists, tournament.flags):
        for mention in named.filter(entry=theirs):
            log.set(mention, entry=mine.code)
    for row in tournament.entries.filter(same_person_as=theirs):
        log.set(row, same_person_as=mine.code)
    if any(theirs.code in pair for pair in tournament.forbidden):
        new = {theirs.code: mine.code}
        pairs = {frozenset(new.get(code, code) for code in pair) for pair in tournament.forbidden}
        log.set(tournament, forbidden=sorted(sorted(pair) for pair in pairs if len(pair) > 1))
