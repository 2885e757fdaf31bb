"""A pasted list of names: added at once if every line is a plain new name, otherwise shown for review."""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crispy_forms.helper import FormHelper
from django import forms
from django.utils.functional import cached_property
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, ngettext_lazy

from tournament.actionlog.change import hash_body
from tournament.event.display_names import Proposal, propose_last_name, turn_name
from tournament.forms.entries import LateEntryForm
from tournament.forms.imports import error_words
from tournament.models import Entry, Tournament
from tournament.roster import (
    Habit,
    PastedLine,
    PastedList,
    RosterError,
    has_header,
    read_example,
    read_names,
    read_roster,
)
from tournament.roster.decode import UNKNOWN
from tournament.text import LONGEST_NAME, name_key
from tournament.web.keyed_forms import Details, KeyedForm, ShownField, button, lay_out_form, link

LONGEST_LIST = 500_000  # characters
MOST_ASKED = 200  # lines that each get a choice
READ, TEXT, OUT = "read", "text", "out"

# Questions about the habits of a list (`tournament.roster.pasted_lists.Habit`), and their choices.
HABITS: dict[str, Any] = {
    "number": ngettext_lazy(
        "%(count)s line begins with a number", "%(count)s lines begin with a number", "count"
    ),
    "bullet": ngettext_lazy(
        "%(count)s line begins with a bullet or dash", "%(count)s lines begin with a bullet or dash", "count"
    ),
    "quote": ngettext_lazy(
        "%(count)s line begins with a quotation mark", "%(count)s lines begin with a quotation mark", "count"
    ),
    "comma": ngettext_lazy("%(count)s line has a comma", "%(count)s lines have a comma", "count"),
    "rating": ngettext_lazy(
        "%(count)s line ends with a number", "%(count)s lines end with a number", "count"
    ),
    "cells": ngettext_lazy(
        "%(count)s line has two words apart", "%(count)s lines have two words apart", "count"
    ),
    "label": ngettext_lazy("%(count)s line has more text", "%(count)s lines have more text", "count"),
}
CHOICES: dict[tuple[str, str], Any] = {
    ("number", "leave"): _("Leave the number out: %(name)s"),
    ("bullet", "leave"): _("Leave it out: %(name)s"),
    ("quote", "leave"): _("Leave them out: %(name)s"),
    ("number", "keep"): _("The number is part of the name: %(name)s"),
    ("bullet", "keep"): _("It is part of the name: %(name)s"),
    ("quote", "keep"): _("They are part of the name: %(name)s"),
    ("comma", "turn"): _("The last name comes first: %(name)s, last name %(last_name)s"),
    ("comma", "keep"): _("Keep the name as written: %(name)s"),
    ("comma", "label"): _("A label follows the comma: %(name)s, label %(labels)s"),
    ("rating", "rating"): _("The number is the rating: %(name)s, rating %(rating)s"),
    ("rating", "name"): _("The number is part of the name: %(name)s"),
    ("cells", "join"): _("First name, then last name: %(name)s"),
    ("cells", "turn"): _("Last name, then first name: %(name)s"),
    ("cells", "label"): _("A name, then a label: %(name)s, label %(labels)s"),
    ("label", "label"): _("Save it as a label: %(name)s, label %(labels)s"),
    ("label", "leave"): _("Leave it out: %(name)s"),
}


@dataclass(frozen=True, slots=True)
class Question:
    """A line to decide about: the reason, and the choices, the proposed one first."""

    line: PastedLine
    reason: str
    choices: list[tuple[str, str]]

    @property
    def field_name(self) -> str:
        return f"line-{self.line.number}-{zlib.crc32(self.line.text.encode()):x}"


