"""The events of the access tests with something in every table, and every page that somebody may open there."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.contrib import admin
from django.http import HttpResponse
from django.urls import reverse

from tests.factories import TournamentFactory, UserFactory
from tests.tournament.access.access_table import PAGES
from tests.tournament.access.test_permissions import World, world_of_events
from tests.tournament.test_admin import fill_tables
from tournament.archive.snapshots import write_snapshot
from tournament.models import Ruleset, Staff, Tournament
from tournament.services.event_settings import change_settings
from tournament.services.staff import create_invite

ADMIN = "superuser"


def full_world() -> World:
    """The world of the access tests; its running event has a row in each table, and a superuser looks on."""
    world = world_of_events()
    owner = world.events["running"].owner
    fill_tables(world.events["running"])
    change_settings(world.events["running"], venue="Hall 2", game="Go")
    ruleset = owner.rulesets.get()
    Ruleset.objects.filter(pk=ruleset.pk).update(draft=ruleset.versions.get().profile)
    world.events["running"].entries.update(members=["Ada", "Bo"])
    Tournament.objects.filter(pk=world.events["running"].pk).update(team=True, decklists_public=True)
    world.events["odd"] = TournamentFactory(entries=5, rounds=1, owner=owner)
    world.sign_in(ADMIN, UserFactory(username="root", is_staff=True, is_superuser=True))
    return world


class Look(NamedTuple):
    name: str
    role: str
    address: str
    query: dict[str, Any] = {}


def looks(world: World, *, all_roles: bool) -> Iterator[Look]:
    """Every page there is, by all who may open it, or only by organizer and player."""
    for name, page in PAGES.items():
        for role in ("owner", "scorekeeper", "judge", "stranger", "player", "nobody"):
            if role in page.get and (all_roles or role in ("owner", "player")):
                yield Look(name, role, world.address(name), page.send)
    running = world.events["running"]
    snapshot = write_snapshot(running, running.revision, "by-hand").stem
    yield Look("snapshot", "owner", world.address("snapshot", name=snapshot))
    yield Look("snapshot-file", "owner", world.address("snapshot-file", name=snapshot))
    odd = world.events["odd"]
    alone = {"slug": odd.slug, "number": 1, "code": odd.seats.get(match__table=None).entry.code}
    for name in ("correct-bye", "game-points"):
        yield Look(name, "owner", world.address(name, **alone))
    key = create_invite(running, Staff.Role.JUDGE, actor=running.owner)
    yield Look("invite", "stranger", world.address("invite", key=key))
    for model in admin.site._registry:
        base = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        yield Look(f"admin {base}", ADMIN, reverse(f"{base}_changelist"))
        row = model._default_manager.order_by("pk").first()
        if row is not None:
            yield Look(f"admin {base} row", ADMIN, reverse(f"{base}_change", args=[row.pk]))


def ask(world: World, look: Look) -> HttpResponse:
    """The answer; a client that is asked to sign in or out keeps being who it is."""
    client = world.clients[look.role]
    answer = client.get(look.address, look.query)
    client.cookies = world.cookies[look.role].copy()
    return answer
