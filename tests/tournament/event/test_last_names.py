import json
import re
from uuid import uuid4

import pytest

from tests.factories import RoundFactory, TournamentFactory
from tests.pages import Page, page
from tests.steps import complete_round
from tournament.archive import parse_event
from tournament.archive.load import dump_event, load_event
from tournament.errors import Refused
from tournament.event.display_names import (
    distinct_names,
    is_confirmed,
    listed_name,
    propose_last_name,
    sort_by_name,
    turn_name,
)
from tournament.exports import players_csv
from tournament.models import Entry
from tournament.roster.read import read_roster
from tournament.services.anonymity import anonymize_entry
from tournament.services.entries import add_entries, change_personal_fields, confirm_last_names, rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.imports import import_entries, plan_import

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
    return re.findall(r"(?:van Zyl|Ahn|Müller), \w+(?: \(\d of 2\))?", page(client, address).words)


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
    for address in (f"{desk}players/", f"{desk}players/check-in/", f"{desk}print/seatings/"):
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
        words = page(client, address).words
        assert names_on(client, address) == [] and words.index("Ada Z") < words.index("Zoe A"), address


def test_a_last_name_is_how_the_name_ends_also_where_the_family_name_stands_in_front():
    people = [("Kim Lee", "Lee"), ("Kim Leeds", "Lee"), ("Lee, Bo", "Lee"), ("Lee", "Lee"), ("Sam Lee", "")]
    shown = distinct_names((str(n), name, "playing", last) for n, (name, last) in enumerate(people))
    assert list(map(listed_name, shown.values())) == ["Lee, Kim", "Kim Leeds", "Lee, Bo", "Lee", "Sam Lee"]
    assert list(shown.values()) == [name for name, _last in people]
    people = [("1", "Yamada Taro", "playing", "Yamada"), ("2", "Aki Yamada", "playing", "Yamada")]
    people += [("3", "Zen Yamada", "playing", "Yamada"), ("4", "Bo Yamad", "playing", "Yamad")]
    assert sort_by_name(distinct_names(people)) == ["4", "2", "1", "3"]


@pytest.mark.parametrize(
    ("name", "last", "listed"),
    [
        ("Robert Downey Jr.", "Downey", "Downey, Robert Jr."),
        ("Sol Vega, Jr.", "Vega", "Vega, Sol Jr."),
        ("Loudon Wainwright III", "Wainwright", "Wainwright, Loudon III"),
        ("Yamada Taro", "Yamada", "Yamada Taro"),
        ("山田太郎", "山田", "山田太郎"),
        ("Madonna", "Madonna", "Madonna"),
        ("Gabriel García Márquez", "García Márquez", "García Márquez, Gabriel"),
    ],
)
def test_a_name_in_a_list_by_last_name(name, last, listed):
    assert turn_name(name, last) == listed


@pytest.mark.parametrize(
    ("name", "last"),
    [
        ("Ada Ash", "Ash"), ("Ludwig van Beethoven", "van Beethoven"), ("Vincent Van Gogh", "Van Gogh"),
        ("Oscar de la Hoya", "de la Hoya"), ("Jan van de Berg", "van de Berg"),
        ("Anna von Trapp", "von Trapp"), ("Maria dos Santos", "dos Santos"),
        ("José Ortega y Gasset", "Ortega y Gasset"), ("Robert Downey Jr.", "Downey"),
        ("Loudon Wainwright III", "Wainwright"), ("Sol Vega, Jr.", "Vega"),
        ("Jan de Vries Sr", "de Vries"), ("Madonna", "Madonna"), ("Player 01", "Player 01"),
        ("Ruiz, Ada", "Ruiz"), ("TANAKA Hiroshi", "TANAKA"), ("Ada RUIZ", "RUIZ"), ("山田太郎", "山田"),
        ("山田 太郎", "山田"), ("李小龙", "李"), ("欧阳娜娜", "欧阳"), ("김철수", "김"),
        ("Taro Yamada", "Yamada"), ("Gabriel García Márquez", "Márquez"), ("Иван Петров", "Петров"),
    ],
)  # fmt: skip
def test_a_last_name_is_proposed_from_the_name(name, last):
    proposal = propose_last_name(name)
    assert proposal.last_name == proposal.choices[0] == last
    assert all(is_confirmed(name, choice) for choice in proposal.choices)


def test_a_proposal_that_may_be_wrong_says_so():
    doubtful = ("Nguyễn Văn An", "Carlos Ruiz Zafón")
    assert all(propose_last_name(name).is_doubtful for name in doubtful)
    assert not any(propose_last_name(name).is_doubtful for name in ("Ada Ash", "山田太郎", "Jan van de Berg"))


def confirm(client, tournament, **choices):
    forms = page(client, f"/t/{tournament.slug}/desk/last-names/").forms
    form = next(form for form in forms if any(name.startswith("last-") for name in form.fields))
    chosen = {f"last-{code}": last for code, last in choices.items()}
    return Page(client.post(form.action, {**form.fields, **chosen}, follow=True))


def last_names_of(tournament):
    return dict(tournament.entries.order_by("code").values_list("name", "last_name"))


