import io
import json

import pytest
from django.core.management import call_command

from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tests.steps import load_again
from tournament import archive
from tournament.archive.load import dump_event, load_event
from tournament.errors import Refused
from tournament.event.profile import profile_of
from tournament.event.read import event_of
from tournament.services.event_rules import change_rules
from tournament.services.event_settings import change_settings
from tournament.services.events import copy_event

pytestmark = pytest.mark.django_db

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
    tournament = load_event(archive.event_of(data), slug="new-year")
    assert tournament.profile["fide_version"] == 2023


def test_before_round_one_the_version_follows_the_date_and_then_it_stays():
    tournament = TournamentFactory(entries=4, ruleset="fide", starts_at="2022-06-01T10:00:00+00:00")
    assert profile_of(tournament)["fide_version"] == 2009 and tournament.overrides == {}
    change_settings(tournament, starts_at="2024-06-01T10:00:00+00:00")
    tournament.refresh_from_db()
    assert profile_of(tournament)["fide_version"] == 2023
    assert "fide_version" not in json.loads(dump_event(tournament))["ruleset"].get("overrides", {})
    RoundFactory(tournament=tournament)
    tournament.refresh_from_db()
    change_settings(tournament, starts_at="2026-06-01T10:00:00+00:00")
    tournament.refresh_from_db()
    assert load_again(tournament).profile["fide_version"] == tournament.profile["fide_version"] == 2023


def test_an_organizer_chooses_another_version_and_goes_back_to_that_of_the_date():
    tournament = TournamentFactory(entries=4, ruleset="fide", starts_at="2024-06-01T10:00:00+00:00")
    for chosen, version in ((2009, 2009), (None, 2023)):
        change_rules(tournament, None, {"fide_version": chosen}, revision=tournament.revision)
        tournament.refresh_from_db()
        profiles = (profile_of(tournament), event_of(tournament).profile)
        assert [profile["fide_version"] for profile in profiles] == [version] * 2


@pytest.mark.parametrize("wrong", ["x", "2009", 2008])
def test_a_version_there_is_not_is_refused_and_no_other_taken_in_its_place(wrong):
    tournament = TournamentFactory(entries=4, rounds=1, ruleset="fide", starts_at="2022-06-01T10:00:00+00:00")
    with pytest.raises(Refused, match="is not one of 2009, 2023, 2026"):
        change_rules(tournament, None, {"fide_version": wrong}, revision=tournament.revision, reason="x")
    with pytest.raises(archive.ArchiveError, match="is not one of 2009, 2023, 2026"):
        archive.event_of(file_of("2024-04-02", overrides={"fide_version": wrong}))


def test_an_event_made_from_an_earlier_one_follows_its_own_date():
    earlier = TournamentFactory(entries=4, rounds=1, ruleset="fide", starts_at="2022-06-01T10:00:00+00:00")
    overrides = {"display": {"percent_places": 3}}
    change_rules(earlier, None, overrides, revision=earlier.revision, reason="For the screen.")
    earlier.refresh_from_db()
    later = copy_event(earlier, "Next", owner=UserFactory(), starts_at="2026-06-01T10:00:00+00:00")
    assert later.overrides == overrides
    assert (earlier.profile["fide_version"], profile_of(later)["fide_version"]) == (2009, 2026)


def test_loading_a_file_under_rules_of_another_time_warns_and_loads_it(tmp_path):
    path, out, err = tmp_path / "event.json", io.StringIO(), io.StringIO()
    path.write_text(json.dumps(file_of("2024-04-02", overrides={"fide_version": 2009})))
    call_command("load", str(path), stdout=out, stderr=err)
    assert out.getvalue() == "Loaded as /t/open/\n"
    said = "FIDE's rules on the date of this event (2024-04-02) are those of 2023, not these."
    assert err.getvalue().splitlines() == [said]
