"""The forms that pages show, their fields, and the body in which a browser sends them."""

from typing import Any
from urllib.parse import urlencode

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from tests.pages import Form, Page

Fields = list[tuple[str, Any]]
TYPED = {"text": "Zoe", "password": "a good long password", "email": "zoe@example.org", "number": "1"}


def forms_on(answer: HttpResponse) -> list[Form]:
    """The forms of a page that post here, filled in where they must be."""
    forms = [form for form in Page(answer).forms if form.method == "post" and form.action.startswith("/")]
    for form in forms:
        for tag in form.tag.select("input[required][name], textarea[required][name]"):
            if tag.get("type") not in ("checkbox", "radio", "file") and form.fields[tag["name"]] == [""]:
                form.fields[tag["name"]] = [TYPED.get(str(tag.get("type", "text")), "")]
    return forms


def flatten(fields: Fields) -> Fields:
    return [(name, one) for name, value in fields for one in (value if isinstance(value, list) else [value])]


def encode_fields(fields: Fields) -> tuple[bytes, str]:
    """Body and content type: multipart where there is a file."""
    if not any(isinstance(value, bytes) for _name, value in fields):
        body = urlencode([(name, str(value)) for name, value in flatten(fields)], errors="surrogatepass")
        return body.encode(), "application/x-www-form-urlencoded"
    data: dict[str, list[Any]] = {}
    for name, value in flatten(fields):
        text = str(value).encode(errors="replace").decode()
        data.setdefault(name, []).append(SimpleUploadedFile("f", value) if isinstance(value, bytes) else text)
    return encode_multipart(BOUNDARY, data), MULTIPART_CONTENT
