"""Who plays: a pasted list, one more, and what is changed about one entry."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.errors import Refused
from tournament.services.entries import parse_names
from tournament.text.clean import LONGEST_NAME, clean_name
from tournament.web.keyed_forms import LARGEST, KeyedForm, SessionField

LONGEST_LIST = 500_000  # characters
MOST_LABELS, LONGEST_LABEL = 20, 60  # of an entry; characters of one
LONGEST_SOURCE, LONGEST_NUMBER, LONGEST_CONTACT, LONGEST_NOTES = 40, 60, 120, 2000
PERSONAL = ("alias", "external_id", "contact", "notes")


class NamesForm(KeyedForm):
    """A list of names, one a line. `cleaned_data["names"]` is the list."""

    session = SessionField()
    names = forms.CharField(
        label=_("Names, one per line"),
        max_length=LONGEST_LIST,
        error_messages={"required": _("Nothing was added. Enter one name per line.")},
        widget=forms.Textarea(attrs={"rows": 6, "autocomplete": "off", "spellcheck": "false"}),
    )
    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        max_length=500,
        help_text=_("Needed only if the ruleset no longer allows late entries."),
    )

    def clean_names(self) -> list[str]:
        try:
            return parse_names(self.cleaned_data["names"])
        except Refused as error:
            raise forms.ValidationError(str(error)) from None


class NameForm(KeyedForm):
    """Another name for an entry."""

    name = forms.CharField(label=_("Name"), max_length=LONGEST_NAME)

    def clean_name(self) -> str:
        name = clean_name(self.cleaned_data["name"])
        if not name:
            raise forms.ValidationError(_("Enter a name."))
        return name


class LabelsField(forms.CharField):
    """Labels, one a line; cleaned to a list, each once."""

    def __init__(self) -> None:
        super().__init__(
            label=_("Labels, one per line"),
            required=False,
            widget=forms.Textarea(attrs={"rows": 2, "autocomplete": "off"}),
            help_text=_(
                "Public: club, team, family, age group and so on. Standings can be filtered by "
                "label. A value measured outside the matches is also a label: DSC cm=199.6"
            ),
        )

    def clean(self, value: Any) -> list[str]:
        return clean_labels(super().clean(value).splitlines())


def clean_labels(texts: Iterable[str]) -> list[str]:
    """Labels as they are stored. Raises ValidationError for too many or too long ones."""
    cleaned = (clean_name(text) for text in texts)
    labels = list(dict.fromkeys(label for label in cleaned if label))
    if len(labels) > MOST_LABELS or any(len(label) > LONGEST_LABEL for label in labels):
        limits = {"most": MOST_LABELS, "longest": LONGEST_LABEL}
        raise forms.ValidationError(
            _("Enter at most %(most)s labels of up to %(longest)s characters each."), params=limits
        )
    return labels


class CleanField(forms.CharField):
    """A short text without control and direction characters."""

    def to_python(self, value: Any) -> str:
        return clean_name(super().to_python(value) or "")


def rating_field() -> forms.IntegerField:
    return forms.IntegerField(label=_("Rating"), required=False, min_value=-LARGEST, max_value=LARGEST)


def rating_source_field() -> CleanField:
    return CleanField(
        label=_("Rating source"),
        required=False,
        max_length=LONGEST_SOURCE,
        help_text=_("Which list and when, like “Elo, November”."),
    )


class PersonForm(KeyedForm):
    """What is personal besides the name: for the owner and scorekeepers, never in the log."""

    alias = CleanField(
        label=_("Alias"),
        required=False,
        max_length=LONGEST_NAME,
        help_text=_("Shown on public pages if the event shows aliases."),
    )
    external_id = CleanField(
        label=_("Membership number"),
        required=False,
        max_length=LONGEST_NUMBER,
        help_text=_("Tells players with the same name apart, also when a list is imported again."),
    )
    contact = CleanField(
        label=_("Contact"),
        required=False,
        max_length=LONGEST_CONTACT,
        help_text=_("Email or phone. Only organizers and scorekeepers see it."),
    )
    notes = forms.CharField(
        label=_("Notes for staff"),
        required=False,
        max_length=LONGEST_NOTES,
        widget=forms.Textarea(attrs={"rows": 2, "autocomplete": "off"}),
        help_text=_("Only organizers and scorekeepers see them."),
    )

    @staticmethod
    def initial_of(entry: Any) -> dict[str, Any]:
        """The fields as they are saved."""
        return {name: getattr(entry, name) for name in PERSONAL}


class PlayerForm(PersonForm):
    """One player to be registered. Only the name is needed."""

    field_order = ["name", "rating", "rating_source", "labels", "external_id", "alias", "contact", "notes"]
    name = CleanField(
        label=_("Name"),
        max_length=LONGEST_NAME,
        error_messages={"required": _("Enter a name.")},
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "autofocus": True}),
    )
    session = SessionField()
    rating = rating_field()
    rating_source = rating_source_field()
    labels = LabelsField()
    paid = forms.BooleanField(label=_("Paid"), required=False)
    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        max_length=500,
        help_text=_("Needed only if the ruleset no longer allows late entries."),
    )

    def __init__(self, *args: Any, offers: str = "", **kwargs: Any) -> None:
        """`offers`: the address that offers regulars while the name is typed."""
        super().__init__(*args, **kwargs)
        trigger = "input changed delay:150ms"
        if offers:
            asks = {
                "hx-get": offers,
                "hx-trigger": trigger,
                "hx-target": "#offered",
                "hx-sync": "this:replace",
            }
            self.fields["name"].widget.attrs.update(asks)

    def known_and_personal(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """(facts, personal fields) for the service; what was left empty keeps its default."""
        data = {
            name: value for name, value in self.cleaned_data.items() if value not in ("", None, [], False)
        }
        about = ("rating", "rating_source", "labels", "paid")
        known: dict[str, Any] = {name: data[name] for name in about if name in data}
        return known, {name: data[name] for name in ("name", *PERSONAL) if name in data}


class EntryForm(KeyedForm):
    """What pairing and standings need to know of an entry. `cleaned_data["labels"]` is a list, each once."""

    awarded_byes = forms.IntegerField(
        label=_("Awarded byes"),
        min_value=0,
        max_value=9,
        help_text=_("Number of rounds, starting with round 1, that count as wins without being played."),
    )
    seed_rank = forms.IntegerField(
        label=_("Seed"),
        required=False,
        min_value=1,
        max_value=9999,
        help_text=_("The order before round 1, if the ruleset pairs by it. 1 is the top seed."),
    )
    fixed_table = forms.IntegerField(
        label=_("Fixed table"),
        required=False,
        min_value=1,
        max_value=9999,
        help_text=_(
            "This player always sits here, whoever the opponent is. No one else is sent to this table."
        ),
    )
    rating = rating_field()
    rating_source = rating_source_field()
    labels = LabelsField()

    @staticmethod
    def initial_of(entry: Any) -> dict[str, Any]:
        """The fields as they are saved."""
        names = ("awarded_byes", "seed_rank", "fixed_table", "rating", "rating_source")
        return {name: getattr(entry, name) for name in names} | {"labels": "\n".join(entry.labels)}


class WhyForm(KeyedForm):
    """Something that needs its reason."""

    why = forms.CharField(label=_("Reason"), max_length=500)


def entry_forms(entry: Any) -> dict[str, KeyedForm]:
    """The forms of an entry's page, filled with what is saved."""
    return {
        "name": NameForm(initial={"name": entry.name}),
        "person": PersonForm(initial=PersonForm.initial_of(entry)),
        "pairing": EntryForm(initial=EntryForm.initial_of(entry)),
        "disqualify": WhyForm(),
    }
