import re

import pytest

from tests.factories import RoundFactory, TournamentFactory, enter_results
from tests.steps import complete_round
from tournament.actionlog.change import open_action
from tournament.event.display_names import load_public_names, public_name
from tournament.models import Tournament
from tournament.services.entries import add_entries, rename_entry
from tournament.services.event_settings import change_settings

pytestmark = pytest.mark.django_db

PEOPLE = ["Kim Lee", "Kim Larsen", "Ada Ruiz", "Zoë", "王小明", "Sol Vega Jr."]
HIDDEN = ["Lee", "Larsen", "Ruiz", "Vega"]


def choose(tournament: Tournament, privacy: str) -> None:
    change_settings(tournament, name_privacy=privacy)


def gathering(names: list[str] = PEOPLE, privacy: str = "initial", rounds: int = 1) -> Tournament:
    """A running event of people with surnames, its rounds complete."""
    tournament = TournamentFactory(entries=0)
    add_entries(tournament, names)
    for _ in range(rounds):
        enter_results(tournament, number := RoundFactory(tournament=tournament).number)
        complete_round(tournament, number)
    if privacy != "full":
        choose(tournament, privacy)
    return tournament


def source(client, tournament: Tournament, path: str = "players/", **query) -> str:
    return client.get(f"/t/{tournament.slug}/{path}", query, follow=True).content.decode()


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("Kim Lee", "Kim L."),
        ("Lee, Kim", "Kim L."),
        ("Ana Maria de la Cruz", "Ana C."),
        ("Sol Vega Jr.", "Sol V."),
        ("Zoë", "Zoë"),
        ("王小明", "王小明"),
        ("王\u3000小明", "王 小."),
        ("Ada “the fox”", "Ada F."),
        ("Ada 🦊", "Ada"),
        ("🦊 Ada", "🦊 A."),
        ("Bo e\u0301mile", "Bo E\u0301."),
        ("Kim L.", "Kim L."),
        ("W" * 80, "W" * 80),
        ("Ada, ", "Ada,"),
    ],
)
def test_a_name_is_shortened_to_first_name_and_initial(name, short):
    assert public_name(" ".join(name.split()), "", "initial") == short


def test_an_alias_stands_where_one_was_given_and_never_the_full_name_where_none_was():
    assert public_name("Kim Lee", "fox", "alias") == "fox"
    assert public_name("Kim Lee", "", "alias") == "Kim L."
    assert public_name("Kim Lee", "fox", "initial") == "Kim L."
    assert public_name("Kim Lee", "fox", "full") == "Kim Lee"
    assert public_name("Red Dragons", "", "initial", team=True) == "Red Dragons"


def test_names_that_became_equal_are_told_apart_on_every_page_alike():
    tournament = TournamentFactory(entries=0)
    add_entries(tournament, ["Kim Lee", "Kim Larsen", "Ada Ruiz"])
    choose(tournament, "initial")
    names = load_public_names(tournament)
    assert list(names.values()) == ["Kim L. (1 of 2)", "Kim L. (2 of 2)", "Ada R."]


PAGES = (
    "players/ rounds/1/ rounds/1/?by=table rounds/1/pairings/ rounds/1/proof/ standings/ standings/?by=name "
    "standings/table/ standings.csv standings.json standings/P0001/ standings/P0001/match_points/ "
    "standings/P0001/match_points.json standings/P0001/match_points/row/ players/P0001/ players/P0001/now/ "
    "players/P0003/"
).split()


def hidden_on(client, tournament: Tournament, pages: list[str]) -> dict[str, list[str]]:
    leaks = {}
    for path in pages:
        answer = client.get(f"/t/{tournament.slug}/{path}")
        assert answer.status_code == 200, path
        if leaked := [word for word in HIDDEN if word in answer.content.decode()]:
            leaks[path] = leaked
    return leaks


def test_no_public_page_file_or_search_tells_a_surname(client):
    tournament = gathering()
    assert hidden_on(client, tournament, PAGES) == {}
    assert "Kim L. (1 of 2)" in source(client, tournament, "standings.csv")
    assert "Kim L. (1 of 2)" in source(client, tournament, "rounds/1/")
    assert "Sol V." in source(client, tournament, "standings/")
    answer = source(client, tournament, q="larsen")
    assert "No player by that name. Last names are not shown here" in answer and "or last name" not in answer
    assert "Kim L. (2 of 2)" in source(client, tournament, q="kim")
    choose(tournament, "full")
    assert "Kim Larsen" in source(client, tournament, q="larsen")


def test_no_bracket_tells_a_surname(client):
    from standings.bracket.cut import make_cut

    tournament = gathering(rounds=2)
    make_cut(tournament, 4)
    pages = ["bracket/", "bracket/tree/", "screen/bracket/", "screen/bracket/part/", "bracket/print/"]
    pages += ["bracket.csv", "bracket.json", "rounds/3/", "standings/"]
    assert hidden_on(client, tournament, pages) == {}
    assert "Ada R." in source(client, tournament, "bracket.json")


def test_people_are_listed_in_the_order_of_the_names_that_show(client):
    tournament = gathering(["Ada Ruz", "Ada Rabel", "Bo Lind", "Ada Marx"])
    listed = re.findall(r'<a class="row" href="(P\d+)/">', source(client, tournament))
    assert listed == ["P0004", "P0001", "P0002", "P0003"]  # not by what is hidden


CACHED = [
    "players/", "rounds/1/", "rounds/1/pairings/", "rounds/1/proof/", "standings/", "standings/table/",
    "standings/P0001/", "players/P0001/", "players/P0001/now/", "standings.csv", "standings.json",
]  # fmt: skip


@pytest.mark.parametrize("change", ["privacy", "name", "alias"])
def test_what_phones_hold_moves_when_a_name_does(client, change):
    tournament = TournamentFactory(entries=0)
    add_entries(tournament, ["Kim Lee", "Ada Ruiz"])
    RoundFactory(
        tournament=tournament
    )  # a round that is being played: its sheet does not follow the standings
    if change == "alias":
        choose(tournament, "alias")
    home = f"/t/{tournament.slug}/"
    before = {path: client.get(home + path).headers.get("ETag") for path in CACHED}
    marks = {p: re.search(r'data-v="(.*?)"', source(client, tournament, p)) for p in CACHED}
    if change == "privacy":
        choose(tournament, "initial")
    elif change == "name":
        rename_entry(tournament, "P0001", "Kim Larsen")
    else:
        with open_action(tournament, "rename") as log:
            log.set_personal(log.tournament.entries.get(code="P0001"), alias="fox")
    for path, etag in before.items():
        if etag:
            answer = client.get(home + path, headers={"If-None-Match": etag})
            assert answer.status_code == 200, path
        if marks[path]:
            assert client.get(home + path, {"v": marks[path][1]}).status_code == 200, path
        assert "Kim Lee" not in source(client, tournament, path), path


def test_a_late_namesake_moves_the_sheet_of_the_round_that_is_being_played(client):
    tournament = TournamentFactory(entries=0)
    add_entries(tournament, ["Kim Lee", "Ada Ruiz"])
    choose(tournament, "initial")
    RoundFactory(tournament=tournament)
    assert "(1 of 2)" not in source(client, tournament, "rounds/1/")
    add_entries(tournament, ["Kim Larsen"])
    assert "Kim L. (1 of 2)" in source(client, tournament, "rounds/1/")
