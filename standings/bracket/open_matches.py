"""The open matches of the bracket: `settle_bracket` makes them follow from seeds and results after every change."""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext as _

from standings.bracket.tree import build_tree
from standings.engine.bracket.cut import FORFEIT, find_first_mover
from standings.engine.bracket.tree import (
    THIRD_PLACE,
    Bracket,
    BracketMatch,
    matches_to_open,
    outdated_matches,
)
from standings.table.places import build_event_bracket
from tournament.actionlog.change import Log
from tournament.actionlog.fold import Change
from tournament.actionlog.match_facts import MatchFact, match_key, unlocked_seats
from tournament.event.display_names import load_names
from tournament.event.profile import ruleset_in_force
from tournament.event.read import load_event_values
from tournament.event.rounds import match_title
from tournament.event.table_plan import round_table_plan, table_name, table_numbers
from tournament.models import Entry, Match, Round, Stage, Tournament
from tournament.results.wording import result_words
from tournament.services.reports import REPORT_KINDS
from tournament.services.results import IS_OPEN, set_result
from tournament.services.rounds import is_being_played, open_matches, remove_round

RESULT_KINDS = ("bracket result", "repeat game", "decide match", *REPORT_KINDS)


def load_stage_bracket(stage: Stage) -> Bracket:
    """Return the bracket from its current seeds and results; a meeting's `ref` is (round number, match)."""
    bracket = build_event_bracket(load_event_values(stage.tournament, paired=False), stage.number)
    assert bracket is not None
    return bracket


def settle_bracket(log: Log, stage: Stage) -> None:
    """Make the stored matches follow from seeds and results. Removing matches needs a confirmation."""
    bracket = load_stage_bracket(stage)
    while gone := outdated_matches(bracket):
        for match in gone:
            _remove_match(log, match)
        bracket = load_stage_bracket(stage)
    while _open_ready(log, stage, bracket):
        bracket = load_stage_bracket(stage)
    for reopened in _matches_without_table(log.tournament):
        _move_match(log, reopened)
    _close_rounds(log, stage, bracket)
    log.to_confirm = altered_in_words(log.tournament, log.changes, bracket)


def altered_matches(changes: Iterable[Change]) -> list[tuple[int, MatchFact]]:
    """List the (round number, earlier match) of the existing bracket matches whose seating these changes alter."""
    before: dict[tuple[int, str], MatchFact | None] = {}
    now: dict[tuple[int, str], MatchFact | None] = {}
    for change in changes:
        parts = change["fact"].split("/")
        slot = ((change.get("before") or change.get("after")) or {}).get("slot")
        if slot and parts[2] == "tables":
            facts = (change["before"], change["after"])
            old, new = (MatchFact.from_log(int(parts[3]), fact) if fact else None for fact in facts)
            before.setdefault((int(parts[1]), slot), old)
            now[int(parts[1]), slot] = new
    return [
        (number, old)
        for (number, slot), old in sorted(before.items())
        if old and _seating(old) != _seating(now[number, slot])
    ]


def _seating(match: MatchFact | None) -> tuple[str, str | None, int | None] | None:
    return match and (match.a, match.b, match.table)


def confirm_undo(log: Log) -> None:
    """Require confirmation of an undo that changes more than the unplayed matches opened by the undone result."""
    stage = log.tournament.stages.filter(kind=Stage.Kind.ELIMINATION).order_by("number").last()
    undone = log.tournament.actions.filter(number=log.about["undoes"]).first()
    if stage is None or undone is None:
        return
    begun = {round_.number for round_ in log.tournament.rounds.filter(stage=stage) if is_being_played(round_)}
    altered = {number for number, _old in altered_matches(log.changes)}
    if undone.kind not in RESULT_KINDS or altered & begun:
        log.to_confirm = altered_in_words(log.tournament, log.changes, load_stage_bracket(stage))


