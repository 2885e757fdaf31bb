"""The two lists of a ruleset as small forms: the steps of the order of tiebreaks, the rows of the rounds table.

Every item has a number of its own that stays with it wherever it is moved; the page sends the numbers in the
order in which the items stand, so that moving one is nothing but sending them in another order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from standings.engine import METRICS
from standings.engine.metrics.params import Param
from standings.words.field_texts import LONGEST, NO, YES, Unreadable, text_of, value_of

UNITS = {
    "points": _("Points"),
    "share": _("Percentages"),
    "score": _("Opponents' scores and own totals"),
    "games": _("Games"),
    "count": _("Counts"),
    "order": _("Order and last resort"),
}
DIRECTIONS = [("", _("default")), ("desc", _("higher is better")), ("asc", _("lower is better"))]
ABOUT_STEP = ("metric", "label", "order")


def metric_choices() -> list[tuple[str, list[tuple[str, str]]]]:
    """Every metric by what it is counted in."""
    return [
        (str(title), [(key, metric.title) for key, metric in METRICS.items() if metric.unit == unit])
        for unit, title in UNITS.items()
    ]


class ItemForm(forms.Form):
    """One item of a list; `before` is the item as it was, for what it says beside its fields."""

    kind = ""

    def __init__(self, number: int, data: Any = None, *, before: dict[str, Any] | None = None) -> None:
        self.number, self.before = number, before or {}
        super().__init__(data, prefix=f"{self.kind}{number}", initial=self.texts(self.before))
        self.build(self.told())

    def texts(self, item: dict[str, Any]) -> dict[str, str]:
        """The texts of the fields of an item."""
        return {name: text_of(value) for name, value in item.items()}

    def build(self, told: Mapping[str, str]) -> None:
        """Add the fields that depend on others."""

    def told(self) -> dict[str, str]:
        """The current texts: what was sent, otherwise the item's own."""
        if not self.is_bound:
            return dict(self.initial)
        here = f"{self.prefix}-"
        return {name.removeprefix(here): self.data[name] for name in self.data if name.startswith(here)}


class StepForm(ItemForm):
    """One step: a metric, the publisher's own name for its column, and the parameters that metric knows."""

    kind = "step"
    metric = forms.ChoiceField(label=_("Rank by"))
    label = forms.CharField(label=_("Column name"), max_length=LONGEST, required=False)
    order = forms.ChoiceField(label=_("Which is better"), choices=DIRECTIONS, required=False)

    def texts(self, item: dict[str, Any]) -> dict[str, str]:
        """The parameters stand among the fields; no metric has one named like these."""
        params = item.get("params") or {}
        return {name: text_of(value) for name, value in {**params, **item, "params": None}.items()}

    def build(self, told: Mapping[str, str]) -> None:
        """One field a parameter of the metric that is chosen."""
        self.of = METRICS.get(told.get("metric", ""))
        open_ = [] if self.of else [("", _("choose one"))]
        self.fields["metric"].choices = [*open_, *metric_choices()]  # type: ignore[attr-defined]
        if self.of is None:
            return
        self.fields["label"].widget.attrs["placeholder"] = self.of.title
        self.fields["metric"].help_text = self.of.formula
        for name, param in self.of.params.items():
            self.fields[f"{name}"] = _param_field(param)

    @property
    def settings(self) -> list[Any]:
        """The fields of the metric's parameters."""
        return [self[name] for name in self.fields if name not in ABOUT_STEP]

    @property
    def is_set(self) -> bool:
        """Whether a parameter is said, or is wrong: then they are not folded away."""
        return any(field.value() or field.errors for field in self.settings)

    @property
    def title(self) -> str:
        """What the column is called."""
        return self.told().get("label") or (self.of.title if self.of else str(_("new tiebreaker")))

    def item(self) -> dict[str, Any]:
        """The step as a profile holds it; after `is_valid`."""
        step: dict[str, Any] = {"metric": self.cleaned_data["metric"]}
        params, known = {}, self.before.get("params") or {}
        for name, param in (self.of.params if self.of else {}).items():
            text = self.cleaned_data.get(name) or ""
            if name in known and text == text_of(known[name]):
                params[name] = known[name]
            elif text:
                try:
                    params[name] = value_of(param.kind, text)
                except Unreadable as error:
                    self.add_error(name, str(error))
        if params:
            step["params"] = params
        if self.cleaned_data["order"]:
            step["order"] = self.cleaned_data["order"]
        if label := self.cleaned_data["label"].strip():
            step["label"] = label
        return step


