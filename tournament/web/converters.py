from django.urls import register_converter
from django.urls.converters import IntConverter, StringConverter


class Number(IntConverter):
    regex = "[1-9][0-9]{0,3}"


class Code(StringConverter):
    regex = r"[^/\x00-\x1f]{1,40}"


class Moved(StringConverter):
    """The former last part of a desk page's address; its value is the page's URL name."""

    names = {name: name for name in ("add-player", "check-in", "import", "registration")}
    regex = "|".join(names)

    def to_python(self, value: str) -> str:
        return self.names[value]


register_converter(Number, "number")
register_converter(Code, "code")
register_converter(Moved, "moved")
