"""Prizes by final place; ties are shared if the event says so. Exact."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby

from standings.event.bracket import bracket_of_event, final_places_of
from standings.event.swiss import standings_of
from tournament.event.settings import Prize
from tournament.event.types import Event
from tournament.schemas.kinds import exact_number


@dataclass(slots=True)
class Award:
    """A player's prize for the places `best` to `worst`, shared by tied players."""

    code: str
    best: int
    worst: int
    points: Fraction
    amount: Fraction = Fraction(0)  # exact: a third of 100 is 100/3
    # The share of each prize in words: 1, or 1/2 where 2 share it.
    things: dict[str, Fraction] = field(default_factory=dict)
    prizes: list[Prize] = field(default_factory=list)  # the lines it comes from

    def add(self, prize: Prize, share: Fraction = Fraction(1)) -> None:
        self.prizes.append(prize)
        self.amount += Fraction(prize.amount or 0) * share
        if prize.what:
            self.things[prize.what] = self.things.get(prize.what, Fraction(0)) + share


def awards_of(event: Event) -> list[Award]:
    """Return everyone with a final place, in order, with the prizes won; without disqualified and house entries.

    Players tie if they share a final place or, outside the bracket, have equal match points. Under "order" no one ties:
    tiebreakers and then the order of the standings decide. Under "share" tied players share what their places win.
    """
    places = final_places_of(event)
    ranking = standings_of(event)
    bracket = bracket_of_event(event)
    inside = set(bracket.seeds) if bracket is not None else set()
    points = {
        row.entry: ranking.views[row.entry].now.column("match_points").exact(row.entry) for row in ranking
    }
    order = [place.entry for place in places if place.entry in points]
    place_of = {place.entry: place.place for place in places}

    def tied_by(code: str) -> tuple[object, ...]:
        if event.prize_split == "order":
            return (code,)
        return (place_of[code],) if code in inside else ("points", points[code])

    awards = {code: Award(code, 0, 0, points[code]) for code in order}
    for best, group in _groups(order, tied_by):
        for code in group:
            awards[code].best, awards[code].worst = best, best + len(group) - 1
    _by_place([prize for prize in event.prizes if prize.by == "place"], order, tied_by, awards)
    for label, prizes in prizes_by_label(event).items():
        _by_place(prizes, codes_with_label(event, order, label), tied_by, awards)
    for award in awards.values():
        reached = [(least, prize) for prize in event.prizes if (least := _least(prize)) is not None]
        reached = [(least, prize) for least, prize in reached if award.points >= least]
        highest = max((least for least, _prize in reached), default=None)
        for least, prize in reached:
            if least == highest:
                award.add(prize)
    return list(awards.values())


def prizes_by_label(event: Event) -> dict[str, list[Prize]]:
    """Group the prizes for places within a label by the label, ignoring case."""
    by_label: dict[str, list[Prize]] = {}
    for prize in event.prizes:
        if prize.by == "label":
            by_label.setdefault(prize.label.casefold(), []).append(prize)
    return by_label


def codes_with_label(event: Event, codes: Iterable[str], label: str) -> list[str]:
    return [code for code in codes if label in map(str.casefold, event.entries[code].labels)]


def _least(prize: Prize) -> Fraction | None:
    return exact_number(prize.points) if prize.by == "points" else None


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
