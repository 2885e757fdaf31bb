"""Orders that end a chain: the draw of lots, and an order set by hand."""

from __future__ import annotations

from standings.engine.metrics.registry import metric


@metric("order", ascending=True)
def random(field, entry) -> int:
    """The entry's place in the draw. Source: Carde.io ("random method"), ClineCON (coin toss)."""
    return field.lots[entry]


@metric("order", ascending=True)
def manual(field, entry) -> int:
    """The entry's place in the order by hand; entries without one share the place after the last.

    That place is the same in all sessions of an event: after as many places as there are lots.
    Source: whatever no number can say (play-offs, decisions of staff), with its reason in the log.
    """
    given = field.records[entry].manual
    if given is not None:
        return given
    return 1 + max(len(field.lots), field.greatest("manual", lambda record: record.manual))
