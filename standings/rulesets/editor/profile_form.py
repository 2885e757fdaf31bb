"""The form that edits a profile: all of its fields for the publisher, those left open for an organizer.

    form = ProfileForm(data, profile=profile, paths=["match_points.draw", "tiebreaks"])
    if form.is_valid():
        form.rules  # the profile with what was sent, without what follows from other fields

Lists of words are formsets too. Faults that `tournament.rulesets.validate` finds stand at their fields. A button
that moves, adds or removes a line of a list saves nothing: `arrange_lists` gives the data after it, for a form with
`checked=False`.
"""

from collections.abc import Iterable
from copy import deepcopy
from typing import Any, NamedTuple

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from standings.rulesets.editor.fields import parts_of, rule_form_fields
from standings.rulesets.editor.formsets import LineFormSet, UncheckedForm, arrange_lines
from standings.rulesets.editor.rounds_table import RowFormSet
from standings.rulesets.editor.steps import StepFormSet
from standings.rulesets.editor.word_list import WordFormSet
from tournament.rulebooks.rule_fields import FIELDS, GROUPS, NEVER_OPEN, RuleField
from tournament.rulesets import stated_rules
from tournament.rulesets.schema import drop_value, set_value, value_at
from tournament.services.rulebooks import faults_of

LISTS = ("tiebreaks", "rounds")
FORMSETS = (*LISTS, "ordered")
BY_FORMULA = {"formula": "ceil(log2(n))"}


class Group(NamedTuple):
    """A part of the form: its fields, which of the two large lists stand in it, and its lists of words."""

    title: str
    fields: list[forms.BoundField]
    lists: list[str]
    word_lists: list[WordFormSet]


class FormFault(NamedTuple):
    """Something wrong with what was sent. `id`: of its field, empty for the form; `where`: the field's name."""

    id: str
    where: str
    message: str


