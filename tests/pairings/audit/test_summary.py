"""`verify` over many files: rounds worse than the best there is, by criterion and by who paired them."""

import contextlib
import io
import json
from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest
from django.core.management import call_command

from pairings.simulation.simulate import simulate
from tests.journeys.test_commands import code_of, json_of, text_of
from tournament.archive import archive_of
from tournament.rulesets import resolve


def archive(seed="x", ruleset="mtr", players=8, rounds=3):
    event = simulate(players, rounds, resolve(ruleset), seed, late=0, awarded=0, drops=False)
    return archive_of(event, with_seed=True)


def worth(archive, before):
    """{player: points}, {pairs that have met}, counted from the games alone, before a round's place: no engine."""
    table = archive["ruleset"]["profile"]["match_points"]
    points = dict.fromkeys((entry["id"] for entry in archive["entries"]), Fraction(0))
    met = set()
    for match in (match for round_ in archive["rounds"][:before] for match in round_["matches"]):
        a, b, _drawn = match.get("games") or (0, 0, 0)  # agreed draws have none in the file
        met.add(frozenset((match["a"], match["b"])))
        for player, won, lost in ((match["a"], a, b), (match["b"], b, a)):
            points[player] += Fraction(table["win" if won > lost else "draw" if won == lost else "loss"])
    return points, met


def cost(points, pairs):
    return sum((points[a] - points[b]) ** 2 for a, b in pairs)


def least(points, met, players=None):
    """The least sum of squares over all ways to pair everyone without a rematch, by trying them all."""
    players = sorted(points) if players is None else players
    if not players:
        return Fraction(0)
    first, *rest = players
    costs = [
        (points[first] - points[other]) ** 2 + further
        for other in rest
        if frozenset((first, other)) not in met
        and (further := least(points, met, [one for one in rest if one != other])) is not None
    ]
    return min(costs, default=None)


def spoil(archive):
    """Let two tables of the last round swap players so that it costs more, without a rematch: how much more."""
    points, met = worth(archive, len(archive["rounds"]) - 1)
    matches = archive["rounds"][-1]["matches"]
    best = least(points, met)
    assert cost(points, [(m["a"], m["b"]) for m in matches]) == best
    for one, other in combinations(matches, 2):
        one["b"], other["b"] = other["b"], one["b"]
        pairs = [(match["a"], match["b"]) for match in matches]
        if not met & {frozenset(pair) for pair in pairs} and cost(points, pairs) > best:
            return cost(points, pairs) - best
        one["b"], other["b"] = other["b"], one["b"]
    raise AssertionError("every swap is as good")


def published(archive, **source):
    return {"format": "swiss-published", "version": 1, "source": source, "archive": archive, "published": {}}


@pytest.fixture
def folder(tmp_path):
    """Write files into the folder: `folder(name=data)`."""

    def write(**files):
        for name, data in files.items():
            (tmp_path / f"{name}.json").write_text(data if isinstance(data, str) else json.dumps(data))
        return tmp_path

    return write


def document_of(path):
    """What is printed as JSON, whatever the exit code."""
    out = io.StringIO()
    with contextlib.suppress(SystemExit):
        call_command("verify", *([str(path)] if not isinstance(path, list) else path), "--json", stdout=out)
    return json.loads(out.getvalue())


def test_events_paired_here_are_never_worse_than_the_optimum(folder):
    path = folder(a=archive("a"), b=archive("b", players=9), c=archive("c", "fide"))
    assert code_of("verify", str(path)) == 0
    document = json_of("verify", str(path))
    assert (document["files"], document["rounds"], document["worse"]) == (3, 9, 0)
    [line] = document["programs"]
    assert (line["program"], line["proven"], line["broken"], line["by_criterion"]) == (
        "this program",
        9,
        0,
        {},
    )
    assert text_of("verify", str(path)).splitlines()[0].split("  ")[0] == "paired by"


@pytest.mark.parametrize("ruleset", ["mtr", "fide"])
def test_a_worse_round_is_counted_with_what_it_costs_more_by_trying_every_pairing(folder, ruleset):
    """In points, also where a ruleset counts halves."""
    spoiled = archive("s", ruleset)
    more = spoil(spoiled)
    path = folder(
        right=published(archive("r", ruleset), program="One"), spoiled=published(spoiled, program="Two")
    )
    assert code_of("verify", str(path)) == 1
    document = document_of(path)
    lines = {line["program"]: line for line in document["programs"]}
    assert lines["One"]["worse"] == 0 and lines["Two"]["worse"] == 1
    assert lines["Two"]["by_criterion"] == {"score_difference": {"rounds": 1, "extra": str(more)}}
    [worse] = document["worse_rounds"]
    assert worse["file"].endswith("spoiled.json") and worse["round"] == 3 and worse["extra"] == str(more)


