"""Pages answer first and fold the reasons: how many words a page says before anything is opened."""

import pytest

from tests.factories import RoundFactory, TournamentFactory
from tests.pages import page

pytestmark = pytest.mark.django_db
NOT_AT_FIRST = "script, template, [hidden], .sr, details:not([open]) > :not(summary)"


@pytest.mark.parametrize(
    ("path", "players", "most"),
    [("settings/", 8, 200), ("rules/", 8, 300), ("players/P0003/", 8, 150), ("rounds/1/draft/", 200, 900)],
)
def test_a_page_says_little_before_anything_is_opened(client, path, players, most):
    event = TournamentFactory(entries=players)
    RoundFactory(tournament=event, drafted="draft" in path)
    client.force_login(event.owner)
    main = page(client, f"/t/{event.slug}/desk/{path}").one("main")
    for hidden in main.select(NOT_AT_FIRST):
        hidden.decompose()
    assert 20 < len(main.get_text(" ").split()) <= most
