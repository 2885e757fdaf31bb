"""What real events say of the rulesets: counted by a command, shipped as counts, said on the pages."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from standings.conformance.evidence import FILE, evidence_of, known_evidence, program_of, total_evidence
from tests.standings.rulesets.editor import page
from tournament.rulesets import resolve

MELEE = {"repo": "someone/events", "uri": "https://www.melee.gg/Tournament/View/1"}


def counted(*paths):
    out = StringIO()
    call_command("conformance", *map(str, paths), "--evidence", stdout=out)
    return json.loads(out.getvalue())


@pytest.mark.long
def test_what_ships_is_what_the_command_counts_on_the_real_events(shared_data):
    assert counted(shared_data / "events", shared_data / "events_more") == json.loads(FILE.read_text("utf-8"))


def test_a_wrong_value_shows_in_the_counts(shared_data, tmp_path):
    path = shared_data / "events" / "0018-gentry-league-2026-2-standard-398397-2026-03-20.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    data["published"]["rows"][0]["values"][1] += 0.01
    (tmp_path / "wrong.json").write_text(json.dumps(data), encoding="utf-8")
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("conformance", str(path), str(tmp_path), "--evidence", stdout=out)
    [row] = json.loads(out.getvalue())
    assert (row["events"], row["events_agree"], row["values"] - row["values_agree"]) == (2, 1, 1)


def test_events_count_for_the_ruleset_that_has_exactly_their_rules():
    named = evidence_of(MELEE, resolve("nsg"), 8, 8)
    assert (named.ruleset, named.fields, named.events_agree) == ("nsg", (), 1)
    changed = evidence_of(MELEE, resolve("nsg", overrides={"match_points": {"draw": "1/3"}}), 8, 7)
    assert (changed.ruleset, changed.fields) == ("nsg", ("match_points.draw",))
    fide = {key: value for key, value in resolve("fide").items() if key != "key"}
    assert evidence_of(MELEE, {**fide, "based_on": "uscf"}, 8, 8).ruleset == "fide"


def test_rows_of_one_program_and_one_set_of_fields_are_added_up():
    row = evidence_of(MELEE, resolve("mtr"), 8, 7)
    other = evidence_of({"repo": "else/where", "system": "Vega"}, resolve("mtr"), 4, 4)
    totals = total_evidence([row, other, row])
    assert [(row.program, row.events, row.events_agree, row.values_agree) for row in totals] == [
        ("Vega", 1, 1, 4),
        ("melee.gg", 2, 0, 14),
    ]


def test_the_program_is_the_one_the_source_names():
    assert program_of({**MELEE, "program": "Melee"}) == "Melee"
    assert program_of(MELEE) == "melee.gg"
    assert program_of({"system": "Vega"}) == "Vega"
    assert program_of({"repo": "someone/events"}) == ""


@pytest.mark.django_db
def test_pages_say_what_each_ruleset_was_checked_against(client):
    listed = page(client.get("/rulesets/?q=melee"))
    events = sum(row.events for row in known_evidence()["melee_default"])
    assert events > 20
    assert f"{events} of {events} real events agree" in listed
    html = page(client.get("/rulesets/melee_default/"))
    assert "computed by melee.gg" in html and "fbettega/MTG_decklistcache" in html
    assert "with other values for: Minimum match-win % and Minimum game-win %" in html


@pytest.mark.django_db
def test_a_ruleset_that_nothing_was_checked_against_says_so(client):
    assert "Not checked against any example or event yet." in page(client.get("/rulesets/?q=sorcery"))
    assert "No published standings of a real event" in page(client.get("/rulesets/sorcery/"))


@pytest.mark.django_db
def test_worked_examples_are_counted_in_the_list(client):
    assert "13 of 13 official examples agree" in page(client.get("/rulesets/?q=dci"))
