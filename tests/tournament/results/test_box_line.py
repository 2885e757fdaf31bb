import pytest

from tests.factories import RoundFactory, TournamentFactory
from tournament.errors import NotFound, Refused
from tournament.models import Round
from tournament.results.desk_sheet import desk_sheet_of, parse_line
from tournament.results.shorthand import parse_slip, readings_of, slip_shorthand
from tournament.results.slip import MatchRules
from tournament.rulesets import ScoreRules
from tournament.services.entries import rename_entry

pytestmark = pytest.mark.django_db

NAMES = ["Ana Ruiz", "Ben Blake", "李小龙", "Anton Ruzicka", "Ñuño Ortiz", "Dee Lee", "Dee Lee", "Zoë X"]


@pytest.fixture
def sheet():
    tournament = TournamentFactory(entries=8)
    for entry, name in zip(tournament.entries.order_by("code"), NAMES, strict=True):
        rename_entry(tournament, entry.code, name)
    RoundFactory(tournament=tournament)
    return desk_sheet_of(tournament, Round.objects.get(tournament=tournament))


def seat_of(sheet, name):
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
    ("text", "what", "minutes", "sides", "why"),
    [
        ("2", "show", 0, "", ""),
        ("2 ?", "show", 0, "", ""),
        ("2 -", "clear", 0, "", ""),
        ("2 +5", "extend", 5, "", ""),
        ("+5 2 deck check", "extend", 5, "", "deck check"),
        ("2 x1", "drop", 0, "a", ""),
        ("2 x2", "drop", 0, "b", ""),
        ("2 xx", "drop", 0, "ab", ""),
        ("", "", 0, "", ""),
    ],
)
def test_a_table_is_shown_cleared_extended_or_loses_players(sheet, text, what, minutes, sides, why):
    line = parse_line(text, sheet)
    assert (line.what, line.minutes, line.sides, line.why) == (what, minutes, sides, why)
    assert line.table == (2 if what else 0)


@pytest.mark.parametrize(
    ("text", "name"),
    [
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
    assert parse_line(name, sheet).what == "show"  # Zoë X, and no drop


def test_what_is_ambiguous_or_unknown_says_what_to_type(sheet):
    assert parse_line("zoe d", sheet).slip.games == (1, 1, 0)
    for text, why in (
        ("ru 20", r"several players: An\w+ Ru\w+ \(\d\), An\w+ Ru\w+ \(\d\)"),
        ("dee 20", r"Dee Lee .1 of 2."),
        ("dee l", "several players"),
        ("2 x", r"Type 2 x1 for .*, 2 x2 for .*, 2 xx for both"),
    ):
        with pytest.raises(Refused, match=why):
            parse_line(text, sheet)
    for text in ("nobody 20", "12:", "?", "20"):
        with pytest.raises(Refused, match="such as 12 21" if text == "nobody 20" else None):
            parse_line(text, sheet)
    with pytest.raises(NotFound, match="There is no table 77 in round 1"):
        parse_line("77 20", sheet)


def test_marks_beside_a_name_belong_to_that_player(sheet):
    table, side = seat_of(sheet, "Ben Blake")
    other = "b" if side == "a" else "a"
    assert parse_line("ben x02", sheet).slip.drops == side
    assert parse_line("ben 02x", sheet).slip.drops == other
    assert parse_line("ben ns1", sheet).slip.winner == other
    line = parse_line("ben x", sheet)
    assert (line.what, line.table, line.sides) == ("drop", table, side)


def test_a_line_behind_the_table_that_enter_named_and_readings_before_enter(sheet):
    """Enter in the empty box writes "1 " there: "1 20" typed after it is not 1-2-0."""
    for text in ("1 1 20", "1 1 11", "2 2 00", "1 1-20", "1 21 1"):
        with pytest.raises(Refused, match="is not a result"):
            parse_line(text, sheet)
    assert parse_line("1 1 2 0", sheet).slip.games == parse_line("1 1-2-0", sheet).slip.games == (1, 2, 0)
    readings = readings_of(sheet.rules)
    assert readings["003"] == readings["id"] == ["intentional draw"] * 2  # one fact
    assert readings["21"] == ["2–1", "1–2"] and readings["10t"] == ["1–0–1", "0–1–1"] and "22" not in readings


@pytest.mark.parametrize(
    "text",
    ["21", "111", "10t", "id", "ll", "ns", "ns1", "ns2", "x21", "21x", "xx20", "x11x", "xid", "ab", "001"],
)
def test_the_short_text_of_a_slip_reads_as_the_same_slip(text):
    rules = MatchRules(order=text == "ab")
    slip = parse_slip(text, rules)
    assert parse_slip(slip_shorthand(slip, rules), rules) == slip
    assert slip.drops == "ab" or text not in ("xx20", "x11x", "ns")


@pytest.mark.parametrize("text", ["412 388", "350 350x", "id 5 5"])
def test_points_are_part_of_the_short_text(text):
    rules = MatchRules(best_of=1, scores=ScoreRules(decides=True))
    assert slip_shorthand(parse_slip(text, rules), rules) == text
