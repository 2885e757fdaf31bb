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
from django.utils.translation import ngettext

from tournament.actionlog.change import hash_body
from tournament.event.display_names import Proposal, propose_last_name, turn_name
from tournament.forms.entries import LateEntryForm
from tournament.forms.imports import error_words
from tournament.models import Entry, Tournament
from tournament.roster import PastedLine, RosterError, has_header, read_names, read_roster
from tournament.roster.decode import UNKNOWN
from tournament.text import LONGEST_NAME, name_key
from tournament.web.keyed_forms import Details, KeyedForm, ShownField, button, lay_out_form, link

LONGEST_LIST = 500_000  # characters
MOST_ASKED = 200  # lines that each get a choice
READ, TEXT, OUT = "read", "text", "out"


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
    """A list of names, one per line. Lines that are not plain new names are shown first, doubtful ones with a choice.

    `is_table`: after validation, whether the list has column names and is read like a file.
    """

    as_written = forms.BooleanField(
        label=_("Add each line as a name, exactly as it is written"), required=False
    )
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
        for question in self.questions[:MOST_ASKED]:
            choice = forms.ChoiceField(choices=question.choices, required=False)
            choice.label, choice.help_text = question.line.text, question.reason
            self.fields[question.field_name] = choice
        understood = [(line.number, line.text, line.name, line.details) for line in self.understood]
        doubtful = [(each.line.number, each.line.text, each.reason) for each in self.questions]
        self.initial["seen"] = hash_body([understood, doubtful]) if self.asks else ""

    @property
    def helper(self) -> FormHelper:
        if not self.asks:
            return lay_out_form("names", *self.late_fields, button(_("Add")), tag=False)
        choices = [question.field_name for question in self.questions[:MOST_ASKED]]
        for name in choices:  # not marked as optional; without an answer the first choice counts
            self.fields[name].required = True
        folded = Details(_("The list as it was pasted"), "names")
        cancel = link(_("Cancel"), self.back, "btn")
        return lay_out_form(
            *choices, "as_written", folded, *self.late_fields, button(_("Add")), cancel, tag=False
        )

    def _read(self, text: str) -> list[PastedLine]:
        return read_names(text, teams=self.tournament.team, as_written="as_written" in self.data)

    @cached_property
    def lines(self) -> list[PastedLine]:
        text = self.data.get("names", "") if self.is_bound else ""
        try:
            if text and len(text) <= LONGEST_LIST and not has_header(text):
                return self._read(text)
        except RosterError:
            pass
        return []

    @property
    def asks(self) -> bool:
        return bool(self.questions or self.understood)

    @cached_property
    def questions(self) -> list[Question]:
        return list(self._ask()) if self.lines else []

    @cached_property
    def understood(self) -> list[PastedLine]:
        return [line for line in self.lines if not line.is_plain]

    @property
    def plain_lines(self) -> int:
        doubtful = {question.line.number for question in self.questions}
        return sum(line.is_plain and line.number not in doubtful for line in self.lines)

    @property
    def more_questions(self) -> int:
        """The number of doubtful lines beyond those asked about; each is read as proposed."""
        return max(len(self.questions) - MOST_ASKED, 0)

    def _ask(self) -> Iterator[Question]:
        known = self._known_names()
        first: dict[str, int] = {}
        for line in self.lines:
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
        words, known = _t("%(name)s (%(code)s) is already registered: %(status)s."), {}
        for entry in entries.order_by("-code").only("tournament", "name", "code", "status"):
            values = {"name": entry.name, "code": entry.code, "status": entry.get_status_display()}
            known[name_key(entry.name).replace(" ", "")] = words % values
        return known

    def clean_names(self) -> str:
        text: str = self.cleaned_data["names"]
        try:
            self.is_table = has_header(text)
            if self.is_table:
                roster = read_roster(text.encode(), teams=self.tournament.team)
                if roster.refused:
                    raise roster.refused[0]
            else:
                self._read(text)
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
        for line in self.lines:
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
    """Unconfirmed last names to choose, doubtful ones first, and how many are `left` for the next page."""

    def __init__(self, entries: Sequence[Entry], known: Mapping[str, str], data: Any = None) -> None:
        """`known`: {name: last name} confirmed in earlier events."""
        super().__init__(data)
        proposals = [(entry, _propose_known_name(entry.name, known)) for entry in entries]
        self.people = sorted(proposals, key=lambda row: not row[1].is_doubtful)[:MOST]
        self.left = len(entries) - len(self.people)
        for entry, proposal in self.people:
            choices = [(last, _listed(entry.name, last)) for last in proposal.choices]
            field = forms.ChoiceField(choices=choices, required=False, label=entry.name)
            field.widget.attrs |= {"class": "input", "aria-label": entry.name}
            self.fields[f"last-{entry.code}"] = field
        send = ngettext("Confirm %(count)s last name", "Confirm %(count)s last names", len(self.people))
        self.send = send % {"count": len(self.people)}

    @property
    def helper(self) -> FormHelper:
        return lay_out_form(button(self.send), tag=False)

    @property
    def rows(self) -> list[tuple[Entry, Any, bool]]:
        return [(entry, self[f"last-{entry.code}"], proposal.is_doubtful) for entry, proposal in self.people]

    def fields_for_service(self) -> dict[str, Any]:
        sent = {entry.code: self.cleaned_data[f"last-{entry.code}"] for entry, _proposal in self.people}
        return {"last_names": {code: last for code, last in sent.items() if last}}


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
