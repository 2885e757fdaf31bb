"""A ruleset and its fields in words: points, order, percentages, byes, bracket, source; and its changes."""

import json
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple

from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import ngettext

from standings.engine.bracket.cut import REPLAY
from standings.engine.metrics import METRICS
from standings.engine.ranking import build_chain, list_skipped_steps
from standings.engine.scoring import PER_GAME
from standings.words.formats import value_as_text
from standings.words.metrics import list_step_titles, metric_title, param_in_words, short_title, step_title
from tournament.event.formats import format_number, format_rounded
from tournament.models import RulesetVersion
from tournament.results.wording import bye_words
from tournament.rulesets import (
    date_fide_rules,
    differences,
    is_meeting,
    list_fide_versions,
    requestable_byes,
    stated_rules,
)
from tournament.rulesets.diff import DESCRIPTIVE, FieldChange
from tournament.rulesets.rule_fields import (
    FIELDS,
    GROUPS,
    RuleField,
    confidence_in_words,
    fide_warning,
    pairing_note,
    rule_label,
    rule_words,
)
from tournament.rulesets.schema import FIELD_AT, IGNORED, SHARE, value_at
from tournament.schemas.kinds import exact_number
from tournament.services.rulesets import FaultyRules

# Left out: these are no rules, and either shown elsewhere on the page or of no interest to a reader.
NOT_RULES = ("key", "version", "name", "source", "confidence", "based_on")


class FieldWords(NamedTuple):
    label: str
    now: str
    before: str = ""  # in a change
    derived: bool = False  # not set, it follows from others


def value_in_words(path: str, value: Any) -> str:
    if path == "tiebreaks" and isinstance(value, list):
        return " → ".join(step_in_words(step) for step in value)
    if path == "rounds_table":
        return table_in_words(value)
    if path == "open_fields":
        return _open_fields_in_words(value)
    field, words = FIELDS.get(path), rule_words(path)
    if field and field.kind == "parts":
        parts = {**field.empty, **(value or {})}
        return "; ".join(f"{name} {parts[part]}" for part, name in words.items())
    if value is None:
        return str(field.empty or _("not set")) if field else _("not set")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if words and isinstance(value, list):
        return " → ".join(str(words.get(word, word)) for word in value) or str((field and field.empty) or "")
    if path in FIELD_AT and FIELD_AT[path].kind is SHARE:
        return _share_in_words(value)
    if words and isinstance(value, str | int):
        return str(words.get(value, value))
    if field or not isinstance(value, dict | list):
        return value_as_text(value)
    return json.dumps(value, ensure_ascii=False)


def _share_in_words(value: Any) -> str:
    """Return "33%" for 33/100; the share as typed if a percentage would not be exact, such as 1/3."""
    share = exact_number(value)
    if share is None or (share * 10_000).denominator > 1:
        return value_as_text(value)
    return f"{format_percent(share)}%"


def format_percent(share: Fraction) -> str:
    """Return the percentage with at most two decimal places, without the sign."""
    return format_rounded(share * 100, 2).rstrip("0").rstrip(".")


def _open_fields_in_words(value: list[str] | None) -> str:
    if value is None:
        return _("everything")
    return ", ".join(rule_label(name) for name in value if name not in IGNORED) or _("nothing")


def step_in_words(step: dict[str, Any]) -> str:
    """Return a step of the standings order: the publisher's name, the metric's name if it differs, and its settings."""
    key = str(step.get("metric"))
    title = metric_title(key) if key in METRICS else key
    details = [title] if step.get("label") and step["label"] != title else []
    params = {name: value for name, value in (step.get("params") or {}).items() if value is not None}
    details += [param_in_words(key, name, value_as_text(value)) for name, value in params.items()]
    if step.get("order"):
        details.append(_("lower is better") if step["order"] == "asc" else _("higher is better"))
    name = step.get("label") or title
    return f"{name} ({', '.join(details)})" if details else name


def table_in_words(table: Any) -> str:
    if not isinstance(table, list):
        return _("enough rounds to leave 1 undefeated player, no cut")
    return "; ".join(_row_in_words(row) for row in table)


def _row_in_words(row: dict[str, Any]) -> str:
    players = f"{row['min']}–{row['max']}" if row.get("max") else f"{row['min']}+"
    parts = [ngettext("%(n)s round", "%(n)s rounds", row["rounds"]) % {"n": row["rounds"]}]
    if row.get("cut"):
        parts.append(_("top %(cut)s") % {"cut": row["cut"]})
    if row.get("stage") == "single_elimination":
        parts.append(_("single elimination suggested"))
    return f"{players}: {', '.join(parts)}"


