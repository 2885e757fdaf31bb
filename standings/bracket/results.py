"""Services for bracket matches: results, repeat games, decisions without a game, first moves."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from standings.bracket.open_matches import load_stage_bracket, settle_bracket
from standings.engine.bracket.cut import (
    HIGHER_SEED,
    NOT_ALLOWED,
    TIEBREAK,
    Due,
    Time,
    next_due,
    sum_bracket_points,
    winner_by_points,
)
from standings.engine.bracket.tree import FINAL, Bracket
from tournament.actionlog.match_facts import MatchFact, read_match
from tournament.actionlog.service import Log, service
from tournament.errors import Conflict, Forbidden, NotFound, Refused, WrongState
from tournament.event.clock import RoundClock, round_clock
from tournament.event.profile import ruleset_in_force
from tournament.event.rounds import match_at
from tournament.event.table_plan import table_name
from tournament.models import Match, Round, Tournament
from tournament.results.slip import Slip, check_slip, find_match_winner
from tournament.services.corrections import CORRECTION, check_correction
from tournament.services.results import apply_slip_drops, match_rules, write_slip


@service("bracket result")
def record_bracket_result(log: Log, number: int, table: int, slip: Slip, version: int | None = None) -> None:
    """Record or correct a bracket result, remove what no longer follows from it, and open matches that became ready."""
    match = bracket_match_at(log.tournament, number, table)
    if _write_result(log, match, slip, version):
        apply_slip_drops(log, match, slip.drops)
        settle_bracket(log, match.round.stage)


def _write_result(log: Log, match: Match, slip: Slip, version: int | None) -> bool:
    if not write_slip(log, match, slip, version, replays=[], decided=""):
        return False
    rules = ruleset_in_force(log.tournament)["elimination"]
    if not match.winner and rules.get("draw_rule") == HIGHER_SEED:
        winner = _better_seed(load_stage_bracket(match.round.stage), read_match(match))
        log.set(match, decided=HIGHER_SEED, winner=winner)
    drawn = match.result in ("played", "intentional_draw") and not match.winner
    if drawn and match.round.state == Round.State.COMPLETE:
        # The match stays open after a draw: if its round were complete, no one would advance.
        log.set(match.round, state="published")
    return True


def write_reported_result(log: Log, match: Match, slip: Slip) -> None:
    if match.result is None and _write_result(log, match, slip, None):
        settle_bracket(log, match.round.stage)


@service(CORRECTION, after_end=True)
def correct_bracket_result(
    log: Log, number: int, table: int, slip: Slip, version: int | None = None, *, may_reopen: bool = True
) -> None:
    """Change the result of a bracket match, also in a finished event, which goes on if something must be played again.

    Removes later matches that no longer follow. Raises WrongState if there is no result, Forbidden unless `may_reopen`.
    """
    match = bracket_match_at(log.tournament, number, table)
    if match.result is None:
        name = table_name(log.tournament, table, match.round)
        raise WrongState(_("Bracket table %(table)s has no result to correct."), table=name)
    check_correction(log)
    if not _write_result(log, match, slip, version):
        return
    settle_bracket(log, match.round.stage)
    open_rounds = match.round.stage.rounds.exclude(state=Round.State.COMPLETE)
    if log.tournament.state == Tournament.State.FINISHED and open_rounds.exists():
        if not may_reopen:
            raise Forbidden(
                _("The event would go on, with a match to play again. Only an organizer can correct that.")
            )
        log.set(log.tournament, state="running")


@service("repeat game", computed=("time",))
def record_repeat_game(
    log: Log,
    number: int,
    table: int,
    slip: Slip,
    version: int | None = None,
    time: Time = Time(),  # noqa: B008  (a plain value)
) -> None:
    """Record the repeat game of a drawn match; needs a reason if it leaves too little time. Raises WrongState."""
    match = bracket_match_at(log.tournament, number, table)
    fact, due = _fact_and_due(log, match, version, time)
    if due.kind not in ("repeat", "insist", "higher_seed"):
        raise WrongState(_("No repeat game is due in this match."))
    if due.kind == "higher_seed" and not log.reason:
        raise Refused(
            _("A repeat game would leave too little time for later rounds. Enter a reason to play it anyway.")
        )
    if slip.result != "played":
        raise Refused(_("Enter the result of the repeat game."))
    check_slip(slip, match_rules(match, ruleset_in_force(log.tournament)))
    replay = {"games": list(slip.games)} | ({"first": due.first} if due.first else {})
    log.set(match, replays=[*fact.replays, replay], winner=find_match_winner("played", slip.games))
    settle_bracket(log, match.round.stage)


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
    """Decide a drawn bracket match without a game.

    `how` is `higher_seed` (if a repeat game would leave too little time, otherwise with a reason; never in the final)
    or `tiebreak` (only in the final: by bracket points or, if equal, the organizer's `winner`, "a" or "b", with a
    reason). If there was time for a repeat game, the reason also names who insisted.
    """
    match = bracket_match_at(log.tournament, number, table)
    fact, due = _fact_and_due(log, match, version, time)
    bracket = load_stage_bracket(match.round.stage)
    if how == HIGHER_SEED and due.kind in ("higher_seed", "repeat") and match.slot != FINAL:
        if due.kind == "repeat" and not log.reason:
            raise Refused(
                _("There is time for a repeat game. Enter a reason to advance the higher seed without one.")
            )
        winner = _better_seed(bracket, fact)
    elif how == TIEBREAK and due.kind in ("insist", "tiebreak"):
        winner = _by_tiebreak(bracket, fact, due, winner, log.reason)
    else:
        raise WrongState(_("This match cannot be decided that way right now."))
    log.set(match, decided=how, winner=winner)
    settle_bracket(log, match.round.stage)


def _better_seed(bracket: Bracket, fact: MatchFact) -> str:
    assert fact.b is not None
    return "a" if bracket.seeds[fact.a] < bracket.seeds[fact.b] else "b"


def _by_tiebreak(bracket: Bracket, fact: MatchFact, due: Due, winner: str, reason: str) -> str:
    if due.kind == "insist" and not reason:
        raise Refused(_("Enter which finalist insists on the tiebreak."))
    points = sum_bracket_points(bracket)
    best = winner_by_points(*(points.get(code or "", Fraction(0)) for code in (fact.a, fact.b)))
    if best is None and (winner not in ("a", "b") or not reason):
        raise Refused(
            _(
                "Both finalists scored the same points in the bracket. The organizer decides the "
                "winner and enters a reason."
            )
        )
    return best or winner


@service("first move")
def choose_first_move(log: Log, number: int, table: int, first: str, version: int | None = None) -> None:
    """Record who moves first in a bracket match, by the ruleset or the higher seed's choice."""
    match = bracket_match_at(log.tournament, number, table)
    if first not in ("a", "b"):
        raise Refused(_("Choose who moves first."))
    if match.result is not None:
        raise WrongState(_("This match has already been played."))
    _check_version(match, version)
    log.set(match, first=first)