def _param_field(param: Param) -> forms.Field:
    usual = text_of(param.default)
    about: dict[str, Any] = {
        "label": param.name.replace("_", " ").capitalize(),
        "help_text": param.meaning,
        "required": False,
    }
    nothing = _("ruleset default, otherwise %(usual)s") % {"usual": usual} if usual else _("ruleset default")
    if param.kind == "switch":
        return forms.ChoiceField(choices=[("", nothing), (YES, _("yes")), (NO, _("no"))], **about)
    if param.kind == "choice":
        return forms.ChoiceField(choices=[("", nothing), *((w, w) for w in param.choices)], **about)
    field = forms.CharField(max_length=LONGEST, **about)
    field.widget.attrs["placeholder"] = usual
    return field


class RowForm(ItemForm):
    """One row of the rounds table: a range of player counts with its rounds and cut."""

    kind = "row"
    min = forms.IntegerField(label=_("Players from"), min_value=1, max_value=10**6)
    max = forms.IntegerField(label=_("Players to"), min_value=1, max_value=10**6, required=False)
    rounds = forms.IntegerField(label=_("Rounds"), min_value=0, max_value=99)
    cut = forms.IntegerField(label=_("Cut to top"), min_value=0, max_value=64, required=False)
    stage = forms.ChoiceField(
        label=_("Played as"),
        choices=[("swiss", _("Swiss")), ("single_elimination", _("single elimination suggested"))],
        required=False,
    )

    def item(self) -> dict[str, Any]:
        """The row as a profile holds it; after `is_valid`."""
        data = self.cleaned_data
        row = {"min": data["min"], "max": data["max"], "rounds": data["rounds"], "cut": data["cut"] or 0}
        stage = data["stage"] or "swiss"
        return {**row, "stage": stage} if stage != "swiss" or "stage" in self.before else row


class ItemList:
    """The items of one list in the order in which they stand, sent or as the profile has them."""

    def __init__(
        self, form: type[ItemForm], most: int, items: list[dict[str, Any]], data: Any = None
    ) -> None:
        self.form, self.most, self.items = form, most, items
        self.name = f"{form.kind}s"
        self.bound = data is not None
        if data is None:
            self.forms = [form(number, before=item) for number, item in enumerate(items)]
        else:
            self.forms = [self._sent(number, data) for number in self._numbers(data)]

    def _numbers(self, data: Any) -> list[int]:
        """The numbers that were sent, each once; nonsense is passed over."""
        sent = [
            text for text in data.getlist(self.name) if text.isascii() and text.isdigit() and len(text) < 5
        ]
        return list(dict.fromkeys(int(text) for text in sent))[: self.most + 1]  # one more than is allowed

    def _sent(self, number: int, data: Any) -> ItemForm:
        return self.form(number, data, before=self.items[number] if number < len(self.items) else None)

    def is_valid(self) -> bool:
        """Whether every item can be read."""
        checked = [form.is_valid() for form in self.forms]
        return all(checked)

    def value(self) -> list[dict[str, Any]]:
        """The list as a profile holds it."""
        return [form.item() for form in self.forms]  # type: ignore[attr-defined]

    def add_fault(self, rest: str, message: str) -> bool:
        """Say a fault of `[3].params.floor` at its field. False where there is no such item."""
        place, _dot, field = rest.partition("]")
        index = int(place[1:]) if place[1:].isdigit() else -1
        if not 0 <= index < len(self.forms):
            return False
        name = field.rpartition(".")[2]
        form = self.forms[index]
        form.add_error(name if name in form.fields else None, message)
        return True


def arranged(data: Any) -> Any:
    """What was sent, after the one thing its button asks for: `do` is up-3, down-3, remove-3, add or add-row."""
    data = data.copy()
    do, _dash, place = data.get("do", "").partition("-")
    name = "rows" if place.startswith("row") else "steps"
    numbers = data.getlist(name)
    place = place.rpartition("-")[2]
    if do == "add":
        known = [int(text) for text in numbers if text.isascii() and text.isdigit() and len(text) < 5]
        numbers.append(str(max(known, default=-1) + 1))
    elif place in numbers:
        at = numbers.index(place)
        if do == "remove":
            numbers.remove(place)
        else:
            to = max(at - 1, 0) if do == "up" else at + 1
            numbers.insert(to, numbers.pop(at))
    data.setlist(name, numbers)
    return data
