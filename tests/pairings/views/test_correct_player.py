"""Corrections about a player through their pages: the time in the event, a bye, a missing entry, the name."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pairings.draft.services import draft_next_round
from pairings.repair.page import repair_page
from pairings.repair.services import apply_repair
from standings.bracket.cut import make_cut
from standings.bracket.results import record_bracket_result
from tests.factories import RoundFactory, TournamentFactory, UserFactory, enter_results
from tests.tournament.views.desk import key
from tournament.actionlog import integrity
from tournament.models import Staff
from tournament.results.slip import Slip
from tournament.services.drops import disqualify_entry, drop_entry
from tournament.services.entries import add_entries
from tournament.services.events import finish_tournament
from tournament.services.participation import add_missing_entry
from tournament.services.player_messages import send_message
from tournament.services.stages import add_stage
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db

REASON = {"save": "on", "reason": "The drop was on the wrong slip.", "ruled_by": "Ana"}


@pytest.fixture
def event(client):
    """Nine players after two complete rounds; their organizer is signed in."""
    owner = UserFactory()
    client.force_login(owner)
    return TournamentFactory(entries=9, rounds=2, owner=owner)


def desk(event, page):
    return f"/t/{event.slug}/desk/{page}"


def player(event, code="P0003"):
    return desk(event, f"players/{code}/correct/")


def missing(event):
    return desk(event, "correct/missing-player/")


def bye(event, code, number=1):
    return desk(event, f"rounds/{number}/players/{code}/correct/")


def text_of(answer):
    return re.sub(r"\s+", " ", answer.content.decode())


def save(client, address, **fields):
    """Look at what changes, then save it; (the page that showed it, the answer)."""
    page = text_of(client.post(address, fields))
    found = re.search(r'name="digest" value="([0-9a-f]+)"', page)
    assert found, page
    return page, client.post(address, {**fields, "digest": found[1], **REASON})


def press_twice(client, address, **fields):
    """Look at what changes, then save it twice with one key; the answers' statuses and addresses."""
    fields["key"] = key()
    page = text_of(client.post(address, fields))
    sent = {**fields, "digest": re.search(r'name="digest" value="([0-9a-f]+)"', page)[1], **REASON}
    answers = [client.post(address, sent) for _ in range(2)]
    return [(answer.status_code, answer.headers.get("Location")) for answer in answers]


def with_bye(event, number=1):
    return event.seats.get(round__number=number, kind="bye").entry.code


def test_a_mistaken_drop_leads_on_to_the_repair_that_offers_the_player(client, event):
    drop_entry(event, "P0003")
    RoundFactory(tournament=event)
    page, answer = save(client, player(event), joined=1, left="")
    assert "Player 03 reinstated; Player 03, round 3: missed" in page
    assert answer["Location"] == desk(event, "rounds/3/repair/")
    repair = text_of(client.get(answer["Location"]))
    assert re.search(r'value="P0003"[^>]*checked', repair), "the player is added by default"
    event.refresh_from_db()
    undo_action(event, event.actions.order_by("-number").first().number)
    entry = event.entries.get(code="P0003")
    assert (entry.status, entry.dropped_after) == ("dropped", 2)


def test_who_was_repaired_out_of_the_round_by_mistake_is_offered_again(client, event):
    RoundFactory(tournament=event)
    code = event.seats.filter(round__number=3, opponent__isnull=False).first().entry.code
    drop_entry(event, code)
    page = repair_page(event, 3)
    option = next(option for option in page.options if option.plan)
    plan = {"plan": option.plan, "added": page.added, "removed": page.removed, "seen": page.seen}
    apply_repair(event, 3, **plan, reason="left")
    assert event.entries.get(code=code).dropped_after == 2
    assert repair_page(event, 3).added == ()
    save(client, player(event, code), joined=1, left="")
    assert repair_page(event, 3).added == (code,)


def test_a_drop_that_should_have_been_earlier_says_after_which_round(client, event):
    RoundFactory(tournament=event)
    code = with_bye(event, 3)
    drop_entry(event, code)
    page, answer = save(client, player(event, code), joined=1, left=2)
    name = event.entries.get(code=code).name
    assert f"{name} counts as dropped after round 2; {name}, round 3: not in it (was bye)" in page
    assert answer["Location"] == desk(event, "rounds/3/repair/"), "the round is still being played"
    event.refresh_from_db()
    assert integrity.check(event) == []


