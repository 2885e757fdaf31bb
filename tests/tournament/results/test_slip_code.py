import pytest

from tournament.errors import Refused
from tournament.paper.paper_list import cut_stack
from tournament.results.shorthand import ALPHABET, read_slip_code, slip_check

PLAYERS = ("P0001", "P0002")


def check(number: int, table: int) -> str:
    return slip_check("friday", number, table, PLAYERS)[0]


def test_a_code_is_of_its_round_event_players_and_site_alone_and_no_misread_one_fits(settings):
    code = slip_check("friday", 4, 12, PLAYERS)
    assert code == slip_check("friday", 4, 12, PLAYERS) and len(code) == 4
    assert not set(ALPHABET) & set("01ILO"), "characters that look like others"
    assert len({check(number, 12) for number in range(1, 10)}) == 9
    assert code[1:] != slip_check("friday", 4, 12, ("P0001", "P0003"))[1:]
    assert code[1:] != slip_check("saturday", 4, 12, PLAYERS)[1:]
    settings.SECRET_KEY = "another"
    other = slip_check("friday", 4, 12, PLAYERS)
    assert code[0] == other[0] and code[1:] != other[1:], "no one works it out without the key of the site"
    for table in range(1, 1000):
        text = f"{table:04d}"
        for place in range(4):
            for digit in "0123456789":
                other = int(text[:place] + digit + text[place + 1 :])
                assert other == table or check(4, other) != check(4, table), (table, other)
    for number in range(1, 30):
        for table in range(1, 400):
            text = f"{number:02d}{table:03d}"
            for place in range(4):
                turned = text[:place] + text[place + 1] + text[place] + text[place + 2 :]
                assert turned == text or check(int(turned[:2]), int(turned[2:])) != check(number, table)


@pytest.mark.parametrize(
    "text",
    [
        "4-12-K7QM",
        " 4-12-k7qm ",
        "4 12 K7QM",
        "4/12/K7QM",
        "https://x.org/t/friday/rounds/4/tables/12/code/K7QM/",
    ],
)
def test_a_code_is_read_as_people_and_scanners_type_it(text):
    assert read_slip_code(text) == (4, 12, "K7QM")


@pytest.mark.parametrize(
    "text", ["12", "4-12", "4-12-K7Q", "4-12-K7QMX", "x", "4-123456-K7QM", "https://x.org/t/a/"]
)
def test_what_is_no_code_is_refused(text):
    with pytest.raises(Refused, match="such as 4-12-K7QM"):
        read_slip_code(text)


@pytest.mark.parametrize("per_sheet", [4, 6, 8])
@pytest.mark.parametrize("count", [0, 1, 8, 9, 33, 200])
def test_cut_piles_put_on_each_other_are_in_order(count, per_sheet):
    sheets = cut_stack(range(count), per_sheet)
    assert len(sheets) == -(-count // per_sheet)
    piles = [[sheet[place] for sheet in sheets if place < len(sheet)] for place in range(per_sheet)]
    assert [item for pile in piles for item in pile] == list(range(count))
