"""Players: registered, changed, and removed before they have played."""

from typing import Any

from django.utils.translation import gettext as _

from tournament.actionlog.match_facts import Fact
from tournament.actionlog.service import Log, service
from tournament.errors import Refused, WrongState, get_or_refuse
from tournament.event.table_plan import table_name
from tournament.models import Entry, Round, Seat, Tournament
from tournament.services.stage_entries import add_to_stage, admit_to_stage, leave_stages
from tournament.services.waitlist import fill_spots
from tournament.text.clean import LONGEST_NAME, clean_name
from tournament.text.teams import team_of


def entry_of(tournament: Tournament, code: str) -> Entry:
    """The entry of that code. Raises NotFound."""
    text = _("There is no player %(code)s in this event.")
    return get_or_refuse(tournament.entries.filter(code=code), text, code=code)


def unmerged_entry_of(tournament: Tournament, code: str) -> Entry:
    """The entry of that code, to write about it. Raises NotFound, WrongState for one that was merged into another."""
    entry = entry_of(tournament, code)
    if entry.status == Entry.Status.MERGED and entry.same_person_as:
        raise WrongState(
            _("%(code)s was merged into %(other)s. Use that entry."),
            code=code,
            other=entry.same_person_as.code,
        )
    return entry


def check_name(name: str) -> str:
    """The name as it is saved. Raises Refused for none, and for one that is too long."""
    name = clean_name(name)
    if not name or len(name) > LONGEST_NAME:
        raise Refused(_("Enter a name of 1 to %(most)s characters."), most=LONGEST_NAME)
    return name


def check_membership_numbers(tournament: Tournament, numbers: set[str], but: str = "") -> None:
    """Raises WrongState where one of these membership numbers is of a player other than `but`."""
    other = tournament.entries.filter(external_id__in=numbers - {""}).exclude(code=but).first()
    if other:
        raise WrongState(
            _("Membership number %(number)s already belongs to %(name)s (%(code)s)."),
            number=other.external_id,
            name=other.name,
            code=other.code,
        )


@service("register")
def add_entries(
    log: Log, names: list[str], ratings: list[int | None] | None = None, *, stage: int | None = None
) -> None:
    """Register names (cleaned, in this order), in the stage of that number or else the usual one.

    `ratings`: one for each name, None for a player without one.

    Once rounds are published they are late entries: they play from the next round on, and each Swiss round
    they missed is a loss, or what the ruleset's `late_entry.missed` says.
    """
    facts: list[Fact] = [{"rating": rating} if rating else {} for rating in ratings or [None] * len(names)]
    add_to_stage(log, [(own, {"name": name}) for own, name in zip(facts, names, strict=True)], stage)


@service("register")
def add_entry(log: Log, known: Fact, personal: Fact, stage: int | None = None) -> None:
    """Register one player with facts (`known`: rating, labels, …) and personal fields (name, contact, …).

    Raises WrongState where the membership number is another player's, Refused as `team_of`.
    """
    check_membership_numbers(log.tournament, {personal.get("external_id", "")})
    team = team_of(personal.get("members", ()), personal.get("captain", 1))
    add_to_stage(log, [(known, {**personal, **team})], stage)


@service("admit")
def admit_entry(log: Log, code: str, stage: int | None = None) -> None:
    """Admit a player from the waitlist, also above the player limit. Raises WrongState for one not on it."""
    entry = unmerged_entry_of(log.tournament, code)
    if entry.status != Entry.Status.WAITLISTED:
        raise WrongState(_("%(name)s is not on the waitlist."), name=entry.name)
    admit_to_stage(log, entry, stage)


@service("rename", after_end=True)
def rename_entry(log: Log, code: str, name: str) -> None:
    """Give a player another name. The log says that it changed, not what it is. Raises Refused."""
    name = check_name(name)
    entry = unmerged_entry_of(log.tournament, code)
    if entry.name != name:
        log.set_personal(entry, name=name)


@service("person", after_end=True)
def change_personal_fields(log: Log, code: str, **fields: Any) -> None:
    """Change what is personal besides the name. The log says which fields, not what they hold.

    Raises WrongState where the membership number is another player's.
    """
    entry = unmerged_entry_of(log.tournament, code)
    changed = {name: value for name, value in fields.items() if getattr(entry, name) != value}
    check_membership_numbers(log.tournament, {changed.get("external_id", "")}, but=code)
    if changed:
        log.set_personal(entry, **changed)


@service("person", after_end=True)
def change_team(log: Log, code: str, members: list[str], captain: int) -> None:
    """Change the members of a team, their order and the captain. The log says that they changed, not who they are.

    Raises WrongState in an event without teams, Refused as `team_of`.
    """
    if not log.tournament.team:
        raise WrongState(_("Only team events have team members."))
    entry = unmerged_entry_of(log.tournament, code)
    team = team_of(members, captain)
    if changed := {name: value for name, value in team.items() if getattr(entry, name) != value}:
        log.set_personal(entry, **changed)


@service("entry")
def change_entry(log: Log, code: str, **fields: Any) -> None:
    """Change rating and its source, seed, awarded byes, labels, fixed table, or whether the player paid.

    Raises WrongState for a table that is fixed for another player, or byes of one who is already seated.
    """
    entry = unmerged_entry_of(log.tournament, code)
    if (table := fields.get("fixed_table")) is not None:
        _check_fixed_table(entry, table)
    if "awarded_byes" in fields and (seat := Seat.objects.filter(entry=entry).first()):
        if seat.round.state == Round.State.DRAFT:
            raise WrongState(_("The round already has draft pairings. Discard them first."))
        raise WrongState(_("%(name)s is already seated in a round."), name=entry.name)
    log.set(entry, **fields)


def _check_fixed_table(entry: Entry, table: int) -> None:
    playing = Entry.objects.filter(tournament=entry.tournament, status=Entry.Status.PLAYING)
    if other := playing.filter(fixed_table=table).exclude(pk=entry.pk).first():
        raise WrongState(
            _("Table %(table)s is the fixed table of %(name)s. Choose another."),
            table=table_name(entry.tournament, table),
            name=other.name,
        )


@service("unregister")
def remove_entry(log: Log, code: str) -> None:
    """Remove a player who was never seated. Raises WrongState for one who was, or whom a penalty or entry names."""
    entry = unmerged_entry_of(log.tournament, code)
    seat = Seat.objects.filter(entry=entry).select_related("round").first()
    if seat:
        raise WrongState(
            _("%(name)s is seated in round %(round)s. Drop the player instead."),
            name=entry.name,
            round=seat.round.number,
        )
    if entry.penalties.exists() or Entry.objects.filter(same_person_as=entry).exists():
        raise WrongState(
            _("%(name)s has a penalty, or another entry is linked to this one. Withdraw the player instead."),
            name=entry.name,
        )
    for sent in (*entry.flags.all(), *entry.decklists.all()):
        log.remove(sent)
    leave_stages(log, entry)
    log.set(log.tournament, forbidden=[pair for pair in log.tournament.forbidden if code not in pair])
    log.remove(entry)
    fill_spots(log)
