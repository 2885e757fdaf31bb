"""Texts as they are stored, without characters that hide or disguise; names as people compare them."""

import re
import unicodedata

LONGEST_NAME = 80
# Direction marks and overrides can make one name look like another.
HIDDEN = {chr(code) for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0xFEFF)}
FIRST_STRONG, POP = "\u2068", "\u2069"  # around a text that has a direction of its own
_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
MOST_MARKS = 5  # on one letter, more than any script needs: a pile of marks covers the lines around it
FAR_TOO_LONG = 10  # times the length that is stored: a longer text is not worth cleaning
MOST_SORTED = 30  # marks in a row that are put in order, as Unicode's stream-safe texts have it
# Letters that Unicode does not decompose, as people type them on a keyboard that lacks them.
PLAIN = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
    | dict.fromkeys("’‘ʼ`", "'")
    | dict.fromkeys(HIDDEN, "")
)
_LINE_ENDS = re.compile("\r\n|\n|\r")
_UNSEEN = {"Cf", "Cn", "Co", "Cs", "Zs", "Mn"}


def clean_name(text: str) -> str:
    """A name as it is stored: composed, without control or direction characters, single spaces; "" if nothing shows."""
    composed = unicodedata.normalize("NFC", cut_marks(text))
    kept = "".join(
        " " if char in "\t\r\n" else char
        for char in composed
        if char not in HIDDEN and (char in "\t\r\n" or unicodedata.category(char) != "Cc")
    )
    name = " ".join(_without_piles(kept).split())
    # Joiners and zero-width spaces alone are an invisible name; inside a name, scripts and emoji need them.
    return name if any(unicodedata.category(char) not in _UNSEEN for char in name) else ""


def cut_marks(text: str) -> str:
    """The text with at most MOST_SORTED marks in a row, for `unicodedata.normalize`.

    That puts marks in order in quadratic time and lets no other thread run: 60,000 of them would take ten seconds.
    """
    if len(text) <= MOST_SORTED or text.isascii():
        return text
    kept, marks = [], 0
    for char in text:
        # What becomes a mark is one: the halfwidth sound marks and some Tibetan vowels do not say so themselves.
        marks = marks + 1 if unicodedata.combining(unicodedata.normalize("NFKD", char)[0]) else 0
        if marks <= MOST_SORTED:
            kept.append(char)
    return "".join(kept)


def is_disguised(text: str) -> bool:
    """Whether nothing of a text shows, or characters in it hide, turn or break what is read."""
    hides = (char in HIDDEN or unicodedata.category(char) in ("Cc", "Zl", "Zp") for char in text)
    return bool(text) and (not clean_name(text) or any(hides))


def isolate_name(name: str) -> str:
    """A name as it stands in a sentence: one written from right to left turns nothing around it.

    Otherwise a browser shows the score behind it before it and backwards.
    """
    return f"{FIRST_STRONG}{name}{POP}" if _RIGHT_TO_LEFT.search(name) else name


def drop_isolates(text: str) -> str:
    """A text with names as they are stored, for files and other programs."""
    return text.replace(FIRST_STRONG, "").replace(POP, "")


def fold_name(name: str) -> str:
    """A name as people compare it: without case, accents, width, direction ("Ａda Ñu" and "ada nu" are one)."""
    parts = unicodedata.normalize("NFKD", cut_marks(name.casefold())).translate(PLAIN)
    return " ".join("".join(char for char in parts if not unicodedata.combining(char)).split())


def lines_of(text: str) -> list[str]:
    """The lines of a text as people and programs divide them; `splitlines` would also at separators within a line."""
    lines = _LINE_ENDS.split(text)
    return lines if lines[-1] else lines[:-1]


def clean_lines(text: str) -> str:
    """A text as it is stored: each line as a name is, without empty ones."""
    return "\n".join(filter(None, map(clean_name, lines_of(text))))


def _without_piles(text: str) -> str:
    """The text with at most MOST_MARKS marks on a letter."""
    kept, marks = [], 0
    for char in text:
        marks = marks + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        if marks <= MOST_MARKS:
            kept.append(char)
    return "".join(kept)
