import csv
import io
from html import unescape

import pytest
from django.test import Client

from tests.tournament.views.desk import key, signed_in
from tests.tournament.views.phones import known, text
from tournament.access.player_link import known_key
from tournament.services.entries import change_entry, rename_entry
from tournament.services.self_service import make_links


@pytest.fixture
def event(client):
    tournament = signed_in(client, entries=3)
    return tournament


def link_address(tournament, code="P0001") -> str:
    tournament.refresh_from_db()
    return f"/t/{tournament.slug}/key/{known_key(tournament, tournament.entries.get(code=code))}/"


def desk(client, tournament, path) -> str:
    answer = client.get(f"/t/{tournament.slug}/desk/{path}")
    assert answer.status_code == 200 and "no-store" in answer["Cache-Control"]
    return unescape(text(answer))


def test_a_link_that_is_renewed_or_revoked_stops_and_the_page_says_so(client, event):
    phone = Client()
    old = known(phone, event)
    page = f"/t/{event.slug}/desk/players/P0001/link/"
    assert "Only the player knows this link" in desk(client, event, "players/P0001/link/")
    form = {"key": key()}
    for _again in range(2):  # sent twice, one new link
        assert client.post(page, form)["Location"] == page
    assert event.entries.get(code="P0001").link_number == 2  # after the one that `known` set
    shown = desk(client, event, "players/P0001/link/")
    assert shown.count(link_address(event)) == 2 and 'src="data:image/svg+xml' in shown
    assert f"this is your own link for {event.name}" in shown
    assert phone.get(old).status_code == 404
    assert Client().get(link_address(event)).status_code == 303
    make_links(event)
    old = link_address(event)
    revoked = client.post(f"/t/{event.slug}/desk/players/P0001/link/revoke/", {"key": key()})
    assert revoked.status_code == 303
    assert "This player has no link." in desk(client, event, "players/P0001/link/")
    answer = Client().get(old)
    assert answer.status_code == 404 and "a newer one replaced it" in text(answer)


def test_the_cards_name_everyone_and_make_the_links_that_are_missing(client, event):
    known(Client(), event, "P0002")
    before = desk(client, event, "print/player-links/")
    assert "Create the 2 missing links" in before and "img src=" not in before
    made = client.post(f"/t/{event.slug}/desk/links/", {"key": key()})
    assert made["Location"] == f"/t/{event.slug}/desk/print/player-links/"
    after = desk(client, event, "print/player-links/")
    assert "missing link" not in after
    assert after.count('class="card-of-link"') == 3 and after.count('src="data:image/svg+xml') == 2
    assert link_address(event) in after and link_address(event, "P0003") in after
    assert after.count("Only the player knows this link, so it cannot be printed") == 1
    assert f"/t/{event.slug}/desk/players/P0002/link/" in after


def test_the_file_has_a_message_for_each_and_the_contact_for_organizers_alone(client, event):
    rename_entry(event, "P0001", "=Ada Ruiz")
    change_entry(event, "P0001", contact="ada@example.org")
    make_links(event)
    rows = list(csv.reader(io.StringIO(desk(client, event, "exports/links.csv").removeprefix("\ufeff"))))
    assert rows[0] == ["code", "name", "link", "message", "contact"]
    ada = next(row for row in rows if row[0] == "P0001")
    assert ada[1] == "'=Ada Ruiz" and ada[2].endswith(link_address(event)) and ada[4] == "ada@example.org"
    assert ada[2] in ada[3] and event.name in ada[3]
    event.staff.update(role="scorekeeper")
    assert "ada@example.org" not in desk(client, event, "exports/links.csv")
