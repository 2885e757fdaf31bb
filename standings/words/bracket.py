"""The words of the bracket: what rounds and matches are called, how a match ended, whom an open place awaits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from standings.engine.bracket.slots import FINAL, THIRD_PLACE
from standings.engine.bracket.types import BracketMatch
from standings.words.tree import End, Games, Tie, Tree
from tournament.event.types import Match
from tournament.results import game_points, wording


def round_title(number: int, rounds: int) -> str:
    """Final, Semi-finals, Quarter-finals, then Round of 16."""
    left = rounds - number
    known = [_("Final"), _("Semifinals"), _("Quarterfinals")]
    return known[left] if left < len(known) else _("Round of %(size)s") % {"size": 2 << left}


def tie_title(slot: str, number: int, rounds: int) -> str:
    """Final, Semi-final 2, Quarter-final 3, Round of 16, match 5."""
    if slot == THIRD_PLACE:
        return _("Third-place match")
    if slot == FINAL:
        return _("Final")
    place = int(slot.split(".")[1])
    known = {1: _("Semifinal %(n)s"), 2: _("Quarterfinal %(n)s")}
    left = rounds - number
    if left in known:
        return known[left] % {"n": place}
    return _("Round of %(size)s, match %(n)s") % {"size": 2 << left, "n": place}


def page_title(tree: Tree | None, event: str) -> str:
    """What a tab says: the champion, or how many matches are open."""
    if tree is None:
        return _("Bracket · %(event)s") % {"event": event}
    if tree.champion:
        return _("Champion: %(name)s · %(event)s") % {"name": tree.champion, "event": event}
    open_ = ngettext(
        "Bracket · %(n)s match open · %(event)s", "Bracket · %(n)s matches open · %(event)s", tree.open
    )
    return open_ % {"n": tree.open, "event": event}


def nobody(left: str) -> str:
    """Words for an empty side of a match: never filled, or the player dropped. The other side has a bye."""
    return _("%(name)s dropped") % {"name": left} if left else _("no one")


def coming(match: BracketMatch, side: str, rounds: int, reseed: bool) -> str:
    """Whom an open place waits for."""
    if reseed and match.slot != THIRD_PLACE:
        return _("by seed, after the previous round")
    said = {"match": tie_title(feeder(match, side), match.round - 1, rounds)}
    return (_("loser of %(match)s") if match.slot == THIRD_PLACE else _("winner of %(match)s")) % said


def feeder(match: BracketMatch, side: str) -> str:
    """The slot of the round before from which that place of a match is filled, where rounds are not reseeded."""
    place = 1 if match.slot == THIRD_PLACE else int(match.slot.split(".")[1])
    return f"W{match.round - 1}.{2 * place - (side == 'a')}"


def between(played: Match, names: Mapping[str, str]) -> str:
    """A placing match outside the tree, in one line."""
    score = wording.score_words(played.games, played.score)
    return f"{names.get(played.a, '')} {score} {names.get(played.b or '', '')}".strip()


def about(tie: Tie) -> str:
    """What the games alone do not say: walkovers, repeat games, a decision."""
    if tie.result is None or tie.state == "bye":
        return ""
    if tie.result == "forfeit":
        return pgettext("match", "forfeit") if tie.winner else _("double no-show")
    if tie.result == "double_loss":
        return _("double loss")
    if tie.result == "intentional_draw":
        said = [_("intentional draw")]
    elif tie.games and tie.games[0] == tie.games[1]:
        said = [_("drew %(score)s") % {"score": wording.games_words(tie.games)}]
    else:
        return ""
    said += [_repeat(games, tie) for games in tie.repeats]
    last = tie.repeats[-1] if tie.repeats else (0, 0, 0)
    if tie.state == "open":
        said.append(_("not decided yet"))
    elif tie.winner and last[0] == last[1]:
        tiebreak = tie.decided not in ("", "higher_seed")
        said.append(_("decided on tiebreakers") if tiebreak else _("the higher seed advances"))
    return "; ".join(said)


def _repeat(games: Games, tie: Tie) -> str:
    """A repeat game; a win is the match's, so it is told as its winner saw it."""
    if games[0] == games[1]:
        return _("repeat game drawn %(score)s") % {"score": wording.games_words(games)}
    return _("repeat game won %(score)s") % {"score": wording.games_words(as_winner(games, tie))}


