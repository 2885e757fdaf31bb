"""The lists of a ruleset as formsets (order, rounds table, words), and its fields. A moved line keeps its index."""

from typing import Any

from django import forms
from django.forms.utils import ErrorDict
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from standings.engine.metrics import METRICS
from standings.engine.metrics.registry import Param
from standings.words.formats import LONGEST, NO, YES, parse_value, value_as_text
from standings.words.metrics import choice_in_words, explain_param, metric_formula, metric_title, param_label
from tournament.rulesets.rule_fields import RuleField
from tournament.rulesets.schema import MOST_ROWS, MOST_STEPS
from tournament.web.keyed_forms import NumberField

LONGER = {"name": 120, "source": 400}
YES_NO = [(YES, _("yes")), (NO, _("no"))]


class ValueField(forms.Field):
    """A value as text, None if empty. The current value `now` is kept exactly as long as its text does not change."""

    kind: str
    now: Any

    def prepare_value(self, value: Any) -> str:
        return value_as_text(value)

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        if text == value_as_text(self.now):
            return self.now
        return parse_value(self.kind, text) if text else None


class TypedValue(ValueField, forms.CharField):
    pass


class ChosenValue(ValueField, forms.ChoiceField):
    pass


def value_field(kind: str, now: Any, choices: Any = None, **options: Any) -> ValueField:
    """Return the form field for a value of this kind, limited to the `choices` (text, words) if there are any."""
    field: ValueField = ChosenValue(choices=choices, **options) if choices else TypedValue(**options)
    field.kind, field.now = kind, now
    return field


def rule_form_fields(field: RuleField, now: Any) -> dict[str, forms.Field]:
    """Return {path: form field} for a ruleset's field, one per part. The current value is always a valid choice."""
    if field.kind != "parts":
        return {field.path: _rule_form_field(field, now)}
    fields: dict[str, forms.Field] = {}
    for name, path in name_field_parts(field).items():
        value, label = (now or {}).get(name), f"{field.label}: {field.inner[name]}"
        hint = _("If empty: %(usual)s.") % {"usual": field.empty[name]}
        options = {"initial": value, "required": False, "max_length": LONGEST}
        fields[path] = value_field("whole", value, label=label, help_text=hint, **options)
    return fields


def name_field_parts(field: RuleField) -> dict[str, str]:
    """Return {part: path} for a field of several parts, its own path for any other."""
    return (
        {name: f"{field.path}.{name}" for name in field.inner} if field.kind == "parts" else {"": field.path}
    )


def _rule_form_field(field: RuleField, now: Any) -> forms.Field:
    hint = field.hint
    if not hint and field.empty and field.kind not in ("choice", "option", "yes_no"):
        hint = _("If empty: %(usual)s.") % {"usual": field.empty}
    options: dict[str, Any] = {"label": field.label, "help_text": hint}
    if field.kind == "switch":
        return forms.BooleanField(required=False, **options)
    if field.kind == "yes_no":
        return value_field(field.kind, now, [("", field.empty), *YES_NO], required=False, **options)
    if field.kind in ("choice", "option"):
        required = now is not None and not field.empty
        return value_field(field.kind, now, _list_field_choices(field, now), required=required, **options)
    may_be_empty = field.kind in ("follows", "share", "games") or bool(field.empty) or field.path == "source"
    longest = LONGER.get(field.path, LONGEST)
    return value_field(field.kind, now, max_length=longest, required=not may_be_empty, **options)


def _list_field_choices(field: RuleField, now: Any) -> list[tuple[str, Any]]:
    text = value_as_text(now)
    choices = {value_as_text(value): words for value, words in field.words.items()}
    if field.empty and choices.get(text) != field.empty:  # what an empty one means is not offered twice
        others = {name: words for name, words in choices.items() if words != field.empty}
        choices = {"": field.empty, **others}
    if text not in choices:
        choices = {text: text or _("not set"), **choices}
    return list(choices.items())


Line = Any  # one line of the list, as a profile holds it: an object, or a word


class UncheckedForm(forms.Form):
    """A form that can show input without validating it (`checked=False`), while nothing is to be saved yet."""

    def __init__(self, *args: Any, checked: bool = True, **kwargs: Any) -> None:
        self.checked = checked
        super().__init__(*args, **kwargs)

    def full_clean(self) -> None:
        if self.checked:
            super().full_clean()
        else:
            self._errors, self.cleaned_data = ErrorDict(), {}


