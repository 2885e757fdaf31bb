import time

import pytest

from tournament.roster import RosterError, has_header, read_names


def read(text):
    return [(line.name, line.details.get("rating"), line.is_plain) for line in read_names(text)]


def detailed(text):
    return [(line.name, line.details, line.unused) for line in read_names(text)]


def test_a_plain_list_is_one_name_a_line_with_its_numbers_and_quotation_marks():
    assert [name for name, *_rest in read("Ada\n\n  Bo   Lind \r\nChen\n")] == ["Ada", "Bo Lind", "Chen"]
    assert [name for name, *_rest in read("Ada\x1eRuiz\nBo\x85Lind\u2028Vega\n")] == [
        "AdaRuiz",
        "BoLind Vega",
    ]
    assert read("Player 101\nPlayer 102") == [("Player 101", None, True), ("Player 102", None, True)]
    assert read("Ada 1850\nAda 1850") == [("Ada", 1850, False)] * 2
    assert read("Ada\t1850\nAda\t1900") == [("Ada", 1850, False), ("Ada", 1900, False)]
    text = "7 Nation Army\nBlue Dogs\nRed Cats"
    assert read(text)[0] == ("7 Nation Army", None, True)
    assert read('"Ace" Ventura "x"\nO\'Neil\n\'t Hooft')[0][0] == '"Ace" Ventura "x"'


