"""What the parameters of metrics are called, what they do, and what their choices mean."""

from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from standings.engine import Param

# Kinds of `standings.engine.metrics.params`.
KINDS = {
    "number": _("number"),
    "number by round": _("number, or one for each round"),
    "whole": _("whole number"),
    "switch": _("yes or no"),
    "choice": _("choice"),
    "text": _("text"),
    "choice or number": _("choice or number"),
    "choice or opponents": _("choice, or a number of opponents with a value"),
    "worths": _("a value for each kind of bye"),
}


def label_of(metric: str, name: str) -> str:
    """The label of that metric's parameter; the name itself if it is not known."""
    words = WORDS.get(f"{metric}.{name}") or WORDS.get(name)
    return str(words[0]) if words else name


def meaning_of(metric: str, name: str) -> str:
    """One sentence on what that metric's parameter does. Raises KeyError."""
    return str((WORDS.get(f"{metric}.{name}") or WORDS[name])[1])


def choice_in_words(metric: str, name: str, choice: str) -> str:
    """One of the choices of that metric's parameter; the choice itself where it is not known."""
    return str((CHOICES.get(f"{metric}.{name}") or CHOICES.get(name) or {}).get(choice, choice))


def param_in_words(metric: str, name: str, value: Any) -> str:
    """A parameter with its value, such as "lowest left out: 1"; as it is written where it is not known."""
    label = label_of(metric, name)
    text = choice_in_words(metric, name, value) if isinstance(value, str) else value
    return gettext("%(label)s: %(value)s") % {"label": label[:1].lower() + label[1:], "value": text}


def default_in_words(metric: str, param: Param) -> str:
    """What holds where a parameter is not given; empty where nothing does."""
    if param.kind == "switch":
        return gettext("yes") if param.default else gettext("no")
    if param.default is None:
        return ""
    return choice_in_words(metric, param.name, str(param.default))


