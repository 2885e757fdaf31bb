import re

import pytest
from django.test import Client

from tests.factories import RoundFactory, TournamentFactory, UserFactory, enter_results
from tests.pages import Page, page, press
from tests.tournament.views.desk import sign_in_staff, signed_in
from tournament.models import Staff, Tournament
from tournament.services.drops import drop_entry
from tournament.services.events import finish_tournament
from tournament.services.self_service import send_message, settle_message

pytestmark = pytest.mark.django_db


def test_an_organizer_walks_the_road_without_javascript(client):
    shown = page(client, "/signup/")
    press(client, shown, "Sign up", username="ada", password1="correct horse", password2="correct horse")
    shown = press(client, page(client, "/new/"), "Create the event", name="Friday night", ruleset="mtr")
    assert shown.answer.redirect_chain == [("/t/friday-night/desk/players/", 303)]
    desk = "/t/friday-night/desk/"
    assert "Add players" in page(client, desk)
    shown = press(client, shown, "Add", names="\n".join(f"Player {n}" for n in range(1, 6)))
    assert "5 players added." in shown
    shown = press(client, page(client, desk), "Pair round 1")
    assert "Before you publish" in shown
    shown = press(client, shown, "Publish round 1")
    assert "Round 1 · 2 of 2 tables outstanding" in shown
    slip = page(client, shown.one('a[href$="/rounds/1/tables/1/slip/"]')["href"])
    shown = press(client, slip, "2–1")
    assert "1 entered" in shown
    shown = press(client, shown, "Save", text="2 20x")
    assert "0 of 2 tables outstanding" in shown
    assert "Pair round 2" in shown
    press(client, press(client, page(client, desk), "Pair round 2"), "Publish round 2")
    tournament = Tournament.objects.get()
    assert tournament.rounds.count() == 2
    assert tournament.entries.filter(status="dropped").count() == 1
    assert re.search(r"Table 1, round 1: Player \d 2–1 Player \d", page(client, f"{desk}log/").words)


@pytest.mark.parametrize("role", ["scorekeeper", "judge"])
def test_the_desk_offers_each_role_only_what_it_may_do(client, role):
    tournament = TournamentFactory(entries=4)
    sign_in_staff(client, tournament, role)

    def desk():
        shown = page(client, f"/t/{tournament.slug}/desk/")
        offered = [form.action for form in shown.forms if "/desk/" in form.action]
        refused = [action for action in offered if client.get(action).status_code not in (200, 405)]
        assert not refused
        steps = [action.split("/desk/")[1] for action in offered]
        return shown, [step for step in steps if step != "undo/"]

    shown, offered = desk()
    assert offered == (["pair/"] if role == "scorekeeper" else [])
    assert ("only an organizer or a scorekeeper can do this" in shown) == (role == "judge")
    RoundFactory(tournament=tournament)
    enter_results(tournament, 1)
    RoundFactory(tournament=tournament)
    enter_results(tournament, 2)
    shown, offered = desk()
    assert "Finish the event: " in shown and "only an organizer can do this" in shown
    assert offered == (["pair/"] if role == "scorekeeper" else [])
    Tournament.objects.filter(pk=tournament.pk).update(state="finished")
    assert desk()[1] == []


def test_finishing_lists_open_messages_first_and_can_be_done_anyway(client):
    tournament = TournamentFactory(entries=4, rounds=1)
    send_message(tournament, "P0003", "My result of round 1 is wrong.", number=1)
    client.force_login(tournament.owner)
    asked = Page(client.post(f"/t/{tournament.slug}/desk/finish/", {"key": "once"}))
    assert "Finish the event?" in asked and "1 player message is still open." in asked
    assert "My result of round 1 is wrong." in asked
    assert asked.one(f'a[href="/t/{tournament.slug}/desk/players/P0003/"]')
    tournament.refresh_from_db()
    assert tournament.state == "running"
    press(client, asked, "Finish the event")
    tournament.refresh_from_db()
    assert tournament.state == "finished"
    quiet = TournamentFactory(entries=4, rounds=1, owner=tournament.owner)
    send_message(quiet, "P0003", "Thank you all.")
    settle_message(quiet, 1)
    client.post(f"/t/{quiet.slug}/desk/finish/", {"key": "once"})  # asks nothing
    quiet.refresh_from_db()
    assert quiet.state == "finished"


def test_a_judge_sees_the_tables_of_a_round_and_nothing_that_enters_a_result(client):
    tournament = TournamentFactory(entries=4)
    RoundFactory(tournament=tournament)
    sign_in_staff(client, tournament)
    home = page(client, f"/t/{tournament.slug}/desk/")
    assert home.link("Go to the tables") and "Enter results of round 1" not in home.all("a")
    address = f"/t/{tournament.slug}/desk/rounds/1/"
    for part in ("", "tables/1/", "rows/?since=1"):
        shown = page(client, address + part)
        assert shown.one("#match-1")
        assert not shown.soup.select('[action*="/result/"], [action*="/box/"], [href*="/correct/"]'), part


def judge_of(tournament) -> Client:
    client, user = Client(), UserFactory()
    Staff.objects.create(tournament=tournament, user=user, role="judge")
    client.force_login(user)
    return client


def page_of(client, tournament, code="P0001"):
    return page(client, f"/t/{tournament.slug}/desk/players/{code}/")


def offered(shown):
    return {form.action.split("/")[-2] for form in shown.forms}


NOT_AFTER_END = {"drop", "paid", "pairing", "disqualify", "bye"}
AFTER_END = {"name", "person"}


def test_a_finished_event_offers_only_what_may_still_change_of_a_player(client):
    tournament = signed_in(client, entries=4, rounds=1)
    shown = page_of(client, tournament)
    assert offered(shown) >= NOT_AFTER_END | AFTER_END
    assert "Penalty…" in shown and "staff account" in shown.words.lower()
    drop_entry(tournament, "P0002")
    assert "reinstate" in offered(page_of(client, tournament, "P0002"))
    finish_tournament(tournament)
    shown = page_of(client, tournament)
    assert offered(shown) >= AFTER_END and not NOT_AFTER_END & offered(shown)
    assert "Penalty…" not in shown and "staff account" not in shown.words.lower()
    assert "Correct a mistake…" in shown
    assert "reinstate" not in offered(page_of(client, tournament, "P0002"))


def test_a_judge_reads_of_the_cut_and_is_not_led_to_a_refusal(client):
    tournament = signed_in(client, entries=8, rounds=3, cut=4)
    desk = f"/t/{tournament.slug}/desk/"
    assert page(client, desk).all(f'[href="{desk}cut/"]')
    shown = page(judge_of(tournament), desk)
    assert "Cut to top 4" in shown and not shown.all(f'[href="{desk}cut/"]')
