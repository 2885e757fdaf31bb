"""Additions of judges and players to a round: reports, penalties, deck checks, extensions, messages and calls."""

from django.db import models
from django.db.models import UniqueConstraint
from django.utils.translation import gettext_lazy as _

from tournament.models.constraints import one_of


class Report(models.Model):
    """A result reported by a player ("a" or "b"), or with the match slip ("slip"), which only staff can accept."""

    class Source(models.TextChoices):
        A = "a", _("first-listed player")
        B = "b", _("second player")
        SLIP = "slip", _("match slip")

    match = models.ForeignKey("tournament.Match", models.PROTECT, related_name="reports")
    source = models.CharField(max_length=4, choices=Source)
    slip = models.CharField(max_length=80)

    class Meta:
        constraints = [
            UniqueConstraint(fields=["match", "source"], name="one_report_per_source"),
            one_of("report_source_is_known", source="a b slip"),
        ]

    def __str__(self):
        return f"{self.source}: {self.slip}"


class Penalty(models.Model):
    """A recorded decision of a judge. The description is personal and stored only here.

    `reason` is the infraction, `round` the latest round when it was given. A game or match loss counts in round
    `counts_in`: 0 is the player's next match; None means that the games of an event recorded elsewhere already include
    it.
    """

    class Kind(models.TextChoices):
        CAUTION = "caution", _("caution")
        WARNING = "warning", _("warning")
        GAME_LOSS = "game_loss", _("game loss")
        MATCH_LOSS = "match_loss", _("match loss")
        DISQUALIFICATION = "disqualification", _("disqualification")

    tournament = models.ForeignKey("tournament.Tournament", models.PROTECT, related_name="penalties")
    number = models.PositiveIntegerField()
    round = models.ForeignKey("tournament.Round", models.PROTECT, null=True, related_name="penalties")
    entry = models.ForeignKey("tournament.Entry", models.PROTECT, related_name="penalties")
    kind = models.CharField(_("penalty"), max_length=16, choices=Kind)
    reason = models.CharField(_("infraction"), max_length=500, blank=True)
    judge = models.CharField(_("judge"), max_length=150, blank=True)
    description = models.CharField(_("description"), max_length=500, blank=True)
    counts_in = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["number"]
        verbose_name_plural = "penalties"
        constraints = [
            UniqueConstraint(fields=["tournament", "number"], name="one_penalty_per_number"),
            one_of("penalty_kind_is_known", kind="caution warning game_loss match_loss disqualification"),
        ]

    def __str__(self):
        return self.get_kind_display()


class DeckCheck(models.Model):
    tournament = models.ForeignKey("tournament.Tournament", models.PROTECT, related_name="deck_checks")
    number = models.PositiveIntegerField()
    round = models.ForeignKey("tournament.Round", models.PROTECT, null=True, related_name="deck_checks")
    entry = models.ForeignKey("tournament.Entry", models.PROTECT, related_name="deck_checks")
    judge = models.CharField(_("judge"), max_length=150, blank=True)
    starts_at = models.DateTimeField(_("start"))
    ends_at = models.DateTimeField(_("end"), null=True, blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [UniqueConstraint(fields=["tournament", "number"], name="one_deck_check_per_number")]

    def __str__(self):
        return f"deck check {self.number}"


class Extension(models.Model):
    match = models.OneToOneField("tournament.Match", models.PROTECT, related_name="extension")
    minutes = models.PositiveSmallIntegerField()
    reason = models.CharField(max_length=200, blank=True)

    def __str__(self):
        return f"+{self.minutes} min"


class Flag(models.Model):
    """A player's message, judge call, or drop request, whose text is stored only here. `judge`: who is on the way."""

    class Kind(models.TextChoices):
        MESSAGE = "message", _("message")
        CALL = "call", _("judge call")
        DROP = "drop", _("drop request")

    tournament = models.ForeignKey("tournament.Tournament", models.PROTECT, related_name="flags")
    number = models.PositiveIntegerField()
    entry = models.ForeignKey("tournament.Entry", models.PROTECT, null=True, related_name="flags")
    round = models.ForeignKey("tournament.Round", models.PROTECT, null=True, related_name="flags")
    at = models.DateTimeField()
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.MESSAGE)
    judge = models.CharField(_("judge"), max_length=150, blank=True)
    text = models.CharField(max_length=300, blank=True)
    done = models.BooleanField(default=False)

    class Meta:
        ordering = ["number"]
        constraints = [
            UniqueConstraint(fields=["tournament", "number"], name="one_flag_per_number"),
            one_of("flag_kind_is_known", kind="message call drop"),
        ]

    def __str__(self):
        return f"flag {self.number}"
