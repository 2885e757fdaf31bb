"""A ruleset in words: points, minimum, order of the standings, byes, bracket, and how sure we are of it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from standings.engine import METRICS, chain_of, skipped_of
from standings.show import number, rounded

CONFIDENCE = {
    "source": gettext_lazy("from the publisher's own text"),
    "secondary": gettext_lazy("from quotations of the publisher's text"),
    "platform": gettext_lazy("as the publisher's platform computes it"),
    "federation": gettext_lazy("from the federation's own text"),
    "community": gettext_lazy("as players describe it"),
    "memory": gettext_lazy("from memory: check before you rely on it"),
    "official-2022": gettext_lazy("from the publisher's own text of 2022"),
    "official-old": gettext_lazy("from an old text of the publisher's own"),
    "official+secondary": gettext_lazy("partly from the publisher's own text, partly from quotations"),
    "event-rules": gettext_lazy("from the rules of single events"),
}


def rules_in_words(profile: dict[str, Any], team: bool = False) -> list[tuple[str, str]]:
    """(heading, sentence) pairs for the rules everybody asks about."""
    told = [
        (_("Match points"), _points(profile["match_points"])),
        (_("Order of the standings"), _order(profile, team)),
        (_("Percentages"), _percentages(profile)),
        (_("Bye"), _bye(profile)),
        (_("Bracket"), _bracket(profile)),
        (_("Where the rules are from"), _source(profile)),
    ]
    return [(heading, sentence) for heading, sentence in told if sentence]


def _points(points: dict[str, Any]) -> str:
    return _("Win %(win)s, draw %(draw)s, loss %(loss)s, bye %(bye)s.") % {
        name: number(Fraction(points[name])) for name in ("win", "draw", "loss", "bye")
    }


def _order(profile: dict[str, Any], team: bool) -> str:
    steps = [
        step.title + (_(" (lower is better)") if step.ascending and METRICS[step.key].unit != "order" else "")
        for step in chain_of(profile, team)
    ]
    skipped = ", ".join(step.title for step in skipped_of(profile, team))
    left_out = _(" Skipped, because games decide nothing here: %(skipped)s.") % {"skipped": skipped}
    return _(", then ").join(steps) + "." + (left_out if skipped else "")


def _percentages(profile: dict[str, Any]) -> str:
    if not any(METRICS[entry["metric"]].unit == "share" for entry in profile["tiebreaks"]):
        return ""
    shares = profile["percentages"]
    floor = shares.get("match_floor")
    said = []
    if floor is not None:
        percent = rounded(Fraction(floor) * 100, 2).rstrip("0").rstrip(".")
        said.append(
            _("No opponent counts for less than %(percent)s %%: the %(percent)s %% minimum.")
            % {"percent": percent}
        )
    if not shares.get("floor_own_gw", True):
        said.append(_("A player's own game-win % has no minimum."))
    if not shares.get("opp_include_byes", True):
        said.append(_("Opponents' byes are left out."))
    return " ".join(said)


def _bye(profile: dict[str, Any]) -> str:
    most = (profile.get("bye") or {}).get("max_per_player", 1)
    return _("An odd player out has a bye, at most %(most)s each.") % {"most": most} if most else ""


def _bracket(profile: dict[str, Any]) -> str:
    ways = {
        "swiss_seed_within_round": _("Those beaten in the same round are placed by their Swiss rank."),
        "shared": _("Those beaten in the same round share the place."),
        "round_then_points_then_lost_to_placement": _(
            "Those beaten in the same round are placed by points made in the bracket, then by how well "
            "the player who beat them is placed."
        ),
    }
    return ways.get((profile.get("elimination") or {}).get("placement", ""), "")


def _source(profile: dict[str, Any]) -> str:
    said = [profile.get("source") or "", str(CONFIDENCE.get(profile.get("confidence", ""), ""))]
    return " · ".join(text for text in said if text)
