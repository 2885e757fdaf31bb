"""Expected and checked-in players, for the check-in page."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tournament.models import Entry, Tournament
from tournament.progress.facts import ProgressFacts
from tournament.progress.flights import Flight, stage_name
from tournament.text.display_names import distinct_names, find_names, listed_name, sort_by_name


class ExpectedPlayer(NamedTuple):
    """One line of the check-in list.

    withdrawn  before round 1
    session    its name, where there are several
    sits_out   requested a bye for the first round, so no one misses the player
    """

    code: str
    name: str
    here: bool
    paid: bool
    withdrawn: bool
    session: str = ""
    members: tuple[str, ...] = ()
    sits_out: bool = False

    @property
    def listed(self) -> str:
        """The name as lists by name have it."""
        return listed_name(self.name)

    @property
    def kinds(self) -> list[str]:
        """The lists this player is in: "expected", "here", "missing" or "away", "unpaid"; or "out"."""
        if self.withdrawn:
            return ["out"]
        present = "here" if self.here else "away" if self.sits_out else "missing"
        return ["expected", present, *([] if self.paid else ["unpaid"])]


@dataclass(frozen=True, slots=True)
class CheckInList:
    """The players of the check-in page by code."""

    people: dict[str, ExpectedPlayer]

    @property
    def counts(self) -> Counter[str]:
        """The number of players in each list."""
        return Counter(kind for person in self.people.values() for kind in person.kinds)

    def find(self, words: str, kind: str) -> list[ExpectedPlayer]:
        """The players of one list ("": expected) by name: all, or those called so, or with a member called so."""
        names = {c: person.name for c, person in self.people.items() if (kind or "expected") in person.kinds}
        members = {code: self.people[code].members for code in names}
        codes = find_names(names, words, members) if words.strip() else sort_by_name(names)
        return [self.people[code] for code in codes]


def absent_players_of(tournament: Tournament, of: ProgressFacts | Flight) -> list[ExpectedPlayer]:
    """The players by name whom pairing `of` the event or a flight would seat though they have not checked in."""
    if not of.absent or of.stage is None:
        return []
    return check_in_list_of(tournament, of.stage.number).find("", "missing")


def check_in_list_of(
    tournament: Tournament, stage: int | None = None, numbers: Mapping[str, list[int]] | None = None
) -> CheckInList:
    """Players, and those withdrawn before round 1, in one query; the waitlist is not expected.

    `stage`: only the entries of the stage of that number; `numbers`: as `progress.facts.flights_by_entry` has them.
    """
    rows = tournament.entries.filter(house=False).exclude(status=Entry.Status.MERGED).order_by("code")
    if stage is not None:
        rows = rows.filter(stage_entries__stage__number=stage)
    columns = "code name status dropped_after checked_in paid members requested_byes last_name".split()
    fields = list(rows.values_list(*columns))
    names = distinct_names((code, name, status, rest[-1]) for code, name, status, *rest in fields)
    people = {}
    for code, _name, status, dropped_after, checked_in, paid, members, byes, _last in fields:
        withdrawn = status == Entry.Status.DROPPED and dropped_after == 0
        if status == Entry.Status.PLAYING or withdrawn:
            sessions = ", ".join(map(stage_name, (numbers or {}).get(code, [])))
            sits_out = any(bye["round"] == 1 for bye in byes)
            line = (code, names[code], checked_in, paid, withdrawn, sessions, tuple(members), sits_out)
            people[code] = ExpectedPlayer(*line)
    return CheckInList(people)
