"""Requests by chance over every address and form, as everybody: none breaks the server, shows what its sender may not
see, or changes what is not theirs.

400 requests here, 1,500 in CI, 100,000 with FULL=1, or as many as REQUESTS says. A request follows from SEED and number
alone; `Fuzzer(world).find_faults(request)` sends one again.
"""

import os
import random
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode, urljoin

import pytest
from django.conf import settings
from django.contrib import admin
from django.db import connection, transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import Resolver404, resolve, reverse

from tests.chance import SEED, same_draws, same_time
from tests.conftest import CI, FULL, empty
from tests.security import odd
from tests.security.hostile import breaches_of
from tests.security.sent import Fields, encode_fields, flatten, forms_on
from tests.tournament.access.access_table import EVERYBODY, PAGES, PLAYER, USUAL
from tests.tournament.access.test_permissions import OWN_PAGES, World, parts_of, world_of_events
from tournament.access.player_link import keys_cookie
from tournament.actionlog.service import OWNER_KINDS
from tournament.models import Action, Tournament

NEIGHBOR = "neighbor"  # organizes another event, and nothing here
ROLES = ("owner", "scorekeeper", "judge", "stranger", "player", "nobody", NEIGHBOR)
HERE = "http://testserver/"
SHOWN = {200, 204, 206, 304}
WRITES = re.compile(
    r'\s*(INSERT INTO|UPDATE|DELETE FROM) "(tournament_|auth_|otp_)(?!user" SET "last_login")', re.I
)


PARTS = 8 if FULL else 1  # for as many processes as there are
REQUESTS = int(os.environ.get("REQUESTS") or (100_000 if FULL else 1_500 if CI else 400))


class Request(NamedTuple):
    """One request as it is sent; a file is bytes among the fields."""

    role: str
    method: str
    path: str
    query: Fields
    fields: Fields
    content_type: str
    headers: dict[str, str]
    cookie: str  # before those of the role


