import io
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from django.core.management import CommandError, call_command

from pairings.draft.services import add_house_opponent, draft_next_round
from tests import factories, steps
from tests.served import free_port
from tournament.archive import canonical, parse_event, read_file
from tournament.archive.load import load_event
from tournament.history.describe import describe_actions
from tournament.models import Report, Round, Tournament
from tournament.services.requested_byes import request_bye
from tournament.services.rounds import publish_round

ROOT = Path(__file__).resolve().parents[2]
NOWHERE = "postgres://nobody@127.0.0.1:1/none"  # nothing listens there


def text_of(*arguments: str) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def json_of(*arguments: str) -> dict:
    return json.loads(text_of(*arguments, "--json"))


def code_of(*arguments: str) -> int:
    """The exit code as the shell would see it; an error is one line and prints nothing."""
    out = io.StringIO()
    try:
        call_command(*arguments, stdout=out)
    except CommandError as error:
        assert "\n" not in str(error) and out.getvalue() == ""
        return error.returncode
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def shell(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    """The command in a process of its own, with a database that is not there."""
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": NOWHERE, **environment},
    )


@cache
def simulated(ruleset: str = "mtr", players: int = 21, rounds: int = 4, seed: str = "x") -> str:
    return text_of(
        "simulate", "--players", str(players), "--rounds", str(rounds), "--ruleset", ruleset, "--seed", seed
    )


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "event.json"
    path.write_text(simulated(), encoding="utf-8")
    return path


@pytest.mark.only_on("postgresql")
def test_a_database_that_is_not_there_is_said_in_one_line():
    parts = urlsplit(os.environ["DATABASE_URL"])
    missing = parts._replace(path="/swiss_nowhere")
    stranger = parts._replace(netloc=f"swiss_nobody@{parts.netloc.rpartition('@')[2]}")
    silent = urlsplit(NOWHERE), "No database server answers at 127.0.0.1:1 (Connection refused). Start it"
    for command, address, words in (
        ("fsck friday", missing, 'database "swiss_nowhere" does not exist. Create it with createdb'),
        ("fsck friday", stranger, 'role "swiss_nobody" does not exist'),
        ("fsck friday", *silent),
        ("createsuperuser", *silent),
        ("serve", *silent),
    ):
        result = shell(*command.split(), DATABASE_URL=address.geturl(), PORT=str(free_port()))
        assert (result.returncode, result.stdout) == (2, ""), address
        assert result.stderr.count("\n") == 1 and words in result.stderr


@pytest.mark.long
@pytest.mark.parametrize(
    ("command", "key"),
    [
        ("serve", ""),  # settings make the key, for whichever command
        *((command, "own") for command in ("serve", "migrate", "createsuperuser", "collectstatic --noinput")),
    ],
)
def test_a_folder_that_cannot_be_written_is_said_in_one_line(tmp_path, command, key):
    (tmp_path / "file").touch()
    var, port = str(tmp_path / "file" / "var"), str(free_port())
    result = shell(*command.split(), VAR_DIR=var, SECRET_KEY=key, DATABASE_URL="", PORT=port)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1 and "Not a directory" in result.stderr and var in result.stderr


@pytest.mark.long
@pytest.mark.parametrize(
    "what", ["sqlite", pytest.param("postgresql", marks=pytest.mark.only_on("postgresql"))]
)
def test_several_who_migrate_a_new_database_at_once_wait_for_each_other(what, tmp_path, request):
    url = f"sqlite:///{tmp_path}/new.sqlite3"
    if what == "postgresql":
        url = request.getfixturevalue("new_postgres")
    environment = {**os.environ, "DATABASE_URL": url, "VAR_DIR": str(tmp_path)}
    command, pipe = [sys.executable, str(ROOT / "manage.py"), "migrate", "-v0"], subprocess.PIPE
    starts = [subprocess.Popen(command, env=environment, stderr=pipe, text=True) for _ in range(3)]
    assert [(process.communicate()[1].rpartition("…\n")[2], process.returncode) for process in starts] == [
        ("", 0)
    ] * 3


