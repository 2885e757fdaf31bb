import json
import re
from fractions import Fraction

import pytest
from django.core.management import call_command

from standings.conformance.checks import conformance
from tests.journeys.test_commands import code_of, json_of, text_of

CUT = {"metric": "buchholz", "params": {"cut_low": 1}}
WHOLE = {"metric": "buchholz", "params": {"cut_low": 0}, "label": "BH"}
# Three rounds of four players; a beat b, c and d, b beat c, c and d drew, b and d drew.
ROUNDS = [
    [("a", "b", 1, 0), ("c", "d", 0, 0)],
    [("a", "c", 1, 0), ("b", "d", 0, 0)],
    [("a", "d", 1, 0), ("b", "c", 1, 0)],
]


def published_event() -> dict:
    """A chess event of four with both columns of Buchholz as a naive count gives them, best first."""
    points = dict.fromkeys("abcd", Fraction(0))
    opponents: dict[str, list[str]] = {player: [] for player in "abcd"}
    for round_ in ROUNDS:
        for a, b, won, lost in round_:
            points[a] += Fraction(1 + won - lost, 2)
            points[b] += Fraction(1 + lost - won, 2)
            opponents[a].append(b)
            opponents[b].append(a)
    rows = []
    for player in "abcd":
        scores = sorted(points[other] for other in opponents[player])
        rows.append([points[player], sum(scores[1:]), sum(scores), player])
    rows.sort(reverse=True)
    matches = [
        {"matches": [
            {"table": number, "a": a, "b": b, "result": "played", "games": [won, lost, int(won == lost)]}
            for number, (a, b, won, lost) in enumerate(round_, start=1)
        ]}
        for round_ in ROUNDS
    ]  # fmt: skip
    entries = [{"id": player, "name": player.upper()} for player in "abcd"]
    return {
        "format": "swiss-published", "version": 1, "source": {"event": "four players"},
        "archive": {
            "format": "swiss-archive", "version": 1, "tournament": {"name": "Four"},
            "ruleset": {"preset": "fide"}, "entries": entries, "rounds": matches,
        },
        "published": {
            "columns": ["match_points", CUT, WHOLE],
            "rows": [
                {"rank": rank, "entry": row[-1], "values": [str(value) for value in row[:-1]]}
                for rank, row in enumerate(rows, start=1)
            ],
            "ordered_runs": [[1, 4]],
        },
    }  # fmt: skip


@pytest.fixture
def event():
    return published_event()


@pytest.fixture
def run(tmp_path):
    def run(event, name="event.json"):
        (tmp_path / name).write_text(json.dumps(event), encoding="utf-8")
        return conformance([tmp_path / name])

    return run


# --- two columns of one metric ----------------------------------------------------------------------------


def test_two_columns_of_one_metric_are_compared_each_with_its_own_parameters(event, run):
    report = run(event)
    assert (report.failed, report.unknown) == ([], []) and report.passed == 4 * 3 + 3
    first = event["published"]["rows"][0]["values"]
    assert first[1] != first[2], "the two columns say the same: the test sees nothing"


@pytest.mark.parametrize("column", [1, 2])
def test_a_wrong_value_is_found_in_either_column(event, run, column):
    row = event["published"]["rows"][3]
    row["values"][column] = str(Fraction(row["values"][column]) + 1)
    name = ["buchholz (cut_low 1)", "BH"][column - 1]
    assert [line for line in run(event).failed if line.startswith(f"event.json: {row['entry']} {name} is ")]


@pytest.mark.parametrize(
    "column",
    [
        {"metric": "moon"},
        {"metric": "buchholz", "params": {"moon": 1}},
        {"metric": "buchholz", "params": {"cut_low": "x"}},
    ],
)
def test_a_column_that_is_not_known_is_unknown_and_never_passed(event, run, column):
    event["published"]["columns"][1] = column
    report = run(event)
    assert len(report.unknown) == 1 and not report.clean


@pytest.mark.parametrize("key", ["cut", "alternates", "places"])
def test_wrong_finals_are_found(event, run, key):
    best = [row["entry"] for row in event["published"]["rows"]]
    event["published"] |= {"cut": best[:2], "alternates": best[2:], "places": best}
    assert run(event).clean
    event["published"][key] = event["published"][key][::-1]
    assert [line for line in run(event).failed if f": {key} is" in line]


# --- ranks that the publisher's own program got wrong -----------------------------------------------------


def swap(event: dict, above: int) -> None:
    """Publish the players of two ranks the wrong way round, as a program does whose quotients differ at the end."""
    rows = event["published"]["rows"]
    rows[above - 1]["rank"], rows[above]["rank"] = above + 1, above


