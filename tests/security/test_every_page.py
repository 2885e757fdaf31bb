"""Every address is read as the strongest role that may and as no one, with forged headers and parameters.

What is about someone is stored nowhere, so that the back button shows nothing after signing out; no answer believes
what only a proxy may say, or leads to another site; reading writes nothing.
"""

import re
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

import pytest
from django.apps import apps
from django.conf import settings
from django.db import connection, transaction
from django.forms import BaseForm
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import resolve

from tests.pages import Form
from tests.security.sent import forms_on
from tests.tournament.access.access_table import PAGES, ROLES, SIGNED_IN
from tests.tournament.access.test_permissions import World, built  # noqa: F401  (a fixture)
from tests.tournament.public.test_secrets import SHARED

SITE = "forged.example"
FORGED = dict.fromkeys(("X-Forwarded-Host", "X-Forwarded-Server", "X-Host"), SITE)
FORGED |= dict.fromkeys(("X-Forwarded-Prefix", "X-Original-URL", "X-Rewrite-URL"), f"//{SITE}/")
FORGED |= {"Referer": f"https://{SITE}/", "HX-Current-URL": f"https://{SITE}/"}
FORGED |= {
    "Forwarded": f"host={SITE};proto=https",
    "X-Forwarded-Port": "666",
    "X-HTTP-Method-Override": "POST",
}
AWAY = dict.fromkeys(("next", "redirect", "return_to", "url", "to", "continue"), "https://away.example/")
LEADS = ("Location", "HX-Redirect", "HX-Location", "HX-Push-Url", "HX-Replace-Url", "Refresh")
WRITES = re.compile(r"INSERT|UPDATE|DELETE|REPLACE")
same_keys = pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL gives no key twice")
# The same for everyone, and about no one.
OF_THE_SITE = {"metrics", "ruleset-json", "schema", "service-worker"}


@dataclass(eq=False)
class Read:
    name: str
    role: str
    answer: HttpResponse
    written: list[str]


@pytest.fixture(scope="module")
def pages(built: World, django_db_blocker: Any) -> list[Read]:  # noqa: F811
    with django_db_blocker.unblock():
        return [read(built, name, role) for name in PAGES for role in readers_of(name)]


def readers_of(name: str) -> list[str]:
    """The strongest role that may; beside an organizer the weakest, too, if that is no one of the staff."""
    may = [role for role in ROLES if role in PAGES[name].get]
    return [role for role in may if role == may[0] or (role == may[-1] and role not in SIGNED_IN)]


def read(world: World, name: str, role: str) -> Read:
    client = world.clients[role]
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(world.address(name), PAGES[name].send | AWAY, headers=FORGED)
    client.cookies = world.cookies[role].copy()
    return Read(name, role, answer, [q["sql"] for q in queries.captured_queries if WRITES.match(q["sql"])])


def names(pages: list[Read]) -> list[str]:
    return [f"{page.name} for {page.role}: {page.answer.status_code}" for page in pages]


def test_every_page_is_read(pages):
    assert len(pages) > 200
    assert sum(page.answer.status_code == 200 for page in pages) > 180
    assert names([page for page in pages if page.answer.status_code >= 500]) == []


def test_what_is_about_someone_is_stored_nowhere(pages):
    shown = [page for page in pages if page.answer.status_code == 200]
    private = [page for page in shown if page.name not in {*SHARED, *OF_THE_SITE}]
    assert len(private) > 120
    words = {page: {*page.answer.get("Cache-Control", "").split(", ")} for page in private}
    assert names([page for page in private if not {"private", "no-store"} <= words[page]]) == []


def test_no_answer_names_a_host_that_only_a_proxy_may_name(pages):
    texts = {page: f"{page.answer.headers} {page.answer.content.decode(errors='replace')}" for page in pages}
    assert names([page for page, text in texts.items() if SITE in text]) == []


def test_no_answer_leads_to_another_site(pages):
    here = re.compile(r"/(?!/)|$")
    led = [page for page in pages if not all(here.match(page.answer.get(name, "")) for name in LEADS)]
    assert names(led) == []
    link = re.compile(r'(href|src|action|formaction|hx-\w+|content)="\s*(https?:)?//away')
    assert names([page for page in pages if link.search(page.answer.content.decode(errors="replace"))]) == []


def test_reading_writes_nothing(pages):
    assert [(page.name, page.role, page.written) for page in pages if page.written] == []


def test_every_answer_says_what_it_is_and_what_browsers_may_do_with_it(pages):
    headers = [page.answer.headers for page in pages]
    assert {h.get("X-Content-Type-Options") for h in headers} == {"nosniff"}
    assert {h.get("X-Frame-Options") for h in headers} == {"DENY"}
    assert {h.get("Referrer-Policy") for h in headers} == {"same-origin"}
    assert len({h["Content-Security-Policy"] for h in headers}) == 1
    assert not any(name.startswith("Access-Control-") for h in headers for name in h)
    files = {h["Content-Disposition"] for h in headers if "Content-Disposition" in h}
    assert len(files) > 5 and all(
        re.fullmatch(r'(inline|attachment); filename="[\w.-]+"', name) for name in files
    )
    texts = {h["Content-Type"] for h in headers if h.get("Content-Type", "").startswith("text/")}
    assert len(texts) > 3 and all(text.endswith("; charset=utf-8") for text in texts)


def test_every_form_that_is_posted_has_its_token(pages):
    posted = [
        (page.name, form)
        for page in pages
        for form in re.findall(
            r"<form\b.*?</form>", getattr(page.answer, "content", b"").decode(errors="replace"), re.S
        )
        if 'method="post"' in form
    ]
    assert len(posted) > 150
    assert [form for form in posted if 'name="csrfmiddlewaretoken"' not in form[1]] == []


