"""What was changed in the rules of an event, for every page with its standings."""

from typing import Any

from django import template

from standings.words.rules import rule_changes_in_words
from tournament.models import Tournament

register = template.Library()


@register.inclusion_tag("standings/rules/_changes.html")
def rule_changes(tournament: Tournament) -> dict[str, Any]:
    """The changes made during the event, with their reasons; nothing where there are none."""
    return {"changes": rule_changes_in_words(tournament.profile or {})}
