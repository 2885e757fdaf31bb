"""Numbers, records and points as texts. Nothing printed here is ever compared."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from django.utils.translation import ngettext

from standings.engine import Record
from standings.engine.records import wins_losses_draws


def format_rounded(value: Fraction, places: int, mode: str = "half_up") -> str:
    """A number with `places` decimal places, half up or truncated, in exact arithmetic."""
    scaled = abs(value) * 10**places
    if mode == "truncate":
        digits = scaled.numerator // scaled.denominator
    else:
        digits = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    text = str(digits).rjust(places + 1, "0")
    sign = "-" if value < 0 and digits else ""
    return f"{sign}{text[:-places]}.{text[-places:]}" if places else f"{sign}{text}"


def format_number(value: Fraction) -> str:
    """Points: 7, 2.5, or rounded to 3 places if there is no shorter decimal."""
    text = format_rounded(value, 3)
    return text.rstrip("0").rstrip(".")


def format_value(value: Fraction, unit: str, display: Mapping[str, Any]) -> str:
    """A value as the ruleset prints it: shares in percent with its places, everything else as a number."""
    if unit == "share":
        return format_rounded(value * 100, display.get("percent_places", 2), display.get("mode", "half_up"))
    return format_number(value)


def format_record(record: Record) -> str:
    """Wins, losses and draws: 4–1–1."""
    return "–".join(map(str, wins_losses_draws(record)))


def record_in_words(text: str) -> str:
    """A record in words: 4 wins, 1 loss, 1 draw."""
    won, lost, drawn = map(int, text.split("–"))
    parts = [
        ngettext("%(n)s win", "%(n)s wins", won) % {"n": won},
        ngettext("%(n)s loss", "%(n)s losses", lost) % {"n": lost},
    ]
    if drawn:
        parts.append(ngettext("%(n)s draw", "%(n)s draws", drawn) % {"n": drawn})
    return ", ".join(parts)


def points_in_words(text: str) -> str:
    """1 point, 2.5 points."""
    return ngettext("%(n)s point", "%(n)s points", 1 if text == "1" else 2) % {"n": text}
