"""Put the built-in rulesets into the database after each migration."""

from django.db import DEFAULT_DB_ALIAS

from tournament import rulesets


def install_rulesets(using: str = DEFAULT_DB_ALIAS, **kwargs: object) -> None:
    """Add each built-in version that the database does not have yet. An existing version never changes."""
    from tournament.models import Rulebook, Ruleset  # the app registry is ready by now

    presets = rulesets.presets()
    Rulebook.objects.using(using).bulk_create(
        (Rulebook(key=key, name=profile["name"]) for key, profile in presets.items()), ignore_conflicts=True
    )
    books = dict(Rulebook.objects.using(using).filter(publisher=None).values_list("key", "pk"))
    existing = set(Ruleset.objects.using(using).values_list("key", "version"))
    Ruleset.objects.using(using).bulk_create(
        Ruleset(
            rulebook_id=books[key],
            key=key,
            version=profile["version"],
            name=profile["name"],
            profile=profile,
        )
        for key, profile in presets.items()
        if (key, profile["version"]) not in existing
    )
