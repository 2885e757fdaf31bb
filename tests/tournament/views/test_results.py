"""Results at the desk: the row, the one box, what is refused, and what two people do at once."""

import re

import pytest

from tests.factories import RoundFactory, UserFactory, enter_results
from tests.tournament.views.desk import HTMX, key, match_of, post_line, post_slip, running
from tournament.models import Staff
from tournament.results.slip import Slip
from tournament.services.drops import drop_entry
from tournament.services.results import record_result
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db


def games(match):
    match.refresh_from_db()
    a, b = match.seats.order_by("side")
    return match.result, a.games, b.games, match.drawn


def test_a_button_saves_the_slip_and_gives_back_the_row(client):
    tournament = running(client)
    answer = post_slip(client, tournament, slip="21")
    assert answer.status_code == 200
    assert games(match_of(tournament)) == ("played", 2, 1, 0)
    html = answer.content.decode()
    assert '<li id="match-1" class="match in new"' in html
    assert "3 outstanding" in html
    assert "Round 1 · 3 of 4 tables outstanding" in html


def test_without_javascript_it_goes_back_to_the_row(client):
    tournament = running(client)
    answer = post_slip(client, tournament, htmx=False, slip="21")
    assert answer.status_code == 303
    assert answer["Location"] == f"/t/{tournament.slug}/desk/rounds/1/#match-1"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"a": 1, "b": 0}, ("played", 1, 0, 0)),
        ({"a": 1, "b": 0, "unfinished": "on"}, ("played", 1, 0, 1)),
        ({"a": 0, "b": 0, "drawn": 1}, ("played", 0, 0, 1)),
        ({"outcome": "id"}, ("intentional_draw", None, None, None)),
        ({"outcome": "ll"}, ("double_loss", None, None, None)),
        ({"outcome": "ns2"}, ("forfeit", None, None, None)),
    ],
)
def test_the_slip_takes_what_happens_in_a_hall(client, fields, words):
    tournament = running(client)
    assert post_slip(client, tournament, **fields).status_code == 200
    assert games(match_of(tournament)) == words


@pytest.mark.parametrize(
    ("overrides", "kept"),
    [({}, ("played", 1, 0, 1)), ({"unfinished_games": "void"}, ("played", 1, 0, 0))],
)
def test_an_unfinished_game_counts_as_the_ruleset_says(client, overrides, kept):
    tournament = running(client, overrides=overrides)
    assert post_slip(client, tournament, a=1, b=0, unfinished="on").status_code == 200
    assert games(match_of(tournament)) == kept
    nothing = post_slip(client, tournament, table=2, a=0, b=0, unfinished="on")
    assert nothing.status_code == (400 if overrides else 200)  # where it is void, nothing was played


def test_a_drop_on_the_slip_drops_and_the_row_says_so(client):
    tournament = running(client)
    html = post_slip(client, tournament, a=2, b=0, b_drops="on").content.decode()
    assert "drops" in html
    assert (
        tournament.entries.get(status="dropped").code == match_of(tournament).seats.get(side="b").entry.code
    )


def test_a_result_can_be_cleared(client):
    tournament = running(client)
    post_slip(client, tournament, slip="20")
    assert post_slip(client, tournament, slip="clear").status_code == 200
    assert match_of(tournament).result is None


def test_an_impossible_score_comes_back_with_its_reason(client):
    tournament = running(client, 4)
    for fields in ({"a": 3, "b": 0}, {"a": 2, "b": 2}, {"slip": "99"}, {}, {"a": 0, "b": 0}):
        answer = post_slip(client, tournament, **fields)
        assert answer.status_code == 422, fields
        assert 'role="alert"' in answer.content.decode()
    assert match_of(tournament).result is None


def test_an_unknown_table_or_round_is_not_found(client):
    tournament = running(client)
    assert post_slip(client, tournament, table=77, slip="20").status_code == 404
    assert post_slip(client, tournament, number=9, slip="20").status_code == 404
    answer = post_line(client, tournament, "77 20")
    assert answer.status_code == 404
    assert "Round 1 has no table 77." in answer.content.decode()


