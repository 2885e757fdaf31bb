"""Tables in forms, by name or by number."""

import re
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.event.table_plan import LAST_TABLE, Venue, find_table, table_name
from tournament.services.event_settings import MOST_SKIPPED


class TableField(forms.CharField):
    """A table, such as "12" or "Feature 1". Cleans to its number; None for none. `use_venue` says what names mean."""

    venue: Venue | None = None

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=40, widget=forms.TextInput(attrs={"autocomplete": "off"}), **kwargs)

    def prepare_value(self, value: Any) -> Any:
        return table_name(self.venue, value) if self.venue and isinstance(value, int) else value

    def clean(self, value: Any) -> int | None:
        text = super().clean(value).strip()
        number = _number_of(text, self.venue)
        if text and not number:
            raise forms.ValidationError(_("Enter a table by its number or its name in the table plan."))
        return number or None


class TablesField(forms.CharField):
    """Tables such as "3, 7, 12-15, Feature 1"; cleans to a list of numbers."""

    venue: Venue | None = None

    def prepare_value(self, value: Any) -> Any:
        return self.text_of(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> list[int]:
        tables: set[int] = set()
        for part in re.split(r"[,;\n]+", re.sub(r"\s*[-–]\s*", "-", super().clean(value))):
            number = _number_of(part.strip(), self.venue)
            tables |= {number} if number else _runs(part, self.venue)
        if len(tables) > MOST_SKIPPED:
            raise forms.ValidationError(
                _("Enter at most %(most)s tables. A higher first table may be what you need."),
                params={"most": MOST_SKIPPED},
            )
        return sorted(tables)

    def text_of(self, tables: list[int]) -> str:
        """The tables as the field takes them: runs of three and more numbers as one."""
        runs: list[list[int]] = []
        for number in tables:
            if runs and runs[-1][-1] == number - 1 and self._name(number).isdigit():
                runs[-1].append(number)
            else:
                runs.append([number])
        parts = [[f"{run[0]}-{run[-1]}"] if len(run) > 2 else map(self._name, run) for run in runs]
        return ", ".join(part for run in parts for part in run)

    def _name(self, number: int) -> str:
        return table_name(self.venue, number) if self.venue else str(number)


def use_venue(form: forms.BaseForm, venue: Venue) -> None:
    """Let the form's fields read and show the names of this event's tables."""
    for field in form.fields.values():
        if isinstance(field, TableField | TablesField):
            field.venue = venue


def _number_of(text: str, venue: Venue | None) -> int:
    """The number of the table so called; 0 for none."""
    number, rest = (find_table(venue, text) if venue else None) or (0, "")
    if re.fullmatch(r"\d{1,4}", text, re.ASCII):
        number, rest = int(text), ""
    return number if not rest and 1 <= number <= LAST_TABLE else 0


def _runs(text: str, venue: Venue | None) -> set[int]:
    """Numbers, runs of them and of names such as A1-A4, between spaces. Raises ValidationError."""
    tables: set[int] = set()
    for part in text.split():
        first, last = (_number_of(end, venue) for end in part.partition("-")[::2])
        if first and last and first <= last:
            tables |= set(range(first, last + 1))
            continue
        run = re.fullmatch(r"(\d{1,4})(?:-(\d{1,4}))?", part, re.ASCII)
        if not (run and 0 < int(run[1]) <= int(run[2] or run[1])):
            raise forms.ValidationError(_("Enter table numbers such as 3, 7, 12-15."))
        tables |= set(range(int(run[1]), int(run[2] or run[1]) + 1))
    return tables
