"""Encrypted files: what went in comes out, and whatever was done to the file is noticed."""

import io

import pytest

from tournament.backups.encryption import LENGTH, MAGIC, PIECE, SALT, decrypt, encrypt
from tournament.errors import Refused

KEY = "correct horse battery staple"


def file_of(*parts, key=KEY):
    return b"".join(encrypt(parts, key))


def read(content, key=KEY):
    return b"".join(decrypt(io.BytesIO(content), key))


def frames_of(content):
    """(what stands before the pieces, the pieces with their lengths)."""
    at = len(MAGIC) + SALT
    start, frames = content[:at], []
    while at < len(content):
        end = at + LENGTH + int.from_bytes(content[at : at + LENGTH])
        frames.append(content[at:end])
        at = end
    return start, frames


@pytest.mark.parametrize("size", [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE])
def test_what_went_in_comes_out(size):
    data = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    content = file_of(data[: size // 3], data[size // 3 :])
    assert read(content) == data
    assert size < 9 or data[:200] not in content
    assert len(content) < size + 2000  # no larger than what it holds


def test_two_files_of_the_same_are_not_alike():
    assert file_of(b"the same") != file_of(b"the same")


@pytest.fixture(scope="module")
def three():
    return file_of(b"a" * PIECE, b"b" * PIECE, b"c")


@pytest.mark.long
def test_whatever_is_done_to_a_file_is_noticed(three):
    start, frames = frames_of(three)
    assert len(frames) == 3
    other_start, others = frames_of(file_of(b"a" * PIECE, b"z"))
    spoiled = {
        "cut within a piece": three[:-5],
        "cut between pieces": start + b"".join(frames[:2]),
        "a piece left out": start + frames[0] + frames[2],
        "pieces exchanged": start + frames[1] + frames[0] + frames[2],
        "a piece twice": start + frames[0] + frames[0] + frames[2],
        "a piece of another file": start + others[0] + frames[1] + frames[2],
        "the start of another file": other_start + b"".join(frames),
        "one bit": three[: len(three) // 2]
        + bytes([three[len(three) // 2] ^ 1])
        + three[len(three) // 2 + 1 :],
        "something behind it": three + b"\n",
        "nothing but the start": start,
        "a length beyond all": start + b"\xff\xff\xff\xff" + frames[0],
    }
    for what, content in spoiled.items():
        with pytest.raises(Refused, match="damaged"):
            read(content)
            pytest.fail(what)


def test_another_key_is_named_as_the_likely_reason(three):
    with pytest.raises(Refused, match="BACKUP_KEY does not open this backup"):
        read(three, key=KEY + "r")
