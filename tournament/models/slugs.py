from collections.abc import Collection

from django.db import IntegrityError, transaction
from django.db.models import Model


def free_slug(model: type[Model], wanted: str, reserved: Collection[str] = (), column: str = "slug") -> str:
    """Return the slug or, if it is taken or reserved, the first free one with a number added."""
    rows = model._default_manager.filter(**{f"{column}__startswith": wanted})
    taken = {"new", *reserved, *rows.values_list(column, flat=True)}  # /t/new/ is a page
    number, slug = 1, wanted
    while slug in taken:
        number += 1
        slug = f"{wanted}-{number}"
    return slug


def insert_at_free_slug(
    row: Model, wanted: str, reserved: Collection[str] = (), column: str = "slug"
) -> None:
    """Insert a row at its `free_slug`, retrying if someone else takes it at the same moment."""
    rows = type(row)._default_manager
    while True:
        slug = free_slug(type(row), wanted, reserved, column)
        setattr(row, column, slug)
        try:
            with transaction.atomic():
                row.save(force_insert=True)
            return
        except IntegrityError:
            if not rows.filter(**{column: slug}).exists():  # another constraint failed
                raise
