from django.urls import register_converter
from django.urls.converters import IntConverter, StringConverter


class Number(IntConverter):
    regex = "[1-9][0-9]{0,3}"


class Code(StringConverter):
    regex = r"[^/\x00-\x1f]{1,40}"


class Moved(StringConverter):
    """The former last part of a desk page's address; its value is the page's URL name."""

    names = {
        **{
            name: name
            for name in "add-player check-in finish import registration snapshots staff stages".split()
        },
        **{name: f"{name}-event" for name in ("archive", "copy", "delete")},
        "prizes": "desk-prizes",
    }
    regex = "|".join(names)

    def to_python(self, value: str) -> str:
        return self.names[value]


class Topic(StringConverter):
    """A topic of the settings that opens in their list; the others have their own pages."""

    regex = "place|rounds|tables|judges|phones|decklists|public|end"


register_converter(Number, "number")
register_converter(Code, "code")
register_converter(Moved, "moved")
register_converter(Topic, "topic")