def test_ids_are_unique_and_labels_lead_to_one(pages):
    texts = {
        page: page.answer.content.decode()
        for page in pages
        if b"</html>" in getattr(page.answer, "content", b"")
    }
    assert len(texts) > 100
    wrong = []
    for page, text in texts.items():
        ids = re.findall(r'\sid="([^"]+)"', text)
        named = re.findall(r'\s(?:for|aria-labelledby|aria-describedby)="([^"]+)"', text)
        twice = sorted({name for name in ids if ids.count(name) > 1})
        nowhere = sorted({word for words in named for word in words.split()} - set(ids))
        if twice or nowhere:
            wrong.append((page.name, page.role, twice, nowhere))
    assert wrong == []


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["TRACE", "PUT", "PATCH", "DELETE", "CONNECT"])
def test_no_address_answers_to_a_method_that_none_needs(built, method):  # noqa: F811
    client = built.clients["owner"]
    answers = {name: client.generic(method, built.address(name)).status_code for name in PAGES}
    assert {name: status for name, status in answers.items() if status != 405} == {}


class Posted(NamedTuple):
    """Return the status of a POST and its writes, without values that differ each time."""

    status: int
    written: list[str]


def post(world: World, role: str, address: str, fields: dict[str, Any], **headers: str) -> Posted:
    client = world.clients[role]
    with transaction.atomic(), CaptureQueriesContext(connection) as queries:
        status = client.post(address, fields, headers=headers).status_code
        transaction.set_rollback(True)
    client.cookies = world.cookies[role].copy()
    lines = [CHANCE.sub("…", q["sql"]) for q in queries.captured_queries if "django_session" not in q["sql"]]
    return Posted(status, [sql for sql in lines if WRITES.match(sql)])


CHANCE = re.compile(
    r"[0-9a-f]{16,}|[0-9a-f]{8}(-[0-9a-f]{4,12}){4}|md5\$\S+|\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[^\"']*"
)


@pytest.fixture(scope="module")
def forms(pages):
    """(role, form) of each kind of form that the pages show."""
    kinds: dict[Any, tuple[str, Form]] = {}
    for page in pages:
        if page.answer.status_code == 200 and page.answer["Content-Type"].startswith("text/html"):
            for form in forms_on(page.answer):
                kind = resolve(urlsplit(form.action).path).url_name, page.role, *sorted(form.fields)
                kinds.setdefault(kind, (page.role, form))
    return list(kinds.values())


def fields_of_any_form(kind: type = BaseForm) -> set[str]:
    ours = kind.__module__.startswith(("tournament.", "standings.", "pairings."))
    names = {*getattr(kind, "base_fields", ())} if ours else set()
    return names.union(*map(fields_of_any_form, kind.__subclasses__()))


def columns_of_no_form() -> dict[str, str]:
    """A value for each column, of events and of accounts, that no form asks for: owner, role, key, state, …"""
    columns = {}
    for model in apps.get_models():
        for column in model._meta.concrete_fields if model._meta.app_label in ("tournament", "auth") else ():
            kind = column.get_internal_type()
            number = column.is_relation or "Integer" in kind or "Auto" in kind
            columns[column.name] = columns[column.attname] = (
                "on" if kind == "BooleanField" else "2" if number else "planted"
            )
    return {name: value for name, value in columns.items() if name not in fields_of_any_form()}


@same_keys
@pytest.mark.django_db
def test_no_form_writes_a_column_that_it_does_not_ask_for(built, forms, monkeypatch):  # noqa: F811
    monkeypatch.setattr("secrets.token_hex", lambda size=32: "ab" * size)  # the same draws
    more = columns_of_no_form()
    assert {"owner", "owner_id", "is_superuser", "key_hash", "demo", "tournament_id", "state"} <= set(more)
    wrong, done = [], 0
    for role, form in forms:
        others = {name: value for name, value in more.items() if name not in form.boxes}
        plain, forged = (post(built, role, form.action, extra | form.fields) for extra in ({}, others))
        done += bool(plain.written) and plain.status < 400
        if plain != forged:
            wrong.append((role, form.action, plain, forged))
    assert done > 30
    assert wrong == []


@same_keys
@pytest.mark.django_db
def test_what_an_address_says_is_not_taken_for_what_a_form_says(built, forms):  # noqa: F811
    wrong, own = [], {"csrfmiddlewaretoken", "key"}
    for role, form in forms:
        if any(any(values) for name, values in form.fields.items() if name not in own):
            query = urlencode(form.fields, doseq=True)
            bare, named = (post(built, role, form.action + more, {}) for more in ("", f"?{query}"))
            if named.written != bare.written:
                wrong.append((role, form.action, bare, named))
    assert wrong == []


@pytest.mark.django_db
@pytest.mark.parametrize("origin", ["https://forged.example", "null", "http://testserver.forged.example"])
def test_no_form_is_taken_from_another_site_even_with_the_right_token(built, origin):  # noqa: F811
    client = Client(enforce_csrf_checks=True)
    client.force_login(built.events["running"].owner)
    client.get("/new/")
    token = client.cookies[settings.CSRF_COOKIE_NAME].value
    posts = [name for name, page in PAGES.items() if page.post]
    assert len(posts) > 100
    sent, forged = {"csrfmiddlewaretoken": token}, {"Origin": origin, "X-CSRFToken": token}
    answers = {name: client.post(built.address(name), sent, headers=forged).status_code for name in posts}
    assert {name: status for name, status in answers.items() if status != 403} == {}
