"""Pairing in the browser: the draft and its certificate, publishing, and what is refused on the way."""

import re

import pytest

from standings.bracket.cut import make_cut
from tests.factories import RoundFactory, enter_results
from tests.tournament.views.desk import key, post_slip, running
from tournament.models import Round
from tournament.services.drops import drop_entry, reinstate_entry

pytestmark = pytest.mark.django_db


def send(client, tournament, what, follow=True, **fields):
    return client.post(f"/t/{tournament.slug}/desk/{what}", {"key": key(), **fields}, follow=follow)


def test_pairing_completes_the_round_before_and_shows_the_draft(client):
    tournament = running(client, 9)
    enter_results(tournament, 1)
    page = send(client, tournament, "pair/")
    html = page.content.decode()
    assert page.redirect_chain[-1][0] == f"/t/{tournament.slug}/desk/rounds/2/draft/"
    assert tournament.rounds.get(number=1).state == Round.State.COMPLETE
    assert "No rematches." in html and "✓ proven" in html
    assert "The bye is in the lowest score group." in html
    assert "All 9 players are seated, each once." in html
    digest = tournament.rounds.get(number=2).pairing["digest"]
    assert digest in html
    assert "P0001" not in re.sub(
        r"<[^>]*>", "", html.split('<table class="rows draft">')[1].split("</table>")[0]
    )


def test_the_page_of_an_event_with_a_bracket_opens_and_pairing_there_is_refused_in_words(client):
    tournament = running(client, 8)
    enter_results(tournament, 1)
    make_cut(tournament, 4)
    assert client.get(f"/t/{tournament.slug}/desk/pair/").status_code == 200
    page = send(client, tournament, "pair/")
    assert page.status_code == 409
    assert "The bracket is set, so there are no more Swiss rounds." in page.content.decode()


def test_a_table_that_is_out_is_named(client):
    tournament = running(client, 8)
    for table in (1, 2, 4):
        post_slip(client, tournament, table=table, slip="20")
    page = send(client, tournament, "pair/")
    assert page.status_code == 409
    assert "Round 1 is still waiting for results. Outstanding tables: 3." in page.content.decode()
    assert tournament.rounds.count() == 1


def test_publishing_twice_is_refused_in_words(client):
    tournament = running(client, 8)
    page = send(client, tournament, "rounds/1/publish/")
    assert page.status_code == 409
    assert "Round 1 is already published." in page.content.decode()


def test_one_publish_button_pressed_twice_is_quiet(client):
    tournament = running(client, 8)
    enter_results(tournament, 1)
    send(client, tournament, "pair/")
    fields = {"key": key()}
    for _ in range(2):
        assert send(client, tournament, "rounds/2/publish/", **fields).status_code == 200


def test_one_pair_button_pressed_twice_makes_one_draft(client):
    tournament = running(client, 8)
    enter_results(tournament, 1)
    fields = {"key": key()}
    for _ in range(2):
        assert send(client, tournament, "pair/", **fields).status_code == 200
    assert tournament.rounds.count() == 2


def test_pairing_again_is_a_new_attempt_and_says_so(client):
    tournament = running(client, 8)
    enter_results(tournament, 1)
    send(client, tournament, "pair/")
    fields = {"key": key()}
    for _ in range(2):
        page = send(client, tournament, "rounds/2/again/", **fields)
    assert "This is attempt 2" in page.content.decode()


@pytest.mark.parametrize("what", ["publish", "again", "discard"])
def test_what_is_done_to_a_whole_draft_is_done_to_the_one_that_was_seen(client, what):
    tournament = running(client, 9)
    enter_results(tournament, 1)
    send(client, tournament, "pair/")
    seen = tournament.rounds.get(number=2).revision
    assert f'name="seen" value="{seen}"' in _form(client, tournament, what)
    send(client, tournament, "rounds/2/again/", seen=seen)
    now = tournament.rounds.get(number=2)
    page = send(client, tournament, f"rounds/2/{what}/", seen=seen)
    html = page.content.decode()
    assert page.status_code == 409
    assert "Someone changed these draft pairings after you opened them" in html
    assert f'name="seen" value="{now.revision}"' in html and "This is attempt 2" in html
    again = tournament.rounds.get(number=2)
    assert (again.state, again.revision) == (Round.State.DRAFT, now.revision)
    assert send(client, tournament, f"rounds/2/{what}/", seen=now.revision).status_code == 200


def _form(client, tournament, what):
    """The form of the draft's page that does this."""
    page = client.get(f"/t/{tournament.slug}/desk/rounds/2/draft/").content.decode()
    return page.split(f"/rounds/2/{what}/")[1].split("</form>")[0]


