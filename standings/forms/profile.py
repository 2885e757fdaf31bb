"""The form that edits a profile: all fields for the ruleset's owner, the open ones for an organizer."""

from collections.abc import Callable, Iterable
from copy import deepcopy
from functools import partial
from typing import Any, NamedTuple

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from standings.forms.rule_lists import (
    LineFormSet,
    RowFormSet,
    StepFormSet,
    UncheckedForm,
    WordFormSet,
    arrange_lines,
    name_field_parts,
    rule_form_fields,
)
from tournament.event.profile import ruleset_in_force
from tournament.models import Tournament
from tournament.rulesets import differences, stated_rules
from tournament.rulesets.rule_fields import FIELDS, GROUPS, NEVER_OPEN
from tournament.rulesets.schema import drop_value, set_value, value_at
from tournament.services.rulesets import Version, fixed_fields, list_faults, rules_after
from tournament.web.keyed_forms import BareHiddenInput, KeyField

LISTS = ("tiebreaks", "rounds")
FORMSETS = (*LISTS, "ordered")
BY_FORMULA = {"formula": "ceil(log2(n))"}


class Group(NamedTuple):
    """A section of the form: its fields, which of the two large lists it contains, and its lists of words."""

    title: str
    used: list[forms.BoundField]
    unused: list[forms.BoundField]  # without a value: folded on the page
    lists: list[str]
    word_lists: list[LineFormSet]


class FormFault(NamedTuple):
    id: str  # of its field, empty for the form
    where: str  # the field's name
    message: str


class ProfileForm(UncheckedForm):
    """A field for each path, named after it; the standings order and the rounds table are formsets."""

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
            path: self._formset(partial(WordFormSet, field=FIELDS[path]), path)
            for path in self.paths
            if FIELDS[path].kind == "ordered"
        }
        self.steps = self._formset(StepFormSet, "tiebreaks") if "tiebreaks" in self.paths else None
        self.rows = self._formset(RowFormSet, "rounds_table") if "rounds_table" in self.paths else None
        if self.rows is not None:
            self.fields["rounds_by"] = forms.ChoiceField(
                label=_("Number of rounds comes from"),
                choices=[("table", _("the table below")), ("formula", _("the number of players; no cut"))],
            )

    def initial_values(self) -> dict[str, Any]:
        values = {path: value_at(self.base, path) for path in self.paths}
        by_table = isinstance(self.base.get("rounds_table"), list)
        return {**values, "rounds_by": "table" if by_table else "formula"}

    def _formset(self, formset: Callable[..., LineFormSet], path: str) -> LineFormSet:
        data, before = self.data if self.is_bound else None, value_at(self.base, path)
        return formset(data, before=before, checked=self.checked)

    def groups(self) -> list[Group]:
        groups = []
        for title, fields in GROUPS:
            names = [name for field in fields for name in name_field_parts(field).values()]
            bound = [self[name] for name in names if name in self.fields]
            lists = [field.kind for field in fields if field.kind in LISTS and field.path in self.paths]
            words = [self.word_lists[name] for name in names if name in self.word_lists]
            if bound or lists or words:
                used = [field for field in bound if _is_set(field)]
                unused = [field for field in bound if field not in used]
                groups.append(Group(str(title), used, unused, lists, words))
        return groups

    def clean(self) -> dict[str, Any]:
        """Apply the submitted values to the rules and validate them; each fault appears at its field."""
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
        for path, message in list_faults(self.rules):
            self.add_fault(path, message)
        return data

    def _parts(self, path: str, data: dict[str, Any]) -> dict[str, Any] | None:
        names = name_field_parts(FIELDS[path])
        sent = {part: data[name] for part, name in names.items() if name in data}
        whole = {**(value_at(self.base, path) or {}), **sent}
        return {part: value for part, value in whole.items() if value is not None} or None

    def _put(self, rules: dict[str, Any], path: str, value: Any) -> None:
        before = value_at(self.base, path)
        if value is before or (value is False and before is None):
            return
        if value is not None or FIELDS[path].kind in ("share", "whole"):
            set_value(rules, path, value)  # None: no value at all; without the field its default would hold
        else:
            drop_value(rules, path)

    def put_more(self, rules: dict[str, Any]) -> None:
        pass

    def add_fault(self, path: str, message: str) -> None:
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
        valid = super().is_valid()
        return all([valid, *(formset.is_valid() for formset in self._used_formsets())])

    def _used_formsets(self) -> list[LineFormSet]:
        """The lists to save: without the rounds table if the number of players decides the rounds."""
        by_formula = (getattr(self, "cleaned_data", None) or {}).get("rounds_by") == "formula"
        lists = [self.steps, None if by_formula else self.rows]
        words = [used for used in self.word_lists.values() if used.is_bound]
        return [*(used for used in lists if used is not None), *words]

    def faults(self) -> list[FormFault]:
        faults = _list_form_faults(self)
        for formset in self._used_formsets():
            faults += [FormFault("", "", str(error)) for error in formset.non_form_errors()]
            for form in formset.lines:
                faults += _list_form_faults(form, str(getattr(form, "title", "")))
        return faults


