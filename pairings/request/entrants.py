"""The engine's input, from an event's facts: the next round, its entrants with their histories, its policy."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

from pairings.engine.criteria import MAIN, SIDES, TARGETS
from pairings.engine.types import CRITERIA, Entrant, Policy
from standings.engine.records import FORFEIT_KINDS, RoundRecord
from standings.engine.scoring import Scoring
from standings.table.swiss import list_carried_stages, stages_with, tally_records
from tournament.event.lots import compute_lots
from tournament.event.types import Entry, Event, Match, Round, Stage
from tournament.event.waivers import Meeting
from tournament.rulesets import is_meeting, rounds_and_cut

SIDE_LETTERS = {"first": "a", "second": "b"}
# {the ruleset's `bye.excluded_if`: kinds of rounds that count like a bye already received}.
LIKE_BYES = {"had_pab_or_full_point_without_play": ("bye", "awarded", "full", "forfeit_win")}


@dataclass(slots=True)
class History:
    """An entry's earlier rounds, as the engine's `Entrant` counts them.

    A forfeit counts as a pairing (`down`, `up`) but gives no one the first move; the ruleset says if it is a meeting.
    """

    points: int | Fraction = 0
    opponents: set[str] = field(default_factory=set)
    byes: int = 0
    down: int = 0
    up: int = 0
    sides: str = ""


def is_paired(match: Match) -> bool:
    """Whether the pairing made this match: two players, or a bye from the pairing."""
    return match.b is not None or match.result == "bye"


def build_histories(event: Event, stage: Stage, position: int) -> dict[str, History]:
    """Return {entry: its history before round `position`}. Positions count from 1 over the stages counted together."""
    records = tally_records(event, list_carried_stages(event, stage.number), len(event.rounds))
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
                # A match against a house opponent replaces a bye, so no one is paired down by it.
                if line.opponent not in houses:
                    other = histories[line.opponent].points
                    history.down += history.points > other
                    history.up += history.points < other
            if line.kind in like_byes:
                history.byes += 1
            if line.side and not forfeit:
                history.sides = history.sides.ljust(line.number - 1, "-") + SIDE_LETTERS[line.side]
        for history, line in lines:  # only now that both players of every table have been compared
            history.points += points_for(line)
    for history in histories.values():
        history.sides = history.sides.ljust(position - 1, "-")
    return histories


def earlier_tables(event: Event) -> set[Meeting]:
    """Return the pairs that have met, and {player, None} for each pairing bye, in all Swiss rounds of all stages."""
    swiss = (round_ for round_ in event.rounds if event.stage(round_.stage).kind == "swiss")
    matches = (match for round_ in swiss for match in round_.matches if is_paired(match))
    return {frozenset((match.a, match.b)) for match in matches if is_meeting(event.profile, match.result)}


def earlier_pairings(event: Event, round_: Round) -> dict[Meeting, list[tuple[int, bool]]]:
    """Return {pair, or {player, None}: [(round, whether a forfeit), …]} of earlier rounds counted together."""
    stages = list_carried_stages(event, round_.stage)
    pairings: defaultdict[Meeting, list[tuple[int, bool]]] = defaultdict(list)
    before = [r for r in event_before(event, round_.number).rounds if r.stage in stages]
    for place, earlier in enumerate(before, start=1):
        for match in filter(is_paired, earlier.matches):
            pairings[frozenset((match.a, match.b))].append((place, match.result == "forfeit"))
    return pairings


def event_before(event: Event, number: int) -> Event:
    """Return the event before round `number`: only earlier rounds, and the entries that have joined by then."""
    known = {code for code, entry in event.entries.items() if (entry.joined_round or 1) <= number}
    rounds = [
        round_.replace(matches=[m for m in round_.matches if m.a in known and (m.b is None or m.b in known)])
        for round_ in event.rounds
        if round_.number < number
    ]
    entries = {code: entry for code, entry in event.entries.items() if code in known}
    return event.replace(entries=entries, stages=stages_with(event, known), rounds=rounds)


def given_byes(event: Event, stage: Stage, number: int) -> dict[str, str]:
    """Return {player: result} for awarded and requested byes in round `number`, in code order."""
    position = find_position(event, stage, number)
    byes = {}
    for entry in playing_entries(event, stage, number):
        requested = {bye.round: bye.kind for bye in entry.requested_byes}
        if entry.awarded_byes >= position:
            byes[entry.id] = "awarded_bye"
        elif position in requested:
            byes[entry.id] = f"{requested[position]}_bye"
    return byes


def playing_entries(event: Event, stage: Stage, number: int) -> list[Entry]:
    """List the entries that play round `number` of a stage, without house entries, in code order."""
    entries = (event.entries[code] for code in sorted(event.entries_of(stage)))
    return [
        entry
        for entry in entries
        if not entry.house
        and entry.status == "playing"
        and (entry.joined_round or 1) <= number
        and (entry.dropped_after is None or entry.dropped_after >= number)
    ]


def build_entrants(
    event: Event, stage: Stage, number: int, codes: Sequence[str]
) -> tuple[list[Entrant], int, Fraction]:
    """Return (entrants, unit, lowest); an entrant has (points − `lowest`) × `unit`, a whole number."""
    position, ranks = find_position(event, stage, number), seed_ranks(event, stage)
    known = build_histories(event, stage, position)
    histories = {code: known.get(code, History()) for code in codes}
    unit = lcm(*(history.points.denominator for history in histories.values()))
    lowest = min([0, *(history.points for history in histories.values())])
    houses = {entry.id for entry in event.entries.values() if entry.house}
    # All house entries count as one opponent: a second match against any of them is a rematch.
    met_a_house = {other for house in houses if house in known for other in known[house].opponents}
    entrants = []
    for code, history in histories.items():
        entry = event.entries[code]
        met = met_a_house if entry.house else history.opponents
        if code in met_a_house:
            met = met | houses
        entrants.append(
            Entrant(
                id=code,
                points=int((history.points - lowest) * unit),  # the engine knows no negative points
                opponents=frozenset(met),
                byes=history.byes,
                down=history.down,
                up=history.up,
                sides=history.sides or "-" * (position - 1),
                seed_rank=ranks.get(code, 0),
                labels=frozenset(entry.labels),
                house=entry.house,
            )
        )
    return entrants, unit, Fraction(lowest)


def seed_ranks(event: Event, stage: Stage) -> dict[str, int]:
    """Return {entry code: seed, 1 best}: by manual seeding, then rating, then at random from the event's seed."""
    entries = [event.entries[code] for code in event.entries_of(stage)]
    lots = compute_lots(event.seed, {entry.id: entry.lot for entry in entries})

    def order(entry: Entry) -> tuple:
        rank = (0, entry.seed_rank) if entry.seed_rank is not None else (1, 0)
        rating = (0, -entry.rating) if entry.rating is not None else (1, 0)
        return (rank, rating, lots[entry.id])

    return {entry.id: rank for rank, entry in enumerate(sorted(entries, key=order), start=1)}


