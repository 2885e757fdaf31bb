"""Players who join a stage that has begun: where they are seeded and what the rounds they missed count as."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from django.utils.translation import gettext as _

from tournament.actionlog.change import Log
from tournament.actionlog.match_facts import MatchFact
from tournament.errors import WrongState
from tournament.event.profile import profile_of
from tournament.models import Round, Stage


def missed_rounds(stage: Stage) -> list[Round]:
    """The published rounds of a stage: whoever joins now missed them."""
    return list(stage.rounds.exclude(state=Round.State.DRAFT).order_by("number"))


def late_fields(missed: Sequence[Round]) -> dict[str, Any]:
    """The facts of an entry that missed these rounds; none where there are no such rounds."""
    return {"joined_round": missed[-1].number + 1, "late": True} if missed else {}


def next_seed_rank(stage: Stage) -> int | None:
    """The seed of the next player to join; None where no one is seeded yet."""
    ranks = [rank for rank in stage.stage_entries.values_list("entry__seed_rank", flat=True) if rank]
    return max(ranks) + 1 if ranks else None


def enter_missed_rounds(log: Log, missed: Sequence[Round], codes: Collection[str]) -> None:
    """Seat late players alone in each round they missed, with what the ruleset counts it as.

    Raises WrongState where the ruleset allows no late entries anymore and no reason was given.
    """
    rules = profile_of(log.tournament)["late_entry"]
    allowed = rules.get("allowed_until_round")
    if allowed is not None and len(missed) >= allowed and not log.reason:
        raise WrongState(
            _(
                "This ruleset does not allow late entries after round %(allowed)s. Enter a reason to allow it anyway."
            )
            % {"allowed": allowed}
        )
    result = {"half": "half_bye", "bye": "full_bye"}.get(rules.get("missed", "loss"), "missed")
    for round_ in missed:
        log.seat(round_, [MatchFact(code, result=result) for code in codes])
