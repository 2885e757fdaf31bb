"""Rulesets as data: defaults, built-in rulesets and an event's overrides, merged into one profile.

A *profile* is a plain dict of JSON values (exact numbers as strings such as "1/3") with every rule of an event.
`schema` defines its fields, `docs/rules.md` explains them. No Django here.
"""

from tournament.rulesets.derive import (
    REQUESTED,
    ScoreRules,
    asks_game_order,
    default_games,
    draws_in_bracket,
    is_meeting,
    match_length,
    needs_scores,
    records_scores,
    requestable_byes,
    rounds_and_cut,
    score_rules,
    uses_alternates,
    wins_needed,
)
from tournament.rulesets.diff import changed_fields, closed_paths, differences, stated_rules
from tournament.rulesets.fide import date_fide_rules, fide_version_on, list_fide_versions
from tournament.rulesets.resolve import (
    UnknownRuleset,
    is_preset,
    presets,
    resolve,
    resolve_spec,
    rounds_tables,
)
from tournament.rulesets.validate import also_check, validate
