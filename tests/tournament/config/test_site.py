import os

import pytest
from django.core.exceptions import ImproperlyConfigured

from tests.factories import TournamentFactory
from tests.pages import Page, page
from tournament.config.site import LARGEST_LOGO, Logo, site_logo, site_name
from tournament.public.response_cache import response_cache

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
SVG = b'\n<svg xmlns="http://www.w3.org/2000/svg"/>'


def test_a_local_logo_is_read_once_and_named_after_its_content(tmp_path):
    for name, content, kind in (("a.png", PNG, "image/png"), ("b.SVG", SVG, "image/svg+xml")):
        (tmp_path / name).write_bytes(content)
        logo = site_logo({"SITE_LOGO": str(tmp_path / name)})
        assert (logo.kind, logo.content) == (kind, content)
        assert logo.address.startswith("/logo/") and os.path.isabs(logo.path)
    assert site_logo({}) == Logo() and site_name({"SITE_NAME": " Old  Harbor "}) == "Old Harbor"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("missing.png", "cannot be read"),
        ("logo.txt", "is not an image"),
        ("huge.png", "is too large"),
        ("https://example.org/logo.png", "cannot be read"),
    ],
)
def test_a_logo_that_cannot_be_shown_is_refused_in_words(value, words, tmp_path):
    (tmp_path / "huge.png").write_bytes(PNG + bytes(LARGEST_LOGO))
    with pytest.raises(ImproperlyConfigured, match=words):
        site_logo({"SITE_LOGO": value if "://" in value else str(tmp_path / value)})


@pytest.mark.django_db
def test_name_and_logo_are_on_every_page_its_copy_and_paper(client, settings):
    tournament = TournamentFactory(entries=4, rounds=1)
    plain = page(client, "/")
    assert plain.all("title") == ["Tournaments"] and not plain.all("img")
    assert plain.one('link[rel="icon"]')["href"].startswith("data:image/svg+xml")
    public = f"/t/{tournament.slug}/"
    before = client.get(public)["ETag"]
    settings.SITE_NAME = "Old Harbor & Co"
    settings.SITE_LOGO = Logo("/logo/ab12.png", "ab12.png", "/somewhere/logo.png", "image/png", PNG)
    response_cache.clear()  # as a restart does
    assert client.get(public)["ETag"] != before  # what browsers keep has another name
    home = page(client, "/")
    assert home.all("title") == ["Old Harbor & Co"] and home.all("h1") == ["Events"]
    client.force_login(tournament.owner)
    for shown in (home, page(client, public), page(client, f"{public}desk/")):
        assert shown.one('img[src="/logo/ab12.png"]')["alt"] == (
            "" if shown.all("#rail") else "Old Harbor & Co"
        )
        assert shown.one('link[rel="icon"]')["href"] == "/logo/ab12.png"
        assert "Old Harbor & Co" in shown.all("footer, #rail")[0]
    assert "Old Harbor & Co" in Page(client.get("/no-such-page/"))
    paper = page(client, f"{public}desk/rounds/1/print/pairings-by-name/")
    assert "Friday night · Old Harbor & Co" in paper.all("b.event")
    image = client.get("/logo/ab12.png")
    assert (image.content, image["Content-Type"]) == (PNG, "image/png")
    assert "immutable" in image["Cache-Control"]
    assert client.get("/logo/other.png").status_code == 404
