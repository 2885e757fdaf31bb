"""After the Swiss rounds: who qualifies, the bracket, and the final ranking of everybody."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Any

from standings.engine.bracket.cut import Cut, CutRule, cut
from standings.engine.bracket.drops import BracketDrops
from standings.engine.bracket.final_places import Place, places_in_bracket
from standings.engine.bracket.tree import bracket_of
from standings.engine.bracket.types import Bracket, Meeting
from standings.engine.ranking.rank import Ranking
from standings.event.swiss import standings_of
from tournament.event.types import Event, Match, Round, Stage

HALF = Fraction(1, 2)
ALL_TIED = "include_all_tied"
TOP_BYE = "highest_ranked_remaining_gets_bye"


def cut_rule_of(event: Event, size: int) -> CutRule:
    """The cut to that size as the ruleset has it: its points threshold, and whether all who are level go on."""
    rules = event.profile.get("cut") or {}
    return CutRule(size, _fraction(rules.get("min_points")), rules.get("tie_policy") == ALL_TIED)


def qualifiers_of(
    event: Event,
    rule: CutRule | int,
    after: int | None = None,
    *,
    ranking: Ranking | None = None,
    stay: Collection[str] = (),
) -> Cut:
    """The best of the Swiss ranking that may play on, in seed order, and the alternates.

    `rule`: a size alone means as the ruleset cuts. `stay`: entries counted as playing though they left since.

    Withdrawn, dropped, disqualified and house entries are passed over; one person takes one place; where a
    second day was played only its entries qualify. Fewer than `size`: everybody there is. `ranking`: the
    event's standings, where they are at hand.
    """
    ranking = standings_of(event, after) if ranking is None else ranking
    last = _last_swiss_entries(event, after)
    rule = cut_rule_of(event, rule) if isinstance(rule, int) else rule
    return pick_qualifiers(
        event,
        [entry for entry in ranking.order if entry in last],
        rule.size,
        stay,
        points={row.entry: row.values[0] for row in ranking},
        min_points=rule.min_points,
        all_tied=rule.all_tied,
    )


def pick_qualifiers(
    event: Event, order: Sequence[str], size: int, stay: Collection[str] = (), **least: Any
) -> Cut:
    """The first `size` of `order` that may play on, one entry a person; `least`: as for `cut`."""
    here = {e.id for e in event.entries.values() if (e.status == "playing" or e.id in stay) and not e.house}
    persons = {entry: _person(event, entry) for entry in event.entries}
    return cut(order, size, passed_over=set(event.entries) - here, persons=persons, **least)


def seeds_of(event: Event, stage: Stage) -> list[str]:
    """An elimination stage's entrants in seed order: as stored, else by the Swiss ranking before it."""
    if stage.seeds:
        return list(stage.seeds)
    entrants = set(event.entries_of(stage))
    first = next((round_.number for round_ in event.rounds if round_.stage == stage.number), None)
    order = standings_of(event, None if first is None else first - 1).order
    ranked = [entry for entry in order if entry in entrants]
    return ranked + sorted(entrants.difference(ranked))


def elimination_stage_of(event: Event) -> Stage | None:
    """The event's (last) elimination stage, or None."""
    return next((stage for stage in reversed(event.stages) if stage.kind == "elimination"), None)


def bracket_of_event(event: Event, stage_number: int | None = None) -> Bracket | None:
    """The bracket of that elimination stage, by default the last; None where the event has none.

    Each meeting's `ref` is (round number, match). Raises KeyError for an unknown stage.
    """
    stage = elimination_stage_of(event) if stage_number is None else event.stage(stage_number)
    if stage is None:
        return None
    seeds = seeds_of(event, stage)
    meetings = [
        _meeting(event, round_, match, seeds)
        for round_ in event.rounds_of(stage.number)
        if round_.status != "draft"
        for match in round_.matches
    ]
    return bracket_of(seeds, meetings, **bracket_rules_of(event, stage))


def bracket_rules_of(event: Event, stage: Stage) -> dict[str, Any]:
    """Keyword arguments for `bracket_of`, from the ruleset and from the players who left the bracket."""
    rules = event.profile["elimination"]
    return {
        "third_place": bool(rules.get("third_place_match")),
        "reseed": bool(rules.get("reseed")),
        "drops": BracketDrops(_drops_of(event, stage), event.profile["drop"].get("walkover") == TOP_BYE),
    }


def _drops_of(event: Event, stage: Stage) -> dict[str, int]:
    """{entrant that left: the last round of the bracket, from 1, it stood for}; who went on playing did not."""
    base = last_round_before(event, stage)
    played: dict[str | None, int] = {}
    for round_ in event.rounds_of(stage.number):
        for match in round_.matches:
            if match.result is not None:
                played[match.a] = played[match.b] = round_.number
    return {
        entry.id: max(entry.dropped_after - base, 0)
        for entry in event.entries.values()
        if entry.status in ("dropped", "disqualified")
        and entry.dropped_after is not None
        and played.get(entry.id, 0) <= entry.dropped_after
    }


