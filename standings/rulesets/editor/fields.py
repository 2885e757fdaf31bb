from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from standings.words.field_texts import LONGEST, NO, YES, text_of, value_of
from tournament.ruleset_library.rule_fields import RuleField

LONGER = {"name": 120, "source": 400}
YES_NO = [(YES, _("yes")), (NO, _("no"))]


class ValueField(forms.Field):
    """A value as text, None if empty. The current value `now` is kept as long as its text does not change."""

    kind: str
    now: Any

    def prepare_value(self, value: Any) -> str:
        return text_of(value)

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        if text == text_of(self.now):
            return self.now
        return value_of(self.kind, text) if text else None


class TypedValue(ValueField, forms.CharField):
    pass


class ChosenValue(ValueField, forms.ChoiceField):
    pass


def value_field(kind: str, now: Any, choices: Any = None, **options: Any) -> ValueField:
    """Return the form field for a value of that kind, limited to `choices` (text, words) if there are any."""
    field: ValueField = ChosenValue(choices=choices, **options) if choices else TypedValue(**options)
    field.kind, field.now = kind, now
    return field


def rule_form_fields(field: RuleField, now: Any) -> dict[str, forms.Field]:
    """Return a ruleset field's form field by its path, or one per part; current values can always be kept."""
    if field.kind == "parts":
        return {path: _part_form_field(field, name, now or {}) for name, path in parts_of(field).items()}
    return {field.path: _rule_form_field(field, now)}


def parts_of(field: RuleField) -> dict[str, str]:
    return {name: f"{field.path}.{name}" for name in field.inner}


def _part_form_field(field: RuleField, name: str, now: dict[str, Any]) -> forms.Field:
    options = {
        "label": f"{field.label}: {field.inner[name]}",
        "help_text": _("If empty: %(usual)s.") % {"usual": field.empty[name]},
        "initial": now.get(name),
        "required": False,
    }
    return value_field("whole", now.get(name), max_length=LONGEST, **options)


def _rule_form_field(field: RuleField, now: Any) -> forms.Field:
    options: dict[str, Any] = {"label": field.label, "help_text": _hint_of(field)}
    if field.kind == "switch":
        return forms.BooleanField(required=False, **options)
    if field.kind == "yes_no":
        return value_field(field.kind, now, [("", field.empty), *YES_NO], required=False, **options)
    if field.kind in ("choice", "option"):
        required = now is not None and not field.empty
        return value_field(field.kind, now, _choices_of(field, now), required=required, **options)
    may_be_empty = field.kind in ("follows", "share", "games") or bool(field.empty) or field.path == "source"
    longest = LONGER.get(field.path, LONGEST)
    return value_field(field.kind, now, max_length=longest, required=not may_be_empty, **options)


def _hint_of(field: RuleField) -> Any:
    if field.hint or not field.empty or field.kind in ("choice", "option", "yes_no"):
        return field.hint
    return _("If empty: %(usual)s.") % {"usual": field.empty}


def _choices_of(field: RuleField, now: Any) -> list[tuple[str, Any]]:
    text = text_of(now)
    choices = {text_of(value): words for value, words in field.words.items()}
    if field.empty and choices.get(text) != field.empty:  # what an empty one means is not offered twice
        others = {name: words for name, words in choices.items() if words != field.empty}
        choices = {"": field.empty, **others}
    return list(({text: text or _("not set")} | choices if text not in choices else choices).items())
