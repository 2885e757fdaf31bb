import datetime

import pytest
from django.http import HttpRequest, HttpResponse
from django.template import engines
from django.urls import path
from playwright.sync_api import Page, expect

from tests.browser import eventually
from tournament.config.urls import handler500  # noqa: F401
from tournament.config.urls import urlpatterns as real

pytestmark = pytest.mark.django_db

PART = """<section id="posted" data-poll="/part/" data-v="{v}" data-title="Round {v}" {more}>
<p>round {v}</p><a href="/part/">more</a></section>"""
BUTTONS = """<form id="r" hx-post="/score/" hx-swap="outerHTML" hx-target="this" data-saved="{saved}">
<button name="score" value="20">2–0</button><button name="score" value="21">2–1</button></form>"""
PAGE = """{% extends "app.html" %}{% load static %}{% block title %}Round 1{% endblock %}
{% block head %}<script src="{% static 'box.js' %}" defer></script>{% endblock %}{% block content %}
<h1>Live</h1>{% autoescape off %}{{ part }}{{ buttons }}{% endautoescape %}
{% include "_clock.html" %}
<form data-onebox hx-post="/row/" hx-target="#row"><label for="b">Box</label><input type="text" id="b" name="b"></form>
<table><tr id="row"><td>empty</td></tr></table>
<button id="whole" hx-get="/whole/" hx-target="#row">whole</button>
<button id="broken" hx-get="/broken/" hx-target="#row">broken</button>{% endblock %}"""


class Now:
    round = 1
    more = ""
    asked = 0
    minutes = 23


def page(request: HttpRequest) -> HttpResponse:
    part = PART.format(v=Now.round, more=Now.more)
    ends = datetime.datetime.now(datetime.UTC) + datetime.timedelta(minutes=Now.minutes, seconds=40)
    shown = {"part": part, "buttons": BUTTONS.format(saved=""), "ends": ends}
    return HttpResponse(engines["django"].from_string(PAGE).render(shown, request))


def part(request: HttpRequest) -> HttpResponse:
    Now.asked += 1
    if request.GET["v"] == str(Now.round):
        return HttpResponse(status=204)
    return HttpResponse(PART.format(v=Now.round, more=Now.more))


def row(request: HttpRequest) -> HttpResponse:
    return HttpResponse(f"<td>saved {request.POST['b']}</td>")


def score(request: HttpRequest) -> HttpResponse:
    return HttpResponse(BUTTONS.format(saved=request.POST["score"]))


def whole(request: HttpRequest) -> HttpResponse:
    return HttpResponse("<!doctype html><html><body>elsewhere</body></html>", status=404)


def broken(request: HttpRequest) -> HttpResponse:
    raise ValueError("a bug of ours")


urlpatterns = [
    path("broken/", broken),
    path("live/", page),
    path("part/", part),
    path("row/", row),
    path("score/", score),
    path("whole/", whole),
    *real,
]


@pytest.fixture
def live(page: Page, live_server, settings):
    """The page in a browser whose clock the test moves; an error or a broken policy fails the test."""
    settings.ROOT_URLCONF = __name__
    Now.round, Now.more, Now.asked, Now.minutes = 1, "", 0, 23
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda m: complaints.append(m.text) if "Content Security" in m.text else None)
    page.clock.install()
    page.goto(live_server.url + "/live/")
    yield page
    assert complaints == []


def test_a_poll_swaps_only_when_something_changed_and_comes_back_after_a_lost_connection(live: Page):
    posted = live.locator("#posted p")
    posted.evaluate("element => element.textContent = 'untouched'")
    live.clock.run_for(16_000)
    eventually(lambda: Now.asked == 1)
    expect(posted).to_have_text("untouched")

    live.context.set_offline(True)
    live.clock.run_for(16_000)
    expect(live.locator("#posted")).to_have_attribute("data-stale", "")
    expect(live.locator("#problem")).to_be_empty()
    live.locator("#b").fill("12 20")
    live.keyboard.press("Enter")
    expect(live.locator("#problem")).to_contain_text("Not saved yet")
    expect(live.locator("#b")).to_have_value("12 20")

    Now.round, Now.more = 2, 'data-done data-announce="Round 2 is posted"'
    live.locator("#posted a").focus()
    live.context.set_offline(False)
    live.clock.run_for(40_000)
    expect(posted).to_have_text("round 2")
    expect(live.locator("#announce")).to_have_text("Round 2 is posted")
    expect(live).to_have_title("Round 2")
    expect(live.locator("#posted a")).to_be_focused()
    count = Now.asked
    live.clock.run_for(60_000)
    assert Now.asked == count  # data-done: it is over


def set_fast(live: Page, seconds: int) -> None:
    """Put this device's clock ahead, and let it tick once. Offline: an answer would set it right at once."""
    live.wait_for_load_state("networkidle")
    live.context.set_offline(True)
    live.evaluate("more => { const now = Date.now; Date.now = () => now() + more; }", seconds * 1000)
    live.clock.run_for(1_000)


def test_the_clock_counts_minutes_by_the_servers_time_and_speaks_at_ten(live: Page):
    clock = live.locator("[data-ends]")
    expect(clock).to_have_text("23 min left")
    set_fast(live, 300)
    expect(clock).to_have_text("18 min left")
    expect(live.locator("#announce")).to_be_empty()
    live.context.set_offline(False)  # the next answer sets it right
    live.clock.run_for(16_000)
    eventually(lambda: live.clock.run_for(1_000) or clock.text_content() == "23 min left")

    Now.minutes, Now.more = 11, "data-done"
    live.reload()
    expect(clock).to_have_text("11 min left")
    set_fast(live, 60)
    expect(live.locator("#announce")).to_have_text("10 min left")


def test_focus_stays_on_the_same_button_of_a_swapped_row(live: Page):
    button = live.get_by_role("button", name="2–1")
    button.focus()
    live.keyboard.press("Enter")
    expect(live.locator("#r")).to_have_attribute("data-saved", "21")
    expect(button).to_be_focused()


def test_neither_a_whole_page_nor_a_bug_is_put_into_a_row(live: Page):
    live.locator("#whole").click()
    expect(live.locator("#problem")).to_contain_text("nothing was changed")
    live.locator("#broken").click()
    expect(live.locator("#problem")).to_contain_text("Reference: ")
    expect(live.locator("#row")).to_have_text("empty")


def test_the_theme_follows_the_device_until_it_is_set(live: Page):
    root = live.locator("html")
    expect(root).to_have_attribute("data-theme", "light")
    live.emulate_media(color_scheme="dark")
    expect(root).to_have_attribute("data-theme", "dark")
    live.get_by_role("button", name="Theme: device default").click()
    expect(root).to_have_attribute("data-theme", "light")
    live.reload()
    expect(live.get_by_role("button", name="Theme: light")).to_be_visible()
    expect(root).to_have_attribute("data-theme", "light")
