"""Files that once gave a wrong answer; each rule has a test of its own elsewhere, here are the files themselves."""

from fractions import Fraction as F
from pathlib import Path

import pytest

from pairings.audit.pairing_report import pair_next
from standings.bracket.results import record_bracket_result
from standings.conformance.published import conformance
from standings.event.swiss import standings_json, standings_of
from tournament.archive import read_file
from tournament.archive.load import load_event
from tournament.models import Match
from tournament.results.slip import Slip
from tournament.roster.read import read_roster
from tournament.services.clock import begin_round
from tournament.services.drops import drop_entry


@pytest.fixture
def cases(shared_data) -> Path:
    return shared_data.parent / "cases"


def test_a_round_sat_out_is_not_a_round_competed_in(cases):
    ranking = standings_of(read_file(cases / "sat-out-zero-bye.json"))
    assert ranking.order == ["C", "A", "B", "D"]
    assert [ranking.row(code).values[1] for code in "CAB"] == [F(5, 9), F(1, 2), F(2, 3)]


def test_nothing_later_reaches_back_into_earlier_standings(cases):
    before, dropped = (
        standings_json(read_file(cases / name), 1)
        for name in ("pokemon-before-the-drop.json", "pokemon-dropped-after-2.json")
    )
    assert before["rows"] == dropped["rows"]
    left = read_file(cases / "pokemon-leaves-after-last-round.json")
    stayed = read_file(cases / "pokemon-leaves-after-last-round.json")
    stayed.entries["P02"].status, stayed.entries["P02"].dropped_after = "playing", None
    assert left.entries["P02"].status == "dropped"
    assert standings_json(left)["rows"] == standings_json(stayed)["rows"]
    late = standings_of(read_file(cases / "late-entrant-in-earlier-standings.json"), 1)
    assert "P05" not in late.order


def test_no_one_has_the_same_side_a_third_time(cases):
    event = read_file(cases / "fide-sides-9-round4.json")
    paired = pair_next(event, None, None).pairing
    sides: dict[str, str] = {}
    for game in event.rounds:
        for match in game.matches:
            if match.b is not None:
                first, second = (match.a, match.b) if match.first == "a" else (match.b, match.a)
                sides[first] = sides.get(first, "") + "1"
                sides[second] = sides.get(second, "") + "2"
    for (a, b), first in zip(paired.pairs, paired.first, strict=True):
        for code, side in ((a, "1" if first == "a" else "2"), (b, "2" if first == "a" else "1")):
            assert not (sides.get(code, "") + side).endswith(side * 3), code
    assert len(paired.pairs) == 4


def test_boards_are_in_order_of_the_higher_score_then_of_the_sum(cases):
    event = read_file(cases / "board-order-fide.json")
    points = {row.entry: row.values[0] for row in standings_of(event).rows}
    pairs = pair_next(event, None, None).pairing.pairs
    scores = [sorted((points[a], points[b]), reverse=True) for a, b in pairs]
    assert scores == sorted(scores, reverse=True)


def test_a_name_with_a_tab_is_read_and_its_published_values_agree(cases):
    report = conformance([cases / "name-with-leading-tab.json"])
    assert report.clean and report.passed == 93


@pytest.mark.django_db
def test_a_drop_in_a_bracket_ends_that_match_alone(cases):
    tournament = load_event(read_file(cases / "bracket-semifinals-being-played.json"))
    begin_round(tournament, 3)
    drop_entry(tournament, "P0002")
    matches = {match.slot: match for match in tournament.rounds.get(number=3).matches.all()}
    winner = matches["W1.2"].seats.get(side=matches["W1.2"].winner)
    assert winner.entry.code == "P0003" and matches["W1.1"].result is None
    assert {seat.entry.code for seat in matches["W1.1"].seats.all()} == {"P0001", "P0004"}


@pytest.mark.django_db
def test_no_two_open_matches_share_a_table(cases):
    tournament = load_event(read_file(cases / "bracket-cut-to-5-two-at-table-2.json"))
    record_bracket_result(tournament, 3, 2, Slip("played", 2, 0))
    tables = Match.objects.filter(round__tournament=tournament, result=None).values_list("table", flat=True)
    assert len(tables) == 2 and len(set(tables)) == 2


@pytest.mark.parametrize(
    ("name", "people"),
    [
        ("cp1250-polish.csv", ["Łukasz Żółciński", "Jiří Dvořák"]),
        ("cp1251-russian.csv", ["Иван Петров"]),
        ("macroman.csv", ["José Niño", "André Lefèvre"]),
        ("sjis.csv", ["山田太郎"]),
        ("zero-width.csv", ["Ada Ash", "Bo Beech"]),
        ("event.tdf", ["Ada Ash"]),
        ("event.trf", ["Ada Ash", "Bo Beech"]),
    ],
)
def test_names_are_read_in_the_encoding_they_were_written_in(cases, name, people):
    assert [one.fields["name"] for one in read_roster((cases / "import" / name).read_bytes()).lines] == people