class Fuzzer:
    """Makes requests in a world and looks at their answers. What they write is taken back."""

    def __init__(self, world: World, seed: int = 0) -> None:
        self.world, self.seed = world, seed
        world.sign_in(NEIGHBOR, world.other.owner)
        self.names = {role: world.events["running"].staff.get(role=role).user.username for role in ROLES[:3]}
        self.members = {event.slug for event in world.events.values()}
        self.statuses: Counter[str] = Counter()  # of the answers, and how many requests wrote something
        self.form_cache: dict[str, list[tuple[str, Fields]]] = {}
        for client in world.clients.values():
            client.raise_request_exception = False

    # Making requests

    def request(self, number: int) -> Request:
        chance = random.Random(f"{self.seed}/{number}")
        method = chance.choices(["GET", "POST", chance.choice(odd.METHODS)], [5, 6, 1])[0]
        open_to = {name: page.post if method == "POST" else page.get for name, page in PAGES.items()}
        name = chance.choice([name for name in open_to if open_to[name] or chance.random() < 0.1])
        role = chance.choice([role for role in ROLES if role in open_to[name]] or ROLES)
        if chance.random() < 0.5:
            role = chance.choice(ROLES)
        path, fields = self.path(name, chance), list(PAGES[name].send.items())
        if method == "POST" and chance.random() < 0.6 and (forms := self.forms_of(name)):
            path, fields = chance.choice(forms)
            path = path.partition("?")[0]
        if chance.random() < 0.02:
            path = chance.choice([reverse("admin:index"), *admin_paths()])
        if chance.random() < 0.75:
            fields = self.spoil(flatten(fields), chance)
        query = fields if method == "GET" else self.spoil([], chance) if chance.random() < 0.2 else []
        content_type = "" if chance.random() < 0.95 else chance.choice(odd.TYPES)
        headers = {}
        for header in chance.sample(list(odd.HEADERS), chance.choice([0, 0, 0, 1, 2])):
            headers[header] = chance.choice(odd.HEADERS[header])
        if chance.random() < 0.3:
            headers["HTTP_HX_REQUEST"] = "true"
        cookie = ""
        if chance.random() < 0.03:
            names = [settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME, keys_cookie(), "x"]
            cookie = f"{chance.choice(names)}={chance.choice(odd.COOKIES)}"
        return Request(
            role, method, path, query, fields if method != "GET" else [], content_type, headers, cookie
        )

    def path(self, name: str, chance: random.Random) -> str:
        page, parts = PAGES[name], parts_of(name)
        values = {**USUAL, "slug": self.world.events[page.at].slug, **page.args}
        if "slug" in parts and chance.random() < 0.25:
            values["slug"] = chance.choice([self.world.other.slug, *sorted(self.members), "no-such"])
        path = reverse(name, kwargs={part: values[part] for part in parts})
        if parts and chance.random() < 0.25:
            old, new = str(values[chance.choice(parts)]), chance.choice(odd.VALUES)[:300]
            path = path.replace(f"/{old}", "/" + quote(new, safe="", errors="replace"), 1)
        return path

    def forms_of(self, name: str) -> list[tuple[str, Fields]]:
        if name not in self.form_cache:
            page = PAGES[name]
            role = "owner" if "owner" in page.get else "player" if "player" in page.get else ""
            answer = self.world.clients[role].get(self.world.address(name), page.send) if role else None
            is_page = answer and answer.headers.get("Content-Type", "").startswith("text/html")
            forms = forms_on(answer) if is_page else []
            self.form_cache[name] = [
                (form.action, flatten([*form.fields.items(), *form.buttons]))
                for form in forms
                if form.action != reverse("account_logout")
            ]
            if role:
                self.world.clients[role].cookies = self.world.cookies[role].copy()
        return self.form_cache[name]

    def spoil(self, fields: Fields, chance: random.Random) -> Fields:
        """The fields with something left out, doubled, replaced, forged, or with a file."""
        fields = list(fields)
        for _ in range(chance.choice([1, 1, 1, 2, 3])):
            value = chance.choice(odd.VALUES)
            place = chance.randrange(len(fields)) if fields else 0
            match chance.choice("value value value drop double forge parameter formset file".split()):
                case "value" if fields:
                    fields[place] = (fields[place][0], value)
                case "drop" if fields:
                    del fields[place]
                case "double" if fields:
                    fields.append((fields[place][0], value))
                case "forge":
                    fields.append((chance.choice(odd.FORGED), value))
                case "formset":
                    totals = [name for name, _value in fields if "-TOTAL_FORMS" in name]
                    prefix = totals[0].split("-")[0] if totals else "form"
                    fields.append((f"{prefix}-{chance.choice(odd.FORMSETS)}", value))
                case "file":
                    fields.append((chance.choice(["file", "names", "text", "x"]), chance.choice(odd.FILES)))
                case _:
                    fields.append((chance.choice(odd.PARAMETERS), value))
        return fields

    # Looking at answers

    def find_faults(self, request: Request) -> list[str]:
        """Send it; what is wrong with the answer or with what it wrote. What it wrote is taken back."""
        statements: list[str] = []
        with transaction.atomic():
            before = marks_of_events()
            last = Action.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
            with connection.execute_wrapper(note_writes(statements)):
                answer = self.send(request)
            self.statuses.update([str(answer.status_code), *(["written"] if statements else [])])
            faults = list(self.wrong(request, answer, statements))
            if statements and not connection.needs_rollback:
                faults += self.wrong_events(request, before, last)
            transaction.set_rollback(True)
        if statements:
            empty()  # other changes will get the same marks
        return faults

    def send(self, request: Request) -> HttpResponse:
        client: Client = self.world.clients[request.role]
        own = [f"{name}={morsel.value}" for name, morsel in client.cookies.items()]
        cookies = "; ".join([*filter(None, [request.cookie]), *own])
        body, kind = encode_fields(request.fields)
        query = urlencode(request.query, errors="surrogatepass")
        answer = client.generic(
            request.method,
            f"{request.path}?{query}" if query else request.path,
            body,
            request.content_type or kind,
            **{"HTTP_COOKIE": cookies, **request.headers},
        )
        client.cookies = self.world.cookies[request.role].copy()
        return answer

    def wrong(self, request: Request, answer: HttpResponse, statements: list[str]) -> Iterator[str]:
        status = answer.status_code
        if status >= 500:
            yield f"{status} {getattr(answer, 'exc_info', '')}"
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        if b"Traceback (most recent call last)" in body:
            yield "a traceback"
        if not answer.streaming and odd.MARK.encode() in body:
            yield from breaches_of(answer)
        location = answer.headers.get("Location", answer.headers.get("HX-Redirect", "/"))
        if urljoin(HERE, location.replace("\\", "/"))[: len(HERE)] != HERE:
            yield f"a way to elsewhere: {location}"
        if not self.may(request):
            if status in SHOWN and body:
                yield f"{status} for {request.role}, who may not"
            if statements:
                yield f"a change by {request.role}, who may not: {statements[0][:200]}"

    def may(self, request: Request) -> bool:
        """Whether the table lets this role do this at this address."""
        try:
            match = resolve(request.path)
        except (Resolver404, UnicodeError):
            return False
        if match.namespace == "admin":
            return match.url_name == "login"
        page, slug = PAGES[match.url_name], match.kwargs.get("slug")
        allowed = page.post if request.method == "POST" else page.get
        if request.method == "OPTIONS" or allowed == EVERYBODY:
            return True
        of_event = slug is not None and request.path.startswith("/t/")
        if match.url_name in OWN_PAGES and match.kwargs.get("code") != "P0001":
            allowed = allowed - PLAYER
        if request.role == NEIGHBOR:
            return bool(allowed) and (slug == self.world.other.slug if of_event else "stranger" in allowed)
        return request.role in allowed and (not of_event or slug in self.members)

    def wrong_events(self, request: Request, before: dict[str, int], last: int) -> list[str]:
        """Events that this request had no business with, and lines of the log that no one in that role writes."""
        slug = resolve(request.path).kwargs.get("slug")
        changed = {key for key, mark in marks_of_events().items() if key in before and before[key] != mark}
        faults = [f"another event changed: {other}" for other in changed - {slug}]
        for action in Action.objects.filter(pk__gt=last, tournament__slug__in=before):
            if request.role in ("scorekeeper", "judge") and action.kind in OWNER_KINDS:
                faults.append(f"{action.kind} by {request.role}")
            if request.role in ("scorekeeper", "judge") and reopens_swiss_round(action):
                faults.append(f"a round reopened by {request.role}")
            if request.role in self.names and action.actor not in ("", self.names[request.role]):
                faults.append(f"an action in the name of {action.actor}")
        return faults


