from collections import Counter, defaultdict
from typing import Any, NamedTuple

from django.db import DEFAULT_DB_ALIAS
from django.db.models import F, FilteredRelation, Max, OuterRef, Q, QuerySet, Subquery

from tournament.models import Ruleset, RulesetVersion, Tournament
from tournament.rulesets import presets, stated_rules


def newest_versions() -> list[RulesetVersion]:
    newest = RulesetVersion.objects.filter(ruleset=OuterRef("ruleset")).order_by("-version").values("pk")[:1]
    versions = RulesetVersion.objects.filter(pk=Subquery(newest))
    return sorted(versions, key=lambda version: (version.name.casefold(), version.key))


def newest_of(ruleset: Ruleset) -> RulesetVersion | None:
    return ruleset.versions.order_by("-version").first()


def rules_before_draft(ruleset: Ruleset) -> dict[str, Any]:
    """Return the rules a draft is compared to: the newest version, or else the ruleset it was copied from."""
    published = newest_of(ruleset) or ruleset.copied_from
    return stated_rules(published.profile) if published else {}


class VersionUse(NamedTuple):
    """The events that use a version: `visible` to the user, and how many `others`."""

    visible: list[Tournament]
    others: int


def uses_of(ruleset: Ruleset, user: Any) -> dict[int, VersionUse]:
    """Return {version: its use}. Users see the events whose staff they belong to, superusers all."""
    events = events_under(ruleset)
    visible: dict[int, list[Tournament]] = defaultdict(list)
    for event in _visible_to(user, events).annotate(used=F("ruleset__version")):
        visible[event.used].append(event)
    counts = Counter(events.order_by().values_list("ruleset__version", flat=True))
    return {
        version: VersionUse(visible[version], count - len(visible[version]))
        for version, count in counts.items()
    }


def events_under(ruleset: Ruleset) -> QuerySet[Tournament]:
    return Tournament.objects.filter(ruleset__ruleset=ruleset)


def _visible_to(user: Any, events: QuerySet[Tournament]) -> QuerySet[Tournament]:
    brief = events.only("slug", "name", "state", "starts_at", "time_zone", "profile")
    if not user.is_authenticated:
        return brief.none()
    if user.is_superuser:
        return brief
    membership = FilteredRelation("staff", condition=Q(staff__user=user))
    return brief.annotate(membership=membership).filter(membership__isnull=False)


def own_rulesets(user: Any) -> list[Ruleset]:
    rulesets = Ruleset.objects.filter(owner=user.pk, owner__isnull=False)
    return list(rulesets.annotate(newest=Max("versions__version")).order_by("name", "pk"))


def install_rulesets(using: str = DEFAULT_DB_ALIAS, **kwargs: object) -> None:
    """Add each built-in version that the database does not have yet, after each migration. None ever changes."""
    profiles = presets()
    Ruleset.objects.using(using).bulk_create(
        (Ruleset(key=key, name=profile["name"]) for key, profile in profiles.items()), ignore_conflicts=True
    )
    rulesets = dict(Ruleset.objects.using(using).filter(owner=None).values_list("key", "pk"))
    RulesetVersion.objects.using(using).bulk_create(
        (
            RulesetVersion(
                ruleset_id=rulesets[key],
                key=key,
                profile=profile,
                version=profile["version"],
                name=profile["name"],
            )
            for key, profile in profiles.items()
        ),
        ignore_conflicts=True,
    )
