"""Numbers, records and points as texts. Nothing printed here is ever compared."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from django.utils.translation import ngettext

from standings.engine.records import Outcomes


def format_rounded(value: Fraction, places: int, mode: str = "half_up") -> str:
    """Format a number with `places` decimal places, half up or truncated, in exact arithmetic."""
    scaled = abs(value) * 10**places
    if mode == "truncate":
        digits = scaled.numerator // scaled.denominator
    else:
        digits = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    text = str(digits).rjust(places + 1, "0")
    sign = "-" if value < 0 and digits else ""
    return f"{sign}{text[:-places]}.{text[-places:]}" if places else f"{sign}{text}"


def format_number(value: Fraction) -> str:
    """Format points: 7, 2.5, or rounded to 3 places if there is no shorter decimal."""
    text = format_rounded(value, 3)
    return text.rstrip("0").rstrip(".")


def format_value(value: Fraction, unit: str, display: Mapping[str, Any]) -> str:
    """Format a value as the ruleset prints it: shares in percent with its places, everything else as a number."""
    if unit == "share":
        return format_rounded(value * 100, display.get("percent_places", 2), display.get("mode", "half_up"))
    return format_number(value)


def format_record(outcomes: Outcomes) -> str:
    """Format wins, losses, draws and rounds not played: 4–1–1, 1 round not played."""
    won, lost, drawn, not_played = outcomes
    return ", ".join([f"{won}–{lost}–{drawn}", *not_played_in_words(not_played)])


def not_played_in_words(count: int) -> list[str]:
    """Return the rounds missed or sat out as a list of zero or one phrases."""
    text = ngettext("%(n)s round not played", "%(n)s rounds not played", count)
    return [text % {"n": count}] if count else []


def record_in_words(outcomes: Outcomes) -> str:
    """Return a record in words: 4 wins, 1 loss, 1 draw, 1 round not played."""
    won, lost, drawn, not_played = outcomes
    parts = [
        ngettext("%(n)s win", "%(n)s wins", won) % {"n": won},
        ngettext("%(n)s loss", "%(n)s losses", lost) % {"n": lost},
    ]
    if drawn:
        parts.append(ngettext("%(n)s draw", "%(n)s draws", drawn) % {"n": drawn})
    return ", ".join([*parts, *not_played_in_words(not_played)])


def points_in_words(text: str) -> str:
    return ngettext("%(n)s point", "%(n)s points", 1 if text == "1" else 2) % {"n": text}
