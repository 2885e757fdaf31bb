import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction

from tests.conftest import ROOT
from tests.factories import TournamentFactory
from tests.journeys.play import Play
from tests.steps import undo_last
from tests.tournament.actionlog.test_database_role import grant_rights
from tournament.actionlog import integrity, triggers
from tournament.models import Action, Seat

pytestmark = [pytest.mark.django_db, pytest.mark.only_on("postgresql")]
HOMES = "SELECT DISTINCT tableoid::regclass::text FROM {} ORDER BY 1"


def ask(statement: str) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


def test_an_event_goes_on_in_partitions_by_event():
    before = TournamentFactory(entries=8, rounds=2)
    held = {model: list(model.objects.order_by("pk").values()) for model in (Action, Seat)}
    ask("SET CONSTRAINTS ALL IMMEDIATE")
    ask((ROOT / "deploy" / "partition.sql").read_text(encoding="utf-8"))
    call_command("migrate", verbosity=0)
    assert triggers.missing_triggers() == []
    ask("CREATE ROLE swiss_of_partitions")
    grant_rights("swiss_of_partitions")
    rights = [
        ("tournament_action", "INSERT", True),
        ("tournament_action", "UPDATE", False),
        ("tournament_action_0", "UPDATE", False),
    ]
    for table, right, has in rights:
        assert ask(f"SELECT has_table_privilege('swiss_of_partitions', '{table}', '{right}')") == [(has,)]
    for model, rows in held.items():
        assert list(model.objects.order_by("pk").values()) == rows
        assert ask(HOMES.format(model._meta.db_table)) == [(f"{model._meta.db_table}_0",)]
    later = TournamentFactory(entries=8, rounds=3)
    undo_last(later)
    play = Play("fide", seed=3)
    for _ in range(80):
        play.take_a_step()
    assert [integrity.check(event) for event in (before, later, play.tournament)] == [[], [], []]
    assert play.tournament.actions.count() > 10
    refused = (
        (later.seats.first(), "seats join only open rounds"),
        (later.actions.first(), "unique constraint"),
    )
    for row, why in refused:
        row.pk = None
        with pytest.raises(IntegrityError, match=why), transaction.atomic():
            row.save(force_insert=True)
    plan = str(later.actions.all().explain())
    assert "tournament_action_0" in plan and "tournament_action_1" not in plan
