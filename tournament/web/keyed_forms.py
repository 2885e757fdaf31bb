"""Forms with a key, so that each is executed once, however often it is sent."""

import uuid
from collections.abc import Callable, Collection, Iterable
from typing import Any

from crispy_forms.helper import FormHelper
from crispy_forms.layout import Div, Layout
from django import forms
from django.core.validators import ProhibitNullCharactersValidator, RegexValidator
from django.db.models import CharField, IntegerField, Model
from django.forms.utils import flatatt
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from tournament.errors import NeedsConfirmation, Refused
from tournament.text import FAR_TOO_LONG, clean_name

LARGEST = 2**31 - 1
MOST_STAGES = 99
LONGEST_REASON = 500
NOT_INTACT = _("This form did not arrive intact. Reload the page.")


def fresh_key() -> str:
    return uuid.uuid4().hex


def build_column_field(model: type[Model], column: str, **beyond: Any) -> Any:
    """Return the form field of a column, with its label, limit and choices. `beyond`: more options."""
    field = model._meta.get_field(column)
    if isinstance(field, IntegerField):
        beyond = {"form_class": NumberField, **beyond}
    elif isinstance(field, CharField):
        beyond = {"form_class": CleanField, **beyond}
    return field.formfield(**beyond)  # type: ignore[union-attr]


class CleanField(forms.CharField):
    """A short text without control and direction characters, limited to the column's length."""

    def to_python(self, value: Any) -> str:
        text = super().to_python(value) or ""
        ProhibitNullCharactersValidator()(text)
        if self.max_length is not None and len(text) > FAR_TOO_LONG * self.max_length:
            return text  # rejected for its length without cleaning it
        return clean_name(text)


class NumberField(forms.IntegerField):
    """A whole number within limits, which the error message states. `words`: another message."""

    def __init__(self, *, min_value: int, max_value: int = LARGEST, words: Any = "", **more: Any) -> None:
        text = _("Enter a whole number from {least} to {most}.")
        if max_value == LARGEST:
            text = _("Enter a whole number, at least {least}.")
        words = words or format_lazy(text, least=min_value, most=max_value)
        errors = dict.fromkeys(("invalid", "min_value", "max_value"), words) | more.pop("error_messages", {})
        super().__init__(min_value=min_value, max_value=max_value, error_messages=errors, **more)


class ReasonField(forms.CharField):
    """A reason. The service requires it rather than the form, so that other input stays."""

    def validate(self, value: Any) -> None:
        pass  # empty is allowed


class BareHiddenInput(forms.HiddenInput):
    """A hidden input rendered without a template: a page may have hundreds."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        shown = self.format_value(value) or ""
        return format_html('<input type="hidden" name="{}" value="{}"{}>', name, shown, flatatt(self.attrs))


class OfferingInput(forms.TextInput):
    """A text input with suggestions. `name`: the id of their list; `options`: the attributes of each."""

    def __init__(
        self, name: str, options: Iterable[dict[str, Any]], attrs: dict[str, Any] | None = None
    ) -> None:
        super().__init__({"autocomplete": "off", "list": name, **(attrs or {})})
        self.options = list(options)

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        options = format_html_join("", "<option{}></option>", ((flatatt(option),) for option in self.options))
        field = super().render(name, value, attrs, renderer)
        return format_html('{}<datalist id="{}">{}</datalist>', field, self.attrs["list"], options)


class KeyField(forms.CharField):
    """The form's hidden key. A form sent without one, for example by a script, is executed each time."""

    def __init__(self) -> None:
        intact = RegexValidator(r"\A[0-9a-zA-Z._-]{1,64}\Z", NOT_INTACT)
        super().__init__(
            required=False, max_length=64, widget=BareHiddenInput, initial=fresh_key, validators=[intact]
        )


class ShownField(forms.CharField):
    """A hidden field with the value that the page showed, to know what the person saw."""

    widget = BareHiddenInput

    def __init__(self) -> None:
        super().__init__(required=False)

    def bound_data(self, data: Any, initial: Any) -> Any:
        """Return the current value even if the form was refused."""
        return initial


class CodesField(ShownField):
    def prepare_value(self, value: Any) -> str:
        return "\n".join(value or ())

    def clean(self, value: Any) -> list[str]:
        return (super().clean(value) or "").split()


