"""Which rounds a correction calls later ones: those of the same players, no others."""

import pytest

from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tests.pairings.views.test_corrections import correct, post
from tournament.services.entries import add_entries
from tournament.services.stages import add_stage

pytestmark = pytest.mark.django_db


def test_a_round_of_another_session_is_not_concerned(client):
    owner = UserFactory()
    client.force_login(owner)
    event = TournamentFactory(entries=8, rounds=1, owner=owner)
    add_stage(event)
    add_entries(event, ["Ada", "Bo", "Cy", "Di"], stage=2)
    assert RoundFactory(tournament=event, flight=2).number == 2
    page = post(client, event).content.decode()
    assert "What changes" in page and "Round 2 stays" not in page and "repair round 2" not in page
    assert "/repair/" not in correct(client, event)["Location"]
