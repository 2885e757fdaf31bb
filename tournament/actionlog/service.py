import inspect
import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.db import IntegrityError
from django.utils.translation import gettext as _

from tournament.actionlog.change import Log, Repeated, open_action
from tournament.errors import WrongState
from tournament.models import Action, Tournament
from tournament.monitoring.log_lines import error_words

__all__ = ["Log", "service"]  # imported by every module of services

logger = logging.getLogger("tournament.log")

# Kinds of actions that no scorekeeper may do and only an organizer undo; and those that a finished event takes, and
# takes back.
OWNER_KINDS: set[str] = set()
AFTER_END_KINDS = {"finish"}


def service(
    kind: str, computed: tuple[str, ...] = (), *, after_end: bool = False, owner: bool = False
) -> Callable[[Callable[..., None]], Callable[..., Action | None]]:
    """Make `function(log, …)` a service `(tournament, …, *, actor="", key="", reason="") -> Action | None`.

    The function runs inside a transaction, with the locked row as `log.tournament`, and its action has this kind. The
    service returns the action, None if nothing changed, or the first action if the same form (`key`) comes twice.

    computed   arguments that the form does not send; they may differ when it comes twice
    after_end  the service may change a finished event, and may then be undone there
    owner      only an organizer may do this, so only an organizer may undo it

    With `preview=True` nothing is written; the returned action says what would be. With the hash of its changes as
    `expects`, exactly these are written, or none; with its number as `expects_number`, only if nothing came between.

    Raises what the function raises; Conflict for a `key` that came with other arguments and for unexpected changes;
    NeedsConfirmation without `expects` if matches of other players change; WrongState if the database refuses.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., Action | None]:
        signature = inspect.signature(function)
        if owner:
            OWNER_KINDS.add(kind)
        if after_end:
            AFTER_END_KINDS.add(kind)

        @wraps(function)
        def run(
            tournament: Tournament,
            *args: Any,
            actor: Any = "",
            key: str = "",
            reason: str = "",
            preview: bool = False,
            expects: str = "",
            expects_number: int | None = None,
            **kwargs: Any,
        ) -> Action | None:
            sent = signature.bind(None, *args, **kwargs).arguments
            body = {name: value for name, value in sent.items() if value is not None and name not in computed}
            try:
                about = {"actor": actor, "key": "" if preview else key, "reason": reason}
                with open_action(tournament, kind, body=[body, reason], preview=preview, **about) as log:
                    if log.tournament.state == Tournament.State.FINISHED and not after_end:
                        raise WrongState(_("The event is finished. Reopen it first."))
                    function(log, *args, **kwargs)
                    if not preview:
                        log.check_confirmed(expects, expects_number)
            except Repeated as repeated:
                tournament.refresh_from_db()
                return repeated.action
            except IntegrityError as error:  # ProtectedError is one too
                logger.warning("%s %s refused by the database: %s", tournament.slug, kind, error_words(error))
                text = _("That conflicts with what is already there. Nothing was changed.")
                raise WrongState(text) from error
            return log.action

        return run

    return decorate
