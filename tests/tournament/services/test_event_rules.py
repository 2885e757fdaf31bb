import io
import json

import pytest
from django.core.management import call_command

from standings.bracket.cut import make_cut
from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tests.steps import complete_round, is_sound, load_again
from tournament import archive
from tournament.actionlog.fold import state_at
from tournament.archive.load import dump_event, load_event
from tournament.errors import Conflict, NotFound, Refused, WrongState
from tournament.event import read
from tournament.event.profile import ruleset_in_force
from tournament.event.read import load_event_values
from tournament.history.describe import describe_actions
from tournament.models import Ruleset, RulesetVersion
from tournament.rulesets import resolve, validate
from tournament.services.event_settings import change_settings
from tournament.services.events import copy_event, finish_tournament
from tournament.services.rulesets import change_rules, copy_ruleset, last_complete_round, save_draft
from tournament.services.undo import undo_action

FLOOR = {"percentages": {"match_floor": "1/3"}}
BY_TIME = {"tiebreaks": [{"metric": m} for m in ("match_points", "cumulative", "random")]}


def change(tournament, ruleset=None, overrides=None, reason="The league decided so.", **sent):
    tournament.refresh_from_db()
    return change_rules(tournament, ruleset, overrides, revision=tournament.revision, reason=reason, **sent)


def published(*open_fields):
    """A ruleset that leaves only these fields open; its key and version."""
    profile = resolve("mtr") | {"key": "league-mtr", "version": 1, "open_fields": list(open_fields)}
    ruleset = Ruleset.objects.create(key="league-mtr", name="League")
    RulesetVersion.objects.create(ruleset=ruleset, key="league-mtr", version=1, name="Ours", profile=profile)
    return "league-mtr", 1


def running(rounds=1, **fields):
    tournament = TournamentFactory(entries=4, rounds=rounds, **fields)
    complete_round(tournament, rounds)
    return tournament


def test_before_round_one_the_open_fields_change_without_a_reason():
    tournament = TournamentFactory(entries=4)
    change(tournament, ("twixt", 1), {"display": {"percent_places": 3}}, reason="")
    assert tournament.profile is None
    profile = ruleset_in_force(tournament)
    assert (profile["key"], profile["display"]["percent_places"]) == ("twixt", 3)
    undo_action(tournament, tournament.revision)
    assert ruleset_in_force(tournament)["key"] == "mtr"
    league = published("percentages.match_floor")
    with pytest.raises(Refused, match="does not allow changes to"):
        change(tournament, league, {"match_points": {"win": "2"}})
    tournament.refresh_from_db()
    assert tournament.ruleset.version == 1 and tournament.overrides == {}


def test_after_round_one_the_copy_changes_says_when_and_why_and_file_log_and_replay_carry_it():
    tournament, why = running(2), "Größe & <b>Grund</b>"
    marked = tournament.standings_revision
    action = change(tournament, None, FLOOR, reason=why)
    assert tournament.profile["percentages"]["match_floor"] == "1/3"
    assert tournament.profile["rule_changes"] == [
        {"after": 2, "fields": ["percentages.match_floor"], "reason": why}
    ]
    assert validate(tournament.profile) == []
    assert (action.kind, action.reason) == ("rules", why)
    assert tournament.standings_revision == action.number > marked
    assert describe_actions(tournament, [action])[0].sentence == "Rules changed: Minimum match-win %"
    assert is_sound(tournament)
    changes = json.loads(dump_event(tournament))["ruleset"]["profile"]["rule_changes"]
    assert changes[0]["reason"] == why
    assert load_again(tournament).profile["rule_changes"] == changes


def test_after_round_one_a_change_needs_a_reason_a_version_there_is_and_the_revision_that_was_seen():
    tournament = running()
    assert last_complete_round(TournamentFactory(entries=4, rounds=2)) == 1, "round 2 goes on"
    for reason in ("", "   ", "x" * 501):
        with pytest.raises(Refused, match="Enter a reason"):
            change(tournament, None, FLOOR, reason=reason)
    with pytest.raises(NotFound, match="no version 7"):
        change(tournament, ("mtr", 7))
    seen = tournament.revision
    RoundFactory(tournament=tournament)
    with pytest.raises(WrongState, match="Something changed since you opened this page"):
        change_rules(tournament, None, FLOOR, revision=seen, reason="Late")
    assert ruleset_in_force(tournament)["percentages"]["match_floor"] == "33/100"


