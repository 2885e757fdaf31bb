from collections.abc import Iterable, Iterator

from django.urls import reverse

from tournament.models import Action, Match, Round, Tournament

# ("match", round, table), ("round", number, 0), ("player", 0, code), and also ("played", 0, code) if it is
# about the rounds of a player.
Place = tuple[str, int, int | str]
PLAYED = {"status", "joined_round", "dropped_after", "late"}


def correction_addresses(tournament: Tournament, actions: Iterable[Action]) -> dict[int, str]:
    """Return {action number: URL of the page that corrects its changes}, in three queries."""
    actions = list(actions)
    if not actions:
        return {}
    changed = {action.number: set(_places_of(action)) for action in actions}
    tables = {table for places in changed.values() for kind, _round, table in places if kind == "match"}
    matches = Match.objects.filter(round__tournament=tournament, table__in=tables)
    rounds = tournament.rounds.values_list("number", "swiss", "state")
    there: set[Place] = {("round", number, 0) for number, _swiss, _state in rounds}
    seats = matches.values_list("round__number", "table")
    there |= {("match", number, table or 0) for number, table in seats}
    codes = tournament.entries.values_list("code", flat=True)
    kinds = ("player", "played") if rounds else ("player",)
    there |= {(kind, 0, code) for code in codes for kind in kinds}
    in_progress = {number for number, swiss, state in rounds if swiss and state == Round.State.PUBLISHED}
    return {
        number: _address(tournament, sorted(places & there), in_progress)
        for number, places in changed.items()
        if places & there
    }


def _places_of(action: Action) -> Iterator[Place]:
    for change in action.changes:
        kind, *parts = change["fact"].split("/")
        if kind == "entries" or (kind == "rounds" and parts[1:2] == ["entries"]):
            yield "player", 0, parts[-1]
            if kind == "rounds" or not PLAYED.isdisjoint(change.get("after") or ()):
                yield "played", 0, parts[-1]
        elif kind == "rounds" and len(parts) == 3 and None not in (change["before"], change["after"]):
            yield "match", int(parts[0]), int(parts[2])
        elif kind == "rounds" and len(parts) < 4:  # not the extension of a table
            yield "round", int(parts[0]), 0


def _address(tournament: Tournament, places: list[Place], in_progress: set[int]) -> str:
    matches = [place for place in places if place[0] == "match"]
    rounds = [number for kind, number, _which in places if kind == "round"]
    slug = tournament.slug
    if len(matches) == 1:
        return reverse("correct", args=[slug, *matches[0][1:]])
    if matches:
        return reverse("desk-round", args=[slug, matches[-1][1]])
    if rounds:
        return reverse("repair" if rounds[-1] in in_progress else "desk-round", args=[slug, rounds[-1]])
    if len({code for _kind, _round, code in places}) == 1:
        kind, _round, code = places[0]  # "played" comes first
        return reverse("correct-player" if kind == "played" else "entry", args=[slug, code])
    return reverse("entries", args=[slug])
