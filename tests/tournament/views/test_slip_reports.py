import json

import pytest
from django.test import Client

from standings.bracket.cut import make_cut
from standings.bracket.results import record_bracket_result
from standings.engine.bracket.tree import FINAL
from tests.factories import TournamentFactory, UserFactory
from tests.pages import Page, page
from tests.tournament.services.test_results import assert_sound, codes, reports, result, running
from tests.tournament.views.desk import key, match_of
from tests.tournament.views.phones import known
from tests.tournament.views.test_reports import Phone, accept
from tournament.access.player_link import keys_cookie
from tournament.archive import parse_event
from tournament.archive.load import dump_event, load_event
from tournament.errors import Conflict
from tournament.history.describe import describe_actions
from tournament.models import Match, Staff
from tournament.results.shorthand import parse_slip, slip_check
from tournament.services.corrections import correct_seats
from tournament.services.drops import disqualify_entry, drop_entry
from tournament.services.entries import rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.reports import report_by_slip
from tournament.services.undo import undo_action


@pytest.fixture(params=["on", "staff"])
def tournament(request):
    return running(request.param)


def address(tournament, table=1, number=1):
    match = match_of(tournament, table, number)
    players = tuple(match.seats.order_by("side").values_list("entry__code", flat=True))
    check = slip_check(tournament.slug, number, table, players)
    return f"/t/{tournament.slug}/rounds/{number}/tables/{table}/code/{check}/"


def send(phone, url, slip):
    return phone.post(url, {"key": key(), "what": "report", "round": 1, "slip": slip})


def test_two_reports_by_slip_that_agree_wait_for_staff_and_open_nothing(tournament):
    player, opponent = codes(tournament)
    rename_entry(tournament, player, "Ada Ruiz")
    url = address(tournament)
    phones = Client(), Client()
    shown = page(phones[0], url)
    assert "Ada Ruiz vs. " in shown and "counts only after staff have checked it" in shown
    for phone in phones:
        assert send(phone, url, "20")["Location"] == url
        said = page(phone, url)
        assert "Reported with the match slip: Ada Ruiz 2–0" in said and "Not final yet" in said
        assert keys_cookie() not in phone.cookies
        for end in ("", "decklist/", "data.json", "leave/", "report/", "link/"):
            for code in (player, opponent):
                assert phone.get(f"/t/{tournament.slug}/me/{code}/{end}").status_code == 404, end
    assert result(tournament) is None and reports(tournament) == {"slip": "20"}
    assert set(tournament.entries.values_list("status", flat=True)) == {"playing"}
    [action] = tournament.actions.filter(kind="report by slip")
    [line] = describe_actions(tournament, [action])
    assert line.actor == "someone with the match slip"
    assert line.sentence == "Table 1, round 1: the match slip reported 2–0 (first-listed player first)"
    assert_sound(tournament)
    again = load_event(parse_event(json.loads(dump_event(tournament))), slug="again")
    assert reports(again) == {"slip": "20"}


@pytest.mark.parametrize("way", ["report", "confirm"])
def test_a_report_by_slip_settles_nothing_with_a_player_either(way):
    tournament = running("on")
    ann, bo = (Phone(tournament, code) for code in codes(tournament))
    send(Client(), address(tournament), "20")
    assert bo.send(way, "02").status_code == (303 if way == "report" else 409)
    assert result(tournament) is None
    ann.send("report", "20")
    if way == "confirm":
        assert result(tournament) is None
        bo.send("confirm", "02")
    assert result(tournament) == ("played", "a") and reports(tournament) == {}


def test_staff_see_it_apart_and_accept_it_alone(tournament, client):
    client.force_login(tournament.owner)
    desk = f"/t/{tournament.slug}/desk/rounds/1/"
    assert "by slip" not in page(client, desk)  # the sheet is kept from here on
    send(Client(), address(tournament), "21")
    send(Client(), address(tournament, 2), "02")
    shown = page(client, desk)
    assert "2 reports were made with match slips: check them" in shown and "by slip" in shown.all(".tag.wait")
    assert "No two reports match anymore." in Page(accept(tournament, client)) and result(tournament) is None
    assert accept(tournament, client, table=1, text="20", by_slip="on").status_code == 409  # shown otherwise
    assert accept(tournament, client, table=1, text="21").status_code == 409  # not by a player
    accept(tournament, client, table=1, text="21", by_slip="on")
    assert [result(tournament, table) for table in (1, 2)] == [("played", "a"), None]
    said = page(Client(), address(tournament))
    assert "The result of this match is entered." in said and not said.all("[name=slip]")
    assert_sound(tournament)


