"""The prize list as it is read: everyone who wins something, with place, points and prizes in words."""

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from standings.event.prizes import Award, awards_of
from standings.words.formats import format_number
from tournament.event.types import Event
from tournament.text.prizes import amount_text, condition_words, place_words


class PrizeLine(NamedTuple):
    """A line of the prize list. `tied`: the place is shared; `why`: the lines of the structure it comes from."""

    place: str
    tied: bool
    code: str
    name: str
    points: str
    won: str
    why: str


class PrizeList(NamedTuple):
    """The prize list.

    total    the sum of all amounts
    left     what is left of shares that are no whole cents
    no_one   that places no one has win something, in words; "" where none does
    """

    lines: list[PrizeLine]
    total: str
    left: str
    no_one: str


def prize_list_of(event: Event, names: Mapping[str, str]) -> PrizeList:
    """Who wins what by the standings as they are; amounts are rounded down to cents."""
    everyone = awards_of(event)
    awards = [award for award in everyone if award.prizes]
    total = sum((award.amount for award in awards), Fraction(0))
    paid = sum((Fraction(int(award.amount * 100), 100) for award in awards), Fraction(0))
    left = total - paid
    lines = [_line(award, names) for award in awards]
    no_one = _no_one_words(event, len(everyone))
    return PrizeList(lines, amount_text(total) if total else "", amount_text(left) if left else "", no_one)


def _no_one_words(event: Event, count: int) -> str:
    """That prizes are set for more final places than these `count`; "" where none is."""
    beyond = [prize for prize in event.prizes if prize.by == "place" and prize.last > count]
    if not beyond:
        return ""
    first = max(count + 1, min(prize.first for prize in beyond))
    text = ngettext(
        "Prizes for %(places)s place are not given out: only %(count)s player has a final place.",
        "Prizes for %(places)s place are not given out: only %(count)s players have a final place.",
        count,
    )
    return text % {"places": place_words(first, max(prize.last for prize in beyond)), "count": count}


def _line(award: Award, names: Mapping[str, str]) -> PrizeLine:
    won = [amount_text(award.amount)] if award.amount else []
    won += [_thing_words(what, share) for what, share in award.things.items()]
    return PrizeLine(
        place_words(award.best, award.worst),
        award.best != award.worst,
        award.code,
        names[award.code],
        format_number(award.points),
        ", ".join(won),
        "; ".join(map(condition_words, award.prizes)),
    )


def _thing_words(what: str, share: Fraction) -> str:
    """A prize in words, or how much of it: "2 × booster", "1/2 of the trophy"."""
    if share == 1:
        return what
    if share.denominator == 1:
        return _("%(count)s × %(what)s") % {"count": share, "what": what}
    return _("%(share)s of: %(what)s") % {"share": share, "what": what}
