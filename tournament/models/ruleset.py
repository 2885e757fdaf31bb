"""A publisher's rules as versioned data."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class Ruleset(models.Model):
    """One version of one publisher's rules. A version never changes; a change is the next version."""

    key = models.SlugField(_("key"), max_length=60)
    version = models.PositiveIntegerField(_("version"), default=1)
    name = models.CharField(_("name"), max_length=120)
    profile = models.JSONField(_("profile"), help_text=_("The whole ruleset; fractions are strings."))
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="rulesets"
    )

    class Meta:
        ordering = ["name", "-version"]
        constraints = [
            models.UniqueConstraint(fields=["key", "version"], name="one_ruleset_per_key_and_version"),
        ]

    def __str__(self):
        return self.name
