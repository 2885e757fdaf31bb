"""Every text of a page can be translated: under a locale that marks each text, no bare word is left."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.utils import translation

from standings.engine.metrics import METRICS
from tests.conftest import ROOT
from tests.tournament.access.access_table import PAGES
from tests.tournament.access.test_permissions import World, built, in_an_event, world  # noqa: F401 (fixtures)
from tournament.exports import published_schemas
from tournament.rulesets import presets

# Attributes that a reader sees or hears.
READ = {"title", "placeholder", "aria-label", "aria-description", "alt"}
NOT_READ = "script, style, code, pre, textarea, kbd"  # kbd: keys, and shorthand as it is typed
MARKED = re.compile(r"⟦[^⟦⟧]*⟧")
PARTED = re.compile(r"[\n·→]|: | – ")  # what stands between the texts of a line
CODE = re.compile(r"[a-z_.]+")
SHOW_CODES = ("ruleset", "desk-rules", "rules")  # pages that show fields of a publisher's file as they are

# Words that stay as they are in every language; the log keeps the user name "owner".
TYPED = re.compile(
    r"Player \d\d|\d\d, Player|Friday night|North League|League rules|Late Lee|(user|organizer)\d+|^owner$"
)
FORMATS = re.compile(
    r"\b(CSV|JSON|QR|UTC|MTR)\b|https?://\S+|\b\d+ 20\d\d, \d\d:\d\d"
    r"|\b((Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, )?(\d+ )?"  # dates, which Babel translates
    r"(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b( 20\d\d)?"
    r"|\b\d+-\d+-[2-9A-Z]{4}\b|\b[2-9A-Z]{3}-[2-9A-Z]{3}\b"  # match codes, personal codes
)
ENGINES = re.compile(r"\bswiss \d+")  # name and version of a pairing engine, as rounds store it


def texts_within(data: Any) -> Iterator[str]:
    """Each key and text of a JSON value; a key inside others by its path too."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield key
            yield from texts_within(value)
            if isinstance(value, dict):
                yield from (f"{key}.{inner}" for inner in value)
    elif isinstance(data, list):
        for value in data:
            yield from texts_within(value)
    elif isinstance(data, str):
        yield data


def publishers_texts() -> set[str]:
    """Texts of publishers: names, sources and codes of rulesets, tiebreakers and worked examples."""
    examples = [json.loads(path.read_text("utf-8")) for path in (ROOT / "standings/examples").glob("*.json")]
    texts = {*texts_within(presets()), *texts_within(examples), *(each.source for each in METRICS.values())}
    return {part.strip() for text in texts for part in (text, *PARTED.split(text))}


def read_texts(html: str) -> Iterator[str]:
    """The texts of a page that somebody reads or hears, and those that its scripts show."""
    soup = BeautifulSoup(html, "html.parser")
    for tag in soup.find_all(True):
        yield from (
            str(value)
            for name, value in tag.attrs.items()
            if name in READ or (name.startswith("data-") and " " in value)
        )
        if tag.name == "input" and tag.get("type") in ("submit", "button", "reset"):
            yield str(tag.get("value", ""))
    for tag in soup.select(NOT_READ):
        tag.decompose()
    yield "\n".join(" ".join(text.split()) for text in soup.strings)


def bare_texts(html: str, publishers: set[str]) -> Iterator[str]:
    """The texts of a page that are neither marked nor of a person or publisher."""
    for left in read_texts(html):
        while MARKED.search(left):  # a marked text may have tags in it
            left = MARKED.sub("", left)
        for text in PARTED.split(left):
            rest = ENGINES.sub("", FORMATS.sub("", TYPED.sub("", text)))
            if re.search(r"[A-Za-z]{2}", rest) and text.strip(" :,") not in publishers:
                yield text.strip()


def test_a_bare_text_is_found_wherever_it_stands():
    page = """<title>⟦Desk⟧ · North League</title><p>⟦Go to <a href="/">round 2</a> of ⟦the event⟧⟧ <b>now</b></p>
        <a aria-label="Close">×</a><input type="submit" value="Send"><input value="2-0"><li data-title="Up #">
        <code>archive.json</code> Median"""
    assert set(bare_texts(page, {"Median"})) == {"now", "Close", "Send", "Up #"}


@pytest.fixture
def marked(monkeypatch) -> Iterator[None]:
    """Every text that goes through gettext comes out as ⟦text⟧."""
    ways = {
        "gettext": lambda text: text and f"⟦{text}⟧",
        "pgettext": lambda _context, text: f"⟦{text}⟧",
        "ngettext": lambda one, many, count: f"⟦{one if count == 1 else many}⟧",
        "npgettext": lambda _context, one, many, count: f"⟦{one if count == 1 else many}⟧",
    }
    for name, way in ways.items():
        monkeypatch.setattr(translation._trans, name, way)
    cache.clear()
    yield
    published_schemas.cache_clear()  # a process keeps them
    cache.clear()


def answers(world: World) -> Iterator[tuple[str, HttpResponse]]:  # noqa: F811
    """Every page as the organizer and the weakest who may open it see it, and what its form answers when sent."""
    for name, page in PAGES.items():
        for role in ("owner", "player" if in_an_event(page, name) else "nobody"):
            client: Client = world.clients[role]
            for method in ("get", "post"):
                if role not in getattr(page, method):
                    continue
                with transaction.atomic():
                    yield f"{name} {method} {role}", getattr(client, method)(world.address(name), page.send)
                    transaction.set_rollback(True)
                client.cookies = world.cookies[role].copy()


@pytest.mark.slow
@pytest.mark.only_on("sqlite")
def test_every_text_of_every_page_can_be_translated(world, marked):  # noqa: F811
    for number, user in enumerate(User.objects.filter(username__in=world.clients)):  # no names that are roles
        User.objects.filter(pk=user.pk).update(username=f"user{number}")
    published = publishers_texts()
    without_codes = {text for text in published if not CODE.fullmatch(text)}
    bare: dict[str, str] = {}
    seen = 0
    for place, answer in answers(world):
        if not answer.streaming and answer["Content-Type"].startswith("text/html"):
            seen += 1
            allowed = published if place.startswith(SHOW_CODES) else without_codes
            for text in bare_texts(answer.content.decode(), allowed):
                bare.setdefault(text, place)
    assert seen > 150
    assert not bare, "\n".join(f"{place}: {text}" for text, place in bare.items())
