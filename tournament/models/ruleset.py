"""Publishers' rules as versioned data: who owns them, the draft, the published versions, who changed what."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _


class Publisher(models.Model):
    """Who answers for rulesets: a company, a federation, or an organizer for their own league."""

    name = models.CharField(_("name"), max_length=80)
    slug = models.SlugField(_("address"), max_length=40, unique=True)

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(name=""), name="a_publisher_has_a_name"),
            models.UniqueConstraint(Lower("name"), name="one_publisher_per_name"),
        ]

    def __str__(self):
        return self.name


class PublisherMember(models.Model):
    """A user's role with a publisher: editors draft and publish, owners also say who belongs to it."""

    class Role(models.TextChoices):
        OWNER = "owner", _("owner")
        EDITOR = "editor", _("editor")

    publisher = models.ForeignKey(Publisher, models.PROTECT, related_name="members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="publisher_roles")
    role = models.CharField(_("role"), max_length=8, choices=Role)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["publisher", "user"], name="one_role_per_user_and_publisher"),
            models.CheckConstraint(condition=Q(role__in=["owner", "editor"]), name="publisher_role_is_known"),
        ]

    def __str__(self):
        return f"{self.user} · {self.get_role_display()}"


class Rulebook(models.Model):
    """A ruleset in all its published versions, with at most one draft of the next.

    Those without a publisher are built in: read-only, to be copied. A publisher's key has a hyphen and a
    built-in one never does, so that no later release can take it. `draft` is a profile as its publisher
    stated it (`tournament.rulesets.stated_rules`); `draft_revision` counts its changes, publishing and
    discarding included. `revision` is the number of the last entry of its log.
    """

    key = models.SlugField(_("key"), max_length=60, unique=True)
    name = models.CharField(_("name"), max_length=120)
    publisher = models.ForeignKey(Publisher, models.PROTECT, null=True, blank=True, related_name="rulebooks")
    copied_from = models.ForeignKey(
        "tournament.Ruleset", models.PROTECT, null=True, blank=True, related_name="copies"
    )
    draft = models.JSONField(null=True, blank=True)
    draft_revision = models.PositiveIntegerField(default=0, editable=False)
    revision = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        ordering = ["name", "pk"]

    def __str__(self):
        return self.name


class Ruleset(models.Model):
    """One published version of a rulebook. A version never changes; a change is the next version."""

    rulebook = models.ForeignKey(Rulebook, models.PROTECT, related_name="versions")
    key = models.SlugField(_("key"), max_length=60)  # the rulebook's, beside the version in every log
    version = models.PositiveIntegerField(_("version"), default=1)
    name = models.CharField(_("name"), max_length=120)
    profile = models.JSONField(_("profile"), help_text=_("The whole ruleset; fractions are strings."))
    published_at = models.DateTimeField(_("published"), null=True, blank=True)
    published_by = models.CharField(_("by"), max_length=150, blank=True)
    note = models.CharField(_("what changed and why"), max_length=500, blank=True)

    class Meta:
        ordering = ["name", "-version"]
        constraints = [
            models.UniqueConstraint(fields=["key", "version"], name="one_ruleset_per_key_and_version"),
        ]

    def __str__(self):
        return self.name


class RulebookAction(models.Model):
    """Who changed what of a rulebook, when and why. Never updated, never deleted (`tournament.actionlog.triggers`).

    `changes` is a list of {"path", "before", "after"}; null where there is nothing on that side.
    """

    class Kind(models.TextChoices):
        CREATE = "create", _("created")
        DRAFT = "draft", _("draft saved")
        DISCARD = "discard", _("draft discarded")
        PUBLISH = "publish", _("version published")

    rulebook = models.ForeignKey(Rulebook, models.PROTECT, related_name="actions")
    number = models.PositiveIntegerField(_("number"))
    at = models.DateTimeField(_("time"))
    actor = models.CharField(_("by"), max_length=150, blank=True)
    kind = models.CharField(_("action"), max_length=8, choices=Kind)
    changes = models.JSONField(default=list)
    reason = models.CharField(_("reason"), max_length=500, blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["rulebook", "number"], name="one_action_per_rulebook_and_number"),
            models.CheckConstraint(
                condition=Q(kind__in=["create", "draft", "discard", "publish"]),
                name="rulebook_action_is_known",
            ),
        ]

    def __str__(self):
        return f"{self.number} {self.kind}"
