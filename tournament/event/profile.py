import zoneinfo
from typing import Any

from django.utils.dateparse import parse_datetime

from tournament.actionlog.facts import TOURNAMENT, read_row
from tournament.actionlog.match_facts import Fact
from tournament.models import RulesetVersion, Tournament
from tournament.rulesets import is_preset, resolve, resolve_spec, stated_rules

# Fields that make the ruleset.
USED = ("profile", "ruleset", "overrides", "best_of", "starts_at", "time_zone")


def ruleset_in_force(tournament: Tournament) -> dict[str, Any]:
    """Return the whole ruleset that now applies. Costs a query before round 1 if it is not built in."""
    if tournament.profile is not None:
        return tournament.profile
    return build_profile(read_row(TOURNAMENT, tournament, USED))


def build_profile(fact: Fact) -> dict[str, Any]:
    if fact["profile"] is not None:
        return fact["profile"]
    key, version = fact["ruleset"]
    own = fact["overrides"], fact["best_of"], local_time(fact["starts_at"], fact["time_zone"])
    if is_preset(key):
        return resolve(key, version, *own)
    return profile_with_overrides(RulesetVersion.objects.get(key=key, version=version), *own)


def profile_with_overrides(
    ruleset: RulesetVersion,
    overrides: dict[str, Any] | None = None,
    best_of: int | str | None = None,
    starts_at: str | None = None,
) -> dict[str, Any]:
    profile = {**stated_rules(ruleset.profile), "key": ruleset.key, "version": ruleset.version}
    spec = {"name": ruleset.name, "profile": profile, "overrides": overrides}
    return resolve_spec(spec, best_of, starts_at)


def local_start(tournament: Tournament) -> str | None:
    return local_time(**read_row(TOURNAMENT, tournament, ("starts_at", "time_zone")))


def local_time(starts_at: str | None, time_zone: str) -> str | None:
    if not starts_at:
        return None
    moment = parse_datetime(starts_at)
    assert moment is not None
    return moment.astimezone(zoneinfo.ZoneInfo(time_zone)).isoformat()


def ruleset_spec(fact: Fact, profile: dict[str, Any]) -> dict[str, Any]:
    """Return the ruleset as an archive names it: a built-in one by its key, any other as a whole."""
    if fact["profile"] is not None or not is_preset(fact["ruleset"][0]):
        return {"name": profile.get("name", ""), "profile": profile}
    key, version = fact["ruleset"]
    overrides = {"overrides": fact["overrides"]} if fact["overrides"] else {}
    return {"preset": key, "version": version, **overrides}
