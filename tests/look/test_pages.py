"""Rules for every page, as organizer and as player."""

import pytest

from tests.pages import Page
from tests.security.world import ADMIN, ask, full_world, looks

pytestmark = pytest.mark.django_db


def test_every_page_has_at_most_one_primary_button_and_its_title_names_the_event_once():
    world = full_world()
    several, doubled = set(), set()
    for look in looks(world, all_roles=False):
        answer = ask(world, look)
        if (
            look.role == ADMIN
            or "text/html" not in answer.headers.get("Content-Type", "")
            or answer.streaming
        ):
            continue
        page = Page(answer)
        if len(page.soup.select(".primary")) > 1:
            several.add(look.name)
        event = next((event for event in world.events.values() if f"/t/{event.slug}/" in look.address), None)
        title = page.soup.title
        if event and title and title.get_text().count(event.name) > 1:
            doubled.add(look.name)
    assert (several, doubled) == (set(), set())
