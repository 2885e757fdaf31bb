"""The short notation of worked examples: an event in a few lines, read as a field of records.

`players`: {id: {rating?, start?, dropped?, late?, seed?}}; `rounds`: a list of lists of matches
`{"p": [a, b], "g": [2, 1, 0]}`, `{"p": [a, b], "res": "1/2"}`, `{"p": [a, b], "s": [25, 20]}`,
`{"t": "bye", "p": [a]}` or `{"t": "forfeit", "p": [a, b], "winner": a}`; a moves first.
"""

from __future__ import annotations

from fractions import Fraction

from standings.engine.field import Field
from standings.engine.records import Record, Result, tally
from standings.engine.scoring import Scoring, exact
from tournament.event.lots import lots_of
from tournament.rulesets import default_games

RESULTS = {
    "bye": "bye", "awarded": "awarded_bye", "half": "half_bye", "zero": "zero_bye", "full": "full_bye",
    "missed": "missed",
}  # fmt: skip
SCORES = {"1-0": (1, 0, 0), "0-1": (0, 1, 0), "1/2": (0, 0, 1)}


def field_of(event: dict, profile: dict) -> Field:
    """The event's records, scored as the profile says. Raises UnknownScoring; KeyError for broken notation."""
    records = {
        entry: Record(
            entry,
            left=facts.get("dropped") is not None,
            rating=facts.get("rating"),
            start=exact(facts.get("start", 0)),
            late=bool(facts.get("late")),
            seed=facts.get("seed"),
        )
        for entry, facts in event["players"].items()
    }
    rounds = [
        (number, [_result(match, profile) for match in matches])
        for number, matches in enumerate(event["rounds"], start=1)
    ]
    lots = lots_of(None, dict.fromkeys(records))
    scoring = Scoring(profile)
    return Field(tally(rounds, records, scoring.games_to_win), scoring, lots)


def _result(match: dict, profile: dict) -> Result:
    a, b = [*match["p"], None][:2]
    kind = match.get("t", "")
    if kind == "forfeit":
        winner = {a: "a", b: "b"}.get(match["winner"])
        return Result(a, b, "forfeit", default_games(profile, "forfeit", winner) or (0, 0, 0), winner)
    if b is None:
        return Result(a, None, RESULTS[kind], default_games(profile, RESULTS[kind]) or (0, 0, 0))
    if "g" in match:
        return Result(a, b, "played", tuple(match["g"]), first="a", order=match.get("order"))
    if "s" in match:
        mine, theirs = map(Fraction, match["s"])
        games = (1, 0, 0) if mine > theirs else (0, 1, 0) if mine < theirs else (0, 0, 1)
        return Result(a, b, "played", games, first="a", score=(mine, theirs))
    if match["res"] == "0-0":
        return Result(a, b, "double_loss", (0, 0, 0))
    return Result(a, b, "played", SCORES[match["res"]], first="a")