class NamesForm(LateEntryForm):
    """A list of names, one per line.

    A question that concerns several lines is asked once for all of them; a doubtful line has its own choice. Each kind
    of question interrupts only once. `is_table`: after validation, whether the list has column names and is read like a
    file.
    """

    names = forms.CharField(
        label=_("Names, one per line"),
        max_length=LONGEST_LIST,
        strip=False,  # a table may end with an empty cell
        error_messages={"required": _("Nothing was added. Enter one name per line.")},
        widget=forms.Textarea(attrs={"rows": 6, "autocomplete": "off", "spellcheck": "false"}),
    )
    seen = ShownField()
    back = ""  # the URL that begins again
    is_table = False

    def __init__(self, tournament: Tournament, data: Any = None) -> None:
        super().__init__(data)
        self.tournament = tournament
        if tournament.team:
            self.fields["names"].help_text = _(
                "With members: first a line of column names, such as Team; Member 1; Member 2; Captain."
            )
        for habit in self.pasted.habits:
            self.fields[f"all-{habit.key}"] = self._habit_field(habit)
        for question in self.questions[:MOST_ASKED]:
            choice = forms.ChoiceField(choices=question.choices, required=False)
            choice.label, choice.help_text = question.line.text, question.reason
            self.fields[question.field_name] = choice
        asked = [self.pasted.habits, [(each.line, each.reason) for each in self.questions]]
        self.initial["seen"] = hash_body(asked) if self.asks else ""

    def _habit_field(self, habit: Habit) -> forms.ChoiceField:
        example = _t("“%(text)s”") % {"text": read_example(habit, habit.choices[0], {}).text}
        choices = [
            (choice, _choice_words(habit.key, choice, read_example(habit, choice, self.chosen)))
            for choice in habit.choices
        ]
        label = HABITS[habit.key] % {"count": habit.lines}
        return forms.ChoiceField(
            label=_t("%(what)s, such as %(example)s") % {"what": label, "example": example},
            choices=choices,
            required=False,
        )

    @property
    def helper(self) -> FormHelper:
        if not self.asks:
            return lay_out_form("names", *self.late_fields, button(_("Add")), tag=False)
        asked = [f"all-{habit.key}" for habit in self.pasted.habits]
        asked += [question.field_name for question in self.questions[:MOST_ASKED]]
        for name in asked:
            self.fields[
                name
            ].required = True  # not marked as optional; without an answer the first choice counts
        folded = Details(_("The list as it was pasted"), "names")
        cancel = link(_("Cancel"), self.back, "btn")
        return lay_out_form(*asked, folded, *self.late_fields, button(_("Add")), cancel, tag=False)

    @property
    def chosen(self) -> dict[str, str]:
        sent = {key: self.data.get(f"all-{key}", "") for key in HABITS} if self.is_bound else {}
        return {key: choice for key, choice in sent.items() if (key, choice) in CHOICES}

    @cached_property
    def pasted(self) -> PastedList:
        text = self.data.get("names", "") if self.is_bound else ""
        try:
            if text and len(text) <= LONGEST_LIST and not has_header(text):
                return read_names(text, self.chosen, teams=self.tournament.team)
        except RosterError:
            pass
        return PastedList([], [])

    @property
    def asks(self) -> bool:
        return bool(self.questions or self.understood)

    @cached_property
    def questions(self) -> list[Question]:
        return list(self._ask()) if self.pasted.lines else []

    @cached_property
    def understood(self) -> list[PastedLine]:
        return [line for line in self.pasted.lines if not line.is_plain]

    @property
    def plain_lines(self) -> int:
        asked = {question.line.number for question in self.questions}
        return sum(line.is_plain and line.number not in asked for line in self.pasted.lines)

    @property
    def more_questions(self) -> int:
        """The number of lines treated as proposed because there are too many to ask about."""
        return max(len(self.questions) - MOST_ASKED, 0)

    def _ask(self) -> Iterator[Question]:
        known = self._known_names()
        first: dict[str, int] = {}
        for line in self.pasted.lines:
            name = name_key(line.name).replace(" ", "")
            reason = known.get(name, "") if name else ""
            if name in first and not reason:
                values = {"name": line.name, "line": first[name]}
                reason = _t("%(name)s is already in line %(line)s of this list.") % values
            if name:
                first.setdefault(name, line.number)
            doubt = _doubt_words(line)
            if reason or doubt:
                choices = list(_list_line_choices(line))
                if reason or not line.name:
                    choices.insert(0, choices.pop())  # propose to skip it
                yield Question(line, reason or doubt, choices)

    def _known_names(self) -> dict[str, str]:
        """{folded name: why it is already there}, without the names that an earlier submission of this form added."""
        earlier = self.tournament.actions.sent_as(self.data.get("key", "")).first()
        facts = earlier.changes if earlier else []
        own = [change["fact"].removeprefix("entries/") for change in facts if change.get("before") is None]
        entries = self.tournament.entries.filter(house=False).exclude(code__in=own).exclude(status="merged")
        return {
            name_key(entry.name).replace(" ", ""): _t(
                "%(name)s (%(code)s) is already registered: %(status)s."
            )
            % {"name": entry.name, "code": entry.code, "status": entry.get_status_display()}
            for entry in entries.order_by("-code").only("tournament", "name", "code", "status")
        }

    def clean_names(self) -> str:
        text: str = self.cleaned_data["names"]
        try:
            self.is_table = has_header(text)
            if self.is_table:
                roster = read_roster(text.encode(), teams=self.tournament.team)
                if roster.refused:
                    raise roster.refused[0]
            else:
                read_names(text, self.chosen, teams=self.tournament.team)
        except RosterError as error:
            raise forms.ValidationError(error_words(error)) from None
        return text

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if self.asks and not self.errors and data.get("seen") != self.initial["seen"]:
            count = len(self.questions)
            text = _t("Nothing was added yet. Look at how the list is understood first.")
            if count:
                text = ngettext(
                    "Nothing was added yet. Decide about %(count)s line first.",
                    "Nothing was added yet. Decide about %(count)s lines first.",
                    count,
                ) % {"count": count}
            raise forms.ValidationError(text)
        return data

    def fields_for_service(self) -> dict[str, Any]:
        fields: dict[str, Any] = super().fields_for_service()
        choices: dict[int, str] = {
            question.line.number: fields.get(question.field_name) or question.choices[0][0]
            for question in self.questions
        }
        people: list[tuple[str, dict[str, Any]]] = []
        for line in self.pasted.lines:
            choice = choices.get(line.number, READ)
            if choice != OUT:
                people.append((line.text, {}) if choice == TEXT else (line.name, line.details))
        details = [known for _name, known in people]
        return {
            "names": [name for name, _known in people],
            "details": details if any(details) else None,
            "stage": fields["stage"],
            "reason": fields["reason"],
        }


