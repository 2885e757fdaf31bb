"""The seeding before round 1, through the desk's page."""

import re

import pytest

from pairings.question.field import seed_ranks
from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tests.steps import undo_last
from tests.tournament.views.desk import key
from tournament.event.read import event_of
from tournament.services.entries import add_entry

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(client):
    """Four players: 1500, none, 1800, none."""
    owner = UserFactory()
    client.force_login(owner)
    tournament = TournamentFactory(entries=0, owner=owner)
    for name, rating in (("Ada", 1500), ("Bo", None), ("Chen", 1800), ("Dee", None)):
        add_entry(tournament, {"rating": rating}, {"name": name})
    return tournament


def address(tournament, page="starting-list"):
    return f"/t/{tournament.slug}/desk/{page}/"


def order(html: str) -> list[str]:
    return re.findall(r'data-title="(\w+)"', html)


def names_shown(client, tournament) -> list[str]:
    return order(client.get(address(tournament)).content.decode())


def post(client, tournament, codes, **fields):
    return client.post(address(tournament), {"order": codes, "key": key(), **fields})


def codes(tournament, *names):
    by_name = dict(tournament.entries.values_list("name", "code"))
    return [by_name[name] for name in names]


def test_it_goes_by_rating_and_who_has_none_is_drawn_by_the_seed(client, desk):
    before = names_shown(client, desk)
    assert before[:2] == ["Chen", "Ada"] and set(before[2:]) == {"Bo", "Dee"}
    assert names_shown(client, desk) == before
    desk.seed = next(seed for seed in map("{:032x}".format, range(99)) if drawn(desk, seed) != before[2:])
    desk.save()
    assert names_shown(client, desk) == [*before[:2], *before[:1:-1]]


def drawn(tournament, seed: str) -> list[str]:
    """Bo and Dee as another seed draws them."""
    other = event_of(tournament)
    other.seed = seed
    ranks = seed_ranks(other, other.stages[0])
    return sorted(("Bo", "Dee"), key=lambda name: ranks[codes(tournament, name)[0]])


def test_a_step_without_a_script_is_shown_and_saved_with_its_reason(client, desk):
    now = codes(desk, *names_shown(client, desk))
    answer = post(client, desk, now, up=now[1], reason="guest of honour")
    html = answer.content.decode()
    assert order(html)[:2] == ["Ada", "Chen"] and "Not saved yet" in html and "guest of honour" in html
    assert names_shown(client, desk)[:2] == ["Chen", "Ada"]
    answer = post(client, desk, codes(desk, *order(html)), save="1", reason="guest of honour")
    assert answer.status_code == 303
    assert names_shown(client, desk)[:2] == ["Ada", "Chen"]
    log = client.get(address(desk, "log")).content.decode()
    assert "Manual seeding: 1 Ada, 2 Chen" in log and "guest of honour" in log
    undo_last(desk)
    assert names_shown(client, desk)[:2] == ["Chen", "Ada"]


def test_a_player_is_moved_by_the_number_of_the_place(client, desk):
    now = names_shown(client, desk)
    moved = order(
        post(client, desk, codes(desk, *now), **{"from": "4", "to": "1", "move": "1"}).content.decode()
    )
    assert moved == [now[3], *now[:3]]
    for places in (
        ("0", "1"),
        ("9", "1"),
        ("x", "2"),
        ("٣", "1"),
        ("", ""),
        ("0" * 9 + "19", "1"),
        ("9" * 5000, "1"),
    ):
        answer = post(client, desk, codes(desk, *now), **{"from": places[0], "to": places[1], "move": "1"})
        assert order(answer.content.decode()) == now


def test_enter_in_the_reason_saves_although_the_first_button_moves(client, desk):
    now = codes(desk, *names_shown(client, desk))[::-1]
    enter = {"from": "", "to": "", "move": "1", "reason": "last year's finish"}
    assert post(client, desk, now, **enter).status_code == 303
    assert codes(desk, *names_shown(client, desk)) == now
    assert post(client, desk, now, **{**enter, "from": "4", "to": "1"}).status_code == 200


def test_an_order_needs_its_reason_and_everybody_in_it(client, desk):
    now = codes(desk, *names_shown(client, desk))
    answer = post(client, desk, now, save="1", reason=" ")
    assert (
        answer.status_code == 422 and "Enter a reason. It is recorded in the log." in answer.content.decode()
    )
    assert post(client, desk, now[:3], save="1", reason="x").status_code == 409
    assert post(client, desk, [*now, now[0]], save="1", reason="x").status_code == 409
    assert not desk.entries.filter(seed_rank__isnull=False).exists()


def test_pairing_obeys_it_and_afterwards_it_stands(client):
    owner = UserFactory()
    client.force_login(owner)
    tournament = TournamentFactory(entries=8, owner=owner, ruleset="fide")
    now = list(tournament.entries.order_by("-code").values_list("code", flat=True))
    assert post(client, tournament, now, save="1", reason="x").status_code == 303
    RoundFactory(tournament=tournament)
    table = {seat.entry.code for seat in tournament.rounds.get().seats.filter(match__table=1)}
    assert now[0] in table
    assert post(client, tournament, now, save="1", reason="x").status_code == 409
    assert "It was fixed when that round was paired" in client.get(address(tournament)).content.decode()


def test_it_goes_back_to_the_ratings(client, desk):
    now = codes(desk, "Dee", "Bo", "Ada", "Chen")
    post(client, desk, now, save="1", reason="x")
    client.post(address(desk, "starting-list/by-rating"), {"key": key()})
    assert names_shown(client, desk)[:2] == ["Chen", "Ada"]
    assert "Seeding by rating restored" in client.get(address(desk, "log")).content.decode()
