"""How people are called: by their full name at the desk, in public as the event's owner chose.

Equal names are told apart, "Ada (1 of 2)", never by a bare number that reads as a rank; in public after they
were shortened, so that what stands on two pages is the same.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from itertools import takewhile

from django.utils.translation import gettext as _

from tournament.event.types import Event
from tournament.models import Tournament

# Letters that Unicode does not take apart, as people type them on a keyboard without them.
PLAIN = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
)


def fold_name(name: str) -> str:
    """A name as people compare it: without case, accents and width ("Ａda Ñu" and "ada nu" are one)."""
    parts = unicodedata.normalize("NFKD", name.casefold()).translate(PLAIN)
    return " ".join("".join(char for char in parts if not unicodedata.combining(char)).split())


def distinct_names(names: Mapping[str, str]) -> dict[str, str]:
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


def public_name(name: str, alias: str, privacy: str, *, team: bool = False) -> str:
    """The name everybody may read. `privacy`: of `Tournament.Names`; a team's name is nobody's surname.

    Under "alias" who gave none is shown by first name and initial, never in full.
    """
    if privacy == Tournament.Names.ALIAS and alias:
        return alias
    return name if privacy == Tournament.Names.FULL or team else shorten_name(name)


def shorten_name(name: str) -> str:
    """First name and initial: "Kim Lee" is "Kim L.", "Lee, Kim" too; a name of one word stays.

    Only a letter can be an initial, with the marks that stand on it; a last word without one is left out.
    """
    family, comma, given = name.partition(",")
    words = f"{given} {family}".split() if comma and given.strip() and family.strip() else name.split()
    if len(words) > 2 and words[-1].casefold().rstrip(".") in SUFFIXES and not comma:
        words.pop()
    if len(words) < 2:
        return name
    return f"{words[0]} {initial}." if (initial := _initial(words[-1])) else words[0]


SUFFIXES = {"jr", "sr", "ii", "iii", "iv"}  # no family name: "Sol Vega Jr." is "Sol V."


def _initial(word: str) -> str:
    """The first letter of a word as a capital, with its marks; "" where there is none."""
    for place, char in enumerate(word):
        if unicodedata.category(char).startswith("L"):
            marks = takewhile(lambda mark: unicodedata.category(mark).startswith("M"), word[place + 1 :])
            return "".join([char, *marks]).upper()
    return ""


def names_of(tournament: Tournament) -> dict[str, str]:
    """{code: full name to show} of everybody in the event, for its staff; one query."""
    return distinct_names(dict(tournament.entries.order_by("code").values_list("code", "name")))


def public_names_of(tournament: Tournament) -> dict[str, str]:
    """{code: name to show} of everybody in the event, as everybody may read it; one query."""
    rows = tournament.entries.order_by("code").values_list("code", "name", "alias")
    privacy, team = tournament.name_privacy, tournament.team
    return distinct_names({code: public_name(name, alias, privacy, team=team) for code, name, alias in rows})


def names_in(event: Event) -> dict[str, str]:
    """The same as `names_of`, of an event in plain values."""
    return distinct_names({code: entry.name for code, entry in event.entries.items()})


def public_names_in(event: Event) -> dict[str, str]:
    """The same as `public_names_of`, of an event in plain values."""
    privacy, team = event.name_privacy, event.team
    return distinct_names(
        {code: public_name(e.name, e.alias, privacy, team=team) for code, e in event.entries.items()}
    )


def sort_by_name(names: Mapping[str, str]) -> list[str]:
    """Codes in the order in which people look for a name."""
    return sorted(names, key=lambda code: (fold_name(names[code]), code))


def find_names(names: Mapping[str, str], words: str) -> list[str]:
    """Codes of names in which a word begins with each word of `words`, those that begin with it first.

    Three letters are enough in a hall; an accent or a capital too many or too few does not matter.
    """
    wanted = fold_name(words[:100]).split()
    if not wanted:
        return []
    hits = []
    for code in sort_by_name(names):
        name = fold_name(names[code])
        if all(name.startswith(word) or f" {word}" in name for word in wanted):
            hits.append((not name.startswith(wanted[0]), code))
    return [code for _later, code in sorted(hits, key=lambda hit: hit[0])]