def test_another_ruleset_after_round_one_keeps_the_length_of_matches_and_undo_gives_the_rules_back():
    tournament = running()
    before = read.read_state(tournament)[0]
    change(tournament, ("twixt", 1))
    assert tournament.profile["key"] == "twixt" and tournament.ruleset.key == "twixt"
    assert tournament.profile["best_of_swiss"] == 3
    undo_action(tournament, tournament.revision, actor=UserFactory())
    assert read.read_state(tournament)[0] == before
    assert state_at(tournament) == before


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"best_of_swiss": 1}, "Length of a Swiss match: rounds are paired"),
        ({"records_scores": True}, "are recorded: results have been recorded"),
        ({"tiebreaks": [{"metric": "random"}]}, "must start with points"),
        ({"percentages": {"match_floor": "2"}}, "exact share"),
        ({"match_points": {"win": 3.5}}, "exact number"),
        ({"magic": "on"}, "magic"),
    ],
)
def test_what_may_not_change_any_more_or_is_unsound_is_refused_with_the_why(overrides, words):
    tournament = running()
    before = read.read_state(tournament)[0]
    with pytest.raises(Refused, match=words):
        change(tournament, None, overrides)
    assert read.read_state(tournament)[0] == before


def test_the_rules_of_a_drawn_bracket_stay():
    tournament = running()
    make_cut(tournament, 2)
    for overrides in ({"elimination": {"placement": "shared"}}, {"best_of_elim": 5}):
        with pytest.raises(WrongState, match="the bracket is set"):
            change(tournament, None, overrides)
    change(tournament, None, FLOOR)


def test_what_the_publisher_closed_stays_closed_in_a_running_event():
    tournament = TournamentFactory(entries=4)
    league = published("tiebreaks")
    change(tournament, league)
    RoundFactory(tournament=tournament)
    with pytest.raises(Refused, match="does not allow changes to: Minimum match-win %"):
        change(tournament, None, FLOOR)
    change(tournament, None, BY_TIME)
    assert tournament.profile["tiebreaks"] == BY_TIME["tiebreaks"]


def test_the_same_form_twice_is_one_change_and_another_content_is_refused():
    tournament = running(3)
    assert change(tournament, None, {"percentages": {"match_floor": "33/100"}}) is None, "as it is"
    first = change(tournament, None, FLOOR, key="k1")
    assert change(tournament, None, FLOOR, key="k1") == first
    assert len(tournament.profile["rule_changes"]) == 1
    with pytest.raises(Conflict):
        change(tournament, None, BY_TIME, key="k1")
    finish_tournament(tournament)
    with pytest.raises(WrongState, match="Reopen it first"):
        change(tournament, None, BY_TIME)


def test_a_ruleset_made_from_an_events_file_forgets_what_was_changed_in_the_event():
    ruleset = copy_ruleset(RulesetVersion.objects.get(key="mtr"), name="Ours", owner=UserFactory())
    changes = [{"after": 3, "fields": ["tiebreaks"], "reason": "Then and there."}]
    save_draft(ruleset, {**ruleset.draft, **FLOOR, "rule_changes": changes})
    assert "rule_changes" not in ruleset.draft


@pytest.mark.parametrize(
    "changes",
    ["x", [1], [{}], [{"after": -1, "fields": [], "reason": "x"}], [{"after": 1, "fields": "x", "reason": "x"}],
     [{"after": 1, "fields": [], "reason": ""}], [{"after": 1, "fields": [2], "reason": "x"}]],
)  # fmt: skip
def test_notes_of_a_hostile_file_are_refused_by_their_path(changes):
    faults = dict(validate(resolve("mtr") | {"rule_changes": changes}))
    assert any(path.startswith("rule_changes") for path in faults)


MATCHES = (
    [{"table": 1, "a": "A", "b": "B", "result": "played", "games": [1, 0, 0]},
     {"table": 2, "a": "C", "b": "D", "result": "played", "games": [0, 0, 1]}],
    [{"table": 1, "a": "A", "b": "C", "result": "forfeit", "winner": "a"},
     {"a": "B", "result": "bye"}, {"a": "D", "result": "half_bye"}],
    [{"table": 1, "a": "A", "b": "D", "result": "played", "games": [0, 1, 0]},
     {"table": 2, "a": "B", "b": "C", "result": "played", "games": [1, 0, 0]}],
)  # fmt: skip
# By hand: standings/examples/fide_2009.json; 2 + 2 + 2; 2 + ½ + 2.
BUCHHOLZ_OF_A = {2009: "5", 2023: "6", 2026: "9/2"}


def file_of(date=None, **ruleset):
    return {
        "format": "swiss-archive", "version": 1,
        "tournament": {"name": "Open", "rounds": 3, "seed": "00"} | ({"date": date} if date else {}),
        "ruleset": {"preset": "fide", **ruleset},
        "entries": [{"id": code, "name": code} for code in "ABCD"],
        "stages": [{"number": 1, "kind": "swiss", "from": [], "entries": list("ABCD")}],
        "rounds": [{"number": n, "stage": 1, "status": "complete", "matches": matches}
                   for n, matches in enumerate(MATCHES, start=1)],
    }  # fmt: skip


