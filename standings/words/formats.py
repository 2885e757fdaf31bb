"""Numbers, records and profile values as texts, and back. Exact numbers stay as typed: "1/3" is not "0.33"."""

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from standings.engine.metrics.registry import KINDS_OF_BYE
from standings.engine.records import Outcomes
from tournament.event.formats import format_number, format_rounded


def format_value(value: Fraction, unit: str, display: Mapping[str, Any]) -> str:
    """Format a value as the ruleset prints it: a share as a percentage with its places, anything else as a number."""
    if unit == "share":
        return format_rounded(value * 100, display.get("percent_places", 2), display.get("mode", "half_up"))
    return format_number(value)


def format_record(outcomes: Outcomes) -> str:
    """Format wins, losses, draws and rounds not played: 4–1–1, 1 round not played."""
    won, lost, drawn, not_played = outcomes
    return ", ".join([f"{won}–{lost}–{drawn}", *not_played_in_words(not_played)])


def not_played_in_words(count: int) -> list[str]:
    """Return a list with the number of rounds missed or sat out, in words; empty for 0."""
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


YES, NO = "yes", "no"
LONGEST = 60
_GAMES = re.compile(r"(\d{1,2})\s*[-–:, ]\s*(\d{1,2})\s*[-–:, ]\s*(\d{1,2})", re.ASCII)
_OPPONENTS = re.compile(r"(\d{1,2})\s*[x×*]\s*(\S+(?:\s*%)?)", re.ASCII | re.IGNORECASE)
_WORTH = re.compile(r"(\w+)\s*=\s*([^\s,;]+(?:\s*%)?)", re.ASCII)
_PERCENT = re.compile(r"([+-]?\d{1,13}(?:\.\d{1,13})?)\s*%", re.ASCII)


def value_as_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return YES if value else NO
    if isinstance(value, list):
        between = "-" if all(isinstance(part, int) for part in value) else ", "
        return between.join(map(str, value))
    if isinstance(value, dict) and "value" in value:
        return f"{value.get('count', 1)} x {value['value']}"
    if isinstance(value, dict):
        return ", ".join(f"{kind}={worth}" for kind, worth in value.items())
    return str(value)


def parse_value(kind: str, text: str) -> Any:
    """Parse a text; of a kind that is not a number or a list it is its own value. Raises ValidationError."""
    if kind in ("number", "follows", "share", "choice or number"):
        return _number(text)
    if kind in ("switch", "yes_no"):
        return text == YES
    if kind == "whole":
        if not _is_whole(text, 6):
            raise ValidationError(_("Enter a whole number, such as 2."))
        return int(text)
    if kind == "option":
        return int(text) if _is_whole(text, 4) else text
    if kind == "games":
        if not (games := _GAMES.fullmatch(text)):
            raise ValidationError(_("Enter games won, lost and drawn, such as 2-0-0."))
        return [int(part) for part in games.groups()]
    if kind in ("bye", "choice or opponents"):
        opponents = _OPPONENTS.fullmatch(text)
        return {"value": _number(opponents[2]), "count": int(opponents[1])} if opponents else text
    if kind == "number by round":
        numbers = [_number(part) for part in re.split(r"\s*[,;–-]\s*|\s+(?!%)", text)]
        return numbers if len(numbers) > 1 else numbers[0]
    return _worths(text) if kind == "worths" else text


def _is_whole(text: str, digits: int) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= digits


def _number(text: str) -> str:
    percent = _PERCENT.fullmatch(text)
    return f"{(Decimal(percent[1]) / 100).normalize():f}" if percent else text


def _worths(text: str) -> dict[str, str]:
    worths = {kind: _number(worth) for kind, worth in _WORTH.findall(text)}
    if not worths or _WORTH.sub("", text).strip(" ,;"):
        text = _("Enter kinds of byes and what each is worth, such as bye=1/2, zero=0. Kinds: %(kinds)s.")
        raise ValidationError(text % {"kinds": ", ".join(KINDS_OF_BYE)})
    return worths