def bracket_match_at(tournament: Tournament, number: int, table: int) -> Match:
    match = match_at(tournament, number, table)
    if match.round.swiss:
        raise NotFound(_("Round %(round)s has no bracket table %(table)s."), round=number, table=table)
    return match


def _fact_and_due(log: Log, match: Match, version: int | None, time: Time) -> tuple[MatchFact, Due]:
    _check_version(match, version)
    fact = read_match(match)
    return fact, find_due(fact, match.slot, ruleset_in_force(log.tournament)["elimination"], time)


def _check_version(match: Match, version: int | None) -> None:
    if version is not None and version != match.version:
        name = table_name(match.round.tournament, match.table, match.round)
        raise Conflict(_("Table %(table)s was changed while you were working. Check it again."), table=name)


def find_due(fact: MatchFact, slot: str, rules: Mapping[str, Any], time: Time) -> Due:
    """Return the next step of a bracket match. `rules`: the ruleset's `elimination`; `time`: minutes left."""
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
    """Return the minutes left in the round and in its stage, each None if it has no end or its clock is off."""
    now = timezone.now()
    clocks = (round_clock(round_), RoundClock(ends=round_.stage.ends_at))
    left = (clock.seconds(now) for clock in clocks)
    return Time(*(None if seconds is None else max(seconds // 60, 0) for seconds in left))
