"""A pasted list, line by line: what is a plain name, and what is read in a row with more."""

import time

import pytest

from tournament.roster import RosterError, has_header, read_names


def read(text):
    return [(line.name, line.rating, line.is_plain) for line in read_names(text)]


def test_a_plain_list_is_one_name_a_line():
    assert [line.name for line in read_names("Ada\n\n  Bo   Lind \r\nChen\n")] == ["Ada", "Bo Lind", "Chen"]


def test_a_separator_within_a_line_makes_no_second_player():
    assert [line.name for line in read_names("Ada\x1eRuiz\nBo\x85Lind\u2028Vega\n")] == [
        "AdaRuiz",
        "BoLind Vega",
    ]


@pytest.mark.parametrize(
    "name",
    ["Ruiz, Ada", "李小龙", "Team 7", "Sol Vega Jr.", "Anne-Marie O'Neil", "🎲", "Ada Ruiz\t", "x" * 79],
)
def test_a_name_is_nothing_but_a_name(name):
    assert read(name) == [(name.strip(), None, True)]


@pytest.mark.parametrize(
    ("text", "name", "rating"),
    [
        ("Ada Ruiz\t1850\t12", "Ada Ruiz", 1850),
        ("12\tAda Ruiz\t1850", "Ada Ruiz", 1850),
        ("1\tRuiz\tAda\t1850", "Ruiz Ada", 1850),
        ("Ada Ruiz\tChess Club\t1850", "Ada Ruiz", 1850),
        ("Ada Ruiz\t7", "Ada Ruiz", None),
        ("Ada Ruiz; 1850", "Ada Ruiz", 1850),
        ("Ada Ruiz | Chess Club", "Ada Ruiz", None),
        ("Ruiz, Ada, 1850", "Ruiz, Ada", 1850),
        ('"Ruiz, Ada",1850,12', "Ruiz, Ada", 1850),
        ("12. Ada Ruiz", "Ada Ruiz", None),
        ("3) Ada Ruiz (1850)", "Ada Ruiz", 1850),
        ("Ada Ruiz 1850", "Ada Ruiz", 1850),
        ("李小龙 - 1850", "李小龙", 1850),
        ("1850", "", None),
        ("1850\t12", "", None),
    ],
)
def test_a_row_with_more_is_taken_apart(text, name, rating):
    assert read(text) == [(name, rating, False)]


def test_a_number_that_tells_names_apart_belongs_to_them():
    assert read("Player 101\nPlayer 102") == [("Player 101", None, True), ("Player 102", None, True)]
    assert read("Ada 1850\nAda 1850") == [("Ada", 1850, False)] * 2
    assert read("Ada\t1850\nAda\t1900") == [("Ada", 1850, False), ("Ada", 1900, False)]


def test_column_names_make_it_a_table():
    assert has_header("Name\tRating\nAda\t1850") and has_header("\nFirst name;Last name\nAda;Ruiz")
    assert (
        not has_header("Ada Ruiz\t1850\nName\tRating") and not has_header("Team\nAda") and not has_header("")
    )


def test_what_is_no_list_is_refused_with_its_line():
    with pytest.raises(RosterError, match="Line 2"):
        read_names("Ada\n" + "x" * 81)
    with pytest.raises(RosterError, match="Line 1"):
        read_names("(" * 100_000)
    with pytest.raises(RosterError, match="Nothing was added"):
        read_names("\n \n")
    with pytest.raises(RosterError, match="at most 5000"):
        read_names("Ada\n" * 5001)


@pytest.mark.parametrize("line", ["a" + " -" * 249, "a" + "(" * 499])
def test_a_list_of_odd_lines_is_refused_at_once(line):
    begun = time.process_time()
    with pytest.raises(RosterError, match="at most 80 characters"):
        read_names(f"{line}\n" * 5000)
    assert time.process_time() - begun < 6
