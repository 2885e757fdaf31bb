"""A repair as a write: the option is computed again outside the lock, and saved if it is still the one shown."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from pairings.question.public_reason import clean_reason
from pairings.repair.page import repair_page
from tournament.actionlog.change import do_once
from tournament.errors import Conflict, NotFound, Refused, WrongState
from tournament.models import Action, Tournament
from tournament.services.reseating import Reseating, repair_round


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

    def repair() -> Action | None:
        reseating = _reseating_of(tournament, number, plan, added, removed, seen)
        record = reseating.pairing
        *older, last = record.repairs
        last = last.replace(reason=public, revision=tournament.revision)
        reseating = replace(reseating, pairing=record.replace(repairs=(*older, last)))
        return repair_round(tournament, reseating, body, actor=actor, key=key, reason=public)

    return do_once(tournament, "re-pair", key, [{"form": body}, public], repair)


def _reseating_of(
    tournament: Tournament,
    number: int,
    plan: str,
    added: Collection[str],
    removed: Collection[str],
    seen: int,
) -> Reseating:
    """What the option would write. Raises Conflict where it is gone, or its players can no longer be chosen."""
    changed = Conflict(
        _("Something changed since you opened this page. Nothing was saved. Review the new options.")
    )
    try:
        page = repair_page(tournament, number, added, removed, seen=seen)
    except (NotFound, WrongState):
        raise
    except Refused as error:
        raise changed from error
    option = next((option for option in page.options if plan and option.plan == plan), None)
    if option is None or option.reseating is None:
        raise changed
    return option.reseating
