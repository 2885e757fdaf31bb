"""The steps of a ranking: the metrics a profile ranks by, each with all its params."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from standings.engine.metrics import METRICS, metric_of

LATE = "late_flag"


@dataclass(frozen=True)
class RankingStep:
    """One metric of the order. `ascending`: lower is better. `label`: the publisher's own name for it."""

    key: str
    params: dict = field(default_factory=dict)
    ascending: bool = False
    label: str = ""


def chain_of(profile: dict, team: bool = False) -> list[RankingStep]:
    """The profile's tiebreaks as steps, without those the event skips. Raises UnknownMetric.

    A ruleset that ranks late players below those on time (`late_entry.rank_below_on_time`) has that step right
    after the points, unless it has it elsewhere.
    """
    skips = skips_games(profile, team)
    steps = steps_of(profile["tiebreaks"], profile)
    late = (profile.get("late_entry") or {}).get("rank_below_on_time")
    if late and LATE not in [step.key for step in steps]:
        steps.insert(1, _step({"metric": LATE}, profile))
    return [step for step in steps if not (skips and metric_of(step.key).games)]


def skipped_steps_of(profile: dict, team: bool = False) -> list[RankingStep]:
    """The profile's tiebreaks that the event skips. Raises UnknownMetric."""
    skips = skips_games(profile, team)
    return [s for s in steps_of(profile["tiebreaks"], profile) if skips and metric_of(s.key).games]


def skips_games(profile: dict, team: bool = False) -> bool:
    """Whether metrics of games are skipped: in single-game events, and in team events if the ruleset says so.

    Source: Carde.io (teams use match results only); MTR 3.1 (not all tiebreakers in single-game matches).
    """
    return profile.get("best_of_swiss") == 1 or (team and profile.get("team_ignores_games", True))


def steps_of(tiebreaks: Iterable[dict], profile: dict | None = None) -> list[RankingStep]:
    """Steps from [{metric, params?, order?, label?}]; params that are not given come from the profile, if any."""
    return [_step(entry, profile) for entry in tiebreaks]


def step_of(key: str, profile: dict) -> RankingStep:
    """The step of a metric as the profile computes it, also if its order does not contain it."""
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


def _defaults(key: str, profile: dict) -> dict:
    """Params a metric takes from the profile's `percentages`."""
    shares = profile.get("percentages") or {}
    opponents = key.startswith("opp_")
    if key.endswith("match_win_pct"):
        params = {
            "mode": shares.get("match_mode"),
            "floor": shares.get("match_floor"),
            "cap": shares.get("match_cap"),
            "cap_dropped": shares.get("match_cap_dropped"),
        }
    elif key.endswith("game_win_pct"):
        floored = opponents or shares.get("floor_own_gw")
        params = {"mode": shares.get("game_mode"), "floor": shares.get("game_floor") if floored else None}
    else:
        return {}
    params["include_byes"] = shares.get("opp_include_byes" if opponents else "own_include_byes")
    params["count_no_show_tables"] = shares.get("count_no_show_tables")
    if opponents:
        params["bye"] = shares.get("bye_as_opponent")
    known = METRICS[key].params
    return {name: value for name, value in params.items() if value is not None and name in known}
