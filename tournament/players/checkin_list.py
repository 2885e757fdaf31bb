"""Expected and checked-in players, for the check-in page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tournament.models import Entry, Tournament
from tournament.progress.flights import stage_name
from tournament.text.display_names import distinct_names, find_names, sort_by_name

FILTERS = ("", "missing", "unpaid", "out")


@dataclass(frozen=True, slots=True)
class ExpectedPlayer:
    """One line of the check-in list. `out`: left before the first round, or did not come."""

    code: str
    name: str
    here: bool
    paid: bool
    out: bool
    session: str = ""  # where several are played side by side

    def shows(self, show: str) -> bool:
        """Whether this line belongs to the list of that kind (`SHOWN`)."""
        if show == "out" or self.out:
            return show == "out" and self.out
        return not (show == "missing" and self.here) and not (show == "unpaid" and self.paid)


@dataclass(frozen=True, slots=True)
class CheckInList:
    """Everybody who is expected, and their counts."""

    people: dict[str, ExpectedPlayer]

    @property
    def expected(self) -> int:
        return sum(not person.out for person in self.people.values())

    @property
    def here(self) -> int:
        return sum(person.here and not person.out for person in self.people.values())

    @property
    def missing(self) -> int:
        return self.expected - self.here

    @property
    def unpaid(self) -> int:
        return sum(not person.paid and not person.out for person in self.people.values())

    @property
    def out(self) -> int:
        return len(self.people) - self.expected

    def listed(self, words: str, show: str) -> list[ExpectedPlayer]:
        """Who is found by these letters (all without any), of the kind asked for, by name."""
        names = {code: person.name for code, person in self.people.items() if person.shows(show)}
        return [
            self.people[code] for code in (find_names(names, words) if words.strip() else sort_by_name(names))
        ]


def check_in_list_of(
    tournament: Tournament, session: int | None = None, inside: Mapping[str, list[int]] | None = None
) -> CheckInList:
    """Players and early drops in one query; waitlisted players are not expected.

    `session`: only those in that one; `inside`: everybody's sessions (`progress.sessions_by_entry`).
    """
    rows = tournament.entries.filter(house=False).order_by("code")
    if session is not None:
        rows = rows.filter(stage_entries__stage__number=session)
    fields = list(rows.values_list("code", "name", "status", "dropped_after", "checked_in", "paid"))
    names = distinct_names({code: name for code, name, *_rest in fields})
    people = {}
    for code, _name, status, dropped_after, checked_in, paid in fields:
        out = status == Entry.Status.DROPPED and dropped_after == 0
        if status == Entry.Status.PLAYING or out:
            own = ", ".join(map(stage_name, (inside or {}).get(code, [])))
            people[code] = ExpectedPlayer(code, names[code], checked_in, paid, out, own)
    return CheckInList(people)
