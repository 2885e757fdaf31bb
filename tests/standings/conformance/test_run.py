"""Published events and worked examples: everything agrees, and a planted error is found."""

import copy
import json
from dataclasses import replace

import pytest

from standings.conformance.run import conformance
from standings.engine import METRICS, Scoring
from standings.event.bracket import final_places_of
from tournament.archive.json import ArchiveError
from tournament.archive.read import event_of

SMALL = "0140-lcq-standard-scg-con-washington-dc-friday-930-am-online-registration-o.json"


def write(folder, name, data):
    path = folder / name
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


@pytest.fixture
def published(shared_data):
    return json.loads((shared_data / "events" / SMALL).read_text(encoding="utf-8"))


@pytest.fixture
def clinecon(shared_data):
    return json.loads((shared_data / "clinecon.json").read_text(encoding="utf-8"))


@pytest.mark.long
def test_every_player_and_column_of_the_real_events_agree(shared_data):
    report = conformance([shared_data / "events"])
    assert (report.failed, report.unknown) == ([], [])
    assert report.files == 28
    assert report.passed == report.checks > 20_000


@pytest.mark.long
def test_places_of_the_real_events_are_the_published_ranks_where_a_final_was_played(shared_data):
    """The published ranks contain the elimination; ours follow from bracket and Swiss order alone."""
    seen = 0
    for path in sorted((shared_data / "events").glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        event = event_of(data)
        first, last = data["published"]["ordered_runs"][0]
        if len(event.stages) < 2 or (first == 1 and last > 4):
            continue
        ranks = {row["entry"]: row["rank"] for row in data["published"]["rows"]}
        assert [ranks[row.entry] for row in final_places_of(event)[:4]] == [1, 2, 3, 4]
        seen += 1
    assert seen >= 8


def test_real_double_sided_events_agree_under_the_preset_of_their_own(shared_data, tmp_path):
    for path in (shared_data / "events_more").glob("netrunner-*.json"):
        data = json.loads(path.read_text(encoding="utf-8"))
        data["archive"]["ruleset"] = {"preset": "nsg_double_sided"}
        write(tmp_path, path.name, data)
    report = conformance([tmp_path])
    assert (report.files, report.failed, report.unknown) == (2, [], [])
    assert report.passed == report.checks > 400


def test_events_of_other_games_agree_with_their_programs(shared_data):
    report = conformance([shared_data / "events_more"])
    assert (report.files, report.failed, report.unknown) == (8, [], [])
    assert report.passed == report.checks > 1_000


@pytest.mark.parametrize(
    ("name", "agrees"),
    [
        ("koshnitsky-cut1-2023", True),
        ("west-buchholz-2023", True),
        ("blitz-buchholz-2026", True),
        ("rapid-buchholz-2009", False),
    ],
)
def test_without_a_version_a_chess_event_is_computed_by_the_rules_of_its_date(
    shared_data, tmp_path, name, agrees
):
    """That of 2024 with the old rules says so in its file: its program was older than its date."""
    (path,) = (shared_data / "events_more").glob(f"chess-*{name}.json")
    data = json.loads(path.read_text(encoding="utf-8"))
    del data["archive"]["ruleset"]["overrides"]["tiebreaks"][1]["params"]["version"]
    assert_agrees(agrees, write(tmp_path, path.name, data))
    order = data["archive"]["ruleset"]["overrides"]["tiebreaks"]
    data["published"]["columns"][1] = order.pop(1)  # so is a column that the event was not ranked by
    assert_agrees(agrees, write(tmp_path, path.name, data))


def assert_agrees(agrees, path):
    report = conformance([path])
    assert (report.failed == []) == agrees and report.unknown == []


def test_clinecon_values_cut_alternates_and_places_agree(shared_data):
    report = conformance([shared_data / "clinecon.json"])
    assert (report.failed, report.unknown) == ([], [])
    assert report.checks > 60


def test_all_worked_examples_agree(shared_data):
    report = conformance([shared_data / "vectors.json"])
    assert (report.failed, report.unknown) == ([], [])
    assert report.passed == report.checks >= 441


def test_a_changed_published_value_is_found(published, tmp_path):
    published["published"]["rows"][7]["values"][1] += 0.0001
    report = conformance([write(tmp_path, "changed.json", published)])
    assert len([words for words in report.failed if published["published"]["rows"][7]["entry"] in words]) >= 1


def test_a_changed_result_is_found(published, tmp_path):
    for match in published["archive"]["rounds"][0]["matches"]:
        if match.get("games") == [2, 0, 0] and match["b"]:
            match["games"] = [2, 1, 0]
            break
    assert conformance([write(tmp_path, "changed.json", published)]).failed


def test_rows_out_of_order_are_found(published, tmp_path):
    rows = published["published"]["rows"]
    rows[0]["rank"], rows[-1]["rank"] = rows[-1]["rank"], rows[0]["rank"]
    assert conformance([write(tmp_path, "changed.json", published)]).failed


@pytest.mark.parametrize("key", ["cut", "alternates", "places"])
def test_changed_finals_are_found(clinecon, tmp_path, key):
    changed = copy.deepcopy(clinecon)
    changed["published"][key] = changed["published"][key][::-1]
    report = conformance([write(tmp_path, "changed.json", changed)])
    assert [words for words in report.failed if f": {key} is" in words]


@pytest.mark.parametrize(
    ("metric", "wrong"),
    [
        ("match_points", lambda f, e: sum(map(f.scoring.match_points, f.records[e].rounds[1:]))),
        ("opp_match_win_pct", lambda f, e, **p: METRICS["match_win_pct"].function(f, e)),
        ("game_win_pct", lambda f, e, **p: METRICS["match_win_pct"].function(f, e)),
    ],
)
def test_a_bug_planted_in_a_metric_is_found(published, tmp_path, monkeypatch, metric, wrong):
    broken = replace(METRICS[metric], function=wrong, at_once=None)
    monkeypatch.setitem(METRICS, metric, broken)
    assert conformance([write(tmp_path, "event.json", published)]).failed


def test_a_bug_planted_in_the_points_of_a_draw_is_found(clinecon, tmp_path, monkeypatch):
    right = Scoring.match_points
    monkeypatch.setattr(Scoring, "match_points", lambda s, line: 0 if line.outcome == "D" else right(s, line))
    assert conformance([write(tmp_path, "event.json", clinecon)]).failed


def test_an_unknown_metric_is_listed_and_never_passed(published, tmp_path):
    published["published"]["columns"][1] = "phase_of_the_moon"
    report = conformance([write(tmp_path, "event.json", published)])
    assert [words for words in report.unknown if "phase_of_the_moon" in words]
    assert report.passed < report.checks
    assert not report.clean


def test_what_is_no_such_file_is_refused_by_name(tmp_path):
    for name, data in (("other.json", {"format": "other"}), ("list.json", []), ("v2.json", {
        "format": "swiss-vectors", "version": 2})):  # fmt: skip
        with pytest.raises(ArchiveError, match=name):
            conformance([write(tmp_path, name, data)])
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    with pytest.raises(ArchiveError, match=r"broken\.json"):
        conformance([tmp_path / "broken.json"])
    with pytest.raises(OSError):
        conformance([tmp_path / "missing.json"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(ArchiveError, match="empty"):
        conformance([tmp_path / "empty"])
