"""A new event, and how an event is run."""

from __future__ import annotations

import zoneinfo
from typing import Any

from django import forms
from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tournament.forms.keyed import KeyedForm
from tournament.models import Ruleset, Tournament
from tournament.rulebooks import newest_rulesets
from tournament.rulefields import confidence_in_words, is_unverified

MOST_ROUNDS = 30
BEST_OF = [("", _("as the ruleset says")), ("1", _("1 game")), ("3", _("best of 3")), ("5", _("best of 5"))]
LOCAL = "%Y-%m-%dT%H:%M"


class PlanForm(KeyedForm):
    """What can be left open: the ruleset suggests it."""

    rounds_planned = forms.IntegerField(
        label=_("Swiss rounds"),
        required=False,
        min_value=1,
        max_value=MOST_ROUNDS,
        help_text=_("Empty: as many as the ruleset's table says for the number of players."),
    )
    cut = forms.IntegerField(
        label=_("Cut to the top"),
        required=False,
        min_value=0,
        max_value=64,
        help_text=_("2 to 64; 0: no bracket. Empty: as the ruleset says."),
    )
    round_minutes = forms.IntegerField(
        label=_("Minutes a round"),
        required=False,
        min_value=1,
        max_value=600,
        help_text=_("Empty: no clock."),
    )

    def clean_cut(self) -> int | None:
        size = self.cleaned_data["cut"]
        if size == 1:
            raise forms.ValidationError(_("A bracket has at least 2 players; 0 means no bracket."))
        return size


class NewEventForm(PlanForm):
    """Only the name and the ruleset are needed."""

    button = _("Create the event")
    field_order = ["name", "ruleset"]
    name = forms.CharField(label=_("Name"), max_length=120)
    ruleset = forms.ChoiceField(label=_("Ruleset"), initial="mtr")
    best_of = forms.TypedChoiceField(
        label=_("Match length"), required=False, choices=BEST_OF, coerce=int, empty_value=None
    )
    starts_at = forms.DateTimeField(
        label=_("Start"),
        required=False,
        help_text=_("In your time zone. Empty: now."),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format=LOCAL),
        input_formats=[LOCAL, "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S"],
    )
    time_zone = forms.CharField(
        label=_("Time zone"), required=False, max_length=60, initial=settings.TIME_ZONE
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["ruleset"].choices = offered(newest_rulesets())  # type: ignore[attr-defined]

    def clean_time_zone(self) -> str:
        zone = self.cleaned_data["time_zone"] or settings.TIME_ZONE
        if zone not in zoneinfo.available_timezones():
            raise forms.ValidationError(
                _("Unknown time zone. Examples: Europe/Berlin, America/New_York, UTC.")
            )
        return zone

    def clean(self) -> dict[str, Any]:
        """The start is meant in the event's own time zone."""
        data: dict[str, Any] = super().clean() or {}
        start, zone = data.get("starts_at"), data.get("time_zone")
        if start and zone:
            naive = timezone.make_naive(start)
            data["starts_at"] = timezone.make_aware(naive, zoneinfo.ZoneInfo(zone)).isoformat()
        return data


def offered(rulesets: list[Ruleset]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Rulesets to choose from, by who publishes them; those nobody checked stand apart, at the end."""
    groups: dict[str, list[tuple[str, str]]] = {str(_("Come with this program")): []}
    unverified: list[tuple[str, str]] = []
    for ruleset in rulesets:
        choice = (ruleset.key, ruleset_label(ruleset))
        publisher = ruleset.rulebook.publisher
        if is_unverified(ruleset.profile):
            unverified.append(choice)
        elif publisher is None:
            groups[str(_("Come with this program"))].append(choice)
        else:
            groups.setdefault(publisher.name, []).append(choice)
    return [*groups.items(), (str(_("Unverified: check before you rely on them")), unverified)]


def ruleset_label(ruleset: Ruleset) -> str:
    """The ruleset's name, and how sure we are of it."""
    return f"{ruleset.name} · {confidence_in_words(ruleset.profile)}"


class SettingsForm(PlanForm):
    """What may change while an event runs."""

    button = _("Save the settings")
    field_order = ["name"]
    name = forms.CharField(label=_("Name"), max_length=120)
    hold_standings = forms.BooleanField(
        label=_("Hold back public standings"),
        required=False,
        help_text=_("Players then see pairings and results, but no standings."),
    )

    @staticmethod
    def initial_of(tournament: Tournament) -> dict[str, Any]:
        """The fields as they are saved."""
        names = ("name", "rounds_planned", "cut", "round_minutes", "hold_standings")
        return {name: getattr(tournament, name) for name in names}
