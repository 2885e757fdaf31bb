import csv
import io
import re
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction as F

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from standings.bracket.results import record_bracket_result
from standings.engine.metrics import METRICS
from standings.paper.lists import standings_by_rank
from standings.table import sheet
from standings.table.derivation import draw_rank_picture
from standings.table.places import rank_final_places
from standings.table.sheet import EXACT, rankings
from standings.table.swiss import compute_standings, ranks_by_round, standings_json
from standings.words.metrics import explain_param, metric_title
from tests.factories import TWO_NIL, TournamentFactory
from tests.pages import page
from tests.standings.engine.builders import event, match
from tests.standings.views.test_standings import club, codes_in, shown
from tournament import archive
from tournament.archive.load import load_event
from tournament.event.read import load_event_values
from tournament.exports import unguard_cell
from tournament.models import Entry
from tournament.paper.paper_list import EventPaper
from tournament.public.response_cache import response_cache
from tournament.services.entries import rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.stages import add_stage

pytestmark = pytest.mark.django_db


def read_csv(answer):
    """The lines of a sheet: numbers as int, the exact columns as Fraction, everything else as text."""
    lines = []
    for row in csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))):
        line = {}
        for name, cell in row.items():
            value = unguard_cell(cell)
            if name in ("rank", "wins", "losses", "draws", "not_played", "place"):
                line[name] = int(value)
            else:
                line[name] = F(value) if name.endswith(EXACT) else value
        lines.append(line)
    return lines


def file(client, tournament, path: str):
    return client.get(f"/t/{tournament.slug}/{path}")


def label(tournament, **labels) -> None:
    for code, names in labels.items():
        Entry.objects.filter(tournament=tournament, code=code).update(labels=names)


# --- orders, rounds, labels ------------------------------------------------------------------------------


def test_standings_by_name_and_after_an_earlier_round_and_as_json_of_the_command(client):
    tournament = club()
    rename_entry(tournament, "P0009", "Ada Ruiz")
    by_name = codes_in(shown(client, tournament, by="name"))
    assert by_name[0] == "P0009" and sorted(by_name) == sorted(codes_in(shown(client, tournament)))
    earlier, ranking = shown(client, tournament, after=2), compute_standings(load_event_values(tournament), 2)
    assert "Standings after round 2" in earlier and codes_in(earlier) == ranking.order
    assert not earlier.soup.select("[data-poll]")
    assert earlier.one('a[href="P0001/match_points/?after=2"]')
    number = shown(client, tournament, "standings/P0001/match_points/", after=2)
    assert f"Match points = {ranking.row('P0001').values[0]}" in number
    data = file(client, tournament, "standings.json").json()
    printed = standings_json(load_event_values(tournament))
    assert (data["after_round"], data["columns"]) == (printed["after_round"], printed["columns"])
    assert [{k: row[k] for k in printed["rows"][0]} for row in data["rows"]] == printed["rows"]
    assert data["rows"][0]["name"] == load_event_values(tournament).entries[data["rows"][0]["entry"]].name
    earlier = file(client, tournament, "standings.json?after=1").json()["rows"]
    printed = standings_json(load_event_values(tournament), 1)["rows"]
    assert [row["values"] for row in earlier] == [row["values"] for row in printed]


def test_only_players_of_a_label_are_shown_with_their_place_among_them(client):
    tournament = club(6, 2)
    label(tournament, P0001=["Junior"], P0004=["Junior", "DSC cm=199.6"])
    table = shown(client, tournament, label="Junior")
    order = [
        code for code in compute_standings(load_event_values(tournament)).order if code in ("P0001", "P0004")
    ]
    assert codes_in(table) == order and table.all("th + td.num") == ["1", "2"]
    assert table.all(".menu summary") == ["Junior"] and "DSC cm" not in table


def test_what_the_event_skips_and_a_value_nobody_measured_is_said(client):
    words = "Not used, because games do not count here: Game-win %"
    assert words in shown(client, club(4, 1, best_of=1))
    assert "Not used" not in shown(client, club(4, 1, name="Other"))
    tournament = club(4, 2, ruleset="curling")
    label(tournament, P0001=["DSC cm=199.6"])
    table = shown(client, tournament)
    cells = {cell["href"].split("/")[0]: cell.text for cell in table.soup.select('[href$="external_value/"]')}
    assert cells == {"P0001": "199.6", "P0002": "–", "P0003": "–", "P0004": "–"}
    missing = 'no label "DSC cm=…" with a number: counted as more than anyone else has'
    assert missing in shown(client, tournament, "standings/P0002/external_value/")
    assert "no label" not in shown(client, tournament, "standings/P0001/external_value/")


