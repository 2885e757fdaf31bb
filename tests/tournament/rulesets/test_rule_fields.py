import pytest

from tournament.rulesets.rule_fields import (
    FIELDS,
    FILE_ONLY,
    confidence_in_words,
    is_unverified,
    rule_label,
)
from tournament.rulesets.schema import CRITERIA, FIELD_AT, FIRST_MOVES, Replay
from tournament.schemas.kinds import fault_in


@pytest.mark.parametrize("path", FIELDS)
def test_every_value_with_words_is_one_that_the_field_may_hold(path):
    field = FIELDS[path]
    assert field.kind and str(field.label)
    for value in field.words or {}:
        assert fault_in(value, FIELD_AT[path].kind.type) is None


def test_every_field_of_a_rule_and_what_stands_in_it_has_words():
    assert rule_label("match_points.win") == "Match points for a win"
    assert rule_label("elimination.replay") == "Time limits of a repeat game"
    assert rule_label("by_age") == "by_age"
    assert not [path for path, field in FIELD_AT.items() if rule_label(path) == path and field.part == "rule"]
    assert not set(FIELDS) & set(FILE_ONLY) and set(FILE_ONLY) <= set(FIELD_AT)
    inner = {path: field for path, field in FIELDS.items() if field.inner}
    assert [field.kind for field in inner.values()] == ["ordered", "parts", "ordered"]
    assert list(inner["pairing.criteria"].inner) == list(CRITERIA)
    assert list(inner["elimination.colours"].inner) == list(FIRST_MOVES)
    replay = inner["elimination.replay"]
    assert list(replay.inner) == list(replay.empty) == list(Replay.__struct_fields__)


def test_how_the_editor_treats_a_field_that_may_be_left_empty():
    kinds = {path: field.kind for path, field in FIELDS.items()}
    assert kinds["match_points.win"] == "number" and kinds["match_points.bye"] == "follows"
    assert kinds["percentages.match_floor"] == kinds["cut.min_points"] == "share"
    assert kinds["draws_allowed.match"] == "switch" and kinds["records_scores"] == "yes_no"
    assert kinds["confidence"] == "choice" and kinds["source"] == "text"


def test_how_sure_a_ruleset_is():
    unverified = {"memory": True, "": True, "house": False}
    assert {word: is_unverified({"confidence": word}) for word in unverified} == unverified
    assert confidence_in_words({}) == "no source given"
    assert confidence_in_words({"confidence": "hearsay"}) == "hearsay"
    assert confidence_in_words({"confidence": "platform"}) == "as the publisher's platform computes it"
