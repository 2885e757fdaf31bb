"""What players hand in, read and checked: plain values, no database.

A slip says games won by a and b and drawn games, or that the match was not decided by games. The one box of
the desk takes it as text: `21` (2-1), `111`, `10t` (a game was unfinished: one more drawn game), `d` (the
usual draw), `id` (intentional draw), `ll` (double loss), `ns1` / `ns2` / `ns` (the first, the second,
nobody came: they drop); an `x` before or after means that the first or the second player drops, `xx` both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.errors import Refused
from tournament.rulesets import default_games, wins_needed

MOST_DRAWN = 9


@dataclass(frozen=True, slots=True)
class Slip:
    """A match's result as it is handed in. `winner` ("a"/"b"/"") matters only for a forfeit."""

    result: str = "played"
    a: int = 0
    b: int = 0
    drawn: int = 0
    winner: str = ""
    unfinished: bool = False
    drops: str = ""  # "", "a", "b" or "ab"

    @property
    def games(self) -> tuple[int, int, int]:
        """Wins of a, wins of b, drawn games; an unfinished game is a drawn one (DCI 1999)."""
        return (self.a, self.b, self.drawn + (1 if self.unfinished else 0))


@dataclass(frozen=True, slots=True)
class MatchRules:
    """What a slip is checked against."""

    best_of: int = 3
    draws: bool = True
    intentional: bool = True
    elimination: bool = False

    @property
    def to_win(self) -> int:
        return wins_needed(self.best_of)


_TEXT = re.compile(
    r"(?P<ax>x?)(?P<what>\d[-–: ]?\d(?:[-–: ]?\d)?|id|d|ll|ns[12]?)(?P<time>t?)(?P<bx>x{0,2})", re.IGNORECASE
)
_WORDS = {
    "id": Slip("intentional_draw"),
    "ll": Slip("double_loss"),
    "ns": Slip("forfeit", drops="ab"),
    "ns1": Slip("forfeit", winner="b", drops="a"),
    "ns2": Slip("forfeit", winner="a", drops="b"),
}


def parse(text: str, rules: MatchRules | None = None) -> Slip:
    """The slip in a short text such as "21", "1-1-1", "10t", "id", "ns2", "21x". Raises Refused."""
    found = _TEXT.fullmatch(text.strip())
    if not found:
        raise Refused(
            _("“%(text)s” is no result. Examples: 21, 1-1-1, 10t (time), id, ll, ns2 (no-show), 21x (drops).")
            % {"text": text.strip()[:40]}
        )
    what = found["what"].lower()
    drops = "ab" if found["bx"] == "xx" else ("a" if found["ax"] else "") + ("b" if found["bx"] else "")
    if what == "d":
        return replace(usual_draw(rules or MatchRules()), drops=drops)
    if what in _WORDS:
        slip = _WORDS[what]
        return replace(slip, drops="".join(sorted(set(slip.drops + drops))))
    a, b, *more = (int(digit) for digit in re.findall(r"\d", what))
    return Slip("played", a, b, more[0] if more else 0, unfinished=bool(found["time"]), drops=drops)


def usual_draw(rules: MatchRules) -> Slip:
    """The drawn match a desk sees most: 1-1 in best of 3, one drawn game in best of 1."""
    even = rules.to_win - 1
    return Slip("played", even, even, 0 if even else 1)


def check(slip: Slip, rules: MatchRules) -> None:
    """Refuse what cannot be, in the organizer's words."""
    if slip.result == "played":
        _check_games(slip, rules)
    elif slip.result == "intentional_draw" and not rules.intentional:
        raise Refused(_("This ruleset knows no intentional draws."))
    elif slip.result not in ("intentional_draw", "double_loss", "forfeit"):
        raise Refused(_("“%(result)s” is no result of a match.") % {"result": slip.result})
    if rules.elimination and not winner_of(slip.result, slip.games, slip.winner):
        raise Refused(_("An elimination match needs a winner. Play on, or enter who advances."))


def _check_games(slip: Slip, rules: MatchRules) -> None:
    a, b, drawn = slip.games
    shown = "-".join(str(number) for number in ((a, b, drawn) if drawn else (a, b)))
    said = {"score": shown, "best_of": rules.best_of, "to_win": rules.to_win}
    if min(a, b, drawn) < 0 or drawn > MOST_DRAWN:
        raise Refused(_("%(score)s is no score.") % said)
    if max(a, b) > rules.to_win:
        raise Refused(
            ngettext(
                "%(score)s is impossible in best of %(best_of)s: %(to_win)s won game ends it.",
                "%(score)s is impossible in best of %(best_of)s: %(to_win)s won games end it.",
                rules.to_win,
            )
            % said
        )
    if rules.best_of % 2 == 0 and sum(slip.games) > rules.best_of:
        raise Refused(_("%(score)s is impossible: exactly %(best_of)s games are played.") % said)
    if a == b == rules.to_win:
        raise Refused(
            ngettext(
                "%(score)s is impossible: only one player can win %(to_win)s game.",
                "%(score)s is impossible: only one player can win %(to_win)s games.",
                rules.to_win,
            )
            % said
        )
    if a == b == drawn == 0:
        raise Refused(_("0-0 says that nothing was played: enter a draw (0-0-1), “id”, a no-show or “ll”."))
    if slip.unfinished and max(a, b) == rules.to_win:
        raise Refused(_("%(score)s: the match was over, no game can have been unfinished.") % said)
    if a == b and not rules.draws and not rules.elimination:  # a bracket's refusal has words of its own
        raise Refused(_("This ruleset knows no drawn matches. If nobody won in time, enter “ll”."))


def winner_of(result: str | None, games: tuple[int, int, int] | list[int] | None, winner: str = "") -> str:
    """ "a", "b", or "" for a drawn or undecided match."""
    if result == "forfeit":
        return winner
    if result == "played" and games and games[0] != games[1]:
        return "a" if games[0] > games[1] else "b"
    return ""


def usual_scores(rules: MatchRules) -> list[Slip]:
    """The scores a desk sees most, best for a first: the buttons on a row."""
    to_win = rules.to_win
    wins = [Slip("played", to_win, lost) for lost in range(to_win)]
    drawn = [usual_draw(rules)] if rules.draws and not rules.elimination else []
    return wins + drawn + [Slip("played", slip.b, slip.a) for slip in reversed(wins)]


def games_fact(slip: Slip, profile: dict) -> list[int] | None:
    """The games as the log keeps them: None where the ruleset gives them."""
    if slip.result == "played":
        return list(slip.games)
    default_games(profile, slip.result, slip.winner or None)  # refuses an unknown result
    return None
