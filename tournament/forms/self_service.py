"""Forms of a player's own page, and of requested byes."""

from typing import Any

from crispy_forms.helper import FormHelper
from crispy_forms.layout import HTML, Div
from django import forms
from django.forms.models import model_to_dict
from django.utils.text import format_lazy
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

from tournament.access.player_link import fresh_player_key, hash_key, is_key
from tournament.actionlog.facts import REGISTRATION_SETTINGS
from tournament.event.display_names import load_public_names, public_name
from tournament.event.profile import ruleset_in_force
from tournament.forms.events import MomentField
from tournament.forms.fields import TeamField
from tournament.models import Entry, Tournament
from tournament.push import is_phone_key, is_public_endpoint
from tournament.results.wording import bye_words
from tournament.rulesets import REQUESTED, requestable_byes
from tournament.services.entries import MOST_PLAYERS
from tournament.services.requested_byes import PLAYS, find_own_rounds
from tournament.services.self_service import LONGEST_MESSAGE
from tournament.text import name_key
from tournament.web.keyed_forms import (
    NOT_INTACT,
    BareHiddenInput,
    Details,
    Element,
    KeyedForm,
    NumberField,
    build_column_field,
    button,
    lay_out_form,
)

PERSONAL = ("name", "last_name", "alias", "contact", "external_id")
SHOWN_BY = ("name", "alias", "display_name_only")  # fields of the public name


def check_player_key(key: str) -> None:
    if not is_key(key):
        raise forms.ValidationError(NOT_INTACT)


