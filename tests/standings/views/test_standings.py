"""Standings, derivations, rules and the player's own page as everybody sees them; live standings for staff."""

import html
import re
from fractions import Fraction

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from standings.event.swiss import standings_of
from standings.table.sheet import sheet_of
from standings.words.formats import (
    format_number,
    format_rounded,
    format_value,
    points_in_words,
    record_in_words,
)
from tests.conftest import empty
from tests.factories import TWO_NIL, RoundFactory, TournamentFactory, enter_results
from tests.steps import complete_round
from tournament.archive.load import load_event
from tournament.archive.read import read_file
from tournament.event.read import event_of
from tournament.models import Round
from tournament.services.clock import add_minutes, pause_clock, start_clock
from tournament.services.drops import drop_entry
from tournament.services.entries import rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.results import record_result
from tournament.services.rounds import extend_table

pytestmark = pytest.mark.django_db


def page(client, tournament, path: str) -> str:
    answer = client.get(f"/t/{tournament.slug}/{path}")
    assert answer.status_code == 200
    return html.unescape(answer.content.decode())


def mark_in(text: str) -> str:
    return re.search(r'data-v="([^"]*)"', text)[1]


def hold(tournament, held: bool = True) -> None:
    change_settings(tournament, hold_standings=held)


# --- numbers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "places", "mode", "printed"),
    [
        ("2797/4500", 4, "half_up", "0.6216"),
        ("1/8", 2, "half_up", "0.13"),
        ("1/8", 2, "truncate", "0.12"),
        ("-1/8", 2, "half_up", "-0.13"),
        ("199/2", 0, "half_up", "100"),
        ("1/3", 2, "half_up", "0.33"),
    ],
)
def test_numbers_are_rounded_as_the_ruleset_says(value, places, mode, printed):
    assert format_rounded(Fraction(value), places, mode) == printed


def test_shares_are_printed_in_per_cent_and_points_as_short_as_they_are():
    assert format_value(Fraction(2, 3), "share", {"percent_places": 3}) == "66.667"
    assert [format_number(Fraction(text)) for text in ("12", "5/2", "0", "1/3")] == [
        "12",
        "2.5",
        "0",
        "0.333",
    ]


def test_a_record_is_said_in_words():
    assert record_in_words("4–1–1") == "4 wins, 1 loss, 1 draw"
    assert record_in_words("1–0–0") == "1 win, 0 losses"
    assert [points_in_words(text) for text in ("1", "2.5")] == ["1 point", "2.5 points"]


# --- standings -------------------------------------------------------------------------------------------


def test_standings_are_as_of_the_last_complete_round(client):
    tournament = TournamentFactory(entries=8)
    assert "No round is complete yet" in page(client, tournament, "standings/")
    enter_results(tournament, RoundFactory(tournament=tournament).number)
    assert "No round is complete yet" in page(client, tournament, "standings/")
    complete_round(tournament, 1)
    after = page(client, tournament, "standings/")
    assert "Standings after round 1" in after
    RoundFactory(tournament=tournament)
    record_result(tournament, 2, 1, TWO_NIL)
    assert page(client, tournament, "standings/table/") in after


def test_a_poll_is_answered_204_until_a_round_is_complete(client):
    tournament = TournamentFactory(entries=6, rounds=1)
    url = f"/t/{tournament.slug}/standings/table/"
    mark = mark_in(client.get(url).content.decode())
    assert client.get(url, {"v": mark}).status_code == 204
    complete_round(tournament, 1)
    assert client.get(url, {"v": mark}).status_code == 200


def test_every_row_stands_where_the_ranking_says_with_its_values(client):
    tournament = TournamentFactory(entries=9, rounds=3)
    complete_round(tournament, 3)
    matches = re.findall(
        r'<td class="no"><a [^>]*>(\d+)</a></td>\s*<th scope="row"><a href="\.\./players/(\w+)/">',
        page(client, tournament, "standings/"),
    )
    ranking = standings_of(event_of(tournament))
    assert matches == [(str(row.rank), row.entry) for row in ranking]


def test_columns_are_named_by_the_ruleset_and_say_their_formula(client):
    tournament = TournamentFactory(entries=6, rounds=1, ruleset="twixt")
    complete_round(tournament, 1)
    text = page(client, tournament, "standings/")
    assert '<abbr title="sum of the opponents\' scores">Median</abbr>' in text


def test_the_draw_of_lots_is_shown_only_where_it_decided():
    tournament = TournamentFactory(entries=8, rounds=1)
    complete_round(tournament, 1)
    facts = event_of(tournament)
    titles = [column.title for column in sheet_of(facts, {code: code for code in facts.entries}).columns]
    decided = {row.decided_by for row in standings_of(facts)}
    assert ("Random tiebreaker" in titles) == ("random" in decided)


