"""What the fields of facts are called, and their values for a reader, by the models' own labels and choices."""

import datetime as dt
from typing import Any

from django.db import models
from django.utils.translation import gettext as _

from tournament.actionlog.facts import Kind
from tournament.models import Tournament
from tournament.text.prizes import prizes_words


def field_label(kind: Kind, name: str) -> str:
    """What a field is called. Raises FieldDoesNotExist."""
    return str(kind.column(name).verbose_name)


def field_value_words(kind: Kind, name: str, value: Any, zone: dt.tzinfo = dt.UTC) -> str:
    """A field's value, given as the log writes it; moments on the clock of that zone."""
    column = kind.column(name)
    if column.name == "prizes":
        value = prizes_words(value)
    elif column.name == "screens":
        value = [str(Tournament.Screen(screen).label) for screen in value]
    elif column.flatchoices:
        value = dict(column.flatchoices).get(value, value)
    elif isinstance(column, models.DateTimeField) and value:
        value = dt.datetime.fromisoformat(value).astimezone(zone).strftime("%Y-%m-%d %H:%M")
    return value_words(value)


def value_words(value: Any) -> str:
    """A value that needs nothing to be read but itself."""
    if value is None or value in ([], ""):
        return _("none")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)
