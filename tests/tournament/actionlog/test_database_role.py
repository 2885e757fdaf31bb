import os
import re
import secrets
from contextlib import contextmanager

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client

from tests.conftest import ROOT
from tests.factories import TWO_NIL, RoundFactory, TournamentFactory, UserFactory, enter_results
from tests.steps import complete_round, undo_last
from tests.tournament.access.authenticator import CODES, set_up
from tests.tournament.views.desk import key
from tournament.actionlog import integrity
from tournament.config.health import find_problems
from tournament.management.commands.serve import _owns_tables
from tournament.models import Action, RulesetVersion
from tournament.services.accounts import delete_account
from tournament.services.anonymity import anonymize_entry
from tournament.services.corrections import correct_result
from tournament.services.drops import drop_entry
from tournament.services.events import delete_event
from tournament.services.results import record_result

ROLE = f"swiss_app_{os.getpid()}"


def grant_rights(role: str) -> None:
    statements = (ROOT / "deploy" / "role.sql").read_text(encoding="utf-8")
    with connection.cursor() as cursor:
        cursor.execute(re.sub(r"\bswiss\b", role, statements))


@pytest.fixture
def role(transactional_db):
    """A context manager that connects as a role with the rights of deploy/role.sql."""
    password, owner = secrets.token_hex(8), dict(connection.settings_dict)
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE ROLE {ROLE} LOGIN PASSWORD '{password}'")
    grant_rights(ROLE)

    @contextmanager
    def connected():
        connection.close()
        connection.settings_dict |= {"USER": ROLE, "PASSWORD": password}
        try:
            yield
        finally:
            connection.close()
            connection.settings_dict |= owner

    yield connected
    with connection.cursor() as cursor:
        cursor.execute(f"DROP OWNED BY {ROLE}")
        cursor.execute(f"DROP ROLE {ROLE}")


LEFT_TO_TRIGGERS = (  # these columns the role may write and these rows delete, and a trigger looks
    "UPDATE tournament_action SET actor = 'nobody'",
    "UPDATE tournament_action SET reason = 'other'",
    "DELETE FROM tournament_action",
)


@pytest.mark.only_on("postgresql")
def test_the_app_runs_as_the_role_and_the_guards_stay(role):
    with role():
        whole_event()
        tournament = TournamentFactory(entries=4, published=True)
        assert not _owns_tables() and find_problems() == []
        with connection.cursor() as cursor:
            cursor.execute(f"GRANT ALL ON tournament_action TO {ROLE}")  # a warning, and nothing granted
        for statement in (
            "TRUNCATE tournament_action CASCADE",
            "TRUNCATE tournament_flag",
            "DROP TRIGGER actions_are_never_updated ON tournament_action",
            "ALTER TABLE tournament_action DISABLE TRIGGER ALL",
            "ALTER TABLE tournament_seat DROP CONSTRAINT no_entry_against_itself",
            "DROP TABLE tournament_flag",
            "CREATE TABLE mine (id int)",
            "CREATE OR REPLACE FUNCTION actions_are_never_updated() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RETURN NEW; END $$",
            "SET session_replication_role = replica",
            "UPDATE tournament_action SET number = 99",
            *LEFT_TO_TRIGGERS,
            "UPDATE tournament_rulesetversion SET version = 9",
            "DELETE FROM tournament_rulesetversion",
            "DELETE FROM django_migrations",
        ):
            why = None if statement in LEFT_TO_TRIGGERS else "permission denied|must be owner"
            with pytest.raises(DatabaseError, match=why), transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(statement)
                pytest.fail(statement)
        assert integrity.check(tournament) == []
        delete_event(tournament, tournament.name)
        assert not Action.objects.filter(tournament=tournament.pk).exists()
    assert _owns_tables() and RulesetVersion.objects.exists()


def whole_event() -> None:
    """An event from sign-in to its end, with what changes rows in unusual ways."""
    client, owner = Client(), UserFactory()
    client.force_login(owner)  # sessions
    client.post("/account/confirm/", {"password": "a good long password"})
    assert set_up(client)[1]["Location"] == CODES
    tournament = TournamentFactory(entries=5, owner=owner)
    assert (
        client.post(f"/t/{tournament.slug}/desk/players/", {"names": "Ada", "key": key()}).status_code == 303
    )
    RoundFactory(tournament=tournament)
    record_result(tournament, 1, 1, TWO_NIL)
    undo_last(tournament)
    enter_results(tournament, 1)
    complete_round(tournament, 1)
    correct_result(tournament, 1, 1, TWO_NIL, reason="Wrong side")
    helper = UserFactory()
    drop_entry(tournament, "P0002", actor=helper)
    delete_account(helper)  # writes the log's names anew
    anonymize_entry(tournament, "P0006")  # writes the log's texts anew
    assert integrity.check(tournament) == []
