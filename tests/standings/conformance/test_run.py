"""Real events and the worked examples of publishers: everything agrees. Small ones are in `test_published.py`."""

import json

import pytest

from standings.conformance.checks import conformance
from standings.table.places import rank_final_places
from tournament.archive.format import ArchiveError
from tournament.archive.read import parse_event


def write(folder, name, data):
    path = folder / name
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


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
        event = parse_event(data)
        first, last = data["published"]["ordered_runs"][0]
        if len(event.stages) < 2 or (first == 1 and last > 4):
            continue
        ranks = {row["entry"]: row["rank"] for row in data["published"]["rows"]}
        assert [ranks[row.entry] for row in rank_final_places(event)[:4]] == [1, 2, 3, 4]
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


def test_events_of_other_games_clinecon_and_all_worked_examples_agree(shared_data):
    report = conformance([shared_data / "events_more"])
    assert (report.files, report.failed, report.unknown) == (8, [], [])
    assert report.passed == report.checks > 1_000
    report = conformance([shared_data / "clinecon.json"])
    assert (report.failed, report.unknown) == ([], [])
    assert report.checks > 60
    report = conformance([shared_data / "vectors.json"])
    assert (report.failed, report.unknown) == ([], [])
    assert report.passed == report.checks >= 441


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
