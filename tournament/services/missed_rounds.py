"""Missed rounds of late players: a row in each, with the result that the ruleset gives."""

from collections.abc import Collection

from django.utils.translation import gettext as _

from tournament.actionlog.change import Log
from tournament.actionlog.match_facts import MatchFact
from tournament.errors import WrongState
from tournament.event.profile import ruleset_in_force
from tournament.models import Round, Stage, Tournament


def missed_result(tournament: Tournament) -> str:
    rules = ruleset_in_force(tournament)["late_entry"]
    return {"half": "half_bye", "bye": "full_bye"}.get(rules.get("missed", "loss"), "missed")


def enter_missed_rounds(log: Log, stage: Stage, codes: Collection[str]) -> None:
    """Record late players' missed rounds. Raises WrongState if late entries are over and there is no reason."""
    missed = list(stage.rounds.exclude(state=Round.State.DRAFT).order_by("number"))
    if not missed:
        return
    rules = ruleset_in_force(log.tournament)["late_entry"]
    allowed = rules.get("allowed_until_round")
    if allowed is not None and len(missed) >= allowed and not log.reason:
        text = _(
            "This ruleset does not allow late entries after round %(allowed)s. Enter a reason to allow it anyway."
        )
        raise WrongState(text, allowed=allowed)
    result = missed_result(log.tournament)
    for round_ in missed:
        log.seat(round_, [MatchFact(code, result=result) for code in codes])
