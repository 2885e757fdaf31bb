"""Exact numbers as printed. Printed values are never compared."""

from fractions import Fraction

from django.utils.translation import ngettext


def format_rounded(value: Fraction, places: int, mode: str = "half_up") -> str:
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


def points_in_words(text: str) -> str:
    return ngettext("%(n)s point", "%(n)s points", 1 if text == "1" else 2) % {"n": text}
