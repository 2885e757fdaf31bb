"""A round's matches as its pairing made them."""

from __future__ import annotations

from tournament.event.types import Match, Round


def is_paired(match: Match) -> bool:
    """Whether the pairing made this match: two players, or the bye it gave."""
    return match.b is not None or match.result == "bye"


def paired_codes(round_: Round) -> list[str]:
    """Codes of all entries the pairing seated, house entries and the bye included."""
    return [code for match in round_.matches if is_paired(match) for code in (match.a, match.b) if code]
