"""Form fields that several pages share."""

import re
from collections.abc import Mapping
from typing import Any

from django import forms
from django.forms.fields import InvalidJSONInput
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

from tournament.errors import Refused
from tournament.event.table_plan import LAST_TABLE, NO_PLAN, TablePlan, find_table
from tournament.event.teams import build_team
from tournament.event.types import FEWEST_MEMBERS, MOST_MEMBERS
from tournament.models import Entry
from tournament.text import LONGEST_NAME
from tournament.web.keyed_forms import BareHiddenInput, KeyedForm


class TableField(forms.CharField):
    """A table, such as "12" or "Feature 1". Cleans to its number, by the plan set with `use_plan`."""

    plan = NO_PLAN

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=40, widget=forms.TextInput(attrs={"autocomplete": "off"}), **kwargs)

    def prepare_value(self, value: Any) -> Any:
        return self.plan.name(value) if isinstance(value, int) else value

    def clean(self, value: Any) -> int | None:
        text = super().clean(value).strip()
        number = _parse_table_number(text, self.plan)
        if text and not number:
            raise forms.ValidationError(_("Enter a table by its number or its name in the table plan."))
        return number or None


class SeenField(forms.JSONField):
    """The settings that the page showed."""

    def __init__(self) -> None:
        super().__init__(required=False, widget=BareHiddenInput)

    def clean(self, value: Any) -> dict[str, Any]:
        try:
            seen = super().clean(value) or {}
        except (forms.ValidationError, ValueError, RecursionError):
            seen = None
        if not isinstance(seen, dict):
            raise forms.ValidationError(_("This form did not arrive intact. Reload the page."))
        return seen

    def bound_data(self, data: Any, initial: Any) -> Any:
        return InvalidJSONInput(data or "")  # shown again as it was sent


def use_plan(form: forms.BaseForm, plan: TablePlan) -> None:
    for field in form.fields.values():
        if isinstance(field, TableField):
            field.plan = plan


def _parse_table_number(text: str, plan: TablePlan) -> int:
    number, rest = find_table(plan, text) or (0, "")
    if re.fullmatch(r"\d{1,4}", text, re.ASCII):
        number, rest = int(text), ""
    return number if not rest and 1 <= number <= LAST_TABLE else 0


DIGITS = frozenset("123456")


class CaptainInput(forms.widgets.Input):
    input_type = "radio"


class TeamWidget(forms.Widget):
    """One line per member, sent as `members` in order, and a choice of the `captain`, from 1."""

    use_fieldset = True

    def id_for_label(self, id_: str) -> str:
        """Return "", because the fieldset has a legend."""
        return ""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> dict[str, Any]:
        """Return the submitted lines. A captain that is not a number is ignored."""
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
        return render_to_string("look/team.html", {"rows": rows, "refused": refused})

    def _row(self, number: int, text: str, is_captain: bool, prefix: str) -> dict[str, Any]:
        about = {"maxlength": LONGEST_NAME, "autocomplete": "off", "spellcheck": "false"}
        about |= {"class": "input", "aria-label": _t("Member %(n)s") % {"n": number}}
        captain = f"{prefix}-captain-{number}"
        chosen = {"id": captain, "class": "form-check-input", "checked": is_captain}
        return {
            "number": number,
            "name": forms.TextInput().render("members", text, {**about, "id": f"{prefix}-{number}"}),
            "captain": CaptainInput().render("captain", number, chosen),
            "id": captain,
        }


class TeamField(forms.Field):
    """The members of a team. Cleans to the entry's `members` and `captain`."""

    widget = TeamWidget

    def __init__(self) -> None:
        help_text = _("%(fewest)s to %(most)s names in order, or none.")
        sizes = {"fewest": FEWEST_MEMBERS, "most": MOST_MEMBERS}
        super().__init__(label=_("Team members"), required=False, help_text=help_text % sizes)

    def clean(self, value: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return build_team(value["members"], value["captain"])
        except Refused as error:
            raise forms.ValidationError(str(error)) from None


class TeamForm(KeyedForm):
    team = TeamField()
    send, look = _("Save team"), ""

    def fields_for_service(self) -> dict[str, Any]:
        team: dict[str, Any] = self.cleaned_data["team"]
        return team


def team_initial(entry: Entry) -> dict[str, Any]:
    return {"team": {"members": entry.members, "captain": entry.captain}}
