"""Who of the staff enters which tables."""

import pytest

from tests.factories import UserFactory
from tests.tournament.views.desk import key, match_of, post_line, running
from tournament.errors import Refused
from tournament.history.describe import describe_actions
from tournament.models import Action, Tournament
from tournament.results.table_ranges import parse_range

pytestmark = pytest.mark.django_db


@pytest.fixture
def tournament(client):
    tournament = running(client, players=12)
    for name, role in (("ana", "scorekeeper"), ("bo", "scorekeeper"), ("judith", "judge")):
        tournament.staff.create(user=UserFactory(username=name), role=role)
    return tournament


def save(client, tournament, **ranges):
    sent = {"form-TOTAL_FORMS": len(ranges), "form-INITIAL_FORMS": len(ranges), "key": key()}
    for place, (name, tables) in enumerate(ranges.items()):
        sent |= {f"form-{place}-username": name, f"form-{place}-tables": tables}
    return client.post(f"/t/{tournament.slug}/desk/rounds/1/ranges/", sent)


def ranges(tournament):
    return list(
        tournament.staff.exclude(first_table=None).values_list("user__username", "first_table", "last_table")
    )


def test_the_desk_says_how_many_tables_each_has_open(client, tournament, django_assert_num_queries):
    page = client.get(f"/t/{tournament.slug}/desk/rounds/1/ranges/").content.decode()
    assert "ana" in page and "judith" not in page  # a judge enters no results
    assert save(client, tournament, ana="1-4", bo="3 - 6").status_code == 303
    assert sorted(ranges(tournament)) == [("ana", 1, 4), ("bo", 3, 6)]
    post_line(client, tournament, "1 20")
    post_line(client, tournament, "3 20")
    desk = client.get(f"/t/{tournament.slug}/desk/rounds/1/").content.decode()
    assert "ana has 2 open" in desk and "bo has 3 open" in desk and "back to the box" not in desk
    tournament.refresh_from_db()
    counts = f"/t/{tournament.slug}/desk/rounds/1/ranges/counts/?v="
    assert client.get(f"{counts}{tournament.revision}").status_code == 204
    assert "ana has 2 open" in client.get(f"{counts}1").content.decode()
    page = client.get(f"/t/{tournament.slug}/desk/rounds/1/ranges/").content.decode()
    assert "ana, tables 1–4: 2 open" in page
    action = Action.objects.get(tournament=tournament, kind="table ranges")
    assert "ana enters tables 1–4" in describe_actions(tournament, [action])[0].sentence
    save(client, tournament, ana="", bo="3-6")
    assert ranges(tournament) == [("bo", 3, 6)]


def test_the_list_can_be_walked_in_ones_own_range(client, tournament):
    walk = f"/t/{tournament.slug}/desk/rounds/1/walk/"
    page = client.get(walk, {"tables": "3-4"}).content.decode()
    assert 'id="walk-3"' in page and 'id="walk-4"' in page and 'id="walk-5"' not in page
    assert 'name="table" value="3"' in page and "2 outstanding" in page
    for table, following in ((3, 4), (4, 4)):
        sent = {"table": table, "slip": "20", "version": match_of(tournament, table).version, "key": key()}
        answer = client.post(walk, sent | {"tables": "3-4"})
        assert answer.url.endswith(f"?tables=3-4&table={following}" if table == 3 else "?tables=3-4&table=3")
    assert client.get(walk, {"tables": "x"}).status_code == 400


def test_a_range_that_makes_no_sense_saves_nothing(client, tournament):
    for wrong in ("5-2", "5-", "5–", "-5", "0-3", "tables", "1-99999"):
        answer = save(client, tournament, ana="1-4", bo=wrong)
        assert answer.status_code == 422 and "is no range of tables" in answer.content.decode()
    assert save(client, tournament, nobody="1-4").status_code == 404
    assert ranges(tournament) == []


def test_ends_are_said_by_the_names_of_the_tables():
    venue = Tournament(table_plan="A 1-16, B 1-16", first_table=1)
    assert parse_range("A1-A16", venue) == (1, 16) and parse_range("b2", venue) == (18, 18)
    assert parse_range("17–20", venue) == (17, 20) and parse_range(" ", venue) is None
    with pytest.raises(Refused):
        parse_range("C1-C2", venue)
