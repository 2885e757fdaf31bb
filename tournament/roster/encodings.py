import re
import unicodedata
from collections.abc import Callable

# Choices by displayed name; the first of equally good ones is assumed.
CODECS = {
    "UTF-8": "utf-8-sig",
    "Windows-1252": "cp1252",
    "Windows-1250": "cp1250",
    "Windows-1251": "cp1251",
    "Windows-1254": "cp1254",
    "Mac Roman": "mac_roman",
    "Shift_JIS": "cp932",
    "GBK": "gb18030",
    "Big5": "big5hkscs",
    "EUC-KR": "cp949",
    "UTF-16": "utf-16",
}
UNKNOWN = "\ufffd"  # replacement of undecodable bytes
MOST_LOOKED_AT = 400  # lines with bytes beyond ASCII
LONGEST_LOOKED_AT = 400  # bytes of such a line

_WESTERN = (
    "äöüßé", "àâçéèêëîïôùûü", "áéíñóúü", "áâãàçéêíóôõúü", "åäöéæøü", "áðéíóúýþæö", "àèéìíòóù", "áèéëïöü", "åäöõüš",
    "àçèéíïòóúü",
)  # fmt: skip
# Non-ASCII letters of names by language and encoding; a name is of one language.
_LETTERS = {
    "Windows-1252": _WESTERN,
    "Windows-1250": (
        "ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "čćđšž", "ăâîşţșț", "äöüß",
    ),
    "Windows-1254": ("çğıöşüâîûİ",),
    "Mac Roman": _WESTERN,
}  # fmt: skip
# Typical places of some letters: č, ć and ő at the end of a word, ş inside it,
# "oğlu"; ü between consonants.
_NEVER = {
    "Windows-1252": re.compile(r"(?:[aiu]è|[æõ]|oðlu)\b|(?<=\w)þ"),
    "Windows-1250": re.compile(r"(?<=[bfghjklmnprst])ź(?=[bcdfghjklmnprstz])", re.IGNORECASE),
}
_NO_VOWEL = re.compile(r"[^\W\d_aeiouyàáâãäåæąăèéêëęěìíîïıòóôõöőøœùúûüűůýÿ]{5}", re.IGNORECASE)
# The first bytes of double-byte characters in everyday use; other characters count half.
_COMMON: dict[str, Callable[[int, int], bool]] = {
    "Shift_JIS": lambda lead, trail: 0x81 <= lead <= 0x98,
    "GBK": lambda lead, trail: 0xB0 <= lead <= 0xD7 and trail >= 0xA1,
    "Big5": lambda lead, trail: 0xA4 <= lead <= 0xC6,
}
_CYRILLIC = re.compile(r"[А-ЯЁЀ-Џ]?[а-яёѐ-џґ]+|[А-ЯЁЀ-ЏҐ]+|[ҐЂ][а-яёѐ-џґ]+")
_OPENING, _CLOSING = "“„‘‚«¡¿", "”“’‘»´"
_DASHES = "–—…·\xa0"
_CYRILLIC_SIGNS = {*_OPENING, *_CLOSING, *_DASHES, "»", "№"}
_PARTS = re.compile(rb"[;,\t|\r]+")


def guess_encoding(data: bytes) -> str:
    """Guess the encoding of bytes that are not UTF-8: the one in which most cells look like names.

    Cells with bytes beyond ASCII are read in each encoding. In a Latin one a name must keep to the letters of one
    language (ø and ř do not meet), with capitals only at its beginning; in a Cyrillic one no word mixes scripts; in a
    double-byte one the characters in everyday use count most.
    """
    lines = [line[:LONGEST_LOOKED_AT] for line in data.split(b"\n") if not line.isascii()]
    cells = [cell for line in lines[:MOST_LOOKED_AT] for cell in _PARTS.split(line) if not cell.isascii()]
    # UTF-16 is detected before. Korean cannot be told from Chinese: the organizer chooses it.
    names = [name for name in CODECS if name not in ("UTF-16", "EUC-KR")]
    return max(names, key=lambda name: sum(_fit(cell, name) for cell in cells))


def _fit(cell: bytes, name: str) -> float:
    """Rate a cell in an encoding, from -1 (not a name) to 1, or 2 in UTF-8."""
    try:
        text = cell.decode(CODECS[name])
    except UnicodeDecodeError:
        return -1
    if any(char < " " or "\x7f" <= char <= "\x9f" for char in text):
        return -1
    if name == "UTF-8":  # damaged or cut off; other texts are hardly UTF-8 by chance
        return 2
    if name in _LETTERS:
        never = _NEVER.get(name)
        return float(not (never and never.search(text)) and _reads_as_latin(text, _LETTERS[name]))
    if name == "Windows-1251":
        words = re.findall(r"[^\W\d_]+", text)
        signs = {char for char in text if not (char.isascii() or char.isalpha())}
        return float(
            signs <= _CYRILLIC_SIGNS and all(word.isascii() or _CYRILLIC.fullmatch(word) for word in words)
        )
    return _common_share(text, name)


def _reads_as_latin(text: str, languages: tuple[str, ...]) -> bool:
    beyond = set()
    for place, char in enumerate(text):
        if char.isascii():
            continue
        before = text[place - 1 : place] if place else ""
        if not char.isalpha():
            opens, closes = char in _OPENING and not before.isalnum(), char in _CLOSING and before.isalnum()
            if not (opens or closes or char in _DASHES):
                return False
            continue
        if char.isupper() and before.islower():
            return False
        beyond.add(char if char == "İ" else char.lower())
    if _NO_VOWEL.search(text):
        return False
    letters = sum(map(str.isalpha, text))
    foreign = sum(not char.isascii() and char.isalpha() for char in text)
    return 3 * foreign <= 2 * letters and any(beyond <= set(language) for language in languages)


def _common_share(text: str, name: str) -> float:
    """Return the share of everyday characters; 0 next to a Latin letter, or in another script."""
    codec, points, count = CODECS[name], 0.0, 0
    for place, char in enumerate(text):
        if char.isascii():
            continue
        around = text[max(place - 1, 0) : place] + text[place + 1 : place + 2]
        raw = char.encode(codec)
        if unicodedata.category(char) == "Co" or any(c.isascii() and c.isalpha() for c in around):
            return 0
        count += 1
        if len(raw) == 2 and not char.isspace():
            points += 1 if _COMMON[name](raw[0], raw[1]) else 0.4
    return points / count if count else 0
