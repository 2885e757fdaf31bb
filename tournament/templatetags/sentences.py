"""Names at the end of sentences."""

from django import template

from tournament.text.display_names import drop_full_stop

register = template.Library()
register.filter("drop_full_stop", drop_full_stop)
