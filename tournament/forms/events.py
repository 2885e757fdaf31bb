"""Forms that create an event and change its fields."""

import datetime as dt
import zoneinfo
from collections.abc import Callable, Sequence
from typing import Any

from crispy_forms.helper import FormHelper
from crispy_forms.layout import HTML, Div
from django import forms
from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tournament.event.games import ANY, GAMES, usual_minutes, usual_ruleset
from tournament.models import RulesetVersion, Staff, Tournament
from tournament.rulesets import is_preset, resolve
from tournament.rulesets.rule_fields import confidence_in_words, is_game_for_two, is_unverified, pairing_note
from tournament.services.event_settings import MOST_CARDS, time_zones
from tournament.services.rulesets import newest_versions
from tournament.web.keyed_forms import (
    LARGEST,
    LONGEST_REASON,
    BareHiddenInput,
    Details,
    KeyedForm,
    OfferingInput,
    build_column_field,
    button,
    lay_out_form,
    link,
)

MOST_ROUNDS = 30
BEST_OF = [("", _("ruleset default")), ("1", _("1 game")), ("3", _("best of 3")), ("5", _("best of 5"))]
VARY_TABLES = [(True, _("yes")), (False, _("no: tables in score order"))]
CUTS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 48, 64)
LOCAL = "%Y-%m-%dT%H:%M"
MOMENTS = ("starts_at", "decklists_until")
YEARS = (1990, 2200)


def check_year(moment: dt.datetime) -> None:
    """Raise ValidationError for an implausible year, such as 202 while someone is typing 2026."""
    if not YEARS[0] <= moment.year <= YEARS[1]:
        raise forms.ValidationError(_("Enter the year with 4 digits, such as 2026."))


class LocalTimeField(forms.DateTimeField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            required=False,
            widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format=LOCAL),
            input_formats=[LOCAL, "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S"],
            validators=[check_year],
            **kwargs,
        )


class MomentField(LocalTimeField):
    """A date and time in the current time zone. Cleans to ISO text in UTC; None if it is empty."""

    def clean(self, value: Any) -> Any:
        moment = super().clean(value)
        return moment and moment.astimezone(dt.UTC).isoformat()


class WallClock(LocalTimeField):
    """A date and time in the time zone that another field names. Cleans to a naive time."""

    def to_python(self, value: Any) -> Any:
        with timezone.override(dt.UTC):
            moment = super().to_python(value)
        return moment and moment.replace(tzinfo=None)


# Options of a setting's field besides the column's label, limit and choices.
COLUMNS: dict[str, dict[str, Any]] = {
    "name": {"error_messages": {"required": _("Enter an event name.")}},
    "game": {"widget": OfferingInput("games", ({"value": game} for game, *_rest in GAMES))},
    "time_zone": {"required": False, "initial": settings.TIME_ZONE, "help_text": _("Such as Europe/Berlin.")},
    "rounds_planned": {
        "min_value": 1,
        "max_value": MOST_ROUNDS,
        "help_text": _("If empty, the ruleset decides by the number of players."),
    },
    "team": {"label": _("Team event")},
    "round_minutes": {"min_value": 1, "max_value": 600, "help_text": _("Leave empty for no clock.")},
    "table_plan": {
        "help_text": _(
            "Such as 101-164, or A 1-16, B 1-16, Feature 1. Tables you leave out are not used. A table named on its "
            "own is for feature matches only: you move them there by hand. If empty, tables are numbered from 1."
        )
    },
    "reporting": {
        "help_text": _(
            "A report counts once the opponent reports the same or staff accept it. Staff’s entry wins."
        )
    },
    "decklist_rule": {
        "help_text": _("Handed in by phone. Only organizers and judges read them until you make them public.")
    },
    "deck_least": {"min_value": 1, "max_value": MOST_CARDS},
    "deck_most": {"min_value": 1, "max_value": MOST_CARDS},
    "sideboard_most": {"max_value": MOST_CARDS, "help_text": _("If empty, no limit; 0 for no sideboard.")},
    "hold_standings": {
        "label": _("Hide public standings"),
        "help_text": _("Players then see pairings and results, but no standings."),
    },
}


