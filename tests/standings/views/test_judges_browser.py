"""A judge's phone in a real browser: 5 minutes by touch, a warning by the keyboard, nothing axe finds wrong."""

import re

import pytest
from playwright.sync_api import expect

from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tests.tournament.views.test_registration_browser import PHONE, looks_right
from tournament.models import Extension, Staff

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_judge_gives_five_minutes_and_records_a_warning(page, live_server):
    judge = UserFactory(username="lena", password="correct horse")
    tournament = TournamentFactory(entries=24)
    RoundFactory(tournament=tournament)
    Staff.objects.create(tournament=tournament, user=judge, role="judge")
    page.set_viewport_size({"width": 390, "height": 800})
    tables = f"{live_server.url}/t/{tournament.slug}/desk/judge/"
    page.goto(f"{live_server.url}/login/?next=/t/{tournament.slug}/desk/judge/")
    page.get_by_label("Username").fill("lena")
    page.get_by_label("Password").fill("correct horse")
    page.keyboard.press("Enter")
    page.wait_for_url(tables)
    looks_right(page, PHONE)

    page.get_by_role("link", name="Table 7, outstanding").click()
    sheet = page.get_by_role("dialog", name="Table 7")
    expect(sheet).to_be_visible()
    looks_right(page, PHONE)
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    expect(page.get_by_role("link", name="Table 7, outstanding")).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="+5 min").click()
    expect(page.get_by_text("Table 7, round 1: 5-minute time extension").first).to_be_visible()
    assert Extension.objects.get().minutes == 5

    page.get_by_role("link", name=re.compile("Penalty for")).first.focus()
    page.keyboard.press("Enter")
    infraction = page.get_by_label("Infraction")
    expect(infraction).to_be_visible()
    looks_right(page, PHONE)
    infraction.focus()
    page.keyboard.type("Slow play")
    page.get_by_label("warning").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(page.get_by_text("warning recorded.")).to_be_visible()
    assert tournament.penalties.get().kind == "warning"