def test_another_value_over_one_not_seen_shows_both(client):
    tournament = running(client)
    seen = match_of(tournament).version
    record_result(tournament, 1, 1, Slip("played", 2, 0))
    for htmx in (True, False):
        answer = post_slip(client, tournament, htmx=htmx, slip="12", version=seen)
        assert answer.status_code == 409
        html = answer.content.decode()
        assert "2–0" in html and "1–2" in html and "Keep: 2–0" in html and "Enter: 1–2" in html
    assert games(match_of(tournament)) == ("played", 2, 0, 0)


def test_mine_can_be_entered_over_theirs(client):
    tournament = running(client)
    record_result(tournament, 1, 1, Slip("played", 2, 0))
    answer = post_slip(client, tournament, a=1, b=2, drawn=0)
    assert answer.status_code == 200
    assert games(match_of(tournament)) == ("played", 1, 2, 0)


def test_the_same_value_is_quietly_already_in(client):
    tournament = running(client)
    seen = match_of(tournament).version
    record_result(tournament, 1, 1, Slip("played", 2, 0))
    before = tournament.actions.count()
    assert post_slip(client, tournament, slip="20", version=seen).status_code == 200
    assert "Already entered" in post_line(client, tournament, "1 20").content.decode()
    assert tournament.actions.count() == before


def test_one_form_sent_twice_is_one_action(client):
    tournament = running(client)
    fields = {"slip": "20", "key": key(), "version": match_of(tournament).version}
    before = tournament.actions.count()
    answers = [post_slip(client, tournament, **fields) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert tournament.actions.count() == before + 1


def test_one_key_with_another_value_is_a_conflict(client):
    tournament = running(client)
    fields = {"key": key(), "version": match_of(tournament).version}
    post_slip(client, tournament, slip="20", **fields)
    assert post_slip(client, tournament, slip="02", **fields).status_code == 409
    assert games(match_of(tournament)) == ("played", 2, 0, 0)


def test_a_complete_round_takes_no_result(client):
    tournament = running(client)
    enter_results(tournament, 1)
    RoundFactory(tournament=tournament)
    answer = post_slip(client, tournament, slip="12")
    assert answer.status_code == 409
    assert "Round 1 is complete" in answer.content.decode()
    page = client.get(f"/t/{tournament.slug}/desk/rounds/1/").content.decode()
    assert "Round 1 is complete" in page and "hx-post" not in page


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 21", "2–1"),
        ("1 111", "1–1–1"),
        ("1 10t", "1–0–1"),
        ("1 id", "intentional draw"),
        ("1 ll", "double loss"),
        ("1 ns1", "lost by no-show"),
        ("+5 1", "5-minute time extension"),
        ("+5 1 deck check", "5-minute time extension (deck check)"),
        ("1 +5 <b>", "5-minute time extension (&lt;b&gt;)"),
        ("1 ?", "Table 1:"),
    ],
)
def test_the_one_box_says_what_it_did(client, text, words):
    tournament = running(client, round_minutes=50)
    answer = post_line(client, tournament, text)
    assert answer.status_code == 200
    assert words in answer.content.decode()


def test_the_one_box_clears_a_table(client):
    tournament = running(client)
    post_line(client, tournament, "1 20")
    assert post_line(client, tournament, "1 -").status_code == 200
    assert match_of(tournament).result is None


def test_the_one_box_keeps_the_line_it_refuses(client):
    tournament = running(client)
    answer = post_line(client, tournament, "1 55", htmx=False)
    assert answer.status_code == 400
    assert 'value="1 55"' in answer.content.decode()


def test_the_empty_box_leads_to_the_next_table_that_is_out(client):
    tournament = running(client)
    post_slip(client, tournament, slip="20")
    answer = post_line(client, tournament, "", htmx=False)
    assert answer["Location"].endswith("/desk/rounds/1/?line=2#box")
    assert 'value="2 "' in client.get(answer["Location"]).content.decode()


def test_the_box_notices_what_its_page_had_not_seen(client):
    tournament = running(client)
    seen = tournament.revision
    record_result(tournament, 1, 1, Slip("played", 2, 0))
    answer = post_line(client, tournament, "1 02", seen=seen)
    assert answer.status_code == 409
    html = answer.content.decode()
    assert "2–0" in html and "Enter: 0–2" in html
    assert post_line(client, tournament, "1 02", replace="on").status_code == 200