# By name, or by "metric.name" for a metric with a meaning of its own: the label, and a sentence on the effect.
WORDS: dict[str, tuple[Promise, Promise]] = {
    "mode": (_("Counted"), _("What is counted.")),
    "game_win_pct.mode": (_("Counted"), _("What is counted of the games.")),
    "opp_game_win_pct.mode": (_("Counted"), _("What is counted of the games.")),
    "kts_number.mode": (_("Rounding"), _("How the 3 digits of a percentage are rounded.")),
    "head_to_head.mode": (_("When it decides"), _("When the matches among the tied players decide.")),
    "on": (_("Value of a match"), _("What a match counts.")),
    "include_byes": (_("Count byes"), _("Whether rounds with a bye count.")),
    "count_no_show_tables": (_("Count double no-shows"), _("Whether a round with a double no-show counts.")),
    "count_missed_rounds": (
        _("Count missed rounds"),
        _("Whether a round missed by a late or absent player counts as one played and lost."),
    ),
    "count_forfeit_opponents": (
        _("Count opponents of forfeits"),
        _("Whether the opponent of a forfeited match counts."),
    ),
    "floor": (_("Minimum"), _("A lower percentage counts as this one (0 to 1).")),
    "cap": (_("Maximum"), _("A higher percentage counts as this one (0 to 1).")),
    "spread.cap": (
        _("Maximum per match"),
        _(
            "The most a match can add or subtract. By round, such as 100, 100, 150; the last is for all later ones."
        ),
    ),
    "even": (_("Even match"), _("What a match with equal points counts.")),
    "cap_dropped": (
        _("Maximum after a drop"),
        _("The maximum for players who dropped or were disqualified (0 to 1)."),
    ),
    "empty": (
        _("Value without matches"),
        _("The value when there is nothing to measure. If empty, the minimum, or 0 without one."),
    ),
    "round_each": (
        _("Decimal places of each opponent"),
        _("Decimal places to which each opponent's value is rounded before averaging."),
    ),
    "bye": (
        _("Bye as opponent"),
        _("A bye among the opponents: left out, an opponent with 0, or a number of opponents with a value."),
    ),
    "spread.bye": (_("Margin of a bye"), _("The margin a bye adds.")),
    "margin_of_victory.bye": (_("Margin of a bye"), _("What a bye counts.")),
    "mov_share.bye": (
        _("Share of a bye"),
        _("A bye: the average of the other matches, left out, 0, or this share."),
    ),
    "rule": (_("Rule"), _("Which rule of Buchholz is used.")),
    "own_unplayed": (
        _("Own unplayed rounds"),
        _("What an own unplayed round counts. If empty, as the rule says."),
    ),
    "version": (
        _("Year of the rules"),
        _("The year of FIDE's rules: before 2023 a virtual opponent, from 2026 an unplayed round is capped."),
    ),
    "forfeits_as_played": (
        _("Count forfeits as games"),
        _("Whether forfeits count as games (round robins)."),
    ),
    "forfeit_ends_byes": (
        _("A forfeit loss ends the byes"),
        _("Whether requested byes before a forfeit loss count as they are, not as draws (as Vega counts)."),
    ),
    "cut_low": (_("Lowest left out"), _("How many of the lowest are left out.")),
    "cut_high": (_("Highest left out"), _("How many of the highest are left out.")),
    "double_from": (
        _("Leave out 2 from this number of rounds"),
        _("In an event of at least this many rounds, 2 scores are left out at an end instead of 1."),
    ),
    "cut": (_("First scores left out"), _("How many of the first running scores are left out.")),
    "limit": (_("Score to reach"), _("The score an opponent must reach. If empty, half of the maximum.")),
    "deduct_unplayed_wins": (
        _("Deduct unplayed wins"),
        _("Whether the points of unplayed wins are deducted."),
    ),
    "bye_as": (_("Value of byes"), _("What each kind of bye is worth here. If empty, as in the score.")),
    "decay": (_("Decay"), _("What the previous value is multiplied by each round.")),
    "byes": (_("Count byes"), _("Whether a bye adds its points.")),
    "normalise": (
        _("Divide by the maximum"),
        _("Whether it is divided by the value of winning every round."),
    ),
    "start": (_("Starting score"), _("The starting score of players who have none.")),
    "unpaired": (_("Round without an opponent"), _("What a round without an opponent counts.")),
    "forfeit_win": (_("Forfeit win"), _("What a forfeit win counts.")),
    "spread.forfeit_win": (
        _("Margin of a forfeit win"),
        _("The margin a forfeit win adds. If empty, as for a bye."),
    ),
    "margin_of_victory.forfeit_win": (
        _("Margin of a forfeit win"),
        _("What a forfeit win counts. If empty, as a bye."),
    ),
    "forfeit_loss": (_("Forfeit loss"), _("What a forfeit loss or a missed round counts.")),
    "max_per_round": (
        _("Maximum per round"),
        _("The most points a round can give. If empty, those of a win."),
    ),
    "name": (_("Name of the value"), _('The name of the value, as in a label such as "DSC cm=199.6".')),
    "missing": (
        _("Value if missing"),
        _("The value for players without one. If empty, 1 more than the highest."),
    ),
}

# {parameter: {choice: what it means}}, the parameter as in `WORDS`.
CHOICES: dict[str, dict[str, Promise | str]] = {
    "mode": {
        "points": _("points"),
        "wins": _("wins alone"),
        "wins_half_draws": _("wins and half the draws"),
    },
    "kts_number.mode": {"truncate": _("cut off"), "half_up": _("half up")},
    "head_to_head.mode": {
        "two_only": _("exactly 2 players are tied"),
        "beat_all": _("a player beat all the others"),
        "minileague": _("only if all played each other"),
        "plus_minus": _("wins − losses"),
        "fide": _("all played each other, or first whatever the missing matches would bring"),
    },
    "on": {"match_points": _("match points"), "victory_points": _("the points scored in it")},
    "rule": {
        "fide": _("FIDE"),
        "uscf": _("USCF"),
        "raw": _("scores as they stand"),
        "twixt": _("ClineCON"),
    },
    "own_unplayed": {"self": _("own score"), "zero": "0", "exclude": _("left out")},
    "unpaired": {"zero": "0", "start": _("own starting score")},
    "bye": {"exclude": _("left out"), "zero": _("an opponent with 0")},
    "mov_share.bye": {
        "average": _("the average of the other matches"),
        "exclude": _("left out"),
        "zero": "0",
    },
}