def altered_in_words(
    tournament: Tournament, changes: Iterable[Change], bracket: Bracket
) -> list[tuple[str, str]]:
    """Return (before, after) in words for each match whose seating changes; `bracket` is the bracket afterwards."""
    altered = altered_matches(changes)
    if not altered:
        return []
    names = load_names(tournament)
    reseed = bool(ruleset_in_force(tournament)["elimination"].get("reseed"))
    plans = {round_.number: round_table_plan(tournament, round_) for round_ in tournament.rounds.all()}
    tree = build_tree(bracket, names, plans, reseed=reseed)
    now = {match.slot: match.sentence for match in tree.matches}
    words = []
    for number, old in altered:
        values = {
            "match": match_title(old.slot, bracket.rounds),
            "a": names[old.a],
            "b": names[str(old.b)],
            "table": plans.get(number, round_table_plan(tournament)).name(old.table),
            "result": result_words(old),
        }
        text = _("%(match)s: %(a)s plays %(b)s, table %(table)s.")
        if old.result is not None:
            text = _("%(match)s: %(a)s %(result)s %(b)s.")
        words.append((text % values, now.get(old.slot, "")))
    return words


def unsettled_matches(tournament: Tournament) -> list[str]:
    """Return one sentence for each thing `settle_bracket` would still change. An undo that leaves any is refused."""
    matches = _matches_without_table(tournament)
    tables = [table_name(tournament, match.table, match.round) for match in matches]
    sentences = [_("another match is being played at table %(table)s") % {"table": table} for table in tables]
    for stage in tournament.stages.filter(kind=Stage.Kind.ELIMINATION):
        bracket = load_stage_bracket(stage)
        faults = {
            _("%(match)s of the bracket no longer follows from the results"): outdated_matches(bracket),
            _("%(match)s of the bracket is not open"): matches_to_open(bracket),
        }
        for text, faulty in faults.items():
            sentences += [text % {"match": match_title(match.slot, bracket.rounds)} for match in faulty]
    return sentences


def _matches_without_table(tournament: Tournament) -> list[Match]:
    matches = Match.objects.filter(IS_OPEN, round__tournament=tournament, round__swiss=False)
    rows = matches.select_related("round__stage", "round__tournament").order_by("-round__number")
    last = {match.table: match for match in reversed(rows)}
    return [match for match in rows if last[match.table] != match]


def _move_match(log: Log, match: Match) -> None:
    round_, fact = match.round, log.read(match)
    with unlocked_seats(round_):
        log.unseat(round_, {match_key(match)})
        players = (fact.a, str(fact.b))
        log.seat(round_, [fact._replace(table=free_table(log.tournament, round_, fact.slot, players))])


def forfeit_match(log: Log, match: Match, entry: Entry) -> None:
    """Make a player who has left lose an open match. Games already played keep counting."""
    winner = match.seats.exclude(entry=entry).values_list("side", flat=True).get()
    if match.result is not None:
        log.set(match, decided=FORFEIT, winner=winner)
        return
    set_result(log, match, result="forfeit", games=None, winner=winner, score=None, game_order="", odd=False)


def _remove_match(log: Log, match: BracketMatch) -> None:
    assert match.meeting is not None
    number, played = match.meeting.ref
    round_ = log.tournament.rounds.select_related("stage").get(number=number)
    with unlocked_seats(round_):
        log.unseat(round_, {MatchFact(played.a, table=played.table).key_in(number)})


def _open_ready(log: Log, stage: Stage, bracket: Bracket) -> bool:
    ready = matches_to_open(bracket)
    base = last_round_before(stage)
    profile = ruleset_in_force(log.tournament)
    for match in ready:
        round_ = _bracket_round(log, stage, base + match.round)
        seated = seated_match(match, bracket, profile["elimination"], log.tournament, round_)
        # The third-place match may have no number here; then the ruleset decides.
        own = stage.best_of[match.round - 1 : match.round] if match.slot != THIRD_PLACE else []
        open_matches(log, round_, [seated], best_of=own[0] if own else None)
        _forfeit_absent(log, round_, seated)
    return bool(ready)


def _forfeit_absent(log: Log, round_: Round, match: MatchFact) -> None:
    absent = log.tournament.entries.exclude(status=Entry.Status.PLAYING)
    entry = absent.filter(code__in=[match.a, match.b], dropped_after=round_.number).first()
    if entry is not None and match.b is not None:
        row = round_.matches.select_related("round").get(slot=match.slot)
        forfeit_match(log, row, entry)


