import base64
from typing import Any

from crispy_forms.helper import FormHelper
from crispy_forms.layout import Div
from django import forms
from django.core import signing
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from tournament.errors import Refused
from tournament.forms.entries import LateEntryForm
from tournament.models import Tournament
from tournament.roster import CODECS, MOST_BYTES, RosterError
from tournament.services.imports import ImportPlan
from tournament.web.keyed_forms import BareHiddenInput, KeyedForm, button, lay_out_form, link

SALT = "roster"
SIGNED_FOR = 12 * 60 * 60  # seconds: as long as a session


class RosterForm(KeyedForm):
    """The uploaded file. `cleaned_data["file"]` is its roster; `look` is the style of the button."""

    send = _("Preview import")

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
        label=_("Player list"),
        allow_empty_file=True,
        error_messages={"required": _("Choose a file first."), "invalid": _("Choose a file first.")},
        widget=forms.FileInput(
            attrs={"accept": ".csv,.tsv,.txt,.xlsx,.ods,.tdf,.trf,.trfx,text/csv,text/plain"}
        ),
        help_text=_(
            "CSV, Excel, OpenDocument, TOM (TDF) or FIDE (TRF), at most 2 MB. In a table, one line names the columns, "
            "such as Name, Rating, Club or Paid. You see a preview first."
        ),
    )

    def clean_file(self) -> bytes:
        data: bytes = self.cleaned_data["file"].read(MOST_BYTES + 1)
        return data


class ImportForm(LateEntryForm):
    """The signed file, to import it or read it with another encoding. `names`: {encoding: the first names}."""

    plan: ImportPlan | None = None  # what would be imported; None if the file cannot be
    back: str  # the URL that begins again
    roster = forms.CharField(max_length=4 * MOST_BYTES, widget=BareHiddenInput)
    encoding = forms.ChoiceField(
        label=_("Encoding"),
        required=False,
        choices=[("", ""), *((name, name) for name in CODECS)],
        help_text=_("If letters are wrong, choose the line with the right names."),
    )
    seen = forms.CharField(required=False, max_length=64, widget=BareHiddenInput)

    def __init__(self, data: Any = None, *, names: dict[str, str] | None = None) -> None:
        super().__init__(data)
        self.names = names or {}
        if self.names:
            choices = [(name, f"{name}: {shown}" if shown else name) for name, shown in self.names.items()]
            self.set_choices("encoding", choices)
        else:
            self.fields["encoding"].widget = BareHiddenInput()

    @property
    def helper(self) -> FormHelper:
        again = button(_("Read the file again"), "", name="again", value="1")
        parts: list[Any] = ["encoding", Div(again)] if self.names else []
        if self.plan:
            send = button(_("Import"))
            cancel = link(_("Cancel"), self.back, "btn")
            late = self.late_fields if self.plan.added else ()
            parts += [*late, send, cancel]
        return lay_out_form(*parts, tag=False)


def error_words(error: RosterError) -> str:
    return str(_(error.text)) % error.values


def sign_file(tournament: Tournament, data: bytes, encoding: str) -> str:
    content = [tournament.slug, base64.b64encode(data).decode(), encoding]
    return signing.dumps(content, salt=SALT, compress=True)


def unsign_file(tournament: Tournament, text: str) -> tuple[bytes, str]:
    """Return the file and its encoding. Raises Refused if the signature is wrong or too old."""
    try:
        slug, data, encoding = signing.loads(text, salt=SALT, max_age=SIGNED_FOR)
    except signing.BadSignature:
        slug, data, encoding = "", "", ""
    if slug != tournament.slug:
        raise Refused(_("This list did not arrive intact, or is too old. Choose the file again."))
    return base64.b64decode(data), encoding
