"""Read the log of an archive: history, kept as it is, but in a shape that everyone can rely on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from typing import Any

from msgspec.structs import asdict

from tournament.archive import format
from tournament.archive.json import ArchiveError
from tournament.archive.moments import moment_at
from tournament.event.types import LoggedAction
from tournament.schemas.refusals import shown


def log_of(items: Sequence[format.Action]) -> tuple[LoggedAction, ...]:
    """The file's `log`, numbers rising, times in UTC. Raises ArchiveError."""
    keys: set[str] = set()
    last = 0
    actions = []
    for index, item in enumerate(items):
        path = f"log[{index}]"
        if item.number <= last:
            raise ArchiveError(f"{path}.number", "action numbers must increase")
        if item.key and item.key in keys:
            raise ArchiveError(f"{path}.key", f"{shown(item.key)} appears twice")
        last = item.number
        keys.add(item.key)
        at = moment_at(item.at, f"{path}.at", UTC)
        changes = tuple(_change(change, f"{path}.changes[{i}]") for i, change in enumerate(item.changes))
        actions.append(LoggedAction(**{**asdict(item), "at": at, "changes": changes}))
    return tuple(actions)


def _change(change: format.Change, path: str) -> dict[str, Any]:
    """{"fact", "before", "after"}, or {"fact", "personal": [field names]} where values stay out of the log."""
    if change.personal is not None:
        if change.before is not None or change.after is not None:
            key = "before" if change.before is not None else "after"
            raise ArchiveError(f"{path}.{key}", "a change of personal fields tells no values")
        return {"fact": change.fact, "personal": list(change.personal)}
    if change.before is None and change.after is None:
        raise ArchiveError(path, "a change has a before or an after")
    return {"fact": change.fact, "before": change.before, "after": change.after}