def test_what_was_saved_can_be_undone_at_once(client):
    tournament = running(client)
    post_line(client, tournament, "1 20")
    tournament.refresh_from_db()
    fields = {"number": tournament.revision, "round": 1, "key": key(), "seen": tournament.revision}
    answer = client.post(f"/t/{tournament.slug}/desk/undo/", fields, **HTMX)
    assert answer.status_code == 200
    assert 'id="match-1" class="match out new"' in answer.content.decode()
    assert match_of(tournament).result is None


def test_the_polled_counters_hold_no_input_and_are_silent_while_nothing_happens(client):
    tournament = running(client)
    tournament.refresh_from_db()
    seen = tournament.revision
    status = f"/t/{tournament.slug}/desk/rounds/1/status/"
    assert client.get(status, {"v": f"{seen}.0"}).status_code == 204
    record_result(tournament, 1, 2, Slip("played", 2, 0))
    answer = client.get(status, {"v": f"{seen}.0"})
    html = answer.content.decode()
    assert "<input" not in html and "1 entered" in html
    rows = client.get(f"/t/{tournament.slug}/desk/rounds/1/rows/", {"since": seen}).content.decode()
    assert 'id="match-2"' in rows and 'id="match-1"' not in rows


HOSTILE = ["99999999999999999999999", "-1", "1e9", "\x00", "a" * 5000, "<b>", "None", "1.5", "12\x00"]
KEYS = ["\x00", "a" * 5000, "<b>", "ключ", "two words"]


@pytest.mark.long
def test_nonsense_in_a_slip_gets_a_4xx(client):
    tournament = running(client, 4)
    fields = [
        (name, value) for name in ("version", "slip", "a", "drawn", "outcome", "seen") for value in HOSTILE
    ]
    for name, value in [*fields, *(("key", value) for value in KEYS)]:
        others = {"slip": "20"} if name in ("version", "key", "seen") else {}
        answer = post_slip(client, tournament, **{**others, name: value})
        assert 400 <= answer.status_code < 500, (name, value)
    assert match_of(tournament).result is None


def test_nonsense_in_the_box_gets_a_4xx(client):
    tournament = running(client, 4)
    for value in [*HOSTILE, "1 \x00", "99999 20", "1 20 20 20", "+99 1", "+0 1", "٣", "1 ٣٣"]:
        assert 400 <= post_line(client, tournament, value).status_code < 500, value


def test_nonsense_in_an_address_is_no_error_of_ours(client):
    tournament = running(client, 4)
    base = f"/t/{tournament.slug}/desk/"
    for value in [*HOSTILE, "٣"]:
        for path, data in (
            (f"{base}rounds/1/status/", {"v": value}),
            (f"{base}rounds/1/rows/", {"since": value}),
            (f"{base}players/", {"q": value, "page": value}),
            (f"{base}log/", {"page": value}),
        ):
            assert client.get(path, data).status_code == 200, (path, value)
        assert client.post(f"{base}undo/", {"number": value}).status_code in (400, 404, 409)
    assert client.get(f"{base}rounds/99999999999999999999/").status_code == 404
    assert client.get(f"{base}players/%00/").status_code == 404


def test_a_refused_slip_still_calls_both_players_by_name(client):
    tournament = running(client)
    sheet = match_of(tournament).seats.select_related("entry").order_by("side")
    for htmx in (True, False):
        answer = post_slip(client, tournament, htmx=htmx, a="3", b="0")
        html = answer.content.decode()
        assert answer.status_code in (400, 422)
        for seat in sheet:
            assert f"{seat.entry.name} drops" in html and f"no-show: {seat.entry.name}" in html
        assert "no-show: first player" not in html


def test_the_slip_says_who_moves_first_where_sides_count(client):
    tournament = running(client, ruleset="twixt")
    html = client.get(f"/t/{tournament.slug}/rounds/1/tables/1/result/").content.decode()
    assert html.count("moves first") == 1


def test_another_result_for_a_table_that_has_one_shows_both_and_asks(client):
    tournament = running(client)
    post_line(client, tournament, "1 20")
    for _again in range(2):
        answer = post_line(client, tournament, "1 21")
        assert answer.status_code == 409
        html = answer.content.decode()
        assert "2–0" in html and "Enter: 2–1" in html
    assert games(match_of(tournament)) == ("played", 2, 0, 0)
    assert post_line(client, tournament, "1 21", replace="on").status_code == 200
    assert games(match_of(tournament)) == ("played", 2, 1, 0)