class SessionField(NumberField):
    """The number of one of several parallel Swiss stages, hidden or to be chosen; None for the usual one."""

    def __init__(self) -> None:
        super().__init__(
            label=_("Session"),
            required=False,
            min_value=1,
            max_value=MOST_STAGES,
            words=_("There is no such session."),
            widget=BareHiddenInput,
        )


class KeyedForm(forms.Form):
    """A form with a fresh key. After `submit`, `result` is the service's result, or `refusal` its error."""

    result: Any = None
    refusal: Refused | None = None
    send: Any = ""
    look = "primary"  # of the button
    unsent: Collection[str] = ("key",)  # fields that the service does not take
    key = KeyField()

    @property
    def helper(self) -> FormHelper:
        names = [field.name for field in self.visible_fields()]
        return lay_out_form(*names, button(self.send, self.look))

    @property
    def status(self) -> int:
        if self.refusal:
            return self.refusal.status
        return 422 if self.is_bound else 200

    def set_choices(self, name: str, choices: Iterable[Any]) -> None:
        """Offer these values. A field that is not a ChoiceField accepts others, too: the service checks them."""
        field: Any = self.fields[name]
        (field if isinstance(field, forms.ChoiceField) else field.widget).choices = list(choices)

    def fields_for_service(self) -> dict[str, Any]:
        return {name: value for name, value in self.cleaned_data.items() if name not in self.unsent}

    def submit(self, service: Callable[..., Any], *about: Any, **more: Any) -> bool:
        """Send a valid form to `service`. Returns whether it succeeded; otherwise the form has its error."""
        if not self.is_valid():
            return False
        try:
            fields = self.fields_for_service()
            self.result = service(*about, **more, **fields, key=self.cleaned_data["key"])
        except NeedsConfirmation:
            raise  # shown again for confirmation
        except Refused as error:
            self.refuse(error)
            return False
        return True

    def refuse(self, error: Refused) -> None:
        self.add_error(None, str(error))
        self.refusal = error


class ActForm(KeyedForm):
    reason = forms.CharField(required=False, max_length=LONGEST_REASON)


class SureForm(forms.Form):
    sure = forms.BooleanField(required=False)


class SessionForm(forms.Form):
    session = SessionField()


class ButtonForm(KeyedForm):
    """The hidden fields of a button: its key, and `values` that say what it is about."""

    def __init__(self, **values: Any) -> None:
        super().__init__(initial=values, auto_id=False)
        for name in values:
            self.fields[name] = forms.CharField(required=False, widget=BareHiddenInput)


class Element:
    """A part of a layout, translated at each rendering because layouts outlive a request."""

    def __init__(self, tag: str, text: Any, attributes: dict[str, Any]) -> None:
        self.tag, self.text, self.attributes = tag, text, attributes

    def render(self, form: Any, context: Any, template_pack: Any = None, **kwargs: Any) -> SafeString:
        return format_html("<{0}{1}>{2}</{0}>", self.tag, flatatt(self.attributes), self.text)


def button(text: Any, look: str = "primary", **attributes: Any) -> Element:
    return Element("button", text, {"type": "submit", "class": f"btn {look}".strip(), **attributes})


def link(text: Any, address: str, look: str = "btn text") -> Element:
    return Element("a", text, {"class": look, "href": address})


def lay_out_form(
    *parts: Any, action: str = "", method: str = "post", css: str = "", tag: bool = True, **attributes: Any
) -> FormHelper:
    """Lay out a form with these parts, fields by name, and the token. `tag=False`: the page writes `<form>`."""
    helper = FormHelper()
    helper.layout = Layout(*parts)
    helper.form_action, helper.form_method, helper.form_class = action, method, css
    helper.form_tag = tag
    helper.render_hidden_fields = True
    helper.attrs = attributes
    return helper


class Details(Div):
    """Fields folded under a summary. `opened`: unfolded, because a field is filled in or invalid."""

    template = "look/layout/details.html"

    def __init__(self, summary: Any, *fields: Any, value: Any = "", opened: bool = False) -> None:
        super().__init__(*fields, css_class="fold")
        self.summary, self.value, self.opened = summary, value, opened
