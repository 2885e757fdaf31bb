"""A list in a ruleset as a Django formset: its lines are moved, added and removed before anything is saved.

A line keeps its index wherever it is moved: `ORDER` says where it stands, `DELETE` that it was removed.
"""

from typing import Any

from django import forms
from django.forms.utils import ErrorDict
from django.http import QueryDict

from standings.words.field_texts import text_of

Line = Any  # one line of the list, as a profile holds it: an object, or a word


class UncheckedForm(forms.Form):
    """A form that can show what was sent without checking it (`checked=False`): nothing is to be saved yet."""

    def __init__(self, *args: Any, checked: bool = True, **kwargs: Any) -> None:
        self.checked = checked
        super().__init__(*args, **kwargs)

    def full_clean(self) -> None:
        """Check the fields, unless the form only shows them."""
        if self.checked:
            super().full_clean()
        else:
            self._errors, self.cleaned_data = ErrorDict(), {}


class LineForm(UncheckedForm):
    """One line. `before`: as the profile has it, empty for a new one; `line`: as it was sent, after `is_valid`."""

    def __init__(self, *args: Any, before: Line | None = None, **kwargs: Any) -> None:
        self.before = before or {}
        self.line: Line = None
        super().__init__(*args, **kwargs)

    @classmethod
    def texts_of(cls, line: Line) -> dict[str, str]:
        """The texts that the fields of a line show."""
        return {name: text_of(value) for name, value in line.items()}

    @property
    def index(self) -> int:
        """The number that tells the line apart while it is moved."""
        return int(str(self.prefix).rpartition("-")[2])

    @property
    def is_removed(self) -> bool:
        """Whether its button was pressed; the line stays in the form, hidden."""
        return bool(forms.BooleanField().to_python(self["DELETE"].value()))


class LineFormSet(forms.BaseFormSet):
    """The lines of a list, of a profile's `before` or as they were sent."""

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
        initial = [self.form.texts_of(line) for line in self.before]
        super().__init__(data, prefix=self.name, initial=initial)

    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        """The line as it was before. A new line is checked like any other, and its fields are marked as required."""
        before = self.before[index] if index is not None and index < len(self.before) else {}
        return {
            "before": before,
            "checked": self.checked,
            "empty_permitted": False,
            "use_required_attribute": True,
        }

    @property
    def lines(self) -> list[LineForm]:
        """The lines that were not removed, in the order in which they stand."""
        left = [form for form in self.forms if not form.is_removed]
        return sorted(left, key=_place_of) if self.can_order else left

    @property
    def removed_lines(self) -> list[LineForm]:
        """The lines that were removed."""
        return [form for form in self.forms if form.is_removed]

    def add_fault(self, path: str, message: str) -> bool:
        """Add a fault at the field of a path such as `3].params.floor`; False where there is no such line."""
        place, _end, field = path.partition("]")
        number = int(place) if place.isdigit() else -1
        if not 0 <= number < len(self.lines):
            return False
        form, name = self.lines[number], field.rpartition(".")[2]
        form.add_error(name if name in form.fields else None, message)
        return True


def _place_of(form: LineForm) -> float:
    """Where a line stands; a new one comes last."""
    text = str(form["ORDER"].value() or "")
    return int(text) if text.isascii() and text.isdigit() else float("inf")


def arrange_lines(data: QueryDict, formset: LineFormSet, do: str, index: str) -> QueryDict:
    """The data of a formset after one of its buttons: `do` is up, down or remove (of the line `index`), or add."""
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
