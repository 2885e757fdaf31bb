import pytest
from django.test import Client

from tests.conftest import CI, FULL
from tests.races.at_once import FEW, TIMES, again, at_once, race
from tests.tournament.views.phones import enrol, opened
from tournament.actionlog import integrity
from tournament.services.drops import drop_entry
from tournament.services.entries import admit_entry
from tournament.services.self_service import drop_self, register_self

pytestmark = pytest.mark.django_db(transaction=True)
PHONES, PLACES = (300, 200) if FULL else (60, 40) if CI else (12, 8)
AT_ONCE = 24 if CI else 6  # connections: more than a server has threads


def waiting_at(event, name):
    return list(event.entries.filter(status="waitlisted").order_by("waits").values_list(name, flat=True))


def test_of_300_who_register_at_once_for_200_places_100_wait_in_order():
    event = opened(0, capacity=PLACES)
    phones = iter(range(PHONES))

    def register() -> list[int]:
        """One connection registers whoever is next in the queue, until nobody is left."""
        return [enrol(Client(), event, f"Player {n}").status_code for n in phones]

    answers = at_once(*[register] * AT_ONCE)
    assert [status for statuses in answers for status in statuses] == [303] * PHONES
    actions = event.actions.filter(kind="self-register").order_by("number")
    in_order = [action.changes[0]["fact"].removeprefix("entries/") for action in actions]
    playing = event.entries.filter(status="playing").values_list("code", flat=True)
    assert sorted(playing) == sorted(in_order[:PLACES])
    assert waiting_at(event, "code") == in_order[PLACES:]
    assert event.stages.get().stage_entries.count() == PLACES
    assert integrity.check(event) == []


@again(TIMES)
def test_the_last_place_is_given_once_and_who_comes_second_waits():
    event, names = opened(3, capacity=4), ("Kim", "Lee")
    acts = (lambda event, name=name: register_self(event, name, key_hash=name + event.slug) for name in names)
    assert race(event, *acts) == []
    states = event.entries.filter(name__in=names).values_list("status", flat=True)
    assert sorted(states) == ["playing", "waitlisted"]


@again(FEW)
def test_players_who_leave_at_once_let_as_many_in_and_nobody_twice():
    event = opened(4, capacity=4)
    for number in range(4):
        enrol(Client(), event, f"Waits {number}")
    first = event.entries.get(name="Waits 0").code
    refused = race(
        event,
        lambda event: drop_self(event, "P0001"),
        lambda event: drop_entry(event, "P0002"),
        lambda event: drop_self(event, "P0003"),
        lambda event: admit_entry(event, first),
    )
    assert len(refused) <= 1  # the first was in already
    playing = set(event.entries.filter(status="playing").values_list("name", flat=True))
    assert {"Player 04", "Waits 0", "Waits 1", "Waits 2"} <= playing and len(playing) in (4, 5)
    assert waiting_at(event, "name") == sorted({"Waits 3"} - playing)
