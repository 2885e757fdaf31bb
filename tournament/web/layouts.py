"""How crispy lays out a form: its tag, its fields, its buttons."""

from __future__ import annotations

from typing import Any

from crispy_forms.bootstrap import StrictButton
from crispy_forms.helper import FormHelper
from crispy_forms.layout import HTML, Div, Layout
from django.utils.html import format_html


def button(text: Any, look: str = "btn-primary", **attributes: Any) -> StrictButton:
    """A button that sends the form. Crispy renders `text` as a template: never pass what a person typed."""
    return StrictButton(text, css_class=look, **{"type": "submit", **attributes})


def link(text: Any, address: str, look: str = "btn btn-link") -> HTML:
    """A link beside the buttons. Crispy renders `text` as a template: never pass what a person typed."""
    return HTML(format_html('<a class="{}" href="{}">{}</a>', look, address, text))


def helper_of(
    *parts: Any, action: str = "", method: str = "post", css: str = "", tag: bool = True, **attributes: Any
) -> FormHelper:
    """A form of these parts, fields by name; its hidden fields come by themselves.

    `tag=False`: the page writes the `<form>` itself, and the token beside it.
    """
    helper = FormHelper()
    helper.layout = Layout(*parts)
    helper.form_action, helper.form_method, helper.form_class = action, method, css
    helper.form_tag, helper.disable_csrf = tag, not tag
    helper.render_hidden_fields = True
    helper.attrs = attributes
    return helper


class Details(Div):
    """Fields folded away under a summary. `opened`: unfolded, as something in there is filled in or wrong."""

    template = "layouts/details.html"

    def __init__(self, summary: Any, *fields: Any, opened: bool = False, css_class: str = "mb-3") -> None:
        super().__init__(*fields, css_class=css_class)
        self.summary, self.opened = summary, opened
