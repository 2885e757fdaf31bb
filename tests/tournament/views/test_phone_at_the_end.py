"""What a phone says of a match that is not reported by phone: in the bracket, and of who is out."""

import re

import pytest
from django.test import Client

from standings.bracket.cut import make_cut
from standings.bracket.results import record_bracket_result
from tests.factories import TWO_NIL, TournamentFactory
from tests.tournament.services.test_reports import codes, running
from tests.tournament.views.desk import key
from tests.tournament.views.phones import known, text
from tournament.models import Match
from tournament.services.drops import disqualify_entry, drop_entry
from tournament.services.event_settings import change_settings

pytestmark = pytest.mark.django_db

AT_DESK = "Report bracket matches at the event desk."


def mark_in(page, part):
    return re.search(rf'id="{part}".*?data-v="([^"]*)"', page, re.DOTALL)[1]


@pytest.fixture
def bracket():
    """An event with reports by phone whose Swiss rounds are over, and the cut not made yet."""
    tournament = TournamentFactory(entries=8, rounds=3)
    change_settings(tournament, reporting="on")
    return tournament


def first_match(tournament):
    return Match.objects.filter(round__tournament=tournament, round__swiss=False).order_by("table").first()


def player_of(match, side="a"):
    return match.seats.get(side=side).entry.code


def test_a_phone_says_where_bracket_matches_are_reported_while_one_is_open(bracket):
    make_cut(bracket, 4)
    match = first_match(bracket)
    phone = Client()
    own = known(phone, bracket, player_of(match))
    for address in (own, f"{own}report/"):
        page = text(phone.get(address))
        assert page.count(AT_DESK) == 1 and "Entered, round 3" not in page, address
        assert "Report the result</a>" not in page and 'value="20"' not in page
    record_bracket_result(bracket, match.round.number, match.table, TWO_NIL)
    other = Client()
    loser = known(other, bracket, player_of(match, "b"))
    assert AT_DESK not in text(other.get(loser))
    assert "Entered, round 3" in text(other.get(f"{loser}report/"))


def test_it_is_said_to_no_one_outside_the_bracket_or_without_reports_by_phone(bracket):
    make_cut(bracket, 4)
    match = first_match(bracket)
    playing = set(Match.objects.filter(round__swiss=False).values_list("seats__entry__code", flat=True))
    [out, *_] = bracket.entries.exclude(code__in=playing).values_list("code", flat=True)
    phone = Client()
    assert AT_DESK not in text(phone.get(known(phone, bracket, out)))
    change_settings(bracket, reporting="off")
    own = known(phone, bracket, player_of(match))
    assert AT_DESK not in text(phone.get(own)) and AT_DESK not in text(phone.get(f"{own}report/"))


def test_a_phone_that_polls_is_told_once_the_bracket_is_set(bracket):
    phone = Client()
    own = known(phone, bracket, "P0001")
    bar, state = f"{own}report/?bar=1", f"{own}report/?"
    marks = (
        mark_in(text(phone.get(own)), "report-bar"),
        mark_in(text(phone.get(f"{own}report/")), "report-state"),
    )
    polls = [f"{address}&v={mark}" for address, mark in zip((bar, state), marks, strict=True)]
    for poll in polls * 2:
        assert phone.get(poll).status_code == 204
    make_cut(bracket, 8)
    for poll in polls:
        assert AT_DESK in text(phone.get(poll))


def test_what_was_sent_for_a_bracket_match_is_refused(bracket):
    make_cut(bracket, 4)
    match = first_match(bracket)
    phone = Client()
    own = known(phone, bracket, player_of(match))
    for what in ("report", "confirm", "withdraw", "sign"):
        sent = {"key": key(), "what": what, "round": match.round.number, "slip": "20", "code": "1234"}
        assert phone.post(f"{own}report/", sent).status_code in (409, 422), what
    match.refresh_from_db()
    assert match.result is None


def test_who_dropped_with_an_open_match_is_told_so_and_still_reports_it():
    tournament = running("on")
    phone, (code, _other) = Client(), codes(tournament)
    own = known(phone, tournament, code)
    said = "You dropped out of the event."
    assert said not in text(phone.get(own))
    drop_entry(tournament, code)
    page = text(phone.get(own))
    assert said in page and "Report the result</a>" in page


def test_who_is_disqualified_with_an_open_match_is_told_so_and_reports_nothing():
    tournament = running("on")
    phone, (code, _other) = Client(), codes(tournament)
    own = known(phone, tournament, code)
    poll = f"{own}report/?bar=1&v={mark_in(text(phone.get(own)), 'report-bar')}"
    assert phone.get(poll).status_code == 204
    disqualify_entry(tournament, code, why="Cheating")
    page = text(phone.get(own))
    assert "You are disqualified." in page and "Report the result</a>" not in page
    assert "Report the result</a>" not in text(phone.get(poll))
    page = text(phone.get(f"{own}report/"))
    assert "You have no match to report now." in page and "I won 2–0" not in page