class LineForm(UncheckedForm):
    """One line. `before`: its values in the profile, empty if new; `line`: the submitted values, after `is_valid`."""

    def __init__(self, *args: Any, before: Line | None = None, **kwargs: Any) -> None:
        self.before = before or {}
        self.line: Line = None
        super().__init__(*args, **kwargs)

    @classmethod
    def line_as_texts(cls, line: Line) -> dict[str, str]:
        return {name: value_as_text(value) for name, value in line.items()}

    @property
    def index(self) -> int:
        return int(str(self.prefix).rpartition("-")[2])

    @property
    def is_removed(self) -> bool:
        return bool(forms.BooleanField().to_python(self["DELETE"].value()))


class LineFormSet(forms.BaseFormSet):
    form: type[LineForm]
    name: str
    max_num: int
    absolute_max: int
    extra = min_num = 0
    can_order = validate_min = validate_max = False
    can_delete = can_delete_extra = True
    ordering_widget = deletion_widget = forms.HiddenInput
    renderer = None

    def __init__(self, data: Any = None, *, before: Any = (), checked: bool = True) -> None:
        self.before = before if isinstance(before, list) else []
        self.checked = checked
        initial = [self.form.line_as_texts(line) for line in self.before]
        super().__init__(data, prefix=self.name, initial=initial)

    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        """Pass the saved line to its form. A new line is required, so it is validated like any other."""
        before = self.before[index] if index is not None and index < len(self.before) else {}
        shown = {"empty_permitted": False, "use_required_attribute": True}
        return {"before": before, "checked": self.checked, **shown}

    @property
    def lines(self) -> list[LineForm]:
        left = [form for form in self.forms if not form.is_removed]
        return sorted(left, key=_line_position) if self.can_order else left

    @property
    def removed_lines(self) -> list[LineForm]:
        return [form for form in self.forms if form.is_removed]

    def add_fault(self, path: str, message: str) -> bool:
        """Show a fault at the field of a path such as `3].params.floor`; False if there is no such line."""
        place, _end, field = path.partition("]")
        number = int(place) if place.isdigit() else -1
        if not 0 <= number < len(self.lines):
            return False
        form, name = self.lines[number], field.rpartition(".")[2]
        form.add_error(name if name in form.fields else None, message)
        return True


