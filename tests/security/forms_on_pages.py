"""The forms that pages show, as a browser would send them."""

from html.parser import HTMLParser
from typing import NamedTuple

from django.http import HttpResponse

TYPED = {"text": "Zoe", "password": "a good long password", "email": "zoe@example.org", "number": "1"}


class ShownForm(NamedTuple):
    """A form that posts: where to, and what it holds; what must be filled in is.

    `boxes`: names of the boxes that are not ticked; `buttons`: (name, value) of buttons that send
    something themselves.
    """

    action: str
    fields: dict[str, list[str]]
    boxes: set[str]
    buttons: list[tuple[str, str]]


def forms_on(answer: HttpResponse, address: str) -> list[ShownForm]:
    """The forms of a page, but for those that take a file."""
    reader = _Reader(address)
    reader.feed(answer.content.decode())
    return [form for form in reader.forms if form.action.startswith("/")]


class _Reader(HTMLParser):
    def __init__(self, address: str) -> None:
        super().__init__()
        self.address = address
        self.forms: list[ShownForm] = []
        self.fields: dict[str, list[str]] | None = None
        self.name, self.is_required = "", False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        if tag == "form":
            self.fields = {} if values.get("method", "").lower() == "post" else None
            if self.fields is not None:
                self.forms.append(ShownForm(values.get("action") or self.address, self.fields, set(), []))
        if self.fields is None:
            return
        name, kind = values.get("name", ""), values.get("type", "text")
        if tag == "input" and name and kind not in ("checkbox", "radio", "file"):
            self.fields.setdefault(name, []).append(
                values.get("value", "") or ("required" in values and TYPED.get(kind)) or ""
            )
        elif tag == "input" and name and "checked" in values:
            self.fields.setdefault(name, []).append(values.get("value", "on"))
        elif tag == "input" and kind in ("checkbox", "radio"):
            self.forms[-1].boxes.add(name)
        elif tag == "button" and name:
            self.forms[-1].buttons.append((name, values.get("value", "")))
        elif tag in ("select", "textarea"):
            self.name, self.is_required = name, "required" in values
            self.fields.setdefault(name, [])
        elif tag == "option" and self.name and ("selected" in values or not self.fields[self.name]):
            if "selected" in values:
                self.fields[self.name] = []
            self.fields[self.name].append(values.get("value", ""))

    def handle_data(self, text: str) -> None:
        if (
            self.lasttag == "textarea"
            and self.name
            and self.fields is not None
            and not self.fields[self.name]
        ):
            self.fields[self.name].append(text.strip() or ("Zoe" if self.is_required else ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.fields = None
        elif tag in ("select", "textarea"):
            self.name = ""
