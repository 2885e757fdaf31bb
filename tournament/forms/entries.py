from typing import Any, ClassVar, cast

from crispy_forms.helper import FormHelper
from crispy_forms.layout import Div
from django import forms
from django.core.validators import ProhibitNullCharactersValidator
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from tournament.forms.fields import TableField, TeamField
from tournament.forms.late_entries import LateEntryForm
from tournament.models import Entry
from tournament.progress.facts import ProgressFacts
from tournament.text.clean import FAR_TOO_LONG, LONGEST_NAME, clean_name, lines_of
from tournament.web.keyed_forms import LARGEST, LONGEST_REASON, KeyedForm, field_of
from tournament.web.layouts import Details, button, helper_of, link

MOST_LABELS, LONGEST_LABEL = 20, 60  # of an entry; characters of one
LONGEST_NOTES = 2000  # characters
PERSONAL = ("last_name", "alias", "display_name_only", "external_id", "contact", "notes")
ENTRY_FIELDS = ("awarded_byes", "seed_rank", "fixed_table", "rating", "rating_source", "labels")
OUTLINE = "btn-outline-secondary"


class CleanField(forms.CharField):
    """A short text without control and direction characters; limited in length as stored."""

    def to_python(self, value: Any) -> str:
        text = super().to_python(value) or ""
        ProhibitNullCharactersValidator()(text)
        if self.max_length is not None and len(text) > FAR_TOO_LONG * self.max_length:
            return text  # rejected for its length without cleaning it
        return clean_name(text)


class NameForm(KeyedForm):
    name = field_of(Entry, "name", form_class=CleanField, error_messages={"required": _("Enter a name.")})
    helper = helper_of("name", button(_("Rename"), OUTLINE), tag=False)


class LabelsField(forms.CharField):
    widget = forms.Textarea(attrs={"rows": 2, "autocomplete": "off"})

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> list[str]:
        texts = (clean_name(text) for text in lines_of(super().clean(value)))
        labels = list(dict.fromkeys(text for text in texts if text))
        if len(labels) > MOST_LABELS or any(len(label) > LONGEST_LABEL for label in labels):
            limits = {"most": MOST_LABELS, "longest": LONGEST_LABEL}
            raise forms.ValidationError(
                _("Enter at most %(most)s labels of up to %(longest)s characters each."), params=limits
            )
        return labels


class RatedForm(KeyedForm):
    rating = field_of(
        Entry,
        "rating",
        min_value=-LARGEST,
        max_value=LARGEST,
        error_messages=dict.fromkeys(
            ("invalid", "min_value", "max_value"), _("Enter a rating such as 1500.")
        ),
    )
    rating_source = field_of(
        Entry,
        "rating_source",
        form_class=CleanField,
        help_text=_("Which list and when, like “Elo, November”."),
    )
    labels = LabelsField(
        label=_("Labels, one per line"),
        required=False,
        help_text=_(
            "Public: club, team, family, age group and so on. Standings can be filtered by "
            "label. A value measured outside the matches is also a label: DSC cm=199.6"
        ),
    )


class PersonForm(KeyedForm):
    last_name = field_of(
        Entry,
        "last_name",
        form_class=CleanField,
        help_text=_("As the name ends. Lists by name then have it first: “Lee, Kim” for Kim Lee."),
    )
    alias = field_of(
        Entry,
        "alias",
        form_class=CleanField,
        help_text=_("Shown on public pages if the event shows aliases."),
    )
    display_name_only = field_of(Entry, "display_name_only")
    external_id = field_of(
        Entry,
        "external_id",
        form_class=CleanField,
        help_text=_("Tells players with the same name apart, also when a list is imported again."),
    )
    contact = field_of(
        Entry,
        "contact",
        form_class=CleanField,
        help_text=_("Email or phone. Only organizers and scorekeepers see it."),
    )
    notes = field_of(
        Entry,
        "notes",
        max_length=LONGEST_NOTES,
        widget=forms.Textarea(attrs={"rows": 2, "autocomplete": "off"}),
        help_text=_("Only organizers and scorekeepers see them."),
    )
    helper = helper_of(*PERSONAL, button(_("Save personal details"), OUTLINE), tag=False)


