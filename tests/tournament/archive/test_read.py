import copy
import json
import time

import pytest

from tournament.actionlog import integrity
from tournament.archive import ArchiveError, build_archive, canonical, parse_event, read_file
from tournament.archive.load import dump_event, load_event
from tournament.event.lots import compute_lots
from tournament.rulesets import UnknownRuleset

LONG = "9" * 5000
CHANGE = {"fact": "rounds/1", "before": None, "after": {"state": "draft"}}
ACTION = {"number": 1, "at": "2026-01-03T11:00:00+01:00", "kind": "draft", "changes": [CHANGE]}


def small() -> dict:
    """A valid archive with something of everything: a Swiss round, an open one, a cut."""
    ids = ["P0001", "P0002", "P0003"]
    played = {"table": 1, "a": "P0001", "b": "P0002", "result": "played", "games": [2, 1, 0]}
    bye = {"table": None, "a": "P0003", "b": None, "result": "bye"}
    final = {"table": 1, "a": "P0001", "b": "P0002", "result": None, "slot": "F.1"}
    extension = {"table": 1, "minutes": 5, "reason": "deck check"}
    return {
        "format": "swiss-archive",
        "version": 1,
        "tournament": {"name": "Friday night", "seed": "0a" * 16, "starts_at": "2026-01-03T10:00:00+01:00"},
        "ruleset": {"preset": "mtr", "version": 1, "overrides": {"percentages": {"match_floor": "1/3"}}},
        "entries": [{"id": code, "name": code.lower()} for code in ids],
        "stages": [
            {"number": 1, "kind": "swiss", "entries": ids},
            {"number": 2, "kind": "elimination", "from": [1], "seeds": ids[:2], "alternates": ids[2:]},
        ],
        "rounds": [
            {"number": 1, "stage": 1, "matches": [played, bye], "extensions": [extension]},
            {"number": 2, "stage": 2, "status": "published", "matches": [final]},
        ],
        "forbidden": [["P0001", "P0003"]],
        "penalties": [{"round": 1, "entry": "P0002", "kind": "warning", "reason": "slow play"}],
        "log": [copy.deepcopy(ACTION)],
    }


def changed(path: str, value) -> dict:
    """The small archive with another value at a path such as rounds.0.matches.1.a."""
    data = small()
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    place = data
    for step in way:
        place = place[step]
    if isinstance(place, list) and last == len(place):
        place.append(value)
    else:
        place[last] = value
    return data


