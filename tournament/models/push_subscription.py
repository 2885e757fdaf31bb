"""Phones that get notifications: where their push service takes messages, and the keys these are encrypted for."""

from django.db import models


class PushSubscription(models.Model):
    """One phone of one player. No fact of the event: in no log and no archive, and gone with the player's link."""

    entry = models.ForeignKey("tournament.Entry", models.CASCADE, related_name="push_subscriptions")
    endpoint = models.CharField(max_length=500)
    p256dh = models.CharField(max_length=100)
    auth = models.CharField(max_length=40)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["entry", "endpoint"], name="one_subscription_per_phone"),
        ]

    def __str__(self):
        return f"phone of {self.entry_id}"
