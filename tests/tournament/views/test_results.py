import pytest

from standings.bracket.cut import make_cut
from tests.factories import RoundFactory, TournamentFactory, UserFactory, enter_results
from tests.pages import Page, page
from tests.tournament.views.desk import (
    HTMX,
    code_of,
    key,
    match_of,
    post_line,
    post_slip,
    running,
    sign_in_staff,
)
from tournament.history.describe import describe_actions
from tournament.models import Match
from tournament.results.desk_sheet import load_desk_sheet
from tournament.results.shorthand import parse_slip, slip_check
from tournament.results.slip import Slip
from tournament.services.drops import drop_entry
from tournament.services.entries import find_entry
from tournament.services.event_settings import change_announcement
from tournament.services.results import record_result
from tournament.services.undo import undo_action


def games(match):
    match.refresh_from_db()
    a, b = match.seats.order_by("side")
    return match.result, a.games, b.games, match.drawn


def test_a_button_saves_the_slip_and_gives_back_the_row_or_leads_to_it(client):
    tournament = running(client)
    answer = post_slip(client, tournament, slip="21")
    assert answer.status_code == 200
    assert games(match_of(tournament)) == ("played", 2, 1, 0)
    shown = Page(answer)
    assert shown.one("li#match-1.match.in.new") and "Round 1 · 3 of 4 tables outstanding" in shown
    answer = post_slip(client, tournament, 2, htmx=False, slip="21")
    assert answer.status_code == 303
    assert answer["Location"] == f"/t/{tournament.slug}/desk/rounds/1/#match-2"
    assert post_slip(client, tournament, slip="clear").status_code == 200
    assert post_line(client, tournament, "2 -").status_code == 200
    assert match_of(tournament).result is match_of(tournament, 2).result is None


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
    ("overrides", "kept"), [({}, ("played", 1, 0, 1)), ({"unfinished_games": "void"}, ("played", 1, 0, 0))]
)
def test_an_unfinished_game_counts_as_the_ruleset_says(client, overrides, kept):
    tournament = running(client, overrides=overrides)
    assert post_slip(client, tournament, a=1, b=0, unfinished="on").status_code == 200
    assert games(match_of(tournament)) == kept
    nothing = post_slip(client, tournament, table=2, a=0, b=0, unfinished="on")
    assert nothing.status_code == (400 if overrides else 200)  # where it is void, nothing was played


def test_a_drop_on_the_slip_counts_until_the_slip_takes_it_back(client):
    tournament = running(client)
    assert "drops" in Page(post_slip(client, tournament, a=2, b=0, b_drops="on"))
    dropped = tournament.entries.get(status="dropped")
    assert dropped.code == match_of(tournament).seats.get(side="b").entry.code
    slip = page(client, f"/t/{tournament.slug}/desk/rounds/1/tables/1/slip/")
    assert slip.one("[name=b_drops]").has_attr("checked") and not slip.one("[name=a_drops]").has_attr(
        "checked"
    )
    assert "drops" not in Page(post_slip(client, tournament, a=2, b=1))
    assert not tournament.entries.filter(status="dropped").exists()


def test_an_impossible_score_comes_back_with_its_reason_and_both_names(client):
    tournament = running(client)
    seats = match_of(tournament).seats.select_related("entry")
    for fields in ({"a": 3, "b": 0}, {"a": 2, "b": 2}, {"slip": "99"}, {}, {"a": 0, "b": 0}):
        for htmx in (True, False):
            answer = post_slip(client, tournament, htmx=htmx, **fields)
            assert answer.status_code == 422, fields
            shown = Page(answer)
            assert shown.all("[role=alert]") and "no-show: first player" not in shown
            for seat in seats:
                assert f"{seat.entry.name} drops" in shown and f"no-show: {seat.entry.name}" in shown
    assert match_of(tournament).result is None


