"""The bracket as it is opened, match by match. Results are `bracket_results`, leavings `bracket_leaving`.

The tree is never stored. Every write here ends in `settle`, which compares the matches there are with what
seeds and results say now: takes away what no longer follows, opens what became ready.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice
from typing import Any

from django.utils.translation import gettext as _

from standings.engine.bracket.elimination import first_mover_of
from standings.engine.bracket.slots import THIRD_PLACE
from standings.engine.bracket.tree import matches_to_open, outdated_matches
from standings.engine.bracket.types import Bracket, BracketMatch
from standings.event.bracket import bracket_of_event
from tournament.actionlog.change import Log, unlocked_seats
from tournament.actionlog.match_facts import MatchFact, find_match, match_key
from tournament.errors import WrongState
from tournament.event.profile import profile_of
from tournament.event.read import bracket_event_of, event_of
from tournament.event.table_numbers import table_numbers
from tournament.event.types import Match as Played
from tournament.models import Match, Round, Stage, Tournament
from tournament.services.rounds import open_matches


class Empties(WrongState):
    """A correction that empties later matches: `later` names them, for the person to confirm."""

    def __init__(self, message: object, later: list[str]) -> None:
        super().__init__(message)
        self.later = later


def bracket_of_stage(stage: Stage) -> Bracket:
    """The bracket as its seeds and results make it now; each meeting's `ref` is (round number, match)."""
    seeded = stage.stage_entries.exclude(seed=None).exists()
    # Recorded without seeds: they follow from the Swiss ranking, which needs the whole event.
    event = bracket_event_of(stage) if seeded else event_of(stage.tournament)
    bracket = bracket_of_event(event, stage.number)
    assert bracket is not None
    return bracket


def settle(log: Log, stage: Stage, resets: Collection[str] = ()) -> None:
    """Bring the matches there are in line with seeds and results.

    Matches that no longer follow are taken away: byes at once, others only where `resets` names them
    ("5.1": round 5, table 1). Raises Empties with all of them otherwise.
    """
    taken: list[str] = []
    while gone := outdated_matches(bracket_of_stage(stage)):
        for match in gone:
            taken += _take_away(log, match)
    if set(taken) - set(resets):
        raise Empties(
            _("This changes who plays in later matches. Confirm that their results will be cleared."),
            sorted(set(taken)),
        )
    _open_ready(log, stage)
    _close_rounds(log, stage)


def unsettled(tournament: Tournament) -> list[str]:
    """What `settle` would still do, a sentence each: an undo that leaves something of it is refused."""
    said = []
    for stage in tournament.stages.filter(kind=Stage.Kind.ELIMINATION):
        bracket = bracket_of_stage(stage)
        said += [
            f"{match.slot} of the bracket no longer follows from the results"
            for match in outdated_matches(bracket)
        ]
        said += [f"{match.slot} of the bracket is not open" for match in matches_to_open(bracket)]
    return said


def _take_away(log: Log, match: BracketMatch) -> list[str]:
    """Unseat a match; the answer names it, unless it is a bye or only half of one."""
    number, played = match.meeting.ref  # type: ignore[union-attr]
    row = _row_of(log.tournament, number, played)
    with unlocked_seats(row.round):
        log.unseat(row.round, {match_key(row)})
    return [] if played.b is None else [f"{number}.{played.table}"]


def _row_of(tournament: Tournament, number: int, played: Played) -> Match:
    row = find_match(tournament, MatchFact(played.a, table=played.table).key_in(number))
    row.round = tournament.rounds.select_related("stage").get(number=number)
    return row


def _open_ready(log: Log, stage: Stage) -> None:
    """Open every match both of whose entrants are known."""
    bracket = bracket_of_stage(stage)
    base = rounds_before(stage)
    profile = profile_of(log.tournament)
    for match in matches_to_open(bracket):
        round_ = _bracket_round(log, stage, base + match.round)
        table = _table(match, bracket, profile["elimination"], log.tournament, round_)
        open_matches(log, round_, [table], best_of=length_in(stage, match))


