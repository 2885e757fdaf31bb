import json
import struct
from pathlib import Path

import pytest
from django.contrib.staticfiles.finders import find

from tests.factories import TournamentFactory
from tests.pages import page
from tests.tournament.views.phones import known

pytestmark = pytest.mark.django_db


def manifest_of(client, address: str) -> dict:
    answer = client.get(page(client, address).one("link[rel=manifest]")["href"])
    assert answer["Content-Type"].startswith("application/manifest+json")
    return json.loads(answer.content)


def test_the_app_opens_where_it_was_installed_with_icons_as_large_as_it_says(client):
    event = TournamentFactory(entries=2, name="Friday <night> & a name that is far too long for a phone")
    home, mine = f"/t/{event.slug}/", known(client, event)
    app, own = manifest_of(client, home), manifest_of(client, mine)
    assert (app["start_url"], own["start_url"]) == (home, f"{home}me/")
    assert {app["id"], own["id"], app["scope"], own["scope"]} == {home}  # one app
    assert app["name"] == event.name and len(app["short_name"]) <= 30
    kinds = {(icon["sizes"], icon["purpose"]) for icon in app["icons"]}
    assert kinds == {("192x192", "any"), ("512x512", "any"), ("512x512", "maskable")}
    for icon in app["icons"]:
        header = Path(find(icon["src"].removeprefix("/static/"))).read_bytes()[:24]
        assert "{}x{}".format(*struct.unpack("!II", header[16:])) == icon["sizes"]


def test_browsers_ask_for_the_worker_each_time_and_get_it_once(client):
    answer = client.get("/sw.js")
    assert answer["Content-Type"].startswith("text/javascript") and answer["Cache-Control"] == "no-cache"
    assert client.get("/sw.js", headers={"If-None-Match": answer["ETag"]}).status_code == 304
