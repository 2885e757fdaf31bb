"""The bracket in pages that a venue screen shows one after the other: at most sixteen lines each."""

from dataclasses import dataclass

from standings.words.tree import Tree, TreeMatch, TreeRound

MOST_LINES = 16
LAST_ROUNDS = 3  # on the page where everything comes together: from the quarterfinals on


@dataclass(frozen=True, slots=True)
class ScreenPage:
    """A part of the tree. `lines`: 2, 4, 8 or 16, of its first round."""

    rounds: list[TreeRound]
    third: TreeMatch | None = None
    joined: bool = True

    @property
    def lines(self) -> int:
        """How many names stand below each other."""
        return 2 * len(self.rounds[0].matches)


def pages_of(tree: Tree) -> list[ScreenPage]:
    """The tree from the round before the current one on, from the quarterfinals on at the latest."""
    begin = max(min(tree.current.number - 2, len(tree.rounds) - LAST_ROUNDS), 0)
    rounds = tree.rounds[begin:]
    if 2 * len(rounds[0].matches) <= MOST_LINES:
        return [ScreenPage(rounds, tree.third, tree.joined)]
    depth = MOST_LINES.bit_length() - 1
    parts = 2 * len(rounds[0].matches) // MOST_LINES
    pages = [
        ScreenPage([_part_of(round_, part, parts) for round_ in rounds[:depth]], joined=tree.joined)
        for part in range(parts)
    ]
    return [*pages, ScreenPage(tree.rounds[-LAST_ROUNDS:], tree.third, tree.joined)]


def _part_of(round_: TreeRound, part: int, parts: int) -> TreeRound:
    """That part of a round's matches, from the top."""
    size = len(round_.matches) // parts
    return TreeRound(round_.number, round_.title, round_.matches[part * size : (part + 1) * size])
