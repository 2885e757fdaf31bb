import io
import json
import re

import pytest
from django.core.management import CommandError, call_command

from pairings.engine.types import ENGINE
from standings.table.swiss import standings_json
from tournament.archive import parse_event


def output(*arguments):
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def archive(tmp_path):
    path = tmp_path / "event.json"
    path.write_text(output("simulate", "--players", "21", "--rounds", "4", "--ruleset", "mtr", "--seed", "x"))
    return path


def test_a_simulated_archive_verifies_and_its_next_round_is_paired(archive):
    document = json.loads(output("verify", str(archive), "--json"))
    assert list(document) == ["rounds", "errors", "notices"] and document["errors"] == 0
    keys = ["round", "stage", "players", "cost", "optimum", "proof", "problems"]
    assert [list(row) for row in document["rounds"]] == [keys] * 4
    assert [r["round"] for r in document["rounds"]] == [1, 2, 3, 4]
    pairing = json.loads(output("pair", str(archive), "--json"))
    assert list(pairing) == [
        "round", "pairs", "bye", "first", "certificate", "reasons", "seed", "digest", "engine",
    ]  # fmt: skip
    assert pairing["round"] == 5 and pairing["engine"] == ENGINE
    for line in pairing["certificate"]:
        assert list(line) == ["criterion", "value", "bound", "optimal", "proof"]
    assert output("pair", str(archive), "--json") == output("pair", str(archive), "--json")


