"""From an event's facts to the pairing engine: who plays next, with which history, under which policy.

Reads the archive's plain values, so a file and the database are paired alike. No Django here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

from pairings.engine import Entrant, Pairing, Policy, pair
from pairings.engine.types import CRITERIA
from standings.engine.ranking.lots import draw
from standings.engine.records import RoundRecord
from standings.engine.scoring import Scoring
from standings.event.swiss import records_of, session_of
from tournament.event.types import NO_SEED, Entry, Event, Round, Stage
from tournament.rulesets import rounds_and_cut

WITHIN = {
    "random_in_score_group": "random",
    "top_half_vs_bottom_half": "fold",
    "adjacent_by_rank": "adjacent",
}
FIRST_ROUND = {"random": "random", "rating_halves": "fold", "seed": "fold"}
SIDES = {"first": "a", "second": "b"}
UNSETTLED = ("draft", "repairing")  # rounds that are being paired: not facts yet


def next_round_of(event: Event, session: int | None = None) -> tuple[Stage, int]:
    """The Swiss stage of the next round, and that round's number over all stages.

    It is the stage `session` where that is given: sessions side by side are paired each by itself. Otherwise
    it is `following_stage`. A stage's own drafts do not count as rounds. Raises ValueError where no Swiss round
    can follow: a round of the stage is still being played, another carries its points on, or the elimination
    has begun.
    """
    rounds = [round_ for round_ in event.rounds if round_.status not in UNSETTLED]
    if any(event.stage(round_.stage).kind != "swiss" for round_ in rounds):
        raise ValueError("the bracket has started; there are no more Swiss rounds to pair")
    stage = following_stage(event, rounds) if session is None else _session(event, session)
    for round_ in rounds:
        if round_.status != "complete" and (session is None or round_.stage == session):
            raise ValueError(f"round {round_.number} is not complete")
    taken = (r.number for r in event.rounds if r.stage != stage.number or r.status not in UNSETTLED)
    return stage, max(taken, default=0) + 1


def _session(event: Event, number: int) -> Stage:
    """The Swiss stage of that number, if no other one carries its points on. Raises ValueError."""
    stage = next((s for s in event.stages if (s.number, s.kind) == (number, "swiss")), None)
    if stage is None:
        raise ValueError(f"there is no Swiss session {number}")
    if any(other.carries and number in other.sources for other in event.stages):
        raise ValueError(f"session {number} is over: its points carried over to another stage")
    return stage


def following_stage(event: Event, rounds: Sequence[Round]) -> Stage:
    """The stage that follows these rounds: the last one started, or the Swiss stage after it where that carries
    its points on or where the planned rounds are played. Raises ValueError for an event without a Swiss stage.
    """
    started = {round_.stage for round_ in rounds}
    swiss = [stage for stage in event.stages if stage.kind == "swiss"]
    if not swiss:
        raise ValueError("the event has no Swiss stage")
    last = max((k for k, stage in enumerate(swiss) if stage.number in started), default=0)
    stage = swiss[last]
    if last + 1 < len(swiss) and stage.number in started:
        following = swiss[last + 1]
        played = len([r for r in rounds if r.stage in session_of(event, stage.number)])
        if following.carries or played >= (planned_rounds(event, stage) or played + 1):
            stage = following
    return stage


def planned_rounds(event: Event, stage: Stage) -> int | None:
    """Swiss rounds planned for the session, from the event or its ruleset's rounds table."""
    if event.rounds_planned is not None:
        return event.rounds_planned
    players = sum(not event.entries[entry].house for entry in event.entries_of(stage))
    return rounds_and_cut(event.profile, players)[0] or None


def position_of(event: Event, stage: Stage, number: int) -> int:
    """Which round of its session (the stage and those it carries) the running round is, from 1."""
    session = session_of(event, stage.number)
    return 1 + sum(r.stage in session and r.number < number for r in event.rounds)