@cache
def admin_paths() -> list[str]:
    models = [model._meta for model in admin.site._registry]
    return [reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist") for meta in models]


def reopens_swiss_round(action: Action) -> bool:
    """Whether an action reopened a round, as only an organizer may."""
    changes = [change for change in action.changes if change["fact"].startswith("rounds/")]
    states = {
        change["fact"]: [(change[side] or {}).get("state") for side in ("before", "after")]
        for change in changes
    }
    reopened = [int(fact.split("/")[1]) for fact, both in states.items() if both == ["complete", "published"]]
    return action.tournament.rounds.filter(number__in=reopened, swiss=True).exists()


def marks_of_events() -> dict[str, int]:
    return dict(Tournament.objects.values_list("slug", "revision"))


def note_writes(statements: list[str]) -> Any:

    def run(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if WRITES.match(sql):
            statements.append(sql)
        return execute(sql, params, many, context)

    return run


@pytest.fixture(scope="module")
def fuzzer(django_db_setup, django_db_blocker) -> Iterator[Fuzzer]:
    with django_db_blocker.unblock(), transaction.atomic(), same_draws("world"), same_time(after=-60):
        yield Fuzzer(world_of_events(), SEED)
        transaction.set_rollback(True)


@pytest.mark.any_value
@pytest.mark.parametrize("part", range(PARTS))
def test_no_request_breaks_or_opens_anything(fuzzer, db, part):
    empty()
    faults: list[str] = []
    for number in range(part, REQUESTS, PARTS):
        request = fuzzer.request(number)
        faults += [f"{number}: {fault}\n    {request!r}" for fault in fuzzer.find_faults(request)]
    print(f"seed {SEED}: {dict(fuzzer.statuses)}")
    assert not faults, "\n".join(faults)