def last_round_before(event: Event, stage: Stage) -> int:
    """The number of the last round before this stage."""
    earlier = [s.number for s in event.stages[: event.stages.index(stage)]]
    return max((round_.number for round_ in event.rounds_of(*earlier)), default=0)


def final_places_of(event: Event) -> list[Place]:
    """The final ranking of everybody: the places of the bracket, then the Swiss order of all others.

    Disqualified entries leave the ranking and all below move up; house entries have no place.
    Raises UnknownPlacing, UnknownMetric, UnknownScoring.
    """
    bracket = bracket_of_event(event)
    rows: list[Place] = []
    if bracket is not None:
        gone = {entry.id for entry in event.entries.values() if entry.status == "disqualified"}
        rows = places_in_bracket(bracket, event.profile["elimination"]["placement"], gone)
    inside = set(bracket.seeds) if bracket is not None else set()
    place, rank_above = 0, None
    for row in standings_of(event):
        if row.entry not in inside:
            place = place if row.rank == rank_above else len(rows) + 1
            rank_above = row.rank
            rows.append(Place(place, row.entry))
    return rows


def winner_side_of(match: Match, seeds: Sequence[str] = ()) -> str | None:
    """Who advances from an elimination match, "a" or "b"; None where nobody does or nothing decides it.

    Repeat games decide in order; only where the last is drawn too, `decided` does (rules, "ClineCON").
    """
    if match.b is None:
        return "a"
    if match.result == "forfeit":
        return match.winner
    if match.result not in ("played", "intentional_draw"):
        return None
    for games in (match.games, *(replay["games"] for replay in match.replays)):
        if games is not None and games[0] != games[1]:
            return "a" if games[0] > games[1] else "b"
    if match.decided == "higher_seed" and match.winner is None:
        return _higher_seed(match, seeds)
    return match.winner


def _higher_seed(match: Match, seeds: Sequence[str]) -> str | None:
    place = {entry: n for n, entry in enumerate(seeds)}
    if match.a not in place or match.b not in place:
        return None
    return "a" if place[match.a] < place[match.b] else "b"


def _meeting(event: Event, round_: Round, match: Match, seeds: Sequence[str]) -> Meeting:
    side = winner_side_of(match, seeds)
    drawn = side is None and match.result in ("played", "intentional_draw")
    if drawn and event.profile["elimination"].get("draw_rule") == "higher_seed":
        side = _higher_seed(match, seeds)
    nobody = match.result in ("forfeit", "double_loss") or round_.status == "complete"
    final = match.b is None or (match.result is not None and (side is not None or nobody))
    winner = {"a": match.a, "b": match.b, None: None}[side]
    return Meeting(match.a, match.b, winner, final, match.slot, _points(match, side), (round_.number, match))


def _points(match: Match, side: str | None) -> tuple[Fraction, Fraction]:
    """Points of a and b for placing: a win 1, a draw ½, each repeat game as played.

    Who draws and is moved on by a decision scores no more than the draw. Source: rules, "ClineCON".
    """
    if match.result is None or match.result == "double_loss":
        return Fraction(0), Fraction(0)
    if match.b is None or match.result == "forfeit":
        return Fraction(side == "a"), Fraction(side == "b")
    a = b = Fraction(0)
    for games in (match.games or (0, 0, 1), *(replay["games"] for replay in match.replays)):
        won = HALF if games[0] == games[1] else Fraction(games[0] > games[1])
        a, b = a + won, b + 1 - won
    return a, b


def _last_swiss_entries(event: Event, after: int | None) -> set[str]:
    """Entries of the Swiss stages nothing carries on from; where a cut stage names its sources, of those."""
    stage = elimination_stage_of(event)
    swiss = [s for s in event.stages if s.kind == "swiss"]
    if stage is not None and stage.sources:
        last = [s for s in swiss if s.number in stage.sources]
    else:
        followed = {n for s in swiss for n in s.sources}
        last = [s for s in swiss if s.number not in followed]
    return {entry for s in last for entry in event.entries_of(s)}


def _person(event: Event, entry: str) -> str:
    """One name for all entries of a person: the end of the chain of `same_person_as`, the least of a ring."""
    seen = [entry]
    while (other := event.entries[entry].same_person_as) is not None:
        if other in seen:
            return min(seen[seen.index(other) :])
        seen.append(other)
        entry = other
    return entry


def _fraction(value) -> Fraction | None:
    return None if value is None else Fraction(value)
