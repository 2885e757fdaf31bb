"""Who sits in a round by its pairing, and at which tables: fixed ones, and those that other flights use."""

from collections.abc import Iterable

from tournament.event.types import Event, Match, Round, Stage


def is_paired(match: Match) -> bool:
    """Whether the pairing made this match: two players, or the bye it gave."""
    return match.b is not None or match.result == "bye"


def paired_codes(round_: Round) -> list[str]:
    """Codes of all entries the pairing seated, house entries and the bye included."""
    return [code for match in round_.matches if is_paired(match) for code in (match.a, match.b) if code]


def paired_round(event: Event, number: int) -> Round | None:
    """The Swiss round of that number, if it has been paired."""
    round_ = next((round_ for round_ in event.rounds if round_.number == number), None)
    if round_ is None or event.stage(round_.stage).kind != "swiss" or not paired_codes(round_):
        return None
    return round_


def fixed_tables(event: Event, pairs: Iterable[tuple]) -> dict[str, int]:
    """{player: fixed table} of the players in these pairs who have one."""
    return {code: table for pair in pairs for code in pair if (table := event.entries[code].fixed_table)}


def _matches_elsewhere(event: Event, stage: Stage) -> list[Match]:
    """The matches of open rounds of other stages: flights side by side share the venue."""
    others = (r for r in event.rounds if r.status != "complete" and r.stage != stage.number)
    return [match for round_ in others for match in round_.matches]


def codes_elsewhere(event: Event, stage: Stage) -> set[str]:
    """Codes of the entries that are playing in another stage now."""
    return {code for match in _matches_elsewhere(event, stage) for code in (match.a, match.b) if code}


def tables_elsewhere(event: Event, stage: Stage) -> set[int]:
    """Tables that open rounds of other stages use."""
    return {match.table for match in _matches_elsewhere(event, stage) if match.table is not None}