UNSETTLED = ("draft", "repairing")  # states of a round that is being paired: its matches do not count yet


class NoRound(ValueError):
    """No further Swiss round can be paired. `number`: the round or session that prevents it; 0 for other reasons."""

    def __init__(self, code: str, number: int = 0) -> None:
        super().__init__(code, number)
        self.code, self.number = code, number


class NextRound(NamedTuple):
    """A round to pair: its stage, its number over all stages, and who plays."""

    stage: Stage
    number: int
    byes: dict[str, str]  # {player: result} of byes given beforehand
    codes: list[str]  # of the players to pair

    @property
    def is_odd(self) -> bool:
        return len(self.codes) % 2 == 1


def round_to_pair(event: Event, stage: Stage, number: int) -> NextRound:
    playing, byes = playing_entries(event, stage, number), given_byes(event, stage, number)
    return NextRound(stage, number, byes, [entry.id for entry in playing if entry.id not in byes])


def find_next_round(event: Event, flight: int | None = None) -> NextRound:
    """Return the next Swiss round, of the stage `flight` if several run side by side. Raises NoRound."""
    rounds = [round_ for round_ in event.rounds if round_.status not in UNSETTLED]
    if any(event.stage(round_.stage).kind != "swiss" for round_ in rounds):
        raise NoRound("bracket")
    stage = following_stage(event, rounds) if flight is None else _find_flight(event, flight)
    for round_ in rounds:
        if round_.status != "complete" and flight in (None, round_.stage):
            raise NoRound("not_complete", round_.number)
    taken = (r.number for r in event.rounds if r.stage != stage.number or r.status not in UNSETTLED)
    return round_to_pair(event, stage, max(taken, default=0) + 1)


