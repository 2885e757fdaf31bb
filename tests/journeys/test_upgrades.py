"""Databases as earlier versions left them, in the middle of their events: they migrate, and say what they said."""

import sqlite3
from contextlib import closing

import pytest
from django.core.management import call_command
from django.db import connection

from pairings.draft.services import draft_next_round
from tests.factories import enter_results
from tests.upgrades.files import FOLDER, read_file, said_of
from tournament.actionlog import integrity, triggers
from tournament.actionlog.fold import baseline_of
from tournament.config.health import find_problems
from tournament.event.replay import differences_from_log
from tournament.models import Entry, Tournament
from tournament.services.rounds import publish_round

FILES = sorted(FOLDER.glob("*.json.gz"))


@pytest.fixture
def other_database(django_db_setup, django_db_blocker, tmp_path):
    """The connection, to a new file."""
    if connection.vendor != "sqlite":
        pytest.skip("the databases that were kept are SQLite's; the migrations are the same")
    tests_own = connection.settings_dict["NAME"]
    with django_db_blocker.unblock():
        connection.close()
        connection.settings_dict["NAME"] = str(tmp_path / "old.sqlite3")
        yield tmp_path / "old.sqlite3"
        connection.close()
        connection.settings_dict["NAME"] = tests_own


def test_there_are_databases_to_upgrade():
    assert len(FILES) >= 4


@pytest.mark.long
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name.split(".json")[0])
def test_a_running_event_goes_on_in_this_version(other_database, tmp_path, file):
    kept = read_file(file)
    with closing(sqlite3.connect(other_database)) as old:
        old.executescript(kept["sql"])
    call_command("migrate", verbosity=0, interactive=False)
    assert find_problems() == triggers.missing_triggers() == []
    for slug, expected in kept["expected"].items():
        tournament = Tournament.objects.get(slug=slug)
        assert integrity.check(tournament) == []
        assert differences_from_log(tournament) == []
        assert said_of(tournament, tmp_path) == expected
    running = Tournament.objects.get(slug="running")
    enter_results(running, running.rounds.order_by("-number").first().number)
    draft_next_round(running)
    number = running.rounds.order_by("-number").first().number
    publish_round(running, number)
    enter_results(running, number)
    assert integrity.check(running) == differences_from_log(running) == []
    assert file.name.startswith("0001") or Entry.objects.get(name="Late Lou").contact == "lou@mail.example"


@pytest.mark.long
def test_what_an_event_was_loaded_with_comes_along_and_goes_back(other_database):
    with closing(sqlite3.connect(other_database)) as old:
        old.executescript(read_file(FOLDER / "0030.json.gz")["sql"])
        old.execute("UPDATE tournament_tournament SET baseline = '{\"rounds/1\": {}}' WHERE slug = 'running'")
        old.commit()
    call_command("migrate", verbosity=0, interactive=False)
    loaded, other = (Tournament.objects.get(slug=slug) for slug in ("running", "cup"))
    assert (baseline_of(loaded), baseline_of(other)) == ({"rounds/1": {}}, {})
    call_command("migrate", "tournament", "0035", verbosity=0, interactive=False)
    with closing(sqlite3.connect(other_database)) as old:
        facts = dict(old.execute("SELECT slug, baseline FROM tournament_tournament"))
    assert (facts["running"], facts["cup"]) == ('{"rounds/1": {}}', "{}")
