"""The prize list: everyone who wins something, with place, points and prizes in words."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from standings.event.bracket import Award, awards_of, codes_with_label, prizes_by_label
from tournament.event.numbers import format_number
from tournament.event.prizes import amount_text, condition_words, place_words
from tournament.event.settings import Prize
from tournament.event.types import Event


class PrizeLine(NamedTuple):
    """A line of the prize list."""

    place: str
    tied: bool  # the place is shared
    code: str
    name: str
    points: str
    won: str
    why: str  # the lines of the structure it comes from


class PrizeList(NamedTuple):
    lines: list[PrizeLine]
    total: str  # the sum of all amounts
    left: str  # what is left of shares that are no whole cents
    no_one: list[str]  # which prizes no one wins for lack of players, a sentence each


def prize_list_of(event: Event, names: Mapping[str, str]) -> PrizeList:
    """Return the prize winners by the current standings; amounts are rounded down to cents."""
    everyone = awards_of(event)
    awards = [award for award in everyone if award.prizes]
    total = sum((award.amount for award in awards), Fraction(0))
    paid = sum((Fraction(int(award.amount * 100), 100) for award in awards), Fraction(0))
    left = total - paid
    currency = event.prize_currency
    lines = [_line(award, names, currency) for award in awards]
    no_one = _no_one_words(event, [award.code for award in everyone])
    in_all, over = (amount_text(amount, currency) if amount else "" for amount in (total, left))
    return PrizeList(lines, in_all, over, no_one)


def _no_one_words(event: Event, codes: Sequence[str]) -> list[str]:
    """List prizes set for more places than there are players, overall and per label."""
    words = []
    if places := _places_beyond([prize for prize in event.prizes if prize.by == "place"], len(codes)):
        text = ngettext(
            "Prizes for %(places)s place are not given out: only %(count)s player has a final place.",
            "Prizes for %(places)s place are not given out: only %(count)s players have a final place.",
            len(codes),
        )
        words.append(text % {"places": places, "count": len(codes)})
    for label, prizes in prizes_by_label(event).items():
        count = len(codes_with_label(event, codes, label))
        if places := _places_beyond(prizes, count):
            text = ngettext(
                "Prizes for %(places)s place of %(label)s are not given out: only %(count)s player has this label.",
                "Prizes for %(places)s place of %(label)s are not given out: only %(count)s players have this label.",
                count,
            )
            words.append(text % {"places": places, "label": prizes[0].label, "count": count})
    return words


def _places_beyond(prizes: Iterable[Prize], count: int) -> str:
    """Return the places of these prizes beyond `count` players, in words; "" for none."""
    beyond = [prize for prize in prizes if prize.last > count]
    if not beyond:
        return ""
    first = max(count + 1, min(prize.first for prize in beyond))
    return place_words(first, max(prize.last for prize in beyond))


def _line(award: Award, names: Mapping[str, str], currency: str) -> PrizeLine:
    won = [amount_text(award.amount, currency)] if award.amount else []
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
    """Return a prize, or a share of it, in words: "2 × booster", "1/2 of the trophy"."""
    if share == 1:
        return what
    if share.denominator == 1:
        return _("%(count)s × %(what)s") % {"count": share, "what": what}
    return _("%(share)s of: %(what)s") % {"share": share, "what": what}
