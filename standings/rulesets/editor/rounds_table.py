"""The rounds table as a formset: a line a range of player counts."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from standings.rulesets.editor.formsets import LineForm, LineFormSet
from tournament.rulesets.schema import MOST_ROWS
from tournament.web.keyed_forms import NumberField


class RowForm(LineForm):
    """One row: a range of player counts with its rounds and cut."""

    min = NumberField(label=_("Players from"), min_value=1, max_value=10**6)
    max = NumberField(label=_("Players to"), min_value=1, max_value=10**6, required=False)
    rounds = NumberField(label=_("Rounds"), min_value=0, max_value=99)
    cut = NumberField(label=_("Cut to top"), min_value=0, max_value=64, required=False)
    stage = forms.ChoiceField(
        label=_("Played as"),
        choices=[("swiss", _("Swiss")), ("single_elimination", _("single elimination suggested"))],
        required=False,
    )

    def clean(self) -> dict[str, Any]:
        """`line` is the row as a profile holds it."""
        data = super().clean() or {}
        self.line = {name: data.get(name) for name in ("min", "max", "rounds")} | {
            "cut": data.get("cut") or 0
        }
        stage = data.get("stage") or "swiss"
        if stage != "swiss" or "stage" in self.before:
            self.line["stage"] = stage
        return data


class RowFormSet(LineFormSet):
    """The rows, each below the one before."""

    form = RowForm
    name = "rows"
    max_num = MOST_ROWS
    absolute_max = 3 * MOST_ROWS
