"""The bracket as shown: rounds from the left, matches from the top, final places. Also as CSV and JSON."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.humanize.templatetags.humanize import ordinal
from django.utils.translation import gettext as _

from standings.engine.bracket.cut import Place
from standings.engine.bracket.tree import THIRD_PLACE, Bracket, BracketMatch
from standings.table.places import build_event_bracket, rank_final_places
from standings.words import bracket as words
from standings.words.bracket import Games, Tree, TreeMatch, TreeRound, TreeSide
from tournament.event.rounds import bracket_round_name, match_title
from tournament.event.table_plan import NO_PLAN, TablePlan, round_table_plan
from tournament.event.types import Event, Match
from tournament.exports import csv_text
from tournament.results import wording
from tournament.text import drop_isolates


def build_event_tree(event: Event, names: Mapping[str, str]) -> Tree | None:
    bracket = build_event_bracket(event)
    if bracket is None or not bracket.matches:
        return None
    reseed = bool(event.profile["elimination"].get("reseed"))
    plans = {round_.number: round_table_plan(event, round_) for round_ in event.rounds}
    return build_tree(bracket, names, plans, reseed=reseed)


def build_tree(
    bracket: Bracket, names: Mapping[str, str], plans: Mapping[int, TablePlan], *, reseed: bool
) -> Tree:
    """Return a bracket in words. A meeting's `ref` is (round number, match); `plans` are keyed by round number."""
    rounds = [TreeRound(n, bracket_round_name(n, bracket.rounds).title) for n in range(1, bracket.rounds + 1)]
    third = None
    for slot in bracket.matches.values():
        match = _build_tree_match(slot, bracket, names, plans, reseed)
        if slot.slot == THIRD_PLACE:
            third = match
        else:
            rounds[slot.round - 1].matches.append(match)
    placing = [words.placing_match(meeting.ref[1], names) for meeting in bracket.placing if meeting.ref]
    champion = bracket.champion
    name = names.get(champion or "")
    return Tree(rounds, third, placing, name, champion, len(bracket.seeds), joined=not reseed)


def _build_tree_match(
    slot: BracketMatch,
    bracket: Bracket,
    names: Mapping[str, str],
    plans: Mapping[int, TablePlan],
    reseed: bool,
) -> TreeMatch:
    number, played = slot.meeting.ref if slot.meeting else (None, None)
    a, b = (_build_side(slot, side, bracket, names, played, reseed) for side in ("a", "b"))
    match = TreeMatch(slot.slot, match_title(slot.slot, bracket.rounds), (a, b), _match_state(slot), number)
    if played is not None:
        match.table_name = plans.get(number or 0, NO_PLAN).name(played.table)
        _add_result(match, played, turned=played.b is not None and played.a == slot.b)
    for tree_side, games in zip(match.sides, words.games_beside(match), strict=False):
        tree_side.games = games
    match.note, match.first_move = words.result_note(match), words.first_move(match)
    match.sentence = words.match_sentence(match)
    return match


def _add_result(match: TreeMatch, played: Match, turned: bool) -> None:
    def seen_from_above(games: Sequence[int]) -> Games:
        a, b, drawn = games
        return (b, a, drawn) if turned else (a, b, drawn)

    match.table, match.result, match.decided = played.table, played.result, played.decided or ""
    if played.b is not None and played.games is not None and played.result is not None:
        match.games = seen_from_above(played.games)
        match.repeats = [seen_from_above(game["games"]) for game in played.replays if game.get("games")]
    if played.score:
        a, b = played.score
        match.points = (b, a) if turned else (a, b)


def _match_state(slot: BracketMatch) -> str:
    if slot.is_bye or (slot.meeting and slot.meeting.b is None):
        return "bye"
    if slot.done:
        return "done"
    return "open" if slot.both_known and slot.a and slot.b else "waits"


def _build_side(
    slot: BracketMatch, side: str, bracket: Bracket, names: Mapping[str, str], played: Any, reseed: bool
) -> TreeSide:
    code = getattr(slot, side)
    won = code is not None and code == slot.winner
    recorded = None if played is None or code is None else ("a" if played.a == code else "b")
    awaits = ""
    if code is None and getattr(slot, f"{side}_known"):
        awaits = words.empty_side(names.get(_gone_from(slot, side) or "", ""))
    elif code is None:
        awaits = words.awaited_player(slot, side, bracket.rounds, reseed)
    return TreeSide(
        code=code,
        name=names.get(code or "", ""),
        seed=bracket.seeds.get(code or ""),
        games="",
        won=won,
        out=slot.done and code is not None and not won,
        first=recorded is not None and played.first == recorded,
        awaits=awaits,
    )


def _gone_from(slot: BracketMatch, side: str) -> str | None:
    empty = [other for other in ("a", "b") if getattr(slot, other) is None]
    return slot.gone[empty.index(side)] if len(slot.gone) == len(empty) else None


MOST_LINES = 16
LAST_ROUNDS = 3  # on the page where everything comes together: from the quarterfinals on


def split_into_pages(tree: Tree) -> list[Tree]:
    """Split the tree into screen pages that start one round before the current one, no later than the quarterfinals."""
    begin = max(min(tree.current.number - 2, len(tree.rounds) - LAST_ROUNDS), 0)
    whole = replace(tree, rounds=tree.rounds[begin:], placing=[])
    if whole.lines <= MOST_LINES:
        return [whole]
    depth, parts = MOST_LINES.bit_length() - 1, whole.lines // MOST_LINES
    pages = []
    for part in range(parts):
        rounds = [_cut_part(round_, part, parts) for round_ in whole.rounds[:depth]]
        pages.append(replace(whole, rounds=rounds, third=None))
    return [*pages, replace(whole, rounds=tree.rounds[-LAST_ROUNDS:])]