def mark(event: dict, *ranks: int, **others) -> None:
    faults = event["published"].setdefault("known_faults", [])
    faults.append({"ranks": list(ranks), "reason": "24/7 added up as …571 and as …333", **others})


def test_ranks_in_a_wrong_order_fail_unless_they_are_marked_as_the_programs_own_fault(event, run):
    swap(event, 2)
    assert len(run(event).failed) == 1
    mark(event, 2, 3)
    report = run(event)
    assert report.clean and report.failed == []
    assert report.known_faults == ["event.json: ranks 2–3 (24/7 added up as …571 and as …333)"]
    assert report.checks == report.passed == 4 * 3 + 2, "a known fault is counted among the checks"


def test_a_mark_excuses_no_other_ranks_and_none_is_needed_outside_the_runs(event, run):
    swap(event, 3)
    event["published"]["ordered_runs"] = [[1, 3]]
    mark(event, 3, 4)
    assert len(run(event).failed) == 1
    swap(event, 3)
    mark(event, 2, 3)
    report = run(event)
    assert len(report.failed) == 2, report.failed  # the ranks, and the mark that marks nothing
    other = published_event()
    swap(other, 2)
    mark(other, 2, 3)
    other["published"]["rows"][1]["values"][1] = "99"
    assert [line for line in run(other).failed if "published 99" in line]


@pytest.mark.parametrize("ranks", [(1, 2), (3, 2), (40, 41)])
def test_a_mark_that_marks_nothing_is_itself_a_difference(event, run, ranks):
    mark(event, *ranks)
    report = run(event)
    [line] = report.failed
    assert re.match(rf"event.json: ranks {ranks[0]}–{ranks[1]} \(24/7.*no known fault$", line)
    assert report.known_faults == [] and not report.clean


@pytest.mark.parametrize(
    "fault", [{"ranks": [2]}, {"ranks": [2, 3], "reason": ""}, {"ranks": [2, 3], "why": "x"}]
)
def test_a_mark_without_ranks_or_reason_is_refused(event, tmp_path, fault):
    event["published"]["known_faults"] = [{"reason": "floating point", **fault}]
    (tmp_path / "event.json").write_text(json.dumps(event), encoding="utf-8")
    assert code_of("conformance", str(tmp_path / "event.json")) == 2


def test_the_command_counts_known_faults_apart_and_says_so(event, tmp_path):
    swap(event, 2)
    mark(event, 2, 3)
    path = tmp_path / "event.json"
    path.write_text(json.dumps(event), encoding="utf-8")
    assert code_of("conformance", str(path)) == 0
    text = text_of("conformance", str(path))
    assert "known fault: event.json: ranks 2–3 (24/7" in text
    assert text.endswith("1 files, 14 of 14 checks agree, 1 known faults of other programs\n")
    assert json_of("conformance", str(path))["known_faults"]


# --- files that cannot be read ----------------------------------------------------------------------------

BROKEN = {
    "0-half.json": b'{"format": "swiss-published", ',
    "1-binary.json": b"\xff\xfe\x00",
    "2-version.json": b'{"format": "swiss-published", "version": 9}',
    "3-empty.json": b'{"format": "swiss-published", "version": 1}',
    "4-list.json": b'{"format": "swiss-published", "version": 1, "archive": [], "published": {}}',
    "5-deep.json": b"[" * 100_000,
    "6-zero.json": json.dumps(published_event()).replace('"values": ["3"', '"values": ["1/0"').encode(),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_folder_is_checked_past_a_file_that_cannot_be_read(event, tmp_path, capsys, broken):
    (tmp_path / broken).write_bytes(BROKEN[broken])
    (tmp_path / "right.json").write_text(json.dumps(event), encoding="utf-8")
    (tmp_path / "something else.json").write_text("{}", encoding="utf-8")
    report = conformance([tmp_path])
    assert (report.files, report.failed, report.passed) == (1, [], 15)
    assert len(report.unreadable) == 1 and broken in report.unreadable[0] and not report.clean
    with pytest.raises(SystemExit, match="1"):
        call_command("conformance", str(tmp_path))
    text = capsys.readouterr().out
    assert broken in text and text.endswith("1 files, 15 of 15 checks agree, 1 files not read\n")
    assert code_of("conformance", str(tmp_path / broken)) == 2, "alone it is refused as before"


def test_a_file_that_is_gone_is_named_and_a_folder_with_such_a_name_is_none(event, tmp_path):
    (tmp_path / "right.json").write_text(json.dumps(event), encoding="utf-8")
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "gone.json").symlink_to(tmp_path / "nowhere")
    [line] = conformance([tmp_path]).unreadable
    assert line.endswith("gone.json: No such file or directory")
