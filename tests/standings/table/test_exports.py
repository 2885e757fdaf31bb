"""What standings give: orders, rounds, labels, files; why a player stands there; every number opened in turn."""

import csv
import html
import io
import json
import re
from fractions import Fraction as F

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from standings.engine import METRICS
from standings.event.bracket import final_places_of
from standings.event.swiss import standings_of
from standings.table.cache import ranked_event_of, rankings
from standings.table.exports import EXACT
from standings.words.metric_params import meaning_of
from standings.words.metrics import title_of
from tests.factories import TournamentFactory
from tests.steps import complete_round
from tournament.archive.load import load_event
from tournament.archive.read import read_file
from tournament.event.read import event_of
from tournament.exports.csv_text import unguard_cell
from tournament.models import Entry
from tournament.public.cache import fragment_cache
from tournament.services.entries import rename_entry
from tournament.services.event_settings import change_settings

pytestmark = pytest.mark.django_db


def read_csv(text):
    """The lines of a sheet: numbers as int, the exact columns as Fraction, everything else as text."""
    lines = []
    for row in csv.DictReader(io.StringIO(text)):
        line = {}
        for name, cell in row.items():
            value = unguard_cell(cell)
            if name in ("rank", "wins", "losses", "draws", "place"):
                line[name] = int(value)
            else:
                line[name] = F(value) if name.endswith(EXACT) else value
        lines.append(line)
    return lines


def page(client, tournament, path: str) -> str:
    answer = client.get(f"/t/{tournament.slug}/{path}")
    assert answer.status_code == 200, path
    return html.unescape(answer.content.decode())


def status(client, tournament, path: str) -> int:
    return client.get(f"/t/{tournament.slug}/{path}").status_code


def names_in(text: str) -> list[str]:
    return re.findall(r'<th scope="row"><a href="\.\./players/(\w+)/">', text)


def club(players=9, rounds=3, **fields):
    tournament = TournamentFactory(entries=players, rounds=rounds, **fields)
    complete_round(tournament, rounds)
    return tournament


def labelled(tournament, **labels) -> None:
    """Write labels as a loaded archive would bring them."""
    for code, names in labels.items():
        Entry.objects.filter(tournament=tournament, code=code).update(labels=names)


# --- orders, rounds, labels ------------------------------------------------------------------------------


def test_standings_by_name_hold_the_same_lines_in_the_order_of_names(client):
    tournament = club()
    rename_entry(tournament, "P0009", "Ada Ruiz")
    by_rank, by_name = (
        names_in(page(client, tournament, path)) for path in ("standings/", "standings/?by=name")
    )
    assert by_rank == standings_of(event_of(tournament)).order
    assert by_name[0] == "P0009" and sorted(by_name) == sorted(by_rank)


def test_standings_after_an_earlier_round_are_those_of_that_round(client):
    tournament = club()
    text = page(client, tournament, "standings/?after=2")
    assert "Standings after round 2" in text
    assert names_in(text) == standings_of(event_of(tournament), 2).order
    assert "data-poll" not in text and "?after=2" in re.findall(r'href="(P0001/[^"]*)"', text)[0]
    html = page(client, tournament, "standings/P0001/match_points/?after=2")
    value = standings_of(event_of(tournament), 2).row("P0001").values[0]
    assert f"Match points = <strong>{value}</strong>" in html


def test_only_players_of_a_label_are_shown_with_their_place_among_them(client):
    tournament = club(6, 2)
    labelled(tournament, P0001=["Junior"], P0004=["Junior", "DSC cm=199.6"])
    text = page(client, tournament, "standings/?label=Junior")
    order = [code for code in standings_of(event_of(tournament)).order if code in ("P0001", "P0004")]
    assert names_in(text) == order
    assert re.findall(r'</th>\s*<td class="num">(\d)</td>', text) == ["1", "2"]
    assert '<option value="Junior" selected>Junior</option>' in text and "DSC cm" not in text