def counts(tie: Tie) -> Sequence[str]:
    """What stands beside the two names: games won, or the points of a match of one game."""
    if tie.games is None:
        return ()
    if tie.points and sum(tie.games) == 1:
        return [game_points.points_text(points) for points in tie.points]
    return [str(games) for games in tie.games[:2]]


def as_winner(games: Games, tie: Tie) -> Games:
    """Games as the winner of the match counts them."""
    a, b, drawn = games
    return (b, a, drawn) if tie.ends[1].won else (a, b, drawn)


def sentence(tie: Tie) -> str:
    """The whole match: "Quarter-final 2: Ada, seed 4, beat Bo, seed 5, 2–1."""
    a, b = tie.ends
    if tie.winner is b:
        a, b = b, a
    said = {"match": tie.title, "a": _subject(a), "b": _called(b), "about": tie.about, "table": tie.table}
    if tie.state == "bye":
        left = b.waits if b.waits != nobody("") else ""
        told = _("%(match)s: %(a)s has a bye: %(left)s.") if left else _("%(match)s: %(a)s has a bye.")
        return told % {**said, "left": left}
    if tie.state == "waits":
        return _("%(match)s: %(a)s vs. %(b)s, not started.") % said
    if tie.state == "open":
        table = _("%(match)s: %(a)s plays %(b)s, table %(table)s.") % said
        line = table if tie.table else _("%(match)s: %(a)s plays %(b)s.") % said
        line += _(" So far: %(about)s.") % said if tie.about else ""
    else:
        line = _ended(tie, said)
    return f"{line} {tie.moves}".strip()


def moves(tie: Tie) -> str:
    """Who moves or moved first, where sides count."""
    if tie.first is None:
        return ""
    if tie.state == "open" and tie.result:  # drawn: each repeat game swaps the sides of the one before
        if tie.slot == FINAL and tie.repeats:
            return ""  # the tiebreak decides
        other = next(end for end in tie.ends if not end.first)
        mover = tie.first if len(tie.repeats) % 2 else other
        return _("%(name)s moves first in a repeat game.") % {"name": mover.name}
    told = _("%(name)s moved first.") if tie.state == "done" else _("%(name)s moves first.")
    return told % {"name": tie.first.name}


def _ended(tie: Tie, said: Mapping[str, object]) -> str:
    if not any(end.code for end in tie.ends):
        return _("%(match)s: no one plays.") % said
    if tie.winner is None:
        return _("%(match)s: no one advances, %(a)s vs. %(b)s: %(about)s.") % said
    if tie.result == "forfeit":
        return _("%(match)s: %(a)s beat %(b)s by forfeit.") % said
    if tie.about and (tie.decided or not tie.repeats):
        return _("%(match)s: %(a)s advances over %(b)s: %(about)s.") % said
    if tie.about:
        return _("%(match)s: %(a)s beat %(b)s: %(about)s.") % said
    if tie.games is None:
        return _("%(match)s: %(a)s beat %(b)s.") % said
    score = wording.score_words(tie.games, tie.points, "b" if tie.ends[1].won else "a")
    return _("%(match)s: %(a)s beat %(b)s, %(score)s.") % {**said, "score": score}


def _subject(end: End) -> str:
    """The same at the beginning of a sentence, where the seed is set off by commas."""
    return f"{_called(end)}," if end.code and end.seed else _called(end)


def _called(end: End) -> str:
    """A player with its seed, or whom the place waits for."""
    if not end.code:
        return end.waits
    return _("%(name)s, seed %(seed)s") % {"name": end.name, "seed": end.seed} if end.seed else end.name
