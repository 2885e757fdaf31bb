"""The cut and the bracket in the browser: preview, results, conflicts, the champion and everybody's place."""

import html
import re

import pytest

from standings.bracket.cut import cut_of, make_cut
from tests.factories import RoundFactory, TournamentFactory
from tournament.archive.load import load_event
from tournament.archive.read import read_file
from tournament.models import Match, Staff, Tournament
from tournament.services.drops import drop_entry

pytestmark = pytest.mark.django_db


@pytest.fixture
def swiss(client) -> Tournament:
    """Six players, two rounds played, all results in; its owner signed in."""
    tournament = TournamentFactory(entries=6, rounds=2, cut=4)
    client.force_login(tournament.owner)
    return tournament


@pytest.fixture
def bracket(swiss) -> Tournament:
    """The same with its bracket of four drawn."""
    make_cut(swiss, 4)
    return swiss


def text(answer) -> str:
    return html.unescape(answer.content.decode())


def cut_url(tournament) -> str:
    return f"/t/{tournament.slug}/desk/cut/"


def open_matches(tournament):
    matches = Match.objects.filter(round__tournament=tournament, round__swiss=False, result=None)
    return list(matches.select_related("round").order_by("round__number", "table"))


def enter(client, match, slip="20", **more):
    url = f"/t/{match.round.tournament.slug}/bracket/rounds/{match.round.number}/tables/{match.table}/result/"
    headers = more.pop("headers", {})
    return client.post(url, {"slip": slip, "version": match.version, **more}, headers=headers)


# --- the cut ---------------------------------------------------------------------------------------------


def test_the_cut_shows_who_is_in_who_is_next_and_what_decided(client, swiss):
    page = text(client.get(cut_url(swiss)))
    assert "Cut to top 4" in page
    assert "First alternates" in page
    assert re.search(r"Player \d+ is in ahead of Player \d+ on |share the rank", page)
    assert "Cut to top 2" in text(client.get(cut_url(swiss), {"size": "2"}))


def test_who_dropped_is_passed_over_and_named(client, swiss):
    first = make_order(swiss)[0]
    drop_entry(swiss, first)
    page = text(client.get(cut_url(swiss)))
    over = page.split("Passed over", 1)[1]
    assert swiss.entries.get(code=first).name in over
    assert "dropped" in over


def make_order(tournament) -> list[str]:
    return cut_of(tournament, 4).qualifiers


@pytest.mark.parametrize("size", ["", "1", "65", "99999999999999999999", "\x00"])
def test_an_impossible_size_is_refused_in_words_and_nothing_is_cut(client, swiss, size):
    assert client.get(cut_url(swiss), {"size": size}).status_code == 200
    answer = client.post(cut_url(swiss), {"size": size})
    assert answer.status_code == 422
    assert 'role="alert"' in text(answer)
    assert swiss.stages.count() == 1


def test_the_cut_is_made_once_however_often_the_form_is_sent(client, swiss):
    form = {"size": "4", "key": "a" * 32}
    for _ in range(2):
        answer = client.post(cut_url(swiss), form)
        assert (answer.status_code, answer.headers["Location"]) == (303, f"/t/{swiss.slug}/desk/bracket/")
    assert swiss.stages.count() == 2
    again = client.post(cut_url(swiss), {"size": "4", "key": "b" * 32})
    assert again.status_code == 409
    assert "already set" in text(again)


def test_a_table_that_is_out_is_named_and_stops_the_cut(client):
    tournament = TournamentFactory(entries=6, rounds=1)
    RoundFactory(tournament=tournament)
    client.force_login(tournament.owner)
    assert "3 tables out" in text(client.get(cut_url(tournament)))
    answer = client.post(cut_url(tournament), {"size": "4"})
    assert answer.status_code == 409
    assert "tables: 1" in text(answer)