def changes_in_words(changes: Iterable[FieldChange]) -> list[FieldWords]:
    shown = [change for change in changes if change["path"] != "based_on"]
    return [change_in_words(change["path"], change["before"], change["after"]) for change in shown]


def change_in_words(path: str, before: Any, after: Any) -> FieldWords:
    return FieldWords(rule_label(path), value_in_words(path, after), value_in_words(path, before))


def faults_in_words(error: FaultyRules) -> list[str]:
    texts = []
    for path, message in error.faults:
        label = rule_label(path.partition("[")[0])
        place = path if label == path else f"{label} ({path})"
        texts.append(f"{place}: {message}" if path else message)
    return texts


def differences_in_words(before: dict[str, Any], after: dict[str, Any]) -> list[FieldWords]:
    return changes_in_words(differences(stated_rules(before), stated_rules(after)))


def profile_in_words(profile: dict[str, Any]) -> list[tuple[str, list[FieldWords]]]:
    """Return (title, fields in words) for each part of a profile; fields that cannot be edited come last."""
    rules = stated_rules(profile)
    groups = [
        (str(title), [_field(field, profile, rules) for field in fields]) for title, fields in GROUPS[1:]
    ]
    elsewhere = {*FIELDS, *NOT_RULES, *IGNORED}
    leaves = [(path, value) for path, value in _leaves(profile) if path not in elsewhere]
    others = [FieldWords(rule_label(path), value_in_words(path, value)) for path, value in leaves]
    return [*groups, (_("Not editable here"), others)] if others else groups


def _field(field: RuleField, profile: dict[str, Any], rules: dict[str, Any]) -> FieldWords:
    value = value_at(profile, field.path)
    derived = value is not None and value_at(rules, field.path) is None
    return FieldWords(str(field.label), value_in_words(field.path, value), derived=derived)


def _leaves(profile: dict[str, Any]) -> list[tuple[str, Any]]:
    leaves: list[tuple[str, Any]] = []
    for field, value in profile.items():
        if isinstance(value, dict) and field != "rounds_table":
            leaves += [(f"{field}.{name}", inner) for name, inner in value.items()]
        else:
            leaves.append((field, value))
    return leaves


# Ways to pair that leave the last player over.
LEAVE_OVER = ("top_half_vs_bottom_half", "adjacent_by_rank", "fold", "adjacent")
SEEDED = ("rating_halves", "seed")  # first rounds that do so
REQUEST_LIMITS = ("bye.requested_max", "bye.requested_not_last", "bye.requested_last_before")
SIDE_LIMITS = (
    "pairing.max_same_colour_row",
    "pairing.max_colour_difference",
    "pairing.colour_limits_in_last_round",
)
BALANCED = _lazy(
    "When players on different scores must meet, 2 pair-downs by 1 point are preferred to 1 by 2 points."
)
# One sentence per choice. Any other value is shown as "label: value".
SENTENCES: dict[str, dict[Any, Promise]] = {
    "pairing.method": {
        "random_in_score_group": _lazy("Players are paired at random within each score group."),
        "top_half_vs_bottom_half": _lazy("The top half of each score group plays its bottom half."),
        "adjacent_by_rank": _lazy("Neighbors in the standings play each other."),
    },
    "pairing.first_round": {
        "random": _lazy("Round 1 is paired at random."),
        "rating_halves": _lazy("In round 1 the top half by rating plays the bottom half."),
        "seed": _lazy("In round 1 the top half by seed plays the bottom half."),
    },
    "pairing.objective": {
        None: BALANCED,
        "balance": BALANCED,
        "protect_top": _lazy("When players on different scores must meet, the top score groups come first."),
    },
    "cut.alternates": {
        True: _lazy("Alternates replace players who drop before the bracket starts."),
        False: _lazy("Alternates are not used."),
    },
    "drop.walkover": {
        "opponent": _lazy("If a player drops from the bracket, the opponent gets a bye."),
        "highest_ranked_remaining_gets_bye": _lazy(
            "If a player drops from the bracket, the best seed still to play gets a bye."
        ),
    },
    "elimination.draw_rule": {
        "not_allowed": _lazy("A bracket match cannot end in a draw."),
        "higher_seed": _lazy("After a drawn bracket match the better seed advances."),
        REPLAY: _lazy(
            "A drawn bracket match is played again with the other player moving first; "
            "if time is short, the better seed advances."
        ),
    },
}
MOST_NAMED = 3  # fields of a change; the others are counted