WRONG = "by=age after=99 after=0 after=-1 after=x after=%00 after=٣ label=nobody label=%27%22%3E".split()


def test_what_is_not_there_is_not_found_and_no_query_fills_the_cache(client):
    tournament = club(4, 2)
    label(tournament, **{f"P000{n}": [f"Label {n}"] for n in range(1, 5)})
    shown(client, tournament)
    kept, ranked = len(response_cache), len(rankings)
    for query in WRONG:
        for path in ("standings/", "standings/table/"):
            assert file(client, tournament, f"{path}?{query}").status_code == 404, query
    for n in range(1, 5):
        shown(client, tournament, label=f"Label {n}")
        shown(client, tournament, unknown=n)
    assert (len(response_cache), len(rankings)) == (kept, ranked)


# --- files -----------------------------------------------------------------------------------------------


def test_the_sheet_is_read_back_exactly_and_no_cell_is_a_formula(client):
    tournament = club(7, 3)
    for code, name in (("P0001", "=1+1"), ("P0002", "-5|x"), ("P0003", '@sum "a,b"')):
        rename_entry(tournament, code, name)
    answer = file(client, tournament, "standings.csv")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert not re.search(r"(^|,)[\"]?[=@]", answer.content.decode(), re.MULTILINE)
    ranking = compute_standings(load_event_values(tournament))
    lines = read_csv(answer)
    assert [(line["rank"], line["code"]) for line in lines] == [(row.rank, row.entry) for row in ranking]
    for line, row in zip(lines, ranking, strict=True):
        assert [line[key + EXACT] for key in ranking.columns] == list(row.values)
    assert {line["name"] for line in lines} >= {"=1+1", "-5|x", '@sum "a,b"'}


def test_rounds_missed_or_sat_out_are_apart_in_every_record_and_are_no_losses(client):
    """P0001 won twice and sat a round out with a zero-point bye; P0005 came to round 3 and lost."""
    example = event(
        [match("P0001", "P0002", games="W"), match("P0003", "P0004", games="W"), match("P0005", result="missed")],
        [match("P0002", "P0003", games="L"), match("P0004", result="bye"), match("P0001", result="zero_bye"),
         match("P0005", result="missed")],
        [match("P0001", "P0005", games="W"), match("P0002", "P0004", games="W"), match("P0003", result="bye")],
        P0005={"joined_round": 3, "late": True},
    )  # fmt: skip
    for round_ in example.rounds:
        for table, seated in enumerate([m for m in round_.matches if m.b], start=1):
            seated.table = table
    tournament = load_event(archive.parse_event(archive.build_archive(example, with_seed=True)))
    rows = {row["entry"]: row for row in file(client, tournament, "standings.json").json()["rows"]}
    assert (rows["P0001"]["record"], rows["P0001"]["not_played"]) == ([2, 0, 0], 1)
    assert (rows["P0005"]["record"], rows["P0005"]["not_played"]) == ([0, 1, 0], 2)
    assert (rows["P0003"]["record"], rows["P0003"]["not_played"]) == ([3, 0, 0], 0)
    sheet = {line["code"]: line for line in read_csv(file(client, tournament, "standings.csv"))}
    assert [sheet["P0005"][name] for name in ("wins", "losses", "draws", "not_played")] == [0, 1, 0, 2]
    derived = "standings/P0005/opp_match_win_pct"
    for path in ("standings/", "standings/P0001/", "screen/standings/", "players/P0001/", f"{derived}/"):
        assert "2–0–0, 1 round not played" in shown(client, tournament, path), path
    (line,) = file(client, tournament, f"{derived}.json").json()["lines"][2:]
    assert (line["record"], line["not_played"]) == ([2, 0, 0], 1)
    printed = standings_by_rank(EventPaper(tournament))
    assert [column.title for column in printed.columns][2:4] == ["Record", "Not played"]
    assert [row[2:4] for row in printed.rows if row[1] == "P0005"] == [["0–1–0", "2"]]