def length_in(stage: Stage, match: BracketMatch) -> int | None:
    """Best of how many games, where the stage says so for that round; the third-place match as the ruleset."""
    own = stage.best_of[match.round - 1 : match.round] if match.slot != THIRD_PLACE else []
    return own[0] if own else None


def _close_rounds(log: Log, stage: Stage) -> None:
    """Complete the rounds that are over, publish again those that are not, drop what is empty at the end."""
    bracket = bracket_of_stage(stage)
    base = rounds_before(stage)
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


def remove_round(log: Log, round_: Round) -> None:
    """Take an empty round away; a penalty given while it was the latest is then one of the round before."""
    for penalty in round_.penalties.all():
        log.set(penalty, round=round_.number - 1 or None)
    log.remove(round_)


def rounds_before(stage: Stage) -> int:
    """The number of the last round before this stage."""
    earlier = stage.tournament.rounds.filter(stage__number__lt=stage.number).order_by("-number")
    return earlier.values_list("number", flat=True).first() or 0


def _bracket_round(log: Log, stage: Stage, number: int) -> Round:
    """The round of that number, published; made when its first match opens."""
    round_ = stage.rounds.filter(number=number).first()
    if round_ is None:
        return log.add(Round, f"rounds/{number}", {"stage": stage.number, "state": "published"})
    log.set(round_, state="published")  # no seat joins a complete one
    return round_


def _table(
    match: BracketMatch, bracket: Bracket, rules: dict[str, Any], hall: Tournament, round_: Round
) -> MatchFact:
    """The seats of a ready bracket match; its table is its place in the round, counted from the top."""
    a, b = (match.a, match.b) if match.a is not None else (match.b, None)
    assert a is not None
    if b is None:
        return MatchFact(a=a, slot=match.slot, result="bye")
    place = int(match.slot.split(".")[1]) + (1 if match.slot == THIRD_PLACE else 0)
    number = _number(hall, round_, place, (a, b))
    return MatchFact(a=a, b=b, slot=match.slot, table=number, first=first_of(match, bracket, rules))


def _number(hall: Tournament, round_: Round, place: int, players: tuple[str, str]) -> int:
    """The number of the table at that place of a round; the next free one where the hall changed meanwhile.

    A player with a fixed table sits there, and nobody else is sent to it.
    """
    taken = set(round_.matches.values_list("table", flat=True))
    places = round_.stage.stage_entries.filter(entry__fixed_table__isnull=False)
    fixed = {code: table or 0 for code, table in places.values_list("entry__code", "entry__fixed_table")}
    own = sorted(fixed[code] for code in players if code in fixed and fixed[code] not in taken)
    if own:
        return own[0]
    taken |= set(fixed.values())
    numbers = islice(table_numbers(hall.first_table, hall.skip_tables), place - 1, None)
    return next(number for number in numbers if number not in taken)


def first_of(match: BracketMatch, bracket: Bracket, rules: dict[str, Any]) -> str:
    """The side that moves first by the ruleset; "" where a player chooses, or the game has no sides.

    Round 1 by the ruleset's table (`round1_first`, from the top), else the better seed: ClineCON's figure is
    not in our copy of its rules.
    """
    if not rules.get("colours"):
        return ""
    a, b = str(match.a), str(match.b)
    seed_a, seed_b = bracket.seeds[a], bracket.seeds[b]
    listed = rules.get("round1_first") or []
    place = int(match.slot.split(".")[1])
    if match.round == 1 and place <= len(listed):
        return listed[place - 1]
    sides: tuple[list[str], list[str]] = ([], [])
    for earlier in bracket.matches.values():
        if (
            earlier.round < match.round
            and earlier.meeting
            and earlier.meeting.b
            and earlier.meeting.ref[1].first
        ):
            played = earlier.meeting.ref[1]
            for had, entry in zip(sides, (a, b), strict=True):
                if entry in (played.a, played.b):
                    had.append("first" if (played.first == "a") == (entry == played.a) else "second")
    return first_mover_of(sides[0], sides[1], seed_a, seed_b, last=match.round == bracket.rounds)