def test_a_late_entry_that_was_there_before(client, event):
    add_entries(event, ["Late Lee"], reason="the train was late")
    page, answer = save(client, player(event, "P0010"), joined=2, left="")
    assert "Late Lee is in the event from round 2" in page
    assert answer["Location"] == desk(event, "players/P0010/")
    assert event.entries.get(code="P0010").joined_round == 2
    page, _answer = save(client, player(event, "P0010"), joined=1, left="")
    assert "Late Lee is in the event from the start" in page


def test_a_disqualification_is_taken_back(client, event):
    assert "lifted" not in text_of(client.get(player(event)))
    disqualify_entry(event, "P0003", "a reason")
    finish_tournament(event)
    assert "The disqualification is taken back" in text_of(client.get(player(event)))
    save(client, player(event), joined=1, left="", lifted="on")
    assert event.entries.get(code="P0003").status == "playing"


def test_a_disqualification_taken_back_by_a_double_press_is_answered_as_by_one(client, event):
    disqualify_entry(event, "P0003", "a reason")
    answers = press_twice(client, player(event), joined=1, left="", lifted="on")
    assert answers == [(303, desk(event, "players/P0003/"))] * 2
    assert event.actions.count() == event.actions.get(kind="disqualify").number + 1


def test_a_session_chosen_by_a_double_press_is_answered_as_by_one(client, event):
    add_stage(event)
    add_entries(event, ["A", "B", "C"], stage=2)
    drop_entry(event, "P0010")
    RoundFactory(tournament=event, flight=2)
    drafted = event.actions.count()
    answers = press_twice(client, player(event, "P0010"), joined=1, left="", stage=2)
    assert answers == [(303, desk(event, "rounds/3/repair/"))] * 2
    assert event.actions.count() == drafted + 1


def test_what_cannot_be_is_refused_in_one_line_and_nothing_is_written(client, event):
    count = event.actions.count()
    address = player(event)
    answer = client.post(address, {"joined": 1, "left": ""})
    assert answer.status_code == 200 and "That is saved already" in text_of(answer)
    met = next(s for s in event.seats.filter(opponent__isnull=False, round__number=1, match__table=1))
    answer = client.post(player(event, met.entry.code), {"joined": 2, "left": ""})
    assert answer.status_code == 409
    assert f"met {met.opponent.name} in round 1, table 1. Correct who sat there first" in text_of(answer)
    for fields, words in (
        ({"joined": 9, "left": ""}, "Choose a round of this list."),
        ({"joined": 2, "left": 1}, "A player cannot leave before joining."),
        ({"left": "x"}, "Choose a round of this list."),
    ):
        answer = client.post(address, fields)
        assert 400 <= answer.status_code < 500 and words in text_of(answer)
    assert client.get(player(event, "P0099")).status_code == 404
    assert client.get(bye(event, "P0099")).status_code == 404
    assert client.get(bye(event, with_bye(event), 7)).status_code == 404
    assert client.get(bye(event, met.entry.code)).status_code == 404
    assert event.actions.count() == count


def test_a_reason_is_needed_and_only_what_was_shown_is_saved(client, event):
    code = with_bye(event)
    count, fields = event.actions.count(), {"result": "missed"}
    page = text_of(client.post(bye(event, code), fields))
    digest = re.search(r'name="digest" value="([0-9a-f]+)"', page)[1]
    answer = client.post(bye(event, code), {**fields, "digest": digest, "save": "on"})
    assert answer.status_code == 422 and "Say why it is corrected." in text_of(answer)
    answer = client.post(bye(event, code), {**fields, **REASON, "digest": "0" * 64})
    assert answer.status_code == 409 and "not what you were shown before" in text_of(answer)
    assert event.actions.count() == count


def test_a_draft_comes_first(client, event):
    code = with_bye(event)
    draft_next_round(event)
    for address, fields in (
        (player(event, code), {"joined": 1, "left": 1}),
        (bye(event, code), {"result": "missed"}),
        (missing(event), {"name": "Ann", "joined": 1}),
    ):
        answer = client.post(address, fields)
        assert answer.status_code == 409 and "Round 3 has draft pairings" in text_of(answer)