def rules_in_words(
    profile: dict[str, Any], team: bool = False, starts_at: str | None = None
) -> list[tuple[str, str]]:
    """Return (heading, sentence) for each rule people ask about. `starts_at`: to warn of rules for another time."""
    source = [profile.get("source"), confidence_in_words(profile)]
    summary = [
        (_("Match points"), _points(profile["match_points"])),
        (_("Standings order"), _order(profile, team)),
        (rule_label("fide_version"), _fide_rules(profile, starts_at)),
        (_("Percentages"), _percentages(profile)),
        (_("Pairing"), _pairing(profile)),
        (_("Bye"), _bye(profile)),
        (_("Bracket"), _bracket(profile)),
        (_("Source of the rules"), " · ".join(filter(None, source))),
    ]
    return [(heading, sentence) for heading, sentence in summary if sentence]


def rules_in_brief(profile: dict[str, Any], team: bool) -> str:
    """Return points and tiebreakers for cards: "3–1–0 · OMW%, GW%, OGW%"."""
    points = profile["match_points"]
    worths = "–".join(
        format_number(Fraction(points[name])) for name in ("win", "draw", "loss") if name in points
    )
    steps = [step for step in build_chain(profile, team) if METRICS[step.key].unit != "order"]
    titles = zip(steps, list_step_titles(steps), strict=True)
    order = ", ".join(short_title(step.key, title) for step, title in titles if step.key != "match_points")
    return f"{worths} · {order}" if order else worths


def _fide_rules(profile: dict[str, Any], starts_at: str | None) -> str:
    versions = sorted(value_in_words("fide_version", version) for version in list_fide_versions(profile))
    return " ".join([*(f"{words}." for words in versions), fide_warning(profile, starts_at)]).strip()


def origin_in_words(
    version: RulesetVersion | None, profile: dict[str, Any], starts_at: str | None = None
) -> list[tuple[str, str]]:
    """Return (heading, sentence) on how a profile differs from its original; empty if there is nothing to say."""
    if version is None:
        return []
    source = version.ruleset.copied_from or version
    origin = dict(source.profile)
    date_fide_rules(origin, starts_at)
    changes = differences(stated_rules(origin), stated_rules(profile))
    fields = changes_in_words(change for change in changes if change["path"] not in DESCRIPTIVE)
    texts = [_("%(label)s: %(now)s (was %(before)s)") % field._asdict() for field in fields]
    if not texts and source == version:
        return []
    heading = _("Changed from %(name)s") % {"name": source.name}
    return [(heading, f"{'; '.join(texts)}." if texts else _("Nothing: the rules are the same."))]


def rule_changes_in_words(profile: dict[str, Any]) -> list[str]:
    sentences = []
    for change in profile.get("rule_changes") or []:
        fields = _fields_in_words(change["fields"])
        words = _("Changed during round 1: %(fields)s. Reason: %(reason)s")
        if change["after"]:
            words = _("Changed after round %(round)s: %(fields)s. Reason: %(reason)s")
        sentences.append(words % {"fields": fields, "round": change["after"], "reason": change["reason"]})
    return sentences


def _fields_in_words(paths: list[str]) -> str:
    """Name the first few fields and count the others, because another ruleset changes many."""
    named = ", ".join(rule_label(path) for path in paths[:MOST_NAMED])
    more = len(paths) - MOST_NAMED
    if more <= 0:
        return named
    words = ngettext("%(named)s and %(n)s more field", "%(named)s and %(n)s more fields", more)
    return words % {"named": named, "n": more}


def _points(points: dict[str, Any]) -> str:
    words = _("Win %(win)s, draw %(draw)s, loss %(loss)s, bye %(bye)s.")
    if points.get("mode") == "per_game":
        words = _("Each game won %(game_win)s, drawn %(game_draw)s, lost %(game_loss)s; bye %(bye)s.")
        if Fraction(points.get("sweep_bonus", 0)):
            words += " " + _("Bonus for winning every game: %(sweep_bonus)s.")
    numbers = {name: value for name, value in (PER_GAME | points).items() if name != "mode"}
    return words % {name: format_number(Fraction(value)) for name, value in numbers.items()}


def _order(profile: dict[str, Any], team: bool) -> str:
    steps = build_chain(profile, team)
    titles = list_step_titles(steps)
    for i, step in enumerate(steps):
        if step.ascending and METRICS[step.key].unit != "order":
            titles[i] = _("%(title)s (lower is better)") % {"title": titles[i]}
    order = " → ".join(titles)
    skipped = ", ".join(step_title(step) for step in list_skipped_steps(profile, team))
    if not skipped:
        return order
    return f"{order}. " + _("Not used, because games do not count here: %(skipped)s.") % {"skipped": skipped}


