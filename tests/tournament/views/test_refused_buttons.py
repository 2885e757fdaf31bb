"""What would only be refused is not offered: after the end, and to a judge."""

import pytest
from django.test import Client

from tests.factories import TournamentFactory, UserFactory
from tests.tournament.services.test_reports import codes, running
from tests.tournament.views.phones import text
from tournament.models import Staff, Tournament
from tournament.results.shorthand import parse_slip
from tournament.services.drops import drop_entry
from tournament.services.events import finish_tournament
from tournament.services.reports import report_result

pytestmark = pytest.mark.django_db


def judge_of(tournament) -> Client:
    client, user = Client(), UserFactory()
    Staff.objects.create(tournament=tournament, user=user, role="judge")
    client.force_login(user)
    return client


def page_of(client, tournament, code="P0001"):
    return text(client.get(f"/t/{tournament.slug}/desk/players/{code}/"))


def is_offered(page, tournament, what, code="P0001"):
    return f'action="/t/{tournament.slug}/desk/players/{code}/{what}/"' in page


NOT_AFTER_END = ("drop", "paid", "pairing", "disqualify", "bye")
AFTER_END = ("name", "person")


def test_a_finished_event_offers_only_what_may_still_change_of_a_player(client):
    tournament = TournamentFactory(entries=4, rounds=1)
    client.force_login(tournament.owner)
    page = page_of(client, tournament)
    assert all(is_offered(page, tournament, what) for what in NOT_AFTER_END + AFTER_END)
    assert "Penalty…" in page and "staff account" in page.lower()
    drop_entry(tournament, "P0002")
    assert is_offered(page_of(client, tournament, "P0002"), tournament, "reinstate", "P0002")
    finish_tournament(tournament)
    page = page_of(client, tournament)
    assert [what for what in NOT_AFTER_END if is_offered(page, tournament, what)] == []
    assert "Penalty…" not in page and "staff account" not in page.lower()
    assert all(is_offered(page, tournament, what) for what in AFTER_END)
    assert "Correct a mistake…" in page
    assert not is_offered(page_of(client, tournament, "P0002"), tournament, "reinstate", "P0002")


def test_a_judge_reads_of_the_cut_and_is_not_led_to_a_refusal(client):
    tournament = TournamentFactory(entries=8, rounds=3, cut=4)
    client.force_login(tournament.owner)
    cut = f'href="/t/{tournament.slug}/desk/cut/"'
    page = f"/t/{tournament.slug}/desk/"
    assert cut in text(client.get(page))
    shown = text(judge_of(tournament).get(page))
    assert "Cut to top 4" in shown and cut not in shown


def test_a_judge_is_told_to_press_a_key_only_where_it_accepts_results():
    tournament = running("staff")
    for code, slip in zip(codes(tournament, 1), ("21", "12"), strict=True):
        report_result(tournament, code, 1, parse_slip(slip))
    judge, page = judge_of(tournament), f"/t/{tournament.slug}/desk/rounds/1/"
    shown = text(judge.get(page))
    assert "Both players of 1 table" in shown and "A accepts all of them" not in shown
    Tournament.objects.filter(pk=tournament.pk).update(judge_results=True)
    assert "A accepts all of them" in text(judge.get(page))
