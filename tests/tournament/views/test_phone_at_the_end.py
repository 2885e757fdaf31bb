import pytest

from standings.bracket.cut import make_cut
from standings.bracket.results import record_bracket_result
from standings.engine.bracket.tree import FINAL
from tests.factories import TournamentFactory, UserFactory
from tests.pages import page
from tests.tournament.services.test_reports import assert_sound, codes, running
from tests.tournament.views.desk import key
from tests.tournament.views.test_reports import Phone
from tournament.models import Match, Staff
from tournament.results.shorthand import parse_slip
from tournament.services.drops import disqualify_entry, drop_entry
from tournament.services.event_settings import change_settings
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db


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
        assert "Waiting for" in ann.page()
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
    assert "Both players reported:" in shown and "The reports differ. Send a judge" in shown
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
    assert polled()[1].link("Report the result")


def test_who_is_out_with_an_open_match_is_told_so_and_reports_it_unless_disqualified():
    tournament = running("on")
    phone = Phone(tournament, codes(tournament)[0])
    said = "You dropped out of the event."
    assert said not in phone.own_page()
    drop_entry(tournament, phone.code)
    assert said in phone.own_page() and phone.own_page().link("Report the result")
    tournament = running("on")
    phone = Phone(tournament, codes(tournament)[0])
    polled = phone.polls()
    assert polled()[1].status == 204
    disqualify_entry(tournament, phone.code, why="Cheating")
    assert "You are disqualified." in phone.own_page()
    assert "Report the result" not in [*phone.own_page().all("a"), *polled()[1].all("a")]
    shown = phone.page()
    assert "You have no match to report now." in shown and "I won 2–0" not in shown