def policy_of(event: Event, stage: Stage, number: int) -> Policy:
    """What the event's ruleset asks of the running round `number`."""
    rules = event.profile.get("pairing") or {}
    position = position_of(event, stage, number)
    within = WITHIN.get(rules.get("method", ""), "random")
    if position == 1:
        within = FIRST_ROUND.get(rules.get("first_round", ""), within)
    to = (event.profile.get("bye") or {}).get("to")
    criteria = rules.get("criteria") or CRITERIA
    return Policy(
        objective=rules.get("objective") or "balance",
        within=within,  # type: ignore[arg-type]
        repeats=rules.get("repeats") or "last_resort",
        criteria=tuple(name for name in criteria if name not in ("fold", "adjacent") or name == within),
        round=position,
        planned_rounds=planned_rounds(event, stage),
        sides=bool(rules.get("colours")),
        labels_apart_until_round=int(rules.get("labels_apart_until_round") or 0),
        bye_rule="lowest_rank" if to == "lowest_rank" else "lowest_group",
    )


@dataclass(slots=True)
class History:
    """What an entry has behind it when a round is paired."""

    points: int | Fraction = 0
    opponents: set[str] = field(default_factory=set)
    byes: int = 0
    down: int = 0
    up: int = 0
    sides: str = ""


def histories(event: Event, stage: Stage, position: int) -> dict[str, History]:
    """{entry: its history before the session's round `position`}; two passes over the session's matches."""
    records = records_of(event, session_of(event, stage.number), len(event.rounds))
    worth = Scoring(event.profile).match_points
    houses = {entry.id for entry in event.entries.values() if entry.house}
    known = {entry: History() for entry in records}
    lines: list[list[tuple[History, RoundRecord]]] = [[] for _ in range(position)]
    for entry, record in records.items():
        for line in record.rounds:
            if line.number < position:
                lines[line.number].append((known[entry], line))
    for played in lines:
        for history, line in played:
            if line.opponent is not None:
                history.opponents.add(line.opponent)
                # A game against the house is played instead of a bye: nobody is paired down by it.
                if line.opponent not in houses:
                    other = known[line.opponent].points
                    history.down += history.points > other
                    history.up += history.points < other
            elif line.kind == "bye":
                history.byes += 1
            if line.side:
                history.sides = history.sides.ljust(line.number - 1, "-") + SIDES[line.side]
        for history, line in played:  # now that both sides of every table have been compared
            history.points += worth(line)
    for history in known.values():
        history.sides = history.sides.ljust(position - 1, "-")
    return known


def awarded_in(event: Event, stage: Stage, number: int) -> list[str]:
    """Ids of who takes an awarded bye in the running round: in the session's first rounds, as awarded."""
    position = position_of(event, stage, number)
    return [entry.id for entry in playing(event, stage, number) if entry.awarded_byes >= position]


def playing(event: Event, stage: Stage, number: int) -> list[Entry]:
    """The entries in the running round of a stage, in id order; house entries left out."""
    entries = (event.entries[entry] for entry in event.entries_of(stage))
    return sorted(
        (
            entry
            for entry in entries
            if not entry.house
            and entry.status == "playing"
            and (entry.joined_round or 1) <= number
            and (entry.dropped_after is None or entry.dropped_after >= number)
        ),
        key=lambda entry: entry.id,
    )


def entrants_of(
    event: Event,
    stage: Stage,
    number: int | None = None,
    *,
    awarded: bool = False,
    absent: Collection[str] = (),
    houses: Collection[str] = (),
) -> list[Entrant]:
    """The field of the running round (None: the next): who plays, with points and history of the session.

    Those on an awarded bye are left out unless `awarded`; `absent` are those with a requested bye or a missed
    round. `houses` are house entries asked in. Raises KeyError for an unknown house entry and ValueError
    for one that is none.
    """
    if number is None:
        number = next_round_of(event)[1]
    away = set(absent) | (set() if awarded else set(awarded_in(event, stage, number)))
    seated = [entry.id for entry in playing(event, stage, number) if entry.id not in away]
    for house in houses:
        if not event.entries[house].house:
            raise ValueError(f"{house} is not a house entry")
    return entrants_seated(event, stage, number, [*seated, *houses])


