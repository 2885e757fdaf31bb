import pytest
from django.test import Client

from tests.factories import UserFactory
from tests.pages import page
from tests.tournament.views.desk import signed_in
from tournament.models import Staff
from tournament.services.drops import drop_entry
from tournament.services.events import finish_tournament

pytestmark = pytest.mark.django_db


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
