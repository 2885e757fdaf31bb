"""Forms of judges: time extensions, penalties, deck checks, decklists."""

from __future__ import annotations

import datetime as dt
import itertools
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from crispy_forms.bootstrap import FieldWithButtons
from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from tournament.access.permissions import DESK
from tournament.errors import Refused
from tournament.event.games import list_infractions
from tournament.models import DeckCheck, Decklist, Extension, Penalty, Tournament
from tournament.results.desk_rows import DeskPlayer
from tournament.services.decklists import MOST_BYTES, is_too_long, too_long_words
from tournament.text import clean_name, fold_name, split_lines
from tournament.web.keyed_forms import (
    LARGEST,
    LONGEST_REASON,
    CleanField,
    KeyedForm,
    NumberField,
    OfferingInput,
    ReasonField,
    ShownField,
    build_column_field,
    button,
    lay_out_form,
)


class ExtensionForm(KeyedForm):
    why = build_column_field(Extension, "reason", label=_("Reason"))
    minutes = NumberField(min_value=1, max_value=60, error_messages={"required": _("Choose the minutes.")})
    seen = ShownField()
    helper = lay_out_form("seen", "why", tag=False)


class DeckCheckForm(KeyedForm):
    sides = forms.ChoiceField(
        label=_("Deck check"), required=False, choices=[("ab", _("both players")), ("a", "a"), ("b", "b")]
    )
    helper = lay_out_form(FieldWithButtons("sides", button(_("Start a deck check"), "")))

    @classmethod
    def of(cls, players: Sequence[DeskPlayer]) -> DeckCheckForm:
        form = cls(initial={"sides": "ab"})
        both = [("ab", _("both players"))] if len(players) > 1 else []
        names = [(side, player.name) for side, player in zip("ab", players, strict=False)]
        form.set_choices("sides", [*both, *names])
        return form


class EndDeckCheckForm(KeyedForm):
    minutes = NumberField(
        label=_("Minutes given back"),
        min_value=0,
        max_value=60,
        help_text=_("As a time extension; 0 for none."),
    )
    send, look = _("End the deck check"), "primary"

    @classmethod
    def of(cls, check: DeckCheck, now: dt.datetime, *, out: bool) -> EndDeckCheckForm:
        """Suggest the minutes of the check, rounded up; none for a table that is no longer `out`."""
        minutes = math.ceil(max((now - check.starts_at).total_seconds(), 0) / 60) if out else 0
        form = cls(initial={"minutes": min(minutes, 60)})
        if not out:
            form.fields["minutes"].help_text = _("The table has its result: no minutes are given back.")
        return form


class UndoAtTableForm(KeyedForm):
    number = forms.IntegerField(min_value=1, max_value=LARGEST)


class PenaltyForm(KeyedForm):
    """Player, infraction, penalty, description, judge. `names`: {code: name} of the players to choose from."""

    code = forms.CharField(
        label=_("Player"),
        max_length=40,
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose the player who gets the penalty.")},
    )
    infraction = CleanField(
        label=_("Infraction"), max_length=200, error_messages={"required": _("Enter the infraction.")}
    )
    kind = forms.ChoiceField(label=_("Penalty"), widget=forms.RadioSelect, required=False)
    description = forms.CharField(
        label=_("Description"),
        required=False,
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Only staff can read it."),
    )
    judge = CleanField(label=_("Judge"), required=False, max_length=150)
    send, look = _("Record the penalty"), "primary"

    def __init__(
        self,
        tournament: Tournament,
        data: Any = None,
        *,
        names: Mapping[str, str],
        judge: str,
        code: str = "",
    ) -> None:
        super().__init__(data, initial={"judge": judge, "code": code})
        self.set_choices("code", names.items())
        kinds = Penalty.Kind.choices if tournament.role in DESK else Penalty.Kind.choices[:-1]
        self.set_choices("kind", kinds)
        known = {each.name: each.penalty for each in list_infractions(tournament)}
        self.usual = {name: kind if kind in dict(kinds) else None for name, kind in known.items()}
        self.fields["infraction"].widget = OfferingInput(
            "infractions", itertools.starmap(_option, self.usual.items())
        )

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if data.get("kind") == "":
            sought = fold_name(data.get("infraction", ""))
            data["kind"] = next(
                (kind for name, kind in self.usual.items() if fold_name(str(name)) == sought), None
            )
            if data["kind"] is None:
                self.add_error("kind", _("Choose the penalty."))
        return data


def _option(name: Any, kind: Penalty.Kind | None) -> dict[str, Any]:
    if kind is None:
        return {"value": name}
    return {"value": name, "label": f"{name} · {kind.label}", "data-penalty": kind.value}


class DecklistField(forms.CharField):
    """Lines of text, cleaned like names. Empty lines stay, so line numbers do not change."""

    widget = forms.Textarea(attrs={"rows": 14, "autocomplete": "off", "spellcheck": "false"})

    def to_python(self, value: Any) -> str:
        text = str(value or "")
        if is_too_long(text):
            raise forms.ValidationError(too_long_words())
        return "\n".join(map(clean_name, split_lines(text)))

    def bound_data(self, data: Any, initial: Any) -> Any:
        return "" if is_too_long(str(data or "")) else data


class DecklistForm(KeyedForm):
    text = DecklistField(
        label=_("Decklist"),
        required=False,
        help_text=_(
            "A line for each card, such as “4 Lightning Bolt”. The sideboard follows a line “Sideboard”."
        ),
    )
    file = forms.FileField(
        label=_("Or a text file"),
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".txt,.dec,.dek,.mwDeck,text/plain"}),
        help_text=_("It counts instead of the text above."),
    )
    seen = ShownField()
    send: Any = _("Hand in the decklist")
    look = "primary wide"
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
        """The submitted list: the uploaded file's text if there is one."""
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

    def fields_for_service(self) -> dict[str, Any]:
        more = {name: self.cleaned_data[name] for name in ("late", "reason")}
        return {**super().fields_for_service(), **more}