def _is_set(field: forms.BoundField) -> bool:
    value = field.value()
    return bool(field.errors) or (value is not False and value not in (None, ""))


def _list_form_faults(form: forms.Form, title: str = "") -> list[FormFault]:
    whole = [FormFault("", title, str(error)) for error in form.non_field_errors()]
    return whole + [
        FormFault(field.id_for_label, f"{title} {field.label}".strip(), str(error))
        for field in (form[name] for name in form.fields)
        for error in field.errors
    ]


def is_open(path: str, paths: Iterable[str]) -> bool:
    return path not in NEVER_OPEN and (path in paths or path.partition(".")[0] in paths)


def arrange_lists(data: QueryDict) -> QueryDict:
    """Apply the pressed list button. `do` is like up-3, remove-row-3, add, add-row or down-pairing.criteria-3."""
    do, _dash, place = data.get("do", "").partition("-")
    formset: LineFormSet
    if path := word_list_in(data.get("do", "")):
        formset = WordFormSet(data, field=FIELDS[path])
    else:
        formset = RowFormSet(data) if place.startswith("row") else StepFormSet(data)
    return arrange_lines(data, formset, do, place.rpartition("-")[2])


def word_list_in(do: str) -> str:
    """Return the field whose list of words this button changes; "" for buttons of other lists."""
    path = do.partition("-")[2].rpartition("-")[0]
    return path if path in FIELDS and FIELDS[path].kind == "ordered" else ""


class DraftForm(ProfileForm):
    opens = forms.ChoiceField(
        label=_("What organizers may change in their events"),
        choices=[("all", _("everything")), ("some", _("only the fields checked below"))],
    )
    open = forms.MultipleChoiceField(
        label=_("Open to organizers"),
        required=False,
        choices=[(path, field.label) for path, field in FIELDS.items() if path not in NEVER_OPEN],
        widget=forms.CheckboxSelectMultiple(attrs={"class": "form-check-input"}),
    )

    def initial_values(self) -> dict[str, Any]:
        open_fields = self.base.get("open_fields")
        opens = "all" if open_fields is None else "some"
        return {**super().initial_values(), "opens": opens, "open": open_fields or []}

    def put_more(self, rules: dict[str, Any]) -> None:
        rules.pop("open_fields", None)
        if self.cleaned_data.get("opens") == "some":
            rules["open_fields"] = self.cleaned_data.get("open", [])

    def open_groups(self) -> list[tuple[str, list[Any]]]:
        """Return (title, checkboxes) per group, for choosing what organizers may change."""
        boxes = {box.data["value"]: box for box in self["open"].subwidgets}
        return [
            (str(title), [boxes[field.path] for field in fields if field.path in boxes])
            for title, fields in GROUPS[1:]
        ]


SET_ELSEWHERE = "best_of_swiss"


class EventRulesForm(ProfileForm):
    """The rules of an event, with the values it has now or those of another `version` of a ruleset."""

    key = KeyField()
    ruleset = forms.CharField(widget=BareHiddenInput, required=False)

    def __init__(
        self,
        data: Any = None,
        *,
        tournament: Tournament,
        version: Version | None = None,
        checked: bool = True,
    ) -> None:
        self.tournament, self.version = tournament, version
        profile = rules_after(tournament, version, None) if version else ruleset_in_force(tournament)
        super().__init__(data, profile=profile, paths=_open_paths(tournament, profile), checked=checked)

    def initial_values(self) -> dict[str, Any]:
        return {**super().initial_values(), "ruleset": ":".join(map(str, self.version or ()))}

    @property
    def overrides(self) -> dict[str, Any]:
        """Return the event's changes to the ruleset in archive form. Call after `is_valid`."""
        overrides: dict[str, Any] = {}
        for change in differences(stated_rules(rules_after(self.tournament, self.version, None)), self.rules):
            set_value(overrides, change["path"], change["after"])
        return overrides


def _open_paths(tournament: Tournament, profile: dict[str, Any]) -> list[str]:
    open_fields = profile.get("open_fields")
    closed = {*fixed_fields(tournament), SET_ELSEWHERE}
    changeable = FIELDS if open_fields is None else open_fields
    return [path for path in FIELDS if is_open(path, changeable) and not is_open(path, closed)]
