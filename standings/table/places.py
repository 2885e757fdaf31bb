"""Places, from the facts of an event: who qualifies, the bracket, the final places."""

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Any

from standings.engine.bracket.cut import Cut, CutRule, Place, cut, places_in_bracket
from standings.engine.bracket.tree import Bracket, BracketDrops, Meeting, fill_bracket
from standings.engine.ranking import Ranking
from standings.table.swiss import compute_standings, count_open_rounds, event_after, is_ranked
from tournament.event.types import LEFT_THE_EVENT, Event, Match, Round, Stage

ALL_TIED = "include_all_tied"


def find_elimination_stage(event: Event) -> Stage | None:
    return next((stage for stage in reversed(event.stages) if stage.kind == "elimination"), None)


def read_cut_rule(event: Event, size: int) -> CutRule:
    rules = event.profile.get("cut") or {}
    least = rules.get("min_points")
    return CutRule(size, None if least is None else Fraction(least), rules.get("tie_policy") == ALL_TIED)


def find_qualifiers(
    event: Event,
    rule: CutRule | int,
    *,
    ranking: Ranking | None = None,
    stay: Collection[str] = (),
) -> Cut:
    """Return the best entries of the Swiss ranking that may advance, in seed order, and the alternates.

    `rule`: a size applies the ruleset's cut to that size. `stay`: entries that count as playing although they dropped.
    Skips house entries and those who left; a person takes one spot. After a second day, only its entries qualify.
    """
    ranking = compute_standings(event) if ranking is None else ranking
    playing = [code for code, entry in event_after(event).entries.items() if entry.status == "playing"]
    last = _last_swiss_entries(event)
    rule = read_cut_rule(event, rule) if isinstance(rule, int) else rule
    return pick_qualifiers(
        event,
        [entry for entry in ranking.order if entry in last],
        rule.size,
        {*stay, *playing},
        points={row.entry: row.values[0] for row in ranking},
        min_points=rule.min_points,
        all_tied=rule.all_tied,
    )


def pick_qualifiers(
    event: Event, order: Sequence[str], size: int, stay: Collection[str] = (), **limits: Any
) -> Cut:
    """Return the first `size` of `order` that may advance, one entry per person; `limits`: arguments of `cut`."""
    here = {e.id for e in event.entries.values() if (e.status == "playing" or e.id in stay) and not e.house}
    persons = {entry: _person(event, entry) for entry in event.entries}
    return cut(order, size, passed_over=set(event.entries) - here, persons=persons, **limits)


def next_day_players(event: Event, size: int | None, points: str | None) -> list[str]:
    """Return the entries that play the next day, best first: the best `size`, those with `points`, or everyone."""
    event = count_open_rounds(event)
    ranking = compute_standings(event)
    if not ranking.rows:
        return []
    least = Fraction(points) if points is not None else ranking.rows[-1].values[0]
    order = [row.entry for row in ranking if size is not None or row.values[0] >= least]
    return pick_qualifiers(event, order, len(order) if size is None else size).qualifiers


def _last_swiss_entries(event: Event) -> set[str]:
    """Return the entries of the elimination stage's sources, if it names any, otherwise of the last Swiss stages."""
    stage = find_elimination_stage(event)
    swiss = [s for s in event.stages if s.kind == "swiss"]
    if stage is not None and stage.sources:
        last = [s for s in swiss if s.number in stage.sources]
    else:
        followed = {n for s in swiss for n in s.sources}
        last = [s for s in swiss if s.number not in followed]
    return {entry for s in last for entry in event.entries_of(s)}


def _person(event: Event, entry: str) -> str:
    chain = [entry]
    while (other := event.entries[entry].same_person_as) is not None:
        if other in chain:
            return min(chain[chain.index(other) :])
        chain.append(other)
        entry = other
    return entry


HALF = Fraction(1, 2)
TOP_BYE = "highest_ranked_remaining_gets_bye"


def list_seeds(event: Event, stage: Stage) -> list[str]:
    """Return an elimination stage's entrants in seed order: the stored ones, else by the Swiss ranking before it."""
    if stage.seeds:
        return list(stage.seeds)
    entrants = set(event.entries_of(stage))
    first = next((round_.number for round_ in event.rounds if round_.stage == stage.number), None)
    order = compute_standings(event, None if first is None else first - 1).order
    ranked = [entry for entry in order if entry in entrants]
    return ranked + sorted(entrants.difference(ranked))