def test_held_standings_show_nothing_anywhere(client):
    tournament = TournamentFactory(entries=8, rounds=2)
    complete_round(tournament, 2)
    page(client, tournament, "standings/")
    hold(tournament)
    assert "is hiding the standings" in page(client, tournament, "standings/")
    assert "Player 01" not in page(client, tournament, "standings/")
    assert client.get(f"/t/{tournament.slug}/standings/P0001/match_points/").status_code == 404
    assert client.get(f"/t/{tournament.slug}/standings/P0001/match_points/row/").status_code == 404
    assert "rank" not in page(client, tournament, "players/P0001/")
    hold(tournament, False)
    assert "Player 01" in page(client, tournament, "standings/")


def test_who_dropped_keeps_the_row_and_it_says_so(client):
    tournament = TournamentFactory(entries=6, rounds=1)
    complete_round(tournament, 1)
    drop_entry(tournament, "P0003")
    assert page(client, tournament, "standings/").count("dropped") == 1


# --- derivations -----------------------------------------------------------------------------------------


def test_every_number_leads_to_a_derivation_of_that_number(client):
    tournament = TournamentFactory(entries=7, rounds=3, ruleset="cardeio")
    complete_round(tournament, 3)
    text = page(client, tournament, "standings/")
    links = re.findall(r'href="(\w+)/([\w-]+)/"[^>]*>([^<]*)</a>', text)
    assert len(links) >= 7 * 4
    for code, metric, printed in links:
        html = page(client, tournament, f"standings/{code}/{metric}/")
        assert re.search(rf"= <strong>{re.escape(printed)}%?</strong>", html), (code, metric)


def test_a_derivation_opens_in_place_as_a_row_of_the_same_table(client):
    tournament = TournamentFactory(entries=4, rounds=1)
    complete_round(tournament, 1)
    text = page(client, tournament, "standings/")
    width = len(re.findall(r"<th scope=\"col\"", text))
    row = page(client, tournament, "standings/P0001/opp_match_win_pct/row/")
    assert row.lstrip().startswith("<tr")
    assert f'colspan="{width}"' in row


def test_an_opponent_below_the_minimum_is_shown_raised(client):
    tournament = TournamentFactory(entries=4)
    for _ in range(2):
        enter_results(tournament, RoundFactory(tournament=tournament).number)
    complete_round(tournament, 2)
    loser = standings_of(event_of(tournament)).order[-1]
    met = tournament.seats.filter(opponent__code=loser).first().entry.code
    text = page(client, tournament, f"standings/{met}/opp_match_win_pct/")
    assert re.search(r"0\.00%.*33\.00%.*raised to the minimum", text, re.DOTALL)
    assert re.search(r'href="[^"]*/match_win_pct/\w+/"\s+aria-label="33\.00%', text)


# --- rules -----------------------------------------------------------------------------------------------


def test_the_rules_are_told_in_words(client):
    text = page(client, TournamentFactory(entries=2, ruleset="cardeio"), "rules/")
    for words in ("Win 3, draw 1, loss 0, bye 3.", "the 33% minimum", "Opponents' byes are left out."):
        assert words in text
    assert "from the publisher's own text" in text
    assert "% minimum" not in page(
        client, TournamentFactory(entries=2, ruleset="twixt", name="Twixt"), "rules/"
    )


# --- the player's own page -------------------------------------------------------------------------------


def test_the_phone_says_where_against_whom_until_when(client):
    tournament = TournamentFactory(entries=4, round_minutes=50)
    RoundFactory(tournament=tournament)
    seat = tournament.seats.get(entry__code="P0001", round__number=1)
    start_clock(tournament, 1)
    extend_table(tournament, 1, seat.match.table, 5, "deck check")
    text = page(client, tournament, "players/P0001/")
    assert re.search(rf'<span class="table-no[^"]*">{seat.match.table}</span>', text)
    assert f"against {seat.opponent.name}" in text
    assert "data-ends=" in text
    assert "with your 5-minute extension" in text
    assert re.search(rf"<title>\s*Table {seat.match.table}, against {seat.opponent.name}", text)


def test_the_phone_says_points_rank_and_past_matches_in_words(client):
    tournament = TournamentFactory(entries=4)
    RoundFactory(tournament=tournament)
    for match in tournament.rounds.get(number=1).matches.all():
        record_result(tournament, 1, match.table, TWO_NIL)
    complete_round(tournament, 1)
    winner = tournament.seats.filter(side="a").select_related("entry", "opponent").first()
    row = standings_of(event_of(tournament)).row(winner.entry.code)
    text = page(client, tournament, f"players/{winner.entry.code}/")
    assert f"won 2–0 against {winner.opponent.name}" in text
    assert f"3 points, rank {row.rank} after round 1" in text
    assert "1 win, 0 losses" in text


