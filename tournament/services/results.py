"""Results: what a match slip says becomes a fact, once, against the version of the match the person saw."""

from typing import Any

from django.utils.translation import gettext as _

from tournament.actionlog.match_facts import match_key, read_match
from tournament.actionlog.service import Log, service
from tournament.errors import Conflict, Refused, WrongState
from tournament.event.profile import ruleset_in_force
from tournament.event.table_plan import table_name
from tournament.models import Entry, Match, Round
from tournament.results import game_points
from tournament.results.slip import MatchRules, Slip, build_match_rules, fields_of_slip
from tournament.services.bracket_hooks import bracket
from tournament.services.drops import apply_drop
from tournament.services.entries import last_status_change
from tournament.services.penalties import check_losses, set_result
from tournament.services.rounds import match_at, solo_match

SLIP_ACTIONS = ("result", "bracket result")


def write_reported_slip(log: Log, match: Match, slip: Slip) -> None:
    if match.round.swiss:
        write_slip(log, match, slip, None, replaces=False)
    else:
        bracket().write_result(log, match, slip)


def match_rules(match: Match, profile: dict[str, Any]) -> MatchRules:
    return build_match_rules(profile, match.best_of, swiss=match.round.swiss)


def write_slip(
    log: Log,
    match: Match,
    slip: Slip,
    version: int | None,
    *,
    replaces: bool = True,
    late: bool = False,
    **besides: Any,
) -> bool:
    """Check a slip against the current match and write it. Return False if that is the result already.

    replaces  whether it may replace another result
    late      whether the round may be a complete Swiss round
    besides   further fields of the match that change with its result

    Raises Conflict, with both values, if another result came in since `version`, or exists and `replaces` is false.
    """
    # A bracket's round is complete with its last result; correcting one needs no reopening there.
    closed = match.round.state == Round.State.COMPLETE and (late or not match.round.swiss)
    if match.round.state != Round.State.PUBLISHED and not closed:
        raise _not_in_progress(match)
    profile = ruleset_in_force(log.tournament)
    rules = match_rules(match, profile)
    after = fields_of_slip(slip, rules, profile)
    check_losses(match, slip, rules)
    before = log.read(match).to_log()
    if all(before[name] == value for name, value in after.items()):
        return False
    theirs = {name: before[name] for name in after}
    if version is not None and version != match.version:
        message = _("Table %(table)s was given a different result while you were working.")
        raise Conflict(
            message, table=table_name(log.tournament, match.table, match.round), theirs=theirs, yours=after
        )
    if before["result"] is not None and not replaces:
        message = _("Table %(table)s already has another result.")
        raise Conflict(
            message, table=table_name(log.tournament, match.table, match.round), theirs=theirs, yours=after
        )
    set_result(log, match, **after, **besides)
    return True


def _not_in_progress(match: Match) -> WrongState:
    values = {"round": match.round.number}
    if match.round.state == Round.State.COMPLETE:
        return WrongState(
            _("Round %(round)s is complete. Use “correct” beside the table on the round’s page."), **values
        )
    return WrongState(_("Round %(round)s is not published yet. Publish it first."), **values)


def apply_slip_drops(log: Log, match: Match, sides: str, *, keeps: bool = False) -> None:
    """Drop these sides as their slip says; take back drops of earlier slips only, unless `keeps`."""
    for seat in match.seats.select_related("entry"):
        entry = seat.entry
        if seat.side in sides and entry.status == Entry.Status.PLAYING and not entry.house:
            apply_drop(log, entry)
        elif keeps or seat.side in sides or entry.status != Entry.Status.DROPPED:
            continue
        elif _dropped_by(match, entry):
            log.set(entry, status="playing", dropped_after=None)
            bracket().follow_status(log, entry)


def find_slip_drops(match: Match) -> str:
    """Return the sides whose drop came with this match's slip: "", "a", "b" or "ab"."""
    seats = match.seats.filter(entry__status=Entry.Status.DROPPED).select_related("entry").order_by("side")
    return "".join(seat.side for seat in seats if _dropped_by(match, seat.entry))


def _dropped_by(match: Match, entry: Entry) -> bool:
    drop = last_status_change(entry)
    if drop is None or drop.kind not in SLIP_ACTIONS:
        return False
    return match_key(match) in {change["fact"] for change in drop.changes}


@service("result", computed=("version",))  # the box works it out from what its page has seen
def record_result(
    log: Log,
    number: int,
    table: int,
    slip: Slip,
    version: int | None = None,
    *,
    replaces: bool = True,
    keeps_drops: bool = False,
) -> None:
    """Enter or correct a Swiss result and the drops on its slip. `keeps_drops`: keep those of earlier slips."""
    match = match_at(log.tournament, number, table)
    if not match.round.swiss:
        raise WrongState(_("This is a bracket match: enter it on the bracket page."))
    was_entered = match.result is not None
    write_slip(log, match, slip, version, replaces=replaces)
    if slip.drops or (was_entered and not keeps_drops):
        apply_slip_drops(log, match, slip.drops, keeps=keeps_drops)


@service("clear result", computed=("version",))
def clear_result(log: Log, number: int, table: int, version: int | None = None) -> None:
    match = match_at(log.tournament, number, table)
    if match.round.state != Round.State.PUBLISHED:
        raise _not_in_progress(match)
    if not match.round.swiss:
        raise WrongState(_("This is a bracket match: undo its result instead."))
    if version is not None and version != match.version and match.result is not None:
        raise Conflict(
            _("Table %(table)s was changed while you were working. Check it again."),
            table=table_name(log.tournament, table, match.round),
        )
    set_result(log, match, result=None, games=None, winner="", score=None, game_order="", odd=False)
    apply_slip_drops(log, match, "")


@service("points")
def record_points(log: Log, number: int, code: str, points: str, version: int | None = None) -> None:
    """Give points to a player without an opponent in a round; an empty text removes them."""
    match = solo_match(log.tournament, number, code)
    if match.round.state != Round.State.PUBLISHED:
        raise _not_in_progress(match)
    rules = match_rules(match, ruleset_in_force(log.tournament)).scores
    if rules is None:
        raise Refused(_("This ruleset does not record points. Enter the games won."))
    score = (game_points.parse_points(points, rules), "0") if points.strip() else None
    before = read_match(match).score
    if score == before:
        return
    if version is not None and version != match.version:
        text = _("The points were entered while you were working.")
        raise Conflict(
            text,
            theirs={"score": before and game_points.points_text(before[0])},
            yours={"score": score and game_points.points_text(score[0])},
        )
    log.set(match, score=score and list(score))
