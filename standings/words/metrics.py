"""What metrics are called and how each is counted, in words; their parameters: `standings.words.metric_params`."""

from collections.abc import Sequence
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from standings.engine import METRICS, Metric, RankingStep
from standings.words.field_texts import text_of
from standings.words.metric_params import (
    KINDS,
    choice_in_words,
    default_in_words,
    meaning_of,
    param_in_words,
)

UNITS = {
    "points": _("points"),
    "share": _("percentage"),
    "score": _("score"),
    "count": _("count"),
    "order": _("order"),
}


def title_of(key: str) -> str:
    """The title of a metric. Raises KeyError."""
    return str(WORDS[key][0])


def formula_of(key: str) -> str:
    """How a metric is counted. Raises KeyError."""
    return str(WORDS[key][1])


def title_of_step(step: RankingStep) -> str:
    """The publisher's name of a step, else its metric's with the cut, so that two columns can be told apart."""
    if step.label:
        return step.label
    title = title_of(step.key)
    low, high = (step.params.get(name) or 0 for name in ("cut_low", "cut_high"))
    if high:
        values = {"title": title, "low": low, "high": high}
        return gettext("%(title)s, cut %(low)s low, %(high)s high") % values
    return gettext("%(title)s, cut %(low)s") % {"title": title, "low": low} if low else title


def titles_of_steps(steps: Sequence[RankingStep]) -> list[str]:
    """The title of each step; those with the same one say what tells them apart: metric or parameters."""
    titles = [title_of_step(step) for step in steps]

    def title(step: RankingStep, own: str) -> str:
        alike = [other for other, same in zip(steps, titles, strict=True) if same == own]
        metric = [title_of(step.key)] if any(other.key != step.key for other in alike) else []
        apart = "; ".join(metric + _parameters_apart(step, alike))
        return f"{own} ({apart})" if apart else own

    return list(map(title, steps, titles))


def formula_of_step(step: RankingStep, steps: Sequence[RankingStep]) -> str:
    """How a step is counted, with the parameters that others of its metric among the `steps` have otherwise."""
    return "; ".join([formula_of(step.key), *_parameters_apart(step, steps)])


def _parameters_apart(step: RankingStep, steps: Sequence[RankingStep]) -> list[str]:
    """The parameters of a step that another of its metric has otherwise, in words."""

    def text(of: RankingStep, name: str) -> str:
        return text_of(of.params.get(name, METRICS[of.key].params[name].default)) or gettext("not set")

    return [
        param_in_words(step.key, name, text(step, name))
        for name in METRICS[step.key].params
        if any(text(other, name) != text(step, name) for other in steps if other.key == step.key)
    ]


class ParamDescription(NamedTuple):
    """A parameter in words; `choices`: (as written in a ruleset, what it means)."""

    name: str
    kind: str
    meaning: str
    default: str
    choices: list[tuple[str, str]]


class MetricDescription(NamedTuple):
    """A metric with its words, for the page of all metrics."""

    title: str
    formula: str
    unit: str
    metric: Metric
    params: list[ParamDescription]


def describe_metrics() -> list[MetricDescription]:
    """Every metric by which a ruleset may order standings, by title."""
    return sorted(map(_describe, METRICS.values()), key=lambda description: description.title.casefold())


def _describe(metric: Metric) -> MetricDescription:
    key = metric.key
    params = [
        ParamDescription(
            param.name,
            str(KINDS[param.kind]),
            meaning_of(key, param.name),
            default_in_words(key, param),
            [(choice, choice_in_words(key, param.name, choice)) for choice in param.choices],
        )
        for param in metric.params.values()
    ]
    return MetricDescription(title_of(key), formula_of(key), str(UNITS[metric.unit]), metric, params)


# By key: the title, and the formula as a fragment without a period.
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
        _("Rounds one elected to play"),
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