def test_the_phone_shows_the_opponents_record_and_leads_to_the_opponent(client):
    tournament = TournamentFactory(entries=4)
    RoundFactory(tournament=tournament)
    assert "so far</p>" not in page(client, tournament, "players/P0001/")
    for match in tournament.rounds.get(number=1).matches.all():
        record_result(tournament, 1, match.table, TWO_NIL)
    complete_round(tournament, 1)
    RoundFactory(tournament=tournament)
    for seat in tournament.seats.filter(round__number=2).select_related("entry", "opponent"):
        won = tournament.seats.get(round__number=1, entry=seat.opponent).side == "a"
        text = page(client, tournament, f"players/{seat.entry.code}/")
        assert ("1 win, 0 losses so far" if won else "0 wins, 1 loss so far") in text
        assert f'against <a href="/t/{tournament.slug}/players/{seat.opponent.code}/">' in text


def test_a_bye_and_a_drop_are_said_plainly(client):
    tournament = TournamentFactory(entries=3)
    RoundFactory(tournament=tournament)
    alone = tournament.seats.get(opponent=None).entry.code
    assert "Round 1: bye" in page(client, tournament, f"players/{alone}/")
    enter_results(tournament, 1)
    complete_round(tournament, 1)
    drop_entry(tournament, "P0001")
    assert "No longer playing" in page(client, tournament, "players/P0001/")


def test_the_phone_is_told_204_until_something_of_its_own_changes(client, monkeypatch):
    now = timezone.now().replace(microsecond=0)
    monkeypatch.setattr(timezone, "now", lambda: now)  # no second passes between start and pause
    tournament = TournamentFactory(entries=8, round_minutes=50)
    RoundFactory(tournament=tournament)
    tables = dict(tournament.seats.values_list("entry__code", "match__table"))
    url = f"/t/{tournament.slug}/players/P0001/now/"
    mark = mark_in(client.get(url).content.decode())
    other = next(table for table in tables.values() if table != tables["P0001"])
    record_result(tournament, 1, other, TWO_NIL)
    for count in (1, 3):
        with CaptureQueriesContext(connection) as queries:
            assert client.get(url, {"v": mark}).status_code == 204
        assert len(queries) == count
        empty()
    for change in (
        (extend_table, 1, tables["P0001"], 5),
        (start_clock, 1),
        (add_minutes, 1, 2),
        (pause_clock, 1),
    ):
        change[0](tournament, *change[1:])
        answer = client.get(url, {"v": mark})
        assert answer.status_code == 200
        mark = mark_in(answer.content.decode())
    assert "paused with 57:00 left" in answer.content.decode()  # 50 + 2, and 5 of the table's own
    record_result(tournament, 1, tables["P0001"], TWO_NIL)
    answer = client.get(url, {"v": mark})
    assert "is in" in answer.content.decode()


def test_a_new_name_is_on_every_phone_at_once(client):
    tournament = TournamentFactory(entries=2)
    RoundFactory(tournament=tournament)
    page(client, tournament, "players/P0002/")
    rename_entry(tournament, "P0001", "Ada Ruiz")
    assert "against Ada Ruiz" in page(client, tournament, "players/P0002/")


def test_the_final_place_is_on_the_phone_when_the_event_is_over(client, shared_data):
    tournament = load_event(read_file(shared_data / "clinecon.json"))
    assert tournament.state == "finished"
    assert "Final place: 1<" in page(client, tournament, "players/U01/")


# --- staff -----------------------------------------------------------------------------------------------


def test_staff_see_the_open_round_counted(client):
    tournament = TournamentFactory(entries=8, rounds=1, vary_tables=False)
    RoundFactory(tournament=tournament)
    record_result(tournament, 2, 1, TWO_NIL)
    client.force_login(tournament.owner)
    text = page(client, tournament, "desk/standings/")
    assert "3 tables out" in text
    assert '<td class="num">6</td>' in text
    assert '<td class="num">6</td>' not in page(client, tournament, "standings/")


def test_live_standings_are_for_staff_only(client):
    tournament = TournamentFactory(entries=4, rounds=1)
    assert client.get(f"/t/{tournament.slug}/desk/standings/").status_code == 302
    client.force_login(TournamentFactory(entries=0, name="Other").owner)
    assert client.get(f"/t/{tournament.slug}/desk/standings/").status_code == 404


# --- the largest real event ------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_largest_real_event_is_shown_in_eight_queries(client, shared_data):
    tournament = load_event(read_file(next((shared_data / "events").glob("1193-*.json"))))
    last = Round.objects.filter(tournament=tournament, swiss=True).count()
    for path in ("standings/", f"rounds/{last}/", f"rounds/{last}/?by=table", "bracket/", "players/"):
        for most in (8, 3):
            with CaptureQueriesContext(connection) as queries:
                answer = client.get(f"/t/{tournament.slug}/{path}")
            assert answer.status_code == 200
            assert len(queries) <= most, path
    assert "Standings after round 15" in page(client, tournament, "standings/")
