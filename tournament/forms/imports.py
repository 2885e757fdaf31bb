"""A player list as a file, and the confirmation to import it."""

from typing import Any

from crispy_forms.helper import FormHelper
from django import forms
from django.core import signing
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from tournament.errors import Refused
from tournament.forms.late_entries import LateEntryForm
from tournament.models import Tournament
from tournament.roster import MOST_BYTES, Roster, RosterError, read_roster
from tournament.services.imports import ImportPlan
from tournament.web.keyed_forms import BareHiddenInput, KeyedForm
from tournament.web.layouts import button, helper_of, link

SALT = "roster"
SIGNED_FOR = 12 * 60 * 60  # seconds: as long as a session


class RosterForm(KeyedForm):
    """The file. `cleaned_data["file"]` is the roster in it; `look` is that of the button."""

    look = "btn-primary"

    def __init__(self, tournament: Tournament, *args: Any) -> None:
        super().__init__(*args)
        self.teams = tournament.team
        if self.teams:
            self.fields["file"].help_text = format_lazy(
                "{} {}",
                self.fields["file"].help_text,
                _(
                    "Members of teams: columns Member 1 to Member 6, or Members; and Captain, by name or number."
                ),
            )

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

    @property
    def helper(self) -> FormHelper:
        """The file and the button."""
        return helper_of("file", button(_("Preview import"), self.look), tag=False)

    def clean_file(self) -> Roster:
        file = self.cleaned_data["file"]
        try:
            return read_roster(file.read(MOST_BYTES + 1), teams=self.teams)
        except RosterError as error:
            raise forms.ValidationError(error_words(error)) from None


class ImportForm(LateEntryForm):
    """The confirmation: the players of the file, signed, and the digest of the plan that was shown.

    To be shown it needs the `plan`, and `back`, the address that begins again.
    """

    plan: ImportPlan
    back: str
    roster = forms.CharField(max_length=4 * MOST_BYTES, widget=BareHiddenInput)
    seen = forms.CharField(max_length=64, widget=BareHiddenInput)

    @property
    def helper(self) -> FormHelper:
        """What late entries need, and a button that says what the plan would do."""
        send = button(_button_text(len(self.plan.added), len(self.plan.changed)))
        cancel = link(_("Cancel"), self.back, "btn btn-outline-secondary ms-2")
        return helper_of(*(self.late_fields if self.plan.added else ()), send, cancel, tag=False)


def _button_text(added: int, changed: int) -> str:
    counts = {"added": added, "changed": changed}
    if not added:
        return ngettext("Change %(changed)s player", "Change %(changed)s players", changed) % counts
    if not changed:
        return ngettext("Add %(added)s player", "Add %(added)s players", added) % counts
    return (
        ngettext(
            "Add %(added)s player, change %(changed)s", "Add %(added)s players, change %(changed)s", added
        )
        % counts
    )


def error_words(error: RosterError) -> str:
    """Why a file or one of its lines cannot be imported, translated."""
    return str(_(error.text)) % error.values


def sign_people(tournament: Tournament, people: list[dict[str, Any]]) -> str:
    """The players of a file as the page carries them until they are confirmed."""
    return signing.dumps([tournament.slug, people], salt=SALT, compress=True)


def unsign_people(tournament: Tournament, text: str) -> list[dict[str, Any]]:
    """The players again. Raises Refused where the text was not signed here, or too long ago."""
    try:
        slug, people = signing.loads(text, salt=SALT, max_age=SIGNED_FOR)
    except signing.BadSignature:
        slug, people = "", []
    if slug != tournament.slug:
        raise Refused(_("This list did not arrive intact, or is too old. Choose the file again."))
    return people
