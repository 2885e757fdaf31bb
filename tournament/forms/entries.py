"""Forms of entries: add, join late, select several, check in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from crispy_forms.helper import FormHelper
from crispy_forms.layout import Div
from django import forms
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from tournament.forms.fields import TableField, TeamField
from tournament.models import Entry
from tournament.progress.flights import Flight
from tournament.progress.next_step import ProgressFacts
from tournament.services.entries import MOST_PLAYERS
from tournament.text import clean_name, split_lines
from tournament.web.keyed_forms import (
    LARGEST,
    LONGEST_REASON,
    CodesField,
    Details,
    Element,
    KeyedForm,
    SessionField,
    build_column_field,
    button,
    lay_out_form,
)


class LateEntryForm(KeyedForm):
    """A form that adds entries. Call `offer` before rendering it."""

    session = SessionField()
    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        max_length=LONGEST_REASON,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text=_("Needed only if the ruleset no longer allows late entries."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.late_fields: list[str] = []  # for the layout

    def offer(self, facts: ProgressFacts, *, chosen: int | None = None, missed_as: str = "") -> None:
        """Ask for a stage if several are open, and for a reason if rounds were missed (`missed_as`: their result)."""
        if facts.flights:
            choices = [(flight.number, _describe_flight(flight, missed_as)) for flight in facts.flights]
            self.fields["session"].widget = forms.Select(choices=choices)
            self.initial["session"] = chosen or (facts.stage and facts.stage.number)
            self.late_fields = ["session", "reason"]
        elif facts.missed_rounds:
            self.late_fields = ["reason"]

    def fields_for_service(self) -> dict[str, Any]:
        fields = super().fields_for_service()
        return {"stage": fields.pop("session"), **fields}


class TickBoxes(forms.CheckboxSelectMultiple):
    """Checkboxes in the rows of a list, each labeled for screen readers with its row's name."""

    def create_option(self, name: str, value: Any, label: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option = super().create_option(name, value, label, *args, **kwargs)
        words = _t("Select %(name)s") % {"name": label}
        option["attrs"] = {"aria-label": words, "form": "selection", "id": f"select-{value}"}
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
    """The selected players, or all that the search found on every page. `do`: the action."""

    WHAT = (("check-in", _("Check in")), ("paid", _("Mark as paid")), ("remove", _("Remove")))

    codes = TickedField(required=False)
    everyone = forms.BooleanField(required=False)
    do = forms.ChoiceField(
        choices=WHAT, error_messages={"required": _("Nothing was selected. Use a button below the list.")}
    )

    @classmethod
    def shown(cls, people: Sequence[tuple[str, str]], found: int) -> SelectionForm:
        form = cls()
        form.set_choices("codes", people)
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
        buttons = [button(label, "", name="do", value=value) for value, label in self.WHAT]
        words = Element("span", _("With the selected players:"), {"class": "soft align-self-center"})
        everyone = ["everyone"] if "everyone" in self.fields else []
        return lay_out_form(Div(words, *buttons, css_class="cluster"), *everyone, tag=False)


class NoShowsForm(LateEntryForm):
    codes = CodesField()


def _describe_flight(flight: Flight, missed_as: str) -> str:
    players = ngettext("%(n)s player", "%(n)s players", flight.players) % {"n": flight.players}
    parts = [flight.name, players]
    if missed := flight.missed_rounds:
        late = ngettext("%(n)s round is already published", "%(n)s rounds are already published", missed)
        parts.append(late % {"n": missed} + (f": {missed_as}" if missed_as else ""))
    return " · ".join(parts)


MOST_LABELS, LONGEST_LABEL = 20, 60  # of an entry; characters of one
LONGEST_NOTES = 2000  # characters
PERSONAL = ("last_name", "alias", "display_name_only", "external_id", "contact", "notes")


class NameForm(KeyedForm):
    name = build_column_field(Entry, "name", error_messages={"required": _("Enter a name.")})
    send, look = _("Rename"), ""


class LabelsField(forms.CharField):
    widget = forms.Textarea(attrs={"rows": 2, "autocomplete": "off"})

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> list[str]:
        texts = (clean_name(text) for text in split_lines(super().clean(value)))
        labels = list(dict.fromkeys(text for text in texts if text))
        if len(labels) > MOST_LABELS or any(len(label) > LONGEST_LABEL for label in labels):
            limits = {"most": MOST_LABELS, "longest": LONGEST_LABEL}
            raise forms.ValidationError(
                _("Enter at most %(most)s labels of up to %(longest)s characters each."), params=limits
            )
        return labels


class RatedForm(KeyedForm):
    rating = build_column_field(
        Entry, "rating", min_value=-LARGEST, max_value=LARGEST, words=_("Enter a rating such as 1500.")
    )
    rating_source = build_column_field(
        Entry, "rating_source", help_text=_("Which list and when, like “Elo, November”.")
    )
    labels = LabelsField(
        label=_("Labels, one per line"), required=False, help_text=_("Public, such as club or age group.")
    )


class PersonForm(KeyedForm):
    last_name = build_column_field(
        Entry, "last_name", help_text=_("Lists by name then show “Lee, Kim” for Kim Lee.")
    )
    alias = build_column_field(Entry, "alias", help_text=_("Shown in public if the event shows aliases."))
    display_name_only = build_column_field(Entry, "display_name_only")
    external_id = build_column_field(Entry, "external_id")
    contact = build_column_field(
        Entry, "contact", label=_("Email or phone"), help_text=_("Organizers and scorekeepers only.")
    )
    notes = build_column_field(
        Entry,
        "notes",
        max_length=LONGEST_NOTES,
        widget=forms.Textarea(attrs={"rows": 2, "autocomplete": "off"}),
    )

    @property
    def helper(self) -> FormHelper:
        short = Div("last_name", "alias", "external_id", "contact", css_class="fields two")
        return lay_out_form(short, "display_name_only", "notes", button(_("Save"), ""))


class PlayerForm(NameForm, PersonForm, RatedForm, LateEntryForm):
    """A new player. `offers`: the URL that finds known players; `teams`: whether entries are teams with members."""

    paid = build_column_field(Entry, "paid")
    team = TeamField()

    def __init__(self, *args: Any, offers: str, teams: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not teams:
            del self.fields["team"]
        self.fields["name"].widget.attrs |= {
            "autocomplete": "off",
            "spellcheck": "false",
            "autofocus": True,
            "hx-get": offers,
            "hx-trigger": "input changed delay:150ms",
            "hx-target": "#offered",
            "hx-sync": "this:replace",
        }

    @property
    def helper(self) -> FormHelper:
        search = button(_("Search regulars"), "", formmethod="get", formnovalidate="")
        buttons = Div(button(_("Add")), search, css_class="cluster")
        facts = ("paid", "rating", "rating_source", "labels", "external_id", "last_name")
        more = (*facts, "alias", "display_name_only", "contact", "notes")
        folded = Details(_("More about this player"), *more, opened=self.is_bound)
        team = ["team"] if "team" in self.fields else []
        return lay_out_form("name", *team, *self.late_fields, buttons, folded)

    def fields_for_service(self) -> dict[str, Any]:
        """The `known` facts and `personal` fields that are not empty, and how to join."""
        data = super().fields_for_service()
        joining = {name: data.pop(name) for name in ("stage", "reason")}
        sent = {name: value for name, value in data.items() if value not in ("", None, [], False)}
        team = sent.pop("team", {})
        personal = {name: sent.pop(name) for name in ("name", *PERSONAL) if name in sent}
        return {"known": sent, "personal": {**personal, **team}, **joining}


class EntryForm(RatedForm):
    awarded_byes = build_column_field(
        Entry, "awarded_byes", max_value=9, help_text=_("Rounds from round 1 on.")
    )
    seed_rank = build_column_field(
        Entry, "seed_rank", min_value=1, max_value=9999, help_text=_("1 is the top seed.")
    )
    fixed_table = TableField(label=_("Fixed table"), required=False)
    field_order = ("awarded_byes", "seed_rank", "fixed_table")
    send, look = _("Save"), ""


class DisqualifyForm(KeyedForm):
    why = forms.CharField(label=_("Reason"), max_length=LONGEST_REASON)
    send, look = _("Disqualify"), "danger"


class JoinForm(LateEntryForm):
    BUTTONS: ClassVar = {
        "admit": button(_("Admit now")),
        "reinstate": button(_("Reinstate")),
        "move": button(_("Move to this session"), ""),
    }

    def __init__(self, what: str, facts: ProgressFacts | None) -> None:
        """`facts`: of the event, if the entry joins late or in one of several stages."""
        super().__init__(auto_id=f"{what}-%s")
        self.what = what
        if facts:
            self.offer(facts)

    @property
    def helper(self) -> FormHelper:
        return lay_out_form(*self.late_fields, self.BUTTONS[self.what])


class StaffAccountForm(KeyedForm):
    username = forms.CharField(label=_("This player is"), required=False, max_length=150, widget=forms.Select)
    send, look = _("Save staff account"), ""

    def __init__(self, entry: Entry, data: Any = None) -> None:
        super().__init__(data, initial={"username": entry.user.get_username() if entry.user else ""})
        members = entry.tournament.staff.order_by("user__username")
        names = members.values_list("user__username", "user__username")
        self.set_choices("username", [("", _("not on the staff")), *names])
