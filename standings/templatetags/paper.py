"""How names fit on paper."""

from unicodedata import east_asian_width

from django import template

register = template.Library()

# Up to so many halves of an em: one line, two lines; beyond: three small ones.
SIZES = ((30, ""), (84, "small"))
SHORT = 12  # letters that fit one line, whatever they are
WIDE = frozenset("MWmw@%—ШЩЖЮФМшщжюфм")


@register.filter
def name_size(name: str) -> str:
    """The class by which a name fits its row, however long it is."""
    if len(name) <= SHORT:
        return ""
    width = sum(map(_halves, name))
    return next((size for most, size in SIZES if width <= most), "tiny")


def _halves(char: str) -> float:
    """About how wide a letter of a bold sans serif is, in halves of an em; CJK characters are two."""
    if east_asian_width(char) in "WF" or char in WIDE:
        return 2
    return 1.35 if char.isupper() else 1.15 if char > "\u036f" else 1
