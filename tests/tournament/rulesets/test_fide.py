import pytest

from tournament.rulesets import fide_version_on, fide_versions_of, resolve, resolve_spec, validate
from tournament.rulesets.rule_fields import fide_warning


@pytest.mark.parametrize(
    ("day", "version"),
    [("2008-06-01", 2009), ("2022-12-31T23:59:59+01:00", 2009), ("2023-01-01T00:00:00+01:00", 2023),
     ("2025-12-31", 2023), ("2026-02-28T20:00:00Z", 2023), ("2026-03-01", 2026), ("2031-01-01", 2026)],
)  # fmt: skip
def test_every_day_has_its_version(day, version):
    assert fide_version_on(day) == version
    assert resolve("fide", starts_at=day)["fide_version"] == version


def test_what_names_a_version_keeps_it_and_a_whole_profile_is_dated_too():
    day = "2024-05-01T10:00:00+00:00"
    assert "fide_version" not in resolve("fide")
    assert resolve("fide", overrides={"fide_version": 2009}, starts_at=day)["fide_version"] == 2009
    assert resolve("fide", overrides={"fide_version": None}, starts_at=day)["fide_version"] == 2023
    named = {"tiebreaks": [{"metric": "match_points"}, {"metric": "buchholz", "params": {"version": 2018}}]}
    assert "fide_version" not in resolve("fide", overrides=named, starts_at=day)
    assert fide_versions_of(resolve("fide", overrides=named)) == {2009}
    for key in ("mtr", "twixt", "uscf", "go_mcmahon"):
        assert "fide_version" not in resolve(key, starts_at=day) and not fide_versions_of(resolve(key))
    profile = resolve("fide")
    assert resolve_spec({"name": "Club", "profile": profile}, starts_at="2019-01-01")["fide_version"] == 2009
    broken = resolve_spec({"profile": profile, "overrides": {"tiebreaks": [3]}}, starts_at="2019-01-01")
    assert any(path.startswith("tiebreaks") for path, _ in validate(broken))
    assert ("fide_version", "2018 is not one of 2009, 2023, 2026") in validate(
        {**profile, "fide_version": 2018}
    )


def test_rules_of_another_time_are_named_in_one_sentence():
    older = resolve("fide", overrides={"fide_version": 2009})
    assert fide_warning(older, "2024-04-02T00:00:00+00:00") == (
        "FIDE's rules on the date of this event (2024-04-02) are those of 2023, not these."
    )
    assert fide_warning(older, "2022-04-02") == fide_warning(older, None) == ""
    assert fide_warning(resolve("fide", starts_at="2026-04-07"), "2026-04-07") == ""
    assert fide_warning(resolve("mtr"), "2026-04-07") == ""
