import json

import pytest

from pairings.draft.edits import lock_table
from pairings.draft.services import add_house_opponent, draft_next_round
from pairings.request.pairing_request import reasons_from_json
from pairings.words.reasons import reasons_words
from tests import factories
from tests.factories import correct, enter_results
from tests.pages import Page, page
from tests.pairings.drafting import at_table, draft_address, drafting, revision
from tests.tournament.views.desk import running
from tournament.archive.load import dump_event, load_event
from tournament.archive.read import parse_event
from tournament.models import Round
from tournament.services.entries import prohibit_pair
from tournament.services.rounds import publish_round

pytestmark = pytest.mark.django_db


def why(client, tournament, a, b, status=200):
    shown = Page(client.get(f"/t/{tournament.slug}/desk/rounds/2/why/", {"a": a, "b": b}))
    assert shown.status == status
    return " ".join(shown.all("main .notice, main .error"))


def with_bye(tournament, number=2):
    return tournament.rounds.get(number=number).seats.get(match__result="bye").entry


def test_it_says_what_they_would_cost_together_and_whether_they_met(client):
    tournament = drafting(client, 16)
    one, partner = at_table(tournament, 1)
    met = one.seats.get(round__number=1).opponent
    other = next(entry for entry in at_table(tournament, 8) if entry != met)
    asked = page(client, draft_address(tournament)).link("Why were they not paired?")
    assert "“bye”" in page(client, asked)
    answer = why(client, tournament, one.name, other.code)
    assert f"{one.name} vs. {other.name} would cost: " in answer and "New pair-downs: 3 vs. 0" in answer
    assert "They have not played each other." in answer
    assert "They played each other in round 1." in why(client, tournament, one.code, met.code)
    assert "They are paired, at table 1." in why(client, tournament, one.code, partner.code)
    prohibit_pair(tournament, one.code, other.code)
    assert "are on the organizer's do-not-pair list" in why(client, tournament, one.code, other.code)


def test_a_posted_round_is_asked_about_by_the_facts_of_then(client):
    tournament = drafting(client, 16)
    publish_round(tournament, 2)
    one, other = at_table(tournament, 1)[0], at_table(tournament, 8)[0]
    then = why(client, tournament, one.code, other.code)
    assert "points of squared score difference" in then
    for table in (1, 2, 3, 4, 5, 6):
        correct(tournament, 1, table)
    prohibit_pair(tournament, one.code, other.code)
    assert why(client, tournament, one.code, other.code) == then


def test_why_not_the_bye_says_what_it_would_cost_and_who_had_or_has_it_if_anybody(client):
    tournament = drafting(client, 9)
    had, lone = with_bye(tournament, 1), with_bye(tournament)
    for asked in ((had.name, "bye"), ("Bye", had.name)):
        answer = why(client, tournament, *asked)
        assert (
            f"A bye for {had.name} would cost: 1 second bye" in answer and "Earlier bye in round 1." in answer
        )
    assert f"{lone.name} has the bye." in why(client, tournament, lone.name, "bye")
    lock_table(tournament, 2, lone.code, seen=revision(tournament, 2))
    assert f"{lone.name}'s bye is locked by the organizer." in why(client, tournament, had.name, "bye")
    assert "Choose two different players." in why(client, tournament, "bye", "bye", 422)
    tournament = running(client, 7, ruleset="twixt")
    enter_results(tournament, 1)
    add_house_opponent(tournament, "Jorge")
    draft_next_round(tournament, house=tournament.entries.get(house=True).code)
    assert "No one has a bye this round." in why(client, tournament, "P0001", "bye")


BYE = "Bye: the number of players is odd; chosen at random in the lowest score group, among players without a bye."


def rounds_in(file):
    """The text of an archive from its rounds on, to be compared byte by byte."""
    return file[file.index('"rounds":[') :]


def test_a_new_round_keeps_codes_and_shows_sentences(client):
    tournament = factories.TournamentFactory(entries=7, rounds=1)
    factories.RoundFactory(tournament=tournament)
    about = tournament.rounds.get(number=2).pairing
    assert about["reasons"] and about["certificate"][0]["proof"] in ("bound", "kernel", "whole_graph")
    shown = page(client, f"/t/{tournament.slug}/rounds/2/proof/")
    for codes in about["reasons"].values():
        assert all(set(reason) >= {"code"} for reason in codes)
        assert reasons_words(reasons_from_json(codes)) in shown
    assert "meets the lower bound" in shown


def test_sentences_of_an_older_version_are_shown_and_dumped_as_they_were(client):
    tournament = factories.TournamentFactory(entries=7, rounds=1)
    factories.RoundFactory(tournament=tournament)
    row = tournament.rounds.get(number=2)
    code = next(iter(row.pairing["reasons"]))
    line = {"criterion": "repeats", "value": 0, "bound": 0, "optimal": True}
    proofs = ("bound reached", "exact matching on a kernel of 12")
    old = {
        **row.pairing,
        "reasons": {code: "Paired down for the 2nd time: no one else is left in this score group."},
        "certificate": [{**line, "proof": proof} for proof in proofs],
    }
    Round.objects.filter(pk=row.pk).update(pairing=old)
    file = dump_event(tournament, with_seed=True)
    loaded = load_event(parse_event(json.loads(file)), slug="older")
    assert rounds_in(dump_event(loaded, with_seed=True)) == rounds_in(file)
    for slug in (tournament.slug, "older"):
        shown = page(client, f"/t/{slug}/rounds/2/proof/")
        assert "Paired down for the 2nd time: no one else is left" in shown
        assert "meets the lower bound" in shown and "exact matching on a kernel of 12 players" in shown
