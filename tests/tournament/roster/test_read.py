import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournament.exports import unguard_cell
from tournament.roster import MOST_BYTES, RosterError, read_roster
from tournament.text import clean_lines, clean_name, split_lines


def people(text: str | bytes) -> list[dict]:
    data = text.encode() if isinstance(text, str) else text
    return [line.fields for line in read_roster(data).lines]


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        ("Name;Elo\nŻółć;1800\n".encode(), "UTF-8"),
        ("Name;Elo\nŻółć;1800\n".encode("utf-8-sig"), "UTF-8"),
        ("Name;Elo\nŻółć;1800\n".encode("utf-16"), "UTF-16"),
        ("Name;Elo\nŻółć;1800\nMü".encode()[:-1], "UTF-8"),  # cut off within a letter
        ("Name;Elo\nPeña “Tor”;1800\n".encode("cp1252"), "Windows-1252"),
        ("Name;Elo\nÅsa;1800\n".encode("latin-1"), "Windows-1252"),
    ],
)
def test_the_encoding_is_found_out_and_said(data, encoding):
    roster = read_roster(data)
    assert (roster.encoding, roster.separator) == (encoding, "semicolon")
    assert roster.lines[0].fields["name"] in ("Żółć", "Peña “Tor”", "Åsa")
    assert roster.lines[0].fields["rating"] == 1800


def test_a_few_names_tell_the_encoding_among_emails_and_clubs():
    names = ["佐藤美咲", "鈴木一郎", "高橋健太", "山田太郎"]
    rows = (f"{name};someone.{number}@example.org;Berlin Lions;1500" for number, name in enumerate(names))
    roster = read_roster("\n".join(["Name;Email;Club;Elo", *rows]).encode("cp932"))
    assert roster.encoding == "Shift_JIS" and [line.fields["name"] for line in roster.lines] == names


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("Name,Club\n\"Ruiz, Ada\",North\nBo,South\n", "comma"),
        ("Name;Club\nRuiz, Ada;North\nBo, Lind;South\n", "semicolon"),
        ("Name\tClub\nRuiz, Ada\tNorth\n", "tab"),
        ("sep=;\nName;Club\nAda;North, East\n", "semicolon"),
        ('sep="\nName\nAda\nBo\n', "comma"),
        ("Name\nAda\nBo\n", "comma"),
        ("Name;Club\nRuiz, Ada;a,b\x1ec,d\x85e,f\u2028g,h\x0bi,j\x0ck,l\n", "semicolon"),
        ("Name;Club\rRuiz, Ada;North\rBo, Lind;South\r", "semicolon"),
    ],
)  # fmt: skip
def test_the_separator_is_found_out_and_said(text, separator):
    assert read_roster(text.encode()).separator == separator
    assert people(text)[0]["name"] in ("Ruiz, Ada", "Ada")


def test_only_the_ends_of_lines_divide_lines_but_not_within_a_field_and_empty_columns_do_no_harm():
    odd = "a\x0bb\x0cc\x1cd\x1de\x1ef\x85g\u2028h\u2029i"
    assert split_lines(f"{odd}\r\nx\ry\n\nz\n") == [odd, "x", "y", "", "z"]
    assert split_lines("") == [] and split_lines("\n") == [""]
    assert [person["name"] for person in people(f"Name\n{odd}\nBo\n")] == ["abcdefg h i", "Bo"]
    assert clean_lines("one\x1etwo\r\n\r\nthree\u2028four\r") == "onetwo\nthree four"
    roster = read_roster(b'Name,Notes\n"Ada","left\nhanded"\n,x\n')
    assert roster.lines[0].fields["notes"] == "left\nhanded"
    assert str(roster.refused[0]) == "Line 4 has no name."
    assert people("Name,Elo\nAda,1850,,\n") == [{"name": "Ada", "rating": 1850, "rating_source": "Elo"}]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (  # Melee
            "Name,Username,Email\nAda Ruiz,ace,ada@x\n",
            {"name": "Ada Ruiz", "alias": "ace", "contact": "ada@x"},
        ),
        (  # EventLink
            "First Name,Last Name,Wizards ID\nAda,Ruiz,W1\n",
            {"name": "Ada Ruiz", "last_name": "Ruiz", "external_id": "W1"},
        ),
        ("Player,Player ID,Discord\nAda,t-5,x\n", {"name": "Ada", "external_id": "t-5"}),  # TopDeck
        (  # Swiss-Manager, with its title above
            "Open of the North\n\nNo;Name;FideID;RtgI;Club/City\n1;Ruiz, Ada;42;1850;North\n",
            {"name": "Ruiz, Ada", "external_id": "42", "rating": 1850, "rating_source": "RtgI", "labels": ["North"]},
        ),
        (  # Sharly Chess
            "last_name;first_name;fide_id;standard_rating;club\nRuiz;Ada;42;1850;North\n",
            {"name": "Ada Ruiz", "last_name": "Ruiz", "external_id": "42", "rating": 1850,
             "rating_source": "standard_rating", "labels": ["North"]},
        ),
        ("Nom;Prénom;Elo\nRuiz;Ada;0\n", {"name": "Ada Ruiz", "last_name": "Ruiz"}),
        ("Vorname;Name\nAda;Ruiz\n", {"name": "Ada Ruiz", "last_name": "Ruiz"}),
        ("Ad;Soyad\nAda;Ruiz\n", {"name": "Ada Ruiz", "last_name": "Ruiz"}),
        ("Name;FideID\nAda Ruiz;0\n", {"name": "Ada Ruiz"}),  # 0 is none
        ("Spieler;DWZ;Verein;bezahlt\nAda;1.850;Nord;ja\n", None),
        ("Name;Rating;Paid;Labels\nAda;1850,0;x;Junior; U16\n", None),
    ],
)  # fmt: skip
def test_headers_of_other_programs_are_understood(text, expected):
    roster = read_roster(text.encode())
    if expected is not None:
        assert [line.fields for line in roster.lines] == [expected]
    else:
        assert roster.refused  # 1.850 is no number; a line with too many columns


