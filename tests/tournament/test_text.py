"""Piles of combining marks: Unicode puts them in order in quadratic time, so that no long one may get there."""

import unicodedata

import pytest

from tournament.roster.read import header_word
from tournament.text import clean_name, fold_name, make_slug

PILES = {
    "two kinds of marks": "a" + "\u0301" * 3000 + "\u0323" * 3000,
    "vowels that become two marks": "\u0f73" * 3000,
    "sound marks that become marks": ("\uff9e" * 29 + "\u0334" * 29) * 100,
}


@pytest.fixture
def longest(monkeypatch):
    """[the most marks in a row that were put in order]"""
    normalize, most = unicodedata.normalize, [0]

    def count_marks(form, text):
        run = 0
        for char in text:
            run = run + 1 if unicodedata.combining(normalize("NFKD", char)[0]) else 0
            most[0] = max(most[0], run)
        return normalize(form, text)

    monkeypatch.setattr(unicodedata, "normalize", count_marks)
    return most


@pytest.mark.parametrize("pile", PILES)
@pytest.mark.parametrize("read", [clean_name, fold_name, header_word])
def test_no_long_pile_of_marks_is_put_in_order(longest, pile, read):
    read(PILES[pile] + " Ada")
    assert longest[0] <= 30


def test_an_address_is_made_of_the_beginning_of_a_text(longest):
    assert make_slug("Ada " + PILES["two kinds of marks"]) == "ada-a"
    assert longest[0] <= 1000


@pytest.mark.parametrize(
    "name", ["Zoë Quístberg", "Việt " * 20, "ガギグ" * 20, "हिन्दी " * 20, "x\u0301" * 40]
)
def test_a_name_in_any_script_is_composed_whole(name):
    assert clean_name(unicodedata.normalize("NFD", name)) == unicodedata.normalize("NFC", name).strip()
