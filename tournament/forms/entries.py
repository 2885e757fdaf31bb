"""Who plays: a pasted list, one more, and what is changed about one entry."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.errors import Refused
from tournament.forms.keyed import LARGEST, KeyedForm
from tournament.services.registering import LONGEST_NAME, clean_name, names_in

LONGEST_LIST = 500_000  # characters
MOST_LABELS, LONGEST_LABEL = 20, 60  # of an entry; characters of one


class NamesForm(KeyedForm):
    """A list of names, one a line. `cleaned_data["names"]` is the list."""

    names = forms.CharField(
        label=_("Names, one a line"),
        max_length=LONGEST_LIST,
        error_messages={"required": _("Nothing was added: write one name a line.")},
        widget=forms.Textarea(attrs={"rows": 6, "autocomplete": "off", "spellcheck": "false"}),
    )
    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        max_length=500,
        help_text=_("Only where the ruleset lets nobody join any more."),
    )

    def clean_names(self) -> list[str]:
        try:
            return names_in(self.cleaned_data["names"])
        except Refused as error:
            raise forms.ValidationError(str(error)) from None


class NameForm(KeyedForm):
    """Another name for an entry."""

    name = forms.CharField(label=_("Name"), max_length=LONGEST_NAME)

    def clean_name(self) -> str:
        name = clean_name(self.cleaned_data["name"])
        if not name:
            raise forms.ValidationError(_("An entry needs a name."))
        return name


class EntryForm(KeyedForm):
    """What pairing and standings need to know of an entry. `cleaned_data["labels"]` is a list, each once."""

    awarded_byes = forms.IntegerField(
        label=_("Awarded byes"),
        min_value=0,
        max_value=9,
        help_text=_("Rounds from round 1 on that are won unplayed."),
    )
    seed_rank = forms.IntegerField(
        label=_("Seed rank"),
        required=False,
        min_value=1,
        max_value=9999,
        help_text=_("The order before round 1, where the ruleset pairs by it; 1 is the best."),
    )
    rating = forms.IntegerField(label=_("Rating"), required=False, min_value=-LARGEST, max_value=LARGEST)
    labels = forms.CharField(
        label=_("Labels, one a line"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2, "autocomplete": "off"}),
        help_text=_(
            "Public: club, age group and the like; the standings can be read of one label. "
            "A value measured outside the matches is a label too: DSC cm=199.6"
        ),
    )

    def clean_labels(self) -> list[str]:
        cleaned = (clean_name(line) for line in self.cleaned_data["labels"].splitlines())
        labels = list(dict.fromkeys(label for label in cleaned if label))
        if len(labels) > MOST_LABELS or any(len(label) > LONGEST_LABEL for label in labels):
            limits = {"most": MOST_LABELS, "longest": LONGEST_LABEL}
            raise forms.ValidationError(
                _("At most %(most)s labels of %(longest)s characters."), params=limits
            )
        return labels


class WhyForm(KeyedForm):
    """Something that needs its reason."""

    why = forms.CharField(label=_("Reason"), max_length=500)


def entry_forms(entry: Any) -> dict[str, KeyedForm]:
    """The forms of an entry's page, filled with what is saved."""
    names = ("awarded_byes", "seed_rank", "rating")
    return {
        "name": NameForm(initial={"name": entry.name}),
        "pairing": EntryForm(
            initial={name: getattr(entry, name) for name in names} | {"labels": "\n".join(entry.labels)}
        ),
        "disqualify": WhyForm(),
    }
