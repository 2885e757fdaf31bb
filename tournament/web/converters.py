from django.urls import register_converter
from django.urls.converters import IntConverter, StringConverter


class Number(IntConverter):
    regex = "[1-9][0-9]{0,3}"


class Code(StringConverter):
    regex = r"[^/\x00-\x1f]{1,40}"


class Topic(StringConverter):
    """A settings topic that opens in the list; the others have their own pages."""

    regex = "place|rounds|tables|judges|phones|decklists|public|end"


register_converter(Number, "number")
register_converter(Code, "code")
register_converter(Topic, "topic")
