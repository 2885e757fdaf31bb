"""Encrypted backups: pieces of a megabyte, each a Fernet token, so that none of any size has to fit into memory.

The file is MAGIC, a salt, then for each piece its length in 4 bytes and the token. The key is made of BACKUP_KEY and
the salt, so pieces of two files never fit together; inside each piece stand its number and whether it is the last, so
none can be left out, moved or cut off.
"""

import base64
import os
from collections.abc import Iterable, Iterator
from itertools import count
from typing import BinaryIO

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from tournament.backups.parts import DAMAGED
from tournament.errors import Refused

MAGIC = b"swiss-backup 1\n"
SALT, PIECE = 16, 1 << 20  # bytes
LONGEST = PIECE + (1 << 10)  # of a token
LENGTH, NUMBER = 4, 8  # bytes of the numbers before a token, and in a piece


def encrypt(parts: Iterable[bytes], key: str) -> Iterator[bytes]:
    """The bytes of an encrypted file that holds these parts, one after the other. `key`: BACKUP_KEY."""
    salt = os.urandom(SALT)
    yield MAGIC + salt
    fernet, rest, number = _fernet(key, salt), b"", 0
    for part in parts:
        rest += part
        while len(rest) > PIECE:
            yield _frame(fernet, number, rest[:PIECE], last=False)
            rest, number = rest[PIECE:], number + 1
    yield _frame(fernet, number, rest, last=True)


def decrypt(file: BinaryIO, key: str) -> Iterator[bytes]:
    """Yield the parts of an encrypted file. Raises Refused for another key and for a damaged file."""
    file.seek(len(MAGIC))
    fernet = _fernet(key, file.read(SALT))
    for number in count():
        length = int.from_bytes(file.read(LENGTH))
        token = file.read(length) if 0 < length <= LONGEST else b""
        try:
            piece = fernet.decrypt(base64.urlsafe_b64encode(token))
        except InvalidToken:
            wrong = "BACKUP_KEY does not open this backup: it was encrypted with another key, or is damaged."
            raise Refused(wrong if number == 0 else DAMAGED) from None
        if int.from_bytes(piece[:NUMBER]) != number:
            raise Refused(DAMAGED)
        yield piece[NUMBER + 1 :]
        if piece[NUMBER]:
            break
    if file.read(1):
        raise Refused(DAMAGED)


def _frame(fernet: Fernet, number: int, data: bytes, *, last: bool) -> bytes:
    token = base64.urlsafe_b64decode(fernet.encrypt(number.to_bytes(NUMBER) + bytes([last]) + data))
    return len(token).to_bytes(LENGTH) + token


def _fernet(key: str, salt: bytes) -> Fernet:
    """Slow on purpose: a key that people chose is not to be guessed by trying many."""
    made = Scrypt(salt=salt, length=32, n=2**15, r=8, p=1).derive(key.encode())
    return Fernet(base64.urlsafe_b64encode(made))
