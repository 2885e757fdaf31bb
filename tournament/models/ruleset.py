from django.conf import settings
from django.db import models
from django.db.models import UniqueConstraint
from django.utils.translation import gettext_lazy as _


class Ruleset(models.Model):
    """A ruleset in all its published versions, with at most one draft of the next.

    Without an owner it is read-only: it is built in, or its owner's account was deleted. Only keys of built-in rulesets
    have no hyphen, so no later release can take a key that someone uses. `draft` is a profile as its owner stated it
    (`tournament.rulesets.stated_rules`), null without unpublished changes. `revision` counts saves and publications.
    """

    key = models.SlugField(_("key"), max_length=60, unique=True)
    name = models.CharField(_("name"), max_length=120)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="rulesets"
    )
    copied_from = models.ForeignKey(
        "tournament.RulesetVersion", models.PROTECT, null=True, blank=True, related_name="copies"
    )
    draft = models.JSONField(null=True, blank=True)
    revision = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        ordering = ["name", "pk"]

    def __str__(self):
        return self.name


class RulesetVersion(models.Model):
    """One published version of a ruleset. It never changes; a change makes the next version."""

    ruleset = models.ForeignKey(Ruleset, models.PROTECT, related_name="versions")
    key = models.SlugField(_("key"), max_length=60)  # the ruleset's, beside the version in every log
    version = models.PositiveIntegerField(_("version"), default=1)
    name = models.CharField(_("name"), max_length=120)
    profile = models.JSONField(_("profile"), help_text=_("The whole ruleset; fractions are strings."))
    published_at = models.DateTimeField(_("published"), null=True, blank=True)
    note = models.CharField(_("what changed and why"), max_length=500, blank=True)

    class Meta:
        ordering = ["name", "-version"]
        constraints = [UniqueConstraint(fields=["key", "version"], name="one_ruleset_per_key_and_version")]

    def __str__(self):
        return self.name
