"""Every address × every role × own and other events × GET and POST × htmx, against `access_table.PAGES`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.views.generic import RedirectView

from pairings.draft.services import draft_next_round
from standings.bracket.cut import make_cut
from tests.chance import same_draws, same_time
from tests.conftest import CI, ROOT, THOROUGH
from tests.factories import RoundFactory, RulesetFactory, TournamentFactory, UserFactory
from tests.test_house import APPS
from tests.tournament.access.access_table import EVERYBODY, PAGES, PLAYER, ROLES, STAFF, USUAL, Page
from tournament.access.player_link import fresh_player_key, hash_key, keys_cookie
from tournament.actionlog.service import OWNER_KINDS
from tournament.models import Action, Staff, Tournament
from tournament.services.events import finish_tournament
from tournament.services.rulesets import publish_draft
from tournament.web.middleware import PART_PAGES

FINE = {200, 204, 301, 302, 303, 400, 409, 422}  # they may: it is done, or refused for what was sent
HTMX = {"HX-Request": "true"}
VISIT = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}  # as browsers open an address


def addresses(within: Any = None, space: str = "") -> Iterator[tuple[str, str | None, URLPattern]]:
    """(namespace, name, pattern) of every address there is, except redirects of former ones."""
    for item in (within or get_resolver()).url_patterns:
        if isinstance(item, URLResolver):
            yield from addresses(item, item.namespace or space)
        elif getattr(item.callback, "view_class", None) is not RedirectView:
            yield space, item.name, item


@cache
def parts_of(name: str) -> tuple[str, ...]:
    """The parts of an address that change: slug, number, table, …"""
    return next(tuple(pattern.pattern.converters) for _space, found, pattern in addresses() if found == name)


def in_an_event(page: Page, name: str) -> bool:
    return "slug" in parts_of(name) and "slug" not in page.args and "key" not in parts_of(name)[:1]


EVENT_PAGES = {name: page for name, page in PAGES.items() if in_an_event(page, name)}
PUBLIC_PAGES = {name: page for name, page in EVENT_PAGES.items() if page.get == EVERYBODY}
OWN_PAGES = {name: page for name, page in EVENT_PAGES.items() if PLAYER in (page.get, page.post)}
STAFF_PAGES = {
    name: page
    for name, page in EVENT_PAGES.items()
    if EVERYBODY not in (page.get, page.post) and name not in OWN_PAGES
}


@dataclass
class World:
    """Events in each state, run by the same people; another's; and a browser for each role."""

    events: dict[str, Tournament]
    other: Tournament
    clients: dict[str, Client] = field(default_factory=dict)
    cookies: dict[str, SimpleCookie] = field(default_factory=dict)

    def sign_in(self, role: str, user: Any = None) -> None:
        self.clients[role] = Client()
        if user:
            self.clients[role].force_login(user)
        self.cookies[role] = self.clients[role].cookies.copy()

    def address(self, name: str, /, **instead: Any) -> str:
        """The address of a page in the event its line asks for, but for the parts given."""
        page = PAGES[name]
        parts = {**USUAL, "slug": self.events[page.at].slug, **page.args, **instead}
        return reverse(name, kwargs={part: parts[part] for part in parts_of(name)})

    def ask(self, role: str, method: str, address: str, page: Page, **headers: str) -> int:
        """The status of one request, 401 where it leads to the login page. What it wrote is taken back."""
        client = self.clients[role]
        if method == "GET":
            answer = client.get(f"{address}?{urlencode(page.send)}", headers=headers)
        else:
            with transaction.atomic():
                answer = client.post(address, page.send, headers=headers)
                transaction.set_rollback(True)
        client.cookies = self.cookies[role].copy()  # signing in or out changed who is asking
        leads_to_login = answer.status_code == 302 and answer["Location"].startswith("/login/")
        return 401 if leads_to_login else int(answer.status_code)

    def ask_as_who_may(self, name: str, page: Page) -> None:
        """One GET and one POST, where anybody may, as the strongest role that may."""
        for method, allowed in page.methods:
            if allowed:
                self.ask(next(role for role in ROLES if role in allowed), method, self.address(name), page)

    def kinds_written(self, role: str, name: str) -> set[str]:
        """The kinds of the actions that one POST to a page writes; they are taken back."""
        actions = Action.objects.filter(tournament__in=self.events.values())
        before = set(actions.values_list("pk", flat=True))
        with transaction.atomic():
            self.clients[role].post(self.address(name), PAGES[name].send)
            kinds = set(actions.exclude(pk__in=before).values_list("kind", flat=True))
            transaction.set_rollback(True)
        self.clients[role].cookies = self.cookies[role].copy()
        return kinds