def test_a_bye_counts_as_another_one_and_the_log_says_so(client, event):
    code = with_bye(event)
    name = event.entries.get(code=code).name
    page, answer = save(client, bye(event, code), result="half_bye")
    assert f"{name}, round 1: half-point bye (was bye)" in page
    assert answer["Location"] == desk(event, "rounds/1/")
    assert event.seats.get(round__number=1, entry__code=code).kind == "half_bye"
    assert f"{name}, round 1: half-point bye (was bye)" in text_of(client.get(desk(event, "log/")))


def test_a_second_bye_is_saved_at_the_first_go_and_no_public_page_says_why(client, event):
    add_missing_entry(event, "Zed", 1, reason="Forgotten")
    code = event.entries.order_by("-code").first().code
    _page, answer = save(client, bye(event, code), result="bye")
    assert answer.status_code == 303
    client.logout()
    proof = text_of(client.get(f"/t/{event.slug}/rounds/1/proof/"))
    assert "as it was played" in proof and REASON["reason"] not in proof


def test_a_missing_player_is_added_once_however_often_the_form_comes(client, event):
    make_cut(event, 2)
    record_bracket_result(event, 3, 1, Slip("played", 2, 0))
    finish_tournament(event)
    fields = {"name": "Ann Lee", "joined": 2, "key": "a" * 32}
    page, answer = save(client, missing(event), **fields)
    assert "Ann Lee registered; Ann Lee, rounds 1, 2: missed" in page
    assert answer.status_code == 303
    digest = re.search(r'name="digest" value="([0-9a-f]+)"', page)[1]
    again = client.post(missing(event), {**fields, "digest": digest, **REASON})
    assert again.status_code == 303
    event.refresh_from_db()
    assert event.entries.filter(name="Ann Lee").count() == 1 and event.state == "finished"
    assert "Ann Lee" in text_of(client.get(f"/t/{event.slug}/standings/"))
    assert client.post(missing(event), {"name": " ", "joined": 1}).status_code == 422
    assert client.post(missing(event), {"name": "x" * 99, "joined": 1}).status_code == 422


def test_a_missing_player_of_several_sessions_was_in_one_of_them(client, event):
    assert 'name="stage"' not in text_of(client.get(missing(event)))
    add_stage(event)
    add_entries(event, ["A", "B"], stage=2)
    RoundFactory(tournament=event, flight=2)
    answer = client.post(missing(event), {"name": "Ann", "joined": 1})
    assert answer.status_code == 422 and "Choose the session" in text_of(answer)
    _page, answer = save(client, missing(event), name="Ann", joined=1, stage=2)
    assert answer["Location"] == desk(event, "rounds/3/repair/"), "Ann can still play this round"
    assert dict(event.seats.filter(entry__name="Ann").values_list("round__number", "kind")) == {3: "missed"}


def test_before_round_1_players_are_simply_added(client):
    event = TournamentFactory(entries=8)
    client.force_login(event.staff.get().user)
    assert client.get(missing(event))["Location"] == desk(event, "add-player/")


def test_a_name_is_corrected_in_a_finished_event_and_public_pages_show_it_at_once(client, event):
    finish_tournament(event)
    pages = [f"/t/{event.slug}/standings/", f"/t/{event.slug}/rounds/1/", f"/t/{event.slug}/players/P0003/"]
    before = [client.get(page) for page in pages]
    assert f'href="{desk(event, "players/P0003/")}#name"' in text_of(client.get(player(event)))
    assert client.post(desk(event, "players/P0003/name/"), {"name": "Ada Ruiz"}).status_code == 303
    for page, old in zip(pages, before, strict=True):
        new = client.get(page, headers={"If-None-Match": old.headers.get("ETag", "")})
        assert new.status_code == 200 and "Ada R" in text_of(new), page


