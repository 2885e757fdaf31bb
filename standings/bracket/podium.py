"""Final places as they are read: "3rd–4th" where a place is shared, the podium, ranges while it is played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.contrib.humanize.templatetags.humanize import ordinal
from django.utils.translation import gettext as _

from standings.engine.bracket.final_places import Place
from standings.words.tree import Tree


@dataclass(slots=True)
class Placed:
    """One line. `best` to `worst`: the places it can still have or shares; equal once it is settled."""

    best: int
    worst: int
    code: str
    name: str
    still_in: bool = False

    @property
    def label(self) -> str:
        """3rd or 3rd–4th; "still in" for a player who has not lost."""
        if self.still_in:
            return _("still in")
        if self.best == self.worst:
            return str(ordinal(self.best))
        return f"{ordinal(self.best)}–{ordinal(self.worst)}"


def placed(rows: Iterable[Place], tree: Tree, names: Mapping[str, str]) -> list[Placed]:
    """The final ranking of everybody; while the bracket is played, the range each beaten player can have."""
    rows = list(rows)
    sharing = Counter(row.place for row in rows)
    reach = {} if tree.over else _reach(tree)
    lines = []
    for row in rows:
        best, worst = reach.get(row.entry, (row.place, row.place + sharing[row.place] - 1))
        still_in = best == 1 and worst > 1 and row.entry in reach
        lines.append(Placed(best, worst, row.entry, names[row.entry], still_in))
    return lines


def podium(lines: Iterable[Placed]) -> list[Placed]:
    """The first three places, all who share them."""
    return [line for line in lines if line.best <= 3]


def _reach(tree: Tree) -> dict[str, tuple[int, int]]:
    """{entrant: (best, worst)}: who is beaten in round r of k has places 2^(k-r) + 1 to 2^(k-r+1)."""
    reach: dict[str, tuple[int, int]] = {}
    for round_ in tree.rounds:
        span = 1 << (len(tree.rounds) - round_.number)
        for end in (end for tie in round_.ties for end in tie.ends if end.code):
            assert end.code is not None
            reach[end.code] = (span + 1, min(2 * span, tree.entrants)) if end.out else (1, tree.entrants)
    if tree.champion_code:
        reach[tree.champion_code] = (1, 1)
    return reach
