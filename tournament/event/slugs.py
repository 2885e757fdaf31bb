"""The address of an event that is about to be made."""

from __future__ import annotations

from tournament.models import Tournament
from tournament.text.slugs import free_slug

RESERVED = "new"  # "/t/new/" would read like a page of ours


def free_event_slug(wanted: str) -> str:
    """The address, or the next free one with a number."""
    taken = Tournament.objects.filter(slug__startswith=wanted).values_list("slug", flat=True)
    return free_slug(wanted, {RESERVED, *taken})
