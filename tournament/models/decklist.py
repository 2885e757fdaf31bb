"""What players hand in before they play: their decklists."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Decklist(models.Model):
    """A list as a player handed it in, or staff entered it for the player. The newest of an entry counts, earlier
    ones stay.

    What it says is private until the organizer releases all lists: it is stored only here, and the log tells how many
    cards it has.

    version          1 for the player's first list
    late             handed in after the deadline
    main, sideboard  numbers of cards, as they were counted
    actor            the account of the member of the staff who entered it; "" for the player
    """

    tournament = models.ForeignKey("tournament.Tournament", models.PROTECT, related_name="decklists")
    number = models.PositiveIntegerField()
    entry = models.ForeignKey("tournament.Entry", models.PROTECT, related_name="decklists")
    at = models.DateTimeField(_("handed in"))
    version = models.PositiveIntegerField(_("version"), default=1)
    late = models.BooleanField(_("late"), default=False)
    main = models.PositiveIntegerField(_("main deck"), default=0)
    sideboard = models.PositiveIntegerField(_("sideboard"), default=0)
    actor = models.CharField(_("entered by"), max_length=150, blank=True)
    text = models.TextField(_("decklist"), blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["tournament", "number"], name="one_decklist_per_number"),
        ]

    def __str__(self):
        return f"decklist {self.number}"