def entrants_seated(event: Event, stage: Stage, number: int, seated: Sequence[str]) -> list[Entrant]:
    """These entries as the engine sees them before the running round."""
    return field_seated(event, stage, number, seated)[0]


def field_seated(
    event: Event, stage: Stage, number: int, seated: Sequence[str]
) -> tuple[list[Entrant], int, Fraction]:
    """As `entrants_seated`, with unit and lowest: the engine's points are real ones above the lowest × unit."""
    position = position_of(event, stage, number)
    known = histories(event, stage, position)
    blank = History()
    mine = {entry: known.get(entry, blank) for entry in seated}
    unit = lcm(*(history.points.denominator for history in mine.values())) if mine else 1
    ranks = seed_ranks(event, stage)
    lowest = min([0, *(history.points for history in mine.values())])
    houses = {entry.id for entry in event.entries.values() if entry.house}
    # Whoever of the house sits there, nobody meets it twice while avoidable.
    housed = {other for house in houses if house in known for other in known[house].opponents}
    entrants = []
    for entry, history in mine.items():
        facts = event.entries[entry]
        met = housed if facts.house else history.opponents
        if entry in housed:
            met = met | houses
        entrants.append(
            Entrant(
                id=entry,
                points=int((history.points - lowest) * unit),  # the engine knows no negative points
                opponents=frozenset(met),
                byes=history.byes,
                down=history.down,
                up=history.up,
                sides=history.sides or "-" * (position - 1),
                seed_rank=ranks.get(entry, 0),
                labels=frozenset(facts.labels),
                house=facts.house,
            )
        )
    return entrants, unit, Fraction(lowest)


def seed_ranks(event: Event, stage: Stage) -> dict[str, int]:
    """{entry: order before the session, 1 best}: seed rank where given, then rating, unrated ones drawn."""
    entries = [event.entries[entry] for entry in event.entries_of(stage)]
    lots = draw(event.seed, {entry.id: entry.lot for entry in entries})

    def order(entry: Entry):
        rank = (0, entry.seed_rank) if entry.seed_rank is not None else (1, 0)
        rating = (0, -entry.rating) if entry.rating is not None else (1, 0)
        return (rank, rating, lots[entry.id])

    return {entry.id: rank for rank, entry in enumerate(sorted(entries, key=order), start=1)}


def fixed_tables(event: Event, pairs: Iterable[tuple]) -> dict[str, int]:
    """{player: fixed table} of those who sit in these pairs."""
    return {code: table for pair in pairs for code in pair if (table := event.entries[code].fixed_table)}


def round_seed(seed_hex: str | None, number: int, attempt: int = 1) -> int:
    """The seed of one draw: SHA-256 of the ASCII text "seed:round:attempt", read as one big-endian number.

    Raises ValueError where the seed is not hexadecimal.
    """
    seed = (seed_hex or NO_SEED).lower()
    if set(seed) - set("0123456789abcdef"):
        raise ValueError(f"a seed must be hexadecimal digits, not {seed_hex!r}")
    return int.from_bytes(hashlib.sha256(f"{seed}:{number}:{attempt}".encode("ascii")).digest(), "big")


def pair_next(
    event: Event,
    *,
    seed_hex: str | None = None,
    attempt: int = 1,
    house: str | Sequence[str] | None = None,
    absent: Collection[str] = (),
    locked: Sequence[tuple] = (),
    forbidden: Sequence[tuple] = (),
    waived: Sequence[tuple] = (),
) -> Pairing:
    """The next Swiss round of the event. `seed_hex` replaces the event's own seed; `house`: who plays for it.

    `forbidden` pairs are added to the event's own; `locked` and `waived` are those of `pair`. Raises ValueError
    where there is no round to pair, and NoPairing.
    """
    stage, number = next_round_of(event)
    houses = [house] if isinstance(house, str) else list(house or ())
    return pair(
        entrants_of(event, stage, number, absent=absent, houses=houses),
        policy_of(event, stage, number),
        seed=round_seed(seed_hex or event.seed, number, attempt),
        locked=locked,
        forbidden=[*event.forbidden, *forbidden],
        waived=waived,
    )
