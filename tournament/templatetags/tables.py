"""What a table is called: in every template, as `tournament.config.settings` makes this library built in."""

from django import template

from tournament.event import table_plan

register = template.Library()

LONGEST_NUMBER = 4


@register.filter
def table_name(number: int | None, event: table_plan.Venue) -> str:
    """The name of the table by the event's plan, such as "A12"; "" for no table."""
    return table_plan.table_name(event, number)


@register.filter
def table_size(number: int | None, event: table_plan.Venue) -> str:
    """The class of a table's name where it stands large: "words" for one longer than a number."""
    return "words" if len(table_plan.table_name(event, number)) > LONGEST_NUMBER else ""
