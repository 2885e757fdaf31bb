import datetime as dt
import zoneinfo
from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tournament.models import Tournament
from tournament.ruleset_library.games import GAMES
from tournament.services.entries import MOST_PLAYERS
from tournament.services.event_settings import MOST_CARDS, time_zones
from tournament.web.keyed_forms import KeyedForm, OfferingInput, field_of

MOST_ROUNDS = 30
BEST_OF = [("", _("ruleset default")), ("1", _("1 game")), ("3", _("best of 3")), ("5", _("best of 5"))]
VARY_TABLES = [(True, _("yes")), (False, _("no: tables in score order"))]
CUTS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 48, 64)
LOCAL = "%Y-%m-%dT%H:%M"
MOMENTS = ("starts_at", "decklists_until")
YEARS = (1990, 2200)


def check_year(moment: dt.datetime) -> None:
    """Raise ValidationError for a year no event is in, such as 202 while 2026 is being typed."""
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


class WallClock(LocalTimeField):
    """A date and time in the zone of another field. Cleans to a naive time."""

    def to_python(self, value: Any) -> Any:
        with timezone.override(dt.UTC):
            moment = super().to_python(value)
        return moment and moment.replace(tzinfo=None)


def wall_clock(moment: dt.datetime | None, zone: str) -> str:
    return moment.astimezone(zoneinfo.ZoneInfo(zone)).strftime(LOCAL) if moment else ""


# Options of a setting's field besides the column's label, limit and choices.
COLUMNS: dict[str, dict[str, Any]] = {
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
    "capacity": {"min_value": 1, "max_value": MOST_PLAYERS, "help_text": _("Leave empty for no limit.")},
    "decklist_rule": {
        "help_text": _("Handed in by phone. Only organizers and judges read them until you make them public.")
    },
    "deck_least": {"min_value": 1, "max_value": MOST_CARDS, "help_text": _("Leave empty for no limit.")},
    "deck_most": {"min_value": 1, "max_value": MOST_CARDS, "help_text": _("Leave empty for no limit.")},
    "sideboard_most": {
        "max_value": MOST_CARDS,
        "help_text": _("Leave empty for no limit, 0 for no sideboard."),
    },
    "hold_standings": {
        "label": _("Hide public standings"),
        "help_text": _("Players then see pairings and results, but no standings."),
    },
}


class EventForm(KeyedForm):
    """Settings of an event: those in `names`, in that order, with the fields here, of the column or in COLUMNS."""

    names: Sequence[str] = ()
    starts_at = WallClock(label=_("Start"), help_text=_("In the event's time zone."))
    decklists_until = WallClock(
        label=_("Decklist deadline"),
        help_text=_("In the event's time zone. If empty, until round 1 is published."),
    )
    cut = forms.TypedChoiceField(label=_("Cut"), required=False, coerce=int, empty_value=None)
    best_of = forms.TypedChoiceField(
        label=_("Match length"), required=False, choices=BEST_OF, coerce=int, empty_value=None
    )
    vary_tables = forms.TypedChoiceField(
        label=_("No table twice in a row"),
        required=False,
        choices=[("", _("ruleset default")), *VARY_TABLES],
        coerce=lambda value: value == "True",
        empty_value=None,
        help_text=_("If yes, a top match may play at a table other than the first. Fixed tables stay."),
    )
    listed = forms.TypedChoiceField(
        label=_("Who can find it"),
        required=False,
        choices=[(True, _("everyone, on the home page")), (False, _("only people who have the address"))],
        coerce=lambda value: value == "True",
        empty_value=True,  # type: ignore[arg-type]
        initial=True,
    )

    def __init__(self, *args: Any, zone: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.zone = zone
        for name in [name for name in self.fields if name not in {*self.names, "key"}]:
            del self.fields[name]
        for name in [name for name in self.names if name not in self.fields]:
            self.fields[name] = field_of(Tournament, name, **COLUMNS.get(name, {}))
        self.order_fields([*self.names, "key"])
        if "cut" in self.fields:
            self.offer_cuts(_("ruleset default"), None)

    def offer_cuts(self, suggested: Any, now: int | None) -> None:
        """Offer sizes of a cut; `suggested` is the label of the empty choice, `now` the current size."""
        sizes = sorted({*CUTS, now or 0} - {0})
        tops = [(str(size), _("top %(size)s") % {"size": size}) for size in sizes]
        cut = cast("forms.TypedChoiceField", self.fields["cut"])
        cut.choices = [("", suggested), ("0", _("no cut")), *tops]

    def clean_time_zone(self) -> str:
        zone = self.cleaned_data["time_zone"].strip() or settings.TIME_ZONE
        if zone not in time_zones():
            raise forms.ValidationError(
                _("Unknown time zone. Examples: Europe/Berlin, America/New_York, UTC.")
            )
        return zone

    def clean(self) -> dict[str, Any]:
        """Convert the moments to UTC text; they are entered in the event's time zone."""
        data: dict[str, Any] = super().clean() or {}
        zone = data.get("time_zone") or self.zone
        for name in MOMENTS if zone else ():
            if data.get(name):
                local = data[name].replace(tzinfo=zoneinfo.ZoneInfo(zone))
                data[name] = local.astimezone(dt.UTC).isoformat()
        return data
