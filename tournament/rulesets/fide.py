"""The version of FIDE's tiebreak rules: by the event's date, unless its ruleset or a tiebreaker names another."""

from tournament.rulesets.schema import FIELD_AT
from tournament.schemas.kinds import fault_in

# Metrics whose parameter `version` is the year of FIDE's rules.
FIDE_METRICS = frozenset("adjusted_score buchholz fore_buchholz avg_opp_buchholz sonneborn_berger".split())
# {version: the first day of the events it is for}. Source: FIDE C.02 13.15 (2009 to 2022), C.07.
FIRST_DAYS = {2009: "", 2023: "2023-01-01", 2026: "2026-03-01"}


def fide_version_on(day: str) -> int:
    return max(version for version, first in FIRST_DAYS.items() if first <= day)


def list_fide_versions(profile: dict) -> set[int | None]:
    """Return the versions in the standings order; None stands for the one of the event's date."""
    steps = profile.get("tiebreaks")
    if fault_in(steps, FIELD_AT["tiebreaks"].kind.type):
        return set()
    versions = set()
    for step in steps or ():
        params = step.get("params") or {}
        if step["metric"] in FIDE_METRICS and (params.get("rule") or "fide") == "fide":
            year = params.get("version") or profile.get("fide_version")
            versions.add(fide_version_on(f"{year}-12") if isinstance(year, int) else None)
    return versions


def date_fide_rules(profile: dict, starts_at: str | None) -> None:
    """Set the version by the event's date, in place, in a profile that leaves it open."""
    if starts_at and profile.get("fide_version") is None and None in list_fide_versions(profile):
        profile["fide_version"] = fide_version_on(starts_at)
