"""Addresses that are still free."""

from collections.abc import Collection

from django.db.models import Model


def free_slug(model: type[Model], wanted: str, reserved: Collection[str] = (), column: str = "slug") -> str:
    """The address, or the first one with a number after it that no row of the model has in that column."""
    rows = model._default_manager.filter(**{f"{column}__startswith": wanted})
    taken = {*reserved, *rows.values_list(column, flat=True)}
    number, slug = 1, wanted
    while slug in taken:
        number += 1
        slug = f"{wanted}-{number}"
    return slug