def test_labels_come_from_several_columns_and_what_was_not_used_is_said():
    roster = read_roster(b"Rank,Name,Decklist\n1,Ada,Burn\n")
    assert roster.ignored == ["Rank", "Decklist"] and roster.columns == {"name": "Name"}
    text = "Name,Club,Family,Labels\nAda,North,Ruiz,Junior; U16|North\n"
    assert people(text)[0]["labels"] == ["North", "Ruiz", "Junior", "U16"]
    assert people("Name,Notes\n'=1+1,'-x\n'O,ok\n") == [
        {"name": "=1+1", "notes": "-x"},
        {"name": "'O", "notes": "ok"},
    ]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b" \n\n", "empty"),
        (b";;;\n;;;\n", "empty"),
        (b"Ada Ruiz\nBo Lind\n", "No column is called “Name”"),
        (b"Ada;1850;North\n", "Line 1 has: “Ada”, “1850”, “North”"),
        (b"Name,Rating\n", "There are no players below the header in line 1"),
        (b"Name,Elo,name\nAda,1,Bo\n", "Line 1: two columns are called “Name”"),
        (b'Name,Club\nAda,North\n"Bo,South\n', "Line 3 opens a quotation mark"),
        (b'Name,Club\nAda,"North"x\n', "Line 2 has something between"),
        (b"Name\nA\x00da\n", "not a text file"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "picture"),
        (b"PK\x03\x04\x14\x00", "workbook"),
        (b"%PDF-1.4", "PDF"),
        (bytes(range(128, 160)) * 40 + bytes(range(1, 9)) * 40, "not a text file"),
        (b"Name\n" + b"x" * 140_000, "Line 2 has a field of more than"),
        (b"Name," + b"x," * 100_000 + b"\n", "Line 1 has 100002 columns"),
        (b"Name\n" + b"Ada\n" * 5001, "more than 5000 players"),
        (b"x" * (MOST_BYTES + 1), "larger than 2 MB"),
        ("Name\nAda".encode("utf-16-le"), "not a text file"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_file_that_makes_no_sense_is_refused_in_words(data, words):
    with pytest.raises(RosterError) as refused:
        read_roster(data)
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Bo,1", "Line 3 has 2 columns, the header has 3."),
        ("Bo,1,2,3", "Line 3 has 4 columns, the header has 3."),
        ("Name,Elo,ID", "Line 3 is the header again."),
        (",1,2", "Line 3 has no name."),
        ("\u200b\u202e,1,2", "Line 3 has no name."),
        ("x" * 81 + ",1,2", "Line 3: a name has at most 80 characters."),
        ("Bo,strong,2", "Line 3: the rating “strong” is not a whole number."),
        ("Bo,99999999999,2", "Line 3: the rating"),
        ("Bo,1,7", "Line 3 has the same membership number as line 2."),
        ("Bo,1," + "9" * 61, "Line 3: the field “external id” has at most 60 characters."),
    ],
)
def test_a_line_that_makes_no_sense_is_named_and_the_others_are_read(line, words):
    roster = read_roster(f"Name,Elo,ID\nAda,1,7\n{line}\nChen,1850,8\n".encode())
    assert [str(error)[: len(words)] for error in roster.refused] == [words]
    assert [line.fields["name"] for line in roster.lines] == ["Ada", "Chen"]
    assert [line.number for line in roster.lines] == [2, 4]


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=40)


@given(st.lists(NAMES, min_size=1, max_size=8), st.sampled_from(",;\t"), st.sampled_from(["utf-8", "utf-16"]))
def test_what_a_spreadsheet_writes_is_read_back(names, separator, encoding):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator)
    writer.writerow(["Name", "Elo", "Club"])
    writer.writerows([name, 1500 + place, "North"] for place, name in enumerate(names))
    roster = read_roster(text.getvalue().encode(encoding))
    read = len(roster.lines) + len(roster.refused)
    assert read == len(names)
    rest = [line.fields["name"] for line in roster.lines]
    written = [clean_name(unguard_cell(name.strip())) for name in names]
    assert rest == [name for name in written if name]


@given(st.binary(max_size=300))
def test_no_bytes_break_the_reader(data):
    for begin in (b"", b"Name,Elo\n", b"\xff\xfe"):
        try:
            read_roster(begin + data)
        except RosterError as error:
            assert str(error)
