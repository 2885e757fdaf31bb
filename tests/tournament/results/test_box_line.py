import pytest

from tests.factories import RoundFactory, TournamentFactory
from tests.pages import page
from tournament.errors import NotFound, Refused
from tournament.paper.paper_list import cut_stack
from tournament.results.box_line import Unclear, parse_line
from tournament.results.desk_sheet import load_desk_sheet
from tournament.results.shorthand import (
    ALPHABET,
    parse_slip,
    read_slip_code,
    slip_check,
    slip_shorthand,
)
from tournament.results.slip import MatchRules, Slip
from tournament.rulesets import ScoreRules
from tournament.services.entries import rename_entry
from tournament.services.results import record_result

pytestmark = pytest.mark.django_db

NAMES = ["Ana Ruiz", "Ben Blake", "李小龙", "Anton Ruzicka", "Ñuño Ortiz", "Dee Lee", "Dee Lee", "Zoë X"]


@pytest.fixture
def sheet():
    tournament = TournamentFactory(entries=8)
    for entry, name in zip(tournament.entries.order_by("code"), NAMES, strict=True):
        rename_entry(tournament, entry.code, name)
    RoundFactory(tournament=tournament)
    return load_desk_sheet(tournament, 1)


def seat_of(sheet, name):
    for row in sheet.rows:
        for side, player in (("a", row.a), ("b", row.b)):
            if player.name == name:
                return row.table, side
    raise LookupError(name)


@pytest.mark.parametrize("text", ["2 21", "2.21", "2/21", "2*21", "2,21", "2 2-1", " 2   2–1 ", "2 . 21"])
def test_a_table_and_a_result_are_read_with_and_without_a_space(sheet, text):
    line = parse_line(text, sheet)
    assert (line.what, line.row.table, line.slip.games) == ("slip", 2, (2, 1, 0))


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
    ],
)
def test_a_table_is_shown_cleared_extended_or_loses_players(sheet, text, what, minutes, sides, why):
    line = parse_line(text, sheet)
    assert (line.what, line.minutes, line.sides, line.why) == (what, minutes, sides, why)
    assert line.row.table == 2


def test_an_empty_line_is_about_no_table(sheet):
    assert parse_line(" ", sheet) is None


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
    assert line.row.table == table
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
    assert (line.what, line.row.table, line.sides) == ("drop", table, side)


def test_a_line_behind_the_table_that_enter_named(sheet):
    """Enter in the empty box names table 1: "1 20" typed after it is not 1-2-0."""
    for text in ("1 1 20", "1 1 11", "2 2 00", "1 1-20", "1 21 1"):
        with pytest.raises(Unclear, match="is not a result"):
            parse_line(text, sheet)
    assert parse_line("1 1 2 0", sheet).slip.games == parse_line("1 1-2-0", sheet).slip.games == (1, 2, 0)
    name = seat_of(sheet, "Ben Blake")[0]
    for text, table in (("20", 1), ("1 2", 1), ("2 20", 2), ("3.20", 3), ("ben 20", name), ("+5 2", 2)):
        assert parse_line(text, sheet, named=1).row.table == table, text
    for text, why in (
        ("9", "“9” is not"),
        ("9x", "“9x” is not"),
        ("77 20", "no table 77"),
        ("2 99", "9–9 is impossible"),
        ("3 1", "3–1 is impossible"),  # of table 1; not table 3 with a result "1"
        ("3 1 1", "3–1–1 is impossible"),
    ):
        with pytest.raises(Refused, match=why):
            parse_line(text, sheet, named=1)


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


@pytest.mark.parametrize(
    ("ruleset", "slip", "desk", "player", "typed", "not_typed"),
    [
        (
            "fide",
            Slip("played", 0, 0, 1),
            "draw",
            "drew with Player 02",
            "12 10x",
            "12 111",
        ),  # no row of noughts
        ("mtr", Slip("played", 1, 1, 1), "1–1–1", "drew Player 02 1–1–1", "12 20x", "12 10x"),
    ],
)
def test_a_draw_is_said_and_typed_as_its_rules_have_it(client, ruleset, slip, desk, player, typed, not_typed):
    event = TournamentFactory(entries=2, ruleset=ruleset)
    client.force_login(event.owner)
    RoundFactory(tournament=event)
    help_of_box = page(client, f"/t/{event.slug}/desk/rounds/1/").all("kbd")
    assert typed in help_of_box and not_typed not in help_of_box
    record_result(event, 1, 1, slip)
    for part, words in (("desk/rounds/1/", desk), ("players/P0001/", player), ("desk/log/", desk)):
        shown = page(client, f"/t/{event.slug}/{part}")
        assert words in shown and "0–0–1" not in shown, part
