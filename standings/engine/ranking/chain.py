"""The steps of a ranking: the metrics of a profile's order, each with all its params."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from standings.engine.metrics import METRICS, metric_of
from tournament.rulesets.fide import FIDE_METRICS

LATE = "late_flag"


@dataclass(frozen=True)
class RankingStep:
    """One metric of the order."""

    key: str
    params: dict = field(default_factory=dict)
    ascending: bool = False  # lower is better
    label: str = ""  # the publisher's own name for it


def chain_of(profile: dict, team: bool = False) -> list[RankingStep]:
    """Return the profile's tiebreakers as steps, without those the event skips. Raises UnknownMetric.

    A ruleset that ranks late players below those on time (`late_entry.rank_below_on_time`) has that step right after
    the points, unless it lists it elsewhere.
    """
    skips = skips_games(profile, team)
    steps = steps_of(profile["tiebreaks"], profile)
    late = (profile.get("late_entry") or {}).get("rank_below_on_time")
    if late and LATE not in [step.key for step in steps]:
        steps.insert(1, _step({"metric": LATE}, profile))
    return [step for step in steps if not (skips and metric_of(step.key).games)]


def skipped_steps_of(profile: dict, team: bool = False) -> list[RankingStep]:
    skips = skips_games(profile, team)
    return [s for s in steps_of(profile["tiebreaks"], profile) if skips and metric_of(s.key).games]


def skips_games(profile: dict, team: bool = False) -> bool:
    """Whether metrics of games are skipped: in single-game events, and in team events if the ruleset says so.

    Source: Carde.io (teams use match results only); MTR 3.1 (not all tiebreakers in single-game matches).
    """
    return profile.get("best_of_swiss") == 1 or (team and profile.get("team_ignores_games", True))


def steps_of(tiebreaks: Iterable[dict], profile: dict | None = None) -> list[RankingStep]:
    """Return steps from [{metric, params?, order?, label?}]; missing params come from the profile, if any."""
    return [_step(entry, profile) for entry in tiebreaks]


def step_of(key: str, profile: dict) -> RankingStep:
    """Return the step of a metric as the profile computes it, even if its order does not contain it."""
    for step in steps_of(profile["tiebreaks"], profile):
        if step.key == key:
            return step
    return _step({"metric": key}, profile)


def _step(entry: dict, profile: dict | None) -> RankingStep:
    metric = metric_of(entry["metric"])
    given = entry.get("params") or {}
    params = {**_defaults(metric.key, profile), **given} if profile else dict(given)
    ascending = entry["order"] == "asc" if entry.get("order") else metric.ascending
    return RankingStep(metric.key, params, ascending, entry.get("label") or "")


# Params of percentages: the field of the profile's `percentages` they are taken from, by the end of the metric's key.
SHARES = {
    "match_win_pct": {
        "mode": "match_mode", "floor": "match_floor", "cap": "match_cap", "cap_dropped": "match_cap_dropped",
        "count_missed_rounds": "count_missed_rounds",
    },
    "game_win_pct": {"mode": "game_mode", "floor": "game_floor"},
}  # fmt: skip
OWN = {"include_byes": "own_include_byes", "count_no_show_tables": "count_no_show_tables"}
OF_OPPONENTS = OWN | {"include_byes": "opp_include_byes", "bye": "bye_as_opponent"}


def _defaults(key: str, profile: dict) -> dict:
    """Return the params a metric takes from the profile: FIDE's version, or the settings in `percentages`."""
    if key in FIDE_METRICS and profile.get("fide_version"):
        return {"version": profile["fide_version"]}
    shares = profile.get("percentages") or {}
    own = next((fields for end, fields in SHARES.items() if key.endswith(end)), None)
    if own is None:
        return {}
    fields = own | (OF_OPPONENTS if key.startswith("opp_") else OWN)
    if key == "game_win_pct" and not shares.get("floor_own_gw"):
        del fields["floor"]
    given = {param: shares.get(field) for param, field in fields.items() if param in METRICS[key].params}
    return {param: value for param, value in given.items() if value is not None}