def test_a_judge_may_look_at_the_bracket_and_neither_cut_nor_enter(client, bracket):
    judge = TournamentFactory(entries=0, name="Other").owner
    Staff.objects.create(tournament=bracket, user=judge, role="judge")
    client.force_login(judge)
    page = text(client.get(f"/t/{bracket.slug}/desk/bracket/"))
    assert 'name="slip"' not in page
    assert client.get(cut_url(bracket)).status_code == 403
    assert enter(client, open_matches(bracket)[0]).status_code == 403


# --- results ---------------------------------------------------------------------------------------------


def test_a_result_opens_the_next_match_at_once(client, bracket):
    first, second = open_matches(bracket)
    answer = enter(client, first)
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/t/{bracket.slug}/desk/bracket/")
    enter(client, second, "12")
    final = open_matches(bracket)
    assert [match.slot for match in final] == ["F.1"]
    assert "Final · table 1" in text(client.get(f"/t/{bracket.slug}/desk/bracket/"))


def test_for_htmx_the_part_comes_back_without_the_page(client, bracket):
    answer = enter(client, open_matches(bracket)[0], headers={"HX-Request": "true"})
    assert answer.status_code == 200
    assert text(answer).lstrip().startswith('<div id="desk-bracket"')


@pytest.mark.parametrize("slip", ["", "99", "11", "zz\x00", "clear"])
def test_what_cannot_be_is_refused_on_the_row_and_saved_nowhere(client, bracket, slip):
    match = open_matches(bracket)[0]
    answer = enter(client, match, slip)
    assert 400 <= answer.status_code < 500
    assert 'role="alert"' in text(answer)
    match.refresh_from_db()
    assert match.result is None


@pytest.mark.parametrize("version", ["", "-1", "9" * 30])
def test_a_damaged_version_is_refused(client, bracket, version):
    assert enter(client, open_matches(bracket)[0], version=version).status_code == 422


def test_two_scorekeepers_see_both_values_and_the_first_stands(client, bracket):
    match = open_matches(bracket)[0]
    enter(client, match, "20")
    same = enter(client, match, "20")
    assert same.status_code == 303
    other = enter(client, match, "02")
    assert other.status_code == 409
    assert "was given a different result while you were working" in text(other)
    assert "Currently saved" in text(other)
    match.refresh_from_db()
    assert match.winner == "a"


def test_another_result_that_clears_later_matches_is_refused_and_leads_to_its_correction(client, bracket):
    first, second = open_matches(bracket)
    enter(client, first)
    enter(client, second)
    first.refresh_from_db()
    response = enter(client, first, "02")
    assert response.status_code == 409
    assert "This changes who plays in later matches." in text(response)
    assert f"/desk/rounds/{first.round.number}/tables/{first.table}/correct/" in text(response)
    (final,) = open_matches(bracket)
    assert first.seats.get(side="a").entry_id in set(final.seats.values_list("entry_id", flat=True))


@pytest.mark.parametrize("where", ["99/tables/1", "3/tables/99", "1/tables/1"])
def test_a_table_that_is_no_bracket_table_is_a_404(client, bracket, where):
    url = f"/t/{bracket.slug}/bracket/rounds/{where}/result/"
    assert client.post(url, {"slip": "20", "version": 0}).status_code == 404


def test_nobody_but_staff_enters_a_result(client, bracket):
    client.logout()
    assert enter(client, open_matches(bracket)[0]).status_code == 302
    assert client.get(f"/t/{bracket.slug}/bracket/rounds/3/tables/1/result/").status_code == 405
    assert len(open_matches(bracket)) == 2


def test_the_tree_stands_by_seed_and_says_who_won(client, bracket):
    first, _second = open_matches(bracket)
    enter(client, first, "21")
    page = text(client.get(f"/t/{bracket.slug}/bracket/"))
    assert re.findall(r'<span class="seed">(\d?)</span>', page) == ["1", "4", "2", "3", "1", ""]
    winner, loser = (first.seats.get(side=side).entry.name for side in "ab")
    lines = re.findall(
        r'<div class="side ?(\w*)">\s*<span class="seed">1</span>\s*<span[^>]*>([^<]*)</span>', page
    )
    assert lines == [("won", winner), ("", winner)]
    assert f"Semifinal 1: {winner}, seed 1, beat {loser}, seed 4, 2–1." in page


