"""A ruleset in words: points, standings order, percentages, byes, bracket, source; and its changes."""

from fractions import Fraction
from typing import Any

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from standings.engine import METRICS, RankingStep, chain_of, skipped_steps_of
from standings.engine.bracket.elimination import REPLAY
from standings.engine.scoring import PER_GAME
from standings.words.formats import format_number
from standings.words.metrics import title_of_step, titles_of_steps
from standings.words.ruleset_fields import changes_in_words, percent_of, value_in_words
from tournament.models import RulesetVersion
from tournament.results.wording import bye_words
from tournament.ruleset_library.rule_fields import confidence_in_words, fide_warning, label_of, pairing_note
from tournament.rulesets import (
    date_fide_rules,
    differences,
    fide_versions_of,
    is_meeting,
    requestable_byes,
    stated_rules,
)
from tournament.rulesets.diff import DESCRIPTIVE
from tournament.rulesets.schema import value_at

LEAVE_OVER = (
    "top_half_vs_bottom_half",
    "adjacent_by_rank",
    "fold",
    "adjacent",
)  # ways to pair that leave the last player over
SEEDED = ("rating_halves", "seed")  # first rounds that do so
REQUEST_LIMITS = ("bye.requested_max", "bye.requested_not_last", "bye.requested_last_before")
SIDE_LIMITS = (
    "pairing.max_same_colour_row",
    "pairing.max_colour_difference",
    "pairing.colour_limits_in_last_round",
)
MOST_NAMED = 3  # fields of a change; the others are counted


def rules_in_words(
    profile: dict[str, Any], team: bool = False, starts_at: str | None = None
) -> list[tuple[str, str]]:
    """Return (heading, sentence) for each rule that people ask about. `team`: games do not count.

    `starts_at`: when the event starts, to warn if the rules are from another time.
    """
    summary = [
        (_("Match points"), _points(profile["match_points"])),
        (_("Standings order"), _order(profile, team)),
        (label_of("fide_version"), _fide_rules(profile, starts_at)),
        (_("Percentages"), _percentages(profile)),
        (_("Pairing"), _pairing(profile)),
        (_("Bye"), _bye(profile)),
        (_("Bracket"), _bracket(profile)),
        (_("Source of the rules"), _source(profile)),
    ]
    return [(heading, sentence) for heading, sentence in summary if sentence]


def _fide_rules(profile: dict[str, Any], starts_at: str | None) -> str:
    versions = sorted(value_in_words("fide_version", version) for version in fide_versions_of(profile))
    return " ".join([*(f"{words}." for words in versions), fide_warning(profile, starts_at)]).strip()


def origin_in_words(
    version: RulesetVersion | None, profile: dict[str, Any], starts_at: str | None = None
) -> list[tuple[str, str]]:
    """Return (heading, sentence) on what a profile changed of its origin; empty if there is nothing to say."""
    if version is None:
        return []
    source = version.ruleset.copied_from or version
    origin = dict(source.profile)
    date_fide_rules(origin, starts_at)
    changes = [
        change
        for change in differences(stated_rules(origin), stated_rules(profile))
        if change["path"] not in DESCRIPTIVE
    ]
    words = _("%(label)s: %(now)s (was %(before)s)")
    texts = [words % field._asdict() for field in changes_in_words(changes)]
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
    """Name the first few fields and count the others: another ruleset changes many."""
    named = ", ".join(label_of(path) for path in paths[:MOST_NAMED])
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
    steps = chain_of(profile, team)
    order = " → ".join(map(_step, steps, titles_of_steps(steps)))
    skipped = ", ".join(title_of_step(step) for step in skipped_steps_of(profile, team))
    if not skipped:
        return order
    return f"{order}. " + _("Not used, because games do not count here: %(skipped)s.") % {"skipped": skipped}


def _step(step: RankingStep, title: str) -> str:
    if step.ascending and METRICS[step.key].unit != "order":
        return _("%(title)s (lower is better)") % {"title": title}
    return title


