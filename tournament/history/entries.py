"""Changes of players and of who is in which stage, in words: a few by name, many by their number."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.actionlog.facts import ENTRY
from tournament.actionlog.match_facts import Fact
from tournament.history.context import MOST_NAMED, Context
from tournament.history.field_words import field_label, value_words

# Fields with sentences of their own, or of no interest to a reader.
SILENT = frozenset(
    "status checked_in seed_rank manual joined_round dropped_after house late same_person_as start lot waits "
    "members".split()
)
# What happened to a few players, and to many at once.
STATUS = {
    "waitlisted": (
        gettext_lazy("%(names)s on the waitlist"),
        gettext_lazy("%(count)s on the waitlist: %(names)s …"),
    ),
    "admitted": (
        gettext_lazy("%(names)s moved up from the waitlist"),
        gettext_lazy("%(count)s moved up from the waitlist: %(names)s …"),
    ),
    "playing": (gettext_lazy("%(names)s reinstated"), gettext_lazy("%(count)s reinstated: %(names)s …")),
    "dropped": (gettext_lazy("%(names)s dropped"), gettext_lazy("%(count)s dropped: %(names)s …")),
    "disqualified": (
        gettext_lazy("%(names)s was disqualified"),
        gettext_lazy("%(count)s were disqualified: %(names)s …"),
    ),
}
CHECK_IN = {
    True: (gettext_lazy("%(names)s checked in"), gettext_lazy("%(count)s checked in: %(names)s …")),
    False: (
        gettext_lazy("check-in undone for %(names)s"),
        gettext_lazy("check-in undone for %(count)s: %(names)s …"),
    ),
}


@dataclass
class EntryChanges:
    """Changes of players in one action. `describe` says what is one player's; the rest is counted."""

    context: Context
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    status: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    check_in: defaultdict[bool, list[str]] = field(default_factory=lambda: defaultdict(list))
    seeds: list[tuple[int | None, int | None, str]] = field(default_factory=list)  # after, before, name
    places: defaultdict[int, list[str]] = field(default_factory=lambda: defaultdict(list))  # by hand; 0: none

    def describe(self, code: str, before: Fact | None, after: Fact | None) -> Iterator[str]:
        """One change of the player `code`."""
        name = self.context.name(code)
        if before is None and after and after.get("status") == "waitlisted":
            self.status["waitlisted"].append(name)
        elif before is None or after is None:
            (self.added if before is None else self.removed).append(name)
        else:
            if "status" in after:
                up = before["status"] == "waitlisted" and after["status"] == "playing"
                self.status["admitted" if up else after["status"]].append(name)
            if "checked_in" in after:
                self.check_in[after["checked_in"]].append(name)
            if "seed_rank" in after:
                self.seeds.append((after["seed_rank"], before["seed_rank"], name))
            if "manual" in after:
                self.places[after["manual"] or 0].append(name)
            yield from self.context.fields(ENTRY, before, after, silent=SILENT, of=name)

    def counts(self) -> Iterator[str]:
        """Who dropped, came back, checked in."""
        for status, names in self.status.items():
            few, many = STATUS.get(status, ("%(names)s", "%(names)s"))
            yield from self.context.counted(names, str(few), str(many))
        for here, names in self.check_in.items():
            few, many = CHECK_IN[here]
            yield from self.context.counted(names, str(few), str(many))

    def summary(self) -> Iterator[str]:
        """Who registered and was removed, and new seeds."""
        yield from self.context.counted(
            self.added, _("%(names)s registered"), _("%(count)s players registered: %(names)s …")
        )
        yield from self.context.counted(
            self.removed, _("%(names)s removed"), _("%(count)s players removed: %(names)s …")
        )
        yield from self._seeding()

    def _seeding(self) -> Iterator[str]:
        """Seeds one by one while they are few; of many the order they make."""
        if len(self.seeds) <= MOST_NAMED:
            label = field_label(ENTRY, "seed_rank")
            for after, before, name in self.seeds:
                yield f"{name}: {label} {value_words(before)} → {value_words(after)}"
            return
        order = [f"{after} {name}" for after, _before, name in sorted(row for row in self.seeds if row[0])]
        self.context.details += order
        if order:
            yield _("manual seeding: %(names)s …") % {"names": ", ".join(order[:MOST_NAMED])}
        else:
            yield _("seeding by rating restored")

    def manual_order(self) -> Iterator[str]:
        """Who was placed by hand among tied players."""
        placed = [name for place in sorted(self.places) if place for name in self.places[place]]
        if placed:
            yield _("manual order: %(names)s") % {"names": ", ".join(placed)}
        elif self.places:
            yield _("manual order removed: %(names)s") % {"names": ", ".join(self.places[0])}


@dataclass
class StageEntryChanges:
    """Who came into a stage and left one, in one action."""

    context: Context
    seeded: int = 0
    moved: defaultdict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))

    def count(self, stage: str, code: str, after: Fact | None) -> None:
        """One change: the player `code` is in that stage now, or no longer."""
        if (after or {}).get("seed"):
            self.seeded += 1
        else:
            self.moved[code]["from" if after is None else "to"] = stage

    def moves(self) -> Iterator[str]:
        """Who changed sessions."""
        for code, stages in self.moved.items():
            if len(stages) == 2:
                values = {"name": self.context.name(code), **stages}
                yield _("%(name)s moved from session %(from)s to session %(to)s") % values

    def cut(self) -> Iterator[str]:
        """How many are in the bracket."""
        if self.seeded:
            yield _("bracket of the top %(count)s set") % {"count": self.seeded}
