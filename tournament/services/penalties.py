"""Results written to matches with the waivers they need, and the games and matches lost by penalties."""

from typing import Any

from django.db.models import F
from django.utils.translation import ngettext

from tournament.actionlog.match_facts import Fact, MatchFact, match_key
from tournament.actionlog.service import Log
from tournament.errors import Refused
from tournament.event.profile import ruleset_in_force
from tournament.event.waivers import number_matches, renew_waivers
from tournament.models import Entry, Match, Penalty, Report, Round, Seat, Tournament
from tournament.results.slip import MatchRules, Slip, build_match_rules
from tournament.rulesets import is_meeting
from tournament.services.entries import next_number

LOSSES = (Penalty.Kind.GAME_LOSS, Penalty.Kind.MATCH_LOSS)
NEXT_MATCH = 0  # as the round in which a loss counts, before that round is known


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


def record_penalty(
    log: Log,
    entry: Entry,
    kind: str,
    infraction: str,
    *,
    judge: str = "",
    description: str = "",
    counts_in: int | None = None,
) -> None:
    """Add a penalty in the entry's current round. `counts_in`: the round whose match it costs, 0 for the next one."""
    number = next_number(log.tournament.penalties)
    fields = {
        "round": _penalty_round(entry),
        "entry": entry.code,
        "kind": kind,
        "reason": infraction,
        "judge": judge,
        "counts_in": counts_in,
    }
    log.add(Penalty, f"penalties/{number}", fields, {"description": description})


def _penalty_round(entry: Entry) -> int | None:
    """Return the round of the entry's match, else the latest of its stages, else the latest; None before round 1."""
    posted = entry.tournament.rounds.exclude(state=Round.State.DRAFT).order_by("-number")
    numbers = posted.values_list("number", flat=True)
    playing = numbers.filter(
        state=Round.State.PUBLISHED,
        seats__entry=entry,
        seats__opponent__isnull=False,
        seats__match__result__isnull=True,
    )
    own = numbers.filter(stage__in=entry.stage_entries.values("stage"))
    return playing.first() or own.first() or numbers.first()


def games_lost(match: Match, rules: MatchRules) -> dict[str, int]:
    """Return {side: games that its opponent wins by penalties in this match}."""
    losses = Penalty.objects.filter(
        tournament=match.round.tournament_id,
        counts_in=match.round.number,
        kind__in=LOSSES,
        entry__seats__match=match,
    )
    lost: dict[str, int] = {}
    for kind, side in losses.values_list("kind", "entry__seats__side"):
        games = 1 if kind == Penalty.Kind.GAME_LOSS else rules.to_win
        lost[side] = min(lost.get(side, 0) + games, rules.to_win)
    return lost


def missing_wins(match: Match, slip: Slip, rules: MatchRules) -> tuple[str, int] | None:
    """Return the penalized side whose game loss is missing from the score, and the opponent's minimum wins."""
    if slip.result == "played":
        for side, least in games_lost(match, rules).items():
            if (slip.b if side == "a" else slip.a) < least:
                return side, least
    return None


def check_losses(match: Match, slip: Slip, rules: MatchRules) -> None:
    """Raise Refused, in words for staff, if the score lacks a game that a penalty gave away."""
    if missing := missing_wins(match, slip, rules):
        side, least = missing
        names = dict(match.seats.values_list("side", "entry__name"))
        text = ngettext(
            "%(player)s has a penalty in this match: %(opponent)s has at least %(count)s game win. "
            "Enter it, or undo the penalty.",
            "%(player)s has a penalty in this match: %(opponent)s has at least %(count)s game wins. "
            "Enter them, or undo the penalty.",
            least,
        )
        values: dict[str, Any] = {
            "player": names.pop(side),
            "opponent": next(iter(names.values())),
            "count": least,
        }
        raise Refused(text, **values)


def count_penalties(log: Log, round_: Round) -> None:
    """Apply the losses that wait for the players' next match to this round, whose seats are final now."""
    waiting = log.tournament.penalties.filter(
        kind__in=LOSSES,
        counts_in=NEXT_MATCH,
        entry__seats__round=round_,
        entry__seats__opponent__isnull=False,
    )
    matches: set[int] = set()
    for penalty in waiting.annotate(match=F("entry__seats__match")):
        log.set(penalty, counts_in=round_.number)
        matches.add(penalty.match)
    for match in round_.matches.filter(pk__in=matches).order_by("table"):
        end_lost_match(log, match)


def end_lost_match(log: Log, match: Match) -> None:
    """Write the result of a Swiss match that penalties decided: the winning games, nothing played.

    Source: Magic Infraction Procedure Guide 1.1. Where points are recorded they are unknown: a forfeit. A bracket match
    is entered by hand.
    """
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
