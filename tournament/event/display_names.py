"""Players' names as shown: in full at the desk, in public as the organizer chose.

Equal names get "(1 of 2)", because a bare number would look like a rank. In public this happens after shortening, so a
player has the same name on every page. Right-to-left names are isolated so that they do not reverse the score next to
them.
"""

import unicodedata
from collections.abc import Iterable, Mapping
from itertools import takewhile
from types import MappingProxyType
from typing import NamedTuple

from django.utils.translation import gettext as _

from tournament.event.types import Event
from tournament.models import Entry, Tournament
from tournament.text import INVISIBLE, POP, clean_name, fold_name, isolate_name

PARTICLES = frozenset(
    "van de den der ter ten te 't von vom zu zum zur af av da das do dos du des del della delle dello di "
    "la le las lo los el al bin ibn bint ben abu st saint san santa".split()
)
JOINING = frozenset("y i e".split())  # "Ortega y Gasset"
_COMPOUND = frozenset(
    "欧阳 歐陽 司马 司馬 诸葛 諸葛 上官 司徒 东方 東方 皇甫 尉迟 公孙 公孫 令狐 慕容 "
    "남궁 황보 제갈 사공 선우 서문 독고".split()
)


class Proposal(NamedTuple):
    """A proposed last name. `choices`: it and others; `is_doubtful`: whether someone should check it."""

    last_name: str
    is_doubtful: bool
    choices: tuple[str, ...]


def propose_last_name(name: str) -> Proposal:
    """Propose the part of a name that is the last name. A single name is its own last name."""
    last, is_doubtful = _propose(name)
    words = _words_before_suffix(name)
    ends = [" ".join(words[place:]) for place in range(len(words) - 1, 0, -1)]
    starts = [" ".join(words[:count]) for count in range(1, min(len(words), 3))]
    return Proposal(last, is_doubtful, tuple(dict.fromkeys([last, *ends, *starts, name])))


def is_confirmed(name: str, last_name: str) -> bool:
    whole = f" {last_name} " in f" {name.replace(',', ' , ')} "
    begins = name.startswith(last_name) and _is_east_asian(name)
    return bool(last_name) and (whole or begins or last_name == name)


def _propose(name: str) -> tuple[str, bool]:
    before, comma, after = (part.strip() for part in name.partition(","))
    if comma and before and after and after.casefold().rstrip(".") not in SUFFIXES:
        return before, False
    words = _words_before_suffix(name)
    if _is_east_asian(name):
        return (words[0], False) if len(words) > 1 else (_east_asian_family(name), False)
    if len(words) < 2 or not any(map(str.isalpha, words[-1])):
        return name, False
    capitals = [word for word in words if len(word) > 2 and word.isupper()]
    if capitals and len(capitals) < len(words) and (run := " ".join(capitals)) in name:
        return run, False  # "Ada RUIZ", "TANAKA Hiroshi"
    start = len(words) - 1
    while start > 1 and words[start - 1].casefold() in PARTICLES | JOINING:
        start -= 2 if words[start - 1].casefold() in JOINING and start > 2 else 1
    return " ".join(words[start:]), len(words) > 2 and (start == len(words) - 1 or len(words) - start > 3)


def _words_before_suffix(name: str) -> list[str]:
    words = name.replace(",", " ").split()
    while len(words) > 1 and words[-1].casefold().rstrip(".") in SUFFIXES:
        words.pop()
    return words


def _is_east_asian(name: str) -> bool:
    """Whether a name begins in Chinese characters, kana or Hangul, where the family name comes first."""
    kind = unicodedata.name(name[:1] or " ", "")
    return kind.startswith(("CJK UNIFIED", "CJK COMPATIBILITY", "HIRAGANA", "KATAKANA LETTER", "HANGUL"))


def _east_asian_family(name: str) -> str:
    if name[:2] in _COMPOUND or len(name) > 3:
        return name[:2]
    return name[:1] if len(name) > 1 else name


MERGED = Entry.Status.MERGED


class ShownName(str):
    """A name as shown, and `listed`, its form in lists by name: "Kim Lee" is listed as "Lee, Kim"."""

    listed: str


def listed_name(name: str) -> str:
    return name.listed if isinstance(name, ShownName) else name


def turn_name(name: str, last: str = "") -> str:
    """Put the last name first: "Lee, Kim", "Downey, Robert Jr."; "Li Wei", which begins with it, is unchanged."""
    if not last:
        return name
    if name.endswith(f" {last}"):
        return f"{last}, {name.removesuffix(last).strip()}"
    given, found, suffix = name.rpartition(f" {last}")
    is_suffix = found and suffix.strip(" ,").casefold().rstrip(".") in SUFFIXES
    return f"{last}, {given} {suffix.strip(' ,')}" if is_suffix and given else name


