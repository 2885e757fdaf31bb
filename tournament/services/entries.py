from collections.abc import Sequence
from typing import Any

from django.db.models import Count, Max, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.actionlog.actors import PLAYER_ACTOR
from tournament.actionlog.match_facts import Fact
from tournament.actionlog.service import Log, service
from tournament.errors import NotFound, Refused, WrongState, get_or_refuse
from tournament.event.display_names import is_confirmed
from tournament.event.table_plan import table_name
from tournament.event.teams import build_team
from tournament.models import Action, Entry, Round, Seat, Stage, StageEntry, Tournament
from tournament.services.stage_entries import add_to_stage, admit_to_stage, stage_to_join
from tournament.text import LONGEST_NAME, clean_name

MOST_PLAYERS = 5000
LONGEST_ORDER_REASON = 500  # characters
HOLDS_A_SPOT = Q(house=False, status=Entry.Status.PLAYING)
ON_WAITLIST = Q(status=Entry.Status.WAITLISTED)
# Statuses that count as players: not waitlisted, and not withdrawn before round 1.
IS_PLAYER = Q(house=False) & ~Q(status__in=["registered", "waitlisted", "merged"]) & ~Q(dropped_after=0)
LAST_NAMES = "last names"


def has_begun(tournament: Tournament) -> bool:
    return tournament.rounds.exclude(state=Round.State.DRAFT).exists()


def taken_spots(tournament: Tournament) -> int:
    return tournament.entries.filter(HOLDS_A_SPOT).count()


def free_spots(tournament: Tournament) -> int | None:
    """Return the number of free spots, negative if staff admitted more; None without a limit."""
    return None if tournament.capacity is None else tournament.capacity - taken_spots(tournament)


def fill_spots(log: Log) -> None:
    """Admit players from the waitlist to free spots before round 1. Every service that can free a spot calls this."""
    tournament = log.tournament
    waitlist = list(tournament.entries.filter(ON_WAITLIST).order_by("waits"))
    if not waitlist or has_begun(tournament):
        return
    free = free_spots(tournament)
    for entry in waitlist if free is None else waitlist[: max(free, 0)]:
        admit_to_stage(log, entry)


def next_waitlist_number(log: Log) -> int:
    """Return the next waitlist number. Numbers are never reused, so undoing an older action finds its number free."""
    last = log.tournament.entries.aggregate(last=Max("waits"))["last"] or 0
    return max(log.number, last + 1)


def waitlist_position(entry: Entry) -> int | None:
    """Return 1 for the next player to be admitted, 2 for the one after, …; None if not on the waitlist."""
    if entry.status != Entry.Status.WAITLISTED or entry.waits is None:
        return None
    return entry.tournament.entries.filter(ON_WAITLIST, waits__lte=entry.waits).count()


def check_capacity(tournament: Tournament, capacity: int | None) -> None:
    if capacity is None or capacity == tournament.capacity:
        return
    if capacity < (players := taken_spots(tournament)):
        text = ngettext(
            "%(count)s player already has a spot. Drop some players first, or set a limit of at least that many.",
            "%(count)s players already have a spot. Drop some players first, or set a limit of at least that many.",
            players,
        )
        raise WrongState(text, count=players)


def find_entry(tournament: Tournament, code: str) -> Entry:
    text = _("There is no player %(code)s in this event.")
    return get_or_refuse(tournament.entries.filter(code=code), text, code=code)


def find_unmerged_entry(tournament: Tournament, code: str) -> Entry:
    """Return the entry, to be written. Raises WrongState if it was merged into another."""
    entry = find_entry(tournament, code)
    if entry.status == Entry.Status.MERGED and entry.same_person_as:
        text = _("%(code)s was merged into %(other)s. Use that entry.")
        raise WrongState(text, code=code, other=entry.same_person_as.code)
    return entry


def find_own_entry(log: Log, code: str) -> Entry:
    """Return the entry of a player who acts by phone, and log the action as the player's."""
    log.actor = f"{PLAYER_ACTOR}{code}"
    return find_unmerged_entry(log.tournament, code)


