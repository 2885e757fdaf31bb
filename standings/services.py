"""What the standings lead to: the cut, and results of the bracket it opens.

Reading is `standings.event` on `tournament.reading.event_of`; the two writes below follow from it.
"""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from standings.engine.bracket import Bracket, BracketMatch, Meeting, bracket_of, ready, stale
from standings.engine.cut import Cut
from standings.event import qualifiers_of, seeds_of, session_of
from tournament import facts, kinds
from tournament.errors import NotFound, Refused, WrongState
from tournament.models import Action, Match, Round, Stage, StageEntry, Tournament
from tournament.reading import event_of
from tournament.services.doing import service
from tournament.services.results import drop_by_slip, write_slip
from tournament.services.rounds import Table, complete_open_rounds, open_matches
from tournament.slips import Slip

SMALLEST, LARGEST = 2, 64


def cut_of(tournament: Tournament, size: int) -> Cut:
    """Who would play on, and the alternates, by the standings as they are now (open results included)."""
    event = event_of(tournament)
    for round_ in event.rounds:
        if round_.status == "published":
            round_.status = "complete"
    return qualifiers_of(event, size)


def make_cut(tournament: Tournament, size: int, *, actor: Any = "", key: str = "") -> Action | None:
    """Complete the last Swiss round and draw the bracket of the best `size`.

    Raises Refused for an impossible size, WrongState where a table is out or a bracket already stands.
    """
    if not SMALLEST <= size <= LARGEST:
        raise Refused(_("A cut has %(least)s to %(most)s players.") % {"least": SMALLEST, "most": LARGEST})
    found = cut_of(tournament, size)
    return save_cut(tournament, size, found, tournament.revision, actor=actor, key=key)


@service("cut", computed=("found", "revision"))
def save_cut(log: facts.Log, size: int, found: Cut, revision: int) -> None:
    """Store the cut as computed at `revision`: the elimination stage, its seeds, and its open matches."""
    tournament = log.tournament
    if tournament.stages.filter(kind=Stage.Kind.ELIMINATION).exists():
        raise WrongState(_("The bracket is already drawn."))
    if tournament.revision != revision:
        raise WrongState(_("Something changed meanwhile. Look at the standings and cut again."))
    if len(found.qualifiers) < SMALLEST:
        raise WrongState(_("A bracket needs at least two players who can play on."))
    swiss = list(tournament.stages.order_by("number"))
    for stage in swiss:
        complete_open_rounds(log, stage)
    if not tournament.rounds.exists():
        raise WrongState(_("Play a Swiss round first."))
    number = swiss[-1].number + 1
    stage = log.add(
        Stage, f"stages/{number}", {"kind": "elimination", "sources": _last_sessions(tournament, swiss)}
    )
    for seed, code in enumerate(found.qualifiers, start=1):
        log.add(StageEntry, f"stages/{number}/entries/{code}", {"seed": seed})
    for place, code in enumerate(found.alternates, start=1):
        log.add(StageEntry, f"stages/{number}/entries/{code}", {"alternate": place})
    log.set(tournament, cut=size)
    open_ready(log, stage)


def _last_sessions(tournament: Tournament, swiss: list[Stage]) -> list[int]:
    """Swiss stages no other one carries on from."""
    event = event_of(tournament)
    carried = {
        number for stage in swiss for number in session_of(event, stage.number) if number != stage.number
    }
    return [stage.number for stage in swiss if stage.number not in carried]


def bracket_of_stage(stage: Stage) -> Bracket:
    """The bracket as its seeds and results make it now."""
    seeds = list(stage.places.exclude(seed=None).order_by("seed").values_list("entry__code", flat=True))
    if not seeds:  # recorded without: they follow from the Swiss ranking
        event = event_of(stage.tournament)
        seeds = seeds_of(event, event.stage(stage.number))
    meetings = []
    for match in Match.objects.filter(round__stage=stage).prefetch_related("seats__entry"):
        codes = {seat.side: seat.entry.code for seat in match.seats.all()}
        winner = codes["a"] if "b" not in codes else codes.get(match.winner)
        meetings.append(
            Meeting(
                codes["a"], codes.get("b"), winner, match.result is not None, match.slot or None, ref=match
            )
        )
    return bracket_of(seeds, meetings)


def open_ready(log: facts.Log, stage: Stage) -> None:
    """Open every match both of whose entrants are known; complete the rounds that are over."""
    bracket = bracket_of_stage(stage)
    base = _rounds_before(stage)
    for match in ready(bracket):
        round_ = _bracket_round(log, stage, base + match.round)
        open_matches(log, round_, [_table(match)])
    bracket = bracket_of_stage(stage)
    for number in range(1, bracket.rounds + 1):
        begun = stage.rounds.filter(number=base + number).first()
        over = all(
            match.done or (match.meeting is not None and match.winner) for match in bracket.round(number)
        )
        if begun and over and begun.state == Round.State.PUBLISHED:
            log.set(begun, state="complete")


def _rounds_before(stage: Stage) -> int:
    """The number of the last round before this stage."""
    earlier = stage.tournament.rounds.filter(stage__number__lt=stage.number).order_by("-number")
    return earlier.values_list("number", flat=True).first() or 0


def _bracket_round(log: facts.Log, stage: Stage, number: int) -> Round:
    """The round of that number, published; made when its first match opens."""
    round_ = stage.rounds.filter(number=number).first()
    if round_ is None:
        round_ = log.add(Round, f"rounds/{number}", {"stage": stage.number, "state": "published"})
    return round_


def _table(match: BracketMatch) -> Table:
    """The seats of a ready bracket match; its table is its place in the round from the top."""
    a, b = (match.a, match.b) if match.a is not None else (match.b, None)
    assert a is not None
    place = int(match.slot.split(".")[1]) + (1 if match.slot.startswith("P") else 0)
    return Table(a=a, b=b, slot=match.slot, table=place if b else None, result=None if b else "bye")


@service("bracket result")
def record_bracket_result(
    log: facts.Log, number: int, table: int, slip: Slip, version: int | None = None
) -> None:
    """Enter an elimination result and open the matches that become ready.

    A changed winner takes an unplayed later match away. Raises WrongState where that one is played.
    """
    match = (
        Match.objects.filter(round__tournament=log.tournament, round__number=number, table=table)
        .select_related("round__stage")
        .first()
    )
    if match is None or match.round.swiss:
        raise NotFound(
            _("Round %(round)s has no bracket table %(table)s.") % {"round": number, "table": table}
        )
    if not write_slip(log, match, slip, version):
        return
    drop_by_slip(log, match, slip.drops)
    _take_back_stale(log, match.round.stage)
    open_ready(log, match.round.stage)


def _take_back_stale(log: facts.Log, stage: Stage) -> None:
    """Remove later matches whose entrants no longer follow from the results; refused where one is played."""
    for match in stale(bracket_of_stage(stage)):
        row = match.meeting.ref  # type: ignore[union-attr]
        if row.result is not None:
            raise WrongState(
                _("The next match, table %(table)s of round %(round)s, is already played: undo that first.")
                % {"table": row.table, "round": row.round.number}
            )
        with facts.repairing(row.round):
            log.unseat(row.round, {kinds.match_key(row)})
        if not row.round.matches.exists():
            log.remove(row.round)
