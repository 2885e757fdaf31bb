"""Codes that people type: a player's personal code, and the limit on guessing codes in an event.

A personal code opens the player's page on any phone, and confirms a result on the opponent's phone. It is derived,
never stored, and changes with each new link. Players get it on the place card or from staff at check-in.
"""

import re

from django.http import HttpRequest
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from tournament.access.throttle import WRONG_CODES, WRONG_CODES_OF_EVENT, client_address, find_network
from tournament.errors import Refused
from tournament.models import Entry

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"  # 31 characters, without those that look like another
LENGTH = 6


def derive_letters(purpose: str, text: str, count: int) -> str:
    rest, code = int.from_bytes(salted_hmac(purpose, text, algorithm="sha256").digest()), ""
    for _place in range(count):
        rest, letter = divmod(rest, len(ALPHABET))
        code += ALPHABET[letter]
    return code


def personal_code(entry: Entry) -> str:
    """Return a player's personal code, as printed: K7M-4PQ."""
    # Entry codes of removed players are used again, so the primary key is part of the text.
    text = f"{entry.pk}/{entry.tournament_id}/{entry.code}/{entry.link_number}"
    code = derive_letters("tournament.personal-code:v1", text, LENGTH)
    return f"{code[:3]}-{code[3:]}"


def check_personal_code(request: HttpRequest, entry: Entry, typed: str, wrong: str) -> None:
    """Raise Refused (`wrong`) for a wrong code or after too many tries; ignores case, spaces and hyphens."""
    check_guesses(request, entry.tournament_id)
    plain = re.sub(r"[\s-]", "", typed).upper()
    if not constant_time_compare(plain, personal_code(entry).replace("-", "")):
        count_wrong_code(request, entry.tournament_id)
        raise Refused(wrong, status=422)


def check_guesses(request: HttpRequest, event: int) -> None:
    if WRONG_CODES.is_spent(_here(request, event)) or WRONG_CODES_OF_EVENT.is_spent(str(event)):
        raise Refused(_("Too many wrong codes. Wait 10 minutes, or ask at the event desk."), status=429)


def count_wrong_code(request: HttpRequest, event: int) -> None:
    WRONG_CODES.count(_here(request, event))
    WRONG_CODES_OF_EVENT.count(str(event))


def _here(request: HttpRequest, event: int) -> str:
    return f"{event}/{find_network(client_address(request))}"
