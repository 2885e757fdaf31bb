"""Staff in a real browser: invited by one's own hands, signed out in the middle of a round, sound for ears."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.sessions.models import Session

from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tournament.models import Match, Staff

pytestmark = pytest.mark.django_db(transaction=True)


def sign_in(page, name):
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill("correct horse")
    page.get_by_role("button", name="Sign in").click()


def sound(page, *schemes):
    """No fault for ears or eyes in these themes, and nothing that scrolls sideways on a phone."""
    page.set_viewport_size({"width": 390, "height": 844})
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        report = Axe().run(page)
        assert report.violations_count == 0, report.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_scorekeeper_is_invited_signed_out_and_loses_nothing(page, live_server, settings):
    settings.SITE_URL = live_server.url
    for name in ("mia", "anna"):
        UserFactory(username=name, password="correct horse")
    tournament = TournamentFactory(entries=8, owner=UserFactory._meta.model.objects.get(username="mia"))
    RoundFactory(tournament=tournament)
    page.goto(f"{live_server.url}/t/{tournament.slug}/desk/staff/")
    sign_in(page, "mia")
    page.get_by_role("combobox", name="Role").select_option(label="scorekeeper")
    page.get_by_role("button", name="Create invitation").click()
    page.get_by_role("img", name="QR code").wait_for()
    sound(page, "light", "dark")
    address = page.locator(".address").inner_text()
    page.get_by_role("button", name="Sign out").click()

    page.goto(address)
    page.get_by_role("heading", name="Join Friday night as scorekeeper").wait_for()
    sound(page, "dark")
    page.get_by_role("main").get_by_role("link", name="Sign in").click()
    sign_in(page, "anna")
    page.get_by_role("button", name="Accept as anna").click()
    page.get_by_text("as scorekeeper.").wait_for()
    assert Staff.objects.get(user__username="anna").role == "scorekeeper"

    page.goto(f"{live_server.url}/t/{tournament.slug}/desk/rounds/1/")
    Session.objects.all().delete()
    page.locator("#line").fill("2 20")
    page.locator("#line").press("Enter")
    page.get_by_text("It is kept: sign in").wait_for()
    assert not Match.objects.filter(result__isnull=False).exists()
    sign_in(page, "anna")
    assert page.get_by_role("textbox", name="text").input_value() == "2 20"
    sound(page, "dark")
    page.get_by_role("button", name="Send it now").click()
    page.locator("#match-2.in").wait_for()
    assert Match.objects.get(table=2).winner == "a"
