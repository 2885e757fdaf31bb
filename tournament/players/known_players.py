"""Players of an organizer's earlier events, shown as regulars and found by 2 letters."""

from typing import NamedTuple

from django.db.models import QuerySet

from tournament.models import Entry, Tournament
from tournament.text.clean import fold_name, name_key
from tournament.text.display_names import find_names

FEWEST_LETTERS = 2
MOST_OFFERED = 8
MOST_READ = 5000  # of the newest entries: players who have not come since then are not offered
CARRIED = ("rating", "rating_source", "labels")
CARRIED_PERSONAL = ("name", "last_name", "alias", "display_name_only", "contact", "external_id")


class KnownPlayer(NamedTuple):
    entry: Entry
    already: bool


def find_known_players(known: QuerySet[Entry], tournament: Tournament, words: str) -> list[KnownPlayer]:
    """Return the matches of these letters among the entries `known` to the organizer.

    Entries with the same membership number are one player; without a number, the name decides. Players of demo events
    are offered only in another one.
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
    return [KnownPlayer(entry, (entry.external_id or name_key(entry.name)) in inside) for entry in entries]


def carried_fields(entry: Entry, *, team: bool = False) -> tuple[dict, dict]:
    """Return (facts, personal fields) to copy into a new event, for a `team` with its members."""
    known = {name: value for name in CARRIED if (value := getattr(entry, name)) not in ("", None, [])}
    names = (*CARRIED_PERSONAL, *(("members", "captain") if team else ()))
    personal = {name: value for name in names if (value := getattr(entry, name))}
    return known, personal