@pytest.fixture
def new_postgres():
    """The address of a new database, which is gone afterwards."""
    parts = urlsplit(os.environ["DATABASE_URL"])
    name = f"swiss_new_{os.getpid()}"
    with psycopg.connect(parts._replace(path="/postgres").geturl(), autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        yield parts._replace(path=f"/{name}").geturl()
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.mark.long
def test_reading_commands_need_no_database(tmp_path, shared_data):
    simulate = shell("simulate", "--players", "9", "--rounds", "2", "--ruleset", "twixt", "--seed", "7")
    assert (simulate.returncode, simulate.stderr) == (0, "")
    assert simulate.stdout == simulated("twixt", 9, 2, "7")
    path = tmp_path / "event.json"
    path.write_text(simulate.stdout, encoding="utf-8")
    for arguments in (
        ("standings", str(path)),
        ("pair", str(path)),
        ("verify", str(path)),
        ("conformance", str(shared_data / "clinecon.json")),
    ):
        result = shell(*arguments, "--json")
        assert (result.returncode, result.stderr) == (0, ""), arguments
        assert json.loads(result.stdout) == json_of(*arguments), arguments


@pytest.mark.long
def test_an_error_is_one_line_on_stderr_and_exit_code_2(tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text('{"format": "swiss-archive", "version": 1, "rounds": {}')
    for arguments, named in (
        (("standings", str(tmp_path / "none.json")), "none.json"),
        (("verify", str(broken)), "not valid JSON"),
        (("fsck", "friday"), "none.sqlite3 cannot be written: Not a directory"),
        (("migrate",), "none.sqlite3 cannot be written: Not a directory"),
    ):
        result = shell(*arguments, DATABASE_URL=f"sqlite:///{broken}/none.sqlite3")
        assert (result.returncode, result.stdout) == (2, ""), arguments
        assert result.stderr.count("\n") == 1 and result.stderr.endswith("\n") and named in result.stderr


def test_a_file_with_an_unknown_metric_is_refused_by_its_path_and_nothing_is_loaded(file, db):
    data = json.loads(file.read_text("utf-8"))
    data["ruleset"]["profile"]["tiebreaks"][1]["metric"] = "moon_phase"
    file.write_text(json.dumps(data))
    for arguments in (("load", str(file)), ("standings", str(file)), ("pair", str(file))):
        with pytest.raises(CommandError, match=r"^ruleset\.tiebreaks\[1\]\.metric: .*moon_phase") as refused:
            call_command(*arguments)
        assert refused.value.returncode == 2
    assert not Tournament.objects.exists()


def test_standings_print_exact_values_of_every_entry_after_any_round(file):
    document = json_of("standings", str(file))
    assert list(document) == ["after_round", "columns", "rows"]
    assert document["after_round"] == 4
    assert document["columns"] == [
        "match_points", "opp_match_win_pct", "game_win_pct", "opp_game_win_pct", "random",
    ]  # fmt: skip
    assert [list(row) for row in document["rows"]] == [["rank", "entry", "values", "decided_by"]] * 21
    assert [row["rank"] for row in document["rows"]] == list(range(1, 22))
    assert all(isinstance(value, str) for row in document["rows"] for value in row["values"])
    assert document["rows"][0]["decided_by"] is None
    assert {row["decided_by"] for row in document["rows"][1:]} <= set(document["columns"])
    assert json_of("standings", str(file), "--after", "0")["rows"][0]["values"][0] == "0"
    second = json_of("standings", str(file), "--after", "2")
    assert second["after_round"] == 2 and int(second["rows"][0]["values"][0]) == 6
    for wrong in ("5", "-1"):
        assert code_of("standings", str(file), "--after", wrong) == 2


def test_pair_refuses_an_event_that_has_no_next_round(file):
    data = json.loads(file.read_text())
    data["rounds"][3]["status"] = "published"
    file.write_text(json.dumps(data))
    assert code_of("pair", str(file)) == 2


@pytest.mark.django_db
def test_load_and_dump_give_a_finished_event_back_byte_for_byte_and_a_taken_address_is_refused(file):
    document = json_of("load", str(file))
    slug = read_file(file).slug
    assert document == {"slug": slug, "entries": 21, "rounds": 4}
    assert text_of("dump", slug) == file.read_text(encoding="utf-8")
    assert json_of("fsck", slug) == {"slug": slug, "problems": []}
    assert json_of("replay", slug) == {"slug": slug, "revision": 0, "different": []}
    assert code_of("load", str(file)) == 2
    assert Tournament.objects.count() == 1
    assert json_of("load", str(file), "--slug", "elsewhere")["slug"] == "elsewhere"
    assert {row.slug for row in Tournament.objects.all()} == {slug, "elsewhere"}


@pytest.mark.django_db
def test_what_a_file_holds_of_removed_features_is_named_in_one_line_and_the_rest_is_loaded(file):
    archive = json.loads(file.read_text(encoding="utf-8"))
    archive["tournament"] |= {
        "prize_split": "higher",
        "double_entry": [1, 2],
        "first_table": 5,
        "judge_clock": True,
    }
    match = next(match for match in archive["rounds"][0]["matches"] if match.get("b"))
    first = {"slip": "21", "actor": "ana"}
    match["reports"] = [{"source": "desk", **first}, {"source": "a", "slip": "20", "actor": ""}]
    changes = {
        "result": {"fact": f"rounds/1/tables/{match['table']}/reports/desk", "after": first},
        "table ranges": {"fact": "staff/ana", "personal": ["tables 1–4"]},
        "settings": {"fact": "tournament", "before": {"double_entry": []}, "after": {"double_entry": [1, 2]}},
    }
    archive["log"] = [
        {"number": number, "at": "2026-01-03T10:00:00+00:00", "kind": kind, "changes": [change]}
        for number, (kind, change) in enumerate(changes.items(), start=1)
    ]
    file.write_text(json.dumps(archive), encoding="utf-8")
    assert text_of("load", str(file)).splitlines()[1:] == [
        "Ignored, because this version has nothing like it: tournament.prize_split, tournament.double_entry, "
        "tournament.first_table, tournament.judge_clock, rounds.matches.reports.desk"
    ]
    tournament = Tournament.objects.get()
    assert tournament.prize_split == "order" and Report.objects.get().source == "a"
    described = [
        action.sentence for action in describe_actions(tournament, tournament.actions.order_by("number"))
    ]
    assert "the match slip reported 2–1" in described[0] and "ana: tables 1–4" in described[1]


@pytest.mark.django_db
def test_a_file_keeps_fields_of_its_ruleset_that_nothing_reads_and_loading_names_them(file):
    data = json.loads(file.read_text("utf-8"))
    data["ruleset"]["profile"] |= {"compare": "exact"}
    data["ruleset"]["profile"]["bye"]["max_per_player"] = 1
    file.write_text(canonical(parse_event(data), with_seed=True), encoding="utf-8")
    assert text_of("load", str(file)).splitlines()[1:] == [
        "Ignored, because this version has nothing like it: ruleset.bye.max_per_player, ruleset.compare"
    ]
    assert text_of("dump", read_file(file).slug) == file.read_text(encoding="utf-8")


@pytest.mark.django_db
def test_a_broken_invariant_and_a_changed_row_are_exit_code_1_and_an_unknown_event_is_2():
    tournament = factories.TournamentFactory(entries=6, rounds=1)
    assert code_of("fsck", tournament.slug) == code_of("replay", tournament.slug) == 0
    for command in ("dump", "fsck", "replay"):
        with pytest.raises(CommandError, match="/t/nobody/") as refused:
            text_of(command, "nobody")
        assert refused.value.returncode == 2
    Round.objects.filter(tournament=tournament).update(minutes=7)
    out = io.StringIO()
    with pytest.raises(SystemExit) as stopped:
        call_command("replay", tournament.slug, "--json", stdout=out)
    assert (stopped.value.code, json.loads(out.getvalue())["different"]) == (1, ["rounds/1"])
    tournament.rounds.get().matches.filter(table=1).update(result=None)
    Round.objects.filter(tournament=tournament).update(state="complete")
    assert code_of("fsck", tournament.slug) == 1


@pytest.mark.django_db
def test_replay_prints_the_archive_of_any_earlier_moment(file):
    tournament = factories.TournamentFactory(entries=7)
    factories.RoundFactory(tournament=tournament)
    number, then = tournament.revision, without_log(text_of("dump", tournament.slug))
    factories.enter_results(tournament, 1)
    assert without_log(text_of("dump", tournament.slug)) != then
    output = text_of("replay", tournament.slug, "--to", str(number))
    assert without_log(output) == then
    parse_event(json.loads(output))
    tournament.refresh_from_db()
    for number in (-1, 0, tournament.revision + 1):
        assert code_of("replay", tournament.slug, "--to", str(number)) == 2
    for number in range(1, tournament.revision + 1):
        assert code_of("replay", tournament.slug, "--to", str(number)) == 0
    slug = json_of("load", str(file))["slug"]
    assert text_of("replay", slug, "--to", "0") == file.read_text(encoding="utf-8")
    assert code_of("replay", slug, "--to", "1") == 2


def without_log(text: str) -> dict:
    data = json.loads(text)
    data.pop("log", None)
    return data


@pytest.mark.django_db
def test_a_running_event_shows_lots_and_one_loaded_without_seed_draws_one():
    tournament = factories.TournamentFactory(entries=7, rounds=2)
    data = json.loads(text_of("dump", tournament.slug))
    assert "seed" not in data["tournament"]
    assert sorted(entry["lot"] for entry in data["entries"]) == list(range(1, 8))
    assert (
        json.loads(text_of("dump", tournament.slug, "--with-seed"))["tournament"]["seed"] == tournament.seed
    )
    copy = load_event(parse_event(json.loads(text_of("dump", tournament.slug))), slug="copy")
    assert copy.seed == ""
    draft_next_round(copy)
    publish_round(copy, 3)
    copy.refresh_from_db()
    assert len(bytes.fromhex(copy.seed)) == 16


def dumped(tournament: Tournament, folder: Path) -> Path:
    path = folder / "event.json"
    path.write_text(text_of("dump", tournament.slug, "--with-seed"), encoding="utf-8")
    return path


@pytest.mark.django_db
@pytest.mark.parametrize("ruleset", ["mtr", "twixt"])
def test_pair_of_a_file_is_what_the_service_drafts(ruleset, tmp_path):
    tournament = factories.TournamentFactory(entries=9, rounds=1, ruleset=ruleset, drafted=True)
    drafted = tournament.rounds.get(number=2)
    document = json_of("pair", str(dumped(tournament, tmp_path)))
    assert document["digest"] == drafted.pairing["digest"]
    assert len(document["first"]) == (4 if ruleset == "twixt" else 0)
    seats = drafted.seats.exclude(match__table=None).order_by("match__table", "side")
    codes = list(seats.values_list("entry__code", flat=True))
    assert document["pairs"] == [list(pair) for pair in zip(codes[::2], codes[1::2], strict=True)]
    assert document["bye"] == drafted.seats.get(kind="bye").entry.code
    assert len(document["first"]) == (len(document["pairs"]) if ruleset == "twixt" else 0)
    assert set(document["first"]) <= {"a", "b"}


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
