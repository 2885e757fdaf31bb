import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from pairings.draft.services import add_house_opponent, draft_next_round
from tests import factories, steps
from tests.journeys.test_commands import code_of, dumped, json_of, shell, simulated, text_of
from tournament.services.requested_byes import request_bye


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "event.json"
    path.write_text(simulated(), encoding="utf-8")
    return path


def test_final_places_are_those_of_the_bracket_then_the_swiss_rank(file):
    order = [row["entry"] for row in json_of("standings", str(file))["rows"]]
    data = json.loads(file.read_text("utf-8"))
    champion, loser = order[1], order[0]
    data["stages"] = [
        {"number": 1, "kind": "swiss", "from": [], "entries": sorted(order)},
        {"number": 2, "kind": "elimination", "from": [1], "seeds": order[:2]},
    ]
    final = {"table": 1, "a": loser, "b": champion, "result": "played", "games": [0, 2, 0]}
    for round_ in data["rounds"]:
        round_["stage"] = 1
    data["rounds"].append({"number": 5, "stage": 2, "matches": [final]})
    file.write_text(json.dumps(data))
    rows = json_of("standings", str(file), "--final")["rows"]
    assert rows[:3] == [
        {"place": 1, "entry": champion, "place_from": "champion"},
        {"place": 2, "entry": loser, "place_from": "Final"},
        {"place": 3, "entry": order[2], "place_from": "Swiss rank"},
    ]
    assert [row["entry"] for row in rows[2:]] == order[2:]
    head, first, *_others = text_of("standings", str(file), "--final").splitlines()
    assert head.split() == ["place", "entry", "name", "from"]
    assert first.split()[:2] == ["1", champion] and first.endswith("champion")


@pytest.mark.long
def test_options_that_do_not_go_together_are_one_line_on_stderr(file):
    with pytest.raises(CommandError, match=r"^the file has no elimination stage: omit --final"):
        call_command("standings", str(file), "--final")
    assert code_of("standings", str(file), "--final") == 2
    for command, options in (("standings", "--final --after 2"), ("pair", "--house H01 --round 1")):
        refused = shell(command, str(file), *options.split())
        assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)
        assert "not allowed with" in refused.stderr


@pytest.mark.django_db
def test_pair_lists_who_sits_out_and_only_them(tmp_path):
    tournament = factories.TournamentFactory(entries=6, ruleset="fide", rounds_planned=4)
    factories.RoundFactory(tournament=tournament, results=True)
    steps.complete_round(tournament, 1)
    assert "given_byes" not in json_of("pair", str(dumped(tournament, tmp_path)))
    request_bye(tournament, "P0002", 2, "half")
    path = str(dumped(tournament, tmp_path))
    document = json_of("pair", path)
    assert document["given_byes"] == {"P0002": "half_bye"} and "P0002" not in str(document["pairs"])
    [line] = [line for line in text_of("pair", path).splitlines() if "half-point bye" in line]
    assert "P0002" in line
    assert "given_byes" not in json_of("pair", path, "--round", "1")


@pytest.mark.parametrize(("playing", "bye"), [(["P0004"], "P0004"), ([], None)])
def test_pair_needs_no_table_where_the_others_sit_out(playing, bye, tmp_path):
    codes = ["P0001", "P0002", "P0003", "P0004"]
    data = {
        "format": "swiss-archive", "version": 1, "tournament": {"name": "Open", "rounds": 3},
        "ruleset": {"preset": "fide"},
        "entries": [
            {"id": code, "name": code}
            | ({} if code in playing else {"requested_byes": [{"round": 1, "kind": "zero"}]})
            for code in codes
        ],
        "stages": [{"number": 1, "kind": "swiss", "from": [], "entries": codes}],
    }  # fmt: skip
    path = tmp_path / "event.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    document = json_of("pair", str(path))
    assert (document["pairs"], document["bye"]) == ([], bye)
    assert set(document["given_byes"]) == set(codes) - set(playing)
    data["entries"], data["stages"][0]["entries"] = data["entries"][:1], codes[:1]
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(CommandError, match="A round needs at least 2 players"):
        call_command("pair", str(path))


@pytest.mark.django_db
def test_pair_with_the_house_opponent_is_what_the_service_drafts(tmp_path):
    tournament = factories.TournamentFactory(entries=9, rounds=1, ruleset="twixt")
    add_house_opponent(tournament, "Director")
    draft_next_round(tournament, house="H01")
    path, drafted = str(dumped(tournament, tmp_path)), tournament.rounds.get(number=2)
    document = json_of("pair", path, "--house", "H01")
    assert document["digest"] == drafted.pairing["digest"]
    assert document["bye"] is None and json_of("pair", path)["bye"] is not None
    [met] = [a for a, b in document["pairs"] if b == "H01"]
    assert drafted.seats.get(entry__code="H01").match.seats.filter(entry__code=met).exists()
    assert "Plays the house opponent instead of getting the bye." in text_of("pair", path, "--house", "H01")


@pytest.mark.parametrize(
    ("ruleset", "players", "arguments", "said"),
    [
        ("twixt", 9, ("--house", "P0001"), "P0001 is not a house opponent."),
        ("twixt", 9, ("--house", "H09"), "H09 is not a house opponent."),
        ("twixt", 9, ("--house", ""), '"" is not a house opponent.'),
        ("twixt", 8, ("--house", "H01"), "Round 3 needs no house opponent: the number of players is even."),
        ("mtr", 9, ("--house", "H01"), "This ruleset does not use house opponents."),
    ],
)
def test_a_house_opponent_who_cannot_play_is_refused(ruleset, players, arguments, said, tmp_path):
    data = json.loads(simulated(ruleset, players, 2))
    if not any(entry.get("house") for entry in data["entries"]):
        data["entries"].append({"id": "H01", "name": "Director", "house": True})
    path = tmp_path / "event.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(CommandError) as refused:
        call_command("pair", str(path), *arguments)
    assert refused.value.returncode == 2 and str(refused.value).startswith(said)
