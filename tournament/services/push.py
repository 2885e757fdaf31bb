"""Push subscriptions of players' phones. They are no facts of the event, so they leave no actions in its log."""

from django.db import transaction

from tournament.models import Entry
from tournament.web.push import Phone

MOST = 5  # phones of one player; the oldest go first


def subscribe_phone(entry: Entry, phone: Phone) -> None:
    """Subscribe a phone to a player's news; one that is subscribed gets its new keys."""
    with transaction.atomic():
        keys = {"p256dh": phone.p256dh, "auth": phone.auth}
        entry.push_subscriptions.update_or_create(endpoint=phone.endpoint, defaults=keys)
        newest = entry.push_subscriptions.order_by("-pk").values_list("pk", flat=True)[:MOST]
        entry.push_subscriptions.exclude(pk__in=list(newest)).delete()


def unsubscribe_phone(entry: Entry, endpoint: str = "") -> None:
    """End the subscription of this phone; without an address, of all the player's phones."""
    phones = entry.push_subscriptions
    (phones.filter(endpoint=endpoint) if endpoint else phones.all()).delete()
