from collections.abc import Collection
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from pairings.repair.page import repair_page
from pairings.request.pairing_request import shorten_reason
from tournament.actionlog.change import do_once
from tournament.errors import Conflict, NotFound, Refused, WrongState
from tournament.models import Action, Tournament
from tournament.services.seats import repair_round


def apply_repair(
    tournament: Tournament,
    number: int,
    *,
    plan: str,
    added: Collection[str],
    removed: Collection[str],
    drops: Collection[str] = (),
    seen: int,
    reason: str,
    actor: Any = "",
    key: str = "",
) -> Action | None:
    """Apply the option shown as `plan`, which was computed at the event's revision `seen`, as one action.

    `drops`: players who also drop. Raises Refused without a reason, Conflict if the option is now a different one.
    """
    body = {"number": number, "plan": plan, "seen": seen, "drops": sorted(drops)}
    public = shorten_reason(reason)
    if not public:
        raise Refused(_("Enter a reason. It is shown with the round."))
    changed = Conflict(
        _("Something changed since you opened this page. Nothing was saved. Review the new options.")
    )

    def repair() -> Action | None:
        try:
            page = repair_page(tournament, number, added, removed, seen=seen)
        except (NotFound, WrongState):
            raise
        except Refused as error:  # its players can no longer be chosen
            raise changed from error
        shown = (option.reseating for option in page.options if plan and option.plan == plan)
        if (reseating := next(shown, None)) is None:
            raise changed
        record = reseating.pairing
        *older, last = record.repairs
        last = last.replace(reason=public, revision=tournament.revision)
        reseating = replace(
            reseating,
            pairing=record.replace(repairs=(*older, last)),
            drops=tuple(code for code in (*reseating.out, *reseating.into) if code in drops),
        )
        return repair_round(tournament, reseating, body, actor=actor, key=key, reason=public)

    return do_once(tournament, "re-pair", key, [{"form": body}, public], repair)
