"""What an event was when it came from a file."""

from django.db import models


class Baseline(models.Model):
    """The facts an event was loaded with: its log here begins after them (`Tournament.baseline_number`).

    Megabytes that only replay and checks read, so they are apart from the row that every request reads: SQLite would
    pass over them on its way to the columns behind.
    """

    tournament = models.OneToOneField("tournament.Tournament", models.CASCADE, related_name="+")
    facts = models.JSONField()  # by natural key: `tournament.actionlog.fold.State`

    def __str__(self):
        return f"baseline of {self.tournament}"
