"""What forms without fields need in a template."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from tournament.web.keyed_forms import fresh_key

register = template.Library()


@register.simple_tag
def key_input() -> SafeString:
    """The hidden field that makes a form done once: `{% key_input %}` beside `{% csrf_token %}`."""
    return format_html('<input type="hidden" name="key" value="{}">', fresh_key())
