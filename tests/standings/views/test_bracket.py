"""The bracket's pages by themselves: rounds for phones, screen, paper, files; what they cost; what is held back."""

import csv
import gzip
import html
import re
from io import StringIO

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from standings.bracket.cut import make_cut
from standings.bracket.results import record_bracket_result, record_repeat_game
from tests.factories import TournamentFactory
from tests.steps import undo_last
from tournament.history.describe import describe_actions
from tournament.models import Match, Seat
from tournament.results.slip import Slip
from tournament.services.drops import drop_entry
from tournament.services.entries import rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.events import finish_tournament

pytestmark = pytest.mark.django_db
PLACES = ["", "?round=1", "?round=all", "screen/", "screen/tree/", "tree/", "tree/?round=2", "print/"]
FILES = ["bracket.csv", "bracket.json"]
EVERY = [*PLACES, *FILES]


def drawn(size: int, players: int | None = None, **fields):
    """An event of one Swiss round whose bracket of `size` is drawn."""
    tournament = TournamentFactory(entries=players or size + 1, rounds=1, **fields)
    make_cut(tournament, size)
    return tournament


def address(tournament, more: str) -> str:
    return f"/t/{tournament.slug}/{more if more in FILES else f'bracket/{more}'}"


def get(client, tournament, more="", **headers):
    return client.get(address(tournament, more), headers=headers)


def text(answer) -> str:
    return html.unescape(answer.content.decode())


def win(tournament, slip=Slip("played", 2, 0)) -> Match:  # noqa: B008  (a plain value)
    """Enter a result of the first open match. Answers the match."""
    open_ = Match.objects.filter(round__tournament=tournament, round__swiss=False, result=None)
    match = open_.select_related("round").order_by("round__number", "table").first()
    record_bracket_result(tournament, match.round.number, match.table, slip)
    return match


def play_out(tournament) -> None:
    while Match.objects.filter(round__tournament=tournament, round__swiss=False, result=None).exists():
        win(tournament)


# --- a phone, round by round ----------------------------------------------------------------------------


def here(page: str) -> list[str]:
    """The rounds a phone shows."""
    return re.findall(r'<section class="bracket-round here[^"]*">\s*<h2>([^<]*)', page)


def test_a_phone_shows_the_round_being_played_and_links_to_the_others(client):
    tournament = drawn(8)
    page = text(get(client, tournament))
    assert here(page) == ["Quarterfinals"]
    chips = re.findall(r'<a href="\?round=(\w+)"( aria-current="true")?>([^<]*)</a>', page)
    assert [(number, name) for number, _current, name in chips] == [
        ("1", "Quarterfinals"), ("2", "Semifinals"), ("3", "Final"), ("all", "Whole bracket")
    ]  # fmt: skip
    assert [name for _number, current, name in chips if current] == ["Quarterfinals"]
    assert here(text(get(client, tournament, "?round=3"))) == ["Final"]
    for _ in range(4):
        win(tournament)
    assert here(text(get(client, tournament))) == ["Semifinals"]
    play_out(tournament)
    assert here(text(get(client, tournament))) == ["Final"]


def test_the_round_asked_for_stays_asked_for_when_the_page_renews_itself(client):
    tournament = drawn(8)
    page = text(get(client, tournament, "?round=2"))
    poll = re.search(r'data-poll="([^"]*)"', page)[1]
    assert poll == f"/t/{tournament.slug}/bracket/tree/?round=2"
    assert here(text(client.get(poll))) == ["Semifinals"]


def test_a_round_that_cannot_be_asked_for_is_the_usual_page(client):
    tournament = drawn(4)
    for size in ("0", "11", "-1", "x", "\x00", "9" * 400, "²"):
        answer = client.get(address(tournament, ""), {"round": size})
        assert answer.status_code == 200, size
        assert 'class="bracket by-round"' in text(answer), size


def test_a_round_past_the_last_is_the_final(client):
    assert here(text(get(client, drawn(4), "?round=7"))) == ["Final"]


def test_on_a_wide_screen_a_chosen_round_leaves_the_earlier_ones_out(client):
    page = text(get(client, drawn(8), "?round=2"))
    assert re.findall(r'bracket-round([^"]*)">\s*<h2>([^<]*)', page) == [
        (" before", "Quarterfinals"), (" here", "Semifinals"), ("", "Final")
    ]  # fmt: skip


