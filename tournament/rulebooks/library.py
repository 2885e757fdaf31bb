"""Rulebooks and their versions: the newest of each, those of a user or publisher, the events that use them."""

from collections import Counter, defaultdict
from typing import Any, NamedTuple

from django.db import DEFAULT_DB_ALIAS
from django.db.models import F, FilteredRelation, Max, OuterRef, Q, QuerySet, Subquery

from tournament.models import Publisher, Rulebook, Ruleset, Tournament
from tournament.rulesets import presets, stated_rules


def newest_rulesets() -> list[Ruleset]:
    """The newest published version of each rulebook with its publisher, by name. One query."""
    newest = Ruleset.objects.filter(rulebook=OuterRef("rulebook")).order_by("-version").values("pk")[:1]
    rulesets = Ruleset.objects.filter(pk=Subquery(newest)).select_related("rulebook__publisher")
    return sorted(rulesets, key=lambda ruleset: (ruleset.name.casefold(), ruleset.key))


def newest_of(rulebook: Rulebook) -> Ruleset | None:
    """The newest published version; None before the first."""
    return rulebook.versions.order_by("-version").first()


def rules_before_draft(rulebook: Rulebook) -> dict[str, Any]:
    """The stated rules that a draft is compared to: the newest version, else what the rulebook was copied from."""
    published = newest_of(rulebook) or rulebook.copied_from
    return stated_rules(published.profile) if published else {}


class VersionUse(NamedTuple):
    """The events that use a version: `visible` to the user, and how many `others`."""

    visible: list[Tournament]
    others: int


def uses_of(rulebook: Rulebook, user: Any) -> dict[int, VersionUse]:
    """{version: its use}, in two queries. Users see the events whose staff they belong to, superusers all."""
    events = events_under(rulebook)
    visible: dict[int, list[Tournament]] = defaultdict(list)
    for event in _visible_to(user, events).annotate(used=F("ruleset__version")):
        visible[event.used].append(event)
    counts = Counter(events.order_by().values_list("ruleset__version", flat=True))
    return {
        version: VersionUse(visible[version], count - len(visible[version]))
        for version, count in counts.items()
    }


def events_under(rulebook: Rulebook) -> QuerySet[Tournament]:
    """The events that use a version of it."""
    return Tournament.objects.filter(ruleset__rulebook=rulebook)


def _visible_to(user: Any, events: QuerySet[Tournament]) -> QuerySet[Tournament]:
    brief = events.only("slug", "name", "state", "starts_at", "time_zone", "profile")
    if not user.is_authenticated:
        return brief.none()
    if user.is_superuser:
        return brief
    membership = FilteredRelation("staff", condition=Q(staff__user=user))
    return brief.annotate(membership=membership).filter(membership__isnull=False)


def rulebooks_of_member(user: Any) -> list[Rulebook]:
    """The rulebooks of a user's publishers, with publisher and number of the newest version, by name."""
    if not user.is_authenticated:
        return []
    books = Rulebook.objects.filter(publisher__members__user=user).select_related("publisher")
    return list(books.annotate(newest=Max("versions__version")).order_by("name", "pk"))


def rulebooks_of_publisher(publisher: Publisher, *, drafts: bool = False) -> list[Rulebook]:
    """A publisher's rulebooks with the number of the newest version; with `drafts` also those without one."""
    books = publisher.rulebooks.annotate(newest=Max("versions__version")).order_by("name", "pk")
    return [book for book in books if drafts or book.newest]


def install_rulesets(using: str = DEFAULT_DB_ALIAS, **kwargs: object) -> None:
    """Add each built-in version that the database does not have yet, after each migration. None ever changes."""
    profiles = presets()
    Rulebook.objects.using(using).bulk_create(
        (Rulebook(key=key, name=profile["name"]) for key, profile in profiles.items()), ignore_conflicts=True
    )
    books = dict(Rulebook.objects.using(using).filter(publisher=None).values_list("key", "pk"))
    Ruleset.objects.using(using).bulk_create(
        (
            Ruleset(
                rulebook_id=books[key],
                key=key,
                profile=profile,
                version=profile["version"],
                name=profile["name"],
            )
            for key, profile in profiles.items()
        ),
        ignore_conflicts=True,
    )
