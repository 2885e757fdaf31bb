import csv
import gzip
import re
from io import StringIO

from django.db import connection
from django.test.utils import CaptureQueriesContext

from standings.bracket.cut import make_cut
from standings.bracket.results import record_bracket_result
from tests.factories import TournamentFactory
from tests.pages import Page, page
from tests.steps import undo_last
from tournament.models import Match, Seat
from tournament.results.slip import Slip
from tournament.services.entries import rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.events import finish_tournament

SCREEN, PART = "screen/bracket/", "screen/bracket/part/"
PLACES = ["", "?round=1", "?round=all", SCREEN, PART, "tree/", "tree/?round=2", "print/"]
FILES = ["bracket.csv", "bracket.json"]
EVERY = [*PLACES, *FILES]


def drawn(size: int, players: int | None = None, **fields):
    tournament = TournamentFactory(entries=players or size + 1, rounds=1, **fields)
    make_cut(tournament, size)
    return tournament


def address(tournament, more: str) -> str:
    return f"/t/{tournament.slug}/{more if more in (*FILES, SCREEN, PART) else f'bracket/{more}'}"


def get(client, tournament, more="", **headers):
    return client.get(address(tournament, more), headers=headers)


def shown(client, tournament, more="", **query) -> Page:
    return page(client, address(tournament, more), **query)


def rows_of(answer) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(answer.content.decode("utf-8-sig"))))


def win(tournament, slip=Slip("played", 2, 0)) -> Match:  # noqa: B008  (a plain value)
    open_ = Match.objects.filter(round__tournament=tournament, round__swiss=False, result=None)
    match = open_.select_related("round").order_by("round__number", "table").first()
    record_bracket_result(tournament, match.round.number, match.table, slip)
    return match


def play_out(tournament) -> None:
    while Match.objects.filter(round__tournament=tournament, round__swiss=False, result=None).exists():
        win(tournament)


def names_by_seed(tournament) -> list[str]:
    places = tournament.stages.get(kind="elimination").stage_entries.exclude(seed=None).order_by("seed")
    return ["", *places.values_list("entry__name", flat=True)]


def here(part: Page) -> list[str]:
    return part.all(".bracket-round.here h2")


def test_a_phone_shows_the_round_being_played_and_links_to_the_others(client):
    tournament = drawn(8)
    whole = shown(client, tournament)
    assert here(whole) == ["Quarterfinals"]
    chips = [whole.link(words) for words in whole.all('nav[aria-label="Bracket rounds"] a')]
    assert chips == ["?round=1", "?round=2", "?round=3", "?round=all"]
    assert whole.all('nav[aria-label="Bracket rounds"] [aria-current]') == ["Quarterfinals"]
    second = shown(client, tournament, round=2)
    assert (second.all(".before h2"), here(second)) == (["Quarterfinals"], ["Semifinals"])
    poll = str(second.one("#bracket")["data-poll"])
    assert poll == address(tournament, "tree/?round=2") and here(page(client, poll)) == ["Semifinals"]
    assert here(shown(client, tournament, round=7)) == ["Final"]
    for nonsense in ("0", "11", "-1", "x", "\x00", "9" * 400, "²"):
        assert here(shown(client, tournament, round=nonsense)) == ["Quarterfinals"], nonsense
    for _ in range(4):
        win(tournament)
    assert here(shown(client, tournament)) == ["Semifinals"]
    play_out(tournament)
    assert here(shown(client, tournament)) == ["Final"]


def test_each_round_is_a_heading_and_a_list_of_sentences_and_the_drawing_is_silent(client):
    tournament = drawn(8)
    names = names_by_seed(tournament)
    win(tournament, Slip("played", 2, 1))
    bracket = shown(client, tournament)
    assert bracket.all("#bracket-title") == ["Bracket top 8"]
    assert bracket.all(".bracket-round h2") == ["Quarterfinals", "Semifinals", "Final"]
    spoken = bracket.all(".bracket-round li > .sr")
    assert len(spoken) == len(bracket.all('li > .tree-match[aria-hidden="true"]')) == 7
    assert spoken[0] == f"Quarterfinal 1: {names[1]}, seed 1, beat {names[8]}, seed 8, 2–1."
    assert spoken[1] == f"Quarterfinal 2: {names[4]}, seed 4, plays {names[5]}, seed 5, table 2."
    assert bracket.all(".seed")[:8] == list("18452736")
    assert bracket.all(".side.win .name") == [names[1]] and "winner of Quarterfinal 2" in bracket


def test_a_new_result_is_announced_once_and_the_newest_only(client):
    tournament = drawn(4)

    def announced() -> str:
        return str(shown(client, tournament, "tree/").one("#bracket")["data-announce"])

    assert announced() == "The bracket is set."
    win(tournament)
    assert announced().startswith("Semifinal 1: Player")
    win(tournament)
    assert announced().startswith("Semifinal 2: Player")
    undo_last(tournament)
    assert re.match(r"Semifinal 2: .* plays ", announced())
    play_out(tournament)
    assert re.match(r"Final: .* beat .* Champion: Player \d+\.", announced())