# --- for ears -------------------------------------------------------------------------------------------


def test_each_round_is_a_heading_and_a_list_of_sentences_and_the_drawing_is_silent(client):
    tournament = drawn(8)
    first = win(tournament, Slip("played", 2, 1))
    page = text(get(client, tournament))
    rounds = re.findall(r"<section class=\"bracket-round.*?</section>", page, re.DOTALL)
    assert [re.search("<h2>(.*?)</h2>", r)[1] for r in rounds] == ["Quarterfinals", "Semifinals", "Final"]
    assert [r.count("<li>") for r in rounds] == [
        r.count('<div class="tree-match" aria-hidden="true">') for r in rounds
    ]
    spoken = re.findall(r'<li>\s*<p class="visually-hidden">([^<]*)</p>', page)
    names = [first.seats.get(side=side).entry.name for side in "ab"]
    assert spoken[0] == f"Quarterfinal 1: {names[0]}, seed 1, beat {names[1]}, seed 8, 2–1."
    assert len(spoken) == 7
    assert re.search(r'<h1 id="bracket-title">\s*Bracket of 8\s*</h1>', page)


def announced(client, tournament) -> str:
    return re.search(r'data-announce="([^"]*)"', text(get(client, tournament, "tree/")))[1]


def test_a_new_result_is_announced_once_and_the_newest_only(client):
    tournament = drawn(4)
    assert announced(client, tournament) == "The bracket is set."
    win(tournament)
    assert announced(client, tournament).startswith("Semifinal 1: Player")
    win(tournament)
    assert announced(client, tournament).startswith("Semifinal 2: Player")
    undo_last(tournament)
    assert re.match(r"Semifinal 2: .* plays ", announced(client, tournament))
    play_out(tournament)
    assert re.match(r"Final: .* beat .* Champion: Player \d+\.", announced(client, tournament))


# --- what can happen in a bracket ----------------------------------------------------------------------


def test_a_drawn_match_shows_its_draw_then_its_repeat_game(client):
    tournament = drawn(4, ruleset="twixt")
    first = win(tournament, Slip("played", 0, 0, 1))
    page = text(get(client, tournament))
    assert '<div class="note">drew 0–0–1; not decided yet</div>' in page
    mover = first.seats.exclude(side=first.first).get().entry.name
    assert f'<div class="note">{mover} moves first in a repeat game.</div>' in page
    record_repeat_game(tournament, first.round.number, 1, Slip("played", 0, 1))
    page = text(get(client, tournament))
    assert '<div class="note">drew 0–0–1; repeat game won 1–0</div>' in page
    assert "not decided yet" not in page
    (row,) = list(csv.DictReader(StringIO(get(client, tournament, "bracket.csv").content.decode())))[:1]
    assert (row["drawn"], row["repeat_games"], row["winner"]) == (
        "1",
        "0–1",
        first.seats.get(side="b").entry.name,
    )


def test_the_match_for_place_3_is_drawn_and_in_the_files(client):
    tournament = drawn(4, overrides={"elimination": {"third_place_match": True}})
    win(tournament)
    assert "loser of Semifinal 2" in text(get(client, tournament))
    play_out(tournament)
    page = text(get(client, tournament))
    assert re.search(r"Third-place match: Player \d+, seed \d, beat Player \d+, seed \d, 2–0\.", page)
    assert page.count('class="tree-match"') == 4
    document = get(client, tournament, "bracket.json").json()
    third = document["third_place"]
    assert third[third["winner"]]["entry"] == document["places"][2]["entry"]
    assert "with-third" in text(get(client, tournament, "screen/"))


def test_where_each_round_is_seeded_anew_no_lines_are_drawn(client):
    tournament = drawn(8, overrides={"elimination": {"reseed": True}})
    assert 'class="bracket by-round loose"' in text(get(client, tournament))
    assert "by seed, after the previous round" in text(get(client, tournament))
    play_out(tournament)
    assert "still in" not in text(get(client, tournament))


