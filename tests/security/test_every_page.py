"""Every address is read as the strongest and as the weakest role that may, with forged headers and parameters.

What is about someone is stored nowhere, so that the back button shows nothing after signing out; no answer believes
what only a proxy may say, or leads to another site; reading writes nothing.
"""

import re
from typing import Any, NamedTuple

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test.utils import CaptureQueriesContext

from tests.tournament.access.access_table import PAGES, ROLES
from tests.tournament.access.test_permissions import World, built  # noqa: F401  (a fixture)
from tests.tournament.public.test_secrets import SHARED

FORGED = {
    "X-Forwarded-Host": "forged.example",
    "X-Forwarded-Server": "forged.example",
    "X-Forwarded-Port": "666",
    "X-Forwarded-Prefix": "//forged.example",
    "X-Host": "forged.example",
    "X-Original-URL": "//forged.example/",
    "X-Rewrite-URL": "//forged.example/",
    "X-HTTP-Method-Override": "POST",
    "Forwarded": "host=forged.example;proto=https",
    "Referer": "https://forged.example/",
    "HX-Current-URL": "https://forged.example/",
}
AWAY = dict.fromkeys(("next", "redirect", "return_to", "url", "to", "continue"), "https://away.example/")
LEADS = ("Location", "HX-Redirect", "HX-Location", "HX-Push-Url", "HX-Replace-Url", "Refresh")
WRITES = re.compile(r"INSERT|UPDATE|DELETE|REPLACE")
# The same for everyone, and about no one.
OF_THE_SITE = {"metrics", "ruleset-json", "schema", "service-worker"}


class Read(NamedTuple):
    """One page as one role got it, and what was written meanwhile."""

    name: str
    role: str
    answer: HttpResponse
    written: list[str]


@pytest.fixture(scope="module")
def pages(built: World, django_db_blocker: Any) -> list[Read]:  # noqa: F811
    with django_db_blocker.unblock():
        return [read(built, name, role) for name in PAGES for role in readers_of(name)]


def readers_of(name: str) -> dict[str, None]:
    """The strongest role and the weakest of those that may."""
    may = [role for role in ROLES if role in PAGES[name].get]
    return dict.fromkeys([*may[:1], *may[-1:]])


def read(world: World, name: str, role: str) -> Read:
    client = world.clients[role]
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(world.address(name), PAGES[name].send | AWAY, headers=FORGED)
    client.cookies = world.cookies[role].copy()
    return Read(name, role, answer, [q["sql"] for q in queries.captured_queries if WRITES.match(q["sql"])])


def names(pages: list[Read]) -> list[str]:
    return [f"{page.name} for {page.role}: {page.answer.status_code}" for page in pages]


def test_every_page_is_read(pages):
    assert len(pages) > 250
    assert sum(page.answer.status_code == 200 for page in pages) > 200
    assert names([page for page in pages if page.answer.status_code >= 500]) == []


def test_what_is_about_someone_is_stored_nowhere(pages):
    shown = [
        page for page in pages if page.answer.status_code == 200 and page.name not in {*SHARED, *OF_THE_SITE}
    ]
    assert len(shown) > 150
    kept = [
        page
        for page in shown
        if not {"private", "no-store"} <= {*page.answer.get("Cache-Control", "").split(", ")}
    ]
    assert names(kept) == []


def test_no_answer_names_a_host_that_only_a_proxy_may_name(pages):
    assert names([page for page in pages if b"forged.example" in page.answer.content]) == []
    assert (
        names([page for page in pages if any("forged" in text for text in page.answer.headers.values())])
        == []
    )


def test_no_answer_leads_to_another_site(pages):
    led = [page for page in pages for name in LEADS if not re.match(r"/(?!/)|$", page.answer.get(name, ""))]
    assert names(led) == []
    linked = re.compile(r'(href|src|action|formaction|hx-\w+|content)="\s*(https?:)?//away')
    assert (
        names([page for page in pages if linked.search(page.answer.content.decode(errors="replace"))]) == []
    )


def test_reading_writes_nothing(pages):
    """So an image or a link on another site does nothing with the cookie of whoever is signed in."""
    assert [(page.name, page.role, page.written) for page in pages if page.written] == []


def test_every_answer_says_what_it_is_and_what_browsers_may_do_with_it(pages):
    headers = [page.answer.headers for page in pages]
    assert {h.get("X-Content-Type-Options") for h in headers} == {"nosniff"}
    assert {h.get("X-Frame-Options") for h in headers} == {"DENY"}
    assert {h.get("Referrer-Policy") for h in headers} == {"same-origin"}
    assert len({h["Content-Security-Policy"] for h in headers}) == 1
    assert not any(name.startswith("Access-Control-") for h in headers for name in h)
    texts = {h["Content-Type"] for h in headers if h.get("Content-Type", "").startswith("text/")}
    assert len(texts) > 3 and all(text.endswith("; charset=utf-8") for text in texts)


@pytest.mark.django_db
def test_every_address_answers_to_its_own_host_alone(built):  # noqa: F811
    wrong = []
    for name, page in PAGES.items():
        for method in ["get"] * bool(page.get) + ["post"] * bool(page.post):
            answer = getattr(built.clients["owner"], method)(
                built.address(name), headers={"Host": "forged.example"}
            )
            if answer.status_code != 400 or b"forged" in answer.content:
                wrong.append(f"{name} {method}: {answer.status_code}")
    assert wrong == []
