import hashlib

from django.conf import settings
from django.db import models
from django.db.models import CheckConstraint, F, Q, UniqueConstraint
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tournament.models.constraints import one_of


class Tournament(models.Model):
    """An event. Its row lock serializes all its writes; its revision numbers them.

    Every column is a fact of the log (`tournament.actionlog.facts`) except slug, owner, and columns that are not
    editable: the secret seed, the versions, and where the log starts.
    """

    class State(models.TextChoices):
        DRAFT = "draft", _("being set up")
        OPEN = "open", _("registration open")
        RUNNING = "running", _("running")
        FINISHED = "finished", _("finished")

    class Names(models.TextChoices):
        FULL = "full", _("full name")
        INITIAL = "initial", _("first name and initial")
        ALIAS = "alias", _("alias if there is one, otherwise first name and initial")

    class NameOrder(models.TextChoices):
        LAST = "last", _("by last name")
        WRITTEN = "written", _("as written")

    class Screen(models.TextChoices):
        ANNOUNCEMENT = "announcement", _("announcement")
        PAIRINGS = "pairings", _("pairings by name")
        TABLES = "tables", _("pairings by table")
        CLOCK = "clock", _("clock")
        STANDINGS = "standings", _("standings")
        BRACKET = "bracket", _("bracket")
        SEATS = "seats", _("seats for the player meeting")

    class Reporting(models.TextChoices):
        OFF = "off", _("off: players hand in match slips")
        STAFF = "staff", _("staff accept what both report")
        ON = "on", _("on: a result is final once both report it")

    class DecklistRule(models.TextChoices):
        OFF = "off", _("not collected")
        ON = "on", _("until the deadline")
        LATE = "late", _("late ones too, marked as late")

    class PrizeSplit(models.TextChoices):
        ORDER = "order", _("not shared: tiebreakers decide")
        SHARE = "share", _("shared equally by tied players")

    role: str  # of the signed-in member of the staff: set by access.fetch.staff_tournament
    latest: int | None  # number of the latest posted round: set by access.fetch.public_tournament

    slug = models.SlugField(_("address"), max_length=80, unique=True)
    name = models.CharField(_("name"), max_length=120)
    game = models.CharField(_("game"), max_length=80, blank=True)
    venue = models.CharField(_("venue"), max_length=200, blank=True)
    starts_at = models.DateTimeField(_("start"), null=True, blank=True)
    time_zone = models.CharField(_("time zone"), max_length=60, default="UTC")
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.OPEN)

    ruleset = models.ForeignKey(
        "tournament.RulesetVersion", models.PROTECT, null=True, blank=True, related_name="+"
    )
    overrides = models.JSONField(default=dict, blank=True)
    profile = models.JSONField(null=True, blank=True)  # the whole ruleset, copied when round 1 is published
    rounds_planned = models.PositiveSmallIntegerField(_("Swiss rounds"), null=True, blank=True)
    cut = models.PositiveSmallIntegerField(_("cut"), null=True, blank=True)
    best_of = models.PositiveSmallIntegerField(_("best of"), null=True, blank=True)
    team = models.BooleanField(_("teams"), default=False)
    round_minutes = models.PositiveSmallIntegerField(_("minutes per round"), null=True, blank=True)
    forbidden = models.JSONField(_("do-not-pair list"), default=list, blank=True)  # pairs of player codes
    table_plan = models.CharField(_("table plan"), max_length=200, blank=True)
    vary_tables = models.BooleanField(_("a different table each round"), null=True, blank=True)
    reporting = models.CharField(
        _("players report results by phone"), max_length=5, choices=Reporting, default=Reporting.OFF
    )

    capacity = models.PositiveSmallIntegerField(_("player limit"), null=True, blank=True)
    self_registration = models.BooleanField(_("self-registration"), default=False)
    self_byes = models.BooleanField(_("byes requested by players"), default=False)
    check_in_from = models.DateTimeField(_("self check-in opens"), null=True, blank=True)
    check_in_until = models.DateTimeField(_("self check-in closes"), null=True, blank=True)

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="tournaments"
    )
    listed = models.BooleanField(_("listed"), default=True)
    name_privacy = models.CharField(
        _("names on public pages"), max_length=10, choices=Names, default=Names.FULL
    )
    name_order = models.CharField(
        _("lists by name"),
        max_length=7,
        choices=NameOrder,
        default=NameOrder.LAST,
        help_text=_("Paper for the wall, venue screens, check-in and place cards."),
    )
    announcement = models.CharField(_("announcement"), max_length=200, blank=True)
    announcement_until = models.DateTimeField(_("announcement ends"), null=True, blank=True)
    demo = models.BooleanField(default=False, editable=False)
    archived = models.BooleanField(_("archived"), default=False)
    hold_standings = models.BooleanField(_("public standings hidden"), default=False)
    screens = models.JSONField(_("venue screens"), default=list, blank=True)
    prizes = models.JSONField(_("prizes"), default=list, blank=True)
    prize_split = models.CharField(
        _("prizes of tied players"), max_length=6, choices=PrizeSplit, default=PrizeSplit.ORDER
    )
    prize_currency = models.CharField(_("currency of prizes"), max_length=12, blank=True)
    screen_seconds = models.PositiveSmallIntegerField(_("seconds per page on venue screens"), default=12)

    judge_results = models.BooleanField(_("judges may enter results"), default=False)

    decklist_rule = models.CharField(
        _("decklists"), max_length=4, choices=DecklistRule, default=DecklistRule.OFF
    )
    decklists_until = models.DateTimeField(_("decklist deadline"), null=True, blank=True)
    deck_least = models.PositiveSmallIntegerField(_("smallest main deck"), null=True, blank=True)
    deck_most = models.PositiveSmallIntegerField(_("largest main deck"), null=True, blank=True)
    sideboard_most = models.PositiveSmallIntegerField(_("largest sideboard"), null=True, blank=True)
    decklists_public = models.BooleanField(_("decklists public"), default=False)

    seed = models.CharField(max_length=64, blank=True, editable=False)
    # Player links are derived from this secret, which is in no file. Created with the first of them.
    link_secret = models.CharField(max_length=64, blank=True, editable=False)
    # Changes when a backup is restored, because its log reuses version numbers: `public.responses.event_cache_key`.
    lineage = models.CharField(max_length=8, blank=True, default="", editable=False)
    revision = models.PositiveIntegerField(default=0, editable=False)
    standings_revision = models.PositiveIntegerField(default=0, editable=False)
    # The latest change that is visible beyond staff and the players of one table: `public.response_cache`.
    public_revision = models.PositiveIntegerField(default=0, editable=False)
    baseline_number = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        ordering = ["-starts_at", "-pk"]
        constraints = [
            one_of("tournament_state_is_known", state="draft open running finished"),
            one_of("name_privacy_is_known", name_privacy="full initial alias"),
            one_of("name_order_is_known", name_order="last written"),
            one_of("reporting_is_known", reporting="off staff on"),
            one_of("decklist_rule_is_known", decklist_rule="off on late"),
            CheckConstraint(
                condition=Q(standings_revision__lte=F("revision"), public_revision__lte=F("revision")),
                name="marks_follow_the_log",
            ),
        ]

    def __str__(self):
        return self.name

    def get_absolute_url(self):
        return f"/t/{self.slug}/"

    @property
    def state_in_words(self) -> str:
        if self.state == self.State.OPEN and not self.self_registration:
            return gettext("not started yet")
        return str(self.get_state_display())

    @property
    def standings_version(self) -> str:
        """The version of everything public standings and brackets depend on."""
        held = "h" if self.hold_standings else ""
        return f"{self.standings_revision}.{self.state[0]}{held}"

    @property
    def notice(self) -> str:
        """The announcement; "" once its time is over, without any write."""
        until = self.announcement_until
        return self.announcement if until is None or timezone.now() < until else ""

    @property
    def seed_commitment(self) -> str:
        """SHA-256 of the seed's ASCII text. It is shown before round 1, so that no one can swap the seed later."""
        return hashlib.sha256(self.seed.encode("ascii")).hexdigest() if self.seed else ""


class Staff(models.Model):
    class Role(models.TextChoices):
        OWNER = "owner", _("organizer")
        SCOREKEEPER = "scorekeeper", _("scorekeeper")
        JUDGE = "judge", _("judge")

    tournament = models.ForeignKey(Tournament, models.PROTECT, related_name="staff")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="staff_roles")
    role = models.CharField(max_length=12, choices=Role)

    class Meta:
        verbose_name_plural = "staff"
        constraints = [UniqueConstraint(fields=["tournament", "user"], name="one_role_per_user_and_event")]

    def __str__(self):
        return f"{self.user} · {self.get_role_display()}"


class Invite(models.Model):
    """A link that makes anyone who opens it a member of an event's staff. Only a hash of its key is stored."""

    tournament = models.ForeignKey(Tournament, models.PROTECT, related_name="invites")
    role = models.CharField(max_length=12, choices=Staff.Role)
    key_hash = models.CharField(max_length=64, unique=True, editable=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    uses_left = models.PositiveSmallIntegerField(default=1)
    accepted_by = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="+", blank=True)

    class Meta:
        ordering = ["-at"]

    def __str__(self):
        return f"{self.get_role_display()} · {self.tournament}"