def _cut_part(round_: TreeRound, part: int, parts: int) -> TreeRound:
    size = len(round_.matches) // parts
    return replace(round_, matches=round_.matches[part * size : (part + 1) * size])


# --- final places as shown -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PlaceRange:
    """The places `best` to `worst` that a player shares or can still reach; equal once the place is settled."""

    best: int
    worst: int
    code: str
    name: str
    still_in: bool = False

    @property
    def label(self) -> str:
        if self.still_in:
            return _("still in")
        if self.best == self.worst:
            return str(ordinal(self.best))
        return f"{ordinal(self.best)}–{ordinal(self.worst)}"


def place_ranges(places: Sequence[Place], tree: Tree, names: Mapping[str, str]) -> list[PlaceRange]:
    """Return the final ranking of everyone or, during the bracket, the places each player can still reach."""
    sharing = Counter(place.place for place in places)
    reach = {} if tree.over else _reach(tree)
    ranges = []
    for place in places:
        shared = (place.place, place.place + sharing[place.place] - 1)
        best, worst = reach.get(place.entry, shared)
        still_in = best == 1 and worst > 1 and place.entry in reach
        ranges.append(PlaceRange(best, worst, place.entry, names[place.entry], still_in))
    return ranges


def place_label_by_code(event: Event, names: Mapping[str, str]) -> dict[str, str]:
    """Return {code: final place as printed} for the bracket's players; empty before there is a bracket."""
    places = bracket_place_by_code(event, names, rank_final_places(event))
    return {code: place.label for code, place in places.items()}


def bracket_place_by_code(
    event: Event, names: Mapping[str, str], places: Sequence[Place]
) -> dict[str, PlaceRange]:
    """Return {code: places} for the bracket's players; empty before there is a bracket. `places`: the final ones."""
    tree = build_event_tree(event, names)
    if tree is None:
        return {}
    entrants = {side.code for round_ in tree.rounds for match in round_.matches for side in match.sides}
    ranges = place_ranges(places, tree, names)
    return {range_.code: range_ for range_ in ranges if range_.code in entrants}


def list_podium(ranges: Iterable[PlaceRange]) -> list[PlaceRange]:
    """The first three places, including everyone who shares them."""
    return [place for place in ranges if place.best <= 3]


def _reach(tree: Tree) -> dict[str, tuple[int, int]]:
    """Return {entrant: (best, worst)}: a loser of round r of k has places 2^(k-r) + 1 to 2^(k-r+1)."""
    reach: dict[str, tuple[int, int]] = {}
    for round_ in tree.rounds:
        span = 1 << (len(tree.rounds) - round_.number)
        lost = (span + 1, min(2 * span, tree.entrants))
        for side in (side for match in round_.matches for side in match.sides):
            if side.code is not None:
                reach[side.code] = lost if side.out else (1, tree.entrants)
    if tree.champion_code:
        reach[tree.champion_code] = (1, 1)
    return reach


COLUMNS = (
    "round", "match", "table", "state", "seed_a", "player_a", "seed_b", "player_b", "games_a", "games_b",
    "drawn", "points_a", "points_b", "repeat_games", "result", "decided", "winner",
)  # fmt: skip


def render_bracket_csv(tree: Tree | None) -> str:
    """Return one line per match, first round first; before the cut only the header."""
    return csv_text(COLUMNS, [] if tree is None else [_row(match, tree) for match in tree.matches])


def _row(match: TreeMatch, tree: Tree) -> list[object]:
    a, b = match.sides
    round_title = next((r.title for r in tree.rounds if match in r.matches), match.title)
    start = [match.title, match.table_name or None, match.state]
    players = [a.seed, a.name, b.seed, b.name]
    numbers = [*(match.games or (None, None, None)), *(match.points or (None, None))]
    repeats = "; ".join(wording.games_words(repeat) for repeat in match.repeats)
    winner = match.winner.name if match.winner else None
    return [round_title, *start, *players, *numbers, repeats, match.result, match.decided, winner]


def render_bracket_json(tree: Tree | None, places: Iterable[PlaceRange]) -> str:
    """Return the tree round by round, and every player's place; before the cut `"rounds": []`."""
    document = {
        "format": "swiss-bracket",
        "version": 1,
        "entrants": tree.entrants if tree else 0,
        "over": tree.over if tree else False,
        "champion": tree.champion_code if tree else None,
        "rounds": [
            {"round": r.number, "title": r.title, "matches": [_match_json(match) for match in r.matches]}
            for r in (tree.rounds if tree else ())
        ],
        "third_place": _match_json(tree.third) if tree and tree.third else None,
        "places": [
            {"best": p.best, "worst": p.worst, "entry": p.code, "name": p.name}
            for p in (places if tree else ())
        ],
    }
    return drop_isolates(json.dumps(document, ensure_ascii=False, separators=(",", ":"))) + "\n"


def _match_json(match: TreeMatch) -> dict[str, Any]:
    return {
        "slot": match.slot,
        "title": match.title,
        "state": match.state,
        "table": match.table,
        "a": _side_json(match.sides[0]),
        "b": _side_json(match.sides[1]),
        "first": "ab"[match.sides.index(match.first)] if match.first else None,
        "result": match.result,
        "games": match.games,
        "points": match.points,
        "repeat_games": match.repeats,
        "decided": match.decided or None,
        "winner": "ab"[match.sides.index(match.winner)] if match.winner else None,
    }


def _side_json(side: TreeSide) -> dict[str, Any] | None:
    return {"entry": side.code, "name": side.name, "seed": side.seed} if side.code else None