def test_a_drop_on_a_slip_stays_when_the_box_corrects_the_result(client):
    tournament = running(client)
    post_line(client, tournament, "1 20x")
    dropped = match_of(tournament).seats.select_related("entry").get(side="b").entry
    assert post_line(client, tournament, "1 21", replace="on").status_code == 200
    assert tournament.entries.get(code=dropped.code).status == "dropped"


def test_a_drop_is_said_once_and_when_the_table_is_shown(client):
    tournament = running(client)
    said = [
        "is no longer paired" in post_line(client, tournament, line, replace="on").content.decode()
        for line in ("1 20x", "1 21", "1 +5", "1 21", "1", "2 x1", "2 20", "2 21")
    ]
    assert said == [True, False, False, False, True, True, False, False]


def test_a_drop_is_taken_off_on_the_slip(client):
    tournament = running(client)
    post_line(client, tournament, "1 20x")
    html = post_slip(client, tournament, a=2, b=1).content.decode()
    assert "drops" not in html
    assert not tournament.entries.filter(status="dropped").exists()


def test_correcting_a_slip_says_that_a_drop_made_elsewhere_stays(client):
    tournament = running(client)
    post_line(client, tournament, "1 20")
    dropped = match_of(tournament).seats.select_related("entry").get(side="b").entry
    drop_entry(tournament, dropped.code)
    html = post_line(client, tournament, "1 21", replace="on").content.decode()
    assert f"{dropped.name} is no longer paired" in html
    assert f"/desk/players/{dropped.code}/" in html
    assert "is no longer paired" not in post_line(client, tournament, "2 20").content.decode()


def test_editing_a_slip_keeps_the_drop_it_came_with(client):
    tournament = running(client)
    post_line(client, tournament, "1 20x")
    page = client.get(f"/t/{tournament.slug}/desk/rounds/1/tables/1/slip/").content.decode()
    box = re.search(r'<input[^>]*name="b_drops"[^>]*>', page)[0]
    assert "checked" in box
    assert "checked" not in re.search(r'<input[^>]*name="a_drops"[^>]*>', page)[0]


def test_a_scorekeeper_undoes_results_and_nothing_that_only_an_organizer_may_do(client):
    tournament = running(client)
    client.post(f"/t/{tournament.slug}/desk/announcement/", {"text": "Lunch", "key": key()})
    lunch = tournament.actions.order_by("-number").first()
    assert lunch.kind == "announce"
    scorekeeper = UserFactory()
    Staff.objects.create(tournament=tournament, user=scorekeeper, role="scorekeeper")
    client.force_login(scorekeeper)
    undo = f"/t/{tournament.slug}/desk/undo/"
    for number in (lunch.number, *_undone_and_again(tournament, lunch)):
        answer = client.post(undo, {"number": number, "key": key()}, **HTMX)
        assert answer.status_code == 403, number
        assert "Only an organizer can undo this" in answer.content.decode()
    log = client.get(f"/t/{tournament.slug}/desk/log/").content.decode()
    assert f"Undo action {lunch.number}" not in log
    saved = post_line(client, tournament, "1 20").content.decode()
    number = re.search(r'id="last-change".*?name="number" value="(\d+)"', saved, re.DOTALL)[1]
    assert client.post(undo, {"number": number, "round": 1, "key": key()}, **HTMX).status_code == 200
    assert match_of(tournament).result is None


def _undone_and_again(tournament, action):
    """The numbers of an undo of that action, and of the undo of the undo."""
    back = undo_action(tournament, action.number)
    return back.number, undo_action(tournament, back.number).number


def test_unpublishing_a_round_asks_first_and_open_pages_say_so(client):
    tournament = running(client)
    tournament.refresh_from_db()
    seen = tournament.revision
    publication = tournament.actions.get(kind="publish")
    undo = f"/t/{tournament.slug}/desk/undo/"
    for headers in (HTMX, {}):
        asked = client.post(undo, {"number": publication.number, "round": 1, "key": key()}, **headers)
        assert asked.status_code == 200
        assert "Unpublish round 1?" in asked.content.decode() and 'name="sure"' in asked.content.decode()
        assert tournament.rounds.get().state == "published"
    client.post(undo, {"number": publication.number, "round": 1, "sure": "on", "key": key()})
    assert tournament.rounds.get().state == "draft"
    status = client.get(f"/t/{tournament.slug}/desk/rounds/1/status/?v={seen}").content.decode()
    assert "No longer published" in status and "data-done" in status