def _percentages(profile: dict[str, Any]) -> str:
    if not any(METRICS[entry["metric"]].unit == "share" for entry in profile["tiebreaks"]):
        return ""
    shares = profile["percentages"]
    floor = shares.get("match_floor")
    sentences = []
    if floor is not None:
        words = _("No opponent counts for less than %(percent)s%%: the %(percent)s%% minimum.")
        sentences.append(words % {"percent": percent_of(Fraction(floor))})
    if (cap := shares.get("match_cap_dropped")) is not None:
        words = _("A player who dropped before the end of the Swiss rounds counts for at most %(percent)s%%.")
        sentences.append(words % {"percent": percent_of(Fraction(cap))})
    if not shares.get("floor_own_gw", True):
        sentences.append(_("A player's own game-win % has no minimum."))
    if not shares.get("opp_include_byes", True):
        sentences.append(_("Opponents' byes are left out."))
    if profile.get("frozen_at_drop"):
        sentences.append(_("Players who dropped keep their tiebreakers of that time."))
    if shares.get("count_missed_rounds", True):
        sentences.append(_("A round missed or sat out counts as played and lost."))
    else:
        sentences.append(_("Rounds missed or sat out are left out."))
    return " ".join(sentences)


def _bye(profile: dict[str, Any]) -> str:
    words = _("With an odd number of players, one gets a bye: at most 1 per player, if possible.")
    return f"{words} {_bye_player(profile)} {_requested_byes(profile)}"


def _requested_byes(profile: dict[str, Any]) -> str:
    kinds = ", ".join(bye_words(f"{kind}_bye") for kind in requestable_byes(profile)) or _("no byes")
    limits = [path for path in REQUEST_LIMITS if value_at(profile, path) is not None]
    return f"{label_of('bye.requested')}: {kinds}. {_sentences(profile, limits)}".strip()


def _bye_player(profile: dict[str, Any]) -> str:
    """Return which player of the score group gets the bye, and why, if the ruleset names only the group."""
    who = (profile.get("bye") or {}).get("to")
    if who == "lowest_rank":
        return _("It goes to the last player by seed in the lowest score group.")
    if who == "lowest_score_group" and profile["pairing"]["method"] in LEAVE_OVER:
        return _(
            "It goes to the last player by seed in the lowest score group, because halves and neighbors leave "
            "that player over. The rules name only the score group: this is our reading."
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
        sentences.append(
            _("First moves in round 1: a coin toss for the first table; the other tables alternate.")
        )
        sentences.append(_sentences(profile, limits))
    if not is_meeting(profile, "forfeit"):
        sentences.append(_("A forfeit is no meeting: the same two can be paired again."))
    return " ".join(filter(None, sentences))


def _sentences(profile: dict[str, Any], paths: list[str]) -> str:
    return " ".join(f"{label_of(path)}: {value_in_words(path, value_at(profile, path))}." for path in paths)


def _bracket(profile: dict[str, Any]) -> str:
    placements = {
        "swiss_seed_within_round": _("Players knocked out in the same round are placed by Swiss rank."),
        "shared": _("Players knocked out in the same round share the place."),
        "round_then_points_then_lost_to_placement": _(
            "Players knocked out in the same round are placed by points scored in the bracket, "
            "then by the place of the player who beat them. Below 6th place, that is our reading "
            "of the rules."
        ),
    }
    rules = profile.get("elimination") or {}
    paths = ["cut.alternates", "drop.walkover", "elimination.draw_rule"]
    paths += ["elimination.replay"] if rules.get("draw_rule") == REPLAY else []
    paths += ["elimination.colours"] if rules.get("colours") else []
    return f"{placements.get(rules.get('placement', ''), '')} {_sentences(profile, paths)}".strip()


def _source(profile: dict[str, Any]) -> str:
    return " · ".join(filter(None, [profile.get("source"), confidence_in_words(profile)]))