class PlayerForm(PersonForm, RatedForm, LateEntryForm):
    """A new player. `offers`: the URL that finds known players; `teams`: whether it is a team, with members."""

    name = CleanField(
        label=_("Name"),
        max_length=LONGEST_NAME,
        error_messages={"required": _("Enter a name.")},
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "autofocus": True}),
    )
    paid = field_of(Entry, "paid")
    team = TeamField()

    def __init__(self, *args: Any, offers: str, teams: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not teams:
            del self.fields["team"]
        self.fields["name"].widget.attrs |= {
            "hx-get": offers,
            "hx-trigger": "input changed delay:150ms",
            "hx-target": "#offered",
            "hx-sync": "this:replace",
        }

    @property
    def helper(self) -> FormHelper:  # type: ignore[override]
        search = button(_("Search regulars"), OUTLINE, formmethod="get", formnovalidate="")
        buttons = Div(button(_("Add")), search, css_class="d-flex flex-wrap gap-2 mb-3")
        more = ("paid", "rating", "rating_source", "labels", "external_id", "last_name")
        folded = Details(
            _("More about this player"),
            *more,
            "alias",
            "display_name_only",
            "contact",
            "notes",
            opened=self.is_bound,
        )
        team = ["team"] if "team" in self.fields else []
        return helper_of("name", *team, *self.late_fields, buttons, folded, tag=False)

    def fields_for_service(self) -> dict[str, Any]:
        """`known` facts and `personal` fields, without empty ones, and how to join."""
        data = super().fields_for_service()
        joining = {name: data.pop(name) for name in ("stage", "reason")}
        sent = {name: value for name, value in data.items() if value not in ("", None, [], False)}
        team = sent.pop("team", {})
        personal = {name: sent.pop(name) for name in ("name", *PERSONAL) if name in sent}
        return {"known": sent, "personal": {**personal, **team}, **joining}


class EntryForm(RatedForm):
    awarded_byes = field_of(
        Entry,
        "awarded_byes",
        max_value=9,
        help_text=_("Number of rounds, starting with round 1, that count as wins without being played."),
    )
    seed_rank = field_of(
        Entry,
        "seed_rank",
        min_value=1,
        max_value=9999,
        help_text=_("The order before round 1, if the ruleset pairs by it. 1 is the top seed."),
    )
    fixed_table = TableField(
        label=_("Fixed table"),
        required=False,
        help_text=_("This player always plays at this table. No one else is sent there."),
    )
    helper = helper_of(*ENTRY_FIELDS, button(_("Save"), OUTLINE), tag=False)


class DisqualifyForm(KeyedForm):
    why = forms.CharField(label=_("Reason"), max_length=LONGEST_REASON)
    helper = helper_of("why", button(_("Disqualify"), "btn-outline-danger"), tag=False)


class JoinForm(LateEntryForm):
    BUTTONS: ClassVar = {
        "admit": button(_("Admit now")),
        "reinstate": button(_("Reinstate")),
        "move": button(_("Move to this session"), OUTLINE),
    }

    def __init__(self, what: str, facts: ProgressFacts | None) -> None:
        """`facts`: of the event, if the entry joins late or in one of several stages."""
        super().__init__(auto_id=f"{what}-%s")
        self.what = what
        if facts:
            self.offer(facts)

    @property
    def helper(self) -> FormHelper:
        return helper_of(*self.late_fields, self.BUTTONS[self.what], tag=False)


class StaffAccountForm(KeyedForm):
    username = forms.CharField(
        label=_("This player is"),
        required=False,
        max_length=150,
        widget=forms.Select,
        help_text=_("Results that this player enters for their own matches are marked."),
    )
    helper = helper_of("username", button(_("Save staff account"), OUTLINE), tag=False)

    def __init__(self, entry: Entry, data: Any = None) -> None:
        super().__init__(data, initial={"username": entry.user.get_username() if entry.user else ""})
        members = entry.tournament.staff.order_by("user__username")
        names = members.values_list("user__username", "user__username")
        cast("forms.Select", self.fields["username"].widget).choices = [("", _("not on the staff")), *names]


class AnonymizeForm(KeyedForm):
    def __init__(self, data: Any = None, *, entry: Entry) -> None:
        super().__init__(data)
        self.entry = entry

    @property
    def helper(self) -> FormHelper:
        back = reverse("entry", args=[self.entry.tournament.slug, self.entry.code])
        send = button(_("Anonymize permanently"), "btn-outline-danger")
        return helper_of(send, link(_("Keep the name"), back))
