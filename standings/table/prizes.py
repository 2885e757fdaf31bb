"""The prize winners, and the prize list in words."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from standings.table.places import build_event_bracket, rank_final_places
from standings.table.swiss import compute_standings
from tournament.event.formats import format_number
from tournament.event.prizes import amount_text, condition_words, place_words
from tournament.event.settings import Prize
from tournament.event.types import Event
from tournament.schemas.kinds import exact_number


@dataclass(slots=True)
class Award:
    """A player's prize for the places `best` to `worst`, which tied players share."""

    code: str
    best: int
    worst: int
    points: Fraction
    amount: Fraction = Fraction(0)  # exact: a third of 100 is 100/3
    # The player's share of each prize in words: 1, or 1/2 if two players share it.
    things: dict[str, Fraction] = field(default_factory=dict)
    prizes: list[Prize] = field(default_factory=list)  # the lines it comes from

    def add(self, prize: Prize, share: Fraction = Fraction(1)) -> None:
        self.prizes.append(prize)
        self.amount += Fraction(prize.amount or 0) * share
        if prize.what:
            self.things[prize.what] = self.things.get(prize.what, Fraction(0)) + share


def compute_awards(event: Event) -> list[Award]:
    """Return everyone with a final place and the prizes won; under "share", ties share the prizes of their places."""
    places = rank_final_places(event)
    ranking = compute_standings(event)
    bracket = build_event_bracket(event)
    inside = set(bracket.seeds) if bracket is not None else set()
    views = {row.entry: ranking.views[row.entry].now for row in ranking}
    points = {code: field.column("match_points").exact(code) for code, field in views.items()}
    order = [place.entry for place in places if place.entry in points]
    place_by_code = {place.entry: place.place for place in places}

    def tied_by(code: str) -> tuple[object, ...]:
        if event.prize_split == "order":
            return (code,)
        return (place_by_code[code],) if code in inside else ("points", points[code])

    awards = {code: Award(code, 0, 0, points[code]) for code in order}
    for best, group in _groups(order, tied_by):
        for code in group:
            awards[code].best, awards[code].worst = best, best + len(group) - 1
    _by_place([prize for prize in event.prizes if prize.by == "place"], order, tied_by, awards)
    for label, prizes in prizes_by_label(event).items():
        _by_place(prizes, codes_with_label(event, order, label), tied_by, awards)
    lines = [(exact_number(prize.points), prize) for prize in event.prizes if prize.by == "points"]
    by_points = [(least, prize) for least, prize in lines if least is not None]
    for award in awards.values():
        highest = max((least for least, _prize in by_points if least <= award.points), default=None)
        for least, prize in by_points:
            if least == highest:
                award.add(prize)
    return list(awards.values())


def prizes_by_label(event: Event) -> dict[str, list[Prize]]:
    """Group the prizes that are for places within a label by that label, ignoring case."""
    by_label: dict[str, list[Prize]] = {}
    for prize in event.prizes:
        if prize.by == "label":
            by_label.setdefault(prize.label.casefold(), []).append(prize)
    return by_label


def codes_with_label(event: Event, codes: Iterable[str], label: str) -> list[str]:
    return [code for code in codes if label in map(str.casefold, event.entries[code].labels)]


def _groups(
    order: Sequence[str], tied_by: Callable[[str], tuple[object, ...]]
) -> Iterable[tuple[int, list[str]]]:
    place = 1
    for _key, tied in groupby(order, tied_by):
        group = list(tied)
        yield place, group
        place += len(group)


def _by_place(
    prizes: Sequence[Prize],
    order: Sequence[str],
    tied_by: Callable[[str], tuple[object, ...]],
    awards: dict[str, Award],
) -> None:
    for best, group in _groups(order, tied_by):
        worst = best + len(group) - 1
        for prize in prizes:
            won = min(prize.last, worst) - max(prize.first, best) + 1  # of the group's places
            if share := Fraction(max(won, 0), len(group)):
                for code in group:
                    awards[code].add(prize, share)


class PrizeLine(NamedTuple):
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


def build_prize_list(event: Event, names: Mapping[str, str]) -> PrizeList:
    everyone = compute_awards(event)
    awards = [award for award in everyone if award.prizes]
    total = sum((award.amount for award in awards), Fraction(0))
    paid = sum((Fraction(int(award.amount * 100), 100) for award in awards), Fraction(0))
    currency = event.prize_currency
    in_all, left = (amount_text(amount, currency) if amount else "" for amount in (total, total - paid))
    no_one = _no_one_words(event, [award.code for award in everyone])
    return PrizeList([_line(award, names, currency) for award in awards], in_all, left, no_one)


def _no_one_words(event: Event, codes: Sequence[str]) -> list[str]:
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
