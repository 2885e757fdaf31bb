"""Orders by hand that are in force: whom they place, and why, as the log says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from standings.engine import Ranking
from standings.event.swiss import BY_HAND
from tournament.event.types import Event
from tournament.models import Tournament

KIND = "order by hand"


@dataclass(frozen=True, slots=True)
class Decision:
    """Tied entries in the order somebody decided. `reason` and `actor` are empty where no log tells them."""

    codes: tuple[str, ...]
    names: tuple[str, ...]
    reason: str = ""
    actor: str = ""
    decides: bool = True  # it puts somebody below somebody in the standings as they are


def decisions_of(
    tournament: Tournament, event: Event, ranking: Ranking, names: Mapping[str, str]
) -> list[Decision]:
    """Every order by hand, the newest first; one query, and none where nobody is placed by hand."""
    placed = {entry.id: entry.manual for entry in event.entries.values() if entry.manual is not None}
    if not placed:
        return []
    below = {row.entry for row in ranking if row.decided_by == BY_HAND}
    found = []
    for action in tournament.actions.filter(kind=KIND).order_by("-number"):
        after = {
            item["fact"].removeprefix("entries/"): (item["after"] or {}).get("manual")
            for item in action.changes
        }
        codes = [code for code, place in after.items() if placed.get(code) == place]
        for code in codes:
            del placed[code]
        if codes:
            found.append((codes, action.reason, action.actor, after))
    known = [_decision(codes, names, below, reason, actor, after) for codes, reason, actor, after in found]
    rest = [_decision(list(placed), names, below, "", "", placed)] if placed else []
    return known + rest


def _decision(codes, names, below, reason: str, actor: str, places) -> Decision:
    order = tuple(sorted(codes, key=lambda code: (places[code], code)))
    named = tuple(names.get(code, code) for code in order)
    return Decision(order, named, reason, actor, bool(below & set(codes)))
