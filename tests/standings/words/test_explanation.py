import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from standings.engine import METRICS, RankingStep, explain
from standings.engine.explanation.explain import differences, explain_value
from standings.engine.explanation.explainers import ExplanationLine
from standings.engine.metrics.terms import Note
from standings.words import explanation as words
from tests.conftest import THOROUGH
from tests.standings.engine.strategies import full_events, leagues, params_of
from tests.standings.engine.test_explanation import KEYS, field_of, ranked

ENGINE = Path("standings/engine")
MODES = METRICS["head_to_head"].params["mode"].choices


@settings(max_examples=150 if THOROUGH else 25, deadline=None)
@given(full_events(), st.sampled_from(KEYS), st.randoms(use_true_random=False))
def test_every_note_of_every_metric_has_its_words(example, key, chance):
    step = RankingStep(key, params_of(key, chance))
    field = field_of(example)
    for entry in example.entries:
        explanation = explain_value(field, entry, step)
        for line in explanation.lines:
            notes = words.line_notes_of(line)
            assert bool(notes) == bool(line.notes) and not notes.endswith(".")
            assert words.line_label_of(line) or line.round is not None
        for sentence in words.sentences_of(explanation):
            assert sentence[0].isupper() or sentence[0].isdigit()
            assert sentence.endswith(".") and "%(" not in sentence
        words.change_in_words(explanation.change)


@settings(max_examples=50 if THOROUGH else 10, deadline=None)
@given(leagues(), st.sampled_from(MODES))
def test_every_outcome_of_head_to_head_has_its_words(example, mode):
    ranking = ranked(example, mode)
    for row in ranking:
        explanation = explain(ranking, row.entry, 1)
        assert all(words.outcome_in_words(group.note) for group in explanation.groups)
        assert all(sentence.endswith(".") for sentence in words.sentences_of(explanation))


@pytest.mark.parametrize(
    "table", [words.LINE_NOTES, words.SENTENCES, words.OUTCOMES, words.REASONS, words.LABELS]
)
def test_no_words_are_about_a_code_the_engine_does_not_have(table):
    text = "".join(path.read_text() for path in ENGINE.rglob("*.py"))
    assert [code for code in table if f'"{code}"' not in text] == []


def test_the_notes_say_what_happened_and_why_a_value_differs_elsewhere():
    line = ExplanationLine(1, "B", None, [Note("own_score"), Note("lowest")])
    assert words.line_notes_of(line) == "not played, own score used instead, lowest: left out"
    assert words.change_in_words("raised") == "raised to the minimum" and words.change_in_words("") == ""
    line = ExplanationLine(1, "B", None, [Note("rounded", {"places": 1})])
    assert words.line_notes_of(line) == "rounded to 1 place"
    group = Note("not_two", {"number": 3})
    assert words.outcome_in_words(group) == "does not apply: it needs exactly 2 tied players, and 3 are tied"
    own = RankingStep("match_win_pct", {"floor": "1/3", "include_byes": True})
    other = RankingStep("match_win_pct", {"floor": "1/4", "include_byes": False, "mode": "wins"})
    words_of_rules = words.reasons_in_words(differences(own, other))
    assert set(re.split(", ", words_of_rules)) == {"byes left out", "minimum: 1/4", "counted: wins alone"}
    assert words.reasons_in_words(differences(own, RankingStep("match_win_pct"))) == "without a minimum"
    assert words.value_elsewhere("own", "50%", []) == "Own value 50%: ."
