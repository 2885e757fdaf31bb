from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from crispy_forms.helper import FormHelper
from crispy_forms.layout import Div
from django import forms
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from tournament.forms.late_entries import LateEntryForm
from tournament.players.checkin_list import ExpectedPlayer
from tournament.services.entries import MOST_PLAYERS
from tournament.web.keyed_forms import CodesField, KeyedForm
from tournament.web.layouts import Element, button, helper_of, link


class TickBoxes(forms.CheckboxSelectMultiple):
    """Checkboxes in the rows of a list, each named for screen readers by its row."""

    def create_option(self, name: str, value: Any, label: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option = super().create_option(name, value, label, *args, **kwargs)
        words = _t("Select %(name)s") % {"name": label}
        option["attrs"] = {
            "class": "form-check-input",
            "aria-label": words,
            "form": "selection",
            "id": f"select-{value}",
        }
        return option


class TickedField(forms.MultipleChoiceField):
    """The selected codes, even if they are no longer listed."""

    widget = TickBoxes

    def validate(self, value: list[str]) -> None:
        if len(value) > MOST_PLAYERS:
            raise forms.ValidationError(_("This form did not arrive intact. Reload the page."))

    def to_python(self, value: Any) -> list[str]:
        return [code.replace("\x00", "") for code in super().to_python(value)]


class SelectionForm(KeyedForm):
    """The selected players, or all that the search finds on every page; `do`: what is done with them."""

    WHAT = (("check-in", _("Check in")), ("paid", _("Mark as paid")), ("remove", _("Remove")))

    codes = TickedField(required=False)
    everyone = forms.BooleanField(required=False)
    do = forms.ChoiceField(
        choices=WHAT, error_messages={"required": _("Nothing was selected. Use a button above the list.")}
    )

    @classmethod
    def shown(cls, people: Iterable[tuple[str, str]], found: int) -> SelectionForm:
        form = cls()
        form.fields["codes"].choices = people = list(people)  # type: ignore[attr-defined]
        if found > len(people):
            form.fields["everyone"].label = ngettext(
                "The %(count)s player in this list, on every page",
                "All %(count)s players in this list, on every page",
                found,
            ) % {"count": found}
        else:
            del form.fields["everyone"]
        return form

    @property
    def helper(self) -> FormHelper:
        buttons = [
            button(label, "btn-outline-secondary", name="do", value=value) for value, label in self.WHAT
        ]
        words = Element("span", _("With the selected players:"), {"class": "soft align-self-center"})
        everyone = ["everyone"] if "everyone" in self.fields else []
        return helper_of(Div(words, *buttons, css_class="d-flex flex-wrap gap-2 mb-2"), *everyone, tag=False)


class NoShowsForm(LateEntryForm):
    helper: FormHelper
    codes = CodesField()

    @classmethod
    def shown(cls, absent: Sequence[ExpectedPlayer], session: int | None, back: str) -> NoShowsForm:
        form = cls(initial={"codes": [person.code for person in absent], "session": session})
        text = ngettext("Withdraw %(count)s no-show", "Withdraw %(count)s no-shows", len(absent))
        send = button(text % {"count": len(absent)}, "btn-danger")
        back_link = link(_("Back to the check-in"), back, "btn btn-outline-secondary")
        form.helper = helper_of(send, back_link, css="d-flex flex-wrap gap-2 mb-3")
        return form