def _choice_words(key: str, choice: str, line: PastedLine) -> str:
    values = {
        "name": line.name,
        "last_name": line.details.get("last_name", ""),
        "rating": line.details.get("rating", ""),
        "labels": ", ".join(line.details.get("labels", ())),
    }
    return str(CHOICES[key, choice]) % values


def _doubt_words(line: PastedLine) -> str:
    if not line.is_doubtful:
        return ""
    if not line.name:
        return _t("There is no name in this line.")
    if UNKNOWN in line.name:
        return _t("Letters are missing in this name.")
    return _t("This may not be the name of one player.")


def _list_line_choices(line: PastedLine) -> Iterator[tuple[str, str]]:
    """Yield a line's choices: as understood, the whole text as the name, and last, skip it."""
    if line.name:
        read = _t("Add %(name)s, rating %(rating)s") if "rating" in line.details else _t("Add %(name)s")
        yield READ, read % {"name": line.name, "rating": line.details.get("rating")}
    if line.name != line.text and len(line.text) <= LONGEST_NAME:
        yield TEXT, _t("Add “%(text)s” as the name") % {"text": line.text}
    yield OUT, _t("Leave out")


MOST = 200  # players on a page


class LastNamesForm(KeyedForm):
    """One page of unconfirmed last names to choose, doubtful ones first. `rest`: confirm all others, too."""

    rest = forms.BooleanField(required=False)

    def __init__(self, entries: Sequence[Entry], known: Mapping[str, str], data: Any = None) -> None:
        """`known`: {name: last name} confirmed in earlier events."""
        super().__init__(data)
        proposals = [(entry, _propose_known_name(entry.name, known)) for entry in entries]
        proposals.sort(key=lambda row: not row[1].is_doubtful)
        self.people, others = proposals[:MOST], proposals[MOST:]
        self.others = {entry.code: proposal.last_name for entry, proposal in others}
        for entry, proposal in self.people:
            choices = [(last, _listed(entry.name, last)) for last in proposal.choices]
            field = forms.ChoiceField(choices=choices, required=False, label=entry.name)
            field.widget.attrs |= {"class": "input", "aria-label": entry.name}
            self.fields[f"last-{entry.code}"] = field
        if others:
            self.fields["rest"].label = ngettext(
                "Also confirm the proposal for %(count)s more player",
                "Also confirm the proposals for %(count)s more players",
                len(others),
            ) % {"count": len(others)}
        else:
            del self.fields["rest"]
        send = ngettext("Confirm %(count)s last name", "Confirm %(count)s last names", len(self.people))
        self.send = send % {"count": len(self.people)}

    @property
    def helper(self) -> FormHelper:
        rest = ["rest"] if "rest" in self.fields else []
        return lay_out_form(*rest, button(self.send), tag=False)

    @property
    def rows(self) -> list[tuple[Entry, Any, bool]]:
        return [(entry, self[f"last-{entry.code}"], proposal.is_doubtful) for entry, proposal in self.people]

    def fields_for_service(self) -> dict[str, Any]:
        sent = {
            entry.code: self.cleaned_data[f"last-{entry.code}"]
            for entry, _proposal in self.people
            if self.cleaned_data[f"last-{entry.code}"]
        }
        return {"last_names": {**(self.others if self.cleaned_data.get("rest") else {}), **sent}}


def _propose_known_name(name: str, known: Mapping[str, str]) -> Proposal:
    proposal = propose_last_name(name)
    if (last := known.get(name)) in (None, proposal.last_name):
        return proposal
    return Proposal(str(last), False, tuple(dict.fromkeys([str(last), *proposal.choices])))


def _listed(name: str, last: str) -> str:
    listed = turn_name(name, last)
    if listed == name and last != name:
        return _t("%(name)s (last name %(last)s)") % {"name": name, "last": last}
    return _t("%(name)s (as written)") % {"name": name} if listed == name else listed
