import io
import random
import threading
from functools import partial

import pytest
from django.core.management import call_command
from django.db import connection

from tests.factories import RoundFactory, TournamentFactory, slips_of
from tests.races.at_once import at_once, fresh, refusals
from tournament.actionlog import integrity
from tournament.models import Tournament
from tournament.services.results import match_rules, record_result

pytestmark = pytest.mark.django_db(transaction=True)
PLAYERS = 24


@pytest.fixture
def event() -> Tournament:
    tournament = TournamentFactory(entries=PLAYERS)
    RoundFactory(tournament=tournament)
    return tournament


def enter_something(tournament: Tournament, chance: random.Random) -> None:
    match = tournament.rounds.get().matches.get(table=chance.randint(1, PLAYERS // 2))
    record_result(tournament, 1, match.table, chance.choice(slips_of(match_rules(match, tournament.profile))))


def test_a_change_between_two_questions_of_a_check_is_no_fault(event):
    chance, done = random.Random(1), []

    def write_before(execute, sql, params, many, context):
        if sql.lstrip().startswith("SELECT") and not done:
            done.append(sql)
            [elsewhere] = at_once(partial(fresh, event))
            answers = at_once(partial(enter_something, elsewhere, chance))
            assert refusals(answers) == []
            done.pop()
        return execute(sql, params, many, context)

    revision = event.revision
    with connection.execute_wrapper(write_before):
        assert integrity.check(event) == []
    assert fresh(event).revision > revision + 5
    with connection.execute_wrapper(write_before):
        call_command("replay", event.slug, stdout=io.StringIO())


@pytest.mark.long
def test_beside_four_scorekeepers_nothing_is_reported(event):
    over = threading.Event()

    def keep_entering(seed: int) -> int:
        chance, count = random.Random(seed), 0
        while not over.is_set():
            enter_something(fresh(event), chance)
            count += 1
        return count

    def keep_checking() -> list[str]:
        try:
            checks = 0
            while (
                checks < 8 or fresh(event).revision < event.revision + 16
            ):  # as long as there is something beside them
                checks += 1
                call_command("fsck", event.slug, stdout=io.StringIO())
                call_command("replay", event.slug, stdout=io.StringIO())
        finally:
            over.set()
        return []

    answers = at_once(keep_checking, *(partial(keep_entering, seed) for seed in range(4)))
    assert refusals(answers) == []
    assert answers[0] == [] and sum(answers[1:]) >= 16
