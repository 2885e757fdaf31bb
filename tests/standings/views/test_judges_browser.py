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
    five = sheet.get_by_role("button", name="+5 min")
    page.evaluate("window.stays = true")
    five.click()
    expect(sheet.get_by_role("status")).to_contain_text("Table 7, round 1: 5-minute time extension")
    expect(five).to_be_focused()
    assert Extension.objects.get().minutes == 5

    page.route("**/extension/", lambda route: route.abort())
    five.click()
    expect(sheet.get_by_text("Not saved yet: the connection was lost.")).to_be_visible()
    page.unroute("**/extension/")

    sheet.get_by_role("link", name=re.compile("Penalty for")).first.focus()
    page.keyboard.press("Enter")
    sheet = page.get_by_role("dialog", name="Penalty")
    infraction = sheet.get_by_label("Infraction")
    expect(infraction).to_be_visible()
    expect(sheet.get_by_role("heading", name="Penalty")).to_be_focused()
    looks_right(page, PHONE)
    sheet.get_by_label("warning").focus()
    page.keyboard.press("Space")
    infraction.evaluate("field => field.required = false")  # as an old browser would send it
    page.keyboard.press("Enter")
    expect(sheet.get_by_text("Enter the infraction.")).to_be_visible()
    assert not tournament.penalties.exists()
    infraction.focus()
    page.keyboard.type("Slow play")
    page.keyboard.press("Enter")
    sheet = page.get_by_role("dialog", name="Table 7")
    expect(sheet.get_by_text("warning recorded.")).to_be_visible()
    assert tournament.penalties.get().kind == "warning" and page.evaluate("window.stays")
    looks_right(page, PHONE)
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="Table 7, +5")).to_be_focused()
