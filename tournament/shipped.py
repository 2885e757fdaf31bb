"""The rulesets that ship with the program, put into the database after each migration."""

from django.db import DEFAULT_DB_ALIAS

from tournament import rulesets


def install_rulesets(using: str = DEFAULT_DB_ALIAS, **kwargs: object) -> None:
    """Add each shipped version that is not there yet. A version that is there never changes."""
    from tournament.models import Ruleset  # the app registry is ready by now

    there = set(Ruleset.objects.using(using).values_list("key", "version"))
    Ruleset.objects.using(using).bulk_create(
        Ruleset(key=key, version=profile["version"], name=profile["name"], profile=profile)
        for key, profile in rulesets.presets().items()
        if (key, profile["version"]) not in there
    )