def test_an_outside_value_nobody_measured_is_a_dash_that_says_how_to_give_it(client):
    tournament = club(4, 2, ruleset="curling")
    labelled(tournament, P0001=["DSC cm=199.6"])
    text = page(client, tournament, "standings/")
    cells = {
        code: re.search(rf'href="{code}/external_value/"[^>]*>([^<]*)</a>', text)[1]
        for code in names_in(text)
    }
    assert cells == {"P0001": "199.6", "P0002": "–", "P0003": "–", "P0004": "–"}
    html = page(client, tournament, "standings/P0002/external_value/")
    assert 'no label "DSC cm=…" with a number: counted as more than anyone else has' in html
    assert "no label" not in page(client, tournament, "standings/P0001/external_value/")


WRONG = "by=age after=99 after=0 after=-1 after=x after=%00 after=٣ label=nobody label=%27%22%3E".split()


def test_what_is_not_there_is_not_found_and_nothing_is_kept_of_it(client):
    tournament = club(4, 2)
    page(client, tournament, "standings/")
    kept, ranked = len(fragment_cache), len(rankings)
    for query in WRONG:
        for path in ("standings/", "standings/table/"):
            assert status(client, tournament, f"{path}?{query}") == 404, query
    assert (len(fragment_cache), len(rankings)) == (kept, ranked)


def test_labels_and_unknown_queries_do_not_fill_the_cache(client):
    tournament = club(4, 2)
    labelled(tournament, **{f"P000{n}": [f"Label {n}"] for n in range(1, 5)})
    page(client, tournament, "standings/")
    size = len(fragment_cache)
    for n in range(1, 5):
        page(client, tournament, f"standings/?label=Label {n}")
        page(client, tournament, f"standings/?unknown={n}")
    assert len(fragment_cache) == size


def test_rankings_kept_are_few_and_newest(client):
    tournament = club(8, 3)
    for _ in range(2):
        for after in ("", "?after=1", "?after=2", "?after=3"):
            page(client, tournament, f"standings/P0001/{after}")
    assert len(rankings) <= rankings.most
    before = ranked_event_of(tournament)
    assert ranked_event_of(tournament) is before
    rename_entry(tournament, "P0001", "Ada Ruiz")
    tournament.refresh_from_db()
    assert ranked_event_of(tournament).names["P0001"] == "Ada Ruiz"


def test_what_the_event_skips_is_said(client):
    assert "Not used, because games do not count here: Game-win %" in page(
        client, club(4, 1, best_of=1), "standings/"
    )
    assert "Not used" not in page(client, club(4, 1, name="Other"), "standings/")


# --- files -----------------------------------------------------------------------------------------------


def test_the_json_is_what_the_command_prints_with_names(client):
    from standings.event.swiss import standings_json

    tournament = club()
    data = json.loads(client.get(f"/t/{tournament.slug}/standings.json").content)
    printed = standings_json(event_of(tournament))
    assert (data["after_round"], data["columns"]) == (printed["after_round"], printed["columns"])
    assert [{k: row[k] for k in printed["rows"][0]} for row in data["rows"]] == printed["rows"]
    assert data["rows"][0]["name"] == event_of(tournament).entries[data["rows"][0]["entry"]].name
    earlier = json.loads(client.get(f"/t/{tournament.slug}/standings.json?after=1").content)
    assert [row["values"] for row in earlier["rows"]] == [
        row["values"] for row in standings_json(event_of(tournament), 1)["rows"]
    ]


