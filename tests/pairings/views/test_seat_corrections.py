import pytest

from standings.bracket.cut import make_cut
from tests.factories import RoundFactory, TournamentFactory
from tests.pages import Page, page
from tests.pairings.correcting import RULING, look, rank_changes, ranks, save, save_twice, saving
from tests.tournament.views.desk import signed_in
from tournament.actionlog import integrity
from tournament.models import Seat
from tournament.services.corrections import correct_seats
from tournament.services.entries import add_entries, rename_entry
from tournament.services.events import finish_tournament


@pytest.fixture
def event(client):
    return signed_in(client, entries=9, rounds=3)


def address(event, number=2, table=1):
    return f"/t/{event.slug}/desk/rounds/{number}/tables/{table}/correct/seats/"


def seats(event, number=2, table=1):
    rows = Seat.objects.filter(round__tournament=event, round__number=number, match__table=table)
    return list(rows.order_by("side").values_list("entry__code", flat=True))


def test_the_effect_that_is_shown_is_the_effect_that_it_has_and_everyone_reads_that_seats_changed(
    client, event
):
    before, [a, b], [c, d] = ranks(event), seats(event), seats(event, 2, 2)
    shown = look(client, address(event), a=c, b=b)
    assert shown.status == 200 and seats(event) == [a, b], "looking changes nothing"
    assert "Round 2, table 1: " in shown and "round 2, table 2: " in shown, "the other table changes too"
    assert client.post(address(event), saving(shown)).status_code == 303
    after, names = ranks(event), dict(event.entries.values_list("code", "name"))
    assert seats(event) == [c, b] and seats(event, 2, 2) == [a, d]
    changed = [(names[n], str(before[n]), str(after[n])) for n in before if before[n] != after[n]]
    assert rank_changes(shown) == sorted(changed)
    assert integrity.check(event) == []
    client.logout()
    proof = page(client, f"/t/{event.slug}/rounds/2/proof/")
    assert "Corrected afterwards, tables 1 and 2: other players sat there than were paired." in proof
    assert RULING["reason"] not in proof


def test_players_are_found_by_name_and_by_code(client, event):
    result = f"/t/{event.slug}/desk/rounds/2/tables/1/correct/"
    assert page(client, result).link("The wrong player sat here") == address(event)
    shown = page(client, address(event))
    assert shown.link("The result is wrong") == result
    names = [event.entries.get(code=code).name for code in seats(event)]
    assert [shown.one(f'input[name="{side}"]')["value"] for side in "ab"] == names, "who sits there now"
    other = seats(event, 2, 2)[0]
    rename_entry(event, other, "Zoë Marsh")
    _a, b = seats(event)
    assert "Zoë Marsh sat here instead of" in look(client, address(event), a="zoe", b=b)
    refused = look(client, address(event), a="Nobody", b=b)
    assert refused.status == 422 and "No player here matches “Nobody”." in refused


def test_a_finished_event_is_corrected_and_a_round_being_played_is_repaired_afterwards(client, event):
    RoundFactory(tournament=event)
    (a, b), (c, d) = seats(event), seats(event, 2, 2)
    _shown, answer = save(client, address(event), a=c, b=b)
    assert answer["Location"] == f"/t/{event.slug}/desk/rounds/4/repair/"
    finished = TournamentFactory(entries=9, rounds=3, owner=event.owner)
    finish_tournament(finished)
    (a, b), (c, d) = seats(finished), seats(finished, 2, 2)
    assert save(client, address(finished), a=a, b=d)[1].status_code == 303
    assert seats(finished) == [a, d] and seats(finished, 2, 2) == [c, b]
    finished.refresh_from_db()
    assert finished.state == "finished"


def test_what_cannot_be_corrected_is_refused_in_one_line_and_nothing_is_written(client, event):
    add_entries(event, ["Lou Late"], reason="the bus was late")
    count, (a, b) = event.actions.count(), seats(event)
    for fields, status, words in (
        ({"a": a, "b": b}, 200, "That is saved already"),
        ({"a": a, "b": a}, 422, "Choose two different players."),
        ({"a": a, "b": ""}, 422, "required"),
        ({"a": a, "b": "Lou"}, 409, "Lou Late joined after round 2. First correct when the player joined."),
        ({"a": b, "b": a, "save": "on"}, 422, "Say why it is corrected."),
        ({"a": b, "b": a, "save": "on", "digest": "0" * 64, **RULING}, 409, "not what you were shown before"),
    ):
        shown = look(client, address(event), **fields)
        assert (shown.status, words in shown) == (status, True), fields
    assert client.get(address(event, 2, 77)).status_code == client.get(address(event, 9)).status_code == 404
    assert event.actions.count() == count and seats(event) == [a, b]


def test_a_double_press_saves_once_and_what_changed_since_it_was_shown_is_shown_again(client, event):
    (a, b), count = seats(event), event.actions.count()
    answers = save_twice(client, address(event), key="a" * 32, a=b, b=a)
    assert [status for status, _to in answers] == [303, 303] and event.actions.count() == count + 1
    shown = look(client, address(event), a=seats(event, 2, 2)[0], b=a)
    correct_seats(event, 2, 2, *reversed(seats(event, 2, 2)), reason="the other way around")
    count = event.actions.count()
    assert client.post(address(event), saving(shown)).status_code == 409 and event.actions.count() == count


def test_a_bracket_table_leads_to_the_result_it_follows_from(client, event):
    make_cut(event, 4)
    shown = Page(client.get(address(event, 4)))
    assert shown.status == 409 and "follow from seeds and results" in shown
    assert shown.link("The result is wrong") == f"/t/{event.slug}/desk/rounds/4/tables/1/correct/"
    a, b = seats(event, 4)
    assert not shown.all('[name="a"]')
    assert client.post(address(event, 4), {"a": b, "b": a, "save": "on", **RULING}).status_code == 409
    assert seats(event, 4) == [a, b]
