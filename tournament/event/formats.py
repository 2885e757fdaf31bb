"""Exact numbers and dates as printed. Printed values are never compared."""

import datetime as dt
from fractions import Fraction

from babel.dates import format_skeleton
from django.utils.translation import get_language, ngettext, pgettext


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
    return format_rounded(value, 3).rstrip("0").rstrip(".")


def points_in_words(text: str) -> str:
    return ngettext("%(n)s point", "%(n)s points", 1 if text == "1" else 2) % {"n": text}


def day_words(day: dt.date | None, parts: str = "MMMd") -> str:
    """Return a date such as "28 Nov" in the reader's language; "" for none.

    `parts`: what it shows, as a skeleton of Unicode's CLDR, such as "yMMMEd".
    """
    language = (get_language() or "en").replace("-", "_")
    return format_skeleton(parts, day, locale="en_GB" if language == "en" else language) if day else ""


def moment_words(moment: dt.datetime | None, parts: str = "MMMd") -> str:
    """Return a date and a time such as "28 Nov, 14:33", in the moment's own time zone."""
    if moment is None:
        return ""
    values = {"day": day_words(moment, parts), "time": f"{moment:%H:%M}"}
    return pgettext("date and time", "%(day)s, %(time)s") % values
