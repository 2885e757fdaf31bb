"""Parts of addresses: round and table numbers that fit their columns, entry codes without control characters."""

from django.urls import register_converter


class Number:
    """A round or table number, from 1."""

    regex = "[1-9][0-9]{0,3}"

    def to_python(self, value: str) -> int:
        return int(value)

    def to_url(self, value: int) -> str:
        return str(value)


class Code:
    """The public code of an entry."""

    regex = r"[^/\x00-\x1f]{1,40}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(Number, "number")
register_converter(Code, "code")
