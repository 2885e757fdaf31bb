"""The bracket as it is drawn and read: rounds from the left, matches from the top."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from standings.engine.bracket.slots import THIRD_PLACE
from standings.engine.bracket.types import Bracket, BracketMatch
from standings.words import bracket as words
from standings.words.tree import End, Games, Tie, Tree, TreeRound
from tournament.event.types import Match


def tree_of(bracket: Bracket, names: Mapping[str, str], *, reseed: bool = False) -> Tree:
    """The drawn tree of a bracket whose meetings' `ref` is (round number, match).

    `reseed`: the best seed still in meets the worst in every round.
    """
    rounds = [TreeRound(n, words.round_title(n, bracket.rounds)) for n in range(1, bracket.rounds + 1)]
    third = None
    for match in bracket.matches.values():
        tie = _tie(match, bracket, names, reseed)
        if match.slot == THIRD_PLACE:
            third = tie
        else:
            rounds[match.round - 1].ties.append(tie)
    placing = [words.between(meeting.ref[1], names) for meeting in bracket.placing if meeting.ref]
    champion = bracket.champion
    name = names.get(champion or "")
    return Tree(rounds, third, placing, name, champion, len(bracket.seeds), joined=not reseed)


def _tie(match: BracketMatch, bracket: Bracket, names: Mapping[str, str], reseed: bool) -> Tie:
    number, played = match.meeting.ref if match.meeting else (None, None)
    # The recorded match may name its two the other way round than the tree does.
    turned = played is not None and played.b is not None and played.a == match.b
    tie = Tie(
        match.slot,
        words.tie_title(match.slot, match.round, bracket.rounds),
        (
            _end(match, "a", bracket, names, played, reseed),
            _end(match, "b", bracket, names, played, reseed),
        ),
        _state(match),
        number,
    )
    if played is not None:
        tie.table, tie.result, tie.decided = played.table, played.result, played.decided or ""
        if played.b is not None and played.games is not None and played.result is not None:
            tie.games = seen(played.games, turned)
            tie.repeats = [seen(replay["games"], turned) for replay in played.replays if replay.get("games")]
        if played.score:
            tie.points = (played.score[1], played.score[0]) if turned else (played.score[0], played.score[1])
    for end, count in zip(tie.ends, words.counts(tie), strict=False):
        end.games = count
    tie.about, tie.moves = words.about(tie), words.moves(tie)
    tie.sentence = words.sentence(tie)
    return tie


def _left(match: BracketMatch, side: str) -> str | None:
    """Who would stand in an empty place, had they not left."""
    empty = [place for place in ("a", "b") if getattr(match, place) is None]
    return match.gone[empty.index(side)] if len(match.gone) == len(empty) else None


def seen(games: Any, turned: bool) -> Games:
    """Games as the other side counts them, if `turned`."""
    a, b, drawn = games
    return (b, a, drawn) if turned else (a, b, drawn)


def _state(match: BracketMatch) -> str:
    if match.is_bye or (match.meeting and match.meeting.b is None):
        return "bye"
    if match.done:
        return "done"
    return "open" if match.both_known and match.a and match.b else "waits"


def _end(
    match: BracketMatch,
    side: str,
    bracket: Bracket,
    names: Mapping[str, str],
    played: Match | None,
    reseed: bool,
) -> End:
    code = getattr(match, side)
    won = code is not None and code == match.winner
    there = None if played is None or code is None else ("a" if played.a == code else "b")
    waits = ""
    if code is None:
        if getattr(match, f"{side}_known"):
            waits = words.nobody(names.get(_left(match, side) or "", ""))
        else:
            waits = words.coming(match, side, bracket.rounds, reseed)
    return End(
        code=code,
        name=names.get(code or "", ""),
        seed=bracket.seeds.get(code or ""),
        games="",
        won=won,
        out=match.done and code is not None and not won,
        first=there is not None and played is not None and played.first == there,
        waits=waits,
    )