def test_the_screen_has_pages_no_input_and_asks_again_by_its_mark_until_the_podium(client):
    tournament = drawn(32)
    screen = shown(client, tournament, SCREEN)
    assert len(screen.all(".screen-page.lines-16")) == 2 and len(screen.all(".screen-page.lines-8")) == 1
    assert not screen.soup.select("input, form, select, textarea")
    mark = screen.one("#screen")["data-v"]
    assert client.get(address(tournament, PART), {"v": mark}).status_code == 204
    win(tournament)
    assert client.get(address(tournament, PART), {"v": mark}).status_code == 200
    small = drawn(4, name="Small")
    play_out(small)
    finish_tournament(small)
    over = shown(client, small, PART)
    assert over.one("[data-done]") and over.all(".podium .place") == ["1st · Champion", "2nd", "3rd"]


def test_the_sheet_has_the_tree_from_the_round_asked_for(client):
    tournament = TournamentFactory(entries=16, rounds=4, with_cut=8)

    def titles(query: str) -> list[str]:
        return shown(client, tournament, f"print/{query}").all(".sheet-tree h2")

    assert titles("") == titles("?round=0") == titles("?round=all")
    assert titles("") == ["Quarterfinals", "Semifinals", "Final"]
    assert titles("?round=2") == ["Semifinals", "Final"] and titles("?round=9") == ["Final"]
    play_out(tournament)
    sheet = shown(client, tournament, "print/")
    assert sheet.one(".sheet-tree.lines-8.columns-3") and len(sheet.all(".tree-match")) == 7
    assert sheet.all(".on-paper strong")[0] == sheet.all(".side.win .name")[-1] and not sheet.forms


def test_the_files_and_the_places_say_what_the_tree_says(client):
    tournament = drawn(8)
    rename_entry(tournament, tournament.entries.first().code, "=1+1")
    play_out(tournament)
    answer = get(client, tournament, "bracket.csv")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"] == f'inline; filename="{tournament.slug}-bracket.csv"'
    rows = rows_of(answer)
    assert [row["round"] for row in rows] == ["Quarterfinals"] * 4 + ["Semifinals"] * 2 + ["Final"]
    assert not re.search(r"(^|,)=", answer.content.decode(), re.MULTILINE)
    answer = get(client, tournament, "bracket.json")
    assert answer.headers["Content-Type"] == "application/json; charset=utf-8"
    document = answer.json()
    champion = tournament.entries.get(code=document["champion"]).name
    assert rows[-1]["winner"].lstrip("'") == champion
    bracket = shown(client, tournament)
    assert f"Champion: {champion}" in str(bracket.one("#bracket")["data-title"])
    places, names = bracket.all(".places .place"), bracket.all(".places a")
    assert len(document["places"]) == len(names) == 9 and (places[0], names[0]) == ("1st", champion)
    assert set(names[:8]) == {*names_by_seed(tournament)[1:]}


def test_nothing_of_the_bracket_shows_while_it_is_held_back_or_not_there(client):
    tournament = drawn(4)
    win(tournament)
    for more in EVERY:
        assert "Player" in get(client, tournament, more).content.decode(), more  # kept from before
    change_settings(tournament, hold_standings=True)
    for more in EVERY:
        answer = get(client, tournament, more)
        assert "Player" not in answer.content.decode(), more
        assert answer.status_code == (404 if more in FILES else 200), more
        assert more in FILES or "is hiding the standings" in Page(answer), more
    before = TournamentFactory(entries=4, rounds=1)
    for more in PLACES:
        assert "after the last Swiss round" in shown(client, before, more), more
    assert rows_of(get(client, before, "bracket.csv")) == []
    assert get(client, before, "bracket.json").json()["rounds"] == []


def queries(client, tournament, more) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert get(client, tournament, more).status_code == 200
    assert not any(query["sql"].upper().startswith("BEGIN") for query in queries)
    return len(queries)


def test_a_large_bracket_takes_the_queries_of_a_small_one_and_weighs_little(client):
    small, large = drawn(2, 3), drawn(16, 17)
    for more in ("", SCREEN, "print/", *FILES):
        assert queries(client, small, more) == queries(client, large, more) <= 12, more
        assert queries(client, large, more) == 1, more  # kept
    answer = get(client, drawn(64, 66))
    assert len(answer.content) < 80_000
    assert len(gzip.compress(answer.content, 5)) < 10_000
    assert len(Page(answer).all(".tree-match")) == 63


def test_a_player_reads_whether_the_bracket_goes_on_for_them(client):
    tournament = drawn(4, 5)
    first, lost = (seat.entry.code for seat in win(tournament).seats.order_by("side"))
    in_bracket = set(Seat.objects.filter(match__round__swiss=False).values_list("entry__code", flat=True))
    out = next(entry.code for entry in tournament.entries.all() if entry.code not in in_bracket)

    def phone(code) -> Page:
        return page(client, f"/t/{tournament.slug}/players/{code}/")

    assert "Your next table" in phone(first)
    assert "If you have another match" in phone(lost) and "Your next table" not in phone(lost)
    assert "Not in the bracket" in phone(out) and "Your next table" not in phone(out)
    win(tournament)
    win(tournament)
    assert re.search("Your place: (3rd|4th)", phone(lost).words) and "Your next table" not in phone(lost)
    assert "Your place: 1st" in phone(first)
