from collections.abc import Collection
from typing import NamedTuple

from tournament.models import Decklist, Entry, Tournament
from tournament.text.decklists import size_problems
from tournament.text.display_names import names_of, sort_by_name

EXPECTED = (Entry.Status.REGISTERED, Entry.Status.PLAYING)


class DecklistRow(NamedTuple):
    """A player who is expected to submit a list, or has one. `decklist`: the one that counts, without its text."""

    code: str
    name: str
    decklist: Decklist | None
    problems: list[str]

    @property
    def kinds(self) -> set[str]:
        if self.decklist is None:
            return {"missing"}
        late, changed = self.decklist.late, self.decklist.version > 1
        return {"in"} | ({"late"} if late else set()) | ({"changed"} if changed else set())


def decklist_rows_of(tournament: Tournament) -> list[DecklistRow]:
    newest = newest_decklists_of(tournament)
    entries = tournament.entries.filter(house=False).exclude(status=Entry.Status.MERGED)
    statuses = dict(entries.values_list("code", "status"))
    names = names_of(tournament)
    codes = [code for code, status in statuses.items() if status in EXPECTED or code in newest]
    rows = []
    for code in sort_by_name({code: names[code] for code in codes}):
        decklist = newest.get(code)
        problems = size_problems(tournament, decklist.main, decklist.sideboard) if decklist else []
        rows.append(DecklistRow(code, names[code], decklist, problems))
    return rows


def newest_decklists_of(tournament: Tournament, codes: Collection[str] | None = None) -> dict[str, Decklist]:
    """Return {code: the list that counts, without its text}, of all players or those with these codes."""
    rows = tournament.decklists.defer("text").select_related("entry").order_by("number")
    if codes is not None:
        rows = rows.filter(entry__code__in=codes)
    return {row.entry.code: row for row in rows}
