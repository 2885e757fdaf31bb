"""What a page's forms would send, and the body in which a browser sends it."""

from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

Fields = list[tuple[str, Any]]


class Forms(HTMLParser):
    """The forms of a page: (where they are sent, their fields as they are filled in)."""

    def __init__(self, html: str, path: str) -> None:
        super().__init__()
        self.forms: list[tuple[str, Fields]] = []
        self.path, self.select = path, ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append((values.get("action") or values.get("hx-post") or self.path, []))
        if not self.forms:
            return
        if tag == "select":
            self.select = values.get("name", "")
        elif tag == "option" and "selected" in values:
            self.forms[-1][1].append((self.select, values.get("value", "")))
        elif tag in ("input", "textarea", "button") and "name" in values:
            self.forms[-1][1].append((values["name"], values.get("value", "")))


def flat(fields: Fields) -> Fields:
    """Fields with a list of values, one by one."""
    return [
        (name, each) for name, value in fields for each in (value if isinstance(value, list) else [value])
    ]


def encoded(fields: Fields) -> tuple[bytes, str]:
    """Body and content type: multipart where there is a file."""
    if not any(isinstance(value, bytes) for _name, value in fields):
        body = urlencode([(name, str(value)) for name, value in flat(fields)], errors="surrogatepass")
        return body.encode(), "application/x-www-form-urlencoded"
    data: dict[str, list[Any]] = {}
    for name, value in flat(fields):
        text = str(value).encode(errors="replace").decode()
        data.setdefault(name, []).append(SimpleUploadedFile("f", value) if isinstance(value, bytes) else text)
    return encode_multipart(BOUNDARY, data), MULTIPART_CONTENT
