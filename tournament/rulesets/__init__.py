"""Publishers' rulesets as data: defaults, presets and what an event overrides, merged into one whole profile.

A *profile* is a plain dict of JSON values (exact numbers as strings such as "1/3") that holds every rule an
event needs, so it can be copied whole into the event. No Django here. Meaning of each field: `docs/rules.md`.
"""

from tournament.rulesets.questions import default_games, match_length, rounds_and_cut, wins_needed
from tournament.rulesets.resolving import UnknownRuleset, presets, resolve, resolve_spec
from tournament.rulesets.validating import validate

__all__ = [
    "UnknownRuleset",
    "default_games",
    "match_length",
    "presets",
    "resolve",
    "resolve_spec",
    "rounds_and_cut",
    "validate",
    "wins_needed",
]