def buchholz_of_a(path, data):
    path.write_text(json.dumps(data))
    out = io.StringIO()
    call_command("standings", str(path), "--json", stdout=out)
    table = json.loads(out.getvalue())
    row = next(row for row in table["rows"] if row["entry"] == "A")
    return row["values"][2]  # after points and Buchholz cut 1


@pytest.mark.parametrize(
    ("date", "named", "version"),
    [
        ("2018-02-03", None, 2009), ("2024-04-02", None, 2023), ("2026-04-07", None, 2026), (None, None, 2023),
        ("2024-04-02", 2009, 2009), ("2024-04-02", 2026, 2026),
    ],
)  # fmt: skip
def test_a_file_is_computed_by_the_rules_it_names_or_those_of_its_date(tmp_path, date, named, version):
    file = file_of(date, **({"overrides": {"fide_version": named}} if named else {}))
    assert buchholz_of_a(tmp_path / "event.json", file) == BUCHHOLZ_OF_A[version]


def test_the_date_counts_in_the_events_own_time_zone(tmp_path):
    data = file_of()
    data["tournament"] |= {"starts_at": "2022-12-31T23:30:00+00:00", "time_zone": "Europe/Madrid"}
    assert buchholz_of_a(tmp_path / "event.json", data) == BUCHHOLZ_OF_A[2023]
    tournament = load_event(archive.parse_event(data), slug="new-year")
    assert tournament.profile["fide_version"] == 2023


def test_before_round_one_the_version_follows_the_date_or_the_choice_and_then_it_stays():
    tournament = TournamentFactory(entries=4, ruleset="fide", starts_at="2022-06-01T10:00:00+00:00")
    assert ruleset_in_force(tournament)["fide_version"] == 2009 and tournament.overrides == {}
    change_settings(tournament, starts_at="2024-06-01T10:00:00+00:00")
    tournament.refresh_from_db()
    assert ruleset_in_force(tournament)["fide_version"] == 2023
    assert "fide_version" not in json.loads(dump_event(tournament))["ruleset"].get("overrides", {})
    for chosen, version in ((2009, 2009), (None, 2023)):
        change_rules(tournament, None, {"fide_version": chosen}, revision=tournament.revision)
        tournament.refresh_from_db()
        profiles = (ruleset_in_force(tournament), load_event_values(tournament).profile)
        assert [profile["fide_version"] for profile in profiles] == [version] * 2
    RoundFactory(tournament=tournament)
    tournament.refresh_from_db()
    change_settings(tournament, starts_at="2026-06-01T10:00:00+00:00")
    tournament.refresh_from_db()
    assert load_again(tournament).profile["fide_version"] == tournament.profile["fide_version"] == 2023


@pytest.mark.parametrize("wrong", ["x", "2009", 2008])
def test_a_version_there_is_not_is_refused_and_no_other_taken_in_its_place(wrong):
    tournament = TournamentFactory(entries=4, rounds=1, ruleset="fide", starts_at="2022-06-01T10:00:00+00:00")
    with pytest.raises(Refused, match="is not one of 2009, 2023, 2026"):
        change_rules(tournament, None, {"fide_version": wrong}, revision=tournament.revision, reason="x")
    with pytest.raises(archive.ArchiveError, match="is not one of 2009, 2023, 2026"):
        archive.parse_event(file_of("2024-04-02", overrides={"fide_version": wrong}))


def test_an_event_made_from_an_earlier_one_follows_its_own_date():
    earlier = TournamentFactory(entries=4, rounds=1, ruleset="fide", starts_at="2022-06-01T10:00:00+00:00")
    overrides = {"display": {"percent_places": 3}}
    change_rules(earlier, None, overrides, revision=earlier.revision, reason="For the screen.")
    earlier.refresh_from_db()
    later = copy_event(earlier, "Next", owner=UserFactory(), starts_at="2026-06-01T10:00:00+00:00")
    assert later.overrides == overrides
    assert (earlier.profile["fide_version"], ruleset_in_force(later)["fide_version"]) == (2009, 2026)


def test_loading_a_file_under_rules_of_another_time_warns_and_loads_it(tmp_path):
    path, out, err = tmp_path / "event.json", io.StringIO(), io.StringIO()
    path.write_text(json.dumps(file_of("2024-04-02", overrides={"fide_version": 2009})))
    call_command("load", str(path), stdout=out, stderr=err)
    assert out.getvalue() == "Loaded as /t/open/\n"
    said = "FIDE's rules on the date of this event (2024-04-02) are those of 2023, not these."
    assert err.getvalue().splitlines() == [said]
