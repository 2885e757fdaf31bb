"""Enter results and time extensions of a table; a result against the version of the match that the person saw."""

from typing import Any

from django.db.models import Q
from django.utils.translation import gettext as _

from tournament.actionlog.match_facts import Fact, MatchFact, match_key, read_match
from tournament.actionlog.service import Log, service
from tournament.errors import Conflict, Refused, WrongState
from tournament.event.profile import ruleset_in_force
from tournament.event.rounds import match_at, round_name, solo_match
from tournament.event.table_plan import table_name
from tournament.event.waivers import number_matches, renew_waivers
from tournament.models import Action, Entry, Extension, Match, Report, Round, Seat, Tournament
from tournament.results import game_points
from tournament.results.box_line import BoxLine
from tournament.results.slip import MatchRules, Slip, build_match_rules, fields_of_slip
from tournament.rulesets import is_meeting
from tournament.services.drops import apply_drop
from tournament.services.entries import last_status_change
from tournament.services.penalties import check_losses, games_lost
from tournament.services.standings_hooks import standings
from tournament.text import clean_name

LONGEST_REASON = 200  # characters, of a time extension
UNDECIDED = ("played", "intentional_draw")  # without a winner, in a bracket: a repeat game may follow
# A match without its result.
IS_OPEN = Q(result=None) | Q(round__swiss=False, result__in=UNDECIDED, winner="")
SLIP_ACTIONS = ("result", "bracket result")


def enter_line(
    tournament: Tournament, line: BoxLine, seen: int | None, *, replaces: bool = False, **about: Any
) -> Action | None:
    """Do what a line of the quick-entry box says. `seen`: the revision of its page; `about`: actor, key and so on."""
    row, table = line.row, line.row.table or 0
    if line.what == "extend":
        return extend_table(tournament, row.round, table, line.minutes, line.why, **about)
    if line.what == "drop":
        return drop_from_table(tournament, row.round, table, line.sides, **about)
    # If the match changed after that revision, the service must see a conflict.
    version = row.version if seen is None or row.version <= seen else seen
    if line.what == "clear":
        return clear_result(tournament, row.round, table, version, **about)
    if line.slip is None:
        return None
    about |= {"replaces": replaces, "keeps_drops": True}
    return record_result(tournament, row.round, table, line.slip, version, **about)


def enter_slip(
    tournament: Tournament, number: int, table: int, slip: Slip | None, version: int, **about: Any
) -> Action | None:
    """Record the slip that a form shows, or clear the table without one."""
    if slip is None:
        return clear_result(tournament, number, table, version, **about)
    return record_result(tournament, number, table, slip, version, **about)


def set_result(log: Log, match: Match, **fields: Any) -> None:
    """Write a result and void its reports. Adjusts waivers where a forfeit becomes a meeting or the reverse."""
    if log.tournament.reporting != Tournament.Reporting.OFF:
        for report in match.reports.select_related("match__round"):
            log.remove(report)
    profile = log.tournament.profile or {}
    met, meets = (is_meeting(profile, result) for result in (match.result, fields["result"]))
    if met == meets or not match.round.swiss:
        log.set(match, **fields)
        return
    a, b = match.seats.order_by("side")
    before = number_matches(
        Seat.objects.filter(tournament=log.tournament, entry=a.entry_id, opponent=b.entry_id)
    )
    after: dict[str, MatchFact | None] = {key: fact for key, (_number, fact) in before.items()}
    after[match_key(match)] = before[match_key(match)][1]._replace(result=fields["result"])
    after = renew_waivers(profile, before, after)
    waivers: dict[str, Fact] = {
        key: {"waived": fact.waived}
        for key, fact in after.items()
        if fact and fact.waived != before[key][1].waived
    }
    if met:  # remove a waiver only after the meeting, and add it before
        log.set(match, **fields)
    if waivers:
        log.reseat(waivers)
    if meets:
        log.set(match, **fields)


def remove_void_reports(log: Log) -> None:
    """Remove reports of matches that have a result, and all once players no longer report."""
    reports = Report.objects.filter(match__round__tournament=log.tournament)
    if log.tournament.reporting != Tournament.Reporting.OFF:
        reports = reports.filter(match__result__isnull=False)
    for report in reports.select_related("match__round"):
        log.remove(report)


def write_reported_slip(log: Log, match: Match, slip: Slip) -> None:
    if match.round.swiss:
        write_slip(log, match, slip, None, replaces=False)
    else:
        standings().write_result(log, match, slip)


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

    `replaces`: it may replace another result; `late`: the Swiss round may be complete; `besides`: fields that change
    with it. Raises Conflict, with both values, if another result came since `version`, or must not be replaced.
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
            standings().follow_status(log, entry)


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


@service("drop")
def drop_from_table(log: Log, number: int, table: int, sides: str) -> None:
    """Drop the players on these sides ("a", "b", "ab") of a table."""
    seats = match_at(log.tournament, number, table).seats.filter(side__in=sides)
    for seat in seats.select_related("entry").order_by("side"):
        if seat.entry.status == Entry.Status.PLAYING:
            apply_drop(log, seat.entry)


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


@service("extend")
def extend_table(log: Log, number: int, table: int, minutes: int, why: str = "", seen: str = "") -> None:
    """Give one table more minutes. `why`: the reason; `seen`: the minutes that the page showed."""
    match = match_at(log.tournament, number, table)
    extension = Extension.objects.filter(match=match).first()
    if seen and seen != str(extension.minutes if extension else 0):
        raise Conflict(_("Someone else gave this table time meanwhile. Check it, then press again."))
    extend_match(log, match, minutes, why)


def extend_match(log: Log, match: Match, minutes: int, why: str) -> None:
    if not 1 <= minutes <= 60:
        raise Refused(_("A time extension must be 1 to 60 minutes."))
    why = clean_name(why)[:LONGEST_REASON]
    number, table = match.round.number, match.table
    if match.round.state != Round.State.PUBLISHED:
        raise WrongState(
            _("The matches of %(round)s are not in progress."), round=round_name(match.round).phrase
        )
    if not Match.objects.filter(IS_OPEN, pk=match.pk).exists():
        name = table_name(log.tournament, table, match.round)
        raise WrongState(_("Table %(table)s has a result. Clear it before you give more time."), table=name)
    extension = Extension.objects.filter(match=match).first()
    if extension:
        log.set(extension, minutes=extension.minutes + minutes, reason=why or extension.reason)
    else:
        log.add(Extension, f"rounds/{number}/tables/{table}/extension", {"minutes": minutes, "reason": why})


def end_lost_match(log: Log, match: Match) -> None:
    """Write the result of a Swiss match that penalties decided. Source: Magic Infraction Procedure Guide 1.1."""
    if match.result is not None or not match.round.swiss:
        return
    rules = build_match_rules(ruleset_in_force(log.tournament), match.best_of, swiss=True)
    lost = {side for side, games in games_lost(match, rules).items() if games == rules.to_win}
    if lost:
        set_result(log, match, **_lost_match_fields(lost, rules))


def _lost_match_fields(lost: set[str], rules: MatchRules) -> Fact:
    fields: Fact = {"games": None, "winner": "", "score": None, "game_order": "", "odd": False}
    if len(lost) > 1:
        return {**fields, "result": "double_loss"}
    winner = "b" if "a" in lost else "a"
    if rules.scores is not None:
        return {**fields, "result": "forfeit", "winner": winner}
    games = [rules.to_win, 0, 0] if winner == "a" else [0, rules.to_win, 0]
    order = winner * rules.to_win if rules.order else ""
    return {**fields, "result": "played", "winner": winner, "games": games, "game_order": order}