class ProfileForm(UncheckedForm):
    """A field for each path, named by it, with the standings order and the rounds table as formsets."""

    def __init__(
        self,
        data: Any = None,
        *,
        profile: dict[str, Any],
        paths: Iterable[str] | None = None,
        checked: bool = True,
    ) -> None:
        self.base = stated_rules(profile)
        self.paths = [path for path in FIELDS if paths is None or is_open(path, paths)]
        self.rules: dict[str, Any] = {}
        super().__init__(data, initial=self.initial_values(), checked=checked)
        for path in self.paths:
            if FIELDS[path].kind not in FORMSETS:
                self.fields |= rule_form_fields(FIELDS[path], value_at(self.base, path))
        self.word_lists = {
            path: self._word_list(path) for path in self.paths if FIELDS[path].kind == "ordered"
        }
        self.steps = self._formset(StepFormSet, "tiebreaks")
        self.rows = self._formset(RowFormSet, "rounds_table")
        if self.rows is not None:
            self.fields["rounds_by"] = forms.ChoiceField(
                label=_("Number of rounds comes from"),
                choices=[("table", _("the table below")), ("formula", _("the number of players; no cut"))],
            )

    def initial_values(self) -> dict[str, Any]:
        """What the fields show at first."""
        values = {path: value_at(self.base, path) for path in self.paths}
        by_table = isinstance(self.base.get("rounds_table"), list)
        return {**values, "rounds_by": "table" if by_table else "formula"}

    def _formset(self, formset: type[LineFormSet], path: str) -> LineFormSet | None:
        if path not in self.paths:
            return None
        return formset(self.data if self.is_bound else None, before=self.base.get(path), checked=self.checked)

    def _word_list(self, path: str) -> WordFormSet:
        before, data = value_at(self.base, path), self.data if self.is_bound else None
        return WordFormSet(data, field=FIELDS[path], before=before, checked=self.checked)

    def groups(self) -> list[Group]:
        """The parts of the form that have any fields."""
        groups = []
        for title, fields in GROUPS:
            names = [name for field in fields for name in _names_of(field)]
            bound = [self[name] for name in names if name in self.fields]
            lists = [field.kind for field in fields if field.kind in LISTS and field.path in self.paths]
            words = [self.word_lists[name] for name in names if name in self.word_lists]
            if bound or lists or words:
                groups.append(Group(str(title), bound, lists, words))
        return groups

    def clean(self) -> dict[str, Any]:
        """Put what was sent into the rules, and check them; each fault stands at its field."""
        data = super().clean() or {}
        rules = deepcopy(self.base)
        for path in self.paths:
            if FIELDS[path].kind == "parts":
                self._put(rules, path, self._parts(path, data))
            elif path in data:
                self._put(rules, path, data[path])
        for path, formset in self.word_lists.items():
            if formset.is_valid():
                self._put(rules, path, [form.line for form in formset.lines] or None)
        if self.steps is not None and self.steps.is_valid():
            rules["tiebreaks"] = [form.line for form in self.steps.lines]
        if self.rows is not None and data.get("rounds_by") == "formula":
            rules["rounds_table"] = BY_FORMULA
        elif self.rows is not None and self.rows.is_valid():
            rules["rounds_table"] = [form.line for form in self.rows.lines]
        self.put_more(rules)
        self.rules = stated_rules(rules)
        for path, message in faults_of(self.rules):
            self.add_fault(path, message)
        return data

    def _parts(self, path: str, data: dict[str, Any]) -> dict[str, Any] | None:
        """The parts of an object that were sent, with the others as they were; None where nothing is left."""
        names = parts_of(FIELDS[path])
        sent = {part: data[name] for part, name in names.items() if name in data}
        whole = {**(value_at(self.base, path) or {}), **sent}
        return {part: value for part, value in whole.items() if value is not None} or None

    def _put(self, rules: dict[str, Any], path: str, value: Any) -> None:
        """Put the value of a field into the rules, if it was changed; an unset switch is no answer."""
        before = value_at(self.base, path)
        if value is before or (value is False and before is None):
            return
        if value is not None or FIELDS[path].kind in ("share", "whole"):
            set_value(rules, path, value)  # None: no value at all; without the field its default would hold
        else:
            drop_value(rules, path)

    def put_more(self, rules: dict[str, Any]) -> None:
        """Put into the rules what a form has besides the fields of the profile."""

    def add_fault(self, path: str, message: str) -> None:
        """Add a fault at the field of its path, else above the form with the path."""
        name, bracket, place = path.partition("[")
        formsets = {"tiebreaks": self.steps, "rounds_table": self.rows, **self.word_lists}
        formset = formsets.get(name) if bracket else None
        if formset is not None and formset.add_fault(place, message):
            return
        if path in self.fields:
            self.add_error(path, message)
        else:
            self.add_error(None, f"{path}: {message}" if path else message)

    def is_valid(self) -> bool:
        """Fields, steps and rows together."""
        valid = super().is_valid()
        return all([valid, *(formset.is_valid() for formset in self._used_formsets())])

    def _used_formsets(self) -> list[LineFormSet]:
        """The lists whose lines count: not the rounds table where the number of players decides."""
        by_formula = (getattr(self, "cleaned_data", None) or {}).get("rounds_by") == "formula"
        lists = [self.steps, None if by_formula else self.rows]
        return [
            *(used for used in lists if used is not None),
            *(used for used in self.word_lists.values() if used.is_bound),
        ]

    def faults(self) -> list[FormFault]:
        """Everything that is wrong, in the order of the page."""
        faults = _faults_of_form(self)
        for formset in self._used_formsets():
            faults += [FormFault("", "", str(error)) for error in formset.non_form_errors()]
            for form in formset.lines:
                faults += _faults_of_form(form, str(getattr(form, "title", "")))
        return faults


def _faults_of_form(form: forms.Form, title: str = "") -> list[FormFault]:
    whole = [FormFault("", title, str(error)) for error in form.non_field_errors()]
    return whole + [
        FormFault(field.id_for_label, f"{title} {field.label}".strip(), str(error))
        for field in (form[name] for name in form.fields)
        for error in field.errors
    ]


def _names_of(field: RuleField) -> list[str]:
    """The names of the form's fields, or of its list, for a field of the ruleset."""
    return [*parts_of(field).values()] if field.kind == "parts" else [field.path]


def is_open(path: str, paths: Iterable[str]) -> bool:
    """Whether a field is among the paths, by itself or with its whole part ("match_points")."""
    return path not in NEVER_OPEN and (path in paths or path.partition(".")[0] in paths)


def arrange_lists(data: QueryDict) -> QueryDict:
    """What was sent, after the button in it: `do` is up-3, remove-row-3, add, add-row, down-pairing.criteria-3."""
    do, _dash, place = data.get("do", "").partition("-")
    formset: LineFormSet
    if path := word_list_in(data.get("do", "")):
        formset = WordFormSet(data, field=FIELDS[path])
    else:
        formset = RowFormSet(data) if place.startswith("row") else StepFormSet(data)
    return arrange_lines(data, formset, do, place.rpartition("-")[2])


def word_list_in(do: str) -> str:
    """The field whose list of words a button is about; empty where it is about another list."""
    path = do.partition("-")[2].rpartition("-")[0]
    return path if path in FIELDS and FIELDS[path].kind == "ordered" else ""
