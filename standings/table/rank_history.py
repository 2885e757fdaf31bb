"""A player's rank after each round, and its chart."""

from collections.abc import Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _

from standings.event.rounds import last_swiss_round
from standings.event.swiss import standings_of
from tournament.event.types import Event

FEWEST = 2  # rounds that make a line


def ranks_by_round(event: Event) -> dict[str, list[int | None]]:
    """Return {code: rank after round 1, 2, …} up to the last complete Swiss round; None before the entry joined.

    Empty if stages run side by side or one starts from zero: their ranks do not form one series.
    """
    swiss = [stage for stage in event.stages if stage.kind == "swiss"]
    if any(not stage.carries for stage in swiss[1:]):
        return {}
    ranks: dict[str, list[int | None]] = {code: [] for code in event.entries}
    for number in range(1, last_swiss_round(event) + 1):
        after = {row.entry: row.rank for row in standings_of(event, number)}
        for code, line in ranks.items():
            line.append(after.get(code))
    return ranks


class Tick(NamedTuple):
    at: str
    label: str


class RankPicture(NamedTuple):
    """A player's ranks as a line, the best on top."""

    summary: str
    points: str  # in a box of 1000 by 1000
    across: list[Tick]
    up: list[Tick]
    now: tuple[str, str]  # the position of the latest rank, in percent
    numbers: list[tuple[int, int]]  # (round, rank)


def rank_picture_of(ranks: Sequence[int | None]) -> RankPicture | None:
    """Return the chart of these ranks after round 1, 2, …; None if there are too few."""
    numbers = [(number, rank) for number, rank in enumerate(ranks, start=1) if rank is not None]
    if len(numbers) < FEWEST:
        return None
    best, worst = min(rank for _n, rank in numbers), max(rank for _n, rank in numbers)
    first, last = numbers[0][0], numbers[-1][0]
    across = [((number - first) / (last - first), number) for number, _rank in numbers]

    def down(rank: int) -> float:
        return (rank - best) / (worst - best) if worst > best else 0.5

    line = [(x, down(rank)) for (x, _number), (_n, rank) in zip(across, numbers, strict=True)]
    return RankPicture(
        _("Rank after each round: %(ranks)s.") % {"ranks": ", ".join(str(rank) for _n, rank in numbers)},
        " ".join(f"{1000 * x:.1f},{1000 * y:.1f}" for x, y in line),
        [Tick(f"{x:.2%}", str(number)) for x, number in across],
        [Tick(f"{down(rank):.2%}", str(rank)) for rank in sorted({best, (best + worst) // 2, worst})],
        (f"{line[-1][0]:.2%}", f"{line[-1][1]:.2%}"),
        numbers,
    )
