"""A penalty as one row of the record, whatever else it changes."""

from tournament.actionlog.service import Log
from tournament.models import Entry, Penalty, Round


def record_penalty(
    log: Log,
    entry: Entry,
    kind: str,
    infraction: str,
    *,
    judge: str = "",
    description: str = "",
    counts_in: int | None = None,
) -> None:
    """Add a penalty of the latest round. `counts_in`: as in the model."""
    tournament = log.tournament
    number = (tournament.penalties.order_by("-number").values_list("number", flat=True).first() or 0) + 1
    latest = tournament.rounds.exclude(state=Round.State.DRAFT).order_by("-number").first()
    fields = {
        "round": latest.number if latest else None,
        "entry": entry.code,
        "kind": kind,
        "reason": infraction,
        "judge": judge,
        "counts_in": counts_in,
    }
    log.add(Penalty, f"penalties/{number}", fields, {"description": description})
