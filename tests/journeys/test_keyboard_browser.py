"""A whole round without a mouse: every stop is seen, and each key does what the page says."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser import open_as
from tests.factories import TournamentFactory
from tournament.models import Match, Round

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]
MOST_STOPS = 120
RING = """() => {
  if (document.activeElement === document.body) return true;  // past the last stop
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(document.activeElement);
  return (outlineStyle !== "none" && parseFloat(outlineWidth) >= 2) ||
    (document.activeElement.matches("input, select, textarea") && boxShadow !== "none");
}"""


NAME = """() => {
  const here = document.activeElement;
  return (here.getAttribute("aria-label") || (here === document.body ? "" : here.innerText)).trim();
}"""


def go_to(page: Page, name: str) -> None:
    """Tab until the element of that name has the focus; each stop on the way can be seen."""
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        focused = page.evaluate(NAME)
        assert page.evaluate(RING), f"“{focused}” has the focus, and nothing shows it"
        if focused == name:
            return
    raise AssertionError(f"no “{name}” within {MOST_STOPS} stops: {page.inner_text('main')}")


def press(page: Page, name: str, *, leaves: bool = True) -> None:
    """Go to a button or link and press Enter there; another page comes, if it `leaves` this one."""
    go_to(page, name)
    here = page.url
    page.keyboard.press("Enter")
    if leaves:
        page.wait_for_url(lambda url: url != here, wait_until="load")


def enter(page: Page, line: str) -> None:
    """Type a line into the box."""
    page.keyboard.type(line)
    page.keyboard.press("Enter")


def test_a_round_is_paired_published_timed_entered_corrected_and_closed_by_keys_alone(
    page: Page, live_server
):
    tournament = TournamentFactory(entries=8, round_minutes=50, vary_tables=False, rounds_planned=3)
    page.set_viewport_size({"width": 1280, "height": 900})
    open_as(page, live_server, tournament.owner, f"/t/{tournament.slug}/desk/")
    press(page, "Pair round 1")
    press(page, "Publish round 1")
    expect(page.locator("#line")).to_be_visible()
    assert Round.objects.get(tournament=tournament).state == "published"
    press(page, "Start the clock: 50 min", leaves=False)
    expect(page.locator(".clock-controls")).to_contain_text("ends")
    page.reload()  # the box has the focus when the page comes
    page.wait_for_load_state()
    page.evaluate("document.activeElement.blur()")
    while page.evaluate("document.activeElement.id") != "line":
        page.keyboard.press("Tab")
    for table in (1, 2, 3):
        enter(page, f"{table} 20")
        expect(page.locator(f"#match-{table}.in")).to_be_visible()
    enter(page, "3 12")
    expect(page.locator("#saved")).to_contain_text("has another result")
    page.wait_for_timeout(500)  # a question stands for a moment before Enter answers it
    page.keyboard.press("Enter")
    expect(page.locator("#match-3")).to_contain_text("1–2")
    enter(page, "4 21 ")
    expect(page).to_have_title(f"Round 1 · 0 of 4 tables outstanding · {tournament.name}")
    press(page, "Pair round 2")
    assert Round.objects.filter(tournament=tournament, number=2).exists()
    results = Match.objects.filter(round__number=1).order_by("table").values_list("winner", flat=True)
    assert list(results) == ["a", "a", "b", "a"]