def test_last_names_are_confirmed_in_one_list_and_a_confirmed_one_stays(client):
    tournament = TournamentFactory(entries=0)
    client.force_login(tournament.owner)
    add_entries(tournament, ["Ada van Zyl", "Gabriel García Márquez", "Madonna", "Kim Min-jun"])
    players = f"/t/{tournament.slug}/desk/players/"
    assert "4 last names are not confirmed" in page(client, players)
    count = tournament.actions.count()
    answer = confirm(client, tournament, P0004="Kim")
    assert "4 last names confirmed." in answer and tournament.actions.count() == count + 1
    wanted = {
        "Ada van Zyl": "van Zyl",
        "Gabriel García Márquez": "Márquez",
        "Madonna": "Madonna",
        "Kim Min-jun": "Kim",
    }
    assert last_names_of(tournament) == wanted
    log = tournament.actions.order_by("-number").first()
    assert "Zyl" not in json.dumps(log.changes)
    assert "Last names confirmed: " in page(client, f"/t/{tournament.slug}/desk/log/")
    assert "not confirmed" not in page(client, players)
    late = {"key": uuid4().hex, "last-P0002": "García Márquez"}  # a page that is open since before
    client.post(f"/t/{tournament.slug}/desk/last-names/", late)
    confirm_last_names(tournament, {"P0002": "García Márquez"})
    assert last_names_of(tournament) == wanted
    change_personal_fields(tournament, "P0002", last_name="García Márquez")
    add_entries(tournament, ["Bo Lind"])
    confirm(client, tournament)
    assert last_names_of(tournament) == {
        **wanted,
        "Gabriel García Márquez": "García Márquez",
        "Bo Lind": "Lind",
    }
    other = TournamentFactory(entries=0, owner=tournament.owner, name="Next week")
    add_entries(other, ["Gabriel García Márquez"])
    confirm(client, other)
    assert last_names_of(other) == {"Gabriel García Márquez": "García Márquez"}


def test_a_last_name_that_no_longer_fits_is_asked_about_again(client):
    tournament = event_with_last_names()
    client.force_login(tournament.owner)
    rename_entry(tournament, "P0003", "Max Moser")
    confirm(client, tournament)
    assert last_names_of(tournament)["Max Moser"] == "Moser"
    with pytest.raises(Refused, match="is not a part of"):
        rename_entry(tournament, "P0003", "Max Lang")
        confirm_last_names(tournament, {"P0003": "Moser"})


def test_an_event_whose_lists_are_as_names_are_written_asks_nothing(client):
    tournament = event_with_last_names()
    add_entries(tournament, ["Kim Lee"])
    client.force_login(tournament.owner)
    change_settings(tournament, name_order="written")
    desk = f"/t/{tournament.slug}/desk/"
    assert "not confirmed" not in page(client, f"{desk}players/")
    RoundFactory(tournament=tournament, results=True)
    for end in ("players/", "players/check-in/", "print/seatings/", "print/place-cards/"):
        text = page(client, desk + end).words
        places = [text.index(name) for name in ("Ada van Zyl", "Kim Lee", "Max Müller", "Zoe Ahn (1 of 2)")]
        assert places == sorted(places), end
    for address in (f"{desk}rounds/1/print/pairings-by-name/", f"/t/{tournament.slug}/screen/pairings/"):
        assert names_on(client, address) == [], address


def test_a_long_list_is_confirmed_page_by_page(client):
    tournament = TournamentFactory(entries=0)
    client.force_login(tournament.owner)
    add_entries(tournament, [f"Somebody {chr(97 + n // 26)}{chr(97 + n % 26)}x" for n in range(300)])
    for confirmed in (200, 300):
        confirm(client, tournament)
        assert tournament.entries.exclude(last_name="").count() == confirmed


def test_a_last_name_goes_where_the_name_goes(client):
    tournament = TournamentFactory(entries=0)
    take(tournament, "Name\nAda van Zyl\nMax Müller\n")
    take(tournament, "Name;Last name\nAda van Zyl;van Zyl\nMax Müller;Mueller\n")
    assert list(tournament.entries.order_by("code").values_list("last_name", flat=True)) == ["van Zyl", ""]
    client.force_login(tournament.owner)
    code = tournament.entries.get(name="Max Müller").code
    assert page(client, f"/t/{tournament.slug}/desk/players/{code}/").all("[name=last_name]")
    change_personal_fields(tournament, code, last_name="Müller")
    assert "Müller" not in json.dumps(list(tournament.actions.values_list("changes", flat=True)))
    other = TournamentFactory(entries=0)
    take(other, players_csv(tournament))
    assert set(other.entries.values_list("last_name", flat=True)) == {"van Zyl", "Müller"}
    copy = load_event(parse_event(json.loads(dump_event(tournament, with_seed=True))), slug="copy")
    assert copy.entries.get(code=code).last_name == "Müller"
    anonymize_entry(tournament, code)
    assert Entry.objects.get(tournament=tournament, code=code).last_name == ""
    assert "Müller" not in dump_event(tournament, with_seed=True)
