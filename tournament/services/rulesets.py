"""Find, copy, import, edit and publish rulesets, and change an event's rules; each in one transaction."""

import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.auth import get_user_model
from django.db import DEFAULT_DB_ALIAS, transaction
from django.db.models import F, Max, Min, OuterRef, QuerySet, Subquery
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _

from tournament.actionlog.service import Log, service
from tournament.errors import Conflict, Refused, WrongState, get_or_refuse
from tournament.event.profile import local_start, profile_with_overrides, ruleset_in_force
from tournament.models import Match, Round, Ruleset, RulesetVersion, Stage, Tournament
from tournament.models.slugs import insert_at_free_slug
from tournament.monitoring.log_lines import account_words
from tournament.rulesets import (
    UnknownRuleset,
    changed_fields,
    closed_paths,
    is_meeting,
    presets,
    resolve_spec,
    stated_rules,
    validate,
)
from tournament.rulesets.diff import list_override_paths
from tournament.rulesets.resolve import DERIVED_POINTS
from tournament.rulesets.rule_fields import rule_label
from tournament.rulesets.schema import FIELD_AT, FIELDS, LONGEST_REASON, drop_value, set_value, value_at
from tournament.schemas.kinds import Fault

logger = logging.getLogger("tournament.log")

OWN = "house"  # the confidence of rules without another source


class FaultyRules(Refused):
    """Rules that no event could use. `faults`: (path of the field, what is wrong)."""

    status = 422

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("; ".join(f"{path}: {message}" for path, message in faults[:3]))
        self.faults = faults


def newest_versions() -> list[RulesetVersion]:
    newest = RulesetVersion.objects.filter(ruleset=OuterRef("ruleset")).order_by("-version").values("pk")[:1]
    versions = RulesetVersion.objects.filter(pk=Subquery(newest))
    return sorted(versions, key=lambda version: (version.name.casefold(), version.key))


def find_newest_version(ruleset: Ruleset) -> RulesetVersion | None:
    return ruleset.versions.order_by("-version").first()


def rules_before_draft(ruleset: Ruleset) -> dict[str, Any]:
    """Return the rules that a draft is compared with: the newest version, else the ruleset it was copied from."""
    published = find_newest_version(ruleset) or ruleset.copied_from
    return stated_rules(published.profile) if published else {}


def events_under(ruleset: Ruleset) -> QuerySet[Tournament]:
    return Tournament.objects.filter(ruleset__ruleset=ruleset)


def count_uses(ruleset: Ruleset) -> Counter[int]:
    """Count the events that use each version."""
    return Counter(events_under(ruleset).order_by().values_list("ruleset__version", flat=True))


def own_rulesets(user: Any) -> list[Ruleset]:
    rulesets = Ruleset.objects.filter(owner=user.pk, owner__isnull=False)
    return list(rulesets.annotate(newest=Max("versions__version")).order_by("name", "pk"))


def install_rulesets(using: str = DEFAULT_DB_ALIAS, **kwargs: object) -> None:
    """After each migration, add each built-in version that the database does not have yet. None is ever changed."""
    profiles = presets()
    Ruleset.objects.using(using).bulk_create(
        (Ruleset(key=key, name=profile["name"]) for key, profile in profiles.items()), ignore_conflicts=True
    )
    rulesets = dict(Ruleset.objects.using(using).filter(owner=None).values_list("key", "pk"))
    rows = []
    for key, profile in profiles.items():
        about = {"version": profile["version"], "name": profile["name"], "profile": profile}
        rows.append(RulesetVersion(ruleset_id=rulesets[key], key=key, **about))
    RulesetVersion.objects.using(using).bulk_create(rows, ignore_conflicts=True)


def copy_ruleset(version: RulesetVersion, *, name: str, owner: Any) -> Ruleset:
    """Copy a version as the draft of a new ruleset of the owner's. Repeating an unchanged copy returns the first."""
    draft = {**stated_rules(version.profile), "based_on": version.profile.get("based_on") or version.key}
    draft.pop("open_fields", None)  # to be set by the new owner
    return _create_ruleset(draft, version, name=name, owner=owner)


def import_ruleset(profile: dict[str, Any], *, name: str, owner: Any) -> Ruleset:
    """Create a ruleset from exported rules. Rules based on a built-in ruleset become a copy of it."""
    origins = [profile.get("based_on"), profile.get("key")]
    keys = [key for key in origins if isinstance(key, str)]
    built_in = RulesetVersion.objects.filter(key__in=keys, ruleset__owner=None).order_by("-version")
    source = min(built_in, key=lambda version: keys.index(version.key), default=None)
    draft = {**stated_rules(profile), "based_on": source.key if source else ""}
    draft.pop("rule_changes", None)  # these belong to one event
    _check_draft({**draft, "name": name})
    return _create_ruleset(draft, source, name=name, owner=owner)


