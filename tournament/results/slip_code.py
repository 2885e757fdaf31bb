"""The match code on a slip: round, table and 4 check characters, such as 4-12-K7QM.

The first character is a weighted sum of the digits modulo a prime, to catch a wrong digit or two that changed places.
The others are derived from SECRET_KEY for the event and the two players, so that only the slip of these pairings
fits and no one else can compute it.
"""

import re

from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _

from tournament.access.codes import ALPHABET, letters_of
from tournament.errors import Refused

_BASE = len(ALPHABET)
_CODE = re.compile(r"(\d{1,4})[\s/-]+(\d{1,5})[\s/-]+([a-z0-9]{4})", re.IGNORECASE)
_TYPED = re.compile(r"\d{1,4}-\d{1,5}-[a-z0-9]{4}", re.IGNORECASE)
_ADDRESS = re.compile(r"/rounds/(\d{1,4})/tables/(\d{1,5})/code/([a-z0-9]{4})/?$", re.IGNORECASE)


def slip_check(slug: str, number: int, table: int, players: tuple[str, str | None]) -> str:
    """Return the 4 check characters of a table's slip in round `number`; `slug`: the event's."""
    text = f"{slug}/{number}/{table}/{'/'.join(player or '' for player in players)}"
    return _first_check(number, table) + letters_of("tournament.match-code:v1", text, 3)


def is_slip_code(text: str) -> bool:
    """Whether a line is only a code with hyphens or the URL in a QR code, as a scanner types them."""
    return bool(_TYPED.fullmatch(text) or _ADDRESS.search(text))


def read_slip_code(text: str) -> tuple[int, int, str]:
    """Parse a typed code or scanned URL into round, table and check characters. Raises Refused if misread."""
    code = _CODE.fullmatch(text.strip()) or _ADDRESS.search(text.strip())
    if code is None:
        raise Refused(
            _("%(code)s is not the code of a match slip. Type it as on the slip, such as 4-12-K7QM."),
            code=text,
        )
    number, table, check = code.groups()
    return int(number), int(table), check.upper()


def check_digits(code: tuple[int, int, str]) -> None:
    number, table, check = code
    if check[:1] != _first_check(number, table):
        text = _("The code %(code)s has a wrong character. Compare it with the match slip.")
        raise Refused(text, code=_shown(code))


def check_slip_code(slug: str, code: tuple[int, int, str], players: tuple[str, str | None]) -> None:
    """Raise Refused if the code was misread, or is of other players."""
    check_digits(code)
    number, table, check = code
    if not constant_time_compare(check, slip_check(slug, number, table, players)):
        text = _(
            "The code %(code)s does not fit the players who are at this table now. Is it a slip of other pairings?"
        )
        raise Refused(text, code=_shown(code))


def _first_check(number: int, table: int) -> str:
    total = sum(
        pow(3, place, _BASE) * int(digit) for place, digit in enumerate(f"{number:04d}{table:05d}", start=1)
    )
    return ALPHABET[total % _BASE]


def _shown(code: tuple[int, int, str]) -> str:
    return "-".join(map(str, code))
