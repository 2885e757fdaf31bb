"""A player list as a file, and the confirmation to import it."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core import signing
from django.utils.translation import gettext_lazy as _

from tournament.errors import Refused
from tournament.models import Tournament
from tournament.roster import MOST_BYTES, Roster, RosterError, read_roster
from tournament.web.keyed_forms import KeyedForm, SessionField

SALT = "roster"
SIGNED_FOR = 12 * 60 * 60  # seconds: as long as a session


class RosterForm(KeyedForm):
    """The file. `cleaned_data["file"]` is the roster in it."""

    file = forms.FileField(
        label=_("CSV file"),
        allow_empty_file=True,
        error_messages={"required": _("Choose a file first."), "invalid": _("Choose a file first.")},
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,text/csv,text/plain"}),
        help_text=_(
            "At most 2 MB. The first line names the columns: Name, or First name and Last name; "
            "Rating, Club, Membership number, Email, Notes, Paid … as other programs export "
            "them. Encoding and separator are detected. Nothing is saved until you have seen a "
            "preview."
        ),
    )

    def clean_file(self) -> Roster:
        file = self.cleaned_data["file"]
        try:
            return read_roster(file.read(MOST_BYTES + 1))
        except RosterError as error:
            raise forms.ValidationError(in_words(error)) from None


class ImportForm(KeyedForm):
    """What was shown, sent back: the players of the file, signed, and the plan that was seen."""

    roster = forms.CharField(max_length=4 * MOST_BYTES, widget=forms.HiddenInput)
    seen = forms.CharField(max_length=64, widget=forms.HiddenInput)
    session = SessionField()
    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        max_length=500,
        help_text=_("Needed only if the ruleset no longer allows late entries."),
    )


def in_words(error: RosterError) -> str:
    """What is wrong with a file or a line of it, in the reader's language."""
    return str(_(error.text)) % error.said


def signed(tournament: Tournament, people: list[dict[str, Any]]) -> str:
    """The players of a file as the page carries them until somebody says yes."""
    return signing.dumps([tournament.slug, people], salt=SALT, compress=True)


def unsigned(tournament: Tournament, text: str) -> list[dict[str, Any]]:
    """The players again. Raises Refused where they were not ours, or shown too long ago."""
    try:
        slug, people = signing.loads(text, salt=SALT, max_age=SIGNED_FOR)
    except signing.BadSignature:
        slug, people = "", []
    if slug != tournament.slug:
        raise Refused(_("This list did not arrive intact, or is too old. Choose the file again."))
    return people
