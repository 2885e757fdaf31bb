"""The bracket cut into pages that a hall can read from afar: at most sixteen lines each."""

from __future__ import annotations

from dataclasses import dataclass

from standings.words.tree import Tie, Tree, TreeRound

MOST = 16  # lines of a page
LAST = 3  # rounds of the page on which everything comes together: from the quarter-finals on


@dataclass(slots=True)
class Page:
    """A part of the tree. `lines`: 2, 4, 8 or 16, of its first round."""

    rounds: list[TreeRound]
    third: Tie | None = None
    joined: bool = True

    @property
    def lines(self) -> int:
        return 2 * len(self.rounds[0].ties)


def pages_of(tree: Tree) -> list[Page]:
    """The tree from the round before the one being played, from the quarter-finals at the latest."""
    begin = max(min(tree.current.number - 2, len(tree.rounds) - LAST), 0)
    rounds = tree.rounds[begin:]
    if 2 * len(rounds[0].ties) <= MOST:
        return [Page(rounds, tree.third, tree.joined)]
    depth = MOST.bit_length() - 1
    parts = 2 * len(rounds[0].ties) // MOST
    pages = [
        Page([_slice(round_, part, parts) for round_ in rounds[:depth]], joined=tree.joined)
        for part in range(parts)
    ]
    return [*pages, Page(tree.rounds[-LAST:], tree.third, tree.joined)]


def _slice(round_: TreeRound, part: int, parts: int) -> TreeRound:
    """That part of a round's matches, from the top."""
    size = len(round_.ties) // parts
    return TreeRound(round_.number, round_.title, round_.ties[part * size : (part + 1) * size])