def test_another_value_over_one_not_seen_shows_both_and_counts_once_it_is_seen(client):
    tournament = running(client)
    seen, revision = match_of(tournament).version, tournament.revision
    record_result(tournament, 1, 1, Slip("played", 2, 0))
    for answer in (
        post_slip(client, tournament, slip="12", version=seen),
        post_slip(client, tournament, htmx=False, slip="12", version=seen),
        post_line(client, tournament, "1 12", seen=revision),
        post_line(client, tournament, "1 12"),  # the box asks even where its page has the result
    ):
        assert answer.status_code == 409
        shown = Page(answer)
        assert "2–0" in shown and "Enter: 1–2" in shown
        assert games(match_of(tournament)) == ("played", 2, 0, 0)
    assert post_slip(client, tournament, slip="clear", version=seen).status_code == 409
    assert post_line(client, tournament, "1 12", replace="on").status_code == 200
    assert games(match_of(tournament)) == ("played", 1, 2, 0)
    assert post_slip(client, tournament, a=0, b=2, drawn=0).status_code == 200
    assert games(match_of(tournament)) == ("played", 0, 2, 0)


def test_the_same_value_is_quietly_already_in_and_a_complete_round_takes_none(client):
    tournament = running(client)
    seen = match_of(tournament).version
    record_result(tournament, 1, 1, Slip("played", 2, 0))
    before = tournament.actions.count()
    assert post_slip(client, tournament, slip="20", version=seen).status_code == 200
    assert "Already 2–0" in Page(post_line(client, tournament, "1 20"))
    assert "Already without a result" in Page(post_line(client, tournament, "2 -"))
    assert "Already entered. Table 1: " in page(client, post_line(client, tournament, "1 20", htmx=False).url)
    assert tournament.actions.count() == before
    enter_results(tournament, 1)
    RoundFactory(tournament=tournament)
    answer = post_slip(client, tournament, slip="12")
    assert answer.status_code == 409 and "Round 1 is complete" in Page(answer)
    shown = page(client, f"/t/{tournament.slug}/desk/rounds/1/")
    assert "This round is complete. Choose" in shown and not shown.all("[hx-post]")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 21", "2–1"),
        ("1 ns1", "lost by no-show"),
        ("1 +5 <b>", "5-minute time extension (<b>)"),
        ("1 ?", "Table 1:"),
    ],
)
def test_the_one_box_says_what_it_did(client, text, words):
    tournament = running(client, round_minutes=50)
    answer = post_line(client, tournament, text)
    assert answer.status_code == 200 and words in Page(answer)


def test_the_empty_box_leads_to_the_next_table_that_is_out_after_the_last_of_this_desk(client):
    tournament = running(client)
    post_slip(client, tournament, slip="20")

    def entered(text="", **fields):
        return post_line(client, tournament, text, htmx=False, **fields)

    def box(shown):
        return {name: shown.one(f"[name={name}]").get("value", "") for name in ("after", "line", "text")}

    address = entered()["Location"]
    assert address.endswith("/desk/rounds/1/?line=2")
    shown = page(client, address)
    a, b = match_of(tournament, 2).seats.order_by("side").values_list("entry__name", flat=True)
    assert f"Table 2 {a} against {b}" in shown and box(shown) == {"after": "2", "line": "2", "text": ""}
    # Table 2 is left out for now, and named again at the end.
    named = [entered(after=after)["Location"].rpartition("=")[2] for after in (2, 3, 4, 99)]
    assert named == ["3", "4", "2", "2"]
    refused = Page(entered("29", line=3, after=3))
    assert "2–9 is impossible" in refused and box(refused) == {"after": "3", "line": "3", "text": "29"}
    answer = entered("12", line=3)  # the result of table 3, not table 12
    assert answer["Location"].endswith("/?after=3") and games(match_of(tournament, 3)) == ("played", 1, 2, 0)
    assert box(page(client, answer["Location"]))["after"] == "3"
    entered("4 21", line=2)  # a whole line is of its own table
    assert games(match_of(tournament, 4)) == ("played", 2, 1, 0) and match_of(tournament, 2).result is None
    post_line(client, tournament, "2 20")
    assert "Every table has a result." in page(client, entered(after=3).url)


