"""What a table is called: in every template, as `tournament.config.settings` makes this library built in."""

from django import template

from tournament.event import table_plan

register = template.Library()


@register.filter
def table_name(number: int | None, event: table_plan.Venue) -> str:
    """The name of the table by the event's plan, such as "A12"; "" for no table."""
    return table_plan.table_name(event, number)
