"""A table is called by the name that the event's plan gives it, wherever it is printed, read or typed."""

import html
import re

import pytest
from django.core.exceptions import ValidationError

from tests.factories import RoundFactory, TournamentFactory, enter_results
from tournament.errors import WrongState
from tournament.forms.table_fields import TablesField
from tournament.models import Match, Seat
from tournament.services.entries import change_entry
from tournament.services.event_settings import change_settings

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(client):
    """Round 1 of eight players at the tables A1, A2, B1 (number 3) and B2, of whom one has a fixed table."""
    tournament = TournamentFactory(entries=8, rounds=1, published=True, table_plan="A 1-2, B 1-2, Feature 1")
    client.force_login(tournament.owner)
    return tournament


def text_of(client, tournament, path):
    return html.unescape(client.get(f"/t/{tournament.slug}/{path}").content.decode())


def test_every_page_and_sheet_says_b1_and_none_says_table_3(client, event):
    code = Match.objects.get(round__tournament=event, round__number=2, table=3).seats.first().entry.code
    for path in (
        "desk/rounds/2/",
        "desk/rounds/2/print/slips/",
        "desk/rounds/2/print/pairings-by-name/",
        "desk/rounds/2/print/master-result-sheet/",
        "desk/print/seatings/",
        "desk/print/place-cards/",
        "desk/rounds/1/tables/3/correct/",
        "rounds/2/",
        "rounds/2/?by=table",
        f"players/{code}/",
        "desk/exports/round-2.csv",
    ):
        answer = client.get(f"/t/{event.slug}/{path}")
        text = html.unescape(answer.content.decode())
        assert answer.status_code == 200, path
        assert "B1" in text, path
        assert not re.search(r"[Tt]able\s+3\b|<(td|b)[^>]*>3</\1>", text), path


def test_the_box_takes_the_name_and_the_bare_number_and_the_log_says_the_name(client, event):
    box = f"/t/{event.slug}/desk/rounds/2/box/"
    for key, line in enumerate(("b1 20", "B 2 20", "1 20", "+5 a2")):
        assert client.post(box, {"text": line, "key": f"k{key}"}).status_code == 303, line
    nobody = client.post(box, {"text": "feature 1 20", "key": "k9"})
    assert nobody.status_code == 404 and "Round 2 has no table Feature 1." in html.unescape(
        nobody.content.decode()
    )
    results = Match.objects.filter(round__tournament=event, round__number=2).order_by("table")
    assert [match.result for match in results] == ["played", None, "played", "played"]
    log = text_of(client, event, "desk/log/")
    assert all(
        words in log for words in ("Table B1, round 2:", "Table A1, round 2:", "Table A2, round 2: 5-minute")
    )
    assert "Type A2 x1" in client.post(box, {"text": "a2 x", "key": "x"}).content.decode()


def test_a_plan_does_not_rename_a_table_at_which_somebody_plays(event):
    change_settings(event, table_plan="A 1-2, B 1-40")  # more of them
    with pytest.raises(WrongState, match="Table A1 is in use"):
        change_settings(event, table_plan="Red 1-2, B 1-2")
    enter_results(event, 2)
    RoundFactory(tournament=event)


def test_the_public_page_is_made_anew_for_a_new_plan(client):
    tournament = TournamentFactory(entries=4, rounds=1)
    assert "A1" not in text_of(client, tournament, "rounds/1/?by=table")
    change_settings(tournament, table_plan="A 1-2")
    assert "A1" in text_of(client, tournament, "rounds/1/?by=table")


def test_tables_are_skipped_by_name(client, event):
    address, seen = f"/t/{event.slug}/desk/settings/", {"name": event.name, "table_plan": event.table_plan}
    kept = {
        **seen,
        "first_table": 1,
        "name_privacy": "full",
        "reporting": "off",
        "decklist_rule": "off",
        "feature_rule": "hand",
        "vary_tables": "on",
        "listed": "True",
    }
    answer = client.post(address, {**kept, "skip_tables": "A2, feature 1, 40-42 44"})
    assert answer.status_code == 303
    event.refresh_from_db()
    assert event.skip_tables == [2, 40, 41, 42, 44, 9001]
    assert 'value="A2, 40-42, 44, Feature 1"' in text_of(client, event, "desk/settings/")
    assert client.post(address, {**kept, "skip_tables": "A99"}).status_code == 422


def test_a_fixed_table_is_called_by_its_name(client, event):
    change_entry(event, "P0005", fixed_table=4)
    assert "fixed table B2" in text_of(client, event, "desk/players/")
    form = {"key": "k", "awarded_byes": 0, "fixed_table": "b 1"}
    assert client.post(f"/t/{event.slug}/desk/players/P0005/pairing/", form).status_code == 303
    assert 'value="B1"' in text_of(client, event, "desk/players/P0005/")
    answer = client.post(
        f"/t/{event.slug}/desk/players/P0005/pairing/", {**form, "key": "l", "fixed_table": "C1"}
    )
    assert answer.status_code == 422 and "by its number or its name" in answer.content.decode()
    change_entry(event, "P0005", fixed_table=4)
    with pytest.raises(WrongState, match="Table B2 is the fixed table"):
        change_entry(event, "P0006", fixed_table=4)


def test_the_name_of_a_table_is_text_in_the_help_of_a_field_too(client):
    tournament = TournamentFactory(entries=8, published=True, table_plan="A<b>bold</b> 1-4")
    client.force_login(tournament.owner)
    page = client.get(f"/t/{tournament.slug}/desk/penalties/new/?player=P0001").content.decode()
    assert "match at table A&lt;b&gt;bold&lt;/b&gt;" in page and "<b>bold" not in page


def test_a_run_of_tables_is_typed_by_its_names(client, event):
    field = TablesField()
    field.venue = event
    assert field.clean("A1-A2, b2") == [1, 2, 4]
    assert field.clean("A2 – B2, Feature 1") == [2, 3, 4, 9001]
    for text in ("B2-A1", "A1-Z9", "A1-"):
        with pytest.raises(ValidationError, match="Enter table numbers such as"):
            field.clean(text)


def test_each_match_of_a_players_page_leads_to_the_opponent(client, event):
    seat = Seat.objects.filter(round__tournament=event, round__number=1, entry__code="P0001").get()
    address = f"/t/{event.slug}/players/{seat.opponent.code}/"
    page = text_of(client, event, "players/P0001/")
    assert re.search(rf'<a href="{address}">[^<]*{re.escape(seat.opponent.name)}', page)