def test_the_player_page_leads_to_every_round(client, event):
    enter_results(event, RoundFactory(tournament=event).number)
    code = with_bye(event)
    html = text_of(client.get(player(event, code)))
    for seat in event.seats.filter(entry__code=code).select_related("match", "round"):
        number = seat.round.number
        at = f"tables/{seat.match.table}" if seat.opponent_id else f"players/{code}"
        assert f'href="{desk(event, f"rounds/{number}/{at}/correct/")}"' in html
    assert f'href="{player(event, code)}"' in text_of(client.get(desk(event, f"players/{code}/")))


def test_before_round_1_a_player_needs_no_correction(client):
    event = TournamentFactory(entries=8)
    client.force_login(event.owner)
    assert player(event) not in text_of(client.get(desk(event, "players/P0003/")))


def test_the_index_finds_tables_and_players(client, event):
    address = desk(event, "correct/")
    found = client.get(address, {"round": 2, "table": 3})
    assert found["Location"] == desk(event, "rounds/2/tables/3/correct/")
    answer = client.get(address, {"round": 2, "table": 33})
    assert answer.status_code == 422 and "Round 2 has no table 33." in text_of(answer)
    assert client.get(address, {"round": "x", "table": ""}).status_code == 422
    for words in ("player 03", "p0003"):
        assert f'href="{player(event)}"' in text_of(client.get(address, {"q": words}))
    assert "No player of that name" in text_of(client.get(address, {"q": "Zoe"}))
    assert f'href="{missing(event)}"' in text_of(client.get(address))


@pytest.mark.long
def test_pages_cost_the_same_for_few_and_many(client, event):
    counts = []
    for names in ([], [f"Ann {n}" for n in range(200)]):
        if names:
            add_entries(event, names, reason="the train was late")
            for _round in range(3):
                RoundFactory(tournament=event, results=True)
        counts.append([])
        for page in ("correct/?q=p", "players/P0003/correct/", "correct/missing-player/"):
            with CaptureQueriesContext(connection) as queries:
                html = text_of(client.get(desk(event, page)))
            counts[-1].append(len(queries))
    assert counts[0] == counts[1]
    html = text_of(client.get(desk(event, "correct/"), {"q": "ann"}))
    assert html.count('/correct/">Ann') == 25 and "Type more letters" in html


def test_judges_correct_no_player(client, event):
    judge = UserFactory()
    Staff.objects.create(tournament=event, user=judge, role="judge")
    client.force_login(judge)
    for address in (player(event), bye(event, with_bye(event)), missing(event), desk(event, "correct/")):
        assert client.get(address).status_code == 403
    assert "/correct/" not in text_of(client.get(desk(event, "players/P0003/")))


def test_every_place_where_a_mistake_is_noticed_leads_to_its_correction(client, event):
    index, code = f'href="{desk(event, "correct/")}"', with_bye(event)
    seat = event.seats.filter(round__number=1, match__table=1).first()
    send_message(event, seat.entry.code, "I won", number=1)
    send_message(event, code, "I was there", number=1)
    for page in ("rounds/2/", "log/", "settings/"):
        assert index in text_of(client.get(desk(event, page))), page
    assert f'href="{bye(event, code)}"' in text_of(client.get(desk(event, "rounds/1/")))
    assert f'href="{player(event, seat.entry.code)}"' in text_of(
        client.get(desk(event, "rounds/1/tables/1/correct/"))
    )
    messages = text_of(client.get(desk(event, "flags/")))
    assert f'href="{desk(event, "rounds/1/tables/1/correct/")}"' in messages
    assert f'href="{player(event, code)}"' in messages
    assert index not in text_of(client.get(desk(event, "")))
    finish_tournament(event)
    assert index in text_of(client.get(desk(event, "")))


def test_public_pages_say_what_a_players_correction_changed(client, event):
    drop_entry(event, "P0003")
    RoundFactory(tournament=event)
    save(client, player(event), joined=1, left="")
    save(client, bye(event, with_bye(event)), result="missed")
    save(client, missing(event), name="Ann Lee", joined=2)
    assert client.get(f"/t/{event.slug}/rounds/3/").status_code == 200
    assert "missed, was bye" in text_of(client.get(f"/t/{event.slug}/rounds/1/"))
    for code in ("P0003", "P0010"):
        assert client.get(f"/t/{event.slug}/players/{code}/").status_code == 200