def test_who_is_known_otherwise_goes_where_the_result_counts(tournament, client):
    url = address(tournament)
    own = known(client, tournament, codes(tournament)[1])
    assert client.get(url)["Location"] == f"{own}report/"
    staff = Client()
    staff.force_login(tournament.owner)
    to_desk = staff.get(url)["Location"]
    assert staff.get(to_desk)["Location"] == f"/t/{tournament.slug}/rounds/1/tables/1/result/"
    other = Client()
    known(other, tournament, codes(tournament, 2)[0])
    assert other.get(url).status_code == 200


def test_the_typed_code_leads_to_the_match_and_a_misread_one_back(tournament):
    url, phone = address(tournament), Client()
    code = "1-1-" + url.split("/")[-2].lower()
    box = f"/t/{tournament.slug}/slip/"
    assert phone.get(box, {"code": code})["Location"] == url
    wrong = phone.get(box, {"code": code[:-4] + ("a" if code[-4] != "a" else "b") + code[-3:]})
    assert wrong.status_code == 422 and "has a wrong character" in Page(wrong)
    assert phone.get(box, {"code": "hello"}).status_code == 422
    assert "Code on the match slip" in page(phone, box)


def test_where_or_what_cannot_be_reported_is_refused(tournament):
    for slip, words, status in (
        ("30", "impossible", 422),
        ("20x", "To drop, use your page", 400),
        ("ns2", "Players cannot report that by phone", 400),
        ("", "Enter the games each player won", 422),
    ):
        answer = send(Client(), address(tournament), slip)
        assert answer.status_code == status and words in Page(answer)
    assert reports(tournament) == {} and result(tournament) is None
    change_settings(tournament, reporting="off")
    shown = page(Client(), address(tournament))
    assert "Bring your match slip to the desk" in shown and not shown.all("[name=slip]")
    assert send(Client(), address(tournament), "20").status_code == 409


def test_the_slip_of_other_pairings_and_a_wrong_code_report_nothing(tournament):
    url, before = address(tournament), codes(tournament)
    assert send(Client(), url[:-5] + "AAAA/", "20").status_code == 404
    correct_seats(tournament, 1, 1, codes(tournament, 2)[0], codes(tournament)[1], reason="sat wrong")
    assert send(Client(), url, "20").status_code == 404
    with pytest.raises(Conflict, match="no longer belongs to a match"):  # the page had found the old pairing
        report_by_slip(tournament, 1, 1, parse_slip("20"), players=before)
    assert reports(tournament) == {}


def test_points_are_typed_for_both_players():
    tournament = running("on", ruleset="scrabble")
    url = address(tournament)
    shown = page(Client(), url)
    for code in codes(tournament):
        assert f"{tournament.entries.get(code=code).name}'s points" in shown
    sent = {"key": key(), "what": "report", "round": 1, "score_a": "412", "score_b": "388"}
    assert Client().post(url, sent).status_code == 303 and reports(tournament) == {"slip": "412 388"}


def test_a_slip_of_the_bracket_is_reported_as_any_other(client):
    tournament = TournamentFactory(entries=8, rounds=3)
    change_settings(tournament, reporting="on")
    make_cut(tournament, 4)
    match = Match.objects.filter(round__tournament=tournament, round__swiss=False).order_by("table").first()
    number, table = match.round.number, match.table
    phone = Client()
    url = address(tournament, table, number)
    assert "1–1" not in page(phone, url)
    assert send(phone, url, "20").status_code == 303
    match.refresh_from_db()
    assert match.result is None
    client.force_login(tournament.owner)
    shown = page(client, f"/t/{tournament.slug}/desk/bracket/")
    assert "by slip" in shown and shown.soup.select('[value="20"]')
    sent = {"key": key(), "table": table, "text": "20", "by_slip": "on"}
    done = client.post(f"/t/{tournament.slug}/desk/rounds/{number}/reports/", sent)
    assert done["Location"] == f"/t/{tournament.slug}/desk/bracket/"
    match.refresh_from_db()
    assert (match.result, match.winner) == ("played", "a")
    assert_sound(tournament)


