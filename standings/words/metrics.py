"""Names of metrics and their parameters, how each is computed, and what choices mean."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from standings.engine.metrics import METRICS, Metric, Param
from standings.engine.ranking import RankingStep
from standings.words.formats import value_as_text

# Kinds of `standings.engine.metrics.registry`.
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


def param_label(metric: str, name: str) -> str:
    """Return the parameter's label; its name if it is unknown."""
    words = PARAM_WORDS.get(f"{metric}.{name}") or PARAM_WORDS.get(name)
    return str(words[0]) if words else name


def explain_param(metric: str, name: str) -> str:
    """Return one sentence on what the parameter does. Raises KeyError."""
    return str((PARAM_WORDS.get(f"{metric}.{name}") or PARAM_WORDS[name])[1])


def choice_in_words(metric: str, name: str, choice: str) -> str:
    """Return the label of a parameter's choice; the choice itself if it is unknown."""
    return str((CHOICES.get(f"{metric}.{name}") or CHOICES.get(name) or {}).get(choice, choice))


def param_in_words(metric: str, name: str, value: Any) -> str:
    """Return a parameter with its value, such as "lowest left out: 1"; unchanged if it is unknown."""
    label = param_label(metric, name)
    text = choice_in_words(metric, name, value) if isinstance(value, str) else value
    return gettext("%(label)s: %(value)s") % {"label": label[:1].lower() + label[1:], "value": text}


def default_in_words(metric: str, param: Param) -> str:
    if param.kind == "switch":
        return gettext("yes") if param.default else gettext("no")
    return "" if param.default is None else choice_in_words(metric, param.name, str(param.default))


