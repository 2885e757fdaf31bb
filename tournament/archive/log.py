"""Reading the log of an archive: history, kept as it is, but in a shape that everybody can rely on."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from tournament.archive.checks import LAST_NUMBER, ArchiveError, Node, shown

# Natural keys of facts, as `tournament.actionlog.facts` lists them.
FACT = re.compile(
    r"tournament|entries/[^\s/]+|penalties/\d{1,9}|flags/\d{1,9}|stages/\d{1,9}(/entries/[^\s/]+)?"
    r"|staff/[^\s/]+|invites/(owner|scorekeeper|judge)"
    r"|rounds/\d{1,9}(/(tables/\d{1,9}|entries/[^\s/]+)(/extension)?)?",
    re.ASCII,
)


def log_at(items: list) -> tuple[dict, ...]:
    """The file's `log`, numbers rising, times in UTC. Raises ArchiveError."""
    found: list[dict] = []
    keys: set[str] = set()
    last = 0
    for index, item in enumerate(items):
        node = Node(item, f"log[{index}]")
        number = node.whole("number", least=1, most=LAST_NUMBER)
        if number is None or number <= last:
            raise ArchiveError(node.at("number"), "action numbers must increase")
        last = number
        key = node.text("key", "", longest=64)
        if key and key in keys:
            raise ArchiveError(node.at("key"), f"{shown(key)} appears twice")
        keys.add(key)
        found.append(
            {
                "number": number,
                "at": _time(node),
                "actor": node.text("actor", "", longest=150),
                "kind": node.needed("kind", longest=40),
                "changes": [_change(change) for change in node.nodes("changes")],
                "reason": node.text("reason", ""),
                "key": key,
                "undoes": node.whole("undoes", least=1, most=LAST_NUMBER),
            }
        )
        node.done()
    return tuple(found)


def _time(node: Node) -> str:
    moment = node.moment("at")
    if moment is None:
        raise ArchiveError(node.at("at"), "an action needs a time")
    return datetime.fromisoformat(moment).astimezone(UTC).isoformat()


def _change(node: Node) -> dict:
    """{"fact", "before", "after"}, or {"fact", "personal": [field names]} where values stay out of the log."""
    fact = node.needed("fact")
    if not FACT.fullmatch(fact):
        raise ArchiveError(node.at("fact"), f"{shown(fact)} is not a fact")
    if node.get("personal") is not None:
        change: dict = {"fact": fact, "personal": list(node.texts("personal"))}
    else:
        change = {"fact": fact, "before": node.inner("before"), "after": node.inner("after")}
        if change["before"] is None and change["after"] is None:
            raise ArchiveError(node.path, "a change has a before or an after")
    node.done()
    return change
