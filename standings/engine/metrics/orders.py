"""The metrics that end an order of tiebreaks: the random order, and a manual order."""

from __future__ import annotations

from standings.engine.metrics.registry import metric


@metric("order", ascending=True)
def random(field, entry) -> int:
    """The entry's place in the random order. Source: Carde.io ("random method"), ClineCON (coin toss)."""
    return field.lots[entry]


@metric("order", ascending=True)
def manual(field, entry) -> int:
    """The entry's place in the manual order; entries without one share the place after the last.

    That place is the same in all stages of an event: after as many places as there are lots.
    Source: decisions of staff, such as play-offs, with the reason in the log.
    """
    place = field.records[entry].manual
    if place is not None:
        return place
    return 1 + max(len(field.lots), field.greatest("manual", lambda record: record.manual))