def build_event_bracket(event: Event, stage_number: int | None = None) -> Bracket | None:
    """Return a stage's bracket (default: the last), or None. A `ref` is (round number, match). Raises KeyError."""
    stage = find_elimination_stage(event) if stage_number is None else event.stage(stage_number)
    if stage is None:
        return None
    seeds = list_seeds(event, stage)
    meetings = [
        build_meeting(event, round_, match, seeds)
        for round_ in event.rounds_of(stage.number)
        if round_.status != "draft"
        for match in round_.matches
    ]
    rules = event.profile["elimination"]
    return fill_bracket(
        seeds,
        meetings,
        third_place=bool(rules.get("third_place_match")),
        reseed=bool(rules.get("reseed")),
        drops=find_bracket_drops(event, stage),
    )


def find_winner_side(match: Match, seeds: Sequence[str]) -> str | None:
    """Return the side that advances: by games, then repeat games in order, then the recorded decision; or None."""
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


def build_meeting(event: Event, round_: Round, match: Match, seeds: Sequence[str]) -> Meeting:
    side = find_winner_side(match, seeds)
    drawn = side is None and match.result in ("played", "intentional_draw")
    if drawn and event.profile["elimination"].get("draw_rule") == "higher_seed":
        side = _higher_seed(match, seeds)
    no_winner = match.result in ("forfeit", "double_loss") or round_.status == "complete"
    final = match.b is None or (match.result is not None and (side is not None or no_winner))
    winner = {"a": match.a, "b": match.b, None: None}[side]
    return Meeting(match.a, match.b, winner, final, match.slot, _points(match, side), (round_.number, match))


def _points(match: Match, side: str | None) -> tuple[Fraction, Fraction]:
    """Return a's and b's points for placing. A win is 1, a draw ½; repeat games count, decisions do not (ClineCON)."""
    if match.result is None or match.result == "double_loss":
        return Fraction(0), Fraction(0)
    if match.b is None or match.result == "forfeit":
        return Fraction(side == "a"), Fraction(side == "b")
    a = b = Fraction(0)
    for games in (match.games or (0, 0, 1), *(replay["games"] for replay in match.replays)):
        won = HALF if games[0] == games[1] else Fraction(games[0] > games[1])
        a, b = a + won, b + 1 - won
    return a, b


def find_bracket_drops(event: Event, stage: Stage) -> BracketDrops:
    """Return the entrants that dropped from the bracket and did not play again, and the rule for their byes."""
    earlier = [s.number for s in event.stages[: event.stages.index(stage)]]
    before = max((round_.number for round_ in event.rounds_of(*earlier)), default=0)
    last_played: dict[str | None, int] = {}
    for round_ in event.rounds_of(stage.number):
        for match in round_.matches:
            if match.result is not None:
                last_played[match.a] = last_played[match.b] = round_.number
    after = {
        entry.id: max(entry.dropped_after - before, 0)
        for entry in event.entries.values()
        if entry.status in LEFT_THE_EVENT
        and entry.dropped_after is not None
        and last_played.get(entry.id, 0) <= entry.dropped_after
    }
    return BracketDrops(after, event.profile["drop"].get("walkover") == TOP_BYE)


def rank_final_places(event: Event) -> list[Place]:
    """Return the places of all entries: of the bracket, then of the others by Swiss rank. Raises UnknownPlacing."""
    bracket = build_event_bracket(event)
    rows: list[Place] = []
    if bracket is not None:
        gone = {entry.id for entry in event.entries.values() if entry.status == "disqualified"}
        rows = places_in_bracket(bracket, event.profile["elimination"]["placement"], gone)
    inside = set(bracket.seeds) if bracket is not None else set()
    place, rank_above = 0, None
    for row in compute_standings(event):
        if row.entry not in inside and is_ranked(event, row.entry):
            place = place if row.rank == rank_above else len(rows) + 1
            rank_above = row.rank
            rows.append(Place(place, row.entry))
    return rows