def _find_flight(event: Event, number: int) -> Stage:
    stage = next((s for s in event.stages if (s.number, s.kind) == (number, "swiss")), None)
    if stage is None:
        raise NoRound("no_session", number)
    if any(other.carries and number in other.sources for other in event.stages):
        raise NoRound("session_over", number)
    return stage


def following_stage(event: Event, rounds: Sequence[Round]) -> Stage:
    """Return the last stage started, or the next Swiss stage once its rounds are played or its points carried over."""
    started = {round_.stage for round_ in rounds}
    swiss = [stage for stage in event.stages if stage.kind == "swiss"]
    if not swiss:
        raise NoRound("no_stage")
    last = max((index for index, stage in enumerate(swiss) if stage.number in started), default=0)
    stage = swiss[last]
    if last + 1 < len(swiss) and stage.number in started:
        following = swiss[last + 1]
        played = len([r for r in rounds if r.stage in list_carried_stages(event, stage.number)])
        if following.carries or played >= (planned_rounds(event, stage) or played + 1):
            stage = following
    return stage


def planned_rounds(event: Event, stage: Stage) -> int | None:
    """Return the number of planned Swiss rounds: the event's own, or the ruleset's for that many players."""
    if event.rounds_planned is not None:
        return event.rounds_planned
    players = sum(not event.entries[code].house for code in event.entries_of(stage))
    return rounds_and_cut(event.profile, players)[0] or None


def find_position(event: Event, stage: Stage, number: int) -> int:
    """Return round `number`'s position, from 1, among the rounds counted together."""
    stages = list_carried_stages(event, stage.number)
    return 1 + sum(round_.stage in stages and round_.number < number for round_ in event.rounds)


# Any other method pairs by chance.
WITHIN = {
    "top_half_vs_bottom_half": "fold",
    "fold": "fold",
    "adjacent_by_rank": "adjacent",
    "adjacent": "adjacent",
}
FIRST_ROUND = {"random": "random", "rating_halves": "fold", "seed": "fold"}
SIDE_LIMITS = {"max_same_colour_row": "max_same_side", "max_colour_difference": "max_side_difference"}
BYE_RULES = {"lowest_score_group_random": "random", "lowest_rank": "lowest_rank"}


def build_policy(event: Event, stage: Stage, number: int) -> Policy:
    """Return the ruleset's policy for round `number` (counted over all stages)."""
    rules = event.profile.get("pairing") or {}
    position = find_position(event, stage, number)
    within = WITHIN.get(rules.get("method", ""), "random")
    if position == 1:
        within = FIRST_ROUND.get(rules.get("first_round", ""), within)
    bye_rule = BYE_RULES.get((event.profile.get("bye") or {}).get("to", ""), "lowest_group")
    if bye_rule == within == "random":
        bye_rule = "lowest_group"  # where all is random, so is the bye
    planned = planned_rounds(event, stage)
    criteria = [name for name in rules.get("criteria") or CRITERIA if name not in TARGETS or name == within]
    limits = read_side_limits(rules, is_last=position == planned)
    if limits:
        criteria = with_side_limits(criteria, within)
    return Policy(
        objective=rules.get("objective") or "balance",
        within=within,  # type: ignore[arg-type]
        repeats=rules.get("repeats") or "last_resort",
        criteria=tuple(criteria),
        round=position,
        planned_rounds=planned,
        sides=bool(rules.get("colours")),
        labels_apart_until_round=int(rules.get("labels_apart_until_round") or 0),
        bye_rule=bye_rule,  # type: ignore[arg-type]
        **limits,
    )


def read_side_limits(rules: dict[str, Any], is_last: bool) -> dict[str, int]:
    """Return the side limits as fields of a policy; empty for the last planned round if the ruleset lifts them."""
    if not rules.get("colours") or (is_last and rules.get("colour_limits_in_last_round") is False):
        return {}
    return {name: rules[field] for field, name in SIDE_LIMITS.items() if rules.get(field) is not None}


def with_side_limits(criteria: list[str], within: str) -> list[str]:
    """Add alternation and the side limits, these below the score difference unless the ruleset places them."""
    if not set(SIDES).intersection(criteria):
        fold = [within] if within in TARGETS and within not in criteria else []
        criteria = [*criteria, *fold, "alternate_sides"]
    if "side_limits" in criteria:
        return criteria
    place = 1 + max((place for place, name in enumerate(criteria) if name in MAIN), default=-1)
    return [*criteria[:place], "side_limits", *criteria[place:]]