def test_a_rematch_that_could_be_avoided_is_counted_as_one(folder):
    spoiled = archive()
    first, last = spoiled["rounds"][0]["matches"], spoiled["rounds"][-1]["matches"]
    for match, earlier in zip(last, first, strict=True):
        match["a"], match["b"] = earlier["a"], earlier["b"]
    document = document_of(folder(spoiled=spoiled, right=archive("r")))
    [line] = document["programs"]
    assert line["by_criterion"] == {"repeats": {"rounds": 1, "extra": "4"}} and line["broken"] == 0


@pytest.mark.parametrize(
    ("source", "program"),
    [
        ({"program": "Vega 8", "uri": "https://x.org/1", "system": "s", "repo": "a/b"}, "Vega 8"),
        ({"uri": "https://www.example.org/event/1", "system": "s"}, "example.org"),
        ({"system": "swiss FIDE Dutch"}, "swiss FIDE Dutch"),
        ({"repo": "a/b"}, "a/b"),
        ({}, "not named"),
    ],
)
def test_who_paired_an_event_is_the_program_the_site_or_where_it_comes_from(folder, source, program):
    recorded = archive()
    for round_ in recorded["rounds"]:
        del round_["pairing"]
    path = folder(one=published(recorded, **source), two=archive("y"))
    assert {line["program"]: line["files"] for line in document_of(path)["programs"]} == {
        program: 1,
        "this program": 1,
    }


@pytest.mark.parametrize("source", ["text", None, 7, []])
def test_a_source_of_any_kind_names_no_one(folder, source):
    event = published(archive())
    event["source"] = source
    assert document_of(folder(one=event))["programs"][0]["program"] == "this program"


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_checked(folder):
    path = folder(
        half="{", wrong={"format": "swiss-archive", "version": 9}, right=archive(), other={"format": "x"}
    )
    assert code_of("verify", str(path)) == 1
    document = document_of(path)
    assert document["files"] == 1 and len(document["unreadable"]) == 2
    assert "half.json: not valid JSON" in document["unreadable"][0]
    assert "wrong.json" in document["unreadable"][1] and "version" in document["unreadable"][1]
    named = document_of([str(path / "right.json"), str(path / "other.json"), str(path / "missing.json")])
    assert named["files"] == 1 and len(named["unreadable"]) == 2
    assert "missing.json: No such file" in named["unreadable"][1]


def test_one_file_alone_is_answered_and_refused_as_before(folder):
    path = folder(right=archive(), half="{")
    assert list(json_of("verify", str(path / "right.json"))) == ["rounds", "errors", "notices"]
    assert "unit" not in json_of("verify", str(path / "right.json"))["rounds"][0]
    assert code_of("verify", str(path / "half.json")) == 2
    assert code_of("verify", str(path / "missing.json")) == 2
    (path / "empty").mkdir()
    assert code_of("verify", str(path / "empty")) == 2


def test_a_file_named_twice_counts_once(folder):
    path = folder(right=archive())
    assert document_of([str(path), str(path / "right.json")])["files"] == 1


@pytest.mark.long
def test_the_real_events_add_up_to_what_each_says_by_itself(shared_data):
    """Every worse round of every file, and each file once."""
    folders = [shared_data / "events", shared_data / "events_more"]
    document = document_of(list(map(str, folders)))
    assert document["files"] == 36 and document["unreadable"] == []
    expected = Counter()
    for path in [file for folder in folders for file in sorted(folder.glob("*.json"))]:
        rounds = document_of(path)["rounds"]
        expected["rounds"] += len(rounds)
        for round_ in rounds:
            kinds = [problem["kind"] for problem in round_["problems"]]
            expected[str(path), round_["round"]] += sum(kind.startswith("avoidable ") for kind in kinds)
    found = Counter((worse["file"], worse["round"]) for worse in document["worse_rounds"])
    assert document["rounds"] == expected.pop("rounds") and found == +expected
    assert sum(line["worse"] for line in document["programs"]) == document["worse"] == len(found) > 20
