"""Results of elimination matches as services: game by game, repeat games, and decisions without a game."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from standings.bracket.open_matches import bracket_of_stage, settle
from standings.engine.bracket.elimination import (
    HIGHER_SEED,
    NOT_ALLOWED,
    Due,
    Time,
    next_due,
    winner_by_points,
)
from standings.engine.bracket.final_places import bracket_points_of
from standings.engine.bracket.slots import FINAL
from standings.engine.bracket.types import Bracket
from tournament.actionlog.change import Log
from tournament.actionlog.match_facts import MatchFact, read_match
from tournament.actionlog.service import service
from tournament.errors import Conflict, NotFound, Refused, WrongState
from tournament.event.profile import profile_of
from tournament.models import Match, Round, Tournament
from tournament.results.slip import Slip
from tournament.results.slip_checks import check_slip
from tournament.services.results import apply_slip_drops, rules_of, write_slip


@service("bracket result")
def record_bracket_result(
    log: Log,
    number: int,
    table: int,
    slip: Slip,
    version: int | None = None,
    resets: Collection[str] = (),
) -> None:
    """Enter or correct an elimination result; matches that became ready open.

    A correction takes the repeat games and the decision of the match away, and later matches that no longer
    follow once `resets` names them. Raises Empties with their names before.
    """
    match = bracket_match(log.tournament, number, table)
    if not write_slip(log, match, slip, version, replays=[], decided=""):
        return
    apply_slip_drops(log, match, slip.drops)
    rules = profile_of(log.tournament)["elimination"]
    if not match.winner and rules.get("draw_rule") == HIGHER_SEED:
        fact = read_match(match)
        log.set(match, decided=HIGHER_SEED, winner=_better_seed(bracket_of_stage(match.round.stage), fact))
    settle(log, match.round.stage, resets)


@service("repeat game", computed=("time",))
def record_repeat_game(
    log: Log,
    number: int,
    table: int,
    slip: Slip,
    version: int | None = None,
    time: Time = Time(),  # noqa: B008  (a plain value)
) -> None:
    """The repeat game of a drawn elimination match, the other player first.

    Where too little time would be left for later rounds it needs a reason. Raises WrongState where no
    repeat game is due.
    """
    match = bracket_match(log.tournament, number, table)
    fact, waits = _waiting(log, match, version, time)
    if waits.kind not in ("repeat", "insist", "higher_seed"):
        raise WrongState(_("No repeat game is due in this match."))
    if waits.kind == "higher_seed" and not log.reason:
        raise Refused(
            _("A repeat game would leave too little time for later rounds. Enter a reason to play it anyway.")
        )
    if slip.result != "played":
        raise Refused(_("Enter the result of the repeat game."))
    check_slip(slip, rules_of(match, profile_of(log.tournament)))
    played = {"games": list(slip.games)} | ({"first": waits.first} if waits.first else {})
    won, lost, _drawn = slip.games
    winner = "" if won == lost else ("a" if won > lost else "b")
    log.set(match, replays=[*fact.replays, played], winner=winner)
    settle(log, match.round.stage)


@service("decide match", computed=("time",))
def decide_match(
    log: Log,
    number: int,
    table: int,
    how: str,
    version: int | None = None,
    winner: str = "",
    time: Time = Time(),  # noqa: B008
) -> None:
    """Decide a drawn elimination match without a game.

    `how`: `higher_seed`, where a repeat game would leave too little time (otherwise with a reason), never in
    the final; or `tiebreak`, in the final only: elimination points, and between equal points the owner's
    `winner` ("a" or "b"), with a reason, which also names who insisted where time for a repeat game was left.
    """
    match = bracket_match(log.tournament, number, table)
    fact, waits = _waiting(log, match, version, time)
    bracket = bracket_of_stage(match.round.stage)
    if how == HIGHER_SEED and waits.kind in ("higher_seed", "repeat") and match.slot != FINAL:
        if waits.kind == "repeat" and not log.reason:
            raise Refused(
                _("There is time for a repeat game. Enter a reason to advance the higher seed without one.")
            )
        winner = _better_seed(bracket, fact)
    elif how == "tiebreak" and waits.kind in ("insist", "tiebreak"):
        winner = _by_tiebreak(bracket, fact, waits, winner, log.reason)
    else:
        raise WrongState(_("This match cannot be decided that way right now."))
    log.set(match, decided=how, winner=winner)
    settle(log, match.round.stage)


def _better_seed(bracket: Bracket, fact: MatchFact) -> str:
    assert fact.b is not None
    return "a" if bracket.seeds[fact.a] < bracket.seeds[fact.b] else "b"


def _by_tiebreak(bracket: Bracket, fact: MatchFact, waits: Due, winner: str, reason: str) -> str:
    if waits.kind == "insist" and not reason:
        raise Refused(_("Enter which finalist insists on the tiebreak."))
    points = bracket_points_of(bracket)
    found = winner_by_points(points.get(fact.a, Fraction(0)), points.get(fact.b or "", Fraction(0)))
    if found is None and (winner not in ("a", "b") or not reason):
        raise Refused(
            _(
                "Both finalists scored the same points in the bracket. The organizer decides the "
                "winner and enters a reason."
            )
        )
    return found or winner


@service("first move")
def choose_first(log: Log, number: int, table: int, first: str, version: int | None = None) -> None:
    """Record who moves (or plays) first in an elimination match: the higher seed's choice, or the figure's."""
    match = bracket_match(log.tournament, number, table)
    if first not in ("a", "b"):
        raise Refused(_("Choose who moves first."))
    if match.result is not None:
        raise WrongState(_("This match has already been played."))
    _same_version(match, version)
    log.set(match, first=first)


def bracket_match(tournament: Tournament, number: int, table: int) -> Match:
    """The elimination match at a table of a round. Raises NotFound."""
    found = Match.objects.filter(round__tournament=tournament, round__number=number, table=table)
    match = found.select_related("round__stage").first()
    if match is None or match.round.swiss:
        raise NotFound(
            _("Round %(round)s has no bracket table %(table)s.") % {"round": number, "table": table}
        )
    return match


def _waiting(log: Log, match: Match, version: int | None, time: Time) -> tuple[MatchFact, Due]:
    """The match's fact and what it waits for. Raises Conflict where somebody changed it meanwhile."""
    _same_version(match, version)
    fact = read_match(match)
    return fact, due_of(fact, match.slot, profile_of(log.tournament)["elimination"], time)


def _same_version(match: Match, version: int | None) -> None:
    if version is not None and version != match.version:
        raise Conflict(
            _("Table %(table)s was changed while you were working. Check it again.") % {"table": match.table}
        )


def due_of(fact: MatchFact, slot: str, rules: dict[str, Any], time: Time) -> Due:
    """What an elimination match waits for, from its fact."""
    games = [] if fact.result is None else [fact.games or (0, 0, 1)]
    if fact.result not in (None, "played"):
        return Due("over")
    games += [tuple(replay["games"]) for replay in fact.replays]
    return next_due(
        games,
        rules.get("draw_rule", NOT_ALLOWED),
        final=slot == FINAL,
        first=fact.first or None,
        decided=bool(fact.decided),
        time=time,
        limits=rules.get("replay"),
    )


def time_left(round_: Round) -> Time:
    """Minutes left of the round and to the end of its stage, by the clock."""
    now = timezone.now()
    ends = (round_.ends_at, round_.stage.ends_at)
    left = [None if end is None else max(int((end - now).total_seconds() // 60), 0) for end in ends]
    return Time(*left)
