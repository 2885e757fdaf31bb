"""Compare an event under two rulesets: who is in the cut, whose rank changes, and which step decides."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from standings.engine.ranking import (
    STEP,
    DecidingStep,
    Ranking,
    RankingStep,
    build_chain,
    find_deciding_step,
    needs_scores,
)
from standings.table.places import find_elimination_stage, find_qualifiers
from standings.table.swiss import compute_standings, external_values
from tournament.event.types import LEFT_THE_EVENT, Entry, Event, Match
from tournament.rulesets.derive import ORDER_METRICS

USUAL_CUT = 8  # of an event without a cut
# Metrics that need more than results.
SIDES = frozenset({"black_games", "black_wins"})
RATINGS = frozenset({"rating", "avg_rating_opponents"})
CUT_RULE = "rule"  # why one is in the cut and another is not, if not by rank


class RankChange(NamedTuple):
    entry: str
    before: int | None
    after: int | None


class CutSwap(NamedTuple):
    into: RankChange | None
    out: RankChange | None
    now: DecidingStep | None  # what decides it
    then: DecidingStep | None  # what decided the opposite before


class Comparison(NamedTuple):
    """An event ranked by its own rules and by others."""

    size: int  # of the cut
    swaps: list[CutSwap]
    moves: list[RankChange]  # the ranks that change
    before: Ranking
    after: Ranking

    @property
    def players(self) -> int:
        return len(self.before)


def find_cut_size(event: Event) -> int:
    """Return the size of the event's bracket, else its planned cut, else 8."""
    stage = find_elimination_stage(event)
    if stage is not None:
        return len(stage.seeds) or len(event.entries_of(stage))
    return event.cut or USUAL_CUT


def compare_rankings(event: Event, other: Event) -> Comparison:
    """Compare the rankings of an event and of a copy with other rules. Raises UnknownMetric, UnknownScoring."""
    size = find_cut_size(event)
    before, after = compute_standings(event), compute_standings(other)
    old = find_qualifiers(event, size, ranking=before).qualifiers
    new = find_qualifiers(other, size, ranking=after).qualifiers
    into = [entry for entry in new if entry not in set(old)]
    out = _by_rank((entry for entry in old if entry not in set(new)), after)
    swaps = [
        CutSwap(
            _move(mine, before, after),
            _move(theirs, before, after),
            find_cut_decision(after, mine, theirs),
            find_cut_decision(before, theirs, mine),
        )
        for mine, theirs in zip_longest(into, out)
    ]
    ranked = _by_rank({*before.order, *after.order}, after)
    moves = [move for entry in ranked if (move := _move(entry, before, after)) and move.before != move.after]
    return Comparison(size, swaps, moves, before, after)


def find_cut_decision(ranking: Ranking, above: str | None, below: str | None) -> DecidingStep | None:
    """Return what puts one entry into the cut and not the other; None if either is missing or unranked."""
    if above is None or below is None or above not in ranking or below not in ranking:
        return None
    decision = find_deciding_step(ranking, above, below)
    if decision.why == STEP and ranking.row(above).rank > ranking.row(below).rank:
        return decision._replace(why=CUT_RULE)
    return decision


def find_missing_data(event: Event, profile: dict) -> list[tuple[RankingStep, str]]:
    """Return (step, data) for each step of the profile's order that needs data the event did not record.

    Data: `score`, `game_order`, `first` (who moved first), `rating`, or `outside` (measured outside the matches).
    """
    swiss = {stage.number for stage in event.stages if stage.kind == "swiss"}
    played = [m for r in event.rounds if r.stage in swiss for m in r.matches if m.result == "played"]
    away = ("waitlisted", "merged", *LEFT_THE_EVENT)
    entries = [entry for entry in event.entries.values() if entry.status not in away]
    needs = [(step, _missing_data(step, played, entries)) for step in build_chain(profile, event.team)]
    return [(step, data) for step, data in needs if data]


def _missing_data(step: RankingStep, played: Sequence[Match], entries: Sequence[Entry]) -> str:
    if needs_scores({"metric": step.key, "params": step.params}):
        return "score" if any(match.score is None for match in played) else ""
    if step.key in ORDER_METRICS:
        return "game_order" if any(not match.game_order for match in played) else ""
    if step.key in SIDES:
        return "first" if any(not match.first for match in played) else ""
    if step.key in RATINGS:
        return "" if any(entry.rating for entry in entries) else "rating"
    if step.key == "external_value":
        name = step.params.get("name")
        return "" if any(name in external_values(entry.labels) for entry in entries) else "outside"
    return ""


def _by_rank(entries: Iterable[str], ranking: Ranking) -> list[str]:
    order = {entry: place for place, entry in enumerate(ranking.order)}
    return sorted(entries, key=lambda entry: (order.get(entry, len(order)), entry))


def _move(entry: str | None, before: Ranking, after: Ranking) -> RankChange | None:
    if entry is None:
        return None
    ranks = [ranking.row(entry).rank if entry in ranking else None for ranking in (before, after)]
    return RankChange(entry, *ranks)