def last_status_change(entry: Entry) -> Action | None:
    fact = f"entries/{entry.code}"
    for action in entry.tournament.actions.touching(fact).order_by("-number").iterator(10):
        if any(item["fact"] == fact and "status" in (item.get("after") or {}) for item in action.changes):
            return action
    return None


def check_name(name: str) -> str:
    name = clean_name(name)
    if not name or len(name) > LONGEST_NAME:
        raise Refused(_("Enter a name of 1 to %(most)s characters."), most=LONGEST_NAME)
    return name


def check_membership_numbers(tournament: Tournament, numbers: set[str], but: str = "") -> None:
    """Raise WrongState if one of these membership numbers belongs to a player other than `but`."""
    other = tournament.entries.filter(external_id__in=numbers - {""}).exclude(code=but).first()
    if other:
        text = _("Membership number %(number)s already belongs to %(name)s (%(code)s).")
        raise WrongState(text, number=other.external_id, name=other.name, code=other.code)


def shared_numbers(tournament: Tournament, entry: Entry | None = None) -> list[str]:
    """Return sentences about membership numbers that several players share, or only about `entry`'s."""
    rows = tournament.entries.exclude(external_id="").exclude(status=Entry.Status.MERGED)
    if entry is None:
        numbers = rows.values("external_id").annotate(players=Count("pk")).filter(players__gt=1)
        rows = rows.filter(external_id__in=numbers.order_by().values("external_id"))
    else:
        rows = rows.filter(external_id=entry.external_id)
    people: dict[str, list[str]] = {}
    for number, code, name in rows.order_by("external_id", "code").values_list("external_id", "code", "name"):
        people.setdefault(number, []).append(f"{name} ({code})")
    text = _(
        "Several players have the membership number %(number)s: %(names)s. "
        "Merge them if they are one person, or correct the number."
    )
    shared = {number: names for number, names in people.items() if len(names) > 1}
    return [text % {"number": number, "names": ", ".join(names)} for number, names in shared.items()]


@service("register")
def add_entries(
    log: Log, names: list[str], details: list[dict[str, Any]] | None = None, *, stage: int | None = None
) -> None:
    """Register cleaned names, in this order, in the stage with that number or the usual one.

    `details`: per name, `rating`, `labels`, `last_name` and `contact` if known. Once rounds are published, these are
    late entries: each missed Swiss round is a loss, or as the ruleset's `late_entry.missed` says.
    """
    people = []
    for name, known in zip(names, details or [{}] * len(names), strict=True):
        facts: Fact = {key: known[key] for key in ("rating", "labels") if key in known}
        people.append((facts, {"name": name, **{key: known[key] for key in known if key not in facts}}))
    add_to_stage(log, people, stage)


@service("register")
def add_entry(log: Log, known: Fact, personal: Fact, stage: int | None = None) -> None:
    """Register one player with facts (`known`: rating, labels, …) and personal fields (name, contact, …)."""
    check_membership_numbers(log.tournament, {personal.get("external_id", "")})
    team = build_team(personal.get("members", ()), personal.get("captain", 1))
    add_to_stage(log, [(known, {**personal, **team})], stage)


@service("admit")
def admit_entry(log: Log, code: str, stage: int | None = None) -> None:
    """Admit a player from the waitlist, even above the player limit."""
    entry = find_unmerged_entry(log.tournament, code)
    if entry.status != Entry.Status.WAITLISTED:
        raise WrongState(_("%(name)s is not on the waitlist."), name=entry.name)
    admit_to_stage(log, entry, stage)


@service("rename", after_end=True)
def rename_entry(log: Log, code: str, name: str) -> None:
    name = check_name(name)
    log.set_personal(find_unmerged_entry(log.tournament, code), name=name)


@service("person", after_end=True)
def change_personal_fields(log: Log, code: str, **fields: Any) -> None:
    """Change personal fields other than the name. The log records which fields, not their values."""
    entry = find_unmerged_entry(log.tournament, code)
    if (number := fields.get("external_id", "")) != entry.external_id:
        check_membership_numbers(log.tournament, {number}, but=code)
    log.set_personal(entry, **fields)


