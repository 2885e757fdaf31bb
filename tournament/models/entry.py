"""Players: one row per registration, not per person. Also their decklists and phones."""

from django.conf import settings
from django.db import models
from django.db.models import CheckConstraint, F, Q, UniqueConstraint
from django.utils.translation import gettext_lazy as _

from tournament.models.constraints import one_of


class Entry(models.Model):
    """One registration. The code is public and opens nothing; two entries may have the same name.

    Current and earlier names, display choice, contact, notes, membership number, account and link are personal: they
    are stored only here, never in the log.
    """

    class Status(models.TextChoices):
        REGISTERED = "registered", _("registered")
        WAITLISTED = "waitlisted", _("on the waitlist")
        PLAYING = "playing", _("playing")
        DROPPED = "dropped", _("dropped")
        DISQUALIFIED = "disqualified", _("disqualified")
        MERGED = "merged", _("merged")  # into the entry `same_person_as`, which took over its matches

    tournament = models.ForeignKey("tournament.Tournament", models.PROTECT, related_name="entries")
    code = models.CharField(_("code"), max_length=40)
    name = models.CharField(_("name"), max_length=80)
    last_name = models.CharField(_("last name"), max_length=80, blank=True)
    alias = models.CharField(_("alias"), max_length=80, blank=True)
    display_name_only = models.BooleanField(_("display name only"), default=False)
    contact = models.CharField(_("contact"), max_length=120, blank=True)
    notes = models.TextField(_("notes for staff"), blank=True)
    external_id = models.CharField(_("membership number"), max_length=60, blank=True)
    # Former values, so that anonymizing can remove them from texts, too.
    former_names = models.JSONField(default=list, blank=True)  # names, aliases, members
    former_contacts = models.JSONField(default=list, blank=True)  # contacts, membership numbers
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="entries",
        verbose_name=_("staff account"),
    )
    key_hash = models.CharField(_("player link"), max_length=64, blank=True, editable=False)
    link_number = models.PositiveIntegerField(default=0, editable=False)  # of the latest derived link

    status = models.CharField(_("status"), max_length=12, choices=Status, default=Status.PLAYING)
    rating = models.IntegerField(_("rating"), null=True, blank=True)
    rating_source = models.CharField(_("rating source"), max_length=40, blank=True)
    labels = models.JSONField(_("labels"), default=list, blank=True)
    joined_round = models.PositiveSmallIntegerField(null=True, blank=True)
    dropped_after = models.PositiveSmallIntegerField(null=True, blank=True)
    seed_rank = models.PositiveIntegerField(_("seed"), null=True, blank=True)
    awarded_byes = models.PositiveSmallIntegerField(_("awarded byes"), default=0)
    # Each with its round, counted in the player's own session, and its kind.
    requested_byes = models.JSONField(_("requested byes"), default=list, blank=True)
    house = models.BooleanField(default=False)
    late = models.BooleanField(default=False)
    same_person_as = models.ForeignKey("self", models.PROTECT, null=True, blank=True, related_name="+")
    start = models.CharField(max_length=40, blank=True)
    lot = models.PositiveIntegerField(null=True, blank=True)
    manual = models.PositiveIntegerField(null=True, blank=True)
    manual_after = models.PositiveSmallIntegerField(null=True, blank=True)
    members = models.JSONField(_("team members"), default=list, blank=True)
    captain = models.PositiveSmallIntegerField(_("captain"), default=1, help_text=_("Which of the members."))
    fixed_table = models.PositiveSmallIntegerField(_("fixed table"), null=True, blank=True)
    checked_in = models.BooleanField(_("checked in"), default=False)
    paid = models.BooleanField(_("paid"), default=False)
    waits = models.PositiveIntegerField(null=True, blank=True)  # order on the waitlist, lowest first

    class Meta:
        ordering = ["code"]
        verbose_name_plural = "entries"
        indexes = [models.Index(fields=["tournament", "key_hash"], name="entries_of_a_phone")]
        constraints = [
            UniqueConstraint(fields=["tournament", "code"], name="one_entry_per_code"),
            CheckConstraint(
                condition=Q(same_person_as__isnull=True) | ~Q(same_person_as=F("id")),
                name="an_entry_is_not_linked_to_itself",
            ),
            CheckConstraint(condition=~Q(name=""), name="an_entry_has_a_name"),
            UniqueConstraint(fields=["key_hash"], condition=~Q(key_hash=""), name="a_key_opens_one_entry"),
            UniqueConstraint(
                fields=["tournament", "waits"],
                condition=Q(waits__isnull=False),
                name="one_entry_per_waiting_place",
            ),
            one_of(
                "entry_status_is_known", status="registered waitlisted playing dropped disqualified merged"
            ),
        ]

    def __str__(self):
        return self.name


class Decklist(models.Model):
    """A list from a player, or entered by staff (`actor`). The newest counts. The log has only the card counts."""

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
        constraints = [UniqueConstraint(fields=["tournament", "number"], name="one_decklist_per_number")]

    def __str__(self):
        return f"decklist {self.number}"


class PushSubscription(models.Model):
    """One phone of one player. Not a fact: it is in no log or archive, and deleted with the player's link."""

    entry = models.ForeignKey("tournament.Entry", models.CASCADE, related_name="push_subscriptions")
    endpoint = models.CharField(max_length=500)
    p256dh = models.CharField(max_length=100)
    auth = models.CharField(max_length=40)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [UniqueConstraint(fields=["entry", "endpoint"], name="one_subscription_per_phone")]

    def __str__(self):
        return f"phone of {self.entry_id}"
