"""A re-paired round in words: what was proved around the finished tables, which tables changed, why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairings import sentences
from pairings.asked import held_in, repair_of
from tournament import words
from tournament.archive.types import Round


@dataclass(frozen=True, slots=True)
class Moved:
    """A table that changes, before and after by name; no table: the bye, or who has no opponent."""

    table: int | None
    before: str
    after: str


def around(said: str, finished: int) -> str:
    """What was proved, said of the rounds that keep the finished tables."""
    if not finished:
        return said
    text = ngettext(
        "Best around %(count)s finished table, which stands: %(said)s",
        "Best around %(count)s finished tables, which stand: %(said)s",
        finished,
    )
    return text % {"count": finished, "said": said}


def reasons_of(round_: Round) -> dict[str, str]:
    """{code: reason} of a posted round. Of one that was re-paired with the limit within which it holds."""
    reasons = dict((round_.pairing or {}).get("reasons") or {})
    stood = {code for pair in held_in(round_) for code in pair}
    if repair_of(round_) is None or not stood:
        return reasons
    earlier, now = _("when this table was paired: %(reason)s"), _("with the finished tables kept: %(reason)s")
    return {
        code: (earlier if code in stood else now) % {"reason": reason} for code, reason in reasons.items()
    }


def repair_words(repair: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """One repair: "Re-paired: tables 3 and 9 (as few tables as possible); Ada came in: reason"."""
    how = {
        "keep": _("as few tables as possible"),
        "anew": _("all tables that were not finished"),
    }[repair["option"]]
    parts = [
        _("Re-paired: %(tables)s (%(how)s)")
        % {"tables": sentences.tables_words(repair["tables"]), "how": how}
    ]
    for key, text in (("in", _("%(names)s came in")), ("out", _("%(names)s left"))):
        if repair[key]:
            parts.append(text % {"names": ", ".join(names.get(code, code) for code in repair[key])})
    return f"{'; '.join(parts)}: {repair['reason']}"


def seats_words(fact: Mapping[str, Any], names: Mapping[str, str], *, first: bool = False) -> str:
    """Who sits there: "Ada – Bo", "Ada – bye"; with `first` also who moves first, where sides count."""
    if not fact["b"]:
        return f"{names[fact['a']]} – {words.alone(fact['result'] or 'bye')}"
    said = f"{names[fact['a']]} – {names[fact['b']]}"
    if first and fact["first"]:
        said += " " + _("(%(name)s moves first)") % {"name": names[fact[fact["first"]]]}
    return said
