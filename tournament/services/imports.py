"""Players from elsewhere: known from earlier events, or imported from a list, all or nothing, after a preview."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from tournament.actionlog.change import Log, hash_body
from tournament.actionlog.service import service
from tournament.errors import Refused, WrongState
from tournament.event.display_names import find_names
from tournament.event.teams import find_member
from tournament.models import Entry, Tournament
from tournament.services.stage_entries import add_to_stage
from tournament.text import fold_name, name_key

FACTS = ("rating", "rating_source", "labels", "paid")
PERSONAL = tuple("name last_name alias display_name_only external_id contact notes members captain".split())
FIELDS = frozenset((*FACTS, *PERSONAL))
FEWEST_LETTERS = 2
MOST_OFFERED = 8
MOST_READ = 5000  # of the newest entries: players who have not come since then are not offered
CARRIED = ("rating", "rating_source", "labels")
CARRIED_PERSONAL = ("name", "last_name", "alias", "display_name_only", "contact", "external_id")


class ChangedEntry(NamedTuple):
    """An entry that the file would change. `fields`: {field: (before, after)}."""

    code: str
    name: str
    fields: dict[str, tuple[Any, Any]]


@dataclass(slots=True)
class ImportPlan:
    """The effect of an import. `added`: the fields of new entries. Fields left empty in the file stay as they are."""

    added: list[dict[str, Any]] = field(default_factory=list)
    changed: list[ChangedEntry] = field(default_factory=list)
    unchanged: list[tuple[str, str]] = field(default_factory=list)  # code, name

    @property
    def digest(self) -> str:
        return hash_body([self.added, [[row.code, row.fields] for row in self.changed]])


def plan_import(tournament: Tournament, people: Sequence[dict[str, Any]]) -> ImportPlan:
    """Compare the lines of a file (each an entry's filled-in fields) with the registered players.

    A line matches the first entry with its membership number, or the entry that one was merged into. Otherwise it
    matches an entry of its name that has no number (any entry of that name if the line has none), each only once, by
    code. Otherwise it is a new player.
    """
    plan = ImportPlan()
    entries = list(tournament.entries.filter(house=False).select_related("same_person_as").order_by("code"))
    by_number = {entry.external_id: entry for entry in reversed(entries) if entry.external_id}
    numbers = {number for person in people if (number := person.get("external_id")) in by_number}
    by_name: dict[str, list[Entry]] = defaultdict(list)
    for row in entries:
        if row.external_id not in numbers and row.status != Entry.Status.MERGED:
            by_name[name_key(row.name)].append(row)
    for person in people:
        entry = by_number.get(person.get("external_id", "")) or _take_namesake(by_name, person)
        if entry is None:
            plan.added.append(person)
            continue
        if entry.status == Entry.Status.MERGED and entry.same_person_as:
            entry = entry.same_person_as
            person = {**person, "external_id": entry.external_id}
        if "members" in person and "captain" not in person and entry.members:
            captain = find_member(entry.members[entry.captain - 1], person["members"])
            person = {**person, "captain": captain or 1}  # the same person as before, if still in the team
        now = {name: getattr(entry, name) for name in person}
        differs = {name: (now[name], value) for name, value in person.items() if now[name] != value}
        if differs:
            plan.changed.append(ChangedEntry(entry.code, entry.name, differs))
        else:
            plan.unchanged.append((entry.code, entry.name))
    return plan


def _take_namesake(by_name: dict[str, list[Entry]], person: dict[str, Any]) -> Entry | None:
    """Remove and return the next entry of that name that the line can match."""
    namesakes = by_name.get(name_key(person["name"]), [])
    for entry in namesakes:
        if not (entry.external_id and "external_id" in person):
            namesakes.remove(entry)
            return entry
    return None


@service("import")
def import_entries(log: Log, people: list[dict[str, Any]], seen: str, stage: int | None = None) -> None:
    """Add and change what `plan_import` says. Raises WrongState if the plan's digest is not the one `seen`."""
    for person in people:
        if not person.get("name") or set(person) - FIELDS:
            raise Refused(_("This list did not arrive intact. Choose the file again."))
    plan = plan_import(log.tournament, people)
    if plan.digest != seen:
        raise WrongState(_("The players changed while you were looking. Review the new preview."))
    entries = {entry.code: entry for entry in log.tournament.entries.all()} if plan.changed else {}
    for row in plan.changed:
        entry = entries[row.code]
        facts, personal = _split_fields({name: after for name, (_before, after) in row.fields.items()})
        log.set(entry, **facts)
        log.set_personal(entry, **personal)
    if plan.added:
        add_to_stage(log, [_split_fields(person) for person in plan.added], stage)


def _split_fields(person: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    facts, personal = (
        {name: person[name] for name in known if name in person} for known in (FACTS, PERSONAL)
    )
    return facts, personal


def find_known_players(
    known: QuerySet[Entry], tournament: Tournament, words: str
) -> list[tuple[Entry, bool]]:
    """Return (entry, whether the player is in this event) for entries `known` to the organizer that match the letters.

    One per membership number or name.
    """
    if len(fold_name(words)) < FEWEST_LETTERS:
        return []
    known = known.filter(house=False, tournament__demo=tournament.demo).exclude(status=Entry.Status.MERGED)
    earlier = known.exclude(tournament=tournament).order_by("-tournament_id", "code")
    people: dict[str, str] = {}
    seen: set[str] = set()
    members: dict[str, list[str]] = {}
    for pk, name, number, team in earlier.values_list("pk", "name", "external_id", "members")[:MOST_READ]:
        same = number or name_key(name)
        if same not in seen:
            people[str(pk)] = name
            members[str(pk)] = team if tournament.team else []
        seen |= {same, name_key(name)}
    offered = find_names(people, words, members)[:MOST_OFFERED]
    here = tournament.entries.values_list("name", "external_id")
    inside = {text for name, number in here for text in (number or name_key(name), name_key(name))}
    rows = Entry.objects.select_related("tournament").in_bulk([int(pk) for pk in offered])
    entries = [rows[int(pk)] for pk in offered if int(pk) in rows]
    return [(entry, (entry.external_id or name_key(entry.name)) in inside) for entry in entries]


def carried_fields(entry: Entry, *, team: bool = False) -> tuple[dict, dict]:
    """Return (facts, personal fields) to copy into a new event; of a `team` also its members."""
    known = {name: value for name in CARRIED if (value := getattr(entry, name)) not in ("", None, [])}
    names = (*CARRIED_PERSONAL, *(("members", "captain") if team else ()))
    personal = {name: value for name in names if (value := getattr(entry, name))}
    return known, personal