def test_files_and_derivations_are_answered_304_until_the_standings_move_and_derivations_are_never_kept(
    client,
):
    tournament = club(4, 2)
    shown(client, tournament)
    kept = len(response_cache)
    base, number = "standings/P0001/", "standings/P0001/opp_match_win_pct"
    inside = f"{number}/match_win_pct/{compute_standings(load_event_values(tournament)).order[0]}/"
    derived = [base, f"{number}/", f"{number}/?after=1", f"{number}/row/", f"{number}.json", inside]
    tags = {path: file(client, tournament, path)["ETag"] for path in derived}
    assert len(response_cache) == kept
    tags |= {path: file(client, tournament, path)["ETag"] for path in ("standings.csv", "standings.json")}
    assert len({*tags.values()}) == len(tags)

    def again(path: str):
        return client.get(f"/t/{tournament.slug}/{path}", headers={"if-none-match": tags[path]})

    for path in tags:
        with CaptureQueriesContext(connection) as queries:
            answer = again(path)
        assert (answer.status_code, len(queries), answer["Cache-Control"]) == (304, 1, "public, no-cache")
    rename_entry(tournament, "P0001", "Ada Ruiz")
    assert {again(path).status_code for path in tags} == {200}


def test_final_places_stand_on_the_page_and_in_both_files(client):
    tournament = TournamentFactory(entries=8, rounds=3, with_cut=4)
    for number, table in ((4, 1), (4, 2), (5, 1)):
        record_bracket_result(tournament, number, table, TWO_NIL)
    expected = [(row.entry, row.place) for row in rank_final_places(load_event_values(tournament))]
    table = shown(client, tournament, by="place")
    assert codes_in(table) == [code for code, _ in expected]
    assert table.all("tbody th .soft") == ["champion", "Final", "Semifinals", "Semifinals"]
    rows = file(client, tournament, "standings.json").json()["rows"]
    lines = read_csv(file(client, tournament, "standings.csv"))
    assert {row["entry"]: row["place"] for row in rows} == dict(expected)
    assert {line["code"]: line["place"] for line in lines} == dict(expected)
    assert "Final place 1 champion" in shown(client, tournament, f"standings/{expected[0][0]}/")


# --- all metrics -----------------------------------------------------------------------------------------


def test_the_page_of_all_metrics_tells_each_with_its_parameters(client):
    with CaptureQueriesContext(connection) as queries:
        told = page(client, "/tiebreaks/")
    assert len(queries) == 0
    for key, metric in METRICS.items():
        words = told.all(f'details[id="{key}"]')[0]
        assert words.startswith(metric_title(key)) and words.endswith(f" {key}")
        assert " ".join(metric.source.split()) in words
        assert all(
            f"{param.name} " in words and explain_param(key, param.name) in words
            for param in metric.params.values()
        )


def test_phones_that_ask_at_once_wait_for_one_history_of_ranks(monkeypatch):
    made = []

    def make(of):
        made.append(of)
        time.sleep(0.05)
        return {}

    monkeypatch.setattr(sheet.swiss, "ranks_by_round", make)
    ranked = sheet.RankedEvent(event([]), None, {})
    with ThreadPoolExecutor(4) as phones:
        assert list(phones.map(lambda _phone: ranked.ranks_by_round, range(4))) == [{}] * 4
    assert len(made) == 1


def test_the_page_draws_the_ranks_of_the_standings_after_each_round_unless_they_are_hidden(client):
    tournament = TournamentFactory(entries=9, rounds=4, published=True)
    event = load_event_values(tournament)
    ranks = ranks_by_round(event)
    for number in (1, 2, 3, 4):
        after = {row.entry: row.rank for row in compute_standings(event, number)}
        assert {code: line[number - 1] for code, line in ranks.items()} == after
    assert all(len(line) == 4 for line in ranks.values())  # the open round does not count
    words = f"Rank after each round: {', '.join(map(str, ranks['P0005']))}."
    phone = f"/t/{tournament.slug}/players/P0005/"
    assert page(client, phone).one('[role="img"]:has(polyline)')["aria-label"] == words
    change_settings(tournament, hold_standings=True)
    assert not page(client, phone).soup.select("polyline")


def test_ranks_start_with_the_entry_and_those_of_other_sessions_do_not_follow():
    picture = draw_rank_picture([None, 9, 5, 1])
    assert picture.numbers == [(2, 9), (3, 5), (4, 1)]
    assert picture.points == "0.0,1000.0 500.0,500.0 1000.0,0.0"
    assert [*map(tuple, picture.up)] == [("0.00%", "1"), ("50.00%", "5"), ("100.00%", "9")]
    assert draw_rank_picture([3, 3]).now == ("100.00%", "50.00%")
    assert draw_rank_picture([None, 4]) is None and draw_rank_picture([]) is None
    tournament = TournamentFactory(entries=8, rounds=2)
    add_stage(tournament)
    assert ranks_by_round(load_event_values(tournament)) == {}
