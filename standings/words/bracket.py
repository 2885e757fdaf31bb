"""The bracket in words: the values that `standings.bracket.tree` fills in, and their texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from standings.engine.bracket.cut import FORFEIT, TIEBREAK, Due
from standings.engine.bracket.tree import FINAL, THIRD_PLACE, BracketMatch
from tournament.event.rounds import match_title
from tournament.event.types import Match
from tournament.results import game_points, wording

Games = tuple[int, int, int]  # won by the upper side, won by the lower side, drawn


@dataclass(slots=True)
class TreeSide:
    code: str | None
    name: str
    seed: int | None
    games: str  # what stands beside the name
    won: bool
    out: bool  # lost this match
    first: bool  # moves first
    awaits: str  # who will come, or that no one will, if `code` is None


@dataclass(slots=True)
class TreeMatch:
    """A match of the tree; games and points are from the upper side's view."""

    slot: str
    title: str
    sides: tuple[TreeSide, TreeSide]
    state: str  # bye, open (being played), done, or waits
    round: int | None = None  # round and table of the event
    table: int | None = None
    table_name: str = ""
    result: str | None = None
    games: Games | None = None
    points: tuple[str, str] | None = None  # scored in the match, if the ruleset records them
    repeats: list[Games] = field(default_factory=list)  # repeat games
    decided: str = ""
    note: str = ""  # what the games do not say
    first_move: str = ""  # who moves first
    sentence: str = ""  # the whole match for a screen reader

    @property
    def winner(self) -> TreeSide | None:
        return next((side for side in self.sides if side.won), None)

    @property
    def first(self) -> TreeSide | None:
        return next((side for side in self.sides if side.first), None)

    @property
    def over(self) -> bool:
        return self.state in ("done", "bye")


@dataclass(slots=True)
class TreeRound:
    number: int
    title: str
    matches: list[TreeMatch] = field(default_factory=list)

    @property
    def over(self) -> bool:
        return all(match.over for match in self.matches)


@dataclass(slots=True)
class Tree:
    rounds: list[TreeRound]
    third: TreeMatch | None  # the third-place match
    placing: list[str]  # other placing matches, in words
    champion: str | None
    champion_code: str | None
    entrants: int
    joined: bool = True  # a line leads from each match to the next; not if rounds are reseeded

    @property
    def matches(self) -> list[TreeMatch]:
        matches = [match for round_ in self.rounds for match in round_.matches]
        return [*matches[:-1], self.third, *matches[-1:]] if self.third else matches

    def from_round(self, number: int) -> Self:
        return replace(self, rounds=self.rounds[number - 1 :])

    @property
    def lines(self) -> int:
        """How many names the first round lists, one below the other."""
        return 2 * len(self.rounds[0].matches)

    @property
    def open(self) -> int:
        return sum(match.state == "open" for match in self.matches)

    @property
    def has_first_moves(self) -> bool:
        return any(match.first for match in self.matches)

    @property
    def over(self) -> bool:
        return all(match.over for match in self.matches)

    @property
    def current(self) -> TreeRound:
        return next((round_ for round_ in self.rounds if not round_.over), self.rounds[-1])


def page_title(tree: Tree | None, event: str) -> str:
    """Return the browser tab's title: the champion, or how many matches are open."""
    if tree is None:
        return _("Bracket · %(event)s") % {"event": event}
    if tree.champion:
        return _("Champion: %(name)s · %(event)s") % {"name": tree.champion, "event": event}
    title = ngettext(
        "Bracket · %(n)s match open · %(event)s", "Bracket · %(n)s matches open · %(event)s", tree.open
    )
    return title % {"n": tree.open, "event": event}


def tree_announcement(tree: Tree, news: str) -> str:
    """Return the screen reader's announcement of a changed tree: the last changed match, and the champion."""
    if not news:
        return _("The bracket is set.")
    return f"{news} {_('Champion: %(name)s.') % {'name': tree.champion}}" if tree.champion else news


def empty_side(name: str) -> str:
    """Return the text of a side without a player: the player dropped, or there never was one."""
    return _("%(name)s dropped") % {"name": name} if name else _("no one")


def awaited_player(slot: BracketMatch, side: str, rounds: int, reseed: bool) -> str:
    """Return who will play on a side that is still open: the winner or loser of a match, or a seed."""
    if reseed and slot.slot != THIRD_PLACE:
        return _("by seed, after the previous round")
    words = _("loser of %(match)s") if slot.slot == THIRD_PLACE else _("winner of %(match)s")
    feeder = f"W{slot.round - 1}.{2 * int(slot.slot.split('.')[1]) - (side == 'a')}"
    return words % {"match": match_title(feeder, rounds)}


def placing_match(match: Match, names: Mapping[str, str]) -> str:
    score = wording.score_words(match.games, match.score)
    return f"{names.get(match.a, '')} {score} {names.get(match.b or '', '')}".strip()