MATCH, BYE, FINAL = "rounds.0.matches.0", "rounds.0.matches.1", "rounds.1.matches.0"
REFUSED = [
    ("format", "swiss-pairings", "format"),
    ("version", 2, "version"),
    ("colour", "blue", "colour"),
    ("entries", {}, "entries"),
    # the tournament
    ("tournament", [], "tournament"),
    ("tournament.name", "  ", "tournament.name"),
    ("tournament.slug", "../etc", "tournament.slug"),
    ("tournament.time_zone", "Mars/Olympus", "tournament.time_zone"),
    ("tournament.time_zone", "../UTC", "tournament.time_zone"),
    ("tournament.starts_at", "tomorrow", "tournament.starts_at"),
    ("tournament.starts_at", "2026-02-03T10:00:00", "tournament.starts_at"),
    ("tournament.starts_at", "0001-01-01T00:00:00+14:00", "tournament.starts_at"),
    ("tournament.rounds", -1, "tournament.rounds"),
    ("tournament.cut", 40000, "tournament.cut"),
    # the ruleset
    ("ruleset", None, "ruleset"),
    ("ruleset.preset", "nonesuch", "ruleset"),
    ("ruleset.version", 9, "ruleset"),
    ("ruleset.profile", {}, "ruleset.profile"),
    ("ruleset.overrides.tiebreaks", [], "ruleset.tiebreaks"),
    ("ruleset.overrides.tiebreaks", [{"metric": "moon"}], "ruleset.tiebreaks[0].metric"),
    ("ruleset.overrides.percentages.match_floor", "half", "ruleset.percentages.match_floor"),
    ("ruleset.overrides.percentages.match_floor", 0.33, "ruleset.overrides.percentages.match_floor"),
    ("ruleset.overrides.rounds_table", "nonesuch", "ruleset"),
    # entries
    ("entries.0", "P0001", "entries[0]"),
    ("entries.0.id", None, "entries[0].id"),
    ("entries.0.id", "P/1", "entries[0].id"),
    ("entries.1.id", "P0001", "entries[1].id"),
    ("entries.0.name", "A\0da", "entries[0].name"),
    ("entries.0.name", "A\ud800da", "entries[0].name"),
    ("entries.0.name", "A\u202eda", "entries[0].name"),
    ("entries.0.name", "\u200b\u2060", "entries[0].name"),
    ("entries.0.labels", ["club:North", "\x1e"], "entries[0].labels[1]"),
    ("entries.0.members", ["Ada", "B\u200fo"], "entries[0].members[1]"),
    ("tournament.name", "Cup\u202e", "tournament.name"),
    ("entries.0.status", "asleep", "entries[0].status"),
    ("entries.0.rating", 10**10, "entries[0].rating"),
    ("entries.0.same_person_as", "P0009", "entries[0].same_person_as"),
    ("entries.0.same_person_as", "P0001", "entries[0].same_person_as"),
    ("entries.0.members", ["Ada"], "entries[0].members: a team has 2 to 6 members"),
    ("entries.0.members", ["José", "Bo", "JOSE"], "entries[0].members[2]: 'JOSE' is in the team twice"),
    ("entries.0.members", ["Ada", " "], "entries[0].members[1]"),
    ("entries.0.captain", 2, "entries[0].captain: there is no member 2"),
    ("entries.0.captain", 0, "entries[0].captain"),
    ("entries.0.start", "1e999999999", "entries[0].start"),
    ("entries.0.lot", 0, "entries[0].lot"),
    ("entries.0.email", "ada@example.org", "entries[0].email"),
    # stages
    ("stages.0.number", 2, "stages[0].number"),
    ("stages.0.kind", "knockout", "stages[0].kind"),
    ("stages.1.from", [2], "stages[1].from"),
    ("stages.0.entries", ["P0001", "P0009"], "stages[0].entries[1]"),
    ("stages.0.entries", ["P0001", "P0001"], "stages[0].entries[1]"),
    ("stages.0.seeds", ["P0001"], "stages[0].seeds"),
    ("stages.1.alternates", ["P0002"], "stages[1].alternates[0]"),
    ("stages.0.ends_at", "noon", "stages[0].ends_at"),
    # rounds and matches
    ("rounds.0.stage", 3, "rounds[0].stage"),
    ("rounds.0.extensions.0.table", 9, "rounds[0].extensions[0].table"),
    (f"{MATCH}.a", "P0009", "rounds[0].matches[0].a"),
    (f"{MATCH}.b", "P0009", "rounds[0].matches[0].b"),
    (f"{MATCH}.b", "P0001", "rounds[0].matches[0]"),
    (f"{MATCH}.b", "P0003", "rounds[0].matches[1]"),
    (f"{MATCH}.table", 0, "rounds[0].matches[0].table"),
    (f"{BYE}.table", 1, "rounds[0].matches[1].table"),
    (f"{MATCH}.result", "bye", "rounds[0].matches[0].result"),
    (f"{MATCH}.result", None, "rounds[0].matches[0].result"),
    (f"{BYE}.result", None, "rounds[0].matches[1].result"),
    (f"{MATCH}.games", None, "rounds[0].matches[0].games"),
    (f"{MATCH}.games", [2, -1, 0], "rounds[0].matches[0].games"),
    (f"{MATCH}.games", [2, 1.0, 0], "rounds[0].matches[0].games[1]"),
    (f"{FINAL}.games", [2, 0, 0], "rounds[1].matches[0].result"),
    (f"{MATCH}.winner", "b", "rounds[0].matches[0].winner"),
    (f"{MATCH}.score", ["2/3", "x"], "rounds[0].matches[0].score[1]"),
    (f"{MATCH}.waived", {"rule": "repeat"}, "rounds[0].matches[0].waived.reason"),
    (f"{MATCH}.reports", ["2-0"], "rounds[0].matches[0].reports[0]"),
    (f"{MATCH}.reports", [{"source": "c", "slip": "20"}], "rounds[0].matches[0].reports[0].source"),
    (f"{MATCH}.reports", [{"source": "a", "slip": "20"}] * 2, "rounds[0].matches[0].reports[1].source"),
    (f"{FINAL}.decided", "higher_seed", "rounds[1].matches[0].winner"),
    (f"{FINAL}.replays", [{"games": [1]}], "rounds[1].matches[0].replays[0].games"),
    # the rest
    ("forbidden.0", ["P0001"], "forbidden[0]"),
    ("forbidden.0", ["P0001", "P0001"], "forbidden[0]"),
    ("penalties.0.entry", "P0009", "penalties[0].entry"),
    ("penalties.0.round", 3, "penalties[0].round"),
    ("penalties.0.kind", "frown", "penalties[0].kind"),
    ("log.0.number", 0, "log[0].number"),
    ("log.1", ACTION, "log[1].number"),
    ("log.0.at", None, "log[0].at"),
    ("log.0.changes.0", 5, "log[0].changes[0]"),
    ("log.0.changes.0.fact", "weather", "log[0].changes[0].fact"),
    ("log.0.changes.0.after", None, "log[0].changes[0]"),
    ("log.0.changes.0.after", {"x": float("nan")}, "log[0].changes[0].after.x"),
    ("log.0.changes.0.after", {"a\0b": 1}, "log[0].changes[0].after"),
]