@service(LAST_NAMES, after_end=True)
def confirm_last_names(log: Log, last_names: dict[str, str]) -> None:
    """Save {code: last name}, except for players whose saved last name still fits their name."""
    entries = [entry for entry in log.tournament.entries.order_by("code") if entry.code in last_names]
    entries = [entry for entry in entries if not is_confirmed(entry.name, entry.last_name)]
    for entry in entries:
        entry.last_name = clean_name(last_names[entry.code])
        if not is_confirmed(entry.name, entry.last_name):
            raise Refused(_("“%(last)s” is not a part of %(name)s."), last=entry.last_name, name=entry.name)
    log.set_personal_fields(entries, ("last_name",))


@service("person", after_end=True)
def change_team(log: Log, code: str, members: list[str], captain: int) -> None:
    """Change a team's members, their order and the captain. The log records that they changed, not their names."""
    if not log.tournament.team:
        raise WrongState(_("Only team events have team members."))
    log.set_personal(find_unmerged_entry(log.tournament, code), **build_team(members, captain))


@service("entry")
def change_entry(log: Log, code: str, **fields: Any) -> None:
    """Change rating and its source, seed, awarded byes, labels, fixed table, or whether the player paid."""
    entry = find_unmerged_entry(log.tournament, code)
    if (table := fields.get("fixed_table")) is not None:
        playing = log.tournament.entries.filter(status=Entry.Status.PLAYING, fixed_table=table)
        if other := playing.exclude(pk=entry.pk).first():
            text = _("Table %(table)s is the fixed table of %(name)s. Choose another.")
            raise WrongState(text, table=table_name(log.tournament, table), name=other.name)
    if "awarded_byes" in fields and (seat := Seat.objects.filter(entry=entry).first()):
        if seat.round.state == Round.State.DRAFT:
            raise WrongState(_("The round already has draft pairings. Discard them first."))
        raise WrongState(_("%(name)s is already seated in a round."), name=entry.name)
    log.set(entry, **fields)


@service("entry")
def mark_paid(log: Log, codes: list[str]) -> None:
    log.set_all(list(select_entries(log.tournament, codes).filter(paid=False)), paid=True)


def select_entries(tournament: Tournament, codes: list[str]) -> QuerySet[Entry]:
    return tournament.entries.filter(code__in=codes).exclude(status=Entry.Status.MERGED).order_by("code")


@service("unregister")
def remove_entry(log: Log, code: str) -> None:
    """Remove a player who was never seated and whom no penalty, deck check or other entry names."""
    entry = find_unmerged_entry(log.tournament, code)
    if why := removal_obstacles(log.tournament, [entry]).get(code):
        text = _("%(name)s cannot be removed: %(why)s. Drop the player instead.")
        raise WrongState(text, name=entry.name, why=why)
    _remove(log, [entry])


@service("unregister")
def remove_entries(log: Log, codes: list[str]) -> None:
    entries = list(select_entries(log.tournament, codes))
    obstacles = removal_obstacles(log.tournament, entries)
    _remove(log, [entry for entry in entries if entry.code not in obstacles])


def _remove(log: Log, entries: list[Entry]) -> None:
    tournament, codes = log.tournament, {entry.code for entry in entries}
    inside = StageEntry.objects.filter(entry__in=entries).select_related("stage", "entry").order_by("pk")
    for rows in (tournament.flags, tournament.decklists):
        log.remove_all(list(rows.filter(entry__in=entries)), keep=True)
    log.remove_all(list(inside))
    log.set(tournament, forbidden=[pair for pair in tournament.forbidden if codes.isdisjoint(pair)])
    log.remove_all(entries, keep=True)
    fill_spots(log)


@service("forbid")
def prohibit_pair(log: Log, a: str, b: str, *, lift: bool = False) -> None:
    """Add two players to the do-not-pair list, which the pairing engine and publishing obey, or take them off."""
    tournament = log.tournament
    if tournament.entries.filter(code__in=[a, b]).exclude(status=Entry.Status.MERGED).count() != 2:
        raise NotFound(_("Choose 2 players from this event."))
    pair = sorted((a, b))
    others = [both for both in tournament.forbidden if sorted(both) != pair]
    log.set(tournament, forbidden=others if lift else [*others, pair])


