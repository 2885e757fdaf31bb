"""The standings order as a formset: a line a step, with the settings that its metric has."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from standings.engine import METRICS
from standings.engine.metrics.params import Param
from standings.rulesets.editor.fields import YES_NO, value_field
from standings.rulesets.editor.formsets import Line, LineForm, LineFormSet
from standings.words.field_texts import LONGEST, text_of
from standings.words.metric_params import choice_in_words, label_of, meaning_of
from standings.words.metrics import formula_of, title_of
from tournament.rulesets.schema import MOST_STEPS

UNITS = {
    "points": _("Points"),
    "share": _("Percentages"),
    "score": _("Opponents' scores and own totals"),
    "count": _("Counts"),
    "order": _("Order and last resort"),
}
DIRECTIONS = [("", _("default")), ("desc", _("higher is better")), ("asc", _("lower is better"))]


class StepForm(LineForm):
    """One step: a metric, the publisher's own name for its column, and the settings that metric has."""

    metric = forms.ChoiceField(label=_("Rank by"))
    label = forms.CharField(label=_("Column name"), max_length=LONGEST, required=False)
    order = forms.ChoiceField(label=_("Which is better"), choices=DIRECTIONS, required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.ranked_by = METRICS.get(self["metric"].value() or "")
        metric: Any = self.fields["metric"]
        metric.choices = [*([] if self.ranked_by else [("", _("choose one"))]), *metric_choices()]
        if self.ranked_by:
            metric.help_text = formula_of(self.ranked_by.key)
            self.fields["label"].widget.attrs["placeholder"] = title_of(self.ranked_by.key)
            self.fields |= {
                name: _setting_field(self.ranked_by.key, param, self._params_before.get(name))
                for name, param in self.ranked_by.params.items()
            }

    @classmethod
    def texts_of(cls, line: Line) -> dict[str, str]:
        """The settings stand among the fields; no metric has one named like these."""
        return super().texts_of({**(line.get("params") or {}), **line, "params": None})

    @property
    def settings(self) -> list[forms.BoundField]:
        """The fields of the metric's settings."""
        return [self[name] for name in self.ranked_by.params] if self.ranked_by else []

    @property
    def is_set(self) -> bool:
        """Whether a setting has a value or an error: then they are not folded away."""
        return any(field.value() or field.errors for field in self.settings)

    @property
    def title(self) -> str:
        """What the column is called."""
        return self["label"].value() or (
            title_of(self.ranked_by.key) if self.ranked_by else str(_("new tiebreaker"))
        )

    def clean(self) -> dict[str, Any]:
        """Read the settings; `line` is the step as a profile holds it."""
        data = super().clean() or {}
        params, label = self._params(), data.get("label", "")
        self.line = {"metric": data.get("metric")}
        self.line |= {"params": params} if params else {}
        self.line |= {"order": data["order"]} if data.get("order") else {}
        self.line |= {"label": label} if label else {}
        return data

    @property
    def _params_before(self) -> dict[str, Any]:
        return self.before.get("params") or {}

    def _params(self) -> dict[str, Any]:
        """The settings that are given, and those without a value that were so before."""
        values = {field.name: self.cleaned_data.get(field.name) for field in self.settings}
        without = {name for name, value in self._params_before.items() if value is None}
        return {name: value for name, value in values.items() if value is not None or name in without}


class StepFormSet(LineFormSet):
    """The steps, in an order that can be changed."""

    form = StepForm
    name = "steps"
    max_num = MOST_STEPS
    absolute_max = 3 * MOST_STEPS
    can_order = True


def metric_choices() -> list[tuple[str, list[tuple[str, str]]]]:
    """Every metric, grouped by what it is counted in."""
    return [
        (str(title), [(key, title_of(key)) for key, metric in METRICS.items() if metric.unit == unit])
        for unit, title in UNITS.items()
    ]


def _setting_field(metric: str, param: Param, now: Any) -> forms.Field:
    """The form field of a metric's setting."""
    choices = {choice: choice_in_words(metric, param.name, choice) for choice in param.choices}
    usual = text_of(param.default)
    if param.kind == "choice":
        usual = choices.get(usual, usual)
    options: dict[str, Any] = {
        "label": label_of(metric, param.name),
        "help_text": meaning_of(metric, param.name),
        "required": False,
    }
    empty = _("ruleset default, otherwise %(usual)s") % {"usual": usual} if usual else _("ruleset default")
    if param.kind in ("switch", "choice"):
        answers = YES_NO if param.kind == "switch" else choices.items()
        return value_field(param.kind, now, [("", empty), *answers], **options)
    field = value_field(param.kind, now, max_length=LONGEST, **options)
    field.widget.attrs["placeholder"] = usual
    return field