def _percentages(profile: dict[str, Any]) -> str:
    if not any(METRICS[entry["metric"]].unit == "share" for entry in profile["tiebreaks"]):
        return ""
    shares, sentences = profile["percentages"], []
    if (floor := shares.get("match_floor")) is not None:
        words = _("An opponent's percentage counts as at least %(percent)s%%.")
        sentences.append(words % {"percent": format_percent(Fraction(floor))})
    if (cap := shares.get("match_cap_dropped")) is not None:
        words = _("A player who dropped before the end of the Swiss rounds counts for at most %(percent)s%%.")
        sentences.append(words % {"percent": format_percent(Fraction(cap))})
    if not shares.get("floor_own_gw", True):
        sentences.append(_("A player's own game-win % has no minimum."))
    if not shares.get("opp_include_byes", True):
        sentences.append(_("Opponents' byes are left out."))
    if profile.get("frozen_at_drop"):
        sentences.append(_("Players who dropped keep their tiebreakers of that time."))
    if shares.get("count_missed_rounds", True):
        sentences.append(_("A round missed or sat out counts as a loss."))
    else:
        sentences.append(_("Rounds missed or sat out are left out."))
    return " ".join(sentences)


def _bye(profile: dict[str, Any]) -> str:
    words = _("With an odd number of players, one gets a bye: at most 1 per player, if possible.")
    return f"{words} {_bye_player(profile)} {_requested_byes(profile)}"


def _requested_byes(profile: dict[str, Any]) -> str:
    kinds = ", ".join(bye_words(f"{kind}_bye") for kind in requestable_byes(profile))
    words = _("Players can request byes (%(kinds)s).") if kinds else _("Players cannot request byes.")
    limits = [path for path in REQUEST_LIMITS if value_at(profile, path) is not None]
    return f"{words % {'kinds': kinds}} {_sentences(profile, limits)}".strip()


def _bye_player(profile: dict[str, Any]) -> str:
    """Return which player of the score group gets the bye, and why, if the ruleset names only the group."""
    who = (profile.get("bye") or {}).get("to")
    if who == "lowest_rank":
        return _("It goes to the last player by seed in the lowest score group.")
    if who == "lowest_score_group" and profile["pairing"]["method"] in LEAVE_OVER:
        return _(
            "It goes to the last player by seed in the lowest score group, because pairing by halves or by "
            "neighbors leaves that player unpaired. The published rules name only the score group; "
            "this app adds the rest."
        )
    if who == "lowest_score_group" and profile["pairing"].get("first_round") in SEEDED:
        return _(
            "In round 1 it goes to the last player by seed, later to a random player in the lowest score group."
        )
    return _("It goes to a random player in the lowest score group.")


def _pairing(profile: dict[str, Any]) -> str:
    paths = ["pairing.method", "pairing.first_round", "pairing.objective"]
    if profile["pairing"].get("criteria"):
        paths.append("pairing.criteria")
    sentences = [_sentences(profile, paths)]
    note = pairing_note(profile)
    if note != value_in_words("pairing.method", profile["pairing"]["method"]):
        sentences.append(note and f"{capfirst(note)}.")
    if profile["pairing"].get("colours"):
        limits = [path for path in SIDE_LIMITS if value_at(profile, path) is not None]
        first = _("First moves in round 1: a coin toss for the first table; the other tables alternate.")
        sentences += [first, _sentences(profile, limits)]
    if not is_meeting(profile, "forfeit"):
        sentences.append(_("A forfeit does not count as a meeting: the same players can be paired again."))
    return " ".join(filter(None, sentences))


def _sentences(profile: dict[str, Any], paths: list[str]) -> str:
    sentences = []
    for path in paths:
        value, words = value_at(profile, path), SENTENCES.get(path, {})
        known = words.get(value) if value is None or isinstance(value, str | bool) else None
        sentences.append(str(known) if known else f"{rule_label(path)}: {value_in_words(path, value)}.")
    return " ".join(sentences)


def _bracket(profile: dict[str, Any]) -> str:
    placements = {
        "swiss_seed_within_round": _("Players knocked out in the same round are placed by Swiss rank."),
        "shared": _("Players knocked out in the same round share the place."),
        "round_then_points_then_lost_to_placement": _(
            "Players knocked out in the same round are placed by points scored in the bracket, "
            "then by the place of the player who beat them. The published rules do not cover places below 6th; "
            "this app orders them the same way."
        ),
    }
    rules = profile.get("elimination") or {}
    paths = ["cut.alternates", "drop.walkover", "elimination.draw_rule"]
    paths += ["elimination.replay"] if rules.get("draw_rule") == REPLAY else []
    paths += ["elimination.colours"] if rules.get("colours") else []
    return f"{placements.get(rules.get('placement', ''), '')} {_sentences(profile, paths)}".strip()