# By name, or by "metric.name" if the parameter means something else for that metric: the label, and its effect.
PARAM_WORDS: dict[str, tuple[Promise, Promise]] = {
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
        _(
            "Whether a round that a player missed or sat out with a zero-point bye counts as one played and lost."
        ),
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
        _(
            "The maximum for players who dropped or were disqualified before the end of the Swiss rounds (0 to 1)."
        ),
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
        _("What the player's own unplayed rounds count as. If empty, as the rule says."),
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

# {parameter: {choice: what it means}}, the parameter as in `PARAM_WORDS`.
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


SHORT: dict[str, Promise] = {
    "match_points": _("Points"),
    "match_win_pct": _("MW%"),
    "game_win_pct": _("GW%"),
    "opp_match_win_pct": _("OMW%"),
    "opp_game_win_pct": _("OGW%"),
    "opp_opp_match_win_pct": _("OOMW%"),
}  # as players say them everywhere

UNITS = {
    "points": _("points"),
    "share": _("percentage"),
    "score": _("score"),
    "count": _("count"),
    "order": _("order"),
}


def metric_title(key: str) -> str:
    return str(WORDS[key][0])


def metric_formula(key: str) -> str:
    return str(WORDS[key][1])


def step_title(step: RankingStep) -> str:
    """Return the publisher's name of a step, else its metric's name, with the cut so that columns are distinct."""
    if step.label:
        return step.label
    title = metric_title(step.key)
    low, high = (step.params.get(name) or 0 for name in ("cut_low", "cut_high"))
    if high:
        values = {"title": title, "low": low, "high": high}
        return gettext("%(title)s, cut %(low)s low, %(high)s high") % values
    return gettext("%(title)s, cut %(low)s") % {"title": title, "low": low} if low else title


def list_step_titles(steps: Sequence[RankingStep]) -> list[str]:
    """Return the title of each step; equal titles get their metric or parameters added."""
    titles = [step_title(step) for step in steps]

    def title(step: RankingStep, own: str) -> str:
        alike = [other for other, same in zip(steps, titles, strict=True) if same == own]
        metric = [metric_title(step.key)] if any(other.key != step.key for other in alike) else []
        apart = "; ".join(metric + _parameters_apart(step, alike))
        return f"{own} ({apart})" if apart else own

    return list(map(title, steps, titles))


def short_title(key: str, title: str) -> str:
    """Return the usual short form of a metric's own title, such as "OMW%"; any other title as it is."""
    return str(SHORT.get(key, title)) if title == metric_title(key) else title


def step_formula(step: RankingStep, steps: Sequence[RankingStep]) -> str:
    """Return how a step is computed, with the parameters that differ from other steps of its metric."""
    return "; ".join([metric_formula(step.key), *_parameters_apart(step, steps)])


def _parameters_apart(step: RankingStep, steps: Sequence[RankingStep]) -> list[str]:
    def text(of: RankingStep, name: str) -> str:
        return value_as_text(of.params.get(name, METRICS[of.key].params[name].default)) or gettext("not set")

    return [
        param_in_words(step.key, name, text(step, name))
        for name in METRICS[step.key].params
        if any(text(other, name) != text(step, name) for other in steps if other.key == step.key)
    ]


class ParamDescription(NamedTuple):
    name: str
    kind: str
    meaning: str
    default: str
    choices: list[tuple[str, str]]  # (as written in a ruleset, what it means)


class MetricDescription(NamedTuple):
    title: str
    formula: str
    unit: str
    metric: Metric
    params: list[ParamDescription]


def describe_metrics() -> list[MetricDescription]:
    return sorted(map(_describe, METRICS.values()), key=lambda description: description.title.casefold())


def _describe(metric: Metric) -> MetricDescription:
    key, params = metric.key, []
    for name, param in metric.params.items():
        kind, meaning = str(KINDS[param.kind]), explain_param(key, name)
        choices = [(choice, choice_in_words(key, name, choice)) for choice in param.choices]
        params.append(ParamDescription(name, kind, meaning, default_in_words(key, param), choices))
    return MetricDescription(metric_title(key), metric_formula(key), str(UNITS[metric.unit]), metric, params)


# {key: (title, formula as a fragment without a period)}.
WORDS: dict[str, tuple[Promise, Promise]] = {
    "rating": (_("Rating"), _("the player's rating, 0 if none")),
    "seed": (_("Seed"), _("seeding before the event, 1 is best; unseeded players come last")),
    "late_flag": (_("Late entry"), _("1 for late players, 0 for everyone else")),
    "external_value": (
        _("External value"),
        _('a value measured outside the matches: the number in a label such as "DSC cm=199.6"'),
    ),
    "avg_rating_opponents": (_("Average rating of opponents"), _("mean rating of the opponents played")),
    "wins_fide": (_("Wins"), _("rounds that gave as many points as a win, played or not")),
    "won_otb": (_("Wins over the board"), _("games played and won")),
    "black_games": (_("Games with Black"), _("rounds played with the second move")),
    "black_wins": (_("Wins with Black"), _("rounds won with the second move")),
    "rounds_elected": (
        _("Rounds the player elected to play"),
        _("rounds without a requested bye or a forfeit loss"),
    ),
    "kashdan": (_("Kashdan"), _("4 for a win, 2 for a draw, 1 for a loss, 0 for an unplayed round")),
    "loss_round_squares": (_("Squares of rounds lost"), _("sum of (number of each round lost)²")),
    "second_game_wins": (_("Wins of game 2"), _("matches whose second game was won")),
    "opp_match_wins_sum": (_("Opponents' match wins"), _("sum of the opponents' match wins")),
    "kts_number": (
        _("KTS number"),
        _("points, then three digits each of opponents' and opponents' opponents' win %"),
    ),
    "cumulative": (_("Cumulative"), _("score after round 1 + score after round 2 + …")),
    "cumulative_opposition": (_("Cumulative of opponents"), _("sum of the opponents' cumulatives")),
    "adjusted_score": (_("Adjusted score"), _("the score as it counts for opponents")),
    "buchholz": (_("Buchholz"), _("sum of the opponents' scores")),
    "solkoff": (_("Solkoff"), _("sum of the opponents' scores, with their unplayed rounds counted as draws")),
    "modified_median": (
        _("Modified median"),
        _(
            "Solkoff without the lowest (score above half), highest (below half) or both (half); two each if long"
        ),
    ),
    "fore_buchholz": (_("Fore Buchholz"), _("Buchholz as if every game of the last round were drawn")),
    "avg_opp_buchholz": (_("Average opponents' Buchholz"), _("mean Buchholz of the opponents played")),
    "mms": (_("McMahon score"), _("starting score + points")),
    "sos": (_("SOS"), _("sum of the opponents' McMahon scores")),
    "sosos": (_("SOSOS"), _("sum of the opponents' SOS")),
    "sodos": (_("SODOS"), _("sum of the McMahon scores of opponents beaten, half for draws")),
    "match_win_pct": (
        _("Match-win %"),
        _("match points ÷ maximum match points in the rounds played, not below the minimum"),
    ),
    "game_win_pct": (_("Game-win %"), _("game points ÷ maximum game points in the games played")),
    "opp_match_win_pct": (
        _("Opponents' match-win %"),
        _("mean match-win % of the opponents met, each not below the minimum"),
    ),
    "opp_game_win_pct": (
        _("Opponents' game-win %"),
        _("mean game-win % of the opponents met, each not below the minimum"),
    ),
    "opp_opp_match_win_pct": (
        _("Opponents' opponents' match-win %"),
        _("mean of the opponents' own opponents' match-win %"),
    ),
    "points_per_round": (_("Points per round"), _("match points ÷ rounds, missed rounds not counted")),
    "match_loss_pct": (_("Match-loss %"), _("matches lost ÷ matches with an opponent")),
    "recency_cumulative": (
        _("Cumulative tiebreaker"),
        _("round by round: previous value × decay + points so far"),
    ),
    "strength_of_schedule": (_("Strength of schedule"), _("mean of the opponents' points per round")),
    "ext_strength_of_schedule": (
        _("Extended strength of schedule"),
        _("mean of the opponents' strength of schedule"),
    ),
    "opp_match_loss_pct": (_("Opponents' match-loss %"), _("mean match-loss % of the opponents")),
    "opp_recency_cumulative": (
        _("Opponents' cumulative tiebreaker"),
        _("mean of the opponents' cumulative tiebreakers"),
    ),
    "head_to_head": (_("Head-to-head"), _("matches among the tied players")),
    "random": (_("Random tiebreaker"), _("place in the event's random order, 1 is best")),
    "manual": (_("Manual order"), _("the order staff set, 1 is best; players without a place come last")),
    "match_points": (_("Match points"), _("the points of every round, byes included")),
    "match_wins": (_("Match wins"), _("rounds won, byes and forfeits included")),
    "game_points": (_("Game points"), _("points from all games; a bye counts as the games it stands for")),
    "game_wins": (_("Game wins"), _("games won; a bye counts as the games it stands for")),
    "opp_avg_points": (_("Opponents' average points"), _("mean of the opponents' match points")),
    "spread": (_("Spread"), _("points scored − points conceded, over all matches")),
    "score_quotient": (_("Quotient"), _("points scored ÷ points conceded")),
    "margin_of_victory": (
        _("Margin of victory"),
        _("for each match 200 (or the value of an even match) + points scored − points conceded"),
    ),
    "mov_share": (_("Margin of victory (share)"), _("mean of own points ÷ total points, over the matches")),
    "pooled_opp_points_pct": (
        _("Opponents' points %"),
        _("opponents' total points ÷ number of opponents ÷ the most they could have"),
    ),
    "victory_points": (_("Victory points"), _("victory points scored in all matches")),
    "battle_points": (_("Battle points"), _("battle points scored in all matches")),
    "sonneborn_berger": (
        _("Sonneborn-Berger"),
        _("scores of opponents beaten + half the scores of opponents drawn"),
    ),
    "koya": (_("Koya"), _("points scored against opponents with at least half of the maximum score")),
}
