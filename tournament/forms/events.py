"""A new event, a copy of an earlier one, and the end of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.forms.event_fields import EventForm
from tournament.models import Ruleset, Staff
from tournament.rulebooks.field_words import confidence_in_words, is_unverified
from tournament.rulebooks.games import usual_ruleset
from tournament.rulebooks.library import newest_rulesets
from tournament.web.keyed_forms import KeyedForm


class NewEventForm(EventForm):
    """Name and game are enough: the game says the ruleset, the ruleset the rest."""

    asked = (
        "name game ruleset venue starts_at time_zone rounds_planned cut best_of team round_minutes listed"
    ).split()
    ruleset = forms.ChoiceField(
        label=_("Ruleset"), required=False, help_text=_("You can change it until round 1 is published.")
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        usual = [("", _("the game's default"))]
        self.fields["starts_at"].help_text = _("In the event's time zone. If empty, now.")
        self.fields["ruleset"].choices = [*usual, *offered(newest_rulesets())]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """Without a ruleset: the game's."""
        data = super().clean()
        if data.get("ruleset") == "":
            data["ruleset"] = usual_ruleset(data.get("game", ""))
        return data


def offered(
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
    """The ruleset's name, and how sure we are of it."""
    return f"{ruleset.name} · {confidence_in_words(ruleset.profile)}"


class AgainForm(EventForm):
    """An event like an earlier one: only what it is called, and when."""

    asked = ("name", "starts_at")
    button = _("Create the event")

    def __init__(self, *args: Any, zone: str, staff: list[Staff] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, zone=zone, **kwargs)
        if staff:
            names = ", ".join(map(str, staff))
            self.fields["with_staff"] = forms.BooleanField(
                label=_("Include its staff"), required=False, initial=True, help_text=names
            )


class TemplateForm(KeyedForm):
    """A name under which an event's settings are kept."""

    button = _("Save as a template")
    name = forms.CharField(label=_("Template name"), max_length=120)


class DeleteForm(forms.Form):
    """The event's name, typed."""

    name = forms.CharField(
        label=_("Type the event's name to delete it"),
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