@pytest.fixture
def bracket():
    tournament = TournamentFactory(entries=8, rounds=3)
    change_settings(tournament, reporting="on")
    return tournament


def first_matches(tournament):
    return Match.objects.filter(round__tournament=tournament, round__swiss=False).order_by("table")


def player_of(match, side="a"):
    return match.seats.get(side=side).entry.code


def test_both_players_settle_a_bracket_match_by_phone_and_the_next_one_opens(bracket):
    make_cut(bracket, 4)
    semifinals = list(first_matches(bracket))
    for match in semifinals:
        ann, bo = (Phone(bracket, player_of(match, side)) for side in "ab")
        number = match.round.number
        assert "I won 2–0" in ann.page() and "We drew 1–1" not in ann.page()
        assert ann.send("report", "11", number=number).status_code == 422  # no draw in this bracket
        assert ann.send("report", "20", number=number).status_code == 303
        assert "waiting for" in ann.page()
        assert bo.send("confirm", "02", number=number).status_code == 303
        match.refresh_from_db()
        assert (match.result, match.winner) == ("played", "a")
        assert "Entered, semifinals: lost 0–2" in bo.page()
    final = bracket.rounds.order_by("-number")[0].matches.get(slot=FINAL)
    winners = [player_of(match) for match in semifinals]
    assert sorted(final.seats.values_list("entry__code", flat=True)) == sorted(winners)
    assert_sound(bracket)
    undone = undo_action(bracket, bracket.actions.order_by("-number")[0].number)
    assert undone and not Match.objects.filter(pk=final.pk).exists()
    assert_sound(bracket)


def test_staff_accept_and_overrule_what_is_reported_of_a_bracket_match(bracket, client):
    change_settings(bracket, reporting="staff")
    make_cut(bracket, 4)
    first, second = first_matches(bracket)
    number = first.round.number
    for match in (first, second):
        for side, slip in (("a", "20"), ("b", "02" if match == first else "20")):
            Phone(bracket, player_of(match, side)).send("report", slip, number=number)
    user = UserFactory()
    staff = Staff.objects.create(tournament=bracket, user=user, role="judge")
    client.force_login(user)
    accept = f"/t/{bracket.slug}/desk/rounds/{number}/reports/"
    assert client.post(accept, {"key": key()}).status_code == 403  # no judge enters bracket results
    Staff.objects.filter(pk=staff.pk).update(role="scorekeeper")
    shown = page(client, f"/t/{bracket.slug}/desk/bracket/")
    assert "both reported" in shown and "The reports differ. Send a judge" in shown
    client.post(accept, {"key": key(), "table": first.table, "text": "20"})
    for match in (first, second):
        match.refresh_from_db()
    assert (first.winner, second.result) == ("a", None)
    record_bracket_result(bracket, number, second.table, parse_slip("12"))
    loser = Phone(bracket, player_of(second))
    assert "The event desk’s entry counts." in loser.page()
    assert_sound(bracket)


def test_a_phone_that_polls_is_told_once_the_bracket_is_set(bracket):
    polled = Phone(bracket, "P0001").polls()
    assert polled()[1].status == 204
    make_cut(bracket, 8)
    assert polled()[1].form("I won 2–0")


def test_who_is_out_with_an_open_match_is_told_so_and_reports_it_unless_disqualified():
    tournament = running("on")
    phone = Phone(tournament, codes(tournament)[0])
    said = "You dropped out of the event."
    assert said not in phone.own_page()
    drop_entry(tournament, phone.code)
    assert said in phone.own_page() and phone.own_page().form("I won 2–0")
    tournament = running("on")
    phone = Phone(tournament, codes(tournament)[0])
    polled = phone.polls()
    assert polled()[1].status == 204
    disqualify_entry(tournament, phone.code, why="Cheating")
    assert "You are disqualified." in phone.own_page()
    assert "I won 2–0" not in [*phone.own_page().all("button"), *polled()[1].all("button")]
    shown = phone.page()
    assert "You have no match to report now." in shown and "I won 2–0" not in shown