def _create_ruleset(
    draft: dict[str, Any], source: RulesetVersion | None, *, name: str, owner: Any
) -> Ruleset:
    name = _clean_text(name, 120, _("Enter a ruleset name of up to 120 characters."))
    draft = {**draft, "name": name, "confidence": OWN}
    with transaction.atomic():
        get_user_model().objects.select_for_update().get(pk=owner.pk)
        for existing in Ruleset.objects.filter(owner=owner, name=name):
            if existing.copied_from == source and existing.draft == draft and existing.revision == 1:
                return existing
            raise Refused(_("You already have a ruleset “%(name)s”. Choose another name."), name=name)
        ruleset = Ruleset(name=name, owner=owner, copied_from=source, draft=draft, revision=1)
        insert_at_free_slug(ruleset, _key_for(name), column="key")
    logger.info("ruleset %s created by %s", ruleset.key, account_words(owner))
    return ruleset


def _key_for(name: str) -> str:
    """Return a key with a hyphen, so that it is never a built-in ruleset's."""
    key = slugify(name)[:40].strip("-") or "own"
    return key if "-" in key else f"{key}-rules"


def save_draft(ruleset: Ruleset, draft: dict[str, Any]) -> None:
    """Save the rules as the draft of the next version, if they differ from the newest. The last save wins."""
    draft = stated_rules(draft)
    draft.pop("rule_changes", None)  # these belong to one event, and a file may come from one
    _check_draft(draft, ruleset.key)
    with _locked(ruleset) as locked:
        newest = find_newest_version(locked)
        new = None if newest and stated_rules(newest.profile) == draft else draft
        if locked.draft != new:
            locked.draft = new
            _save(locked, "draft saved")


def publish_draft(ruleset: Ruleset, *, seen: int, note: str) -> RulesetVersion:
    """Publish the draft of revision `seen` as the next version. Repeating this returns the same version."""
    refusal = _("Enter what changed and why, in up to 500 characters. Organizers read it.")
    note = _clean_text(note, 500, refusal)
    with _locked(ruleset) as locked:
        newest = find_newest_version(locked)
        if locked.draft is None:
            if newest and newest.note == note and locked.revision == seen + 1:
                return newest
            raise WrongState(_("There are no unpublished changes."))
        if locked.revision != seen:
            raise Conflict(_("The draft was saved again meanwhile. Review the changes, then publish."))
        _check_draft(locked.draft, locked.key)
        version = newest.version + 1 if newest else 1
        published = RulesetVersion.objects.create(
            ruleset=locked,
            key=locked.key,
            version=version,
            name=locked.draft["name"],
            profile=whole_profile(locked.draft, locked.key, version),
            published_at=timezone.now(),
            note=note,
        )
        locked.name, locked.draft = locked.draft["name"], None
        _save(locked, f"version {version} published")
    return published


def whole_profile(draft: dict[str, Any], key: str, version: int = 1) -> dict[str, Any]:
    """Return the whole ruleset that a draft would become. Raises UnknownRuleset if it cannot be completed."""
    profile = {**draft, "key": key, "version": version}
    return resolve_spec({"name": draft.get("name", ""), "profile": profile})


def list_faults(draft: dict[str, Any], key: str = "") -> list[Fault]:
    """Return a draft's faults, by path. Faults of a derived field are shown at the field it is derived from."""
    faults = []
    name = draft.get("name")
    if not isinstance(name, str) or not 1 <= len(name.strip()) <= 120:
        faults.append(("name", _("a ruleset needs a name of up to 120 characters")))
    try:
        points = draft.get("match_points")
        names = points if isinstance(points, dict) else {}
        follows = {f"match_points.{name}" for name, _source in DERIVED_POINTS if name not in names}
        return faults + [fault for fault in validate(whole_profile(draft, key)) if fault[0] not in follows]
    except UnknownRuleset as error:
        return [*faults, ("", str(error))]


def _check_draft(draft: dict[str, Any], key: str = "") -> None:
    if faults := list_faults(draft, key):
        raise FaultyRules(faults)


@contextmanager
def _locked(ruleset: Ruleset) -> Iterator[Ruleset]:
    with transaction.atomic():
        yield Ruleset.objects.select_for_update().get(pk=ruleset.pk)
    ruleset.refresh_from_db(fields=["name", "draft", "revision"])


