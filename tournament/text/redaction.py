"""Replacing names and contacts in free text by a mark, as whole names."""

import re
import unicodedata
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from tournament.actionlog.facts import NAMED_BY
from tournament.actionlog.triggers import MARK
from tournament.text.clean import fold_name

# Free-text fields; in others, only texts of several words are free text.
WRITTEN = frozenset(
    "reason description announcement labels rating_source notes text name last_name alias contact members "
    "external_id".split()
)
OF_THE_EVENT = frozenset(
    {"announcement"}
)  # of the fact "tournament": its name, venue and rules are not personal
ACCENTS = "\u0300-\u036f"  # marks on letters, as part of a pattern
LEAST_DIGITS = 5  # a shorter number is also a table, a round or a rating


class Redaction:
    """Removes these texts from others. `texts`: names, contacts, membership numbers, as they were entered."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = sorted({text for text in texts if _stands_out(text)}, key=len, reverse=True)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile("|".join(map(_whole, self.texts)) or r"(?!)", re.IGNORECASE)

    def redact(self, value: Any, field: str) -> Any:
        """Redact a column's value, or any part of one; codes and states stay."""
        if isinstance(value, str):
            written = field in WRITTEN or (" " in value and field != "engine")
            return self._pattern.sub(MARK, value) if written else value
        if isinstance(value, list):
            return [self.redact(part, field) for part in value]
        if isinstance(value, dict):
            return {name: self.redact(part, name) for name, part in value.items()}
        return value

    def redact_fact(self, key: str, fact: Any) -> Any:
        if key == "tournament" and fact:
            return {**fact, **{name: self.redact(fact[name], name) for name in OF_THE_EVENT & set(fact)}}
        return self.redact(fact, "")

    def redact_changes(self, changes: list[Any]) -> list[Any]:
        return [
            {
                name: part if name == "fact" else self.redact_fact(change["fact"], part)
                for name, part in change.items()
            }
            for change in changes
        ]

    def redact_archive(self, archive: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
        redacted = {
            name: self.redact(part, name) if name in ("rounds", "penalties", "deck_checks") else part
            for name, part in archive.items()
        }
        redacted["entries"] = [self._redact_entry(entry, names) for entry in archive["entries"]]
        redacted["decklists"] = [
            {
                name: part if name == "text" else self.redact(part, name)
                for name, part in decklist.items()
                if name != "text" or decklist["entry"] not in names
            }
            for decklist in archive.get("decklists", ())
        ]
        redacted["log"] = [
            {**self.redact(action, ""), "changes": self.redact_changes(action["changes"])}
            for action in archive.get("log", ())
        ]
        return {name: part for name, part in redacted.items() if name in archive}

    def _redact_entry(self, entry: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
        """Redact an entry of an archive: all personal fields of named ones, only texts of the others."""
        own = entry["id"] in names
        redacted = {
            name: self.redact(part, name) if name in ("labels", "rating_source") else part
            for name, part in entry.items()
            if not (own and name in NAMED_BY)
        }
        return redacted | ({"name": names[entry["id"]]} if own else {})


class AccountRedaction(Redaction):
    """Removes an account's name from an event, only where it says who did something."""

    WHO = frozenset({"actor", "judge"})

    def __init__(self, username: str) -> None:
        super().__init__([])
        self.username = username
        self.invited = _("invited by %(name)s") % {"name": username}

    def redact(self, value: Any, field: str) -> Any:
        """Like `Redaction.redact`, in fields with an account's name, and the reason of an invitation."""
        if isinstance(value, str):
            did = field in self.WHO and value == self.username
            return MARK if did else value.replace(self.username, MARK) if value == self.invited else value
        return super().redact(value, field)

    def redact_changes(self, changes: list[Any]) -> list[Any]:
        mentioned = f"staff/{self.username}"
        return [
            {**change, "fact": f"staff/{MARK}"} if change["fact"] == mentioned else change
            for change in super().redact_changes(changes)
        ]


def _stands_out(text: str) -> bool:
    """Whether a text is distinctive: a name of 2 letters is, a number of 2 digits is not."""
    return len(text) >= (2 if any(map(str.isalpha, text)) else LEAST_DIGITS)


def _whole(text: str) -> str:
    """Return a pattern for the whole text: not inside a longer word, in scripts that separate words."""
    start, end = (r"(?<!\w)", rf"(?![\w{ACCENTS}])")
    words = r"\s+".join("".join(map(_letter, word)) for word in text.split())
    return f"{start if _parts_words(text[0]) else ''}{words}{end if _parts_words(text[-1]) else ''}"


def _letter(char: str) -> str:
    """Return a pattern for a letter, precomposed, with combining marks or without accents."""
    plain, parts = fold_name(char), unicodedata.normalize("NFD", char)
    if plain == parts.casefold():
        return re.escape(char)
    return f"(?:{re.escape(char)}|{re.escape(parts)}|{re.escape(plain)}[{ACCENTS}]*)"


def _parts_words(char: str) -> bool:
    return char.isdigit() or char.lower() != char.upper()
