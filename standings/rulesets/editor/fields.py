"""The form field of one field of a ruleset."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from standings.words.field_texts import LONGEST, NO, YES, text_of
from tournament.rulebooks.rule_fields import RuleField

LONGER = {"name": 120, "source": 400}


class SwitchField(forms.BooleanField):
    """A checkbox whose values are yes and no, like every other text of the form."""

    def prepare_value(self, value: Any) -> bool:
        """Whether the box is checked."""
        return value in (True, YES, "on")

    def clean(self, value: Any) -> str:
        """The text that stands for the box."""
        return YES if super().clean(value) else NO


def form_field(field: RuleField, now: Any) -> forms.Field:
    """The form field of a ruleset's field; its value `now` can always be kept."""
    options: dict[str, Any] = {"label": field.label, "help_text": _hint_of(field)}
    if field.kind == "switch":
        return SwitchField(required=False, **options)
    if field.kind == "yes_no":
        answers = [("", field.empty), (YES, _("yes")), (NO, _("no"))]
        return forms.ChoiceField(choices=answers, required=False, **options)
    if field.kind in ("choice", "length"):
        required = now is not None and not field.empty
        return forms.ChoiceField(choices=_choices_of(field, now), required=required, **options)
    may_be_empty = field.kind in ("follows", "share", "games") or bool(field.empty) or field.path == "source"
    return forms.CharField(max_length=LONGER.get(field.path, LONGEST), required=not may_be_empty, **options)


def _hint_of(field: RuleField) -> Any:
    if field.hint or not field.empty or field.kind in ("choice", "yes_no"):
        return field.hint
    return _("If empty: %(usual)s.") % {"usual": field.empty}


def _choices_of(field: RuleField, now: Any) -> list[tuple[str, Any]]:
    choices = [(text_of(value), words) for value, words in field.words.items()]
    if field.empty:
        choices.insert(0, ("", field.empty))
    if text_of(now) not in [text for text, _words in choices]:
        choices.insert(0, (text_of(now), text_of(now) or _("not set")))
    return choices
