import copy
import json

import pytest
from django.db import IntegrityError, connection, transaction

from tests.factories import RoundFactory, RulesetFactory, TournamentFactory, UserFactory
from tournament.archive import canonical, parse_event
from tournament.errors import Conflict, Refused, WrongState
from tournament.event.profile import profile_with_overrides, ruleset_in_force
from tournament.event.read import load_whole_event
from tournament.models import Ruleset, RulesetVersion, Tournament
from tournament.rulesets import differences, presets, resolve, stated_rules
from tournament.services.events import create_tournament
from tournament.services.rulesets import (
    change_rules,
    copy_ruleset,
    find_newest_version,
    newest_versions,
    publish_draft,
    rules_before_draft,
    save_draft,
)


def changed(ruleset: Ruleset, **fields) -> dict:
    draft = copy.deepcopy(ruleset.draft or rules_before_draft(ruleset))
    for name, value in fields.items():
        draft[name] = {**draft[name], **value} if isinstance(value, dict) else value
    return draft


def save(ruleset: Ruleset, **fields) -> None:
    save_draft(ruleset, changed(ruleset, **fields))


def refused_by_database(write) -> str:
    with pytest.raises(IntegrityError) as error, transaction.atomic():
        write()
        connection.check_constraints()
    return str(error.value)


def test_every_shipped_ruleset_has_no_owner_and_a_key_without_hyphen():
    rulesets = Ruleset.objects.filter(owner=None)
    assert set(rulesets.values_list("key", flat=True)) == set(presets())
    assert not [key for key in presets() if "-" in key]
    assert RulesetVersion.objects.filter(ruleset__owner=None).count() == len(presets())


@pytest.mark.parametrize("best_of", [None, 1, 5])
def test_a_version_in_the_database_completes_like_the_shipped_file(best_of):
    overrides = {"percentages": {"match_floor": "1/3"}}
    for ruleset in newest_versions():
        if best_of and ruleset.profile["best_of_swiss"] == "exactly_2":
            continue  # which fixes the games of a bye
        ours = profile_with_overrides(ruleset, overrides, best_of)
        assert ours == resolve(ruleset.key, overrides=overrides, best_of=best_of)


def test_what_follows_from_a_field_an_event_changes_follows_again():
    version = find_newest_version(RulesetFactory(published="First version."))
    points = profile_with_overrides(version, {"match_points": {"win": "2"}})["match_points"]
    assert [points[name] for name in ("bye", "awarded_bye", "requested_full", "forfeit_win")] == ["2"] * 4


def test_a_copy_is_a_draft_that_says_the_same_and_knows_where_it_is_from():
    ruleset = RulesetFactory()
    assert ruleset.key == "league-rules" and ruleset.name == "League rules"
    assert find_newest_version(ruleset) is None and ruleset.copied_from.key == "dci1999"
    assert ruleset.draft["percentages"]["match_floor"] == "33/100"
    assert "bye" not in ruleset.draft["match_points"]  # follows from the win
    differs = differences(stated_rules(ruleset.copied_from.profile), ruleset.draft)
    assert {change["path"]: change["after"] for change in differs} == {
        "name": "League rules", "confidence": "house", "based_on": "dci1999",
    }  # fmt: skip
    version = publish_draft(ruleset, seen=ruleset.revision, note="First version.")
    second = copy_ruleset(version, name="Second", owner=ruleset.owner)
    assert second.draft["based_on"] == "dci1999" and second.copied_from.key == ruleset.key


def test_a_copy_asked_for_twice_is_there_once_and_another_of_that_name_is_refused():
    ada = UserFactory()
    first = RulesetFactory(owner=ada)
    assert RulesetFactory(owner=ada) == first
    with pytest.raises(Refused, match="another name"):
        RulesetFactory(owner=ada, copied="fide")
    save(first, match_points={"win": "2"})
    with pytest.raises(Refused, match="another name"):
        RulesetFactory(owner=ada)
    assert RulesetFactory().key == "league-rules-2"
    assert RulesetFactory(owner=ada, name="League, rules").key == "league-rules-3"
    assert [RulesetFactory(name=name).key for name in ("Cup", "北", "x" * 90)] == [
        "cup-rules", "own-rules", f"{'x' * 40}-rules",
    ]  # fmt: skip