def test_the_seed_on_the_command_line_replaces_the_one_in_the_file_and_tables_are_for_people(archive):
    text = output("pair", str(archive))
    assert "sum of squared score differences: " in text and "score_difference" not in text
    assert "Round 5" in text and "OK" in output("verify", str(archive))
    plain, other = (
        json.loads(output("pair", str(archive), "--json", *extra)) for extra in ([], ["--seed", "AB"])
    )
    assert other["seed"] == "ab" and other["pairs"] != plain["pairs"]
    data = json.loads(archive.read_text())
    assert plain["seed"] == data["tournament"].pop("seed")
    archive.write_text(json.dumps(data))
    assert json.loads(output("pair", str(archive), "--json"))["seed"] == "0" * 32
    assert "no seed given" in output("pair", str(archive))
    given = json.loads(output("pair", str(archive), "--json", "--seed", plain["seed"]))
    assert given["digest"] == plain["digest"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("pair", "nowhere.json"),
        ("verify", "nowhere.json"),
        ("simulate", "--players", "1", "--rounds", "3"),
        ("simulate", "--players", "8", "--rounds", "3", "--ruleset", "nonesuch"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments):
    with pytest.raises(CommandError) as refused:
        output(*arguments)
    assert refused.value.returncode == 2 and "\n" not in str(refused.value)


def test_a_lost_match_is_exit_code_1_and_said_below_the_table(archive):
    data = json.loads(archive.read_text())
    lost = data["rounds"][1]["matches"].pop(0)
    archive.write_text(json.dumps(data))
    out = io.StringIO()
    with pytest.raises(SystemExit) as stopped:
        call_command("verify", str(archive), stdout=out)
    assert stopped.value.code == 1
    lines = out.getvalue().splitlines()
    assert lines[2].endswith("2 errors")
    assert {line.partition(" belongs in round 2 but is not seated")[0] for line in lines[5:7]} == {
        f"round 2, error: {lost[side]} Player {int(lost[side][1:])}" for side in "ab"
    }


def test_players_a_file_of_another_program_left_out_are_notices_and_exit_code_0(archive):
    data = json.loads(archive.read_text())
    data["rounds"] = data["rounds"][:1]
    data["rounds"][0].pop("pairing")
    data["rounds"][0]["matches"] = data["rounds"][0]["matches"][:7]
    archive.write_text(json.dumps(data))
    lines = output("verify", str(archive)).splitlines()
    assert lines[1].endswith("OK, 7 notices") and len(lines) == 6
    assert all(line.startswith("round 1, notice: P00") for line in lines[2:5])
    assert lines[5] == "round 1, notice: 4 more of this kind (all with --json)"
    assert json.loads(output("verify", str(archive), "--json"))["notices"] == 7


def cells(text, header):
    """The rows below that header, up to the blank line, by columns."""
    lines = text.splitlines()
    start = next(index for index, line in enumerate(lines) if line.split() == header)
    block = lines[start + 1 : lines.index("", start)]
    return [[cell for cell in re.split(r"  +", line.strip()) if cell] for line in block]


@pytest.mark.parametrize("extra", [[], ["--round", "3"]])
def test_points_and_reasons_are_in_the_text_as_well(archive, extra):
    document = json.loads(output("pair", str(archive), *extra, "--json"))
    after = standings_json(parse_event(json.loads(archive.read_text())), document["round"] - 1)
    points = {row["entry"]: row["values"][after["columns"].index("match_points")] for row in after["rows"]}
    text = output("pair", str(archive), *extra)
    seats = cells(text, ["table", "a", "points", "b", "points"])
    assert [
        (a.split()[0], pa, b.split()[0], pb) for _table, a, pa, b, pb in seats[: len(document["pairs"])]
    ] == [(a, points[a], b, points[b]) for a, b in document["pairs"]]
    whys = cells(text, ["table", "player", "why"])
    assert {row[-2].split()[0]: row[-1] for row in whys} == document["reasons"] != {}
    tables = [int(row[0]) for row in whys if len(row) == 3]
    assert tables == sorted(tables)


def again(archive, *extra):
    out = io.StringIO()
    try:
        call_command("pair", str(archive), "--round", "2", *extra, stdout=out)
    except SystemExit as stopped:
        return stopped.code, out.getvalue()
    return 0, out.getvalue()


def test_a_round_of_a_file_without_seed_is_not_compared_until_the_seed_is_given(archive):
    data = json.loads(archive.read_text())
    seed = data["tournament"].pop("seed")
    archive.write_text(json.dumps(data))
    code, text = again(archive)
    assert code == 1 and "the input differs" not in text
    assert text.splitlines()[-1] == (
        "not compared: the file has no seed (secret until the event ends); pass --seed with "
        "the seed the event's page publishes then"
    )
    assert json.loads(again(archive, "--json")[1])["seed_known"] is False
    code, text = again(archive, "--seed", seed)
    assert code == 0 and text.strip().endswith("as recorded: the file has the same pairings")
    assert "the input differs" in again(archive, "--seed", "ab")[1]


@pytest.mark.parametrize("extra", [[], ["--round", "2"]])
def test_a_seed_that_is_empty_or_not_hexadecimal_is_refused(archive, extra):
    with pytest.raises(CommandError, match="hexadecimal"):
        output("pair", str(archive), *extra, "--seed", "luck")
    with pytest.raises(CommandError, match="--seed is empty: enter hexadecimal digits, or omit it"):
        output("pair", str(archive), *extra, "--seed", "")


def test_whom_the_forbidden_pairs_leave_alone_is_named_with_what_to_do(archive):
    data = json.loads(archive.read_text())
    data["entries"].append({"id": "P0022", "name": "Lou", "joined_round": 5})  # an even field: no bye
    data["forbidden"] = [["P0022", entry["id"]] for entry in data["entries"][:-1]]
    archive.write_text(json.dumps(data))
    with pytest.raises(CommandError) as refused:
        output("pair", str(archive))
    assert str(refused.value) == (
        "With the do-not-pair list, no opponent is left for: P0022 Lou. "
        'Remove a pair from "forbidden" in the file, then pair again.'
    )


def test_where_rematches_are_never_allowed_the_way_out_is_said(archive):
    data = json.loads(output("simulate", "--players", "4", "--rounds", "3"))
    data["ruleset"]["profile"]["pairing"]["repeats"] = "never"
    archive.write_text(json.dumps(data))
    with pytest.raises(
        CommandError, match=r"^Without rematches .*\. Let the ruleset allow rematches .* pair again\.$"
    ):
        output("pair", str(archive))
