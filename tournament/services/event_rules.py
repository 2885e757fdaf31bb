"""The rules of one event: chosen before round 1, then changed only by an organizer with a reason."""

from typing import Any

from django.db.models import F, Max, Min
from django.utils.translation import gettext as _

from tournament.actionlog.service import Log, service
from tournament.errors import Refused, WrongState, get_or_refuse
from tournament.event.profile import profile_of, profile_with_overrides, start_of
from tournament.models import Match, Round, RulesetVersion, Stage, Tournament
from tournament.ruleset_library.rule_fields import label_of
from tournament.rulesets import (
    UnknownRuleset,
    changed_fields,
    closed_paths,
    is_meeting,
    resolve_spec,
    stated_rules,
    validate,
)
from tournament.rulesets.diff import paths_of
from tournament.rulesets.schema import FIELD_AT, FIELDS, LONGEST_REASON, drop_value, set_value, value_at

Version = tuple[str, int]


@service("rules", computed=("revision",), owner=True)
def change_rules(
    log: Log, ruleset: Version | None = None, overrides: dict[str, Any] | None = None, *, revision: int
) -> None:
    """Choose another ruleset, or change fields of the current one, as reviewed at the event's `revision`.

    Before round 1 the event stores the ruleset's key and version and all `overrides`. Afterwards its own full copy
    changes, which needs a reason; the copy records when and why. Rounds, seeds and brackets stay.
    """
    tournament = log.tournament
    if tournament.revision != revision:
        raise WrongState(_("Something changed since you opened this page. Review the effect again."))
    if tournament.profile is None:
        chosen = ruleset or _version_of(tournament.ruleset)
        _published_ruleset(chosen)
        log.set(tournament, ruleset=list(chosen), overrides=overrides or {})
        check_rules(tournament)
        return
    profile = rules_after(tournament, ruleset, overrides)
    fields = changed_fields(tournament.profile, profile)
    if not fields:
        return
    reason = log.reason
    if not 1 <= len(reason) <= LONGEST_REASON:
        raise Refused(
            _("Enter a reason of up to 500 characters. Everyone can read it next to the standings.")
        )
    check_change(tournament, profile, ruleset, overrides)
    profile["rule_changes"] = [
        *(tournament.profile.get("rule_changes") or []),
        {"after": last_complete_round(tournament), "fields": fields, "reason": reason},
    ]
    chosen_ruleset = {"ruleset": list(ruleset), "overrides": overrides or {}} if ruleset else {}
    log.set(tournament, profile=profile, **chosen_ruleset)


def rules_after(
    tournament: Tournament, ruleset: Version | None, overrides: dict[str, Any] | None
) -> dict[str, Any]:
    """Return the full ruleset the event would have. None in `overrides`: no such limit, or derived again."""
    starts_at = start_of(tournament)
    try:
        if ruleset or tournament.profile is None:
            published = _published_ruleset(ruleset or _version_of(tournament.ruleset))
            played = (tournament.profile or {}).get("best_of_swiss")  # matches keep their length
            return profile_with_overrides(published, overrides, tournament.best_of or played, starts_at)
        before = tournament.profile
        rules = stated_rules(before)
        identity = {"key": before.get("key"), "version": before.get("version", 1)}
        for path in paths_of(overrides or {}):
            value = value_at(overrides or {}, path)
            if value is None and path in FIELD_AT and FIELD_AT[path].empty == "follows":
                drop_value(rules, path)
            else:
                set_value(rules, path, value)
        spec = {"name": before.get("name", ""), "profile": {**rules, **identity}}
        return resolve_spec(spec, tournament.best_of, starts_at)
    except UnknownRuleset as error:
        raise Refused(str(error)) from None


def check_change(
    tournament: Tournament, profile: dict[str, Any], ruleset: Version | None, overrides: dict[str, Any] | None
) -> None:
    """Raise Refused for fields the ruleset does not open and for unsound rules, WrongState for fixed fields."""
    base = _published_ruleset(ruleset).profile if ruleset else profile_of(tournament)
    _check_open(base, overrides or {})
    fixed = fixed_fields(tournament)
    for path in changed_fields(profile_of(tournament), profile):
        if why := fixed.get(path):
            raise WrongState(f"{label_of(path)}: {why}")
    if faults := validate(profile):
        path, message = faults[0]
        raise Refused(f"{label_of(path)}: {message}")
    if is_meeting(profile, Match.Result.FORFEIT):
        _check_forfeits(tournament)


def _check_forfeits(tournament: Tournament) -> None:
    seats = tournament.seats.filter(swiss=True, waived=False, opponent__isnull=False).order_by("entry__code")
    pairs = seats.values("entry", "opponent", "entry__name", "opponent__name")
    again = pairs.annotate(first=Min("round__number"), last=Max("round__number"))
    if pair := again.filter(first__lt=F("last")).first():
        text = _(
            "%(a)s and %(b)s were paired again in round %(last)s, after a forfeit in round %(first)s. "
            "So a forfeit cannot count as a meeting now."
        )
        names = {"a": pair["entry__name"], "b": pair["opponent__name"]}
        raise WrongState(text % {**names, "first": pair["first"], "last": pair["last"]})


def fixed_fields(tournament: Tournament) -> dict[str, Any]:
    if tournament.profile is None:
        return {}
    reasons = {
        "pairing": _("rounds are paired and games recorded for matches of this length."),
        "results": _("results have been recorded under the current rule."),
    }
    if tournament.stages.filter(kind=Stage.Kind.ELIMINATION).exists():
        reasons["bracket"] = _("the bracket is set and stays as it is.")
    return {field.path: reasons[field.fixed] for field in FIELDS if field.fixed in reasons}


def last_complete_round(tournament: Tournament) -> int:
    """Return the number of the last complete Swiss round, 0 during the first."""
    complete = tournament.rounds.filter(swiss=True, state=Round.State.COMPLETE)
    return complete.order_by("-number").values_list("number", flat=True).first() or 0


def _version_of(ruleset: RulesetVersion | None) -> Version:
    if ruleset is None:
        raise Refused(_("Choose a ruleset."))
    return ruleset.key, ruleset.version


def _published_ruleset(version: Version) -> RulesetVersion:
    key, number = version
    text = _("There is no version %(version)s of “%(key)s”.")
    return get_or_refuse(
        RulesetVersion.objects.filter(key=key, version=number), text, key=key, version=number
    )


def check_rules(tournament: Tournament) -> None:
    if tournament.ruleset:
        _check_open(tournament.ruleset.profile, tournament.overrides)
    try:
        faults = validate(profile_of(tournament))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        faults = [("ruleset", str(error))]
    if faults:
        raise Refused(
            _("This ruleset cannot be used. %(path)s: %(fault)s.")
            % dict(zip(("path", "fault"), faults[0], strict=True))
        )


def _check_open(published: dict[str, Any], overrides: dict[str, Any]) -> None:
    if closed := closed_paths(published, overrides):
        text = _("“%(name)s” does not allow changes to: %(fields)s.")
        raise Refused(text, name=published.get("name"), fields=", ".join(label_of(path) for path in closed))