@pytest.mark.parametrize(
    "name", ["李小龙", "Team 7", "Sol Vega Jr.", "Anne-Marie O'Neil", "🎲", "Ada Ruiz\t", "x" * 79]
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
        ("Ruiz, Ada, 1850", "Ada Ruiz", 1850),
        ('"Ruiz, Ada",1850,12', "Ada Ruiz", 1850),
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


@pytest.mark.parametrize(
    "texts",
    [
        ["1. Aa Bb", "2. Cc Dd", "3. Ee Ff"],
        ["(1) Aa Bb", "(2) Cc Dd", "(3) Ee Ff"],
        ["#1 Aa Bb", "#2 Cc Dd", "#3 Ee Ff"],
        ["1 Aa Bb", "2 Cc Dd", "3 Ee Ff"],
        ["• Aa Bb", "•Cc Dd", "•\tEe Ff"],
        ["- Aa Bb", "– Cc Dd", "—Ee Ff"],
        ["[ ] Aa Bb", "☐ Cc Dd", "* Ee Ff"],
        ["1- Aa Bb", "2 - Cc Dd", "№3 Ee Ff"],
        ["１．Aa Bb", "②Cc Dd", "3、Ee Ff"],
        ["\u200b1. Aa Bb", "\u200f2. Cc Dd", "10003 Ee Ff"],
        ["−Aa Bb", "-- Cc Dd", "\u200f― Ee Ff"],
        ["▶ Aa Bb", "・Cc Dd", "✅\ufe0f Ee Ff"],
        ["\uf0b7 Aa Bb", "➤ Cc Dd", "~ Ee Ff"],
        ['"Aa Bb', "“Cc Dd", "» Ee Ff"],
        ["「Aa Bb」", "`Cc Dd`", "\u200f＂Ee Ff＂"],
        ['"Aa Bb"', "“Cc Dd”", "«Ee Ff»"],
        ['"Aa Bb",', "„Cc Dd“;", "›Ee Ff‹"],
    ],
)
def test_what_stands_in_front_of_every_line_is_left_out(texts):
    text = "\n".join(texts)
    assert [name for name, *_rest in read(text)] == ["Aa Bb", "Cc Dd", "Ee Ff"]
    lines = read_names(text, as_written=True)
    assert all(line.is_plain for line in lines) and lines[0].name == lines[0].text


@pytest.mark.parametrize(
    ("text", "understood"),
    [
        ("Ruiz, Ada", ("Ada Ruiz", {"last_name": "Ruiz"}, ())),
        ("García Márquez, Gabriel", ("Gabriel García Márquez", {"last_name": "García Márquez"}, ())),
        ("Vega, Sol, Jr.", ("Sol Vega Jr.", {"last_name": "Vega"}, ())),
        ("Sol Vega, Jr.", ("Sol Vega, Jr.", {}, ())),
        ("Ada Ruiz\tada@example.org", ("Ada Ruiz", {"contact": "ada@example.org"}, ())),
        ("Ada Ruiz <ada@example.org>", ("Ada Ruiz", {"contact": "ada@example.org"}, ())),
        ("Ada Ruiz, ada@example.org", ("Ada Ruiz", {"contact": "ada@example.org"}, ())),
        ("Ada Ruiz;+34 600 123 456", ("Ada Ruiz", {"contact": "+34 600 123 456"}, ())),
        ("Ada Ruiz;Spain", ("Ada Ruiz", {"labels": ["Spain"]}, ())),
        (
            "Ada Ruiz, ada@example.org, Spain",
            ("Ada Ruiz", {"contact": "ada@example.org", "labels": ["Spain"]}, ()),
        ),
        ('"Ruiz, Ada", Spain', ("Ada Ruiz", {"last_name": "Ruiz", "labels": ["Spain"]}, ())),
        ("Ada Ruiz,", ("Ada Ruiz", {}, ())),
        (
            "Ruiz, Ada;Spain;1850",
            ("Ada Ruiz", {"last_name": "Ruiz", "labels": ["Spain"], "rating": 1850}, ()),
        ),
        ("12\tAda Ruiz\t1850", ("Ada Ruiz", {"rating": 1850}, ("12",))),
    ],
)
def test_a_line_in_a_usual_form_is_understood_and_nothing_of_it_is_dropped(text, understood):
    assert detailed(text) == [understood]


def test_words_after_a_comma_or_apart_are_names_or_labels():
    countries = "Ada Ruiz, Spain\nBo Lind, Norway\nCy Day, Spain\nDi Moe, Norway"
    assert detailed(countries)[0] == ("Ada Ruiz", {"labels": ["Spain"]}, ())
    assert detailed("Ruiz, Ada\nLind, Bo\nDay, Cy\nMoe, Di")[3] == ("Di Moe", {"last_name": "Moe"}, ())
    assert read_names("Lions, North", teams=True)[0].name == "Lions, North"
    assert detailed("Ruiz\tAda\nLind\tBo") == [("Ruiz Ada", {}, ()), ("Lind Bo", {}, ())]
    mixed = "Ruiz;Ada\nde la Cruz;Bo\nLind;Cy"
    assert detailed(mixed)[1] == ("de la Cruz Bo", {}, ())
    assert detailed("Cher;Spain\nAda Ruiz;Spain\nBo Lind;Italy")[0] == ("Cher", {"labels": ["Spain"]}, ())
    pets = "Ace;Spain\nBob;Spain\nCat;Spain\nDot;Spain"
    assert detailed(pets)[3] == ("Dot", {"labels": ["Spain"]}, ())


@pytest.mark.parametrize(
    "line", ["12", "---", "Ada Ruiz, Bo Lind, Cy Day", "Jos\ufffd Ni\ufffdo", "ada@example.org"]
)
def test_what_may_be_no_name_is_in_doubt(line):
    assert read_names(line)[0].is_doubtful and not read_names("Ada Ruiz")[0].is_doubtful


def test_column_names_make_it_a_table_and_what_is_no_list_is_refused_with_its_line():
    assert has_header("Name\tRating\nAda\t1850") and has_header("\nFirst name;Last name\nAda;Ruiz")
    assert not any(map(has_header, ("Ada Ruiz\t1850\nName\tRating", "Team\nAda", "")))
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
        read_names(f"{line}\n" * 500)
    assert time.process_time() - begun < 5  # a tenth of it on a calm machine
