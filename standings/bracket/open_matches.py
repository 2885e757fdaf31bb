"""The bracket as it is opened, match by match; results are entered in `results`.

The tree is never stored. Every change ends in `settle_bracket`, which compares the stored matches with what the
seeds and results make of the tree now: it removes what no longer follows, and opens what became ready.
"""

from collections.abc import Collection

from django.utils.translation import gettext as _

from standings.bracket.seating import seated_match
from standings.engine.bracket.slots import THIRD_PLACE
from standings.engine.bracket.tree import matches_to_open, outdated_matches
from standings.engine.bracket.types import Bracket, BracketMatch
from standings.event.bracket import bracket_of_event
from standings.words.bracket import match_to_open, outdated_match
from tournament.actionlog.change import Log
from tournament.actionlog.match_facts import MatchFact
from tournament.actionlog.match_rows import unlocked_seats
from tournament.errors import WrongState
from tournament.event.profile import profile_of
from tournament.event.read import event_of
from tournament.models import Round, Stage, Tournament
from tournament.services.rounds import open_matches, remove_round


class ClearsLaterMatches(WrongState):
    """A correction that clears later matches: `later` names them ("5.1": round 5, table 1), to be confirmed."""

    def __init__(self, message: object, later: list[str]) -> None:
        super().__init__(message)
        self.later = later


def bracket_of_stage(stage: Stage) -> Bracket:
    """The bracket as its seeds and results make it now; the `ref` of a meeting is (round number, match)."""
    bracket = bracket_of_event(event_of(stage.tournament, paired=False), stage.number)
    assert bracket is not None
    return bracket


def settle_bracket(log: Log, stage: Stage, resets: Collection[str] | None = ()) -> None:
    """Bring the stored matches in line with seeds and results.

    Matches that no longer follow are removed: byes at once, others only where `resets` names them, or is None.
    Raises ClearsLaterMatches with the names of all of them otherwise.
    """
    removed: list[str] = []
    bracket = bracket_of_stage(stage)
    while gone := outdated_matches(bracket):
        for match in gone:
            removed += _remove_match(log, match)
        bracket = bracket_of_stage(stage)
    if resets is not None and set(removed) - set(resets):
        raise ClearsLaterMatches(
            _(
                "This changes who plays in later matches. Correct the result: the page shows what that clears."
            ),
            sorted(set(removed)),
        )
    if _open_ready(log, stage, bracket):
        bracket = bracket_of_stage(stage)
    _close_rounds(log, stage, bracket)


def unsettled_matches(tournament: Tournament) -> list[str]:
    """What `settle_bracket` would still have to do, a sentence each: an undo that leaves any is refused."""
    sentences: list[str] = []
    for stage in tournament.stages.filter(kind=Stage.Kind.ELIMINATION):
        bracket = bracket_of_stage(stage)
        sentences += [outdated_match(match, bracket.rounds) for match in outdated_matches(bracket)]
        sentences += [match_to_open(match, bracket.rounds) for match in matches_to_open(bracket)]
    return sentences


def _remove_match(log: Log, match: BracketMatch) -> list[str]:
    """Unseat a match. Returns its name; nothing for a bye."""
    assert match.meeting is not None
    number, played = match.meeting.ref
    round_ = log.tournament.rounds.select_related("stage").get(number=number)
    with unlocked_seats(round_):
        log.unseat(round_, {MatchFact(played.a, table=played.table).key_in(number)})
    return [] if played.b is None else [f"{number}.{played.table}"]


def _open_ready(log: Log, stage: Stage, bracket: Bracket) -> bool:
    """Open every match both of whose entrants are known; whether there was any."""
    ready = matches_to_open(bracket)
    base = last_round_before(stage)
    profile = profile_of(log.tournament)
    for match in ready:
        round_ = _bracket_round(log, stage, base + match.round)
        seated = seated_match(match, bracket, profile["elimination"], log.tournament, round_)
        open_matches(log, round_, [seated], best_of=match_length_of(stage, match))
    return bool(ready)


def match_length_of(stage: Stage, match: BracketMatch) -> int | None:
    """Best of how many games by the stage; None where the ruleset decides, as for the third-place match."""
    own = stage.best_of[match.round - 1 : match.round] if match.slot != THIRD_PLACE else []
    return own[0] if own else None


def _close_rounds(log: Log, stage: Stage, bracket: Bracket) -> None:
    """Complete the rounds that are over, publish again those that are not, remove empty ones at the end."""
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
    """The number of the last round before this stage."""
    earlier = stage.tournament.rounds.filter(stage__number__lt=stage.number).order_by("-number")
    return earlier.values_list("number", flat=True).first() or 0


def _bracket_round(log: Log, stage: Stage, number: int) -> Round:
    """The round of that number, published; it is created with its first match."""
    round_ = stage.rounds.filter(number=number).first()
    if round_ is None:
        return log.add(Round, f"rounds/{number}", {"stage": stage.number, "state": "published"})
    log.set(round_, state="published")  # no seat joins a complete one
    return round_
