"""A round, its matches, and one seat per entry: the rules of Swiss as plain constraints."""

from django.db import models
from django.db.models import CheckConstraint, F, Q, UniqueConstraint
from django.utils.translation import gettext_lazy as _

from tournament.models.constraints import one_of

RESULTS = (
    "played intentional_draw double_loss forfeit bye awarded_bye half_bye zero_bye full_bye missed"
).split()


class Round(models.Model):
    """One round. `number` counts over all stages; `swiss` is copied from the stage for constraints.

    Its clock (`tournament.event.clock`): `starts_at` is the (planned) start; `ends_at` is the deadline, None while the
    clock is off or paused; `seconds_left` is set only while it is paused; `minutes` is the round's own length, if any.
    """

    class State(models.TextChoices):
        DRAFT = "draft", _("draft")
        PUBLISHED = "published", _("published")
        REPAIRING = "repairing", _("being re-paired")
        COMPLETE = "complete", _("complete")

    tournament = models.ForeignKey("tournament.Tournament", models.PROTECT, related_name="rounds")
    stage = models.ForeignKey("tournament.Stage", models.PROTECT, related_name="rounds")
    number = models.PositiveSmallIntegerField()
    swiss = models.BooleanField(default=True)
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT)
    revision = models.PositiveIntegerField(default=0, editable=False)
    published_at = models.DateTimeField(null=True, blank=True)
    starts_at = models.DateTimeField(null=True, blank=True)
    ends_at = models.DateTimeField(null=True, blank=True)
    seconds_left = models.PositiveIntegerField(null=True, blank=True)
    minutes = models.PositiveSmallIntegerField(null=True, blank=True)
    # The table plan it was published with, where the event's was changed since.
    table_plan = models.CharField(max_length=200, null=True, blank=True)
    pairing = models.JSONField(null=True, blank=True)  # how it was paired: `event.pairing_record`

    class Meta:
        ordering = ["number"]
        constraints = [
            UniqueConstraint(fields=["tournament", "number"], name="one_round_per_number"),
            UniqueConstraint(
                fields=["stage"],
                condition=Q(swiss=True, state__in=["draft", "published"]),
                name="one_open_round_per_swiss_stage",
            ),
            one_of("round_state_is_known", state="draft published repairing complete"),
            CheckConstraint(condition=Q(number__gte=1), name="rounds_count_from_one"),
        ]

    def __str__(self):
        return f"round {self.number}"


class Match(models.Model):
    """A table, or an entry without an opponent. Its seats have the players; without `result` there is no slip yet.

    `winner` repeats the winner by games ("a", "b", or "" for a draw) so that the database can refuse a drawn
    elimination match. For forfeits and decided matches it is the only source.
    """

    class Result(models.TextChoices):
        PLAYED = "played", _("played")
        INTENTIONAL_DRAW = "intentional_draw", _("intentional draw")
        DOUBLE_LOSS = "double_loss", _("double loss")
        FORFEIT = "forfeit", _("forfeit")
        BYE = "bye", _("bye")
        AWARDED_BYE = "awarded_bye", _("awarded bye")
        HALF_BYE = "half_bye", _("half-point bye")
        ZERO_BYE = "zero_bye", _("zero-point bye")
        FULL_BYE = "full_bye", _("full-point bye")
        MISSED = "missed", _("missed")

    round = models.ForeignKey(Round, models.PROTECT, related_name="matches")
    table = models.PositiveSmallIntegerField(null=True, blank=True)
    result = models.CharField(max_length=16, choices=Result, null=True, blank=True)
    drawn = models.PositiveSmallIntegerField(null=True, blank=True)
    winner = models.CharField(max_length=1, blank=True)
    first = models.CharField(max_length=1, blank=True)
    best_of = models.PositiveSmallIntegerField(default=3)
    draws_allowed = models.BooleanField(default=True)
    version = models.PositiveIntegerField(default=0, editable=False)
    game_order = models.CharField(max_length=40, blank=True)
    slot = models.CharField(max_length=12, blank=True)
    replays = models.JSONField(default=list, blank=True)
    decided = models.CharField(max_length=20, blank=True)
    waived_rule = models.CharField(max_length=20, blank=True)
    waived_reason = models.CharField(max_length=200, blank=True)
    odd = models.BooleanField(default=False)  # as recorded elsewhere: the rules have no such result

    class Meta:
        ordering = ["table", "pk"]
        verbose_name_plural = "matches"
        constraints = [
            UniqueConstraint(
                fields=["round", "table"], condition=Q(table__isnull=False), name="one_match_per_table"
            ),
            UniqueConstraint(
                fields=["round", "slot"], condition=~Q(slot=""), name="one_match_per_bracket_slot"
            ),
            CheckConstraint(condition=Q(winner__in=["", "a", "b"]), name="winner_is_a_side"),
            CheckConstraint(
                condition=Q(result__isnull=True) | Q(result__in=RESULTS), name="match_result_is_known"
            ),
            CheckConstraint(condition=Q(first__in=["", "a", "b"]), name="first_is_a_side"),
            CheckConstraint(
                condition=Q(draws_allowed=True)
                | Q(result__isnull=True)
                | ~Q(result__in=["played", "intentional_draw"])
                | ~Q(winner=""),
                name="no_drawn_match_where_none_is_allowed",
            ),
            CheckConstraint(condition=Q(waived_rule="") | ~Q(waived_reason=""), name="a_waiver_has_a_reason"),
            CheckConstraint(condition=Q(odd=False) | Q(result__isnull=False), name="only_a_result_is_odd"),
        ]

    def __str__(self):
        return f"table {self.table}" if self.table else f"match {self.pk}"


