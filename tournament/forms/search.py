"""Search boxes, sent by GET; no input is an error."""

from collections.abc import Sequence
from typing import Any, cast
from urllib.parse import urlencode

from crispy_forms.bootstrap import FieldWithButtons
from crispy_forms.helper import FormHelper
from crispy_forms.layout import Field
from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.text.clean import FAR_TOO_LONG, clean_name
from tournament.web.keyed_forms import MOST_STAGES, BareHiddenInput
from tournament.web.layouts import button, helper_of

LONGEST = 80  # characters
LINE = "d-flex flex-wrap gap-2 align-items-start"


class SearchField(forms.CharField):
    def __init__(self, longest: int = LONGEST, **attrs: Any) -> None:
        attrs |= {"type": "search", "maxlength": longest, "autocomplete": "off"}
        super().__init__(required=False, widget=forms.TextInput(attrs=attrs))
        self.longest = longest

    def to_python(self, value: Any) -> str:
        return clean_name(str(value or "")[: FAR_TOO_LONG * self.longest])[: self.longest]

    def bound_data(self, data: Any, initial: Any) -> str:
        return self.to_python(data)


class SearchForm(forms.Form):
    """A search box and its buttons. The label is for screen readers, the placeholder for everybody else."""

    q = SearchField()
    label: Any
    placeholder: Any
    method = "get"
    extra: tuple[Any, ...] = ()  # parts between the box and the buttons
    buttons: tuple[Any, ...] = (button(_("Find"), "btn-outline-secondary"),)

    def __init__(self, data: Any = None, *, action: str = "") -> None:
        super().__init__(data or {}, auto_id="%s")
        self.action = action
        self.fields["q"].label = self.label
        self.fields["q"].widget.attrs["placeholder"] = self.placeholder

    @property
    def helper(self) -> FormHelper:
        box = Field("q", wrapper_class="flex-fill")
        parts = (box, *self.extra, *self.buttons)
        helper = helper_of(*parts, action=self.action, method=self.method, css=LINE, role="search")
        helper.label_class = "visually-hidden"
        return helper

    @property
    def words(self) -> str:
        return self._clean_value("q")

    def _clean_value(self, name: str) -> str:
        self.is_valid()  # cleans the fields, once
        return str(self.cleaned_data.get(name, ""))


class EventSearchForm(SearchForm):
    label = _("Find an event by name, game or venue")
    placeholder = _("Name, game or venue")


class PlayerSearchForm(SearchForm):
    label = _("Find me by name")
    placeholder = _("three letters are enough")

    @property
    def helper(self) -> FormHelper:
        box = FieldWithButtons("q", button(_("Find"), "btn-outline-secondary"))
        return helper_of(box, action=self.action, method="get", css="find", role="search")


class LiveSearchForm(SearchForm):
    """A search while typing: `target` is the selector of the part of the page that is replaced."""

    label = _("Find a player")
    target: str

    def __init__(self, data: Any = None, *, action: str = "") -> None:
        super().__init__(data, action=action)
        self.fields["q"].widget.attrs |= {
            "hx-get": action,
            "hx-include": "closest form",
            "hx-trigger": "input changed delay:150ms",
            "hx-select": self.target,
            "hx-target": self.target,
            "hx-swap": "outerHTML",
            "hx-sync": "this:replace",
        }


class EntrySearchForm(LiveSearchForm):
    placeholder = _("Find a player by first letters")
    target = "#list"
    session = forms.IntegerField(required=False, min_value=1, max_value=MOST_STAGES, widget=BareHiddenInput)


class CheckInSearchForm(LiveSearchForm):
    """Players at check-in; Enter checks in the only one found. `kinds`: lists to choose; `swapped`: sent with a row."""

    placeholder = _("First letters")
    target = "#people"
    method = "post"
    show = forms.ChoiceField(label=_("Show"), required=False)
    extra = (
        button(_("Check in"), "btn-outline-secondary btn-lg"),
        "show",
    )  # the first button is that of Enter
    buttons = (button(_("Find"), "btn-outline-secondary", name="find", value="1"),)

    def __init__(
        self, data: Any = None, *, action: str, kinds: Sequence[tuple[str, str]], swapped: bool = False
    ) -> None:
        super().__init__(data, action=action)
        self.fields["q"].widget.attrs |= {
            "class": "form-control-lg",
            "size": 12,  # beside its button, on a phone too
            "autofocus": True,
            "hx-params": "q,show",
            "hx-select-oob": "#here-count,#show",
        }
        self.fields["show"].widget.attrs |= {"class": "form-select"}
        if swapped:
            self.fields["show"].widget.attrs["hx-swap-oob"] = "true"
        cast("forms.ChoiceField", self.fields["show"]).choices = kinds

    @property
    def helper(self) -> FormHelper:
        """Enter sends one line after the other, however fast they come."""
        helper = super().helper
        helper.attrs |= {
            "data-onebox": True,
            "hx-post": self.action,
            "hx-target": self.target,
            "hx-select": self.target,
            "hx-select-oob": "#here-count,#show,#messages",
            "hx-swap": "outerHTML",
            "hx-sync": "this:queue all",
        }
        return helper

    @property
    def kind(self) -> str:
        return self._clean_value("show")

    def address(self, **query: str) -> str:
        filled = {name: value for name, value in query.items() if value}
        return f"{self.action}?{urlencode(filled)}" if filled else self.action


class SlipSearchForm(SearchForm):
    q = SearchField(300, autofocus=True)
    label = _("Code of the match slip")
    placeholder = "4-12-K7QM"
    buttons = (button(_("Open the slip")),)
