"""The code of a match slip, and the order of the slips when the sheets are cut."""

import pytest

from standings.paper.round_paper import cut_stack
from tournament.errors import Refused
from tournament.results.slip_code import ALPHABET, read_slip_code, slip_check

PLAYERS = ("P0001", "P0002")


def check(number: int, table: int) -> str:
    return slip_check("friday", number, table, PLAYERS)[0]


def test_one_wrong_digit_never_fits():
    for table in range(1, 1000):
        text = f"{table:04d}"
        for place in range(4):
            for digit in "0123456789":
                other = int(text[:place] + digit + text[place + 1 :])
                assert other == table or check(4, other) != check(4, table), (table, other)


def test_two_digits_that_changed_places_never_fit():
    for number in range(1, 30):
        for table in range(1, 400):
            text = list(f"{number:02d}{table:03d}")
            for place in range(4):
                turned = text.copy()
                turned[place], turned[place + 1] = text[place + 1], text[place]
                other = int("".join(turned[:2])), int("".join(turned[2:]))
                assert other == (number, table) or check(*other) != check(number, table)


def test_a_table_in_other_rounds_has_other_codes():
    assert len({check(number, 12) for number in range(1, 10)}) == 9


def test_other_players_at_the_table_have_another_code():
    code = slip_check("friday", 4, 12, PLAYERS)
    assert code == slip_check("friday", 4, 12, PLAYERS)
    assert code[1] != slip_check("friday", 4, 12, ("P0001", "P0003"))[1]
    assert code[1] != slip_check("saturday", 4, 12, PLAYERS)[1]


def test_no_character_looks_like_another():
    assert not set(ALPHABET) & set("01ILO")


@pytest.mark.parametrize(
    "text",
    ["4-12-K7", " 4-12-k7 ", "4 12 K7", "4/12/K7", "https://x.org/t/friday/desk/rounds/4/tables/12/code/K7/"],
)
def test_a_code_is_read_as_people_and_scanners_type_it(text):
    assert read_slip_code(text) == (4, 12, "K7")


@pytest.mark.parametrize(
    "text", ["12", "4-12", "4-12-K", "4-12-K77", "x", "4-123456-K7", "https://x.org/t/a/"]
)
def test_what_is_no_code_is_refused(text):
    with pytest.raises(Refused, match="such as 4-12-K7"):
        read_slip_code(text)


@pytest.mark.parametrize("per_sheet", [4, 6, 8])
@pytest.mark.parametrize("count", [1, 4, 8, 9, 17, 33, 65, 200])
def test_cut_piles_put_on_each_other_are_in_order(count, per_sheet):
    sheets = cut_stack(range(count), per_sheet)
    assert len(sheets) == -(-count // per_sheet)
    piles = [[sheet[place] for sheet in sheets if place < len(sheet)] for place in range(per_sheet)]
    assert [item for pile in piles for item in pile] == list(range(count))


def test_nothing_to_print_is_no_sheet():
    assert cut_stack([], 8) == []
