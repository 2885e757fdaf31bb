"""Last names: known from a file or the player's page, lists by name begin with them wherever whole names show."""

import html
import json
import re

import pytest

from tests.factories import RoundFactory, TournamentFactory
from tests.steps import complete_round
from tournament.archive import event_of
from tournament.archive.load import dump_event, load_event
from tournament.exports.staff_csv import players_csv
from tournament.models import Entry
from tournament.roster.read import read_roster
from tournament.services.anonymity import anonymize_entry
from tournament.services.entries import change_personal_fields
from tournament.services.event_settings import change_settings
from tournament.services.imports import import_entries, plan_import
from tournament.text.display_names import distinct_names, listed_name

pytestmark = pytest.mark.django_db

FILE = "First name;Last name\nAda;van Zyl\nZoe;Ahn\nMax;Müller\nZoe;Ahn\n"


def take(tournament, text):
    people = [line.fields for line in read_roster(text.encode()).lines]
    import_entries(tournament, people, plan_import(tournament, people).digest)


def event_with_last_names():
    tournament = TournamentFactory(entries=0)
    take(tournament, FILE)
    return tournament


def names_on(client, address: str) -> list[str]:
    page = html.unescape(client.get(address).content.decode())
    return re.findall(r"(?:van Zyl|Ahn|Müller), \w+(?: \(\d of 2\))?", page)


BY_LAST_NAME = ["Ahn, Zoe (1 of 2)", "Ahn, Zoe (2 of 2)", "Müller, Max", "van Zyl, Ada"]


def test_lists_by_name_begin_with_last_names_from_a_file(client):
    tournament = event_with_last_names()
    assert list(tournament.entries.order_by("code").values_list("name", "last_name")) == [
        ("Ada van Zyl", "van Zyl"),
        ("Zoe Ahn", "Ahn"),
        ("Max Müller", "Müller"),
        ("Zoe Ahn", "Ahn"),
    ]
    client.force_login(tournament.owner)
    desk = f"/t/{tournament.slug}/desk/"
    for address in (f"{desk}players/", f"{desk}check-in/", f"{desk}print/seatings/"):
        assert names_on(client, address) == BY_LAST_NAME, address
    RoundFactory(tournament=tournament, results=True)
    assert names_on(client, f"{desk}rounds/1/print/pairings-by-name/") == BY_LAST_NAME
    assert names_on(client, f"/t/{tournament.slug}/screen/pairings/") == BY_LAST_NAME
    assert names_on(client, f"/t/{tournament.slug}/players/") == BY_LAST_NAME
    complete_round(tournament, 1)
    assert names_on(client, f"{desk}rounds/1/print/standings-by-name/") == BY_LAST_NAME
    assert names_on(client, f"{desk}rounds/1/print/standings-by-rank/") == []
    change_settings(tournament, name_privacy="initial")
    for address in (f"/t/{tournament.slug}/players/", f"/t/{tournament.slug}/screen/pairings/"):
        page = client.get(address).content.decode()
        assert names_on(client, address) == [] and page.index("Ada Z") < page.index("Zoe A"), address


def test_a_last_name_is_how_the_name_ends():
    shown = distinct_names(
        [
            ("1", "Kim Lee", "playing", "Lee"),
            ("2", "Kim Leeds", "playing", "Lee"),
            ("3", "Lee, Bo", "playing", "Lee"),
            ("4", "Lee", "playing", "Lee"),
            ("5", "Sam Lee", "playing", ""),
        ]
    )
    assert [listed_name(name) for name in shown.values()] == [
        "Lee, Kim",
        "Kim Leeds",
        "Lee, Bo",
        "Lee",
        "Sam Lee",
    ]
    assert next(iter(shown.values())) == "Kim Lee"


def test_a_last_name_goes_where_the_name_goes(client):
    tournament = TournamentFactory(entries=0)
    take(tournament, "Name\nAda van Zyl\nMax Müller\n")
    take(tournament, "Name;Last name\nAda van Zyl;van Zyl\nMax Müller;Mueller\n")
    assert list(tournament.entries.order_by("code").values_list("last_name", flat=True)) == ["van Zyl", ""]
    client.force_login(tournament.owner)
    code = tournament.entries.get(name="Max Müller").code
    page = client.get(f"/t/{tournament.slug}/desk/players/{code}/").content.decode()
    assert 'name="last_name"' in page
    change_personal_fields(tournament, code, last_name="Müller")
    assert "Müller" not in json.dumps(list(tournament.actions.values_list("changes", flat=True)))
    other = TournamentFactory(entries=0)
    take(other, players_csv(tournament))
    assert set(other.entries.values_list("last_name", flat=True)) == {"van Zyl", "Müller"}
    copy = load_event(event_of(json.loads(dump_event(tournament, with_seed=True))), slug="copy")
    assert copy.entries.get(code=code).last_name == "Müller"
    anonymize_entry(tournament, code)
    assert Entry.objects.get(tournament=tournament, code=code).last_name == ""
    assert "Müller" not in dump_event(tournament, with_seed=True)