# --- orders set by an organizer: of players that no tiebreaker separates, and of seeds before round 1 ---


def _check_order_reason(log: Log) -> None:
    if not 1 <= len(log.reason) <= LONGEST_ORDER_REASON:
        text = _("Enter a reason for the manual order, of up to %(most)s characters.")
        raise Refused(text, most=LONGEST_ORDER_REASON)


@service("order by hand", computed=("revision",), owner=True)
def save_manual_order(log: Log, codes: list[str], revision: int) -> None:
    """Rank these players, who were tied at `revision`, in this order, from the latest Swiss round on."""
    _check_order_reason(log)
    if log.tournament.revision != revision:
        text = _("Something changed since you opened this page. Check the standings and set the order again.")
        raise WrongState(text)
    entries = {entry.code: entry for entry in log.tournament.entries.filter(code__in=codes)}
    posted = log.tournament.rounds.filter(swiss=True).exclude(state=Round.State.DRAFT)
    latest = posted.aggregate(latest=Max("number"))["latest"] or 0
    for position, code in enumerate(codes, start=1):
        log.set(entries[code], manual=position, manual_after=latest)


@service("order by hand taken back", owner=True)
def clear_manual_order(log: Log, codes: list[str]) -> None:
    entries = list(log.tournament.entries.filter(code__in=codes, manual__isnull=False).order_by("code"))
    if not entries:
        raise WrongState(_("These players have no manual order."))
    for entry in entries:
        log.set(entry, manual=None, manual_after=None)


def _seeded_entries(stage: Stage) -> dict[str, Entry]:
    return {entry.code: entry for entry in Entry.objects.filter(HOLDS_A_SPOT, stage_entries__stage=stage)}


@service("starting list")
def save_seeding(log: Log, codes: list[str], stage: int | None = None) -> None:
    """Give these players the seeds 1, 2, … in this order. Raises WrongState if someone joined or left since."""
    row = _unpaired_stage(log, stage)
    _check_order_reason(log)
    entries = _seeded_entries(row)
    if sorted(codes) != sorted(entries):
        raise WrongState(_("Someone joined or left while you were working. Check the list again."))
    for rank, code in enumerate(codes, start=1):
        log.set(entries[code], seed_rank=rank)


@service("starting list by rating")
def clear_seeding(log: Log, stage: int | None = None) -> None:
    for entry in _seeded_entries(_unpaired_stage(log, stage)).values():
        log.set(entry, seed_rank=None)


def _unpaired_stage(log: Log, number: int | None) -> Stage:
    stage = stage_to_join(log.tournament, number)
    if stage.carries or stage.rounds.exists():
        text = _(
            "Round 1 is already paired. Discard the draft pairings first. A published round keeps its order."
        )
        raise WrongState(text)
    return stage


def removal_obstacles(tournament: Tournament, entries: Sequence[Entry]) -> dict[str, str]:
    """Return {code: reason} for the entries that cannot be removed."""
    linked = set(tournament.entries.exclude(same_person_as=None).values_list("same_person_as", flat=True))
    fined = set(tournament.penalties.values_list("entry", flat=True))
    checked = set(tournament.deck_checks.values_list("entry", flat=True))
    seats = Seat.objects.filter(entry__tournament=tournament).order_by("-round__number")
    rounds = dict(seats.values_list("entry", "round__number"))
    obstacles = {}
    for entry in entries:
        if entry.pk in rounds:
            obstacles[entry.code] = _("seated in round %(round)s") % {"round": rounds[entry.pk]}
        elif entry.pk in fined:
            obstacles[entry.code] = _("has a penalty")
        elif entry.pk in checked:
            obstacles[entry.code] = _("has a deck check")
        elif entry.pk in linked or entry.status == Entry.Status.MERGED:
            obstacles[entry.code] = _("linked to another entry")
    return obstacles
