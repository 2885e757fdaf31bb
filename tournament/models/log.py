"""The append-only log: after the facts an event was loaded with, every change is one numbered action."""

import json

from django.db import models
from django.db.models import Q, UniqueConstraint
from django.db.models.functions import Cast
from django.utils.translation import gettext_lazy as _


class Baseline(models.Model):
    """The facts an event was loaded with, before its log. Apart from the event's row, because they can be megabytes."""

    tournament = models.OneToOneField("tournament.Tournament", models.CASCADE, related_name="+")
    facts = models.JSONField()  # by natural key: `tournament.actionlog.fold.State`

    def __str__(self):
        return f"baseline of {self.tournament}"


class ActionQuerySet(models.QuerySet["Action"]):
    def sent_as(self, key: str) -> "ActionQuerySet":
        """Return the form's action; none for an empty key, which the query must exclude for SQLite to use its index."""
        return self.filter(key=key).exclude(key="")

    def touching(self, *facts: str) -> "ActionQuerySet":
        """Filter actions whose changes name one of these facts. Searches the text, so that only those are parsed."""
        named = Q()
        for fact in facts:  # SQLite keeps JSON with escapes, PostgreSQL without
            for text in (json.dumps(fact), json.dumps(fact, ensure_ascii=False)):
                named |= Q(text__contains=text)
        return self.annotate(text=Cast("changes", models.TextField())).filter(named)


class Action(models.Model):
    """One change: who, what kind, each changed field before and after, why.

    `changes` is a list of `tournament.actionlog.fold.Change`. `undoes` is the number of the undone action. Rows are
    never updated, and never deleted while the event exists (`tournament.actionlog.triggers`).
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

    objects = ActionQuerySet.as_manager()

    class Meta:
        ordering = ["number"]
        constraints = [
            UniqueConstraint(fields=["tournament", "number"], name="one_action_per_number"),
            UniqueConstraint(
                fields=["tournament", "key"], condition=~Q(key=""), name="one_action_per_form_key"
            ),
        ]
        indexes = [
            models.Index(fields=["tournament", "kind", "number"], name="actions_of_a_kind"),
            models.Index(fields=["tournament", "actor", "number"], name="actions_of_an_actor"),
        ]

    def __str__(self):
        return f"{self.number} {self.kind}"


class Removal(models.Model):
    """Personal fields of rows that an action removed or filled in. Only its undo needs them.

    `personal`: {key of the fact: {column: value}}; for a row that was filled in, [before, after] per column. Deleted
    once the action is undone or anyone in the event is anonymized.
    """

    tournament = models.ForeignKey("tournament.Tournament", models.CASCADE, related_name="removals")
    number = models.PositiveIntegerField()  # of the action
    personal = models.JSONField()

    class Meta:
        constraints = [UniqueConstraint(fields=["tournament", "number"], name="one_removal_per_action")]

    def __str__(self):
        return f"removed by action {self.number}"
