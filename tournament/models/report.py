"""What one source says of a match before that is its result."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Report(models.Model):
    """A slip from one source: a player of the match (side "a" or "b"), or the first of two people at the desk.

    slip   as it is typed in the one box, such as "21", "id", "20x": as the first-listed player has it
    actor  the account of the member of the staff who entered it; "" for a player
    """

    class Source(models.TextChoices):
        A = "a", _("first-listed player")
        B = "b", _("second player")
        DESK = "desk", _("desk")

    match = models.ForeignKey("tournament.Match", models.PROTECT, related_name="reports")
    source = models.CharField(max_length=4, choices=Source)
    slip = models.CharField(max_length=80)
    actor = models.CharField(max_length=150, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["match", "source"], name="one_report_per_source"),
            models.CheckConstraint(
                condition=models.Q(source__in=["a", "b", "desk"]), name="report_source_is_known"
            ),
        ]

    def __str__(self):
        return f"{self.source}: {self.slip}"