def test_a_draft_is_thrown_away_and_the_round_before_stays_complete(client):
    tournament = running(client, 8)
    enter_results(tournament, 1)
    send(client, tournament, "pair/")
    page = send(client, tournament, "rounds/2/discard/")
    assert "Pair round 2" in page.content.decode()
    assert tournament.rounds.get().state == Round.State.COMPLETE


def test_who_drops_while_the_draft_lies_there_stops_it(client):
    tournament = running(client, 8)
    enter_results(tournament, 1)
    send(client, tournament, "pair/")
    drop_entry(tournament, "P0003")
    html = client.get(f"/t/{tournament.slug}/desk/rounds/2/draft/").content.decode()
    assert "No longer playing: Player 03. Pair again." in html
    page = send(client, tournament, "rounds/2/publish/")
    assert page.status_code == 409
    assert "Player 03 dropped since these pairings were made. Pair again." in page.content.decode()


def test_who_returns_while_the_draft_lies_there_stops_it(client):
    tournament = running(client, 8)
    enter_results(tournament, 1)
    drop_entry(tournament, "P0003")
    send(client, tournament, "pair/")
    reinstate_entry(tournament, "P0003")
    page = send(client, tournament, "rounds/2/publish/")
    assert page.status_code == 409
    assert "Player 03 is not seated in these pairings. Pair again." in page.content.decode()


def test_a_draft_is_looked_at_under_its_round_and_a_published_round_on_its_desk(client):
    tournament = running(client, 8)
    desk = f"/t/{tournament.slug}/desk/rounds/"
    assert client.get(f"{desk}1/draft/")["Location"] == f"{desk}1/"
    enter_results(tournament, 1)
    send(client, tournament, "pair/")
    assert client.get(f"{desk}2/")["Location"] == f"{desk}2/draft/"


def odd_twixt(client):
    return running(client, 7, ruleset="twixt")


def test_on_an_odd_twixt_field_the_organizer_is_asked(client):
    tournament = odd_twixt(client)
    enter_results(tournament, 1)
    page = send(client, tournament, "pair/")
    assert page.redirect_chain[-1] == (f"/t/{tournament.slug}/desk/pair/", 303)
    assert "house opponent" in page.content.decode()
    assert tournament.rounds.count() == 1
    assert send(client, tournament, "pair/", house="bye").status_code == 200
    assert tournament.rounds.get(number=2).matches.filter(result="bye").count() == 1


def test_a_new_house_opponent_plays_and_is_offered_the_next_time(client):
    tournament = odd_twixt(client)
    enter_results(tournament, 1)
    assert send(client, tournament, "pair/", house="new", name="").status_code == 422
    page = send(client, tournament, "pair/", house="new", name="Jorge")
    assert "Plays the house opponent" in page.content.decode()
    assert not tournament.rounds.get(number=2).matches.filter(result="bye").exists()
    again = send(client, tournament, "rounds/2/again/").content.decode()
    assert "Jorge" in again
    send(client, tournament, "rounds/2/publish/")
    enter_results(tournament, 2)
    page = send(client, tournament, "pair/").content.decode()
    assert "house opponent: Jorge" in page
    code = tournament.entries.get(house=True).code
    assert send(client, tournament, "pair/", house=code).status_code == 200
    assert tournament.entries.filter(house=True).count() == 1


def test_the_draft_says_who_moves_first_where_sides_count(client):
    tournament = running(client, 8, ruleset="twixt")
    enter_results(tournament, 1)
    assert "moves first" in send(client, tournament, "pair/").content.decode()


def test_nonsense_about_pairing_gets_a_4xx(client):
    tournament = running(client, 7, ruleset="twixt")
    enter_results(tournament, 1)
    for fields in (
        {"house": "nobody"},
        {"house": "new", "name": "\x00"},
        {"key": "\x00"},
        {"house": "x" * 9999},
    ):
        assert 400 <= send(client, tournament, "pair/", **fields).status_code < 500, fields
    assert send(client, tournament, "rounds/9/publish/").status_code == 404
    assert send(client, tournament, "rounds/9/again/").status_code == 404


def test_the_road_ends_with_the_finish_where_there_is_no_cut(client):
    tournament = running(client, 4, rounds_planned=1, cut=0)
    enter_results(tournament, 1)
    page = client.get(f"/t/{tournament.slug}/desk/").content.decode()
    assert "Finish the event" in page
    page = send(client, tournament, "finish/").content.decode()
    assert "The event is finished." in page
    tournament.refresh_from_db()
    assert tournament.seed in page
    over = client.get(f"/t/{tournament.slug}/desk/pair/").content.decode()
    assert "The event is finished. Reopen it first." in over and ">Pair</button>" not in over
    assert send(client, tournament, "finish/").status_code == 409
    assert send(client, tournament, "reopen/").status_code == 200
    assert RoundFactory(tournament=tournament).number == 2
