"""The append-only log: every change of a fact is one numbered action."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Action(models.Model):
    """One change: who, what kind, what each changed field was and became, why.

    `changes` is a list of `tournament.actionlog.fold.Change`. `undoes` is the number of the action this one
    undoes. Never updated, never deleted while the event exists (`tournament.actionlog.triggers`).
    """

    tournament = models.ForeignKey("tournament.Tournament", models.PROTECT, related_name="actions")
    number = models.PositiveIntegerField(_("number"))
    at = models.DateTimeField(_("time"))
    actor = models.CharField(_("by"), max_length=150, blank=True)
    kind = models.CharField(_("action"), max_length=40)
    changes = models.JSONField(default=list)
    reason = models.CharField(_("reason"), max_length=500, blank=True)
    key = models.CharField(max_length=64, blank=True)
    body = models.CharField(max_length=64, blank=True, help_text=_("Digest of what was sent under the key."))
    undoes = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["tournament", "number"], name="one_action_per_number"),
            models.UniqueConstraint(
                fields=["tournament", "key"], condition=~Q(key=""), name="one_action_per_form_key"
            ),
        ]

    def __str__(self):
        return f"{self.number} {self.kind}"