def distinct_names(people: Iterable[tuple[str, ...]]) -> dict[str, str]:
    """Return {code: name to show}, with equal names numbered by code. Merged entries are ignored."""
    alike: dict[str, list[str]] = {}
    names, listed, distinct = {}, {}, {}
    for code, name, status, *last in sorted(people):
        if status == MERGED:
            distinct[code] = isolate_name(name)
        else:
            names[code], listed[code] = isolate_name(name), isolate_name(turn_name(name, *last))
            alike.setdefault(_compared(name), []).append(code)
    for codes in alike.values():
        for place, code in enumerate(codes, start=1):
            shown, turned = names[code], listed[code]
            if len(codes) > 1:
                about = {"place": place, "count": len(codes)}
                numbered = _("%(name)s (%(place)s of %(count)s)")
                shown, turned = (numbered % {"name": name, **about} for name in (shown, turned))
            if turned != shown:
                shown = ShownName(shown)
                shown.listed = turned
            distinct[code] = shown
    return distinct


def _compared(name: str) -> str:
    seen = name if INVISIBLE.isdisjoint(name) else clean_name(name)
    return " ".join(seen.casefold().split())


def public_name(name: str, alias: str, privacy: str, *, team: bool = False) -> str:
    """Return the public name under a value of `Tournament.Names`; without an alias: first name and initial."""
    if privacy == Tournament.Names.ALIAS and alias:
        return alias
    return name if privacy == Tournament.Names.FULL or team else shorten_name(name)


def entry_privacy(entry: Entry, tournament: Tournament) -> str:
    return Tournament.Names.ALIAS if entry.display_name_only else tournament.name_privacy


def shorten_name(name: str) -> str:
    """Shorten "Kim Lee" and "Lee, Kim" to "Kim L.". A single word stays; a last word without letters is dropped."""
    family, comma, given = name.partition(",")
    words = f"{given} {family}".split() if comma and given.strip() and family.strip() else name.split()
    if len(words) > 2 and words[-1].casefold().rstrip(".") in SUFFIXES and not comma:
        words.pop()
    if len(words) < 2:
        return name
    return f"{words[0]} {initial}." if (initial := _initial(words[-1])) else words[0]


def drop_full_stop(words: str) -> str:
    """Drop a name's full stop at the end of a sentence: "Kim L" for "Kim L."."""
    return words[:-2] + POP if words.endswith(f".{POP}") else words.removesuffix(".")


SUFFIXES = {"jr", "sr", "ii", "iii", "iv"}  # not last names: "Sol Vega Jr." is "Sol V."


def _initial(word: str) -> str:
    for place, char in enumerate(word):
        if unicodedata.category(char).startswith("L"):
            marks = takewhile(lambda mark: unicodedata.category(mark).startswith("M"), word[place + 1 :])
            return "".join([char, *marks]).upper()
    return ""


_COLUMNS = ("code", "name", "status", "alias", "last_name", "display_name_only")


def load_names(tournament: Tournament, *, merged: bool = True, public: bool = False) -> dict[str, str]:
    rows = tournament.entries.order_by("code").values_list(*_COLUMNS)
    return _names(tournament, rows if merged else rows.exclude(status=MERGED), public=public)


def load_public_names(tournament: Tournament, *, merged: bool = True) -> dict[str, str]:
    return load_names(tournament, merged=merged, public=True)


def load_name(tournament: Tournament, code: str, name: str) -> str:
    rows = tournament.entries.values_list(*_COLUMNS)
    return _names(tournament, (row for row in rows if _compared(row[1]) == _compared(name)))[code]


def names_in(event: Event, *, public: bool = False) -> dict[str, str]:
    entries = event.entries.values()
    people = ((e.id, e.name, e.status, e.alias, e.last_name, e.display_name_only) for e in entries)
    return _names(event, people, public=public)


def is_by_last_name(event: Tournament | Event) -> bool:
    return event.name_order == Tournament.NameOrder.LAST


def _names(
    of: Tournament | Event, people: Iterable[tuple[str, str, str, str, str, bool]], *, public: bool = False
) -> dict[str, str]:
    """Return {code: name to show}. Last names matter only if whole names are shown and lists use them."""
    by_last, short = is_by_last_name(of), Tournament.Names.ALIAS
    shown = []
    for code, name, status, alias, last, only in people:
        privacy = short if only else of.name_privacy
        listed = public_name(name, alias, privacy, team=of.team) if public else name
        shown.append((code, listed, status, last if by_last and listed == name else ""))
    return distinct_names(shown)


def sort_key(listed: str) -> str:
    """Return a listed name's sort key: "Yamada Taro" sorts between "Yamada, Aki" and "Yamada, Zen"."""
    return fold_name(listed).replace(",", "")


def sort_by_name(names: Mapping[str, str]) -> list[str]:
    return sorted(names, key=lambda code: (sort_key(listed_name(names[code])), code))


def find_names(
    names: Mapping[str, str], words: str, members: Mapping[str, Iterable[str]] = MappingProxyType({})
) -> list[str]:
    """Return codes of names (or team members) that match each of `words`; names that begin with them come first."""
    wanted = fold_name(words[:100]).split()
    if not wanted:
        return []
    is_later = {}
    for code, name in names.items():
        own = [fold_name(each) for each in (name, *members.get(code, ()))]
        if fits := [n for n in own if all(n.startswith(word) or f" {word}" in n for word in wanted)]:
            is_later[code] = not any(each.startswith(wanted[0]) for each in fits)
    found = sort_by_name({code: names[code] for code in is_later})
    return sorted(found, key=is_later.__getitem__)