class EventForm(KeyedForm):
    """Settings of an event: those in `names`, in that order. Fields are declared here, in COLUMNS, or by the column."""

    names: Sequence[str] = ()
    starts_at = WallClock(label=_("Start"))
    decklists_until = WallClock(
        label=_("Decklist deadline"), help_text=_("If empty, until round 1 is published.")
    )
    cut = forms.TypedChoiceField(label=_("Cut"), required=False, coerce=int, empty_value=None)
    best_of = forms.TypedChoiceField(
        label=_("Match length"), required=False, choices=BEST_OF, coerce=int, empty_value=None
    )
    vary_tables = forms.TypedChoiceField(
        label=_("Seat players at a different table each round"),
        required=False,
        choices=[("", _("ruleset default")), *VARY_TABLES],
        coerce=lambda value: value == "True",
        empty_value=None,
        help_text=_("The top match may then play at another table than the first."),
    )
    listed = forms.TypedChoiceField(
        label=_("Who can find it"),
        required=False,
        choices=[(True, _("everyone, on the home page")), (False, _("anyone with the link"))],
        coerce=lambda value: value == "True",
        empty_value=True,  # type: ignore[arg-type]
        initial=True,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in [name for name in self.fields if name not in {*self.names, "key"}]:
            del self.fields[name]
        for name in [name for name in self.names if name not in self.fields]:
            self.fields[name] = build_column_field(Tournament, name, **COLUMNS.get(name, {}))
        self.order_fields([*self.names, "key"])
        if "cut" in self.fields:
            self.offer_cuts(_("ruleset default"), None)

    def offer_cuts(self, suggested: Any, now: int | None) -> None:
        """Offer sizes of a cut. `suggested` is the label of the empty choice, `now` the present size."""
        sizes = sorted({*CUTS, now or 0} - {0})
        tops = [(str(size), _("top %(size)s") % {"size": size}) for size in sizes]
        self.set_choices("cut", [("", suggested), ("0", _("no cut")), *tops])

    def clean_time_zone(self) -> str:
        zone = self.cleaned_data["time_zone"].strip() or settings.TIME_ZONE
        if zone not in time_zones():
            raise forms.ValidationError(
                _("Unknown time zone. Examples: Europe/Berlin, America/New_York, UTC.")
            )
        return zone

    def clean(self) -> dict[str, Any]:
        """Convert the moments, which are entered in the event's time zone, to UTC text."""
        data: dict[str, Any] = super().clean() or {}
        zone = zoneinfo.ZoneInfo(data.get("time_zone") or timezone.get_current_timezone_name())
        for name in MOMENTS:
            if data.get(name):
                data[name] = data[name].replace(tzinfo=zone).astimezone(dt.UTC).isoformat()
        return data


class NewEventForm(EventForm):
    FIRST = ("name", "game", "starts_at")
    ROUNDS = "rounds_planned cut round_minutes best_of team".split()
    names = (*FIRST, "ruleset", *ROUNDS, "venue", "time_zone", "listed")
    ruleset = forms.ChoiceField(label=_("Ruleset"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["starts_at"].help_text = _("If empty, now.")
        self.fields["round_minutes"].help_text = _("If empty, the game's usual length.")
        rulesets = [ruleset for ruleset in newest_versions() if is_game_for_two(ruleset.profile)]
        usual = usual_ruleset_words(self["game"].value() or "")
        self.set_choices("ruleset", [("", usual), *ruleset_choices(rulesets)])

    @property
    def helper(self) -> FormHelper:
        words = HTML('{% include "tournament/events/_ruleset_words.html" %}')
        folds = (
            (_("Ruleset"), self["ruleset"].value() or _("the game's default"), ["ruleset", words]),
            (_("Rounds"), _("as many as the ruleset says"), self.ROUNDS),
            (_("Place"), _("venue and time zone"), ["venue", "time_zone"]),
            (_("Public"), _("on the home page"), ["listed"]),
        )
        details = [
            Details(title, *fields, value=value, opened=self.is_bound) for title, value, fields in folds
        ]
        create = button(_("Create the event"), "primary wide")
        return lay_out_form(*self.FIRST, Div(*details, css_class="folds plain"), create, tag=False)

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        game = data.get("game", "")
        if data.get("ruleset") == "":
            data["ruleset"] = usual_ruleset(game)
        if "round_minutes" in data and data["round_minutes"] is None:
            data["round_minutes"] = usual_minutes(game, data.get("ruleset", ""))
        return data

    def fields_for_service(self) -> dict[str, Any]:
        return {name: value for name, value in super().fields_for_service().items() if value != ""}


def usual_ruleset_words(game: str) -> Any:
    if not game.strip():
        return _("the game's default")
    key = usual_ruleset(game)
    unknown, known = _("%(ruleset)s: for games without a ruleset"), _("%(ruleset)s: usual for this game")
    return (unknown if key == ANY else known) % {"ruleset": resolve(key)["name"]}


def ruleset_choices(
    rulesets: list[RulesetVersion], value: Callable[[RulesetVersion], str] = lambda ruleset: ruleset.key
) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return choices of rulesets: built-in, custom, unverified. `value`: the value that a choice sends."""
    built_in, custom, unverified = [
        str(title) for title in (_("Built in"), _("Custom"), _("Unverified: check before you rely on them"))
    ]
    groups: dict[str, list[tuple[str, str]]] = {built_in: [], custom: [], unverified: []}
    for ruleset in rulesets:
        verified = built_in if is_preset(ruleset.key) else custom
        title = unverified if is_unverified(ruleset.profile) else verified
        groups[title].append((value(ruleset), ruleset_label(ruleset)))
    return [(title, choices) for title, choices in groups.items() if choices]


def ruleset_label(ruleset: RulesetVersion) -> str:
    parts = (ruleset.name, pairing_note(ruleset.profile), confidence_in_words(ruleset.profile))
    return " · ".join(filter(None, parts))


class EventCopyForm(EventForm):
    names = ("name", "starts_at")
    send = _("Create the event")

    def __init__(self, *args: Any, staff: list[Staff], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.staff = staff
        if staff:
            self.fields["with_staff"] = forms.BooleanField(
                label=_("Include its staff"),
                required=False,
                initial=True,
                help_text=", ".join(map(str, staff)),
            )

    def fields_for_service(self) -> dict[str, Any]:
        fields = super().fields_for_service()
        fields["staff"] = self.staff if fields.pop("with_staff", False) else []
        return {**fields, "starts_at": fields["starts_at"] or None}


class ArchiveForm(KeyedForm):
    archived = forms.BooleanField(required=False)


class DeleteForm(KeyedForm):
    name = forms.CharField(
        label=_("Type the event's name to delete it"),
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, event: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.event = event

    @property
    def helper(self) -> FormHelper:
        back = link(_("Keep the event"), reverse("event-settings", args=[self.event.slug]))
        return lay_out_form("name", button(_("Delete permanently"), "danger"), back)


class RestoreForm(KeyedForm):
    """A reason. `seen`: the event's revision when the differences were shown; `occasion`: the snapshot in words."""

    seen = forms.IntegerField(min_value=0, max_value=LARGEST, widget=BareHiddenInput)
    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON - 100,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("For the log, such as “round 5 was paired by mistake”."),
    )
    send, look = _("Restore over this event"), "danger"

    def __init__(self, *args: Any, occasion: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.occasion = occasion

    def show_again(self, seen: int) -> None:
        self.data = {**{name: self.data[name] for name in self.data}, "seen": seen}

    def fields_for_service(self) -> dict[str, Any]:
        fields = super().fields_for_service()
        return {**fields, "reason": f"{self.occasion}: {fields['reason']}"}