def result_note(match: TreeMatch) -> str:
    """Return what the games do not show: forfeits, repeat games, a decision."""
    if match.result is None or match.state == "bye":
        return ""
    if match.result == "forfeit":
        return pgettext("match", "forfeit") if match.winner else _("double no-show")
    if match.result == "double_loss":
        return _("double loss")
    if match.result == "intentional_draw":
        notes = [_("intentional draw")]
    elif match.games and match.games[0] == match.games[1]:
        notes = [_("drew %(score)s") % {"score": wording.games_words(match.games)}]
    else:
        return ""
    notes += [_repeat_game(games, match) for games in match.repeats]
    last = match.repeats[-1] if match.repeats else (0, 0, 0)
    if match.state == "open":
        notes.append(_("not decided yet"))
    elif match.winner and last[0] == last[1]:
        by = {FORFEIT: pgettext("match", "forfeit"), TIEBREAK: _("decided on tiebreakers")}
        notes.append(by.get(match.decided, _("the higher seed advances")))
    return "; ".join(notes)


def _repeat_game(games: Games, match: TreeMatch) -> str:
    if games[0] == games[1]:
        return _("repeat game drawn %(score)s") % {"score": wording.games_words(games)}
    a, b, drawn = games
    score = wording.games_words((b, a, drawn) if match.sides[1].won else games)
    return _("repeat game won %(score)s") % {"score": score}


def games_beside(match: TreeMatch) -> Sequence[str]:
    """Return the numbers next to the two names: games won, or points in a match of one game."""
    if match.games is None:
        return ()
    if match.points and sum(match.games) == 1:
        return [game_points.points_text(points) for points in match.points]
    return [str(games) for games in match.games[:2]]


def match_sentence(match: TreeMatch) -> str:
    """Return the match as a sentence: Quarterfinal 2: Ada, seed 4, beat Bo, seed 5, 2–1."""
    a, b = reversed(match.sides) if match.sides[1].won else match.sides
    winner = "b" if match.sides[1].won else "a"
    values = {
        "match": match.title,
        "a": f"{_player(a)}," if a.code and a.seed else _player(a),
        "b": _player(b),
        "dropped": b.awaits,
        "note": match.note,
        "table": match.table_name,
        "score": wording.score_words(match.games, match.points, winner) if match.games else "",
    }
    sentences = [_course(match, b) % values]
    if match.state == "open" and match.note:
        sentences.append(_("So far: %(note)s.") % values)
    if match.state in ("open", "done") and match.first_move:
        sentences.append(match.first_move)
    return " ".join(sentences)


def _course(match: TreeMatch, other: TreeSide) -> str:
    """Return the course or state of a match, as a text in which to insert names. `other`: the side that has not won."""
    if match.state == "bye":
        if other.awaits in ("", empty_side("")):
            return _("%(match)s: %(a)s has a bye.")
        return _("%(match)s: %(a)s has a bye: %(dropped)s.")
    if match.state == "waits":
        return _("%(match)s: %(a)s vs. %(b)s, not started.")
    if match.state == "open":
        at_table = _("%(match)s: %(a)s plays %(b)s, table %(table)s.")
        return at_table if match.table else _("%(match)s: %(a)s plays %(b)s.")
    if not any(side.code for side in match.sides):
        return _("%(match)s: no one plays.")
    if match.winner is None:
        return _("%(match)s: no one advances, %(a)s vs. %(b)s: %(note)s.")
    if match.result == "forfeit":
        return _("%(match)s: %(a)s beat %(b)s by forfeit.")
    if match.note and (match.decided or not match.repeats):
        return _("%(match)s: %(a)s advances over %(b)s: %(note)s.")
    if match.note:
        return _("%(match)s: %(a)s beat %(b)s: %(note)s.")
    return _("%(match)s: %(a)s beat %(b)s, %(score)s.") if match.games else _("%(match)s: %(a)s beat %(b)s.")


def first_move(match: TreeMatch) -> str:
    if match.first is None:
        return ""
    if match.state == "open" and match.result:  # drawn: each repeat game swaps the sides of the one before
        if match.slot == FINAL and match.repeats:
            return ""  # the tiebreak decides
        other = next(side for side in match.sides if not side.first)
        mover = match.first if len(match.repeats) % 2 else other
        return _("%(name)s moves first in a repeat game.") % {"name": mover.name}
    words = _("%(name)s moved first.") if match.state == "done" else _("%(name)s moves first.")
    return words % {"name": match.first.name}


def _player(side: TreeSide) -> str:
    if not side.code:
        return side.awaits
    return _("%(name)s, seed %(seed)s") % {"name": side.name, "seed": side.seed} if side.seed else side.name


def repeat_game_terms(due: Due, names: Mapping[str, str]) -> str:
    """Return who moves first in the next repeat game, and its length. `names`: by side, a and b."""
    terms = [_("%(name)s moves first") % {"name": names[due.first]}] if due.first else []
    limits = {"minutes": due.minutes_each, "delay": due.delay_s}
    terms.append(_("%(minutes)s minutes each, %(delay)s seconds a move") % limits)
    if due.later is not None:
        terms.append(_("leaves %(later)s minutes for later rounds") % {"later": max(due.later, 0)})
    return ", ".join(terms)
