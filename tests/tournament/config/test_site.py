"""The installation's own name and logo: from the environment to every page, copy and sheet of paper."""

import os

import pytest
from django.core.exceptions import ImproperlyConfigured

from tests.factories import TournamentFactory
from tests.tournament.config.test_settings import manage
from tournament.config.site import LARGEST_LOGO, Logo, site_logo, site_name
from tournament.exports.static_copy import static_copy_of

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
SVG = b'\n<svg xmlns="http://www.w3.org/2000/svg"/>'


def test_a_local_logo_is_read_once_and_named_after_its_content(tmp_path):
    for name, content, kind in (("a.png", PNG, "image/png"), ("b.SVG", SVG, "image/svg+xml")):
        (tmp_path / name).write_bytes(content)
        logo = site_logo({"SITE_LOGO": str(tmp_path / name)}, https=True)
        assert (logo.kind, logo.content, logo.origin) == (kind, content, "")
        assert logo.address.startswith("/logo/") and os.path.isabs(logo.path)
    assert site_logo({}, https=True) == Logo() and site_name({"SITE_NAME": " Old  Harbor "}) == "Old Harbor"


def test_a_logo_elsewhere_opens_the_content_policy_to_its_site_alone():
    logo = site_logo({"SITE_LOGO": "https://cdn.example.org:8443/a/logo.png?x=1"}, https=True)
    assert (logo.address, logo.origin, logo.content) == (
        "https://cdn.example.org:8443/a/logo.png?x=1",
        "https://cdn.example.org:8443",
        b"",
    )


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("missing.png", "cannot be read"),
        ("logo.txt", "is not an image"),
        ("fake.png", "is not a valid image/png file"),
        ("huge.png", "is too large"),
        ("ftp://example.org/logo.png", "is not valid"),
        ("https://", "is not valid"),
        ("https://example.org; script-src *", "is not valid"),
        ("http://example.org/logo.png", "is not encrypted"),
    ],
)
def test_a_logo_that_cannot_be_shown_is_refused_in_words(value, words, tmp_path):
    (tmp_path / "fake.png").write_bytes(b"GIF89a")
    (tmp_path / "huge.png").write_bytes(PNG + bytes(LARGEST_LOGO))
    with pytest.raises(ImproperlyConfigured, match=words):
        site_logo({"SITE_LOGO": value if "://" in value else str(tmp_path / value)}, https=True)


def test_a_bad_name_or_logo_is_one_clear_line_at_the_start(tmp_path):
    for values, words in (
        ({"SITE_LOGO": "no/such.png"}, "cannot be read"),
        ({"SITE_NAME": "x" * 61}, "too long"),
    ):
        answer = manage("check", VAR_DIR=str(tmp_path), **values)
        assert answer.returncode == 2 and words in answer.stderr
        assert answer.stderr.count("\n") == 1


@pytest.mark.django_db
def test_name_and_logo_are_on_every_page_its_copy_and_paper(client, settings):
    tournament = TournamentFactory(entries=4, rounds=1)
    plain = client.get("/").content.decode()
    assert "<title>Tournaments</title>" in plain and "data:image/svg+xml" in plain and "<img" not in plain
    public = f"/t/{tournament.slug}/"
    before = client.get(public)["ETag"]
    settings.SITE_NAME = "Old Harbor & Co"
    settings.SITE_LOGO = Logo("/logo/ab12.png", "", "/somewhere/logo.png", "image/png", PNG)
    home = client.get("/").content.decode()
    assert "<title>Old Harbor &amp; Co</title>" in home and "<h1>Old Harbor &amp; Co</h1>" in home
    event = client.get(public)
    assert event["ETag"] != before  # what browsers keep has another name
    client.force_login(tournament.owner)
    desk = client.get(f"{public}desk/").content.decode()
    for page in (home, event.content.decode(), desk):
        assert '<img src="/logo/ab12.png" alt="Old Harbor &amp; Co">' in page
        assert '<link rel="icon" href="/logo/ab12.png">' in page
        assert "<span>Old Harbor &amp; Co</span>" in page.split("<footer")[1]
    assert "Old Harbor &amp; Co" in client.get("/no-such-page/").content.decode()
    paper = client.get(f"{public}desk/rounds/1/print/pairings-by-name/").content.decode()
    assert '<b class="event">Friday night · Old Harbor &amp; Co</b>' in paper
    image = client.get("/logo/ab12.png")
    assert (image.content, image["Content-Type"]) == (PNG, "image/png") and "immutable" in image[
        "Cache-Control"
    ]
    assert client.get("/logo/other.png").status_code == 404
    copy = dict(static_copy_of(tournament))
    assert copy["logo/ab12.png"] == PNG and b'src="logo/ab12.png"' in copy["index.html"]
    settings.SITE_LOGO = Logo("https://example.org/logo.png", "https://example.org")
    assert b"<img" not in dict(static_copy_of(tournament))["index.html"]
