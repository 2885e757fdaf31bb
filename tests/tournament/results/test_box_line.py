"""What a line of the one box says: a table by number or name, and what to do there."""

import pytest

from tests.factories import RoundFactory, TournamentFactory
from tournament.errors import NotFound, Refused
from tournament.models import Round
from tournament.results.box_line import parse_line
from tournament.results.desk_sheet import desk_sheet_of
from tournament.results.readings import readings_of
from tournament.results.shorthand import parse_slip
from tournament.services.entries import rename_entry

pytestmark = pytest.mark.django_db

NAMES = ["Ana Ruiz", "Ben Blake", "李小龙", "Anton Ruzicka", "Ñuño Ortiz", "Dee Lee", "Dee Lee", "Zoë X"]


@pytest.fixture
def sheet():
    """The desk's sheet of round 1 of eight named players."""
    tournament = TournamentFactory(entries=8)
    for entry, name in zip(tournament.entries.order_by("code"), NAMES, strict=True):
        rename_entry(tournament, entry.code, name)
    RoundFactory(tournament=tournament)
    return desk_sheet_of(tournament, Round.objects.get(tournament=tournament))


def seat_of(sheet, name):
    """The table and the side of a player."""
    for row in sheet.rows:
        for side, player in (("a", row.a), ("b", row.b)):
            if player.name == name:
                return row.table, side
    raise LookupError(name)


@pytest.mark.parametrize("text", ["2 21", "2.21", "2/21", "2*21", "2,21", "2 2-1", " 2   2–1 ", "2 . 21"])
def test_a_table_and_a_result_are_read_with_and_without_a_space(sheet, text):
    line = parse_line(text, sheet)
    assert (line.what, line.table, line.slip.games) == ("slip", 2, (2, 1, 0))


@pytest.mark.parametrize(
    ("text", "what", "minutes", "sides"),
    [
        ("2", "show", 0, ""),
        ("2 ?", "show", 0, ""),
        ("2 -", "clear", 0, ""),
        ("2 +5", "extend", 5, ""),
        ("+5 2", "extend", 5, ""),
        ("2 x1", "drop", 0, "a"),
        ("2 x2", "drop", 0, "b"),
        ("2 xx", "drop", 0, "ab"),
        ("", "", 0, ""),
    ],
)
def test_a_table_is_shown_cleared_extended_or_loses_players(sheet, text, what, minutes, sides):
    line = parse_line(text, sheet)
    assert (line.what, line.minutes, line.sides) == (what, minutes, sides)
    assert line.table == (2 if what else 0)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ben Blake", "Ben Blake"),
        ("ben", "Ben Blake"),
        ("bLaK", "Ben Blake"),
        ("李小龙", "李小龙"),
        ("nuno", "Ñuño Ortiz"),
        ("zoe x", "Zoë X"),
    ],
)
def test_a_name_stands_for_its_table_and_its_games_come_first(sheet, text, name):
    table, side = seat_of(sheet, name)
    line = parse_line(f"{text} 21", sheet)
    assert line.table == table
    assert line.slip.games == ((2, 1, 0) if side == "a" else (1, 2, 0))
    assert parse_line(name, sheet).what == "show"


def test_what_may_be_a_name_is_a_name_and_writes_nothing(sheet):
    assert parse_line("zoe x", sheet).what == "show"  # Zoë X, and no drop
    assert parse_line("zoe d", sheet).slip.games == (1, 1, 0)
    dee = [row for row in sheet.rows if "Dee Lee" in row.a.name or "Dee Lee" in row.b.name]
    assert len(dee) in (1, 2)
    with pytest.raises(Refused, match="several players"):
        parse_line("dee l", sheet)


def test_marks_beside_a_name_belong_to_that_player(sheet):
    table, side = seat_of(sheet, "Ben Blake")
    other = "b" if side == "a" else "a"
    assert parse_line("ben x02", sheet).slip.drops == side
    assert parse_line("ben 02x", sheet).slip.drops == other
    assert parse_line("ben ns1", sheet).slip.winner == other
    line = parse_line("ben x", sheet)
    assert (line.what, line.table, line.sides) == ("drop", table, side)


def test_what_is_ambiguous_says_between_what(sheet):
    with pytest.raises(Refused, match=r"several players: An\w+ Ru\w+ \(\d\), An\w+ Ru\w+ \(\d\)"):
        parse_line("ru 20", sheet)
    with pytest.raises(Refused, match=r"Dee Lee .1 of 2."):
        parse_line("dee 20", sheet)
    with pytest.raises(Refused, match=r"Type 2 x1 for .*, 2 x2 for .*, 2 xx for both"):
        parse_line("2 x", sheet)


def test_what_nobody_understands_says_what_to_type(sheet):
    for text in ("nobody 20", "12:", "?", "20"):
        with pytest.raises(Refused):
            parse_line(text, sheet)
    with pytest.raises(NotFound, match="Round 1 has no table 77"):
        parse_line("77 20", sheet)
    with pytest.raises(Refused, match="such as 12 21"):
        parse_line("nobody 20", sheet)


def test_a_line_typed_behind_the_table_that_enter_has_named_is_no_result(sheet):
    """Enter in the empty box writes "1 " there: "1 20" typed after it is not 1-2-0."""
    for text in ("1 1 20", "1 1 11", "2 2 00", "1 1-20", "1 21 1"):
        with pytest.raises(Refused, match="is not a result"):
            parse_line(text, sheet)
    assert parse_line("1 1 2 0", sheet).slip.games == parse_line("1 1-2-0", sheet).slip.games == (1, 2, 0)


def test_003_and_id_are_one_fact(sheet):
    rules = sheet.rules
    readings = readings_of(rules)
    assert readings["003"] == readings["id"] == "intentional draw"
    assert readings["21"] == "2–1" and readings["10t"] == "1–0–1" and "22" not in readings


def test_both_drop_before_or_after_the_result():
    assert parse_slip("xx20").drops == parse_slip("20xx").drops == parse_slip("x20x").drops == "ab"
