"""What all services share: one form sent twice is done once."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.db import IntegrityError
from django.utils.translation import gettext as _

from tournament.actionlog.change import Repeated, open_action
from tournament.errors import WrongState
from tournament.models import Action, Tournament

logger = logging.getLogger("tournament.log")


def service(
    kind: str, computed: tuple[str, ...] = (), *, after_end: bool = False
) -> Callable[[Callable[..., None]], Callable[..., Action | None]]:
    """Make `function(log, …)` a service `(tournament, …, *, actor="", key="", reason="") -> Action | None`.

    Arguments named in `computed` are no part of what a form sent: the same form sent later is the same.
    A finished event takes no changes but those marked `after_end`. What the database itself refuses (a guard,
    a constraint, a row others build on) becomes a WrongState: a race between forms is nobody's crash.

    The function runs inside the transaction with the locked row as `log.tournament`; its action has this
    kind. The answer is the action, also where the same form came twice, or None where nothing changed.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., Action | None]:
        signature = inspect.signature(function)

        @wraps(function)
        def run(
            tournament: Tournament,
            *args: Any,
            actor: Any = "",
            key: str = "",
            reason: str = "",
            **kwargs: Any,
        ) -> Action | None:
            sent = signature.bind(None, *args, **kwargs).arguments
            body = {name: value for name, value in sent.items() if value is not None and name not in computed}
            try:
                with open_action(
                    tournament, kind, actor=actor, key=key, reason=reason, body=[body, reason]
                ) as log:
                    if log.tournament.state == Tournament.State.FINISHED and not after_end:
                        raise WrongState(_("The event is finished. Reopen it first."))
                    function(log, *args, **kwargs)
            except Repeated as repeated:
                tournament.refresh_from_db()
                return repeated.action
            except IntegrityError as error:  # ProtectedError is one too
                logger.warning("%s %s refused by the database: %s", tournament.slug, kind, error)
                raise WrongState(
                    _("That conflicts with what is already there. Nothing was changed.")
                ) from error
            return log.action

        return run

    return decorate