class SelfRegistrationForm(KeyedForm):
    """A player's registration. `alike`: {code: name} with the same public name; `waits`: whether for the waitlist."""

    waits = False
    # Created with the form, so that a form sent twice gives the same link.
    player_key = forms.CharField(
        max_length=32, widget=BareHiddenInput, initial=fresh_player_key, validators=[check_player_key]
    )
    name = build_column_field(
        Entry,
        "name",
        label=_("Your name"),
        error_messages={"required": _("Enter a name with at least 1 letter.")},
        widget=forms.TextInput(attrs={"autocomplete": "name", "autocapitalize": "words"}),
    )
    alias = build_column_field(
        Entry,
        "alias",
        label=_("Name on public pages"),
        help_text=_("If empty, your first name and initial."),
        widget=forms.TextInput(attrs={"autocomplete": "nickname"}),
    )
    display_name_only = forms.BooleanField(
        label=_("Do not show my full name in public"),
        required=False,
        help_text=_("Public pages then show your first name and initial."),
    )
    last_name = build_column_field(
        Entry,
        "last_name",
        help_text=_("Lists by name begin with it."),
        widget=forms.TextInput(attrs={"autocomplete": "family-name", "autocapitalize": "words"}),
    )
    external_id = build_column_field(Entry, "external_id")
    contact = build_column_field(
        Entry,
        "contact",
        label=_("How staff can reach you"),
        help_text=_("Phone number or email, for staff only."),
    )
    team = TeamField()
    another = forms.BooleanField(label=_("I am a different person with the same name"), required=False)

    def __init__(self, tournament: Tournament, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.tournament = tournament
        self.alike: dict[str, str] = {}
        if tournament.name_privacy != Tournament.Names.ALIAS:
            del self.fields["alias"]
        if tournament.name_privacy != Tournament.Names.FULL:
            del self.fields["display_name_only"]
        elif tournament.team:
            only = self.fields["display_name_only"]
            only.label = _("Do not show our members' full names in public")
            only.help_text = _("Public pages then show their first names and initials.")
        if tournament.team:
            self.fields["name"].label = _("Team name")
            self.fields["name"].widget.attrs["autocomplete"] = "off"
            del self.fields["last_name"]
        else:
            del self.fields["team"]

    @property
    def helper(self) -> FormHelper:
        parts: list[Any] = ["name"]
        if self.alike:
            namesakes = HTML('{% include "tournament/self_service/_same_name.html" %}')
            parts.append(Div(namesakes, "another", css_class="notice wait"))
        parts += [name for name in ("team", "alias", "display_name_only") if name in self.fields]
        more = [name for name in ("last_name", "external_id", "contact") if name in self.fields]
        opened = any(self[name].value() or self[name].errors for name in more)
        parts.append(Details(_("Last name, membership number, contact"), *more, opened=opened))
        text = _("Join the waitlist") if self.waits else _("Register")
        return lay_out_form(*parts, button(text, "primary wide"))

    def clean(self) -> dict[str, Any]:
        """Ask for confirmation if the public name is already registered. Other names must not leak."""
        data: dict[str, Any] = super().clean() or {}
        if "name" in data:
            event = self.tournament
            mine = self._shown(*(data.get(name, "") for name in SHOWN_BY))
            rows = event.entries.filter(house=False).values_list("code", *SHOWN_BY)
            shown = load_public_names(event, merged=False)
            self.alike = {
                code: shown[code] for code, *row in rows if code in shown and self._shown(*row) == mine
            }
            if self.alike and not data.get("another"):
                self.add_error(
                    "another",
                    _("Someone with this name is already registered. If that is you, do not register again."),
                )
        return data

    def _shown(self, name: str, alias: str, only: bool) -> str:
        event = self.tournament
        privacy = Tournament.Names.ALIAS if only else event.name_privacy
        return name_key(public_name(name, alias, privacy, team=event.team))

    def fields_for_service(self) -> dict[str, Any]:
        fields = {name: self.cleaned_data.get(name, "") for name in PERSONAL}
        fields["display_name_only"] = self.cleaned_data.get("display_name_only", False)
        team = self.cleaned_data.get("team", {})
        return {**fields, **team, "key_hash": hash_key(self.cleaned_data["player_key"])}


class MessageForm(KeyedForm):
    round = forms.IntegerField(required=False, min_value=1, max_value=9999, widget=BareHiddenInput)
    text = forms.CharField(
        label=_("What is wrong?"), max_length=LONGEST_MESSAGE, widget=forms.Textarea(attrs={"rows": 4})
    )
    send, look = _("Tell staff"), "primary wide"

    def fields_for_service(self) -> dict[str, Any]:
        return {"text": self.cleaned_data["text"], "number": self.cleaned_data["round"]}


class JudgeCallForm(KeyedForm):
    look = "wide"
    text = forms.CharField(
        label=_("What do you need a judge for?"), required=False, max_length=LONGEST_MESSAGE
    )

    def __init__(self, data: Any = None, *, table: str = "") -> None:
        super().__init__(data, auto_id="call-%s")
        self.send = format_lazy(_("Call a judge to table {table}"), table=table)


class RegistrationForm(KeyedForm):
    self_registration = forms.BooleanField(
        label=_("Players register themselves"),
        required=False,
        help_text=_("By phone, until round 1 is paired."),
    )
    capacity = NumberField(
        label=_("Player limit"),
        required=False,
        min_value=1,
        max_value=MOST_PLAYERS,
        help_text=_("Further players join the waitlist. Empty means no limit."),
    )
    self_byes = forms.BooleanField(
        label=_("Players request byes themselves"),
        required=False,
        help_text=_("On their phones, within the limits of the ruleset."),
    )
    check_in_from = MomentField(label=_("Self check-in opens"))
    check_in_until = MomentField(
        label=_("Self check-in closes"), help_text=_("Leave both empty for check-in at the desk only.")
    )

    def __init__(self, tournament: Tournament, data: Any = None) -> None:
        super().__init__(data, initial=model_to_dict(tournament, REGISTRATION_SETTINGS))
        self.zone = tournament.time_zone

    @property
    def helper(self) -> FormHelper:
        zone = Element("p", _("Times are in %(zone)s.") % {"zone": self.zone}, {"class": "soft"})
        times = Div("check_in_from", "check_in_until", css_class="fields two")
        return lay_out_form("self_registration", "capacity", "self_byes", times, zone, button(_("Save")))


class PushForm(forms.Form):
    """The phone's push subscription, filled in by a script. `stop`: whether to end it."""

    endpoint = forms.CharField(max_length=500, widget=forms.HiddenInput)
    p256dh = forms.CharField(max_length=100, required=False, widget=forms.HiddenInput)
    auth = forms.CharField(max_length=40, required=False, widget=forms.HiddenInput)
    stop = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        sent = self.cleaned_data
        if not is_public_endpoint(sent.get("endpoint", "")):
            raise forms.ValidationError(
                _("This is not the address of a push service. Try again in another browser.")
            )
        if not sent.get("stop") and not is_phone_key(sent.get("p256dh", ""), sent.get("auth", "")):
            raise forms.ValidationError(_("This browser sent no usable keys. Try again."))
        return sent


class RequestByeForm(KeyedForm):
    """Request a bye of this `kind` for a round; an empty `kind` withdraws the request. `lines`: the requests so far."""

    number = forms.IntegerField(label=_("Round"), min_value=1, max_value=99, widget=forms.Select)
    kind = forms.ChoiceField(
        label=_("Bye"),
        required=False,
        choices=[(kind, kind) for kind in REQUESTED],
        error_messages={"invalid_choice": _("Choose a bye.")},
    )
    lines: tuple[dict[str, Any], ...] = ()
    can_request = False

    def offer(self, entry: Entry, *, by_player: bool = False) -> None:
        """Offer the open rounds (to players only if the event allows it) and the ruleset's byes."""
        closed = entry.status not in PLAYS or (by_player and not entry.tournament.self_byes)
        rounds = range(0) if closed else find_own_rounds(entry).still_open(by_player=by_player)
        # The one worth most first: it is what players want.
        kinds = requestable_byes(ruleset_in_force(entry.tournament))[::-1]
        self.set_choices(
            "number", [(number, _t("Round %(number)s") % {"number": number}) for number in rounds]
        )
        self.set_choices("kind", [(kind, bye_words(f"{kind}_bye").capitalize()) for kind in kinds])
        self.can_request = self.fields["kind"].required = bool(rounds and kinds)
        self.lines = tuple(
            {**bye, "words": bye_words(f"{bye['kind']}_bye"), "can_withdraw": bye["round"] in rounds}
            for bye in entry.requested_byes
        )

    @property
    def helper(self) -> FormHelper:
        fields = Div("number", "kind", css_class="cols")
        helper = lay_out_form(fields, button(_("Request the bye"), ""))
        helper.form_show_errors = False
        return helper
