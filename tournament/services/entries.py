"""Who plays: entries come, change, and go before they have played."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from tournament.actionlog.change import Log
from tournament.actionlog.service import service
from tournament.errors import NotFound, Refused, WrongState
from tournament.models import Entry, Round, Seat, Stage, StageEntry, Tournament
from tournament.services.capacity import (
    admit_to_session,
    enter_missed_rounds,
    fill_spots,
    late_fields,
    missed_rounds,
    next_seed_rank,
    session_to_join,
)
from tournament.text.clean import LONGEST_NAME, clean_name

MOST_AT_ONCE = 5000


def parse_names(text: str) -> list[str]:
    """Names from a pasted list, one a line; empty lines are skipped. Raises Refused naming the line."""
    names = []
    for number, line in enumerate(text.splitlines(), start=1):
        name = clean_name(line)
        if not name:
            continue
        if len(name) > LONGEST_NAME:
            raise Refused(
                _("Line %(line)s: a name has at most %(most)s characters.")
                % {"line": number, "most": LONGEST_NAME}
            )
        names.append(name)
    if not names:
        raise Refused(_("Nothing was added. Enter one name per line."))
    if len(names) > MOST_AT_ONCE:
        raise Refused(_("Add at most %(most)s names at once.") % {"most": MOST_AT_ONCE})
    return names


@service("register")
def add_entries(log: Log, names: list[str], *, stage: int | None = None) -> None:
    """Register names (cleaned, in this order). Once rounds are published they join late.

    A late entry plays from the next round on; each Swiss round it missed is a loss (or what the ruleset's
    `late_entry.missed` says), entered as a match of its own in that round. `stage`: the session to play in,
    where it is not the usual one (`session_to_join`).
    """
    tournament = log.tournament
    into = session_to_join(tournament, stage)
    codes = next_codes(tournament, len(names))
    join_session(log, into, {code: ({}, {"name": name}) for code, name in zip(codes, names, strict=True)})


@service("register")
def add_entry(log: Log, known: dict[str, Any], personal: dict[str, Any], stage: int | None = None) -> None:
    """Register one player with facts (rating, labels, …) and personal fields (name, contact, …), as cleaned.

    `stage`: the session to play in, where it is not the usual one.

    Raises WrongState where the membership number is another player's already.
    """
    check_membership_numbers(log.tournament, {personal.get("external_id", "")})
    code = next_codes(log.tournament, 1)[0]
    join_session(log, session_to_join(log.tournament, stage), {code: (known, personal)})


def check_membership_numbers(tournament: Tournament, numbers: set[str], but: str = "") -> None:
    """Raises WrongState where one of these membership numbers belongs to somebody else than the entry `but`."""
    taken = tournament.entries.filter(external_id__in=numbers - {""}).exclude(code=but).first()
    if taken:
        said = {"number": taken.external_id, "name": taken.name, "code": taken.code}
        raise WrongState(_("Membership number %(number)s already belongs to %(name)s (%(code)s).") % said)


def join_session(log: Log, into: Stage, people: dict[str, tuple[dict[str, Any], dict[str, Any]]]) -> None:
    """New entries {code: (facts, personal fields)} in a Swiss stage, late where it has begun."""
    missed = missed_rounds(into)
    ranks = next_seed_rank(into)
    new = {}
    for offset, (code, (known, personal)) in enumerate(people.items()):
        fields: dict[str, Any] = {**known, "status": "playing", **late_fields(missed)}
        if ranks is not None:
            fields["seed_rank"] = ranks + offset
        new[code] = (fields, personal)
    log.enter(into, new)
    if missed:
        enter_missed_rounds(log, missed, list(people))


def next_codes(tournament: Tournament, count: int) -> list[str]:
    """The next free public codes: P0001, P0002, …"""
    numbers = [
        int(code[1:])
        for code in tournament.entries.filter(code__startswith="P").values_list("code", flat=True)
        if code[1:].isdigit()
    ]
    last = max(numbers, default=0)
    return [f"P{last + step:04d}" for step in range(1, count + 1)]


def entry_of(tournament: Tournament, code: str) -> Entry:
    """The entry of that code. Raises NotFound."""
    entry = tournament.entries.filter(code=code).first()
    if entry is None:
        raise NotFound(_("There is no player %(code)s in this event.") % {"code": code})
    return entry


@service("admit")
def admit_entry(log: Log, code: str, stage: int | None = None) -> None:
    """Somebody on the waiting list plays, also where all places are taken: staff said so."""
    entry = entry_of(log.tournament, code)
    if entry.status != Entry.Status.WAITLISTED:
        raise WrongState(_("%(name)s is not on the waitlist.") % {"name": entry.name})
    admit_to_session(log, entry, stage)


@service("rename", after_end=True)
def rename_entry(log: Log, code: str, name: str) -> None:
    """Give an entry another name. The log says that it changed, not what it is."""
    name = clean_name(name)
    if not name or len(name) > LONGEST_NAME:
        raise Refused(_("Enter a name of 1 to %(most)s characters.") % {"most": LONGEST_NAME})
    entry = entry_of(log.tournament, code)
    if entry.name != name:
        log.set_personal(entry, name=name)


@service("person", after_end=True)
def change_personal_fields(log: Log, code: str, **fields: str) -> None:
    """Change alias, contact, notes or membership number. The log says which, not what they are."""
    entry = entry_of(log.tournament, code)
    changed = {name: value for name, value in fields.items() if getattr(entry, name) != value}
    check_membership_numbers(log.tournament, {changed.get("external_id", "")}, but=code)
    if changed:
        log.set_personal(entry, **changed)


@service("entry")
def change_entry(log: Log, code: str, **fields: Any) -> None:
    """Change an entry's rating and its source, seed rank, awarded byes, labels, fixed table, or that it paid."""
    entry = entry_of(log.tournament, code)
    if (table := fields.get("fixed_table")) is not None:
        _check_table(entry, table)
    if "awarded_byes" in fields and (seat := Seat.objects.filter(entry=entry).first()):
        if seat.round.state == Round.State.DRAFT:
            raise WrongState(_("The round already has draft pairings. Discard them first."))
        raise WrongState(_("%(name)s is already seated in a round.") % {"name": entry.name})
    log.set(entry, **fields)


def _check_table(entry: Entry, table: int) -> None:
    """Raises WrongState where somebody else who plays always has this table."""
    others = Entry.objects.filter(
        tournament=entry.tournament, fixed_table=table, status=Entry.Status.PLAYING
    ).exclude(pk=entry.pk)
    if other := others.first():
        said = {"table": table, "name": other.name}
        raise WrongState(_("Table %(table)s is the fixed table of %(name)s. Choose another.") % said)


@service("unregister")
def remove_entry(log: Log, code: str) -> None:
    """Take an entry out that never sat in a round; one that did can only drop."""
    entry = entry_of(log.tournament, code)
    seat = Seat.objects.filter(entry=entry).select_related("round").first()
    if seat:
        raise WrongState(
            _("%(name)s is seated in round %(round)s. Drop the player instead.")
            % {"name": entry.name, "round": seat.round.number}
        )
    for flag in entry.flags.all():
        log.remove(flag)
    for place in StageEntry.objects.filter(entry=entry).select_related("stage", "entry"):
        log.remove(place)
    log.remove(entry)
    fill_spots(log)
