"""A new event, a copy of an earlier one, a template, and deleting an event."""

from collections.abc import Callable
from typing import Any, cast

from crispy_forms.helper import FormHelper
from crispy_forms.layout import HTML
from django import forms
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from tournament.forms.event_fields import EventForm
from tournament.models import Ruleset, Staff, Tournament
from tournament.rulebooks.games import usual_ruleset
from tournament.rulebooks.library import newest_rulesets
from tournament.rulebooks.rule_fields import confidence_in_words, is_unverified
from tournament.web.keyed_forms import KeyedForm
from tournament.web.layouts import Details, PlainForm, button, helper_of, link


class NewEventForm(EventForm):
    """Name and game are enough: the game chooses the ruleset, and the ruleset the rest."""

    FIRST = ("name", "game", "ruleset")
    MORE = "starts_at time_zone venue rounds_planned cut round_minutes best_of team listed".split()
    names = (*FIRST, *MORE)
    ruleset = forms.ChoiceField(
        label=_("Ruleset"), required=False, help_text=_("You can change it until round 1 is published.")
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        usual = [("", _("the game's default"))]
        self.fields["starts_at"].help_text = _("In the event's time zone. If empty, now.")
        choices = [*usual, *ruleset_choices(newest_rulesets())]
        cast("forms.ChoiceField", self.fields["ruleset"]).choices = choices

    @property
    def helper(self) -> FormHelper:
        """What is enough, the chosen ruleset in words, and the rest folded away."""
        words = HTML('{% include "tournament/events/_ruleset_words.html" %}')
        more = Details(_("Start, venue, rounds, cut, clock"), *self.MORE, opened=self.is_bound)
        return helper_of(*self.FIRST, words, more, button(_("Create the event")), tag=False)

    def clean(self) -> dict[str, Any]:
        """The game's ruleset, if none was chosen."""
        data = super().clean()
        if data.get("ruleset") == "":
            data["ruleset"] = usual_ruleset(data.get("game", ""))
        return data

    def fields_for_service(self) -> dict[str, Any]:
        """What was filled in; the rest keeps its default."""
        return {name: value for name, value in super().fields_for_service().items() if value != ""}


def ruleset_choices(
    rulesets: list[Ruleset], value: Callable[[Ruleset], str] = lambda ruleset: ruleset.key
) -> list[tuple[str, list[tuple[str, str]]]]:
    """Rulesets to choose from, grouped by publisher; unverified ones come last, in a group of their own.

    `value`: what a choice sends, the key unless another.
    """
    groups: dict[str, list[tuple[str, str]]] = {str(_("Built in")): []}
    unverified: list[tuple[str, str]] = []
    for ruleset in rulesets:
        choice = (value(ruleset), ruleset_label(ruleset))
        publisher = ruleset.rulebook.publisher
        if is_unverified(ruleset.profile):
            unverified.append(choice)
        elif publisher is None:
            groups[str(_("Built in"))].append(choice)
        else:
            groups.setdefault(publisher.name, []).append(choice)
    return [*groups.items(), (str(_("Unverified: check before you rely on them")), unverified)]


def ruleset_label(ruleset: Ruleset) -> str:
    """The ruleset's name, and how well it is verified."""
    return f"{ruleset.name} · {confidence_in_words(ruleset.profile)}"


class EventCopyForm(PlainForm, EventForm):
    """An event like an earlier one: its name, when it starts, and whether it takes that event's `staff` along."""

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


class TemplateForm(KeyedForm):
    """A name to save an event's settings under."""

    name = forms.CharField(label=_("Template name"), max_length=120)
    helper = helper_of("name", button(_("Save as a template"), "btn-outline-secondary"), tag=False)


class ArchiveForm(KeyedForm):
    """Archive an event, or take it out of the archive: what the page asked."""

    archived = forms.BooleanField(required=False, widget=forms.HiddenInput)

    def __init__(self, data: Any = None, *, event: Tournament) -> None:
        super().__init__(data, initial={"archived": not event.archived})
        self.event = event

    @property
    def helper(self) -> FormHelper:
        """The button, and the way back."""
        archived = self.event.archived
        text = _("Take out of the archive") if archived else _("Archive the event")
        keep = _("Leave it in the archive") if archived else _("Keep it in the lists")
        return helper_of(button(text), link(keep, reverse("event-settings", args=[self.event.slug])))


class DeleteForm(forms.Form):
    """The name of the event that is to be deleted. `event`: the event itself."""

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
        """The name, the button, and the way back."""
        back = link(_("Keep the event"), reverse("event-settings", args=[self.event.slug]))
        return helper_of("name", button(_("Delete permanently"), "btn-outline-danger"), back)