def test_the_sheet_is_read_back_exactly_and_no_cell_is_a_formula(client):
    tournament = club(7, 3)
    for code, name in (("P0001", "=1+1"), ("P0002", "-5|x"), ("P0003", '@sum "a,b"')):
        rename_entry(tournament, code, name)
    answer = client.get(f"/t/{tournament.slug}/standings.csv")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    text = answer.content.decode()
    assert not re.search(r"(^|,)[\"]?[=@]", text, re.MULTILINE)
    ranking = standings_of(event_of(tournament))
    lines = read_csv(text)
    assert [(line["rank"], line["code"]) for line in lines] == [(row.rank, row.entry) for row in ranking]
    for line, row in zip(lines, ranking, strict=True):
        exact = [line[f"{key} exact"] for key in ranking.columns]
        assert exact == list(row.values) and all(isinstance(value, F) for value in exact)
    assert {line["name"] for line in lines} >= {"=1+1", "-5|x", '@sum "a,b"'}


def test_files_are_shared_and_answered_304(client):
    tournament = club(4, 1)
    for name in ("standings.csv", "standings.json"):
        first = client.get(f"/t/{tournament.slug}/{name}")
        again = client.get(f"/t/{tournament.slug}/{name}", headers={"if-none-match": first["ETag"]})
        assert (first["Cache-Control"], again.status_code) == ("public, no-cache", 304)


def test_derivations_are_answered_304_until_the_standings_move_and_are_never_kept(client):
    tournament = club(4, 2)
    page(client, tournament, "standings/")
    size = len(fragment_cache)
    base = f"/t/{tournament.slug}/standings/P0001/"
    number = "opp_match_win_pct"
    inside = f"{number}/match_win_pct/{standings_of(event_of(tournament)).order[0]}/"
    paths = ["", f"{number}/", f"{number}/?after=1", f"{number}/row/", f"{number}.json", inside]
    tags = {path: client.get(base + path)["ETag"] for path in paths}
    assert len(set(tags.values())) == len(paths) and len(fragment_cache) == size
    for path, tag in tags.items():
        with CaptureQueriesContext(connection) as queries:
            again = client.get(base + path, headers={"if-none-match": tag})
        assert (again.status_code, len(queries), again["Cache-Control"]) == (304, 1, "public, no-cache")
    rename_entry(tournament, "P0001", "Ada Ruiz")
    for path, tag in tags.items():
        assert client.get(base + path, headers={"if-none-match": tag}).status_code == 200


def test_held_standings_are_in_no_file_and_no_derivation(client):
    tournament = club(4, 2)
    change_settings(tournament, hold_standings=True)
    for path in (
        "standings.csv", "standings.json", "standings/P0001/", "standings/P0001/match_points.json",
        "standings/P0001/opp_match_win_pct/match_win_pct/P0002/", "standings/?label=x",
    ):  # fmt: skip
        assert status(client, tournament, path) == 404, path
    assert "Player 01" not in page(client, tournament, "standings/?by=name")


def test_final_places_stand_on_the_page_and_in_both_files(client, shared_data):
    tournament = load_event(read_file(shared_data / "clinecon.json"))
    expected = [(row.entry, row.place) for row in final_places_of(event_of(tournament))]
    text = page(client, tournament, "standings/?by=place")
    assert names_in(text) == [code for code, _ in expected]
    assert re.search(r'1 <span class="soft place-from">champion', text) and "Swiss rank" in text
    rows = json.loads(client.get(f"/t/{tournament.slug}/standings.json").content)["rows"]
    assert {row["entry"]: row["place"] for row in rows} == dict(expected)
    lines = read_csv(client.get(f"/t/{tournament.slug}/standings.csv").content.decode())
    assert {line["code"]: line["place"] for line in lines} == dict(expected)
    assert "Final place" in page(client, tournament, "standings/U01/")


# --- all metrics -----------------------------------------------------------------------------------------


def test_the_page_of_all_metrics_tells_each_with_its_parameters(client):
    text = html.unescape(client.get("/tiebreaks/").content.decode())
    for key, metric in METRICS.items():
        assert f'id="{key}">{title_of(key)} ' in text
        for param in metric.params.values():
            assert f"<code>{param.name}</code>" in text and meaning_of(key, param.name) in text
        assert metric.source in text
    with CaptureQueriesContext(connection) as queries:
        client.get("/tiebreaks/")
    assert len(queries) == 0
