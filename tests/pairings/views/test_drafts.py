import pytest

from standings.bracket.cut import make_cut
from tests.factories import RoundFactory, enter_results
from tests.pages import Page, page
from tests.pairings.drafting import draft_address, drafting, revision
from tests.tournament.views.desk import desk, key, post_slip, running
from tournament.models import Round
from tournament.services.drops import drop_entry, reinstate_entry

pytestmark = pytest.mark.django_db


def send(client, tournament, part, **fields):
    return Page(client.post(desk(tournament, part), {"key": key(), **fields}, follow=True))


def test_pairing_completes_the_round_before_and_one_button_pressed_twice_is_quiet(client):
    tournament = running(client, 9)
    enter_results(tournament, 1)
    once = key()
    for _ in range(2):
        shown = send(client, tournament, "pair/", key=once)
    assert shown.answer.redirect_chain[-1][0] == draft_address(tournament)
    assert client.get(desk(tournament, "rounds/2/"))["Location"] == draft_address(tournament)
    assert list(tournament.rounds.values_list("state", flat=True)) == ["complete", "draft"]
    for words in ("No rematches.", "✓ proven", "The bye is in the lowest score group."):
        assert words in shown
    assert "All 9 players are seated, each once." in shown
    assert "P0001" not in " ".join(shown.all("table.draft")), "codes are for the staff's lists"
    once = key()
    for _ in range(2):
        shown = send(client, tournament, "rounds/2/again/", key=once)
    assert "This is attempt 2" in shown
    once = key()
    for _ in range(2):
        assert send(client, tournament, "rounds/2/publish/", key=once).status == 200
    assert client.get(draft_address(tournament))["Location"] == desk(tournament, "rounds/2/")
    again = send(client, tournament, "rounds/2/publish/")
    assert again.status == 409 and "Round 2 is already published." in again


def test_where_no_round_follows_pairing_is_refused_in_words(client):
    tournament = running(client)
    for table in (1, 2, 4):
        post_slip(client, tournament, table=table, slip="20")
    refused = send(client, tournament, "pair/")
    assert refused.status == 409 and tournament.rounds.count() == 1
    assert "Results of round 1 are outstanding at these tables: 3." in refused
    enter_results(tournament, 1)
    make_cut(tournament, 4)
    assert client.get(desk(tournament, "pair/")).status_code == 200
    refused = send(client, tournament, "pair/")
    assert refused.status == 409 and "The bracket is set, so there are no more Swiss rounds." in refused


@pytest.mark.parametrize(
    ("what", "button"),
    [("publish", "Publish round 2"), ("again", "Pair again"), ("discard", "Discard draft pairings")],
)
def test_what_is_done_to_a_whole_draft_is_done_to_the_one_that_was_seen(client, what, button):
    tournament = drafting(client, 9)
    form = page(client, draft_address(tournament)).form(button)
    assert int(form["seen"]) == revision(tournament, 2)
    send(client, tournament, "rounds/2/again/", seen=form["seen"])
    now = revision(tournament, 2)
    shown = Page(client.post(form.action, form.fields))
    assert shown.status == 409 and "Someone changed these draft pairings after you opened them" in shown
    assert int(shown.form(button)["seen"]) == now and "This is attempt 2" in shown
    again = tournament.rounds.get(number=2)
    assert (again.state, again.revision) == (Round.State.DRAFT, now)
    done = send(client, tournament, f"rounds/2/{what}/", seen=now)
    assert done.status == 200
    if what == "discard":
        assert "Pair round 2" in done and tournament.rounds.get().state == Round.State.COMPLETE


def test_who_drops_or_returns_while_the_draft_lies_there_stops_it(client):
    tournament = drafting(client)
    drop_entry(tournament, "P0003")
    assert "No longer playing: Player 03. Pair again." in page(client, draft_address(tournament))
    refused = send(client, tournament, "rounds/2/publish/")
    assert refused.status == 409
    assert "Player 03 dropped since these pairings were made. Pair again." in refused
    send(client, tournament, "rounds/2/again/")
    reinstate_entry(tournament, "P0003")
    refused = send(client, tournament, "rounds/2/publish/")
    assert refused.status == 409
    assert "Player 03 is not seated in these pairings. Pair again." in refused


def test_nonsense_about_pairing_gets_a_4xx_and_an_odd_twixt_field_asks_for_the_house(client):
    tournament = running(client, 7, ruleset="twixt")
    enter_results(tournament, 1)
    for fields in (
        {"house": "nobody"},
        {"house": "new", "name": "\x00"},
        {"key": "\x00"},
        {"house": "x" * 9999},
    ):
        assert 400 <= send(client, tournament, "pair/", **fields).status < 500, fields
    assert send(client, tournament, "rounds/9/publish/").status == 404
    assert send(client, tournament, "rounds/9/again/").status == 404
    shown = send(client, tournament, "pair/")
    assert shown.answer.redirect_chain[-1] == (desk(tournament, "pair/"), 303)
    assert "house opponent" in shown and tournament.rounds.count() == 1
    assert send(client, tournament, "pair/", house="bye").status == 200
    assert tournament.rounds.get(number=2).matches.filter(result="bye").count() == 1
    send(client, tournament, "rounds/2/discard/")
    assert send(client, tournament, "pair/", house="new", name="").status == 422
    assert "Plays the house opponent" in send(client, tournament, "pair/", house="new", name="Jorge")
    assert not tournament.rounds.get(number=2).matches.filter(result="bye").exists()
    assert "Jorge" in send(client, tournament, "rounds/2/again/")
    send(client, tournament, "rounds/2/publish/")
    enter_results(tournament, 2)
    assert "house opponent: Jorge" in send(client, tournament, "pair/")
    code = tournament.entries.get(house=True).code
    assert send(client, tournament, "pair/", house=code).status == 200
    assert tournament.entries.filter(house=True).count() == 1


def test_the_road_ends_with_the_finish_where_there_is_no_cut(client):
    tournament = running(client, 4, rounds_planned=1, cut=0)
    enter_results(tournament, 1)
    assert "Finish the event" in page(client, desk(tournament))
    shown = send(client, tournament, "finish/")
    tournament.refresh_from_db()
    assert "The event is finished." in shown and tournament.seed in shown
    over = page(client, desk(tournament, "pair/"))
    assert "The event is finished. Reopen it first." in over and "Pair" not in over.all("button")
    assert send(client, tournament, "finish/").status == 409
    assert send(client, tournament, "reopen/").status == 200
    assert RoundFactory(tournament=tournament).number == 2
