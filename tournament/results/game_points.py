"""Points made inside a match, as exact text such as "412" or "53/4": parse, check and format."""

import re
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _

from tournament.errors import Refused
from tournament.rulesets import ScoreRules

Score = tuple[str, str]

MOST = 99_999  # far above any real game
PLACES = 4  # after the decimal point
_NUMBER = r"[-−]?\d{1,9}(?:[.,]\d{1,9})?"
# "412 388", "412-388", "412:388"; "412 -5" is a score below zero only where there are such.
_APART = re.compile(rf"({_NUMBER})(?:\s*[-–:]\s*|\s+)(\d{{1,9}}(?:[.,]\d{{1,9}})?)")
_SIGNED = re.compile(rf"({_NUMBER})(?:\s+(?=[-−]?\d)|\s*[-–:]\s*)({_NUMBER})")


def parse_score(text: str, rules: ScoreRules) -> Score | None:
    """Parse a score such as "412 388" or "12.5-7.5"; None if there is none."""
    match = (_SIGNED if rules.below_zero else _APART).fullmatch(text.strip())
    return (parse_points(match[1], rules), parse_points(match[2], rules)) if match else None


def parse_points(text: str, rules: ScoreRules) -> str:
    plain = text.strip().replace(",", ".").replace("−", "-")
    values: dict[str, Any] = {"points": text.strip()[:20], "places": PLACES}
    if not re.fullmatch(r"-?\d{1,9}(\.\d{1,9})?", plain, re.ASCII):
        raise Refused(_("“%(points)s” is not a number of points."), **values)
    points = Fraction(plain)
    if points.denominator != 1 and not rules.decimals:
        raise Refused(_("%(points)s: this ruleset counts whole points."), **values)
    if len(plain.partition(".")[2]) > PLACES:
        raise Refused(_("%(points)s: at most %(places)s decimal places."), **values)
    if points < 0 and not rules.below_zero:
        raise Refused(_("%(points)s: points cannot be below zero here."), **values)
    if abs(points) > MOST:
        raise Refused(_("%(points)s points are more than a match can have. Check the match slip."), **values)
    return str(points)


def check_score(score: Score, rules: ScoreRules) -> None:
    for text in score:
        try:
            plain = points_text(text)
        except (ValueError, ZeroDivisionError):
            plain = text
        parse_points(plain, rules)


def leading_side(score: Score) -> str:
    """Return the side with more points; "" for equal points."""
    a, b = map(Fraction, score)
    return "" if a == b else ("a" if a > b else "b")


def score_text(score: Score) -> str:
    """Format a score: 412–388; negative points with spaces around the dash."""
    a, b = map(points_text, score)
    return f"{a} – {b}" if "−" in a + b else f"{a}–{b}"


def points_text(text: str) -> str:
    """Format exact points: 412, 13.25; as a fraction if no decimal is exact."""
    points = Fraction(text)
    scaled = points * 10**PLACES
    if scaled.denominator != 1:
        return str(points).replace("-", "−")
    whole, rest = divmod(abs(scaled.numerator), 10**PLACES)
    decimals = f".{rest:0{PLACES}d}".rstrip("0").rstrip(".")
    return ("−" if points < 0 else "") + f"{whole}{decimals}"
