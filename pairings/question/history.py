"""What was played before a round: points, opponents, byes and sides of each entry."""

from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction

from pairings.question.seats import is_paired
from standings.engine.records import FORFEIT_KINDS, RoundRecord
from standings.engine.scoring import Scoring
from standings.event.records import records_of
from standings.event.rounds import carried_stages_of
from tournament.event.types import Event, Round, Stage
from tournament.event.waivers import Meeting
from tournament.rulesets import is_meeting

SIDES = {"first": "a", "second": "b"}
# Kinds of rounds after which no one gets the bye while another player can: by `bye.excluded_if`.
LIKE_BYES = {"had_pab_or_full_point_without_play": ("bye", "awarded", "full", "forfeit_win")}


@dataclass(slots=True)
class History:
    """An entry's earlier rounds, as the engine's `Entrant` counts them.

    A forfeit is a pairing (`down`, `up`), but no one moved first (`sides`); whether the two have met
    (`opponents`) is for the ruleset to say.
    """

    points: int | Fraction = 0
    opponents: set[str] = field(default_factory=set)
    byes: int = 0
    down: int = 0
    up: int = 0
    sides: str = ""


def histories_of(event: Event, stage: Stage, position: int) -> dict[str, History]:
    """{entry: its history before round `position` (from 1) of the stages that count together with this one}."""
    records = records_of(event, carried_stages_of(event, stage.number), len(event.rounds))
    points_for = Scoring(event.profile).match_points
    forfeits_count = is_meeting(event.profile, "forfeit")
    like_byes = LIKE_BYES.get(str((event.profile.get("bye") or {}).get("excluded_if")), ("bye",))
    houses = {entry.id for entry in event.entries.values() if entry.house}
    histories = {entry: History() for entry in records}
    rounds: list[list[tuple[History, RoundRecord]]] = [[] for _ in range(position)]
    for entry, record in records.items():
        for line in record.rounds:
            if line.number < position:
                rounds[line.number].append((histories[entry], line))
    for lines in rounds:
        for history, line in lines:
            forfeit = line.kind in FORFEIT_KINDS
            if line.opponent is not None:
                if forfeits_count or not forfeit:
                    history.opponents.add(line.opponent)
                # A match against a house opponent is played instead of a bye: no one is paired down by it.
                if line.opponent not in houses:
                    other = histories[line.opponent].points
                    history.down += history.points > other
                    history.up += history.points < other
            if line.kind in like_byes:
                history.byes += 1
            if line.side and not forfeit:
                history.sides = history.sides.ljust(line.number - 1, "-") + SIDES[line.side]
        for history, line in lines:  # only now that both players of every table have been compared
            history.points += points_for(line)
    for history in histories.values():
        history.sides = history.sides.ljust(position - 1, "-")
    return histories


def earlier_tables(event: Event) -> set[Meeting]:
    """The pairs that have met, and {player, None} for each pairing bye, in all Swiss rounds.

    Over all stages, also those whose points do not count together: the database asks for a waiver there too.
    """
    swiss = (round_ for round_ in event.rounds if event.stage(round_.stage).kind == "swiss")
    matches = (match for round_ in swiss for match in round_.matches if match.b or match.result == "bye")
    return {frozenset((match.a, match.b)) for match in matches if is_meeting(event.profile, match.result)}


def earlier_pairings(event: Event, round_: Round) -> dict[Meeting, list[tuple[int, bool]]]:
    """{pair, or player and None for the bye: (round, whether it was a forfeit) of each time before this round}.

    Of the rounds that count together with this one, numbered from 1.
    """
    stages = carried_stages_of(event, round_.stage)
    pairings: defaultdict[Meeting, list[tuple[int, bool]]] = defaultdict(list)
    before = [r for r in event_before(event, round_.number).rounds if r.stage in stages]
    for place, earlier in enumerate(before, start=1):
        for match in filter(is_paired, earlier.matches):
            pairings[frozenset((match.a, match.b))].append((place, match.result == "forfeit"))
    return pairings


def event_before(event: Event, number: int) -> Event:
    """The event as round `number` was paired from it: its earlier rounds, and the entries that had joined."""
    known = {code for code, entry in event.entries.items() if (entry.joined_round or 1) <= number}
    stages = [
        stage
        if stage.entries is None
        else stage.replace(entries=tuple(code for code in stage.entries if code in known))
        for stage in event.stages
    ]
    rounds = [
        round_.replace(matches=[m for m in round_.matches if m.a in known and (m.b is None or m.b in known)])
        for round_ in event.rounds
        if round_.number < number
    ]
    entries = {code: entry for code, entry in event.entries.items() if code in known}
    return event.replace(entries=entries, stages=stages, rounds=rounds)