def _save(ruleset: Ruleset, done: str) -> None:
    ruleset.revision += 1
    ruleset.save(update_fields=["name", "draft", "revision"])
    logger.info("ruleset %s #%s: %s", ruleset.key, ruleset.revision, done)


def _clean_text(text: str, longest: int, refusal: str) -> str:
    text = text.strip()
    if not 1 <= len(text) <= longest:
        raise Refused(refusal)
    return text


Version = tuple[str, int]
Overrides = dict[str, Any] | None


@service("rules", computed=("revision",), owner=True)
def change_rules(
    log: Log, ruleset: Version | None = None, overrides: Overrides = None, *, revision: int
) -> None:
    """Choose another ruleset, or change fields of the current one, as reviewed at the event's `revision`.

    Before round 1 the event stores the ruleset's key and version and all `overrides`. Afterwards its own full copy
    changes, which needs a reason; the copy records when and why. Rounds, seeds and brackets stay.
    """
    tournament = log.tournament
    if tournament.revision != revision:
        raise WrongState(_("Something changed since you opened this page. Review the effect again."))
    if tournament.profile is None:
        chosen = ruleset or _chosen_version(tournament.ruleset)
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
        text = _("Enter a reason of up to 500 characters. Everyone can read it next to the standings.")
        raise Refused(text)
    check_change(tournament, profile, ruleset, overrides)
    change = {"after": last_complete_round(tournament), "fields": fields, "reason": reason}
    profile["rule_changes"] = [*(tournament.profile.get("rule_changes") or []), change]
    chosen_ruleset = {"ruleset": list(ruleset), "overrides": overrides or {}} if ruleset else {}
    log.set(tournament, profile=profile, **chosen_ruleset)


def rules_after(tournament: Tournament, ruleset: Version | None, overrides: Overrides) -> dict[str, Any]:
    """Return the full ruleset the event would have. None in `overrides` means no limit, or derived again."""
    starts_at = local_start(tournament)
    try:
        if ruleset or tournament.profile is None:
            published = _published_ruleset(ruleset or _chosen_version(tournament.ruleset))
            played = (tournament.profile or {}).get("best_of_swiss")  # matches keep their length
            return profile_with_overrides(published, overrides, tournament.best_of or played, starts_at)
        before = tournament.profile
        rules = stated_rules(before)
        identity = {"key": before.get("key"), "version": before.get("version", 1)}
        for path in list_override_paths(overrides or {}):
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
    tournament: Tournament, profile: dict[str, Any], ruleset: Version | None, overrides: Overrides
) -> None:
    """Raise Refused for invalid rules and fields that the ruleset does not open, WrongState for fields now fixed."""
    base = _published_ruleset(ruleset).profile if ruleset else ruleset_in_force(tournament)
    _check_open(base, overrides or {})
    fixed = fixed_fields(tournament)
    for path in changed_fields(ruleset_in_force(tournament), profile):
        if why := fixed.get(path):
            raise WrongState(f"{rule_label(path)}: {why}")
    if faults := validate(profile):
        path, message = faults[0]
        raise Refused(f"{rule_label(path)}: {message}")
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
    complete = tournament.rounds.filter(swiss=True, state=Round.State.COMPLETE)
    return complete.order_by("-number").values_list("number", flat=True).first() or 0


def _chosen_version(ruleset: RulesetVersion | None) -> Version:
    if ruleset is None:
        raise Refused(_("Choose a ruleset."))
    return ruleset.key, ruleset.version


def _published_ruleset(version: Version) -> RulesetVersion:
    key, number = version
    rows = RulesetVersion.objects.filter(key=key, version=number)
    text = _("There is no version %(version)s of “%(key)s”.")
    return get_or_refuse(rows, text, key=key, version=number)


def check_rules(tournament: Tournament) -> None:
    if tournament.ruleset:
        _check_open(tournament.ruleset.profile, tournament.overrides)
    try:
        faults = validate(ruleset_in_force(tournament))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        faults = [("ruleset", str(error))]
    if faults:
        path, fault = faults[0]
        raise Refused(_("This ruleset cannot be used. %(path)s: %(fault)s."), path=path, fault=fault)


def _check_open(published: dict[str, Any], overrides: dict[str, Any]) -> None:
    if closed := closed_paths(published, overrides):
        text = _("“%(name)s” does not allow changes to: %(fields)s.")
        raise Refused(text, name=published.get("name"), fields=", ".join(rule_label(path) for path in closed))
