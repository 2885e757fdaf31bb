"""Form fields and search forms that several pages share."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast
from urllib.parse import urlencode

from crispy_forms.bootstrap import FieldWithButtons
from crispy_forms.helper import FormHelper
from crispy_forms.layout import Field
from django import forms
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

from tournament.errors import Refused
from tournament.event.table_plan import LAST_TABLE, NO_PLAN, TablePlan, find_table
from tournament.event.teams import team_of
from tournament.event.types import FEWEST_MEMBERS, MOST_MEMBERS
from tournament.models import Entry
from tournament.text import FAR_TOO_LONG, LONGEST_NAME, clean_name
from tournament.web.keyed_forms import MOST_STAGES, BareHiddenInput, KeyedForm, button, helper_of


class TableField(forms.CharField):
    """A table, such as "12" or "Feature 1". Cleans to its number by the plan of `use_plan`."""

    plan = NO_PLAN

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=40, widget=forms.TextInput(attrs={"autocomplete": "off"}), **kwargs)

    def prepare_value(self, value: Any) -> Any:
        return self.plan.name(value) if isinstance(value, int) else value

    def clean(self, value: Any) -> int | None:
        text = super().clean(value).strip()
        number = _number_of(text, self.plan)
        if text and not number:
            raise forms.ValidationError(_("Enter a table by its number or its name in the table plan."))
        return number or None


def use_plan(form: forms.BaseForm, plan: TablePlan) -> None:
    for field in form.fields.values():
        if isinstance(field, TableField):
            field.plan = plan


def _number_of(text: str, plan: TablePlan) -> int:
    number, rest = find_table(plan, text) or (0, "")
    if re.fullmatch(r"\d{1,4}", text, re.ASCII):
        number, rest = int(text), ""
    return number if not rest and 1 <= number <= LAST_TABLE else 0


DIGITS = frozenset("123456")


class CaptainInput(forms.widgets.Input):
    input_type = "radio"


class TeamWidget(forms.Widget):
    """A line per member, sent as `members` in order, with the choice of the `captain`, from 1."""

    use_fieldset = True

    def id_for_label(self, id_: str) -> str:
        """Return "": the fieldset has a legend."""
        return ""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> dict[str, Any]:
        """Return the submitted lines; a captain that is not a number counts as none."""
        captain = data.get("captain", "1")
        members = data.getlist("members") if hasattr(data, "getlist") else data.get("members", [])
        return {"members": members, "captain": int(captain) if captain in DIGITS else 0}

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        team = value or {"members": [], "captain": 1}
        lines = [*team["members"], *[""] * MOST_MEMBERS][: max(MOST_MEMBERS, len(team["members"]))]
        rows = [
            self._row(number, text, number == team["captain"], (attrs or {}).get("id") or name)
            for number, text in enumerate(lines, start=1)
        ]
        refused = "is-invalid" in self.attrs.get("class", "")
        return render_to_string("layouts/team.html", {"rows": rows, "refused": refused})

    def _row(self, number: int, text: str, is_captain: bool, prefix: str) -> dict[str, Any]:
        about = {"maxlength": LONGEST_NAME, "autocomplete": "off", "spellcheck": "false"}
        about |= {"class": "form-control", "aria-label": _t("Member %(n)s") % {"n": number}}
        captain = f"{prefix}-captain-{number}"
        chosen = {"id": captain, "class": "form-check-input", "checked": is_captain}
        return {
            "number": number,
            "name": forms.TextInput().render("members", text, {**about, "id": f"{prefix}-{number}"}),
            "captain": CaptainInput().render("captain", number, chosen),
            "id": captain,
        }


class TeamField(forms.Field):
    """The members of a team; cleaned to the entry's `members` and `captain`."""

    widget = TeamWidget

    def __init__(self) -> None:
        help_text = _("%(fewest)s to %(most)s names in order, or none.")
        sizes = {"fewest": FEWEST_MEMBERS, "most": MOST_MEMBERS}
        super().__init__(label=_("Team members"), required=False, help_text=help_text % sizes)

    def clean(self, value: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return team_of(value["members"], value["captain"])
        except Refused as error:
            raise forms.ValidationError(str(error)) from None


class TeamForm(KeyedForm):
    team = TeamField()
    helper = helper_of("team", button(_("Save team"), "btn-outline-secondary"), tag=False)

    def fields_for_service(self) -> dict[str, Any]:
        team: dict[str, Any] = self.cleaned_data["team"]
        return team


def team_initial(entry: Entry) -> dict[str, Any]:
    return {"team": {"members": entry.members, "captain": entry.captain}}


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
