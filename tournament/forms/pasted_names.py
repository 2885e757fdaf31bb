"""A pasted list of names: added at once where every line is a plain new name, else first asked about."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from crispy_forms.helper import FormHelper
from django import forms
from django.utils.functional import cached_property
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from tournament.actionlog.change import digest_of
from tournament.forms.imports import error_words
from tournament.forms.late_entries import LateEntryForm
from tournament.models import Tournament
from tournament.roster import PastedLine, Roster, RosterError, has_header, read_names, read_roster
from tournament.text.clean import LONGEST_NAME, fold_name
from tournament.web.keyed_forms import ShownField
from tournament.web.layouts import Details, button, helper_of, link

LONGEST_LIST = 500_000  # characters
MOST_ASKED = 200  # lines with a choice of their own
READ, TEXT, OUT = "read", "text", "out"


@dataclass(frozen=True, slots=True)
class Question:
    """A line to decide about: why, and what can be done, the proposal first."""

    line: PastedLine
    reason: str
    choices: list[tuple[str, str]]

    @property
    def field_name(self) -> str:
        """The name of its field: the same line in the same place."""
        return f"line-{self.line.number}-{zlib.crc32(self.line.text.encode()):x}"


class NamesForm(LateEntryForm):
    """A list of names, one a line. Lines to decide about stop it once, with a choice for each.

    `cleaned_data`: the `names` to add and their `ratings`; of a table with column names, its `roster` instead.
    """

    names = forms.CharField(
        label=_("Names, one per line"),
        max_length=LONGEST_LIST,
        strip=False,  # a table may end with an empty cell
        error_messages={"required": _("Nothing was added. Enter one name per line.")},
        widget=forms.Textarea(attrs={"rows": 6, "autocomplete": "off", "spellcheck": "false"}),
    )
    seen = ShownField()
    look = "btn-outline-secondary"  # of the button
    back = ""  # the address that begins again
    roster: Roster | None = None

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
        self.initial["seen"] = digest_of(self.questions) if self.questions else ""

    @property
    def helper(self) -> FormHelper:
        """The lines to decide about, the names, what a late entry needs, and the button."""
        if not self.questions:
            return helper_of("names", *self.late_fields, button(_("Add"), self.look), tag=False)
        asked = [question.field_name for question in self.questions[:MOST_ASKED]]
        folded = Details(_("The list as it was pasted"), "names")
        cancel = link(_("Cancel"), self.back, "btn btn-outline-secondary ms-2")
        return helper_of(*asked, folded, *self.late_fields, button(_("Add")), cancel, tag=False)

    @cached_property
    def lines(self) -> list[PastedLine]:
        """The lines that were sent; none where they cannot be read, or are refused for their length unread."""
        text = self.data.get("names", "") if self.is_bound else ""
        if len(text) > LONGEST_LIST:
            return []
        try:
            return [] if has_header(text) else read_names(text)
        except RosterError:
            return []

    @cached_property
    def questions(self) -> list[Question]:
        """The lines that are more than a plain new name."""
        return list(self._ask()) if self.lines else []

    @property
    def plain_lines(self) -> int:
        """How many lines are added as they are."""
        return len(self.lines) - len(self.questions)

    @property
    def more_questions(self) -> int:
        """How many lines are treated as proposed, as there are too many to ask about each."""
        return max(len(self.questions) - MOST_ASKED, 0)

    def _ask(self) -> Iterator[Question]:
        known = self._known_names()
        first: dict[str, int] = {}
        for line in self.lines:
            name = fold_name(line.name)
            reason = known.get(name, "")
            if name in first and not reason:
                values = {"name": line.name, "line": first[name]}
                reason = _t("%(name)s is already in line %(line)s of this list.") % values
            if name:
                first.setdefault(name, line.number)
            if reason or not line.is_plain:
                choices = list(_choices_of(line))
                if reason or not line.name:
                    choices.insert(0, choices.pop())  # to leave it out is proposed
                yield Question(line, reason or _t("This line holds more than a name."), choices)

    def _known_names(self) -> dict[str, str]:
        """{folded name: where it stands already}, but for what this very form has added when it came before."""
        earlier = self.tournament.actions.filter(key=self.data.get("key") or "-").first()
        facts = earlier.changes if earlier else []
        own = [change["fact"].removeprefix("entries/") for change in facts if change.get("before") is None]
        entries = self.tournament.entries.filter(house=False).exclude(code__in=own).exclude(status="merged")
        return {
            fold_name(entry.name): _t("%(name)s (%(code)s) is already registered: %(status)s.")
            % {"name": entry.name, "code": entry.code, "status": entry.get_status_display()}
            for entry in entries.order_by("-code").only("name", "code", "status")
        }

    def clean_names(self) -> str:
        """The text, if it can be read."""
        text: str = self.cleaned_data["names"]
        try:
            if has_header(text):
                self.roster = read_roster(text.encode(), teams=self.tournament.team)
                if self.roster.refused:
                    raise self.roster.refused[0]
            else:
                read_names(text)
        except RosterError as error:
            raise forms.ValidationError(error_words(error)) from None
        return text

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if self.questions and not self.errors and data.get("seen") != self.initial["seen"]:
            count = len(self.questions)
            text = ngettext(
                "Nothing was added yet. Decide about %(count)s line first.",
                "Nothing was added yet. Decide about %(count)s lines first.",
                count,
            )
            raise forms.ValidationError(text % {"count": count})
        return data

    def fields_for_service(self) -> dict[str, Any]:
        """The names and ratings as they were decided, and how to join."""
        fields: dict[str, Any] = super().fields_for_service()
        choices: dict[int, str] = {
            question.line.number: fields.get(question.field_name) or question.choices[0][0]
            for question in self.questions
        }
        people: list[tuple[str, int | None]] = []
        for line in self.lines:
            choice = choices.get(line.number, READ)
            if choice != OUT:
                people.append((line.text, None) if choice == TEXT else (line.name, line.rating))
        ratings = [rating for _name, rating in people]
        return {
            "names": [name for name, _rating in people],
            "ratings": ratings if any(ratings) else None,
            "stage": fields["stage"],
            "reason": fields["reason"],
        }


def _choices_of(line: PastedLine) -> Iterator[tuple[str, str]]:
    """What can be done with a line: as it was read, the whole text as the name, or left out, the last."""
    if line.name:
        read = _t("Add %(name)s, rating %(rating)s") if line.rating else _t("Add %(name)s")
        yield READ, read % {"name": line.name, "rating": line.rating}
    if not line.is_plain and len(line.text) <= LONGEST_NAME:
        yield TEXT, _t("Add “%(text)s” as the name") % {"text": line.text}
    yield OUT, _t("Leave out")
