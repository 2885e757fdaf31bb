"""How names fit on paper."""

from unicodedata import east_asian_width

from django import template

register = template.Library()

SIZES = (
    (30, ""),
    (84, "small"),
)  # up to so many halves of an em: one line, two lines; beyond: three small ones


@register.filter
def name_size(name: str) -> str:
    """The class by which a name fits its row, however long it is; CJK characters are twice as wide."""
    width = sum(2 if east_asian_width(char) in "WF" else 1 for char in name)
    return next((size for most, size in SIZES if width <= most), "tiny")