def test_who_leaves_the_bracket_is_named_or_the_best_seed_has_the_bye(client):
    for ruleset, words in (("cardeio", "Semifinal 2: {2}, seed 2, has a bye: {3} dropped."),
                          ("mtr", "Semifinal 1: {1}, seed 1, has a bye.")):  # fmt: skip
        tournament = drawn(4, ruleset=ruleset, name=ruleset)
        places = tournament.stages.get(kind="elimination").stage_entries.exclude(seed=None).order_by("seed")
        names = ["", *places.values_list("entry__name", flat=True)]
        drop_entry(tournament, places[2].entry.code)
        assert words.format(*names) in text(get(client, tournament))


# --- screen and paper -----------------------------------------------------------------------------------


def test_the_screen_has_pages_no_input_and_asks_again_by_its_mark(client):
    tournament = drawn(32)
    page = text(get(client, tournament, "screen/"))
    assert page.count('class="screen-page lines-16') == 2
    assert page.count('class="screen-page lines-8') == 1
    assert not re.search(r"<(input|form|select|textarea)", page)
    mark = re.search(r'data-v="([^"]*)"', page)[1]
    assert client.get(address(tournament, "screen/tree/"), {"v": mark}).status_code == 204
    win(tournament)
    assert client.get(address(tournament, "screen/tree/"), {"v": mark}).status_code == 200


def test_the_screen_ends_with_the_podium_and_stops_asking(client):
    tournament = drawn(4)
    play_out(tournament)
    finish_tournament(tournament)
    page = text(get(client, tournament, "screen/tree/"))
    assert "data-done" in page
    assert re.findall(r'<span class="place">(\w+)', page) == ["1st", "2nd", "3rd"]


def test_the_sheet_has_the_whole_tree(client):
    tournament = drawn(8)
    play_out(tournament)
    page = text(get(client, tournament, "print/"))
    assert 'class="sheet-tree lines-8 columns-3"' in page
    assert page.count('class="tree-match"') == 7
    assert page.count("<form") == 0
    assert "1st <strong>" in page


def test_the_sheet_begins_with_the_round_asked_for(client):
    tournament = TournamentFactory(entries=16, rounds=4, with_cut=8)

    def titles(query: str) -> list[str]:
        page = client.get(f"/t/{tournament.slug}/bracket/print/{query}").content.decode()
        return re.findall(r"<h2>(.*?)</h2>", page.split('class="sheet-tree')[1])

    assert (
        titles("") == titles("?round=0") == titles("?round=all") == ["Quarterfinals", "Semifinals", "Final"]
    )
    assert titles("?round=2") == ["Semifinals", "Final"]
    assert titles("?round=9") == ["Final"]


# --- files ----------------------------------------------------------------------------------------------


def test_the_files_say_what_the_page_says(client):
    tournament = drawn(8)
    rename_entry(tournament, tournament.entries.first().code, "=1+1")
    play_out(tournament)
    answer = get(client, tournament, "bracket.csv")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"] == f'inline; filename="{tournament.slug}-bracket.csv"'
    rows = list(csv.DictReader(StringIO(answer.content.decode())))
    assert [row["round"] for row in rows] == ["Quarterfinals"] * 4 + ["Semifinals"] * 2 + ["Final"]
    assert not re.search(r"(^|,)=", answer.content.decode(), re.MULTILINE)
    answer = get(client, tournament, "bracket.json")
    assert answer.headers["Content-Type"] == "application/json; charset=utf-8"
    document = answer.json()
    champion = tournament.entries.get(code=document["champion"]).name
    assert rows[-1]["winner"].lstrip("'") == champion
    assert len(document["places"]) == 9
    assert f"Champion: {champion}" in text(get(client, tournament))


def test_each_is_shared_by_caches_and_never_sent_twice(client):
    tournament = drawn(4)
    tags = {}
    for more in EVERY:
        answer = get(client, tournament, more)
        assert answer.status_code == 200, more
        assert answer.headers["Cache-Control"] == "public, no-cache", more
        assert "Cookie" not in answer.headers.get("Vary", "") and not answer.cookies, more
        if "tree/" not in more:  # those are polled by mark
            tags[more] = {"If-None-Match": answer.headers["ETag"]}
            assert get(client, tournament, more, **tags[more]).status_code == 304, more
    win(tournament)
    assert {get(client, tournament, more, **tag).status_code for more, tag in tags.items()} == {200}


