"""How crispy lays out a form: its tag, its fields, its buttons."""

from __future__ import annotations

from typing import Any

from crispy_forms.helper import FormHelper
from crispy_forms.layout import Div, Layout
from django.forms.utils import flatatt
from django.utils.html import format_html
from django.utils.safestring import SafeString


class Button:
    """A button that sends the form. Its text is translated at each rendering: layouts outlive a request."""

    def __init__(self, text: Any, look: str, **attributes: Any) -> None:
        self.text, self.attributes = text, {"type": "submit", "class": f"btn {look}", **attributes}

    def render(self, form: Any, context: Any, template_pack: Any = None, **kwargs: Any) -> SafeString:
        """Crispy asks each part of a layout for its HTML."""
        return format_html("<button{}>{}</button>", flatatt(self.attributes), self.text)


class Link:
    """A link beside the buttons."""

    def __init__(self, text: Any, address: Any, look: str) -> None:
        self.text, self.address, self.look = text, address, look

    def render(self, form: Any, context: Any, template_pack: Any = None, **kwargs: Any) -> SafeString:
        """Crispy asks each part of a layout for its HTML."""
        return format_html('<a class="{}" href="{}">{}</a>', self.look, self.address, self.text)


def button(text: Any, look: str = "btn-primary", **attributes: Any) -> Button:
    """A button that sends the form."""
    return Button(text, look, **attributes)


def link(text: Any, address: str, look: str = "btn btn-link") -> Link:
    """A link beside the buttons."""
    return Link(text, address, look)


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
