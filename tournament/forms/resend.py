"""A form that was sent after its sender's session had ended, to be checked and sent again."""

from crispy_forms.helper import FormHelper
from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.web.layouts import Element, button, helper_of
from tournament.web.resend import PAGE_FIELDS


class ResendForm(forms.Form):
    """The fields as they were filled in, by name. Those of the page, not of the person, stay hidden.

    `path`: the address the form was sent to, and is sent to again.
    """

    def __init__(self, path: str, values: dict[str, list[str]], number: int) -> None:
        super().__init__(auto_id=f"typed-{number}-%s")
        self.path = path
        for name, several in values.items():
            self.fields[name] = _field_of(name, several)

    @property
    def helper(self) -> FormHelper:
        """All fields, the button, and where it sends them; the page writes the form's tag."""
        names = [field.name for field in self.visible_fields()]
        to = Element("span", f" {_('to')} {self.path}", {"class": "soft"})
        return helper_of(*names, button(_("Send it now")), to, tag=False)


def _field_of(name: str, values: list[str]) -> forms.Field:
    """A field that shows these values; several of one name as ticks, each of which can be left out."""
    label = name.replace("_", " ")
    if name in PAGE_FIELDS:
        return forms.CharField(widget=forms.MultipleHiddenInput, initial=values)
    if len(values) > 1:
        return forms.MultipleChoiceField(
            label=label,
            required=False,
            choices=[(value, value) for value in values],
            initial=values,
            widget=forms.CheckboxSelectMultiple,
        )
    value = "".join(values)
    widget = forms.Textarea(attrs={"rows": 8}) if "\n" in value else forms.TextInput()
    return forms.CharField(label=label, required=False, initial=value, widget=widget)
