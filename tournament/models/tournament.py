"""The event itself and who runs it."""

import hashlib

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _


class Tournament(models.Model):
    """An event. Its row lock orders all its writes; its revision numbers them."""

    class State(models.TextChoices):
        DRAFT = "draft", _("being set up")
        OPEN = "open", _("registration open")
        RUNNING = "running", _("running")
        FINISHED = "finished", _("finished")

    slug = models.SlugField(_("address"), max_length=80, unique=True)
    name = models.CharField(_("name"), max_length=120)
    starts_at = models.DateTimeField(_("start"), null=True, blank=True)
    time_zone = models.CharField(_("time zone"), max_length=60, default="UTC")
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.OPEN)

    ruleset = models.ForeignKey("tournament.Ruleset", models.PROTECT, null=True, blank=True, related_name="+")
    overrides = models.JSONField(default=dict, blank=True)
    profile = models.JSONField(
        null=True, blank=True, help_text=_("The whole ruleset, copied here when round 1 is published.")
    )
    rounds_planned = models.PositiveSmallIntegerField(_("Swiss rounds"), null=True, blank=True)
    cut = models.PositiveSmallIntegerField(_("cut"), null=True, blank=True)
    best_of = models.PositiveSmallIntegerField(_("best of"), null=True, blank=True)
    team = models.BooleanField(_("teams"), default=False)
    round_minutes = models.PositiveSmallIntegerField(_("minutes a round"), null=True, blank=True)
    forbidden = models.JSONField(default=list, blank=True, help_text=_("Pairs of codes that never meet."))

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="tournaments"
    )
    listed = models.BooleanField(_("listed"), default=True)
    demo = models.BooleanField(default=False, editable=False)
    hold_standings = models.BooleanField(_("hold back public standings"), default=False)

    # Not facts of the log: the secret, the marks, and where the log starts.
    seed = models.CharField(max_length=64, blank=True, editable=False)
    revision = models.PositiveIntegerField(default=0, editable=False)
    standings_revision = models.PositiveIntegerField(default=0, editable=False)
    baseline = models.JSONField(default=dict, editable=False)
    baseline_number = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        ordering = ["-starts_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["draft", "open", "running", "finished"]),
                name="tournament_state_is_known",
            ),
            models.CheckConstraint(
                condition=Q(standings_revision__lte=F("revision")), name="marks_follow_the_log"
            ),
        ]

    def __str__(self):
        return self.name

    def get_absolute_url(self):
        return f"/t/{self.slug}/"

    @property
    def seed_commitment(self) -> str:
        """SHA-256 of the seed's ASCII text: shown before round 1, so that the seed cannot be swapped."""
        return hashlib.sha256(self.seed.encode("ascii")).hexdigest() if self.seed else ""


class Staff(models.Model):
    """A user's role in one event."""

    class Role(models.TextChoices):
        OWNER = "owner", _("owner")
        SCOREKEEPER = "scorekeeper", _("scorekeeper")
        JUDGE = "judge", _("judge")

    tournament = models.ForeignKey(Tournament, models.PROTECT, related_name="staff")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="staff_roles")
    role = models.CharField(max_length=12, choices=Role)

    class Meta:
        verbose_name_plural = "staff"
        constraints = [
            models.UniqueConstraint(fields=["tournament", "user"], name="one_role_per_user_and_event"),
        ]

    def __str__(self):
        return f"{self.user} · {self.get_role_display()}"
