"""The bracket of an event, from its facts, and the final standings."""

from collections.abc import Sequence
from fractions import Fraction

from standings.engine.bracket.final_places import Place, places_in_bracket
from standings.engine.bracket.slots import Bracket, Meeting
from standings.engine.bracket.tree import BracketDrops, bracket_of
from standings.event.qualifiers import elimination_stage_of
from standings.event.swiss import is_ranked, standings_of
from tournament.event.types import LEFT_THE_EVENT, Event, Match, Round, Stage

HALF = Fraction(1, 2)
TOP_BYE = "highest_ranked_remaining_gets_bye"


def seeds_of(event: Event, stage: Stage) -> list[str]:
    """Return an elimination stage's entrants in seed order: as stored, else by the Swiss ranking before it."""
    if stage.seeds:
        return list(stage.seeds)
    entrants = set(event.entries_of(stage))
    first = next((round_.number for round_ in event.rounds if round_.stage == stage.number), None)
    order = standings_of(event, None if first is None else first - 1).order
    ranked = [entry for entry in order if entry in entrants]
    return ranked + sorted(entrants.difference(ranked))


def bracket_of_event(event: Event, stage_number: int | None = None) -> Bracket | None:
    """Return the bracket of that elimination stage, by default the last; None if the event has none.

    Each meeting's `ref` is (round number, match). Raises KeyError for an unknown stage.
    """
    stage = elimination_stage_of(event) if stage_number is None else event.stage(stage_number)
    if stage is None:
        return None
    seeds = seeds_of(event, stage)
    meetings = [
        meeting_of(event, round_, match, seeds)
        for round_ in event.rounds_of(stage.number)
        if round_.status != "draft"
        for match in round_.matches
    ]
    rules = event.profile["elimination"]
    return bracket_of(
        seeds,
        meetings,
        third_place=bool(rules.get("third_place_match")),
        reseed=bool(rules.get("reseed")),
        drops=drops_of(event, stage),
    )


def winner_side_of(match: Match, seeds: Sequence[str] = ()) -> str | None:
    """Return the side ("a" or "b") that advances from an elimination match; None if no one does or it is undecided.

    Repeat games decide in order; if the last one is drawn too, the recorded decision does (ClineCON).
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


def meeting_of(event: Event, round_: Round, match: Match, seeds: Sequence[str]) -> Meeting:
    side = winner_side_of(match, seeds)
    drawn = side is None and match.result in ("played", "intentional_draw")
    if drawn and event.profile["elimination"].get("draw_rule") == "higher_seed":
        side = _higher_seed(match, seeds)
    no_winner = match.result in ("forfeit", "double_loss") or round_.status == "complete"
    final = match.b is None or (match.result is not None and (side is not None or no_winner))
    winner = {"a": match.a, "b": match.b, None: None}[side]
    return Meeting(match.a, match.b, winner, final, match.slot, _points(match, side), (round_.number, match))


def _points(match: Match, side: str | None) -> tuple[Fraction, Fraction]:
    """Return the points of a and b for placing: a win 1, a draw ½, each repeat game by its result.

    A player who advances by a decision after a draw scores no more than the draw. Source: ClineCON.
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


def drops_of(event: Event, stage: Stage) -> BracketDrops:
    """Return the entrants that dropped from the bracket, except those that played on, and who gets their byes."""
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


def final_places_of(event: Event) -> list[Place]:
    """Return the final places of all entries: those of the bracket, then all others by Swiss rank.

    Disqualified entries have no place, and everyone below moves up; house entries have none either.
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
        if row.entry not in inside and is_ranked(event, row.entry):
            place = place if row.rank == rank_above else len(rows) + 1
            rank_above = row.rank
            rows.append(Place(place, row.entry))
    return rows