@pytest.fixture(scope="module")
def built(django_db_setup, django_db_blocker) -> Iterator[World]:
    """The world, built once; each test takes back what it wrote itself."""
    with django_db_blocker.unblock(), transaction.atomic(), same_draws("world"), same_time(after=-60):
        yield world_of_events()
        transaction.set_rollback(True)


@pytest.fixture
def world(built, db) -> World:
    return built


def world_of_events() -> World:
    people = {role: UserFactory(username=role) for role in ROLES if role not in ("player", "nobody")}
    owner = people["owner"]
    played = {"running": 1, "drafted": 1, "done": 2, "bracket": 2, "finished": 2}
    events = {at: TournamentFactory(entries=8, rounds=rounds, owner=owner) for at, rounds in played.items()}
    RoundFactory(tournament=events["running"])
    draft_next_round(events["drafted"])
    make_cut(events["bracket"], 4)
    finish_tournament(events["finished"])
    Tournament.objects.filter(pk=events["done"].pk).update(demo=True)
    for event in events.values():
        for role in ("scorekeeper", "judge"):
            Staff.objects.create(tournament=event, user=people[role], role=role)
    ruleset = RulesetFactory(owner=owner)
    assert ruleset.key == USUAL["key"]
    publish_draft(ruleset, seen=ruleset.revision, note="First version.")
    world = World(events, TournamentFactory(entries=12, rounds=5))
    for role in ROLES:
        world.sign_in(role, people.get(role))
    keys = {event.pk: fresh_player_key() for event in events.values()}
    for event in events.values():
        event.entries.filter(code="P0001").update(key_hash=hash_key(keys[event.pk]))
    world.clients["player"].cookies[keys_cookie()] = ".".join(keys.values())
    world.cookies["player"] = world.clients["player"].cookies.copy()
    return world


def right(name: str, role: str, allowed: frozenset[str]) -> set[int]:
    """The statuses that are right for a role: anything but a refusal for who may, else one certain refusal."""
    page = PAGES[name]
    if not allowed:
        return {405}
    if role in allowed:
        return FINE | {404, 410} if page.absent else FINE
    if role in ("nobody", "player") and page.login:
        return {401}
    return {403} if role in STAFF and page.login and in_an_event(page, name) else {page.gone}


def roles_to_ask(page: Page, allowed: frozenset[str]) -> list[str]:
    """All roles in CI; elsewhere the weakest that may and all that may not, each kind of them once."""
    if THOROUGH:
        return list(ROLES)
    if not allowed:
        return ["owner"]
    may = [role for role in ROLES if role in allowed]
    others = [role for role in ROLES if role not in allowed]
    return may[-1:] + [role for role in others if role != "player" or not page.login]


def test_the_table_names_every_address_and_no_other():
    names = {name for space, name, _pattern in addresses() if space != "admin"}
    assert None not in names, "an address without a name cannot stand in the table"
    assert names - set(PAGES) == set(), "addresses without a line in access_table.PAGES"
    assert set(PAGES) - names == set(), "lines without an address"


def test_no_view_looks_an_event_or_anything_of_it_up_by_itself():
    by_itself = re.compile(
        r"\b(Tournament|Stage|Entry|Round|Staff|Invite|Flag|Action)\.objects|get_object_or_404"
    )
    views = [path for app in APPS for path in (ROOT / app / "views").glob("*.py")]
    assert len(views) > 20
    guilty = [path.name for path in views if by_itself.search(path.read_text(encoding="utf-8"))]
    assert set(guilty) <= {"home.py"}


