from collections.abc import Callable
from typing import Any, cast

from crispy_forms.helper import FormHelper
from crispy_forms.layout import HTML
from django import forms
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from tournament.forms.event_fields import EventForm
from tournament.models import RulesetVersion, Staff, Tournament
from tournament.ruleset_library.games import ANY, usual_minutes, usual_ruleset
from tournament.ruleset_library.rule_fields import (
    confidence_in_words,
    is_game_for_two,
    is_unverified,
    pairing_note,
)
from tournament.ruleset_library.versions import newest_versions
from tournament.rulesets import is_preset, resolve
from tournament.web.keyed_forms import LARGEST, LONGEST_REASON, BareHiddenInput, KeyedForm, KeyField
from tournament.web.layouts import Details, PlainForm, button, helper_of, link


class NewEventForm(EventForm):
    FIRST = ("name", "game", "ruleset")
    MORE = "starts_at time_zone venue rounds_planned cut round_minutes best_of team listed".split()
    names = (*FIRST, *MORE)
    ruleset = forms.ChoiceField(
        label=_("Ruleset"), required=False, help_text=_("You can change it until round 1 is published.")
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["starts_at"].help_text = _("In the event's time zone. If empty, now.")
        self.fields["round_minutes"].help_text = _("If empty, the game's usual length, such as 50 for Magic.")
        rulesets = [ruleset for ruleset in newest_versions() if is_game_for_two(ruleset.profile)]
        choices = [("", usual_ruleset_words(self["game"].value() or "")), *ruleset_choices(rulesets)]
        cast("forms.ChoiceField", self.fields["ruleset"]).choices = choices

    @property
    def helper(self) -> FormHelper:
        words = HTML('{% include "tournament/events/_ruleset_words.html" %}')
        more = Details(_("Start, venue, rounds, cut, clock"), *self.MORE, opened=self.is_bound)
        return helper_of(*self.FIRST, words, more, button(_("Create the event")), tag=False)

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
    """Return choices of rulesets: built-in, custom, unverified. `value`: what a choice sends."""
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


class EventCopyForm(PlainForm, EventForm):
    names = ("name", "starts_at")
    send = _("Create the event")
    css = "panel p-4"

    def __init__(self, *args: Any, zone: str, staff: list[Staff] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, zone=zone, **kwargs)
        self.staff = staff or []
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
    archived = forms.BooleanField(required=False, widget=forms.HiddenInput)

    def __init__(self, data: Any = None, *, event: Tournament) -> None:
        super().__init__(data, initial={"archived": not event.archived})
        self.event = event

    @property
    def helper(self) -> FormHelper:
        archived = self.event.archived
        text = _("Take out of the archive") if archived else _("Archive the event")
        keep = _("Leave it in the archive") if archived else _("Keep it in the lists")
        return helper_of(button(text), link(keep, reverse("event-settings", args=[self.event.slug])))


class DeleteForm(forms.Form):
    key = KeyField()
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
        return helper_of("name", button(_("Delete permanently"), "btn-outline-danger"), back)


class RestoreForm(KeyedForm):
    """A reason; `seen`: the event's revision when the differences were shown; `occasion`: the snapshot in words."""

    seen = forms.IntegerField(min_value=0, max_value=LARGEST, widget=BareHiddenInput)
    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON - 100,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("The staff can read it in the log. For example: round 5 was paired by mistake."),
    )

    def __init__(self, *args: Any, occasion: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.occasion = occasion

    @property
    def helper(self) -> FormHelper:
        return helper_of("reason", button(_("Restore over this event"), "btn-outline-danger"))

    def show_again(self, seen: int) -> None:
        self.data = {**{name: self.data[name] for name in self.data}, "seen": seen}

    def fields_for_service(self) -> dict[str, Any]:
        fields = super().fields_for_service()
        return {**fields, "reason": f"{self.occasion}: {fields['reason']}"}
