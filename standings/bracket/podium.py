"""Final places as they are read: 3rd–4th where a place is shared, ranges while the bracket is played, the podium."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.contrib.humanize.templatetags.humanize import ordinal
from django.utils.translation import gettext as _

from standings.bracket.tree import tree_of_event
from standings.engine.bracket.final_places import Place
from standings.event.bracket import final_places_of
from standings.words.tree import Tree
from tournament.event.types import Event


@dataclass(frozen=True, slots=True)
class PlaceRange:
    """The places `best` to `worst` that a player shares or can still have; equal once the place is settled."""

    best: int
    worst: int
    code: str
    name: str
    still_in: bool = False

    @property
    def label(self) -> str:
        """3rd or 3rd–4th; "still in" for a player who has not lost."""
        if self.still_in:
            return _("still in")
        if self.best == self.worst:
            return str(ordinal(self.best))
        return f"{ordinal(self.best)}–{ordinal(self.worst)}"


def place_ranges(places: Iterable[Place], tree: Tree, names: Mapping[str, str]) -> list[PlaceRange]:
    """The final ranking of everyone; while the bracket is played, the places each player can still have."""
    places = list(places)
    sharing = Counter(place.place for place in places)
    reach = {} if tree.over else _reach(tree)
    ranges = []
    for place in places:
        shared = (place.place, place.place + sharing[place.place] - 1)
        best, worst = reach.get(place.entry, shared)
        still_in = best == 1 and worst > 1 and place.entry in reach
        ranges.append(PlaceRange(best, worst, place.entry, names[place.entry], still_in))
    return ranges


def place_labels_of(event: Event, names: Mapping[str, str]) -> dict[str, str]:
    """The final place of each entrant of the bracket as it is read, by code; empty before there is a bracket."""
    return {code: place.label for code, place in bracket_places_of(event, names).items()}


def bracket_places_of(event: Event, names: Mapping[str, str]) -> dict[str, PlaceRange]:
    """The places of each entrant of the bracket, by code; empty before there is a bracket."""
    tree = tree_of_event(event, names)
    if tree is None:
        return {}
    entrants = {side.code for round_ in tree.rounds for match in round_.matches for side in match.sides}
    ranges = place_ranges(final_places_of(event), tree, names)
    return {range_.code: range_ for range_ in ranges if range_.code in entrants}


def podium_of(ranges: Iterable[PlaceRange]) -> list[PlaceRange]:
    """The first three places, everyone who shares them included."""
    return [place for place in ranges if place.best <= 3]


def _reach(tree: Tree) -> dict[str, tuple[int, int]]:
    """{entrant: (best, worst)}: who loses in round r of k has places 2^(k-r) + 1 to 2^(k-r+1)."""
    reach: dict[str, tuple[int, int]] = {}
    for round_ in tree.rounds:
        span = 1 << (len(tree.rounds) - round_.number)
        for side in (side for match in round_.matches for side in match.sides if side.code):
            assert side.code is not None
            lost = (span + 1, min(2 * span, tree.entrants))
            reach[side.code] = lost if side.out else (1, tree.entrants)
    if tree.champion_code:
        reach[tree.champion_code] = (1, 1)
    return reach