@pytest.mark.long
def test_every_page_answers_each_role_as_the_table_says(world):
    wrong = []
    for name, page in PAGES.items():
        for method, allowed in page.methods:
            for role in roles_to_ask(page, allowed):
                status = world.ask(role, method, world.address(name), page)
                if status not in right(name, role, allowed):
                    wrong.append(f"{name} {method} {role}: {status}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.long
def test_the_address_of_a_part_leads_to_its_page(world):
    """A new part without its page in `tournament.web.middleware` fails here."""
    bare, whole, parts = [], [], set()
    for name, page in PAGES.items():
        role = next((role for role in ("owner", "player") if role in page.get), "")
        if not role:
            continue
        client, address = world.clients[role], world.address(name)
        answer = client.get(address, page.send, headers=VISIT)
        client.cookies = world.cookies[role].copy()
        if not answer.get("Content-Type", "").startswith("text/html"):
            continue
        if answer.status_code == 200 and not is_whole(answer):
            bare.append(name)
        if answer.status_code == 302 and "no-store" in answer.get("Cache-Control", "") and name in PART_PAGES:
            parts.add(name)
            assert is_whole(client.get(answer["Location"], headers=VISIT)), name
            part = client.get(address, page.send, headers=HTMX)
            assert part.status_code != 302, name
            if is_whole(part):
                whole.append(name)
    assert bare == [] and whole == [] and parts == set(PART_PAGES)
    assert world.clients["owner"].get("/rulesets/words/")["Location"] == "/rulesets/"


def is_whole(answer) -> bool:
    return "<!doctype html>" in answer.content.decode()[:500].lower()


@pytest.mark.long
def test_what_no_scorekeeper_may_do_only_an_organizer_may_undo(world):
    Tournament.objects.update(decklist_rule="on")
    wrong, written = [], set()
    for name, page in EVENT_PAGES.items():
        for kind in world.kinds_written("owner", name) if "owner" in page.post else ():
            written.add(kind)
            if (kind in OWNER_KINDS) != ("scorekeeper" not in page.post):
                wrong.append(f"{kind}, written by {name}")
    assert not wrong, "\n".join(wrong)
    assert {"announce", "finish", "reopen", "result", "publish", "enter decklist"} <= written


def test_the_strongest_of_the_staff_who_may_not_is_refused_and_takes_nothing_back(world):
    wrong = []
    for name, page in STAFF_PAGES.items():
        for method, allowed in page.methods:
            others = [role for role in ("scorekeeper", "judge") if allowed and role not in allowed]
            if others and world.ask(others[0], method, world.address(name), page) != 403:
                wrong.append(f"{method} {name} by {others[0]}")
    assert not wrong, "\n".join(wrong)
    assert {"settings", "rules", "reopen round", "order by hand", "restore"} <= OWNER_KINDS


def not_refused(world, pages, role, status=404, headers={}, **instead):  # noqa: B006
    """List responses to a role with another status (405 for a method that no one may use)."""
    return [
        f"{name} {method} {role} {instead} {headers}: {answer}"
        for name, page in pages.items()
        for method, allowed in page.methods
        if (answer := world.ask(role, method, world.address(name, **instead), page, **headers))
        != (status if allowed else 405)
    ]


@pytest.mark.long
def test_staff_of_one_event_find_no_desk_in_another(world):
    for role in ("owner", "scorekeeper", "judge") if THOROUGH else ("owner",):
        for headers in ({}, HTMX) if CI else ({},):
            assert not_refused(world, STAFF_PAGES, role, headers=headers, slug=world.other.slug) == []


@pytest.mark.parametrize(("part", "value"), {"code": "P0012", "number": 5, "table": 6}.items())
def test_what_only_another_event_has_is_not_found_in_ones_own(world, part, value):
    pages = {name: page for name, page in EVENT_PAGES.items() if part in parts_of(name)}
    for name, page in pages.items():
        role = "player" if name in OWN_PAGES else "owner"
        assert not_refused(world, {name: page}, role, **{part: value}) == []
    assert len(pages) > 10


def test_a_players_key_opens_neither_another_player_nor_another_event(world):
    assert len(OWN_PAGES) > 4
    assert not_refused(world, OWN_PAGES, "player", code="P0002") == []
    assert not_refused(world, OWN_PAGES, "player", slug=world.other.slug) == []


def test_a_part_of_a_page_asked_for_by_nobody_leads_the_whole_page_to_the_login(world):
    assert not_refused(world, STAFF_PAGES, "nobody", 401, HTMX) == []


def test_an_event_being_set_up_is_nobodys_business(world):
    Tournament.objects.update(state=Tournament.State.DRAFT)
    shown = {
        name: world.ask("nobody", "GET", world.address(name), page) for name, page in PUBLIC_PAGES.items()
    }
    assert len(shown) > 10
    assert {name: status for name, status in shown.items() if status != 404} == {}


def test_the_admin_is_for_superusers_alone(world):
    wrong, asked = [], 0
    for space, name, pattern in addresses():
        if space != "admin" or name in ("login", "logout", None):
            continue
        parts = dict.fromkeys(pattern.pattern.regex.groupindex, "1")
        parts |= {"app_label": "tournament"} if "app_label" in parts else {}
        address = reverse(f"admin:{name}", kwargs=parts)
        for role in ("nobody", "owner"):
            for ask in (world.clients[role].get, world.clients[role].post):
                answer, asked = ask(address), asked + 1
                if answer.status_code != 302 or "/admin/login/" not in answer["Location"]:
                    wrong.append(f"{name} {role}: {answer.status_code}")
    assert asked > 80
    assert not wrong, "\n".join(wrong)
