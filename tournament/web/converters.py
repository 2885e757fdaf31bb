"""Parts of addresses: round and table numbers that fit their columns, entry codes without control characters."""

from django.urls import register_converter
from django.urls.converters import IntConverter, StringConverter


class Number(IntConverter):
    """A round or table number, from 1."""

    regex = "[1-9][0-9]{0,3}"


class Code(StringConverter):
    """The public code of an entry."""

    regex = r"[^/\x00-\x1f]{1,40}"


register_converter(Number, "number")
register_converter(Code, "code")
