"""Events share nothing: what is asked of the tables of events is asked of one event, so that they can be divided by it.

Every address is asked for once as someone who may, and each statement is looked at. It names the event, or rows of one
event by their keys; the few others are listed here.
"""

import re
from dataclasses import replace

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.tournament.access.access_table import PAGES
from tests.tournament.access.test_permissions import built, world  # noqa: F401  (fixtures)

TABLES = {
    f"tournament_{name}"
    for name in "tournament stage stageentry entry round match seat report extension penalty deckcheck decklist flag "
    "action removal staff invite pushsubscription".split()
}
IN_TABLE = re.compile(r'(?:FROM|JOIN|UPDATE) "(tournament_\w+)"')
NOT = re.compile(r"NOT \([^()]*\)")
IS = r'"? (?:=|IN) (?!\(SELECT|")'  # a value, not another column
NAMES_EVENT = re.compile(
    rf'"tournament_id{IS}|"tournament_tournament"\."(?:id|slug){IS}|^UPDATE "tournament_tournament".* id ='
)
KEYS = "id|round_id|match_id|entry_id|stage_id|opponent_id|same_person_as_id|key_hash"
NAMES_ROWS = re.compile(rf'\b(?:{KEYS}){IS}|"id" IS NULL')  # or a row that is gone
# What an address asks of many events, and why.
ACROSS = {
    "home": "lists events: a person's own, and those that are public",
    "known-players": "players of the same organizer's earlier events",
    "add-player": "the same",
    "last-names": "last names that were confirmed there",
    "remove-demo": "all demo events",
    "account-data": "what this account runs",
    "delete-account": "the same",
    "ruleset": "events that use the ruleset",
    "ruleset-version": "the same",
    "publish-ruleset": "the same",
}


@pytest.mark.long
@pytest.mark.django_db
@pytest.mark.skipif("postgresql" in settings.DATABASES["default"]["ENGINE"], reason="both are asked the same")
def test_what_is_asked_of_an_event_is_asked_of_no_other(world):  # noqa: F811
    across: dict[str, list[str]] = {}
    by_event, by_rows = 0, 0
    for name in PAGES:
        request = PAGES[name] if name != "known-players" else replace(PAGES[name], send={"name": "pl"})
        with CaptureQueriesContext(connection) as queries:
            world.ask_as_who_may(name, request)
        for sql in (NOT.sub("", query["sql"]) for query in queries.captured_queries):
            if sql.startswith("INSERT") or not TABLES.intersection(IN_TABLE.findall(sql)):
                continue
            if NAMES_EVENT.search(sql):
                by_event += 1
            elif NAMES_ROWS.search(sql):
                by_rows += 1
            else:
                across.setdefault(name, []).append(sql)
    print(f"{by_event} statements name the event, {by_rows} only rows of one")
    assert {name: asked for name, asked in across.items() if name not in ACROSS} == {}
    assert set(ACROSS) == set(across)
    assert by_event > 1000
