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
    """Add a penalty of the round that the entry plays. `counts_in`: as in the model."""
    tournament = log.tournament
    number = (tournament.penalties.order_by("-number").values_list("number", flat=True).first() or 0) + 1
    fields = {
        "round": _round_of(entry),
        "entry": entry.code,
        "kind": kind,
        "reason": infraction,
        "judge": judge,
        "counts_in": counts_in,
    }
    log.add(Penalty, f"penalties/{number}", fields, {"description": description})


def _round_of(entry: Entry) -> int | None:
    """The round of the entry's match now, else the latest with a seat of it, else the latest; None before round 1.

    Sessions side by side number their rounds together: the latest may be one of another session.
    """
    seats = entry.seats.exclude(round__state=Round.State.DRAFT).order_by("-round__number")
    numbers = seats.values_list("round__number", flat=True)
    playing = numbers.filter(
        opponent__isnull=False, round__state=Round.State.PUBLISHED, match__result__isnull=True
    )
    if number := playing.first() or numbers.first():
        return number
    rounds = entry.tournament.rounds.exclude(state=Round.State.DRAFT).order_by("-number")
    return rounds.values_list("number", flat=True).first()
