"""Readers of rulesets: what is on offer, who may edit it, which events use it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from django.db.models import F, FilteredRelation, Max, OuterRef, Q, QuerySet, Subquery

from tournament.models import Publisher, Rulebook, Ruleset, Tournament
from tournament.rulesets import stated_rules


def newest_rulesets() -> list[Ruleset]:
    """The newest published version of each rulebook with its publisher, by name. One query."""
    newest = Ruleset.objects.filter(rulebook=OuterRef("rulebook")).order_by("-version").values("pk")[:1]
    found = Ruleset.objects.filter(pk=Subquery(newest)).select_related("rulebook__publisher")
    return sorted(found, key=lambda ruleset: (ruleset.name.casefold(), ruleset.key))


def newest_of(rulebook: Rulebook) -> Ruleset | None:
    """Its newest published version, if there is one."""
    return rulebook.versions.order_by("-version").first()


def rules_before_draft(rulebook: Rulebook) -> dict[str, Any]:
    """What a draft is compared to, as it is told: the newest version, else what the rulebook was copied from."""
    published = newest_of(rulebook) or rulebook.copied_from
    return stated_rules(published.profile) if published else {}


@dataclass(slots=True)
class VersionUse:
    """Which events use one version: `mine` by name, all `others` only counted."""

    mine: list[Tournament] = field(default_factory=list)
    others: int = 0

    @property
    def count(self) -> int:
        return len(self.mine) + self.others


def uses_of(rulebook: Rulebook, user: Any) -> dict[int, VersionUse]:
    """{version: its use}, in two queries. `user` sees the events of whose staff they are, a superuser all."""
    events = Tournament.objects.filter(ruleset__rulebook=rulebook)
    uses: dict[int, VersionUse] = {}
    for event in _seen_by(events, user).annotate(of=F("ruleset__version")):
        uses.setdefault(event.of, VersionUse()).mine.append(event)
    counts = Counter(events.order_by().values_list("ruleset__version", flat=True))
    for version, count in counts.items():
        use = uses.setdefault(version, VersionUse())
        use.others = count - len(use.mine)
    return uses


def _seen_by(events: QuerySet[Tournament], user: Any) -> QuerySet[Tournament]:
    brief = events.only("slug", "name", "state", "starts_at", "time_zone", "profile")
    if not user.is_authenticated:
        return brief.none()
    if user.is_superuser:
        return brief
    me = FilteredRelation("staff", condition=Q(staff__user=user))
    return brief.annotate(me=me).filter(me__isnull=False)


def rulebooks_of_member(user: Any) -> list[Rulebook]:
    """The rulebooks one edits, with their publishers and the number of their newest version, by name."""
    if not user.is_authenticated:
        return []
    mine = Rulebook.objects.filter(publisher__members__user=user).select_related("publisher")
    return list(mine.annotate(newest=Max("versions__version")).order_by("name", "pk"))


def rulebooks_of_publisher(publisher: Publisher, *, drafts: bool = False) -> list[Rulebook]:
    """A publisher's rulebooks with the number of their newest version; `drafts` adds those without one."""
    books = publisher.rulebooks.annotate(newest=Max("versions__version")).order_by("name", "pk")
    return [book for book in books if drafts or book.newest]
