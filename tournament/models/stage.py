from django.db import models
from django.db.models import CheckConstraint, Q, UniqueConstraint
from django.utils.translation import gettext_lazy as _

from tournament.models.constraints import one_of


class Stage(models.Model):
    """A part of an event with its own entries and end time. Rounds are counted over all stages."""

    class Kind(models.TextChoices):
        SWISS = "swiss", _("Swiss")
        ELIMINATION = "elimination", _("single elimination")

    tournament = models.ForeignKey("tournament.Tournament", models.PROTECT, related_name="stages")
    number = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=12, choices=Kind, default=Kind.SWISS)
    sources = models.JSONField(default=list, blank=True)  # numbers of the stages it follows
    carries = models.BooleanField(default=False)  # points and histories from its sources carry over
    ends_at = models.DateTimeField(null=True, blank=True)
    minutes = models.PositiveSmallIntegerField(null=True, blank=True)
    best_of = models.JSONField(default=list, blank=True)  # by bracket round, where not as the ruleset says

    class Meta:
        ordering = ["number"]
        constraints = [
            UniqueConstraint(fields=["tournament", "number"], name="one_stage_per_number"),
            one_of("stage_kind_is_known", kind="swiss elimination"),
        ]

    def __str__(self):
        return f"{self.get_kind_display()} {self.number}"

    @property
    def is_swiss(self) -> bool:
        return self.kind == self.Kind.SWISS


class StageEntry(models.Model):
    """An entry in a stage; in a bracket with its seed, or its rank among the alternates."""

    stage = models.ForeignKey(Stage, models.PROTECT, related_name="stage_entries")
    entry = models.ForeignKey("tournament.Entry", models.PROTECT, related_name="stage_entries")
    seed = models.PositiveIntegerField(null=True, blank=True)
    alternate = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "stage entries"
        constraints = [
            UniqueConstraint(fields=["stage", "entry"], name="one_place_per_stage_and_entry"),
            UniqueConstraint(
                fields=["stage", "seed"], condition=Q(seed__isnull=False), name="one_entry_per_seed"
            ),
            CheckConstraint(condition=~Q(seed=0), name="seeds_count_from_one"),
            UniqueConstraint(
                fields=["stage", "alternate"],
                condition=Q(alternate__isnull=False),
                name="one_entry_per_alternate_place",
            ),
        ]

    def __str__(self):
        return f"{self.entry} in {self.stage}"
