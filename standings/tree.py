"""The bracket as it is drawn and read: rounds from the left, matches from the top, words for what is open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from standings.engine.bracket import FINAL, THIRD_PLACE, Bracket, BracketMatch
from tournament import words


@dataclass(slots=True)
class End:
    """One of the two places of a match. `code` None: `waits` says who will come, or that nobody does."""

    code: str | None
    name: str
    seed: int | None
    games: str
    won: bool
    out: bool
    first: bool
    waits: str


@dataclass(slots=True)
class Tie:
    """A match of the tree. `state`: bye, open (being played), done, or waits; `about`: what the games do not say."""

    slot: str
    title: str
    ends: tuple[End, End]
    state: str
    about: str
    round: int | None = None
    table: int | None = None
    first_named: str = ""


@dataclass(slots=True)
class TreeRound:
    """A column of the tree."""

    title: str
    ties: list[Tie] = field(default_factory=list)


@dataclass(slots=True)
class Tree:
    """The drawn bracket; `third` is the match for place 3, `placing` other recorded placing matches."""

    rounds: list[TreeRound]
    third: Tie | None
    placing: list[str]
    champion: str | None
    champion_code: str | None
    open: int
    entrants: int

    @property
    def ties(self) -> list[Tie]:
        """Every match, first round first, the one for place 3 before the final."""
        ties = [tie for round_ in self.rounds for tie in round_.ties]
        return [*ties[:-1], self.third, *ties[-1:]] if self.third else ties


def round_title(number: int, rounds: int) -> str:
    """Final, Semi-finals, Quarter-finals, then Round of 16."""
    left = rounds - number
    known = [_("Final"), _("Semi-finals"), _("Quarter-finals")]
    return known[left] if left < len(known) else _("Round of %(size)s") % {"size": 2 << left}


def tie_title(match: BracketMatch, rounds: int) -> str:
    """Final, Semi-final 2, Quarter-final 3, Round of 16, match 5."""
    if match.slot == THIRD_PLACE:
        return _("Match for place 3")
    if match.slot == FINAL:
        return _("Final")
    place = int(match.slot.split(".")[1])
    known = {1: _("Semi-final %(n)s"), 2: _("Quarter-final %(n)s")}
    left = rounds - match.round
    if left in known:
        return known[left] % {"n": place}
    return _("Round of %(size)s, match %(n)s") % {"size": 2 << left, "n": place}


def tree_of(bracket: Bracket, names: Mapping[str, str]) -> Tree:
    """The drawn tree of a bracket whose meetings' `ref` is (round number, match)."""
    rounds = [TreeRound(round_title(n, bracket.rounds)) for n in range(1, bracket.rounds + 1)]
    third = None
    for match in bracket.matches.values():
        tie = _tie(match, bracket, names)
        if match.slot == THIRD_PLACE:
            third = tie
        else:
            rounds[match.round - 1].ties.append(tie)
    placing = [_sentence(meeting.ref[1], names) for meeting in bracket.placing if meeting.ref]
    champion = bracket.champion
    open_ = sum(tie.state == "open" for r in rounds for tie in r.ties) + bool(third and third.state == "open")
    return Tree(rounds, third, placing, names.get(champion or ""), champion, open_, len(bracket.seeds))


def _tie(match: BracketMatch, bracket: Bracket, names: Mapping[str, str]) -> Tie:
    number, played = match.meeting.ref if match.meeting else (None, None)
    title = tie_title(match, bracket.rounds)
    ends = _end(match, "a", bracket, names, played), _end(match, "b", bracket, names, played)
    table = played.table if played else None
    return Tie(match.slot, title, ends, _state(match), _about(played), number, table, _first_named(ends))


def _first_named(ends: tuple[End, End]) -> str:
    return next((end.name for end in ends if end.first), "")


def _state(match: BracketMatch) -> str:
    if match.is_bye or (match.meeting and match.meeting.b is None):
        return "bye"
    if match.done:
        return "done"
    return "open" if match.both_known and match.a and match.b else "waits"


def _end(match: BracketMatch, side: str, bracket: Bracket, names: Mapping[str, str], played: Any) -> End:
    code = getattr(match, side)
    known = getattr(match, f"{side}_known")
    won = code is not None and code == match.winner
    # The recorded match may name its two the other way round than the tree does.
    there = None if played is None or code is None else ("a" if played.a == code else "b")
    games = ""
    if played is not None and there and played.b is not None and played.games is not None:
        games = str(played.games["ab".index(there)])
    return End(
        code=code,
        name=names.get(code or "", ""),
        seed=bracket.seeds.get(code or ""),
        games=games,
        won=won,
        out=match.done and code is not None and not won,
        first=there is not None and played.first == there,
        waits="" if code else (_("nobody") if known else _coming(match, side, bracket)),
    )


def _coming(match: BracketMatch, side: str, bracket: Bracket) -> str:
    """Whom an open place waits for."""
    if match.slot == THIRD_PLACE:
        source = bracket.matches[f"W{match.round - 1}.{1 if side == 'a' else 2}"]
        return _("loser of %(match)s") % {"match": tie_title(source, bracket.rounds)}
    place = int(match.slot.split(".")[1])
    source = bracket.matches[f"W{match.round - 1}.{2 * place - (side == 'a')}"]
    return _("winner of %(match)s") % {"match": tie_title(source, bracket.rounds)}


def _about(played: Any) -> str:
    """What the games alone do not say: no-shows, replays, a decision."""
    if played is None or played.result is None or played.b is None:
        return ""
    said = []
    if played.result == "forfeit":
        said.append(pgettext("match", "not played"))
    if played.result == "double_loss":
        said.append(_("both lost"))
    said += [_("replayed: %(score)s") % {"score": words.score(r["games"])} for r in played.replays]
    if played.decided == "higher_seed":
        said.append(_("drawn, the higher seed goes on"))
    elif played.decided:
        said.append(_("decided by tiebreak"))
    return ", ".join(said)


def _sentence(played: Any, names: Mapping[str, str]) -> str:
    """A placing match outside the tree, in one line."""
    score = words.score(played.games)
    return f"{names.get(played.a, '')} {score} {names.get(played.b, '')}".strip()
