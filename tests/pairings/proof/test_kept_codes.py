import json

import pytest

from pairings.request.pairing_request import reasons_from_json
from pairings.words.reasons import reasons_words
from tests import factories
from tournament.archive.load import dump_event, load_event
from tournament.archive.read import event_of
from tournament.models import Round

pytestmark = pytest.mark.django_db
BYE = "Bye: the number of players is odd; chosen at random in the lowest score group, among players without a bye."


def text(response):
    return " ".join(response.content.decode().split())


def rounds_in(file):
    """The text of an archive from its rounds on, to be compared byte by byte."""
    return file[file.index('"rounds":[') :]


def test_a_new_round_keeps_codes_and_shows_sentences(client):
    tournament = factories.TournamentFactory(entries=7, rounds=1)
    factories.RoundFactory(tournament=tournament)
    about = tournament.rounds.get(number=2).pairing
    assert about["reasons"] and about["certificate"][0]["proof"] in ("bound", "kernel", "whole_graph")
    page = text(client.get(f"/t/{tournament.slug}/rounds/2/proof/"))
    for codes in about["reasons"].values():
        assert all(set(reason) >= {"code"} for reason in codes)
        assert reasons_words(reasons_from_json(codes)) in page
    assert "meets the lower bound" in page


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
    loaded = load_event(event_of(json.loads(file)), slug="older")
    assert rounds_in(dump_event(loaded, with_seed=True)) == rounds_in(file)
    for slug in (tournament.slug, "older"):
        page = text(client.get(f"/t/{slug}/rounds/2/proof/"))
        assert "Paired down for the 2nd time: no one else is left" in page
        assert "meets the lower bound" in page and "exact matching on a kernel of 12 players" in page