def test_while_standings_are_held_back_nothing_of_the_bracket_shows(client):
    tournament = drawn(4)
    win(tournament)
    for more in EVERY:
        assert "Player" in text(get(client, tournament, more)), more  # kept from before
    change_settings(tournament, hold_standings=True)
    for more in EVERY:
        answer = get(client, tournament, more)
        assert "Player" not in text(answer), more
        assert answer.status_code == (404 if more in FILES else 200), more
        assert more in FILES or "is hiding the standings" in text(answer), more


def test_an_event_that_is_set_up_gives_nothing(client):
    tournament = TournamentFactory(entries=0)
    type(tournament).objects.filter(pk=tournament.pk).update(state="draft")
    assert {get(client, tournament, more).status_code for more in EVERY} == {404}


def test_before_the_cut_there_is_an_empty_bracket(client):
    tournament = TournamentFactory(entries=4, rounds=1)
    for more in set(EVERY).difference(FILES):
        assert "after the last Swiss round" in text(get(client, tournament, more)), more
    assert text(get(client, tournament, "bracket.csv")).count("\r\n") == 1
    assert get(client, tournament, "bracket.json").json()["rounds"] == []


# --- cost -----------------------------------------------------------------------------------------------


def queries(client, tournament, more) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert get(client, tournament, more).status_code == 200
    assert not any(query["sql"].upper().startswith("BEGIN") for query in queries)
    return len(queries)


def test_a_large_bracket_takes_the_queries_of_a_small_one(client):
    small, large = drawn(2, 3), drawn(16, 17)
    for more in ("", "screen/", "print/", *FILES):
        assert queries(client, small, more) == queries(client, large, more) <= 12, more
        assert queries(client, large, more) == 1, more  # kept


def test_sixty_four_entrants_weigh_little(client):
    tournament = drawn(64, 66)
    answer = get(client, tournament)
    assert len(answer.content) < 80_000
    assert len(gzip.compress(answer.content, 5)) < 10_000
    assert text(answer).count('class="tree-match"') == 63


def test_standings_and_bracket_lead_to_one_another(client):
    tournament = drawn(4)
    assert f'<a href="/t/{tournament.slug}/standings/">Standings after' in text(get(client, tournament))
    page = text(client.get(f"/t/{tournament.slug}/standings/"))
    assert f'<a href="/t/{tournament.slug}/bracket/">Bracket and podium</a>' in page
    assert "Bracket and podium" not in text(
        client.get(f"/t/{TournamentFactory(entries=4, rounds=1).slug}/standings/")
    )


def test_where_the_rules_stop_naming_places_the_page_says_that_it_is_our_reading(client):
    twixt, magic = drawn(8, ruleset="twixt"), drawn(8)
    assert "are our reading" in text(client.get(f"/t/{twixt.slug}/bracket/"))
    assert "are our reading" not in text(client.get(f"/t/{magic.slug}/bracket/"))


# --- players --------------------------------------------------------------------------------------------


def test_whoever_lost_in_the_bracket_is_not_promised_a_table(client):
    tournament = drawn(4)
    lost = win(tournament).seats.get(side="b").entry.code
    page = text(client.get(f"/t/{tournament.slug}/players/{lost}/"))
    assert "If you have another match" in page and "Your next table" not in page


def test_a_player_reads_whether_the_bracket_goes_on_for_them(client):
    tournament = drawn(4, 5)
    first, lost = (seat.entry.code for seat in win(tournament).seats.order_by("side"))
    in_bracket = set(Seat.objects.filter(match__round__swiss=False).values_list("entry__code", flat=True))
    out = next(entry.code for entry in tournament.entries.all() if entry.code not in in_bracket)

    def page(code):
        return text(client.get(f"/t/{tournament.slug}/players/{code}/"))

    assert "Your next table" in page(first)
    assert "Not in the bracket" in page(out) and "Your next table" not in page(out)
    win(tournament)
    win(tournament)
    assert re.search("Your place: (3rd|4th)", page(lost)) and "Your next table" not in page(lost)
    assert "Your place: 1st" in page(first)


def test_the_log_says_how_many_the_bracket_has_and_no_setting(client):
    tournament = drawn(4)
    (cut,) = describe_actions(tournament, tournament.actions.filter(kind="cut"))
    assert "bracket of the top 4 set" in cut.sentence and "cut none" not in cut.sentence
