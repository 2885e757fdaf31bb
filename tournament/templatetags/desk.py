"""Fields for forms that are only a button."""

from django import template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from tournament.forms.results import RowPointsForm
from tournament.results.desk_sheet import DeskRow
from tournament.web.keyed_forms import ButtonForm

register = template.Library()


@register.simple_tag
def button_fields(**values: object) -> SafeString:
    """The hidden fields of a button, beside `{% csrf_token %}`: a fresh key and `values`, the empty ones left out."""
    form = ButtonForm(**{name: value for name, value in values.items() if value not in (None, "")})
    return format_html_join("", "{}", ((field,) for field in form))


@register.simple_tag
def row_points_form(row: DeskRow) -> RowPointsForm:
    """The form of a row that asks for both players' points."""
    return RowPointsForm(row)
