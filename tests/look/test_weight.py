import gzip
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles.finders import find
from django.test import Client

from tests.factories import RoundFactory, TournamentFactory
from tests.tournament.views.phones import known
from tournament.services.clock import start_clock
from tournament.services.event_settings import change_settings

pytestmark = pytest.mark.django_db

MOST_FILES, MOST_BYTES = 7, 40 * 1024
HEADERS = 600  # bytes of an answer's headers, about


def first_visit(client: Client, address: str) -> tuple[int, int]:
    """(files, bytes over the wire) of a page with all that it asks for: manifest, sheets, scripts, server time."""
    page = client.get(address).content.decode()
    head = page[: page.index("</head>")]
    files = re.findall(r'<(?:link|script)[^>]* (?:href|src)="([^"]+)"', head)
    sizes = [len(gzip.compress(page.encode()))]
    for file in (each for each in files if not each.startswith("data:")):
        name = file.removeprefix("/static/")
        content = Path(find(name)).read_bytes() if name != file else client.get(file).getvalue()
        sizes.append(len(gzip.compress(content)))
    clock = "data-ends" in page
    return len(sizes) + clock, sum(sizes) + HEADERS * (len(sizes) + clock)


def test_the_first_visit_of_the_own_page_is_small(client):
    event = TournamentFactory(entries=200)
    RoundFactory(tournament=event)
    change_settings(event, reporting="on")
    start_clock(event, 1, 50)
    files, size = first_visit(client, known(client, event))
    assert files <= MOST_FILES
    assert size <= MOST_BYTES


@pytest.mark.parametrize("order", ["", "?by=table"])
def test_the_pairings_of_400_players_are_small(client, order):
    event = TournamentFactory(entries=400)
    RoundFactory(tournament=event)
    files, size = first_visit(client, f"/t/{event.slug}/rounds/1/{order}")
    assert files <= MOST_FILES
    assert size <= MOST_BYTES + 3_000
