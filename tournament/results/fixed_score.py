"""A fixed score: a pile of slips that all say 2–0 needs only the numbers of their tables."""

from typing import NamedTuple

from tournament.errors import Refused
from tournament.results.slip import MatchRules
from tournament.results.slip_checks import read_slip
from tournament.results.wording import words_of_slip


class FixedScore(NamedTuple):
    """The score that a table alone means: as it is typed, and in words. Not chosen yet: both empty."""

    text: str = ""
    words: str = ""
    refusal: str = ""  # why the text is none


def fixed_score_of(rules: MatchRules | None, text: str | None) -> FixedScore | None:
    """The fixed score in a text such as "20"; None for no text or no tables: the box as always."""
    if text is None or rules is None:
        return None
    if not (text := " ".join(text.split())):
        return FixedScore()
    try:
        return FixedScore(text, words_of_slip(read_slip(text, rules)))
    except Refused as refusal:
        return FixedScore(refusal=str(refusal))