def test_the_small_archive_is_sound_with_null_for_absent_in_any_order():
    archive = build_archive(parse_event(small()), with_seed=True)
    assert json.loads(canonical(parse_event(archive), with_seed=True)) == archive
    data = small()
    data["entries"][0] |= {"rating": None, "labels": None, "house": None, "lot": None, "awarded_byes": None}
    data["tournament"] |= {"cut": None, "team": None, "slug": None}
    assert canonical(parse_event(data)) == canonical(parse_event(small()))
    data = small()
    data["entries"].reverse()
    data["rounds"][0]["matches"].reverse()
    data["stages"][0]["entries"].reverse()
    assert canonical(parse_event(dict(reversed(data.items())))) == canonical(parse_event(small()))


@pytest.mark.parametrize(("path", "value", "named"), REFUSED)
def test_every_refusal_names_its_place(path, value, named):
    with pytest.raises((ArchiveError, UnknownRuleset)) as refused:
        parse_event(changed(path, value))
    assert f"{refused.value}: ".startswith(f"{named}: ")


def test_a_second_open_round_of_a_swiss_stage_is_refused():
    data = changed("rounds.0.status", "published")
    parse_event(data)
    data["rounds"][1] |= {"stage": 1}
    with pytest.raises(ArchiveError, match=r"^rounds\[1\]: "):
        parse_event(data)


@pytest.mark.django_db
def test_an_alternate_may_play_in_a_bracket_and_nobody_else_and_its_entries_are_kept():
    data = changed(f"{FINAL}.b", "P0003")
    event = parse_event(data)
    assert event.rounds[1].matches[0].b == "P0003"
    tournament = load_event(event)
    assert integrity.check(tournament) == []
    assert dump_event(tournament, with_seed=True) == canonical(event, with_seed=True)
    data["stages"][1].pop("alternates")
    with pytest.raises(ArchiveError, match=r"^rounds\[1\].matches\[0\].b: "):
        parse_event(data)
    data["stages"][1] = {"number": 2, "kind": "elimination", "from": [1], "entries": ["P0001", "P0003"]}
    assert parse_event(build_archive(parse_event(data))).stages[1].entries == ("P0001", "P0003")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ('{"version": 1, "version": 2}', "'version' appears twice"),
        ("[]", "expected an object"),
        ('{"a":' * 40 + "1" + "}" * 40, "levels deep"),
        ('{"version": NaN}', "version: nan"),
        (f'{{"version": {LONG}}}', "version: "),
        ('{"format": "swiss-published"}', "expected an object"),
        ('{"format": "swiss-vectors"}', "format: "),
        ('{"format": "Zoë"}'.encode("latin-1"), "UTF-8"),
    ],
)
def test_a_file_that_is_no_archive_is_refused_in_words(tmp_path, text, named):
    path = tmp_path / "event.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ArchiveError) as refused:
        read_file(path)
    assert named in str(refused.value)