def test_a_published_version_is_whole_says_when_and_why_and_keeps_numbers_as_they_were_written():
    ruleset = RulesetFactory()
    save(ruleset, match_points={"win": "2"}, percentages={"match_floor": "1/3", "game_floor": "0.33"})
    version = publish_draft(ruleset, seen=ruleset.revision, note="A win is worth 2.")
    assert (version.key, version.version, version.name) == (ruleset.key, 1, "League rules")
    assert version.profile["match_points"]["bye"] == "2"
    shares = version.profile["percentages"]
    assert (shares["match_floor"], shares["game_floor"]) == ("1/3", "0.33")
    assert (version.profile["key"], version.profile["version"]) == (ruleset.key, 1)
    assert version.published_at and version.note == "A win is worth 2." and ruleset.draft is None


def test_publishing_needs_a_draft_that_was_seen_a_change_and_a_note():
    ruleset = RulesetFactory(published="First version.")
    before = ruleset.revision
    save(ruleset)
    assert ruleset.draft is None and ruleset.revision == before, "what is there already changes nothing"
    with pytest.raises(WrongState, match="no unpublished changes"):
        publish_draft(ruleset, seen=ruleset.revision, note="Again.")
    save(ruleset, match_points={"win": "2"})
    save_draft(ruleset, changed(ruleset))  # the same again, from an old page
    assert ruleset.revision == before + 1
    with pytest.raises(Conflict, match="saved again meanwhile"):
        publish_draft(ruleset, seen=before, note="Blind.")
    with pytest.raises(Refused, match="what changed and why"):
        publish_draft(ruleset, seen=ruleset.revision, note="  ")
    save(ruleset, match_points={"win": "3"})  # as published: nothing is left to publish
    with pytest.raises(WrongState, match="no unpublished changes"):
        publish_draft(ruleset, seen=ruleset.revision, note="Nothing.")
    assert ruleset.draft is None and ruleset.versions.count() == 1


def test_a_running_event_keeps_its_copy_when_a_new_version_is_published():
    ruleset = RulesetFactory(published="First version.")
    running, waiting = (TournamentFactory(entries=4, ruleset=ruleset.key) for _event in range(2))
    RoundFactory(tournament=running)
    save(ruleset, match_points={"win": "2"})
    publish_draft(ruleset, seen=ruleset.revision, note="A win is worth 2.")
    for event in (running, waiting):
        assert ruleset_in_force(Tournament.objects.get(pk=event.pk))["match_points"]["win"] == "3"
    later = TournamentFactory(entries=4, ruleset=ruleset.key)
    assert ruleset_in_force(later)["match_points"]["bye"] == "2"
    assert ruleset_in_force(later)["version"] == 2


def test_an_event_under_own_rules_is_one_portable_file():
    ruleset = RulesetFactory(published="First version.")
    tournament = TournamentFactory(
        entries=4, ruleset=ruleset.key, overrides={"match_points": {"draw": "0"}}, best_of=1
    )
    text = canonical(load_whole_event(tournament))
    assert json.loads(text)["ruleset"]["profile"]["key"] == ruleset.key
    again = parse_event(json.loads(text))
    assert again.profile == ruleset_in_force(tournament)
    assert (again.profile["bye_games"], again.profile["match_points"]["draw"]) == ([1, 0, 0], "0")


def test_organizers_change_only_what_a_ruleset_leaves_open():
    ruleset = RulesetFactory()
    save(ruleset, open_fields=["match_points.draw", "tiebreaks"])
    publish_draft(ruleset, seen=ruleset.revision, note="First.")
    tournament = TournamentFactory(entries=0, ruleset=ruleset.key, overrides={"match_points": {"draw": "0"}})
    with pytest.raises(Refused, match="does not allow changes to: Match points for a win"):
        change_rules(
            tournament, None, {"match_points": {"draw": "0", "win": "2"}}, revision=tournament.revision
        )
    with pytest.raises(Refused, match="Minimum match-win %"):
        create_tournament("Other", ruleset.key, overrides={"percentages": {"match_floor": "1/3"}})
    assert not Tournament.objects.filter(name="Other").exists()
    change_rules(tournament, None, {"match_points": {"draw": "1/2"}}, revision=tournament.revision)
    assert ruleset_in_force(tournament)["match_points"]["draw"] == "1/2"


def test_the_database_itself_keeps_versions():
    ruleset = RulesetFactory(published="First version.")
    rows = RulesetVersion.objects.filter(ruleset=ruleset)
    assert "never change" in refused_by_database(lambda: rows.update(note="x"))
    assert "never deleted" in refused_by_database(lambda: rows.delete())
    twice = {"ruleset": ruleset, "key": ruleset.key, "version": 1, "name": "x", "profile": {}}
    refused_by_database(lambda: RulesetVersion.objects.create(**twice))
