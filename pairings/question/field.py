"""From an event's values to the pairing engine: who plays the next round, and with which history.

Reads the archive's plain values, so that a file and the database are paired alike. No Django here.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

from pairings.engine import Entrant
from pairings.question.history import History, histories_of
from pairings.question.next_round import position_of
from tournament.event.lots import lots_of
from tournament.event.types import Entry, Event, Stage


def given_byes(event: Event, stage: Stage, number: int) -> dict[str, str]:
    """{player: result} of those who play round `number` without being paired, in code order.

    They have an awarded bye, in as many first rounds as they were awarded, or else the bye they requested for it.
    """
    position = position_of(event, stage, number)
    byes = {}
    for entry in playing_entries(event, stage, number):
        requested = {bye.round: bye.kind for bye in entry.requested_byes}
        if entry.awarded_byes >= position:
            byes[entry.id] = "awarded_bye"
        elif position in requested:
            byes[entry.id] = f"{requested[position]}_bye"
    return byes


def playing_entries(event: Event, stage: Stage, number: int) -> list[Entry]:
    """The entries that play round `number` of a stage, in code order; house entries left out."""
    entries = (event.entries[code] for code in event.entries_of(stage))
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


def codes_to_pair(event: Event, stage: Stage, number: int) -> list[str]:
    """Codes of the players that round `number` pairs: those who play it without a bye given beforehand."""
    byes = given_byes(event, stage, number)
    return [entry.id for entry in playing_entries(event, stage, number) if entry.id not in byes]


def field_of(
    event: Event, stage: Stage, number: int, codes: Sequence[str]
) -> tuple[list[Entrant], int, Fraction]:
    """(entrants, unit, lowest): the entries with these codes as the engine takes them before round `number`.

    The entrants' points are the real ones above `lowest` (0, or less), times `unit`.
    """
    position = position_of(event, stage, number)
    known = histories_of(event, stage, position)
    histories = {code: known.get(code, History()) for code in codes}
    unit = lcm(*(history.points.denominator for history in histories.values()))
    ranks = seed_ranks(event, stage)
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
    """{entry code: seed, 1 best}: by the manual seeding, then by rating, then at random from the event's seed."""
    entries = [event.entries[code] for code in event.entries_of(stage)]
    lots = lots_of(event.seed, {entry.id: entry.lot for entry in entries})

    def order(entry: Entry) -> tuple:
        rank = (0, entry.seed_rank) if entry.seed_rank is not None else (1, 0)
        rating = (0, -entry.rating) if entry.rating is not None else (1, 0)
        return (rank, rating, lots[entry.id])

    return {entry.id: rank for rank, entry in enumerate(sorted(entries, key=order), start=1)}
