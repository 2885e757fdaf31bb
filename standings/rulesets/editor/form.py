"""The form that edits a profile: all of its fields for the publisher, those left open for an organizer.

    form = ProfileForm(data, profile=profile, paths=["match_points.draw", "tiebreaks"])
    if form.is_valid():
        form.rules      # the told profile with what was typed
        form.overrides  # only what differs from `profile`, as an event keeps it

Faults of `tournament.rulesets.validate` stand at their fields. With `arranging` the fields show what was sent
without checking it: a step was moved, added or taken away, and nothing is to be saved yet.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from standings.rulesets.editor.lists import ItemForm, ItemList, RowForm, StepForm
from standings.words.field_texts import LONGEST, NO, YES, Unreadable, text_of, value_of
from tournament.rulebooks.field_words import FIELDS, GROUPS, NEVER_OPEN, RuleField
from tournament.rulesets import differences, stated_rules
from tournament.rulesets.schema import MOST_ROWS, MOST_STEPS, drop_value, set_value, value_at
from tournament.services.rulebooks import faults_of

LISTS = ("tiebreaks", "rounds")
BY_FORMULA = {"formula": "ceil(log2(n))"}


class ProfileForm(forms.Form):
    """A field a path, named by it; the order of tiebreaks and the rounds table as lists of small forms."""

    def __init__(
        self,
        data: Any = None,
        *,
        profile: dict[str, Any],
        paths: Iterable[str] | None = None,
        arranging: bool = False,
    ) -> None:
        self.base = stated_rules(profile)
        self.paths = [path for path in FIELDS if paths is None or is_open(path, paths)]
        self.rules: dict[str, Any] = {}
        super().__init__(None if arranging else data, initial=self._initial(data if arranging else None))
        for path in self.paths:
            if FIELDS[path].kind not in LISTS:
                self.fields[path] = field_for(FIELDS[path], value_at(self.base, path))
        self.steps = self._list(StepForm, MOST_STEPS, "tiebreaks", data, arranging)
        self.rows = self._list(RowForm, MOST_ROWS, "rounds_table", data, arranging)
        if self.rows is not None:
            self.fields["rounds_by"] = forms.ChoiceField(
                label=_("Number of rounds comes from"),
                choices=[("table", _("the table below")), ("formula", _("the number of players; no cut"))],
            )

    def _initial(self, sent: Any) -> dict[str, Any]:
        if sent is not None:
            return {**{name: sent[name] for name in sent}, "open": sent.getlist("open")}
        texts: dict[str, Any] = {path: text_of(value_at(self.base, path)) for path in self.paths}
        texts["rounds_by"] = "table" if isinstance(self.base.get("rounds_table"), list) else "formula"
        return texts

    def _list(
        self, form: type[ItemForm], most: int, path: str, data: Any, arranging: bool
    ) -> ItemList | None:
        if path not in self.paths:
            return None
        items = self.base.get(path)
        found = ItemList(form, most, items if isinstance(items, list) else [], data)
        if arranging:
            for item in found.forms:
                item.initial, item.is_bound = item.told(), False
        return found

    def groups(self) -> list[tuple[str, list[Any], list[str]]]:
        """(title, fields, which of the two lists) for each part of the form that has any."""
        found = []
        for title, fields in GROUPS:
            bound = [self[field.path] for field in fields if field.path in self.fields]
            lists = [field.kind for field in fields if field.kind in LISTS and field.path in self.paths]
            if bound or lists:
                found.append((str(title), bound, lists))
        return found

    def clean(self) -> dict[str, Any]:
        """Put what was typed into the rules and say what is wrong with them, each at its field."""
        data = super().clean() or {}
        rules = deepcopy(self.base)
        for path in self.paths:
            if path in data:
                self._put(rules, FIELDS[path], data[path])
        if self.steps is not None and self.steps.is_valid():
            rules["tiebreaks"] = self.steps.value()
        if self.rows is not None and data.get("rounds_by") == "formula":
            rules["rounds_table"] = BY_FORMULA
        elif self.rows is not None and self.rows.is_valid():
            rules["rounds_table"] = self.rows.value()
        self.also_put(rules)
        self.rules = stated_rules(rules)
        for path, message in faults_of(self.rules):
            self.add_fault(path, message)
        return data

    def _put(self, rules: dict[str, Any], field: RuleField, typed: Any) -> None:
        before = value_at(self.base, field.path)
        if typed == text_of(before) or (typed == NO and before is None):
            return
        if typed == "" and field.kind in ("share", "whole"):
            set_value(rules, field.path, None)  # none at all; without the field the usual one would hold
        elif typed == "":
            drop_value(rules, field.path)
        else:
            try:
                set_value(rules, field.path, value_of(field.kind, typed))
            except Unreadable as error:
                self.add_error(field.path, str(error))

    def also_put(self, rules: dict[str, Any]) -> None:
        """What a form of more than the fields adds."""

    def add_fault(self, path: str, message: str) -> None:
        """Say a fault at the field of its path, else above the form with the path."""
        for name, items in (("tiebreaks", self.steps), ("rounds_table", self.rows)):
            if (
                items is not None
                and path.startswith(f"{name}[")
                and items.add_fault(path[len(name) :], message)
            ):
                return
        if path in self.fields:
            self.add_error(path, message)
        else:
            self.add_error(None, f"{path}: {message}" if path else message)

    def is_valid(self) -> bool:
        """Fields, steps and rows together."""
        fine = super().is_valid()
        lists = [items for items in (self.steps, self._used_rows()) if items is not None]
        checked = [items.is_valid() for items in lists]
        return fine and all(checked)

    def _used_rows(self) -> ItemList | None:
        by_formula = (getattr(self, "cleaned_data", None) or {}).get("rounds_by") == "formula"
        return None if by_formula else self.rows

    @property
    def overrides(self) -> dict[str, Any]:
        """What an event keeps of it: the fields that differ, as an archive names them."""
        found: dict[str, Any] = {}
        for change in differences(self.base, self.rules):
            set_value(found, change["path"], change["after"])
        return found

    def faults(self) -> list[tuple[str, str, str]]:
        """(id of the field, its name, what is wrong) of everything that is wrong, in the order of the page."""
        found = [("", "", str(error)) for error in self.non_field_errors()]
        found += [
            (self[n].id_for_label, str(self[n].label), str(e)) for n in self.fields for e in self[n].errors
        ]
        for items in (self.steps, self._used_rows()):
            for item in items.forms if items is not None else ():
                found += [("", str(getattr(item, "title", "")), str(e)) for e in item.non_field_errors()]
                for name in item.fields:
                    where = f"{getattr(item, 'title', '')} {item[name].label}".strip()
                    found += [(item[name].id_for_label, where, str(error)) for error in item[name].errors]
        return found


class DraftForm(ProfileForm):
    """The publisher's: every field, which of them organizers may change, and the draft's revision as seen."""

    seen = forms.IntegerField(widget=forms.HiddenInput, min_value=0)
    opens = forms.ChoiceField(
        label=_("What organizers may change in their events"),
        choices=[("all", _("everything")), ("some", _("only the fields checked below"))],
    )
    open = forms.MultipleChoiceField(
        label=_("Open to organizers"),
        required=False,
        choices=[(path, field.label) for path, field in FIELDS.items() if path not in NEVER_OPEN],
    )

    def __init__(self, *args: Any, revision: int = 0, **kwargs: Any) -> None:
        self.revision = revision
        super().__init__(*args, **kwargs)

    def _initial(self, sent: Any) -> dict[str, Any]:
        texts = super()._initial(sent)
        if sent is None:
            marked = self.base.get("open_fields")
            opens = "all" if marked is None else "some"
            texts |= {"seen": self.revision, "opens": opens, "open": marked or []}
        return texts

    def also_put(self, rules: dict[str, Any]) -> None:
        rules.pop("open_fields", None)
        if self.cleaned_data.get("opens") == "some":
            rules["open_fields"] = self.cleaned_data.get("open", [])

    def open_groups(self) -> list[tuple[str, list[tuple[str, str, bool]]]]:
        """(title, (path, label, marked)) for the list of what organizers may change."""
        marked = self["open"].value() or []
        return [
            (
                str(title),
                [(f.path, str(f.label), f.path in marked) for f in fields if f.path not in NEVER_OPEN],
            )
            for title, fields in GROUPS[1:]
        ]


def is_open(path: str, paths: Iterable[str]) -> bool:
    """Whether a field is among the paths, itself or with all of its part ("match_points")."""
    return path not in NEVER_OPEN and (path in paths or path.partition(".")[0] in paths)


def field_for(field: RuleField, now: Any) -> forms.Field:
    """The form field of one field; what it says `now` can always be kept."""
    typed = field.kind not in ("choice", "said")
    hint = field.hint or (_("If empty: %(usual)s.") % {"usual": field.empty} if field.empty and typed else "")
    about: dict[str, Any] = {"label": field.label, "help_text": hint}
    if field.kind == "switch":
        return SwitchField(required=False, **about)
    if field.kind == "said":
        answers = [("", field.empty), (YES, _("yes")), (NO, _("no"))]
        return forms.ChoiceField(choices=answers, required=False, **about)
    if field.kind in ("choice", "length"):
        choices = [(text_of(value), words) for value, words in field.words.items()]
        if field.empty:
            choices.insert(0, ("", field.empty))
        if text_of(now) not in [text for text, _words in choices]:
            choices.insert(0, (text_of(now), text_of(now) or _("not set")))
        return forms.ChoiceField(choices=choices, required=now is not None and not field.empty, **about)
    longest = {"name": 120, "source": 400}.get(field.path, LONGEST)
    may_be_empty = field.kind in ("follows", "share", "games") or bool(field.empty) or field.path == "source"
    return forms.CharField(max_length=longest, required=not may_be_empty, **about)


class SwitchField(forms.BooleanField):
    """A box to tick, that speaks yes and no like every other text of the form."""

    def prepare_value(self, value: Any) -> bool:
        return value in (True, YES, "on")

    def clean(self, value: Any) -> str:
        return YES if super().clean(value) else NO
