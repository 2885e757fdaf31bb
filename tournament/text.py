"""Texts as stored, without hidden or disguising characters; names as people compare them."""

import re
import unicodedata
from collections.abc import Sequence

LONGEST_NAME = 80
# Direction marks and overrides can make one name look like another.
HIDDEN = {chr(code) for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0xFEFF)}
# Invisible characters, such as the soft hyphen and the word joiner; and blank ones, which become spaces.
INVISIBLE = HIDDEN | {
    chr(code)
    for code in (
        *(0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x200B, *range(0x2060, 0x2066)),
        *(*range(0x206A, 0x2070), *range(0xFFF9, 0xFFFC), *range(0x1D173, 0x1D17B)),
    )
}
BLANK = str.maketrans(dict.fromkeys("\u2800\u3164\uffa0", " "))
# Joiners, variation selectors and tags. Some scripts and emoji need them; after a Latin letter they are invisible.
_JOINERS = {
    chr(code)
    for code in (0x200C, 0x200D, *range(0xFE00, 0xFE10), *range(0xE0020, 0xE0080), *range(0xE0100, 0xE01F0))
}
_LAST_WITHOUT_JOINERS = "\u058f"  # Latin, Greek, Cyrillic and Armenian stand before it
_NO_WIDTH_SPACE = {"\u200b", "\u2060", "\ufeff"}
_AROUND = "".join(["\u200e\u200f\u061c\xad", *_NO_WIDTH_SPACE, *filter(str.isspace, map(chr, range(0x3001)))])
FIRST_STRONG, POP = "\u2068", "\u2069"  # around a text with its own direction
_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
MOST_MARKS = 5  # on one letter, more than any script needs: a pile of marks covers the lines around it
FAR_TOO_LONG = 10  # times the length that is stored: a longer text is not worth cleaning
LONGEST_SLUG_SOURCE = 1000  # characters
MOST_SORTED = 30  # marks in a row that are put in order, as Unicode's stream-safe texts have it
# Letters that Unicode does not decompose, as people type them on keyboards without them.
PLAIN = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
    | dict.fromkeys("’‘ʼ`", "'")
    | dict.fromkeys(INVISIBLE | _JOINERS, "")
)
_LINE_ENDS = re.compile("\r\n|\n|\r")
_UNSEEN = {"Cf", "Cn", "Co", "Cs", "Zs", "Mn"}


def clean_name(text: str) -> str:
    """Compose and clean a name ("" if invisible). A zero-width space in "Ada​Ash" becomes a space."""
    composed = unicodedata.normalize("NFC", cut_marks(text)).translate(BLANK)
    kept: list[str] = []
    for place, char in enumerate(composed):
        if char in "\t\r\n":
            kept.append(" ")
        elif char in _NO_WIDTH_SPACE:
            if kept and kept[-1].islower() and composed[place + 1 : place + 2].isupper():
                kept.append(" ")
        elif char in _JOINERS:
            if kept and kept[-1] > _LAST_WITHOUT_JOINERS:
                kept.append(char)
        elif char not in INVISIBLE and unicodedata.category(char) != "Cc":
            kept.append(char)
    name = " ".join(_without_piles("".join(kept)).split())
    return name if any(unicodedata.category(char) not in _UNSEEN for char in name) else ""


def trim_text(text: str) -> str:
    return text.strip(_AROUND)


def cut_marks(text: str) -> str:
    """Limit combining marks in a row to MOST_SORTED, because `unicodedata.normalize` takes quadratic time for them."""
    if len(text) <= MOST_SORTED or text.isascii():
        return text
    kept, marks = [], 0
    for char in text:
        # Also characters that decompose to marks: halfwidth sound marks and some Tibetan vowels.
        marks = marks + 1 if unicodedata.combining(unicodedata.normalize("NFKD", char)[0]) else 0
        if marks <= MOST_SORTED:
            kept.append(char)
    return "".join(kept)


def is_disguised(text: str) -> bool:
    """Whether a text is invisible, or contains characters that hide, reverse or break it."""
    hides = (char in HIDDEN or unicodedata.category(char) in ("Cc", "Zl", "Zp") for char in text)
    return bool(text) and (not clean_name(text) or any(hides))


def isolate_name(name: str) -> str:
    """Isolate a name in a sentence, so that a right-to-left name does not reverse the score after it."""
    return f"{FIRST_STRONG}{name}{POP}" if _RIGHT_TO_LEFT.search(name) else name


def drop_isolates(text: str) -> str:
    return text.replace(FIRST_STRONG, "").replace(POP, "")


def fold_name(name: str) -> str:
    """Fold case, accents, width and direction for comparison: "Ａda Ñu" and "ada nu" are equal."""
    parts = unicodedata.normalize("NFKD", cut_marks(name.casefold())).translate(PLAIN)
    return " ".join("".join(char for char in parts if not unicodedata.combining(char)).split())


def name_key(name: str) -> str:
    """Fold a name to identify a person: "Ruiz, Ada" is "Ada Ruiz"."""
    last, comma, first = name.partition(",")
    turned = f"{first} {last}" if comma and last.strip() and first.strip() and "," not in first else name
    return fold_name(turned)


def join_some(texts: Sequence[str], most: int) -> str:
    """Return the first texts, separated by commas, with "…" if there are more."""
    return ", ".join(texts[:most]) + (" …" if len(texts) > most else "")


def split_lines(text: str) -> list[str]:
    """Split into lines. Unlike `splitlines`, do not split at separators within a line."""
    lines = _LINE_ENDS.split(text)
    return lines if lines[-1] else lines[:-1]


def clean_lines(text: str) -> str:
    return "\n".join(filter(None, map(clean_name, split_lines(text))))


def _without_piles(text: str) -> str:
    kept, marks = [], 0
    for char in text:
        marks = marks + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        if marks <= MOST_MARKS:
            kept.append(char)
    return "".join(kept)


def make_slug(name: str) -> str:
    # Longer texts are no names; normalizing many marks would take minutes.
    plain = (
        unicodedata.normalize("NFKD", name[:LONGEST_SLUG_SOURCE]).encode("ascii", "ignore").decode().lower()
    )
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60].strip("-") or "event"
