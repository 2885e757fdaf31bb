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
    """The round of the entry's match now, else the latest of a stage it is in, else the latest; None before round 1.

    Sessions side by side number their rounds together: the latest may be one of another session.
    """
    posted = entry.tournament.rounds.exclude(state=Round.State.DRAFT).order_by("-number")
    numbers = posted.values_list("number", flat=True)
    playing = numbers.filter(
        state=Round.State.PUBLISHED,
        seats__entry=entry,
        seats__opponent__isnull=False,
        seats__match__result__isnull=True,
    )
    own = numbers.filter(stage__in=entry.stage_entries.values("stage"))
    return playing.first() or own.first() or numbers.first()
