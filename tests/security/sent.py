"""Fields of a form, and the body in which a browser sends them."""

from typing import Any
from urllib.parse import urlencode

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

Fields = list[tuple[str, Any]]


def flatten(fields: Fields) -> Fields:
    """Fields with a list of values, one by one."""
    return [
        (name, each) for name, value in fields for each in (value if isinstance(value, list) else [value])
    ]


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
