import pytest

from pairings.request.entrants import seed_ranks
from tests.factories import RoundFactory
from tests.pages import Page, page
from tests.steps import undo_last
from tests.tournament.views.desk import key, signed_in
from tournament.event.read import load_event_values
from tournament.services.entries import add_entry


@pytest.fixture
def desk(client):
    tournament = signed_in(client, entries=0)
    for name, rating in (("Ada", 1500), ("Bo", None), ("Chen", 1800), ("Dee", None)):
        add_entry(tournament, {"rating": rating}, {"name": name})
    return tournament


def address(tournament, part="starting-list"):
    return f"/t/{tournament.slug}/desk/{part}/"


def order(shown):
    return [str(row["data-title"]) for row in shown.soup.select("[data-step]")]


def names_shown(client, tournament):
    return order(page(client, address(tournament)))


def post(client, tournament, codes, **fields):
    return Page(client.post(address(tournament), {"order": codes, "key": key(), **fields}))


def codes(tournament, *names):
    by_name = dict(tournament.entries.values_list("name", "code"))
    return [by_name[name] for name in names]


def test_it_goes_by_rating_and_who_has_none_is_drawn_by_the_seed(client, desk):
    def drawn(seed):
        event = load_event_values(desk)
        event.seed = seed
        ranks = seed_ranks(event, event.stages[0])
        return sorted(("Bo", "Dee"), key=lambda name: ranks[codes(desk, name)[0]])

    before = names_shown(client, desk)
    assert before[:2] == ["Chen", "Ada"] and set(before[2:]) == {"Bo", "Dee"}
    desk.seed = next(seed for seed in map("{:032x}".format, range(99)) if drawn(seed) != before[2:])
    desk.save()
    assert names_shown(client, desk) == [*before[:2], *before[:1:-1]]


def test_a_step_without_a_script_is_shown_saved_with_its_reason_and_goes_back_to_the_ratings(client, desk):
    now = codes(desk, *names_shown(client, desk))
    shown = post(client, desk, now, up=now[1], reason="guest of honour")
    assert order(shown)[:2] == ["Ada", "Chen"] and "Not saved yet" in shown
    assert shown.form("Save this order")["reason"] == "guest of honour"
    assert names_shown(client, desk)[:2] == ["Chen", "Ada"]
    form = shown.form("Save this order")
    assert client.post(form.action, form.fields).status_code == 303
    assert names_shown(client, desk)[:2] == ["Ada", "Chen"]
    log = page(client, address(desk, "log"))
    assert "Manual seeding: 1 Ada, 2 Chen" in log and "guest of honour" in log
    back = page(client, address(desk)).form("Seed by rating again")
    client.post(back.action, back.fields)
    assert names_shown(client, desk)[:2] == ["Chen", "Ada"]
    assert "Seed removed: " in page(client, address(desk, "log"))
    undo_last(desk)
    assert names_shown(client, desk)[:2] == ["Ada", "Chen"]


def test_a_player_is_moved_by_the_number_of_the_place(client, desk):
    now = names_shown(client, desk)

    def moved(start, end):
        return order(post(client, desk, codes(desk, *now), **{"from": start, "to": end, "move": "1"}))

    assert moved("4", "1") == [now[3], *now[:3]]
    for start in ("0", "9", "x", "٣", "", "0" * 9 + "19", "9" * 5000):
        assert moved(start, "1") == now


def test_an_order_needs_its_reason_and_everybody_and_enter_in_the_reason_saves_it(client, desk):
    now = codes(desk, *names_shown(client, desk))
    refused = post(client, desk, now, save="1", reason=" ")
    assert refused.status == 422 and "Enter a reason. It is recorded in the log." in refused
    for wrong in (now[:3], [*now, now[0]]):
        assert post(client, desk, wrong, save="1", reason="x").status == 409
    assert not desk.entries.filter(seed_rank__isnull=False).exists()
    now = codes(desk, *names_shown(client, desk))[::-1]
    enter = {"from": "", "to": "", "move": "1", "reason": "last year's finish"}
    assert post(client, desk, now, **enter).status == 303
    assert codes(desk, *names_shown(client, desk)) == now
    assert post(client, desk, now, **{**enter, "from": "4", "to": "1"}).status == 200


def test_pairing_obeys_it_and_afterwards_it_stands(client):
    tournament = signed_in(client, entries=8, ruleset="fide")
    now = list(tournament.entries.order_by("-code").values_list("code", flat=True))
    assert post(client, tournament, now, save="1", reason="x").status == 303
    RoundFactory(tournament=tournament)
    table = {seat.entry.code for seat in tournament.rounds.get().seats.filter(match__table=1)}
    assert now[0] in table
    assert post(client, tournament, now, save="1", reason="x").status == 409
    assert "It was fixed when that round was paired" in page(client, address(tournament))
