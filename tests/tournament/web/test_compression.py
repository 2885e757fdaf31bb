import gzip
from unittest import mock

import pytest
from django.urls import reverse

from tests.factories import TournamentFactory
from tests.tournament.access.access_table import PAGES, ROLES
from tests.tournament.access.test_permissions import OWN_PAGES, built, world  # noqa: F401  (fixtures)
from tournament.exports import load_player_link
from tournament.services.self_service import make_links
from tournament.web.middleware import SECRETS, SMALL, TEXT

pytestmark = pytest.mark.django_db

GZIP = {"accept-encoding": "gzip, br"}


def answers_of(world):  # noqa: F811
    """(name of the page, answer) of every page that someone gets, and of posts that show a secret."""
    for name, page in PAGES.items():
        role = next((role for role in ROLES if role in page.get), None)
        client = world.clients["player" if name in OWN_PAGES else role] if role else None
        if client:
            yield name, client.get(world.address(name), page.send, headers=GZIP)
            client.cookies = world.cookies["player" if name in OWN_PAGES else role].copy()
    owner, sent = world.clients["owner"], {**PAGES["invite-staff"].send, "key": "once"}
    yield "invite-staff", owner.post(world.address("invite-staff"), sent, headers=GZIP)
    yield "entry-link", owner.get(world.address("entry-link", code="P0002"), headers=GZIP)


@pytest.mark.long
def test_every_page_of_more_than_a_packet_is_compressed_once_and_none_with_a_secret(world):  # noqa: F811
    running = world.events["running"]
    make_links(running)
    running.refresh_from_db()
    entry = running.entries.get(code="P0002")
    secrets = [load_player_link(running, entry, "").address.rsplit("/", 2)[1], running.seed, "/invite/"]
    assert all(secrets)
    wrong, compressed, open_ = {}, 0, set()
    for name, answer in answers_of(world):
        packed = answer.headers.get("Content-Encoding") == "gzip"
        text = (gzip.decompress(answer.content) if packed else answer.content).decode("latin-1")
        may = name not in SECRETS and TEXT.match(answer.headers.get("Content-Type", ""))
        if (packed and not may) or (may and not packed and len(text) > SMALL) or text.startswith("\x1f\x8b"):
            wrong[name] = (packed, len(text))
        if any(secret in text for secret in secrets):
            open_.add(name)
        compressed += packed
    assert wrong == {} and compressed > 100
    assert open_ <= SECRETS and {"entry-link", "print-links", "export-links", "invite-staff"} <= open_


def test_the_standings_of_the_desk_are_a_tenth_of_their_size_padded_and_sent_to_who_reads_gzip(client):
    tournament = TournamentFactory(entries=64, rounds=1)
    client.force_login(tournament.owner)
    address = f"/t/{tournament.slug}/desk/standings/"
    plain, packed = client.get(address), client.get(address, headers=GZIP)
    assert len(packed.content) < len(plain.content) / 10
    assert packed["Content-Length"] == str(len(packed.content))
    assert "Accept-Encoding" in plain["Vary"] and "Accept-Encoding" in packed["Vary"]
    assert gzip.decompress(packed.content).count(b"<tr") == plain.content.count(b"<tr") > 64
    with mock.patch("django.utils.text.secrets.randbelow", side_effect=[7, 90]):
        lengths = [len(client.get(address, headers=GZIP).content) for _ in range(2)]
    assert lengths[1] - lengths[0] > 50, "a page's length tells less"
    for words in ("", "br", "gzip;q=0", "*;q=0"):
        answer = client.get(address, headers={"accept-encoding": words})
        assert "Content-Encoding" not in answer.headers and b"<h1" in answer.content
    bundle = client.get(reverse("export-bundle", args=[tournament.slug]), headers=GZIP)
    assert len(bundle.content) > SMALL and "Content-Encoding" not in bundle.headers, "a zip is packed already"
