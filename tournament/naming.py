"""Equal names told apart: "Ada (1 of 2)", never by a bare number that reads as a rank."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from django.utils.translation import gettext as _

from tournament.models import Tournament


def folded(name: str) -> str:
    """A name as people compare it: without case, accents and width ("Ａda Ñu" and "ada nu" are one)."""
    parts = unicodedata.normalize("NFKD", name.casefold())
    return " ".join("".join(char for char in parts if not unicodedata.combining(char)).split())


def told_apart(names: Mapping[str, str]) -> dict[str, str]:
    """{code: name to show} of {code: name}. Those of one name are counted in the order of their codes."""
    alike: dict[str, list[str]] = {}
    for code in sorted(names):
        alike.setdefault(" ".join(names[code].casefold().split()), []).append(code)
    shown = {}
    for codes in alike.values():
        for place, code in enumerate(codes, start=1):
            shown[code] = names[code]
            if len(codes) > 1:
                shown[code] = _("%(name)s (%(place)s of %(count)s)") % {
                    "name": names[code],
                    "place": place,
                    "count": len(codes),
                }
    return shown


def names_of(tournament: Tournament) -> dict[str, str]:
    """{code: name to show} of everybody in the event, in one query."""
    return told_apart(dict(tournament.entries.order_by("code").values_list("code", "name")))


def by_name(names: Mapping[str, str]) -> list[str]:
    """Codes in the order in which people look for a name."""
    return sorted(names, key=lambda code: (folded(names[code]), code))


def found(names: Mapping[str, str], words: str) -> list[str]:
    """Codes of names in which a word begins with each word of `words`, those that begin with it first.

    Three letters are enough in a hall; an accent or a capital too many or too few does not matter.
    """
    wanted = folded(words[:100]).split()
    if not wanted:
        return []
    hits = []
    for code in by_name(names):
        name = folded(names[code])
        if all(name.startswith(word) or f" {word}" in name for word in wanted):
            hits.append((not name.startswith(wanted[0]), code))
    return [code for _later, code in sorted(hits, key=lambda hit: hit[0])]
