"""Many phones at once, with real connections: as many as there are places are in, the others wait in order."""

from functools import partial

import pytest
from django.test import Client

from tests.conftest import CI, FULL
from tests.factories import TournamentFactory
from tests.races.test_desks import FEW, TIMES, at_once, fresh
from tests.tournament.views.phones import filled
from tournament.actionlog import integrity
from tournament.services.drops import drop_entry
from tournament.services.entries import admit_entry
from tournament.services.event_settings import change_registration
from tournament.services.self_service import drop_self, register_self

pytestmark = pytest.mark.django_db(transaction=True)
PHONES, PLACES = (300, 200) if FULL else (60, 40) if CI else (12, 8)
AT_ONCE = 24 if CI else 6  # connections: more than a server has threads


def test_of_300_who_register_at_once_for_200_places_100_wait_in_order():
    tournament = TournamentFactory(entries=0)
    change_registration(tournament, self_registration=True, capacity=PLACES)
    phones = iter(range(PHONES))

    def register() -> list[int]:
        """One connection registers whoever is next in the queue, until nobody is left."""
        address = f"/t/{tournament.slug}/register/"
        return [Client().post(address, filled(tournament, f"Player {n}")).status_code for n in phones]

    answers = at_once(*[register] * AT_ONCE)
    assert [status for statuses in answers for status in statuses] == [303] * PHONES
    by_action = [
        action.changes[0]["fact"].removeprefix("entries/")
        for action in tournament.actions.filter(kind="self-register").order_by("number")
    ]
    playing = list(tournament.entries.filter(status="playing").values_list("code", flat=True))
    waiting = list(
        tournament.entries.filter(status="waitlisted").order_by("waits").values_list("code", flat=True)
    )
    assert sorted(playing) == sorted(by_action[:PLACES]) and len(playing) == PLACES
    assert waiting == by_action[PLACES:] and len(waiting) == PHONES - PLACES
    assert tournament.stages.get().stage_entries.count() == PLACES
    assert integrity.check(tournament) == []


def test_the_last_place_is_given_once_and_who_comes_second_waits():
    for turn in range(TIMES):
        tournament = TournamentFactory(entries=3)
        change_registration(tournament, self_registration=True, capacity=4)
        names = ("Kim", "Lee")
        answers = at_once(
            *(partial(register_self, fresh(tournament), name, key_hash=f"{name} {turn}") for name in names)
        )
        assert not any(isinstance(answer, Exception) for answer in answers), answers
        states = tournament.entries.filter(name__in=names).values_list("status", flat=True)
        assert sorted(states) == ["playing", "waitlisted"]
        assert integrity.check(tournament) == []


def test_players_who_leave_at_once_let_as_many_in_and_nobody_twice():
    for _ in range(FEW):
        tournament = TournamentFactory(entries=4)
        change_registration(tournament, self_registration=True, capacity=4)
        for number in range(4):
            Client().post(f"/t/{tournament.slug}/register/", filled(tournament, f"Waits {number}"))
        first = tournament.entries.get(name="Waits 0").code
        answers = at_once(
            partial(drop_self, fresh(tournament), "P0001"),
            partial(drop_entry, fresh(tournament), "P0002"),
            partial(drop_self, fresh(tournament), "P0003"),
            partial(admit_entry, fresh(tournament), first),
        )
        assert sum(isinstance(answer, Exception) for answer in answers) <= 1  # the first was in already
        playing = set(tournament.entries.filter(status="playing").values_list("name", flat=True))
        waiting = (
            tournament.entries.filter(status="waitlisted").order_by("waits").values_list("name", flat=True)
        )
        assert {"Player 04", "Waits 0", "Waits 1", "Waits 2"} <= playing and len(playing) in (4, 5)
        assert list(waiting) == sorted({"Waits 3"} - playing)
        assert integrity.check(tournament) == []