def _close_rounds(log: Log, stage: Stage, bracket: Bracket) -> None:
    base = last_round_before(stage)
    for round_ in stage.rounds.order_by("-number"):
        if not round_.matches.exists():
            remove_round(log, round_)
    for round_ in stage.rounds.order_by("number"):
        here = bracket.round(round_.number - base)
        over = all(match.done for match in here) and not any(
            meeting.ref[0] == round_.number and not meeting.final for meeting in bracket.placing
        )
        if over != (round_.state == Round.State.COMPLETE):
            log.set(round_, state="complete" if over else "published")


def last_round_before(stage: Stage) -> int:
    earlier = stage.tournament.rounds.filter(stage__number__lt=stage.number).order_by("-number")
    return earlier.values_list("number", flat=True).first() or 0


def _bracket_round(log: Log, stage: Stage, number: int) -> Round:
    round_ = stage.rounds.filter(number=number).first()
    if round_ is None:
        return log.add(Round, f"rounds/{number}", {"stage": stage.number, "state": "published"})
    log.set(round_, state="published")  # no seat joins a complete one
    return round_


def seated_match(
    match: BracketMatch, bracket: Bracket, rules: Mapping[str, Any], tournament: Tournament, round_: Round
) -> MatchFact:
    """Return a ready match as a fact to save. `rules`: the ruleset's `elimination`."""
    a, b = (match.a, match.b) if match.a is not None else (match.b, None)
    assert a is not None
    if b is None:
        return MatchFact(a=a, slot=match.slot, result="bye")
    number = free_table(tournament, round_, match.slot, (a, b))
    return MatchFact(a=a, b=b, slot=match.slot, table=number, first=find_first_side(match, bracket, rules))


def free_table(tournament: Tournament, round_: Round, slot: str, players: tuple[str, str]) -> int:
    """Return a free table for a match: a player's fixed one, else by its place in the tree. No open match has it."""
    place = int(slot.split(".")[1]) + (1 if slot == THIRD_PLACE else 0)
    matches = Match.objects.filter(IS_OPEN | Q(round=round_), round__tournament=tournament)
    taken = set(matches.values_list("table", flat=True))
    fixed_entries = round_.stage.stage_entries.filter(entry__fixed_table__isnull=False)
    fixed = dict(fixed_entries.values_list("entry__code", "entry__fixed_table"))
    own = sorted(fixed[code] or 0 for code in players if code in fixed and fixed[code] not in taken)
    if own:
        return own[0]
    taken |= set(fixed.values())
    numbers = islice(table_numbers(round_table_plan(tournament, round_)), place - 1, None)
    return next(number for number in numbers if number not in taken)


def find_first_side(match: BracketMatch, bracket: Bracket, rules: Mapping[str, Any]) -> str:
    """Return the side that moves first by the ruleset; "" if a player chooses, or if first moves do not matter.

    Round 1 follows the ruleset's list (`round1_first`), which is missing from our copy of ClineCON's rules; then the
    better seed moves first.
    """
    if not rules.get("colours"):
        return ""
    a, b = str(match.a), str(match.b)
    listed = rules.get("round1_first") or []
    place = int(match.slot.split(".")[1])
    if match.round == 1 and place <= len(listed):
        return listed[place - 1]
    had_a, had_b = (_sides_had(entry, match.round, bracket) for entry in (a, b))
    seeds, last = bracket.seeds, match.round == bracket.rounds
    return find_first_mover(had_a, had_b, seeds[a], seeds[b], last, rules["colours"])


def _sides_had(entry: str, before: int, bracket: Bracket) -> list[str]:
    meetings = [match.meeting for match in bracket.matches.values() if match.round < before and match.meeting]
    played = [meeting.ref[1] for meeting in meetings if entry in (meeting.a, meeting.b)]
    firsts = [match.a if match.first == "a" else match.b for match in played if match.b and match.first]
    return ["first" if first == entry else "second" for first in firsts]