def _line_position(form: LineForm) -> float:
    text = str(form["ORDER"].value() or "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else float("inf")


def arrange_lines(data: QueryDict, formset: LineFormSet, do: str, index: str) -> QueryDict:
    """Return the formset's data after a button: `do` is up, down or remove (of line `index`), or add."""
    data = data.copy()
    name = formset.prefix
    order = [str(form.index) for form in formset.lines]
    if do == "add":
        data[f"{name}-TOTAL_FORMS"] = str(formset.total_form_count() + 1)
    elif index in order and do == "remove":
        data[f"{name}-{index}-DELETE"] = "on"
    elif index in order and do in ("up", "down"):
        at = order.index(index)
        order.insert(max(at - 1, 0) if do == "up" else at + 1, order.pop(at))
        for place, moved in enumerate(order, start=1):
            data[f"{name}-{moved}-ORDER"] = str(place)
    return data


UNITS = {
    "points": _("Points"),
    "share": _("Percentages"),
    "score": _("Opponents' scores and own totals"),
    "count": _("Counts"),
    "order": _("Order and last resort"),
}
DIRECTIONS = [("", _("default")), ("desc", _("higher is better")), ("asc", _("lower is better"))]


class StepForm(LineForm):
    metric = forms.ChoiceField(label=_("Rank by"))
    label = forms.CharField(label=_("Column name"), max_length=LONGEST, required=False)
    order = forms.ChoiceField(label=_("Which is better"), choices=DIRECTIONS, required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.ranked_by = METRICS.get(self["metric"].value() or "")
        metric: Any = self.fields["metric"]
        metrics = [
            (str(title), [(key, metric_title(key)) for key, metric in METRICS.items() if metric.unit == unit])
            for unit, title in UNITS.items()
        ]
        metric.choices = [*([] if self.ranked_by else [("", _("choose one"))]), *metrics]
        if self.ranked_by:
            metric.help_text = metric_formula(self.ranked_by.key)
            self.fields["label"].widget.attrs["placeholder"] = metric_title(self.ranked_by.key)
            for name, param in self.ranked_by.params.items():
                self.fields[name] = _setting_field(self.ranked_by.key, param, self._params_before.get(name))

    @classmethod
    def line_as_texts(cls, line: Line) -> dict[str, str]:
        return super().line_as_texts({**(line.get("params") or {}), **line, "params": None})

    @property
    def settings(self) -> list[forms.BoundField]:
        return [self[name] for name in self.ranked_by.params] if self.ranked_by else []

    @property
    def is_set(self) -> bool:
        """Whether a setting has a value or an error; if so, the settings are shown unfolded."""
        return any(field.value() or field.errors for field in self.settings)

    @property
    def title(self) -> str:
        title = metric_title(self.ranked_by.key) if self.ranked_by else str(_("new tiebreaker"))
        return self["label"].value() or title

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        given = {"params": self._params(), "order": data.get("order"), "label": data.get("label")}
        self.line = {"metric": data.get("metric")} | {name: value for name, value in given.items() if value}
        return data

    @property
    def _params_before(self) -> dict[str, Any]:
        return self.before.get("params") or {}

    def _params(self) -> dict[str, Any]:
        values = {field.name: self.cleaned_data.get(field.name) for field in self.settings}
        without = {name for name, value in self._params_before.items() if value is None}
        return {name: value for name, value in values.items() if value is not None or name in without}


class StepFormSet(LineFormSet):
    form = StepForm
    name = "steps"
    max_num = MOST_STEPS
    absolute_max = 3 * MOST_STEPS
    can_order = True


def _setting_field(metric: str, param: Param, now: Any) -> forms.Field:
    choices = {choice: choice_in_words(metric, param.name, choice) for choice in param.choices}
    usual = value_as_text(param.default)
    if param.kind == "choice":
        usual = choices.get(usual, usual)
    options: dict[str, Any] = {
        "label": param_label(metric, param.name),
        "help_text": explain_param(metric, param.name),
        "required": False,
    }
    empty = _("ruleset default, otherwise %(usual)s") % {"usual": usual} if usual else _("ruleset default")
    if param.kind in ("switch", "choice"):
        answers = YES_NO if param.kind == "switch" else choices.items()
        return value_field(param.kind, now, [("", empty), *answers], **options)
    field = value_field(param.kind, now, max_length=LONGEST, **options)
    field.widget.attrs["placeholder"] = usual
    return field


class RowForm(LineForm):
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
        data = super().clean() or {}
        self.line = {name: data.get(name) for name in ("min", "max", "rounds")} | {
            "cut": data.get("cut") or 0
        }
        stage = data.get("stage") or "swiss"
        if stage != "swiss" or "stage" in self.before:
            self.line["stage"] = stage
        return data


class RowFormSet(LineFormSet):
    form = RowForm
    name = "rows"
    max_num = MOST_ROWS
    absolute_max = 3 * MOST_ROWS


class WordForm(LineForm):
    word = forms.ChoiceField(label=_("Rule"))

    def __init__(self, *args: Any, words: dict[str, Any], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.words = words
        field: Any = self.fields["word"]
        field.choices = [*([] if self.before else [("", _("choose one"))]), *words.items()]

    @classmethod
    def line_as_texts(cls, line: str) -> dict[str, str]:
        return {"word": line}

    @property
    def title(self) -> str:
        return str(self.words.get(self["word"].value(), _("new line")))

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        self.line = data.get("word")
        return data


class WordFormSet(LineFormSet):
    form = WordForm
    max_num = 30
    absolute_max = 90
    can_order = True

    def __init__(self, data: Any = None, *, field: RuleField, **kwargs: Any) -> None:
        self.field, self.name = field, field.path
        # A page rendered before the list existed sends nothing of it, and must not change it.
        super().__init__(data if data and f"{self.name}-TOTAL_FORMS" in data else None, **kwargs)

    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        return {**super().get_form_kwargs(index), "words": self.field.inner}

    @property
    def id(self) -> str:
        return self.name.replace(".", "-")

    def add_fault(self, path: str, message: str) -> bool:
        return super().add_fault(f"{path}.word", message)
