"""Errors of services, in the organizer's words. If one is raised, nothing was written. Views use `status`."""

from collections.abc import Mapping
from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from django.utils.translation import gettext as _

Row = TypeVar("Row", bound=Model)


REFUSED = "tournament.refused"  # key in a request's environment: the status with which the server refuses it


class Refused(Exception):
    """An invalid request; `str(error)` says what happened and what to do. `values` are inserted in the message."""

    status = 400

    def __init__(self, message: object, *, status: int | None = None, **values: object) -> None:
        super().__init__(str(message) % values if values else message)
        if status is not None:
            self.status = status

    def __str__(self) -> str:
        return str(self.args[0])  # a lazily translated text becomes one here

    def rows(self) -> list[dict[str, Any]]:
        """Return rows to show with the message; a conflict has one per field, with `what`, `theirs` and `yours`."""
        return []


class Forbidden(Refused):
    status = 403


class NotFound(Refused):
    status = 404


class WrongState(Refused):
    """A valid request at the wrong moment: the round is complete, the event has not begun, …"""

    status = 409


class Conflict(Refused):
    """Somebody else changed the same thing. `theirs` is saved now, `yours` was sent; both have the same keys."""

    status = 409

    def __init__(
        self,
        message: object,
        *,
        theirs: Mapping[str, Any] | None = None,
        yours: Mapping[str, Any] | None = None,
        **values: Any,
    ) -> None:
        super().__init__(message, **values)
        self.theirs: dict[str, Any] = dict(theirs or {})
        self.yours: dict[str, Any] = dict(yours or {})

    def rows(self) -> list[dict[str, Any]]:
        names = list(dict.fromkeys([*self.theirs, *self.yours]))
        return [{"what": n, "theirs": self.theirs.get(n), "yours": self.yours.get(n)} for n in names]


class NeedsConfirmation(WrongState):
    """Matches of other players would change: someone must see `changes` (before, after), then confirm by `expects`."""

    def __init__(self, changes: list[tuple[str, str]], advice: str, expects: str) -> None:
        super().__init__(_("This changes matches of other players. Nothing is saved until you confirm it."))
        self.changes, self.advice, self.expects = changes, advice, expects


def get_or_refuse(rows: QuerySet[Row], message: object, **values: Any) -> Row:
    """Return the first of these rows. Raises NotFound with this message."""
    row = rows.first()
    if row is None:
        raise NotFound(message, **values)
    return row
