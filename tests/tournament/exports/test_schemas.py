import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.factories import TournamentFactory
from tests.tournament.archive.test_read import changed, small
from tournament.archive import canonical, parse_event
from tournament.archive.load import dump_event
from tournament.exports import published_schemas
from tournament.rulesets import presets

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "schemas"


@pytest.fixture(scope="module")
def schemas() -> dict[str, Draft202012Validator]:
    documents = {name: json.loads(text) for name, text in published_schemas().items()}
    for document in documents.values():
        Draft202012Validator.check_schema(document)
    return {name: Draft202012Validator(document) for name, document in documents.items()}


def test_the_published_files_are_those_the_code_makes():
    """If this fails, run `manage.py schemas`."""
    files = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
    assert files == published_schemas()


@pytest.mark.django_db
def test_our_rulesets_and_an_event_with_its_log_follow_the_schema(schemas):
    for profile in presets().values():
        schemas["ruleset.json"].validate(profile)
    tournament = TournamentFactory(entries=7, rounds=2)
    data = json.loads(dump_event(tournament, with_seed=True))
    assert data["log"] and data["rounds"][0]["pairing"]
    schemas["archive.json"].validate(data)
    data = small()
    data["entries"][0] |= {"rating": None, "labels": None, "house": None, "status": None}
    data["tournament"] |= {"cut": None, "team": None, "slug": None}
    parse_event(data)
    schemas["archive.json"].validate(data)


@pytest.mark.parametrize(
    "rules",
    [
        {"colour": "blue"}, {"match_points": {"win": 3.5}}, {"match_points": {"bye": None}}, {"best_of_swiss": 4},
        {"bye_games": [2, 0]}, {"display": {"percent_places": 10}}, {"pairing": {"method": "astrology"}},
        {"percentages": {"bye_as_opponent": {"value": "often"}}}, {"rounds_table": []},
        {"tiebreaks": [{"label": "Buchholz"}]},
    ],
)  # fmt: skip
def test_a_ruleset_with_a_fault_does_not(schemas, rules):
    assert not schemas["ruleset.json"].is_valid(rules)
    assert not schemas["archive.json"].is_valid(small() | {"ruleset": {"preset": "mtr", "overrides": rules}})


@pytest.mark.parametrize("few", [16, pytest.param(None, marks=pytest.mark.slow)])
def test_real_events_follow_the_schema_as_they_came_and_as_we_write_them(schemas, shared_data, few):
    files = sorted(shared_data.glob("events*/*.json"), key=lambda path: path.stat().st_size)
    assert len(files) > 30
    for path in files[:few]:
        archive = json.loads(path.read_text(encoding="utf-8"))["archive"]
        schemas["archive.json"].validate(archive)
        schemas["archive.json"].validate(json.loads(canonical(parse_event(archive), with_seed=True)))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("format", "swiss-pairings"), ("version", 2), ("colour", "blue"), ("tournament.name", "  "),
        ("tournament.rounds", -1), ("tournament.best_of", 2), ("tournament.seed", "abc"), ("entries.0.id", None),
        ("entries.0.id", "P 1"), ("entries.0.name", "x" * 81), ("entries.0.status", "asleep"),
        ("entries.0.start", "1/0"), ("stages.0.kind", "knockout"), ("rounds.0.matches.0.games", [2, 1]),
        ("rounds.0.matches.0.score", ["2/3", "x"]), ("rounds.0.matches.0.waived", {"rule": "repeat"}),
        ("forbidden.0", ["P0001"]), ("log.0.changes.0.fact", "weather"),
    ],
)  # fmt: skip
def test_a_spoiled_archive_does_not(schemas, path, value):
    assert not schemas["archive.json"].is_valid(changed(path, value))


def test_the_schemas_are_served_to_everyone_and_kept_by_browsers(client):
    for name, text in published_schemas().items():
        answer = client.get(f"/schemas/{name}")
        assert (answer.status_code, answer.content.decode()) == (200, text)
        assert answer["Content-Type"] == "application/schema+json"
        assert "public" in answer["Cache-Control"] and not answer.cookies
        again = client.get(f"/schemas/{name}", headers={"if-none-match": answer["ETag"]})
        assert again.status_code == 304
    assert client.get("/schemas/secrets.json").status_code == 404
