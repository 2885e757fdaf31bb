"""What every describer of a change needs: names, clock, and room for what a sentence only counts."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from tournament.actionlog.facts import Kind
from tournament.actionlog.match_facts import Fact
from tournament.history.field_words import field_label, field_value_words

MOST_NAMED = 3

# (round, table, side): the player's code, and the account if the player is also on the staff
Seats = Mapping[tuple[int, int, str], tuple[str, str]]


@dataclass
class Context:
    """One action being described. `actor` did it; `details` is what its sentence only counts."""

    names: Mapping[str, str]  # of players, by code
    seats: Seats
    zone: dt.tzinfo
    actor: str = ""
    details: list[str] = field(default_factory=list)

    def name(self, code: str) -> str:
        """A player's name today; the code of one who is gone."""
        return self.names.get(code, code)

    def clock(self, moment: str, form: str) -> str:
        """A moment of the log on the event's own clock."""
        return dt.datetime.fromisoformat(moment).astimezone(self.zone).strftime(form)

    def counted(self, names: Sequence[str], few: str, many: str) -> list[str]:
        """What happened to these players: a few by name, of many the first ones and their number."""
        if not names:
            return []
        self.details += names if len(names) > MOST_NAMED else []
        values = {"count": len(names), "names": ", ".join(names[:MOST_NAMED])}
        return [(few if len(names) <= MOST_NAMED else many) % values]

    def fields(
        self, kind: Kind, before: Fact, after: Fact, *, silent: Collection[str], of: str = ""
    ) -> Iterator[str]:
        """Each changed field: its label, old and new value, after the name of whose it is.

        Fields that are `silent`, or no columns of the kind (in the log of a file), are left out.
        """
        for name, value in after.items():
            if name in silent or name not in kind.fields:
                continue
            old, new = (field_value_words(kind, name, v, self.zone) for v in (before.get(name), value))
            yield f"{of + ': ' if of else ''}{field_label(kind, name)} {old} → {new}"

    def personal_fields(
        self, kind: Kind, names: Sequence[str], *, silent: Collection[str], of: str
    ) -> Iterator[str]:
        """Personal fields that changed: what they say is not in the log."""
        for name in names:
            if name in kind.personal and name not in silent:
                yield f"{of}: {field_label(kind, name)} {_('changed')}"
