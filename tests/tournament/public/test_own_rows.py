"""A player's poll reads that player's rows only: it costs the same among 4,000 players as among 4."""

import json
import re

import pytest
from django.db import connection
from django.test import Client

from tests.factories import TournamentFactory
from tests.pages import page
from tests.tournament.views.desk import key
from tests.tournament.views.phones import known
from tournament.actionlog.fold import load_baseline
from tournament.archive import parse_event
from tournament.archive.load import dump_event, load_event
from tournament.models import Tournament
from tournament.services.event_settings import change_settings

pytestmark = pytest.mark.django_db

# Steps of SQLite's plans that look through all rows, or through all seats, matches or players of an event or a round.
THROUGH_ALL = re.compile(
    r"^SCAN |tournament_(seat|match|entry)\w* \((tournament_id|round_id|opponent_id)=\?\)$"
)


class Plans:
    """The steps by which SQLite finds the rows of each query that goes through it."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, str]] = []  # (query, step)

    def __call__(self, execute, sql, params, many, context):
        if sql.startswith("SELECT"):
            execute(f"EXPLAIN QUERY PLAN {sql}", params, False, context)
            self.steps += [(sql, step[-1]) for step in context["cursor"].cursor.fetchall()]
        return execute(sql, params, many, context)

    @property
    def through_all(self) -> list[tuple[str, str]]:
        return [(step, sql) for sql, step in self.steps if THROUGH_ALL.search(step)]


def polls_on(client: Client, address: str) -> list[str]:
    polls = [(tag["data-poll"], tag["data-v"]) for tag in page(client, address).soup.select("[data-poll]")]
    assert polls, address
    return [f"{poll}{'&' if '?' in poll else '?'}v={mark}" for poll, mark in polls]


def test_the_row_that_each_poll_reads_stays_small_however_many_players_were_loaded():
    played = TournamentFactory(entries=64, rounds=2, results=True)
    loaded = load_event(parse_event(json.loads(dump_event(played, with_seed=True))), slug="loaded")
    assert len(json.dumps(load_baseline(loaded))) > 30_000
    rows = [str(Tournament.objects.values().get(pk=event.pk)) for event in (played, loaded)]
    assert len(rows[1]) < len(rows[0]) + 1_000


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL reads a small table whole")
def test_polls_and_reports_of_a_phone_are_found_by_the_players_rows(client):
    event = TournamentFactory(entries=8, rounds=2, published=True)
    change_settings(event, reporting="on")
    own = known(client, event)
    pages = [own, f"{own}report/", f"/t/{event.slug}/players/P0001/"]
    polls = [poll for page in pages for poll in polls_on(client, page)]
    assert len(polls) >= 4
    plans = Plans()
    with connection.execute_wrapper(plans):
        for poll in polls * 2:  # as the view answers, and as it is given again
            assert client.get(poll).status_code == 204
        sent = {"key": key(), "what": "report", "round": 3, "slip": "20"}
        assert client.post(f"{own}report/", sent).status_code == 303
        assert plans.steps and plans.through_all == []
        for (
            poll
        ) in polls:  # the report made the own ones new: with the opponent's name, which may be another's, too
            client.get(poll)
    assert {step.split()[1] for step, _sql in plans.through_all} == {"tournament_entry"}