# --- champion and places ---------------------------------------------------------------------------------


def champion_of(client, tournament) -> str:
    while matches := open_matches(tournament):
        enter(client, matches[0])
    final = Match.objects.get(round__tournament=tournament, slot="F.1")
    return final.seats.get(side=final.winner).entry.name


def test_the_champion_is_named_and_the_event_can_be_finished(client, bracket):
    name = champion_of(client, bracket)
    desk = text(client.get(f"/t/{bracket.slug}/desk/bracket/"))
    assert f'action="/t/{bracket.slug}/desk/finish/"' in desk
    public = text(client.get(f"/t/{bracket.slug}/bracket/"))
    assert re.search(f'data-announce="Final: {name}, seed [1-4], beat [^"]*Champion: {name}."', public)


def test_the_final_ranking_has_everybody_bracket_first_then_the_swiss_order(client, bracket):
    name = champion_of(client, bracket)
    page = text(client.get(f"/t/{bracket.slug}/bracket/"))
    places = re.findall(r'<span class="place">(\w+)</span>\s*<a[^>]*>([^<]*)</a>', page)
    assert len(places) == 6
    assert places[0] == ("1st", name)
    seeds = set(
        bracket.stages.get(kind="elimination")
        .stage_entries.exclude(seed=None)
        .values_list("entry__name", flat=True)
    )
    assert {who for _, who in places[:4]} == seeds


def test_the_public_bracket_follows_each_result(client, bracket):
    url = f"/t/{bracket.slug}/bracket/tree/"
    mark = re.search(r'data-v="([^"]*)"', text(client.get(url)))[1]
    assert client.get(url, {"v": mark}).status_code == 204
    enter(client, open_matches(bracket)[0])
    assert client.get(url, {"v": mark}).status_code == 200


def test_a_bracket_is_headings_and_lists_and_says_who_is_awaited(client, bracket):
    page = text(client.get(f"/t/{bracket.slug}/bracket/"))
    headings = re.findall(r"<h2[^>]*>([^<]*)</h2>", page)
    assert headings[:2] == ["Semifinals", "Final"]
    assert "winner of Semifinal 1" in page
    assert re.search(r"Semifinal 1: Player \d+, seed 1, plays Player \d+, seed 4, table 1\.", page)


def test_fewer_than_a_full_bracket_have_byes_for_the_top_seeds(client):
    tournament = TournamentFactory(entries=4, rounds=1)
    make_cut(tournament, 3)
    page = text(client.get(f"/t/{tournament.slug}/bracket/"))
    assert "Bracket of 3" in page
    assert "no one" in page
    client.force_login(tournament.owner)
    assert "Semifinal 2 · table 2" in text(client.get(f"/t/{tournament.slug}/desk/bracket/"))


def test_before_the_cut_the_page_says_when_there_will_be_a_bracket(client, swiss):
    assert "after the last Swiss round" in text(client.get(f"/t/{swiss.slug}/bracket/"))
    assert "There is no bracket yet" in text(client.get(f"/t/{swiss.slug}/desk/bracket/"))


def test_a_real_bracket_with_replays_and_a_decision_says_so(client, shared_data):
    tournament = load_event(read_file(shared_data / "clinecon.json"))
    page = text(client.get(f"/t/{tournament.slug}/bracket/"))
    assert "T01, seed 1, beat T05, seed 8: drew 0–0–1; repeat game won 1–0. T01 moved first." in page
    assert "T01, seed 1, advances over T02, seed 5: drew 0–0–1; the higher seed advances." in page