def test_a_scanned_slip_opens_its_table_in_the_box_if_it_fits(client):
    tournament = running(client)
    code = code_of(tournament, 3)
    answer = post_line(client, tournament, code.lower())
    assert answer.status_code == 200 and '"table": "3"' in answer["HX-Trigger"]
    number, table, check = code.split("-")
    address = f"https://hall.example/t/{tournament.slug}/desk/rounds/{number}/tables/{table}/code/{check}/"
    assert '"table": "3"' in post_line(client, tournament, address)["HX-Trigger"]
    assert post_line(client, tournament, code, htmx=False).url.endswith("?line=3")
    assert match_of(tournament, 3).result is None
    check = code.rpartition("-")[2]
    wrong, others = (f"1-3-{check[:at]}{'B' if check[at] == 'A' else 'A'}{check[at + 1 :]}" for at in (0, 1))
    round_2 = f"2-3-{slip_check(tournament.slug, 2, 3, ('P0001', 'P0002'))}"
    for line, reason in (
        (wrong, "has a wrong character"),
        (others, "does not match the players"),
        (round_2, "This slip is from round 2, table 3. You are entering round 1."),
    ):
        answer = post_line(client, tournament, line)
        assert answer.status_code == 400 and reason in Page(answer)
        assert "HX-Trigger" not in answer


def test_the_polled_counters_hold_no_input_and_are_silent_while_nothing_happens(client):
    tournament = running(client)
    tournament.refresh_from_db()
    seen = tournament.revision
    status = f"/t/{tournament.slug}/desk/rounds/1/status/"
    assert client.get(status, {"v": f"{seen}.0"}).status_code == 204
    record_result(tournament, 1, 2, Slip("played", 2, 0))
    counters = Page(client.get(status, {"v": f"{seen}.0"}))
    assert "1 of 4 entered" in counters and not counters.all("input")
    rows = Page(client.get(f"/t/{tournament.slug}/desk/rounds/1/rows/", {"since": seen}))
    assert rows.all("#match-2") and not rows.all("#match-1")


def test_a_drop_on_a_slip_or_elsewhere_is_said_when_the_result_is_corrected(client):
    tournament = running(client)
    said = [
        "is not paired again" in Page(post_line(client, tournament, line, replace="on"))
        for line in ("1 20x", "1 21", "1 +5", "1 21", "1", "2 x1", "2 20", "2 21")
    ]
    assert said == [True, False, False, False, True, True, False, False]
    dropped = match_of(tournament).seats.select_related("entry").get(side="b").entry
    assert dropped.status == "dropped"
    tournament = running(client)
    post_line(client, tournament, "1 20")
    dropped = match_of(tournament).seats.select_related("entry").get(side="b").entry
    drop_entry(tournament, dropped.code)
    shown = Page(post_line(client, tournament, "1 21", replace="on"))
    assert f"{dropped.name} is not paired again" in shown and shown.all(f'[href*="/players/{dropped.code}/"]')
    assert "is not paired again" not in Page(post_line(client, tournament, "2 20"))


def test_a_scorekeeper_undoes_results_and_nothing_that_only_an_organizer_may_do(client):
    tournament = running(client)
    lunch = change_announcement(tournament, "Lunch").number
    back = undo_action(tournament, lunch).number
    again = undo_action(tournament, back).number
    sign_in_staff(client, tournament, "scorekeeper")
    undo = f"/t/{tournament.slug}/desk/undo/"
    for number in (lunch, back, again):
        answer = client.post(undo, {"number": number, "key": key()}, **HTMX)
        assert answer.status_code == 403 and "Only an organizer can undo this" in Page(answer)
    log = page(client, f"/t/{tournament.slug}/desk/log/")
    assert not log.one(f"#action-{lunch}").select("button")
    saved = Page(post_line(client, tournament, "1 20"))
    number = saved.one("#last-change [name=number]")["value"]
    answer = client.post(undo, {"number": number, "round": 1, "key": key(), "seen": number}, **HTMX)
    assert answer.status_code == 200 and Page(answer).one("#match-1.out.new")
    assert match_of(tournament).result is None


