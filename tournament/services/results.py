"""Results: what a slip says becomes a fact, once, against the version the person saw."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from tournament import facts, kinds
from tournament.errors import Conflict, NotFound, WrongState
from tournament.models import Entry, Match, Round, Tournament
from tournament.reading import profile_of
from tournament.services.doing import service
from tournament.services.drops import drop_now
from tournament.services.rounds import round_of
from tournament.slips import MatchRules, Slip, check, games_fact, winner_of

SLIPS = ("result", "bracket result")  # the actions a slip makes


def match_at(tournament: Tournament, number: int, table: int) -> Match:
    """The match at a table of a round. Raises NotFound."""
    match = round_of(tournament, number).matches.filter(table=table).first()
    if match is None:
        raise NotFound(_("Round %(round)s has no table %(table)s.") % {"round": number, "table": table})
    match.round = round_of(tournament, number)
    return match


def rules_of(match: Match, profile: dict[str, Any]) -> MatchRules:
    """What a slip of this match is checked against."""
    allowed = profile["draws_allowed"]
    return MatchRules(
        best_of=match.best_of,
        draws=bool(allowed["match"]) and match.round.swiss,
        intentional=bool(allowed["intentional"]) and match.round.swiss,
        elimination=not match.round.swiss,
    )


def write_slip(log: facts.Log, match: Match, slip: Slip, version: int | None) -> bool:
    """Check a slip against the match as it is now and write it. False where it says what is already there.

    Raises Refused for an impossible score, WrongState where the round takes no results, Conflict (with
    both values) where somebody else's came in since `version`.
    """
    profile = profile_of(log.tournament)
    # A bracket's round is complete with its last result; correcting one needs no reopening there.
    taking = {Round.State.PUBLISHED} if match.round.swiss else {Round.State.PUBLISHED, Round.State.COMPLETE}
    if match.round.state not in taking:
        raise WrongState(_wrong_state(match))
    check(slip, rules_of(match, profile))
    before = kinds.read_match(match)
    after = {
        "result": slip.result,
        "games": games_fact(slip, profile),
        "winner": winner_of(slip.result, slip.games, slip.winner),
    }
    if all(before[name] == value for name, value in after.items()):
        return False
    if version is not None and version != match.version:
        raise Conflict(
            _("Table %(table)s was entered meanwhile with another result.") % {"table": match.table},
            theirs={name: before[name] for name in after},
            yours=after,
        )
    log.set(match, **after)
    return True


def _wrong_state(match: Match) -> str:
    said = {"round": match.round.number}
    if match.round.state == Round.State.COMPLETE:
        return _("Round %(round)s is complete. Reopen it to change its results.") % said
    return _("Round %(round)s is a draft: publish it first.") % said


def drop_by_slip(log: facts.Log, match: Match, sides: str) -> None:
    """Drops written on a slip. One that only an earlier slip of this match had is taken back."""
    for seat in match.seats.select_related("entry"):
        entry = seat.entry
        if seat.side in sides and entry.status == Entry.Status.PLAYING and not entry.house:
            drop_now(log, entry)
        elif seat.side not in sides and entry.status == Entry.Status.DROPPED and _dropped_by(match, entry):
            log.set(entry, status="playing", dropped_after=None)


def drops_of(match: Match) -> str:
    """The sides whose drop came with this match's slip: "", "a", "b" or "ab"."""
    seats = match.seats.filter(entry__status=Entry.Status.DROPPED).select_related("entry").order_by("side")
    return "".join(seat.side for seat in seats if _dropped_by(match, seat.entry))


def _dropped_by(match: Match, entry: Entry) -> bool:
    """Whether the entry's drop came with a slip of this match and with nothing else."""
    fact = f"entries/{entry.code}"
    for action in entry.tournament.actions.order_by("-number").iterator(50):
        touched = {item["fact"]: item.get("after") or {} for item in action.changes}
        if "status" in touched.get(fact, {}):
            return action.kind in SLIPS and kinds.match_key(match) in touched
    return False


@service("result")
def record_result(log: facts.Log, number: int, table: int, slip: Slip, version: int | None = None) -> None:
    """Enter or correct the result of a Swiss table in the published round, and the drops on its slip.

    `version` is the match's version in the form the person saw. The same value again is quietly already
    in; another value over a version this person did not see is a Conflict.
    """
    match = match_at(log.tournament, number, table)
    if not match.round.swiss:
        raise WrongState(_("This is a bracket match: enter it on the bracket page."))
    write_slip(log, match, slip, version)
    drop_by_slip(log, match, slip.drops)


@service("clear result")
def clear_result(log: facts.Log, number: int, table: int, version: int | None = None) -> None:
    """Take a result back: the table is out again."""
    match = match_at(log.tournament, number, table)
    if match.round.state != Round.State.PUBLISHED:
        raise WrongState(_wrong_state(match))
    if not match.round.swiss:
        raise WrongState(_("This is a bracket match: undo its result instead."))
    if version is not None and version != match.version and match.result is not None:
        raise Conflict(_("Table %(table)s was changed meanwhile. Look again.") % {"table": table})
    log.set(match, result=None, games=None, winner="")
    drop_by_slip(log, match, "")
