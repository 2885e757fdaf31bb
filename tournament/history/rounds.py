"""Changes of stages and rounds, in words."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.actionlog.match_facts import Fact
from tournament.event.pairing_record import PairingRecord

STATES = {
    "draft": gettext_lazy("round %(number)s unpublished"),
    "published": gettext_lazy("round %(number)s published"),
    "repairing": gettext_lazy("round %(number)s being re-paired"),
    "complete": gettext_lazy("round %(number)s complete"),
}


def describe_stage(before: Fact | None, after: Fact | None) -> Iterator[str]:
    """A further Swiss stage that was opened or removed; brackets show by their seeds."""
    fact = after or before or {}
    if fact.get("kind") == "swiss":
        stage = _("a day with carried-over points") if fact.get("carries") else _("a session")
        yield (_("%(stage)s opened") if before is None else _("%(stage)s removed")) % {"stage": stage}


def describe_round(number: int, before: Fact | None, after: Fact | None) -> Iterator[str]:
    """A round that was paired, published, completed …"""
    if after is None:
        yield _("draft pairings for round %(number)s discarded") % {"number": number}
    elif before is None and after["state"] == "draft":
        yield _("round %(number)s paired") % {"number": number}
    elif "state" in after:
        yield str(STATES[after["state"]]) % {"number": number}
    elif before is not None and "pairing" in after:
        yield from _describe_pairing(
            number, *(PairingRecord.from_json(fact["pairing"]) for fact in (before, after))
        )


def _describe_pairing(number: int, before: PairingRecord, after: PairingRecord) -> Iterator[str]:
    """How a round was paired, by the list that grew or shrank."""
    for name, text in (
        ("repairs", _("round %(number)s re-paired")),
        ("edits", _("draft pairings for round %(number)s edited by hand")),
        ("locks", _("locked tables of round %(number)s: %(count)s")),
    ):
        if getattr(before, name) != getattr(after, name):
            yield text % {"number": number, "count": len(getattr(after, name))}