def test_unpublishing_a_round_asks_first_and_open_pages_say_so(client):
    tournament = running(client)
    tournament.refresh_from_db()
    seen, number = tournament.revision, tournament.actions.get(kind="publish").number
    undo = f"/t/{tournament.slug}/desk/undo/"
    for headers in (HTMX, {}):
        asked = client.post(undo, {"number": number, "round": 1, "key": key()}, **headers)
        assert asked.status_code == 200
        assert "Unpublish round 1?" in Page(asked) and Page(asked).one("[name=sure]")
        assert tournament.rounds.get().state == "published"
    client.post(undo, {"number": number, "round": 1, "sure": "on", "key": key()})
    assert tournament.rounds.get().state == "draft"
    status = page(client, f"/t/{tournament.slug}/desk/rounds/1/status/", v=seen)
    assert "No longer published" in status and status.one("[data-done]")


MARK = "entered by a player of this match"


def says_who(client, tournament, code, name):
    return client.post(
        f"/t/{tournament.slug}/desk/settings/staff/players/{code}/", {"username": name, "key": key()}
    )


@pytest.fixture
def playing(client):
    tournament = running(client)
    seat = match_of(tournament, 1).seats.select_related("entry").get(side="b")
    assert says_who(client, tournament, seat.entry.code, tournament.owner.username).status_code == 303
    return tournament


def marked(client, tournament):
    tournament.refresh_from_db()
    rows = load_desk_sheet(tournament, 1).rows
    sentences = [a.sentence for a in describe_actions(tournament, tournament.actions.order_by("number"))]
    return [row.table for row in rows if row.own], [line for line in sentences if MARK in line]


def test_a_result_of_ones_own_match_is_marked_until_somebody_else_corrects_it_in_a_bracket_too(
    client, playing
):
    assert MARK in Page(post_slip(client, playing, 1, slip="20"))
    assert MARK not in Page(post_slip(client, playing, 2, slip="20"))
    tables, sentences = marked(client, playing)
    assert tables == [1] and len(sentences) == 1 and sentences[0].startswith("Table 1, round 1")
    assert MARK in page(client, f"/t/{playing.slug}/desk/log/")
    record_result(playing, 1, 1, parse_slip("21"), actor="somebody")
    tables, sentences = marked(client, playing)
    assert tables == [] and len(sentences) == 1, "the log still says it"
    owner = UserFactory()
    client.force_login(owner)
    tournament = TournamentFactory(entries=8, rounds=2, owner=owner)
    make_cut(tournament, 4)
    match = Match.objects.filter(round__tournament=tournament, round__swiss=False).order_by("table").first()
    entry = match.seats.get(side="a").entry
    says_who(client, tournament, entry.code, owner.username)
    address = f"/t/{tournament.slug}/bracket/rounds/{match.round.number}/tables/{match.table}/result/"
    client.post(address, {"slip": "20", "key": key(), "version": match.version})
    assert page(client, f"/t/{tournament.slug}/desk/bracket/").all(".wait").count(MARK) == 1


def test_the_link_is_told_without_a_name_and_can_be_taken_back(client, playing):
    entry = playing.entries.get(user=playing.owner)
    last = playing.actions.order_by("-number").first()
    assert last.changes == [{"fact": f"entries/{entry.code}", "personal": ["user"]}]
    assert "staff account changed" in describe_actions(playing, [last])[0].sentence
    shown = page(client, f"/t/{playing.slug}/desk/players/{entry.code}/")
    assert shown.form("Save staff account")["username"] == playing.owner.username
    UserFactory(username="stranger")
    assert says_who(client, playing, entry.code, "stranger").status_code == 404
    says_who(client, playing, entry.code, "")
    assert find_entry(playing, entry.code).user is None