def test_a_key_that_stands_twice_is_found_at_once(tmp_path):
    path = tmp_path / "event.json"
    path.write_text("{" + ", ".join(f'"k{n}": 1' for n in range(30_000)) + ', "k29999": 1}')
    begun = time.process_time()
    with pytest.raises(ArchiveError, match="'k29999' appears twice"):
        read_file(path)
    assert time.process_time() - begun < 3


def test_white_space_around_names_is_left_out_and_a_bare_date_is_its_midnight():
    data = changed("entries.0.name", "\t\u200fAda\u00a0\u200e\n")
    data["entries"][0] |= {"last_name": " Ash\u200b", "labels": ["\tNorth "], "rating_source": "Elo\r\n"}
    data["tournament"]["venue"] = "Hall "
    event = parse_event(data)
    ada = event.entries["P0001"]
    assert (ada.name, ada.last_name, ada.labels, ada.rating_source) == ("Ada", "Ash", ("North",), "Elo")
    assert event.venue == "Hall"
    for nothing in (" \t", "\u200b"):
        with pytest.raises(ArchiveError, match=r"entries\[0\]\.name"):
            parse_event(changed("entries.0.name", nothing))
    data = changed("tournament.date", "2026-07-03")
    data["tournament"] |= {"starts_at": None, "time_zone": "Europe/Madrid"}
    assert parse_event(data).starts_at == "2026-07-03T00:00:00+02:00"


def test_games_the_ruleset_gives_are_not_written_and_others_are():
    data = small()
    data["rounds"][0]["matches"][1]["games"] = [2, 0, 0]
    assert "games" not in build_archive(parse_event(data))["rounds"][0]["matches"][1]
    data["rounds"][0]["matches"][1]["games"] = [1, 0, 0]
    assert build_archive(parse_event(data))["rounds"][0]["matches"][1]["games"] == [1, 0, 0]


def test_a_running_event_shows_lots_instead_of_its_seed():
    def lots_in(event):
        return compute_lots(event.seed, {entry.id: entry.lot for entry in event.entries.values()})

    archive = build_archive(parse_event(small()))
    assert "seed" not in archive["tournament"]
    assert sorted(entry["lot"] for entry in archive["entries"]) == [1, 2, 3]
    assert lots_in(parse_event(archive)) == lots_in(parse_event(small()))


def test_keys_are_written_in_the_order_of_the_format():
    whole = {
        "table": 1, "a": "P0001", "b": "P0002", "first": "a", "result": "played", "games": [1, 1, 0], "winner": "a",
        "score": [9, "7/2"], "game_order": "ab", "slot": "F.1", "replays": [{"games": [0, 0, 1], "first": "b"}],
        "decided": "tiebreak", "waived": {"rule": "repeat", "reason": "both asked"}, 
        "reports": [{"source": "a", "slip": "20"}, {"source": "b", "slip": "21"}],
    }  # fmt: skip
    action = {"number": 1, "at": "2026-01-03T10:00:00+00:00", "actor": "ann", "kind": "draft"}
    action |= {"changes": [CHANGE], "reason": "late", "key": "k1", "undoes": 1}
    data = small()
    data["rounds"][1] |= {"status": "complete", "matches": [whole]}
    data["log"] = [action]
    written = build_archive(parse_event(data))
    assert json.dumps(written["rounds"][1]["matches"]) == json.dumps([whole])
    assert json.dumps(written["log"]) == json.dumps([action])
