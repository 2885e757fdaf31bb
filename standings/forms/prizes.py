from typing import Any

import msgspec
from crispy_forms.helper import FormHelper
from crispy_forms.layout import Div
from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.event.settings import AMOUNT, MOST_PRIZES, Prize
from tournament.forms.fields import SeenField
from tournament.forms.stages import ExactPointsField
from tournament.models import Tournament
from tournament.web.keyed_forms import CleanField, KeyedForm, NumberField, lay_out_form

BY = [("place", _("final places")), ("points", _("minimum points")), ("label", _("places within a label"))]
MORE = 3  # empty lines
MOST_PLACE = 9999


class PrizeForm(forms.Form):
    """One line of the prize structure. An empty line is skipped; ticking “remove” deletes it."""

    by = forms.ChoiceField(label=_("For"), choices=BY, initial="place")
    first = NumberField(label=_("From place"), required=False, min_value=1, max_value=MOST_PLACE)
    last = NumberField(label=_("To place"), required=False, min_value=1, max_value=MOST_PLACE)
    points = ExactPointsField(label=_("Points"))
    label = CleanField(label=_("Label"), required=False, max_length=40)
    amount = forms.RegexField(
        AMOUNT,
        label=_("Amount"),
        required=False,
        error_messages={"invalid": _("Enter an amount such as 100 or 12.50.")},
    )
    what = CleanField(label=_("Prize in words"), required=False, max_length=80)
    helper = lay_out_form(
        Div(
            *(Div(name) for name in "by first last points label amount what DELETE".split()),
            css_class="prize-line",
        ),
        tag=False,
    )
    helper.disable_csrf = True  # the form that it is a line of has the token

    @property
    def prize(self) -> dict[str, Any]:
        """Return the line in the form the log stores, after `is_valid`. The last place defaults to the first."""
        sent = {name: value for name, value in self.cleaned_data.items() if name != "DELETE" and value}
        first = sent.get("first", 1)
        if sent["by"] == "points":
            sent = {name: sent[name] for name in ("by", "points", "amount", "what") if name in sent}
        else:
            sent = {**sent, "first": first, "last": sent.get("last", first), "points": None}
            sent |= {"label": ""} if sent["by"] == "place" else {}
        prize: dict[str, Any] = msgspec.to_builtins(Prize(**sent))
        return prize


class PrizeLines(forms.BaseFormSet):
    def add_fields(self, form: forms.Form, index: int | None) -> None:
        super().add_fields(form, index)
        form.fields["DELETE"].label = _("Remove")


Lines = forms.formset_factory(
    PrizeForm,
    PrizeLines,
    extra=MORE,
    can_delete=True,
    max_num=MOST_PRIZES,
    absolute_max=MOST_PRIZES + MORE,
)


class PrizesForm(KeyedForm):
    """The prize structure with its lines (`lines`, a formset). `seen`: the structure when the page was rendered."""

    seen = SeenField()
    prize_split = forms.ChoiceField(label=_("Prizes of tied players"), choices=Tournament.PrizeSplit.choices)
    prize_currency = CleanField(
        label=_("Currency"),
        required=False,
        max_length=12,
        help_text=_("Such as EUR. Shown after each amount."),
    )
    helper: FormHelper = lay_out_form("prize_currency", "prize_split", tag=False)

    def __init__(self, tournament: Tournament, data: Any = None) -> None:
        seen = {name: getattr(tournament, name) for name in ("prizes", "prize_split", "prize_currency")}
        super().__init__(data, initial={**seen, "seen": seen})
        self.lines = Lines(data, prefix="prizes", initial=tournament.prizes)

    def is_valid(self) -> bool:
        return super().is_valid() and self.lines.is_valid()

    def fields_for_service(self) -> dict[str, Any]:
        filled = [line for line in self.lines if line.has_changed() or line.initial]
        kept = [line.prize for line in filled if not line.cleaned_data.get("DELETE")]
        return {"prizes": kept, **super().fields_for_service()}
