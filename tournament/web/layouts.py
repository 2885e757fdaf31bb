from typing import Any

from crispy_forms.helper import FormHelper
from crispy_forms.layout import Div, Layout
from django import forms
from django.forms.utils import flatatt
from django.utils.html import format_html
from django.utils.safestring import SafeString


class Element:
    """A part of a layout, translated at each rendering: layouts outlive a request."""

    def __init__(self, tag: str, text: Any, attributes: dict[str, Any]) -> None:
        self.tag, self.text, self.attributes = tag, text, attributes

    def render(self, form: Any, context: Any, template_pack: Any = None, **kwargs: Any) -> SafeString:
        return format_html("<{0}{1}>{2}</{0}>", self.tag, flatatt(self.attributes), self.text)


def button(text: Any, look: str = "btn-primary", **attributes: Any) -> Element:
    return Element("button", text, {"type": "submit", "class": f"btn {look}", **attributes})


def link(text: Any, address: str, look: str = "btn btn-link") -> Element:
    return Element("a", text, {"class": look, "href": address})


def helper_of(
    *parts: Any, action: str = "", method: str = "post", css: str = "", tag: bool = True, **attributes: Any
) -> FormHelper:
    """Lay out a form with these parts, fields by name. `tag=False`: the page writes `<form>` and the token itself."""
    helper = FormHelper()
    helper.layout = Layout(*parts)
    helper.form_action, helper.form_method, helper.form_class = action, method, css
    helper.form_tag, helper.disable_csrf = tag, not tag
    helper.render_hidden_fields = True
    helper.attrs = attributes
    return helper


class Details(Div):
    """Fields folded under a summary. `opened`: unfolded, because a field is filled in or invalid."""

    template = "layouts/details.html"

    def __init__(self, summary: Any, *fields: Any, opened: bool = False, css_class: str = "mb-3") -> None:
        super().__init__(*fields, css_class=css_class)
        self.summary, self.opened = summary, opened


class PlainForm(forms.Form):
    """A form with the plain layout: all its fields, and the button labelled `send`. `tag`: see `helper_of`."""

    send: Any
    look = "btn-primary"  # of the button
    css = ""
    tag = True

    @property
    def helper(self) -> FormHelper:
        names = [field.name for field in self.visible_fields()]
        return helper_of(*names, button(self.send, self.look), css=self.css, tag=self.tag)
