import re
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from tournament.errors import Refused
from tournament.forms.search import EntrySearchForm
from tournament.models import Decklist
from tournament.text.clean import clean_name, lines_of
from tournament.text.decklists import MOST_BYTES, MOST_LINES, is_too_long, too_long_words
from tournament.web.keyed_forms import LONGEST_REASON, BareHiddenInput, KeyedForm, ReasonField, ShownField
from tournament.web.layouts import PlainForm


class DecklistField(forms.CharField):
    """Lines of text, cleaned like names; the lines keep their numbers."""

    widget = forms.Textarea(attrs={"rows": 14, "autocomplete": "off", "spellcheck": "false"})

    def to_python(self, value: Any) -> str:
        text = str(value or "")
        if is_too_long(text):
            raise forms.ValidationError(too_long_words())
        return "\n".join(map(clean_name, lines_of(text)))

    def bound_data(self, data: Any, initial: Any) -> Any:
        return "" if is_too_long(str(data or "")) else data


class DecklistForm(PlainForm, KeyedForm):
    text = DecklistField(
        label=_("Decklist"),
        required=False,
        help_text=_(
            "One line for each card, such as “4 Lightning Bolt”. The sideboard follows a line “Sideboard”, or its "
            "lines begin with “SB:”."
        ),
    )
    file = forms.FileField(
        label=_("Or a text file"),
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".txt,.dec,.dek,.mwDeck,text/plain"}),
        help_text=format_lazy(
            _("In UTF-8, at most {kb} kB and {lines} lines. It counts instead of the text above."),
            kb=MOST_BYTES // 1000,
            lines=MOST_LINES,
        ),
    )
    seen = ShownField()
    send: Any = _("Hand in the decklist")
    look = "btn-primary w-100"
    tag = False

    def show(self, stored: Decklist | None) -> None:
        self.initial["text"] = stored.text if stored else ""
        self.initial["seen"] = str(stored.number if stored else 0)
        if stored:
            self.send = _("Replace the decklist")

    def clean_file(self) -> str | None:
        file: UploadedFile | None = self.cleaned_data["file"]
        if file is None:
            return None
        if (file.size or 0) > MOST_BYTES:
            raise forms.ValidationError(too_long_words())
        try:
            text = file.read().decode("utf-8-sig")
        except UnicodeDecodeError:
            raise forms.ValidationError(
                _("This is not a text file in UTF-8. Save it as plain text, or paste the decklist.")
            ) from None
        if not (text := DecklistField().to_python(text)).strip():
            raise forms.ValidationError(_("This file is empty."))
        return text

    @property
    def typed(self) -> str:
        """The submitted list: the file's text if there is a file."""
        data = getattr(self, "cleaned_data", {})
        return str(data.get("file") or data.get("text") or "")

    def refuse(self, error: Refused) -> None:
        super().refuse(error)
        data: Any = self.data
        self.data = data = data.copy()
        data["text"] = self.typed  # editable here, even if it came as a file

    def fields_for_service(self) -> dict[str, Any]:
        seen = self.data.get("seen", "")
        return {"text": self.typed, "seen": int(seen) if re.fullmatch(r"[0-9]{1,9}", seen) else None}


class StaffDecklistForm(DecklistForm):
    late = forms.BooleanField(label=_("Handed in late"), required=False)
    reason = ReasonField(
        label=_("Reason"), max_length=LONGEST_REASON, help_text=_("Kept in the log, where all staff read it.")
    )
    send = _("Enter the decklist")

    def __init__(self, *args: Any, late: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["late"] = late

    def fields_for_service(self) -> dict[str, Any]:
        more = {name: self.cleaned_data[name] for name in ("late", "reason")}
        return {**super().fields_for_service(), **more}


class DecklistSearchForm(EntrySearchForm):
    show = forms.CharField(required=False, max_length=10, widget=BareHiddenInput)

    @property
    def kind(self) -> str:
        return self._clean_value("show")
