"""Snapshots and whatever else services write are in a folder of the test."""

import pytest

from tests.factories import RoundFactory, TournamentFactory


@pytest.fixture(autouse=True)
def own_var(settings, tmp_path):
    settings.VAR_DIR = tmp_path


@pytest.fixture
def desk():
    tournament = TournamentFactory(entries=6)
    RoundFactory(tournament=tournament)
    return tournament
