"""The bracket as it is drawn and read: rounds from the left, matches from the top."""

from collections.abc import Mapping, Sequence
from typing import Any

from standings.engine.bracket.slots import THIRD_PLACE
from standings.engine.bracket.types import Bracket, BracketMatch
from standings.event.bracket import bracket_of_event
from standings.words import bracket as words
from standings.words.tree import Games, Tree, TreeMatch, TreeRound, TreeSide
from tournament.event.table_plan import NO_PLAN, TablePlan, plan_of
from tournament.event.types import Event, Match


def tree_of_event(event: Event, names: Mapping[str, str]) -> Tree | None:
    """The event's bracket in words; None before the cut."""
    bracket = bracket_of_event(event)
    if bracket is None or not bracket.matches:
        return None
    reseed = bool(event.profile["elimination"].get("reseed"))
    return tree_of(bracket, names, plan_of(event), reseed=reseed)


def tree_of(
    bracket: Bracket, names: Mapping[str, str], plan: TablePlan = NO_PLAN, *, reseed: bool = False
) -> Tree:
    """A bracket in words, whose meetings have (round number, match) as their `ref`. `names`: by entry code.

    `reseed`: in every round the best seed left meets the worst.
    """
    rounds = [TreeRound(n, words.round_title(n, bracket.rounds)) for n in range(1, bracket.rounds + 1)]
    third = None
    for slot in bracket.matches.values():
        match = _match_of(slot, bracket, names, plan, reseed)
        if slot.slot == THIRD_PLACE:
            third = match
        else:
            rounds[slot.round - 1].matches.append(match)
    placing = [words.placing_match(meeting.ref[1], names) for meeting in bracket.placing if meeting.ref]
    champion = bracket.champion
    name = names.get(champion or "")
    return Tree(rounds, third, placing, name, champion, len(bracket.seeds), joined=not reseed)


def _match_of(
    slot: BracketMatch, bracket: Bracket, names: Mapping[str, str], plan: TablePlan, reseed: bool
) -> TreeMatch:
    number, played = slot.meeting.ref if slot.meeting else (None, None)
    a, b = (_side_of(slot, side, bracket, names, played, reseed) for side in ("a", "b"))
    title = words.match_title(slot.slot, slot.round, bracket.rounds)
    match = TreeMatch(slot.slot, title, (a, b), _state_of(slot), number)
    if played is not None:
        match.table_name = plan.name(played.table) if played.table else ""
        _add_result(match, played, turned=played.b is not None and played.a == slot.b)
    for tree_side, games in zip(match.sides, words.games_beside(match), strict=False):
        tree_side.games = games
    match.note, match.first_move = words.result_note(match), words.first_move(match)
    match.sentence = words.match_sentence(match)
    return match


def _add_result(match: TreeMatch, played: Match, turned: bool) -> None:
    """Put in what was recorded. `turned`: its two players stand the other way round in the tree."""

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


def _state_of(slot: BracketMatch) -> str:
    if slot.is_bye or (slot.meeting and slot.meeting.b is None):
        return "bye"
    if slot.done:
        return "done"
    return "open" if slot.both_known and slot.a and slot.b else "waits"


def _side_of(
    slot: BracketMatch,
    side: str,
    bracket: Bracket,
    names: Mapping[str, str],
    played: Any,
    reseed: bool,
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
    """Who would stand at an empty side, had they not dropped."""
    empty = [other for other in ("a", "b") if getattr(slot, other) is None]
    return slot.gone[empty.index(side)] if len(slot.gone) == len(empty) else None
