"""The page "A wrong player sat here": who really sat at a table, its effect before it is saved, and what is saved."""

import re

import pytest

from standings.bracket.cut import make_cut
from standings.event.swiss import standings_of
from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tournament.actionlog import integrity
from tournament.event.read import event_of
from tournament.models import Seat
from tournament.services.entries import add_entries, rename_entry
from tournament.services.events import finish_tournament
from tournament.services.seat_corrections import correct_seats

pytestmark = pytest.mark.django_db

REASON = {"save": "on", "reason": "They sat at the wrong table.", "ruled_by": "Ana"}


@pytest.fixture
def event(client):
    """Nine players after three complete rounds; their organizer is signed in."""
    owner = UserFactory()
    client.force_login(owner)
    return TournamentFactory(entries=9, rounds=3, owner=owner)


def address(event, number=2, table=1):
    return f"/t/{event.slug}/desk/rounds/{number}/tables/{table}/correct/seats/"


def seats(event, number=2, table=1):
    rows = Seat.objects.filter(round__tournament=event, round__number=number, match__table=table)
    return list(rows.order_by("side").values_list("entry__code", flat=True))


def digest_in(answer):
    return re.search(r'name="digest" value="([0-9a-f]+)"', answer.content.decode())[1]


def correct(client, event, number=2, table=1, **fields):
    """Look at the effect, then save it."""
    digest = digest_in(client.post(address(event, number, table), fields))
    return client.post(address(event, number, table), {**fields, **REASON, "digest": digest})


def ranks(event):
    names = dict(event.entries.values_list("code", "name"))
    return {names[row.entry]: row.rank for row in standings_of(event_of(event))}


def shown_ranks(html):
    rows = re.findall(
        r'<th scope="row">(.*?)(?: <span.*?)?</th>\s*<td class="num">(.*?)</td>\s*<td class="num">(.*?)</td>',
        html,
    )
    return {name: (int(before), int(after)) for name, before, after in rows}


def test_the_result_page_leads_there_and_back(client, event):
    result = f"/t/{event.slug}/desk/rounds/2/tables/1/correct/"
    assert f'href="{address(event)}"' in client.get(result).content.decode()
    html = client.get(address(event)).content.decode()
    assert f'href="{result}"' in html and "A player who dropped on the slip stays dropped." in html
    a, b = (event.entries.get(code=code).name for code in seats(event))
    assert f'value="{a}"' in html and f'value="{b}"' in html, "who sits there now"


def test_the_effect_that_is_shown_is_the_effect_that_it_has(client, event):
    before, [a, b], [c, d] = ranks(event), seats(event), seats(event, 2, 2)
    page = client.post(address(event), {"a": c, "b": b})
    html = page.content.decode()
    assert page.status_code == 200 and seats(event) == [a, b], "looking changes nothing"
    assert "Round 2, table 1: " in html and "round 2, table 2: " in html, "the other table changes too"
    assert correct(client, event, a=c, b=b).status_code == 303
    after = ranks(event)
    assert seats(event) == [c, b] and seats(event, 2, 2) == [a, d]
    assert shown_ranks(html) == {n: (before[n], after[n]) for n in before if before[n] != after[n]}
    assert integrity.check(event) == []


def test_players_are_found_by_name_and_by_code(client, event):
    rename_entry(event, "P0009", "Zoë Marsh")
    _a, b = seats(event)
    html = client.post(address(event), {"a": "zoe", "b": b}).content.decode()
    assert "Zoë Marsh sat here instead of" in html or "P0009" in seats(event)
    answer = client.post(address(event), {"a": "Nobody", "b": b})
    assert answer.status_code == 422 and "No player here matches “Nobody”." in answer.content.decode()


def test_a_finished_event_is_corrected(client, event):
    finish_tournament(event)
    (a, b), (c, d) = seats(event), seats(event, 2, 2)
    assert correct(client, event, a=a, b=d).status_code == 303
    assert seats(event) == [a, d] and seats(event, 2, 2) == [c, b]
    event.refresh_from_db()
    assert event.state == "finished"


def test_the_round_being_played_is_repaired_afterwards(client, event):
    RoundFactory(tournament=event)
    (_a, b), (c, _d) = seats(event), seats(event, 2, 2)
    assert correct(client, event, a=c, b=b)["Location"] == f"/t/{event.slug}/desk/rounds/4/repair/"


def test_what_cannot_be_corrected_is_refused_in_one_line_and_nothing_is_written(client, event):
    add_entries(event, ["Lou Late"], reason="the bus was late")
    count, (a, b) = event.actions.count(), seats(event)
    for fields, status, words in (
        ({"a": a, "b": b}, 200, "That is saved already"),
        ({"a": a, "b": a}, 422, "Choose two different players."),
        ({"a": a, "b": ""}, 422, "required"),
        ({"a": a, "b": "Lou"}, 409, "Lou Late joined after round 2. First correct when the player joined."),
        ({"a": b, "b": a, "save": "on"}, 422, "Say why it is corrected."),
        ({"a": b, "b": a, "digest": "0" * 64, **REASON}, 409, "not what you were shown before"),
    ):
        answer = client.post(address(event), fields)
        assert (answer.status_code, words in answer.content.decode()) == (status, True), fields
    assert client.get(address(event, 2, 77)).status_code == 404
    assert client.get(address(event, 9, 1)).status_code == 404
    assert event.actions.count() == count and seats(event) == [a, b]


def test_what_changed_since_it_was_shown_is_shown_again(client, event):
    (_a, b), (c, _d) = seats(event), seats(event, 2, 2)
    digest = digest_in(client.post(address(event), {"a": c, "b": b}))
    correct_seats(event, 2, 2, *reversed(seats(event, 2, 2)), reason="the other way around")
    count = event.actions.count()
    answer = client.post(address(event), {"a": c, "b": b, "digest": digest, **REASON})
    assert answer.status_code == 409 and event.actions.count() == count


def test_the_same_form_twice_is_done_once(client, event):
    fields = {"key": "a" * 32, "a": seats(event)[1], "b": seats(event)[0]}
    digest = digest_in(client.post(address(event), fields))
    sent, count = {**fields, **REASON, "digest": digest}, event.actions.count()
    assert client.post(address(event), sent).status_code == 303
    assert client.post(address(event), sent).status_code == 303
    assert event.actions.count() == count + 1


def test_a_bracket_table_leads_to_the_result_it_follows_from(client, event):
    make_cut(event, 4)
    answer = client.get(address(event, 4, 1))
    html = answer.content.decode()
    assert answer.status_code == 409 and "follow from seeds and results" in html
    assert f'href="/t/{event.slug}/desk/rounds/4/tables/1/correct/"' in html and 'name="a"' not in html
    a, b = seats(event, 4, 1)
    assert client.post(address(event, 4, 1), {"a": b, "b": a, **REASON}).status_code == 409
    assert seats(event, 4, 1) == [a, b]


def test_the_public_page_of_the_round_says_that_its_seats_were_corrected(client, event):
    (_a, b), (c, _d) = seats(event), seats(event, 2, 2)
    correct(client, event, a=c, b=b)
    client.logout()
    html = client.get(f"/t/{event.slug}/rounds/2/proof/").content.decode()
    assert "Corrected afterwards, tables 1 and 2: other players sat there than were paired." in html
    assert REASON["reason"] not in html
