"""What judges and players add to a round: penalties, time extensions, messages to staff."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Penalty(models.Model):
    """A judge's decision as it is on record; its effect is already in the match's games or result."""

    class Kind(models.TextChoices):
        WARNING = "warning", _("warning")
        GAME_LOSS = "game_loss", _("game loss")
        MATCH_LOSS = "match_loss", _("match loss")
        DISQUALIFICATION = "disqualification", _("disqualification")

    tournament = models.ForeignKey("tournament.Tournament", models.PROTECT, related_name="penalties")
    number = models.PositiveIntegerField()
    round = models.ForeignKey("tournament.Round", models.PROTECT, null=True, related_name="penalties")
    entry = models.ForeignKey("tournament.Entry", models.PROTECT, related_name="penalties")
    kind = models.CharField(max_length=16, choices=Kind)
    reason = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["number"]
        verbose_name_plural = "penalties"
        constraints = [
            models.UniqueConstraint(fields=["tournament", "number"], name="one_penalty_per_number"),
            models.CheckConstraint(
                condition=models.Q(kind__in=["warning", "game_loss", "match_loss", "disqualification"]),
                name="penalty_kind_is_known",
            ),
        ]

    def __str__(self):
        return self.get_kind_display()


class Extension(models.Model):
    """More minutes for one match."""

    match = models.OneToOneField("tournament.Match", models.PROTECT, related_name="extension")
    minutes = models.PositiveSmallIntegerField()
    reason = models.CharField(max_length=200, blank=True)

    def __str__(self):
        return f"+{self.minutes} min"


class Flag(models.Model):
    """A player's message to staff ("round 3 is wrong"). Its text is personal: it is stored only here."""

    tournament = models.ForeignKey("tournament.Tournament", models.PROTECT, related_name="flags")
    number = models.PositiveIntegerField()
    entry = models.ForeignKey("tournament.Entry", models.PROTECT, null=True, related_name="flags")
    round = models.ForeignKey("tournament.Round", models.PROTECT, null=True, related_name="flags")
    at = models.DateTimeField()
    text = models.CharField(max_length=300, blank=True)
    done = models.BooleanField(default=False)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["tournament", "number"], name="one_flag_per_number"),
        ]

    def __str__(self):
        return f"flag {self.number}"