class Seat(models.Model):
    """An entry in a round: against whom, on which side, how many games it won there.

    A match has two seats, a bye one. Columns that constraints need are copied at creation: tournament, round, swiss,
    kind ("match", or the kind of bye), waived, games_to_win. `odd` is the match's. `meeting` follows its result: after
    a forfeit that the ruleset does not count as a meeting, the two may be paired again.
    """

    tournament = models.ForeignKey("tournament.Tournament", models.PROTECT, related_name="seats")
    round = models.ForeignKey(Round, models.PROTECT, related_name="seats")
    match = models.ForeignKey(Match, models.PROTECT, related_name="seats")
    entry = models.ForeignKey("tournament.Entry", models.PROTECT, related_name="seats")
    opponent = models.ForeignKey("tournament.Entry", models.PROTECT, null=True, related_name="+")
    side = models.CharField(max_length=1)
    games = models.PositiveSmallIntegerField(null=True, blank=True)
    score = models.CharField(max_length=40, blank=True)
    swiss = models.BooleanField()
    kind = models.CharField(max_length=16)
    waived = models.BooleanField(default=False)
    meeting = models.BooleanField(default=True)
    games_to_win = models.PositiveSmallIntegerField(default=2)
    odd = models.BooleanField(default=False)

    class Meta:
        constraints = [
            UniqueConstraint(fields=["round", "entry"], name="an_entry_sits_once_per_round"),
            UniqueConstraint(fields=["match", "side"], name="one_seat_per_side"),
            CheckConstraint(condition=Q(side__in=["a", "b"]), name="side_is_a_or_b"),
            CheckConstraint(
                condition=Q(opponent__isnull=True) | ~Q(opponent=F("entry")), name="no_entry_against_itself"
            ),
            UniqueConstraint(
                fields=["tournament", "entry", "opponent"],
                condition=Q(swiss=True, waived=False, meeting=True, opponent__isnull=False),
                name="no_pair_meets_twice_in_swiss",
            ),
            UniqueConstraint(
                fields=["tournament", "entry"],
                condition=Q(swiss=True, waived=False, kind="bye"),
                name="one_pairing_bye_per_entry",
            ),
            UniqueConstraint(
                fields=["round"],
                condition=Q(swiss=True, waived=False, kind="bye"),
                name="one_pairing_bye_per_round",
            ),
            UniqueConstraint(
                fields=["match"],
                condition=Q(opponent__isnull=False, odd=False, games__gte=F("games_to_win")),
                name="only_one_side_has_the_winning_games",
            ),
        ]

    def __str__(self):
        return f"{self.entry} in {self.round}"
