"""A repair as a write: the option is computed again outside the lock, and saved if it is still the one shown."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from pairings.question.public_reason import clean_reason
from pairings.repair.page import repair_page
from tournament.actionlog.change import repeated_action
from tournament.errors import Conflict
from tournament.models import Action, Tournament
from tournament.services.reseating import repair_round


def apply_repair(
    tournament: Tournament,
    number: int,
    *,
    plan: str,
    added: Collection[str],
    removed: Collection[str],
    seen: int,
    reason: str,
    actor: Any = "",
    key: str = "",
) -> Action | None:
    """Do the option that was shown as `plan` at the event's revision `seen`, as one action.

    `added` and `removed` are the players it adds and removes. Raises Refused without a reason, Conflict where the
    facts have changed so that the option would no longer be the same.
    """
    body = {"number": number, "plan": plan, "seen": seen}
    public = clean_reason(reason)
    if earlier := repeated_action(tournament, "re-pair", key, [{"form": body}, public]):
        return earlier
    page = repair_page(tournament, number, added, removed, seen=seen)
    option = next((option for option in page.options if plan and option.plan == plan), None)
    if option is None or option.reseating is None:
        raise Conflict(
            _("Something changed since you opened this page. Nothing was saved. Review the new options.")
        )
    record = option.reseating.pairing
    *older, last = record.repairs
    repair = last.replace(reason=public, revision=tournament.revision)
    reseating = replace(option.reseating, pairing=record.replace(repairs=(*older, repair)))
    return repair_round(tournament, reseating, body, actor=actor, key=key, reason=public)
