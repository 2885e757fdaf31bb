"""Phones that are told when their player is paired. No facts of the event, so no actions in its log."""

from django.db import transaction

from tournament.models import Entry
from tournament.web.push import Phone

MOST = 5  # phones of one player; the oldest go first


def tell_phone(entry: Entry, phone: Phone) -> None:
    """Let a phone be told about this player; one that is told already gets its new keys."""
    with transaction.atomic():
        keys = {"p256dh": phone.p256dh, "auth": phone.auth}
        entry.push_subscriptions.update_or_create(endpoint=phone.endpoint, defaults=keys)
        newest = entry.push_subscriptions.order_by("-pk").values_list("pk", flat=True)[:MOST]
        entry.push_subscriptions.exclude(pk__in=list(newest)).delete()


def forget_phone(entry: Entry, endpoint: str = "") -> None:
    """Tell this phone no more; without an address none of the player's phones."""
    phones = entry.push_subscriptions
    (phones.filter(endpoint=endpoint) if endpoint else phones.all()).delete()
