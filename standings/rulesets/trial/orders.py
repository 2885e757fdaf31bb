"""One event under two sets of rules: who is in the cut, who moves, and the step that decides it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import zip_longest
from typing import NamedTuple

from standings.engine.metrics import METRICS
from standings.engine.ranking.chain import RankingStep, chain_of
from standings.engine.ranking.rank import Ranking
from standings.engine.ranking.validate import needs_scores
from standings.event.qualifiers import elimination_stage_of, qualifiers_of
from standings.event.records import GONE, external_values
from standings.event.swiss import standings_of
from tournament.event.types import Event
from tournament.rulesets import wins_needed
from tournament.rulesets.derive import ORDER_METRICS

CUT = 8  # where an event has none
# What a metric cannot do without, besides the results.
SIDES = frozenset({"black_games", "black_wins"})
RATINGS = frozenset({"rating", "avg_rating_opponents"})


class Deciding(NamedTuple):
    """What puts one entry above another: the first step that separates them, with both exact values.

    `step` None: a later `stage` does, they share the rank (`tied`), or another rule of the cut does (`rule`).
    """

    step: RankingStep | None
    above: Fraction = Fraction(0)
    below: Fraction = Fraction(0)
    how: str = "step"


class Move(NamedTuple):
    """An entry's rank before and after; None where it has no row."""

    entry: str
    before: int | None
    after: int | None


class Swap(NamedTuple):
    """Who comes into the cut for whom, by what; and by what it was the other way round before."""

    into: Move | None
    out: Move | None
    now: Deciding | None
    then: Deciding | None


@dataclass(slots=True)
class Comparison:
    """An event under its own rules and under others. `size` of the cut; `moves` of those whose rank changes."""

    size: int
    players: int
    swaps: list[Swap]
    moves: list[Move]
    before: Ranking
    after: Ranking

    @property
    def differs(self) -> bool:
        """Whether other entries are in the cut."""
        return bool(self.swaps)


def under(event: Event, profile: dict) -> Event:
    """The event as the profile would rank it; it was played to its own match length, and that stays."""
    own = event.profile["best_of_swiss"]
    fitted = {**profile, "best_of_swiss": own}
    if own != profile["best_of_swiss"]:
        fitted["bye_games"] = fitted["forfeit_games"] = [wins_needed(own), 0, 0]
    return replace(event, profile=fitted)


def cut_size(event: Event) -> int:
    """How many the event's bracket has, else its planned cut, else eight."""
    stage = elimination_stage_of(event)
    if stage is not None:
        return len(stage.seeds) or len(event.entries_of(stage))
    return event.cut or CUT


def compared(event: Event, other: Event, size: int | None = None) -> Comparison:
    """The same facts under the rules of `event` and of `other`. Raises UnknownMetric and UnknownScoring."""
    size = cut_size(event) if size is None else size
    before, after = standings_of(event), standings_of(other)
    old = qualifiers_of(event, size, ranking=before).qualifiers
    new = qualifiers_of(other, size, ranking=after).qualifiers
    into = [entry for entry in new if entry not in set(old)]
    out = _by_rank((entry for entry in old if entry not in set(new)), after)
    swaps = [
        Swap(
            _move(mine, before, after),
            _move(theirs, before, after),
            deciding(after, mine, theirs),
            deciding(before, theirs, mine),
        )
        for mine, theirs in zip_longest(into, out)
    ]
    ranked = _by_rank({*before.order, *after.order}, after)
    moves = [move for entry in ranked if (move := _move(entry, before, after)) and move.before != move.after]
    return Comparison(size, len(before), swaps, moves, before, after)


def deciding(ranking: Ranking, above: str | None, below: str | None) -> Deciding | None:
    """What puts `above` over `below`; None where one of them is nobody or has no row."""
    if above is None or below is None or above not in ranking or below not in ranking:
        return None
    mine, theirs = ranking.row(above), ranking.row(below)
    if ranking.views[above].tier != ranking.views[below].tier:
        return Deciding(None, how="stage")
    for step, a, b in zip(ranking.steps, mine.values, theirs.values, strict=True):
        if a != b:
            return Deciding(step, a, b) if mine.rank < theirs.rank else Deciding(None, how="rule")
    return Deciding(None, how="tied")


def missing_for(event: Event, profile: dict) -> list[tuple[RankingStep, str]]:
    """(step, what) the profile's order needs and the event did not record.

    What: `score`, `game_order`, `first` (who moved first), `rating`, or `outside` (a value measured outside).
    """
    found = []
    swiss = {stage.number for stage in event.stages if stage.kind == "swiss"}
    played = [m for r in event.rounds if r.stage in swiss for m in r.matches if m.result == "played"]
    entries = [entry for entry in event.entries.values() if entry.status not in ("waitlisted", *GONE)]
    for step in chain_of(profile, event.team):
        what = ""
        if needs_scores({"metric": step.key, "params": step.params}):
            what = "score" if any(match.score is None for match in played) else ""
        elif step.key in ORDER_METRICS:
            what = "game_order" if any(not match.game_order for match in played) else ""
        elif step.key in SIDES:
            what = "first" if any(not match.first for match in played) else ""
        elif step.key in RATINGS:
            what = "" if any(entry.rating for entry in entries) else "rating"
        elif step.key == "external_value":
            name = step.params.get("name")
            what = "" if any(name in external_values(entry.labels) for entry in entries) else "outside"
        if what:
            found.append((step, what))
    return found


def _by_rank(entries: Iterable[str], ranking: Ranking) -> list[str]:
    """Best first; those without a row last."""
    order = {entry: place for place, entry in enumerate(ranking.order)}
    return sorted(entries, key=lambda entry: (order.get(entry, len(order)), entry))


def _move(entry: str | None, before: Ranking, after: Ranking) -> Move | None:
    if entry is None:
        return None
    ranks = [ranking.row(entry).rank if entry in ranking else None for ranking in (before, after)]
    return Move(entry, *ranks)


def unit_of(step: RankingStep) -> str:
    """The unit a step's values are in."""
    return METRICS[step.key].unit
