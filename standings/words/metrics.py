"""What metrics are called and how each is counted, in words; their parameters: `standings.words.metric_params`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from standings.engine import METRICS, RankingStep
from standings.words.metric_params import KINDS, choice_in_words, default_in_words, param_words


class MetricWords(NamedTuple):
    """The title of a metric, and its formula as a fragment without a period."""

    title: Promise
    formula: Promise


UNITS = {
    "points": _("points"),
    "share": _("percentage"),
    "score": _("score"),
    "count": _("count"),
    "order": _("order"),
}


def title_of(key: str) -> str:
    """The title of a metric. Raises KeyError."""
    return str(WORDS[key].title)


def formula_of(key: str) -> str:
    """How a metric is counted. Raises KeyError."""
    return str(WORDS[key].formula)


def title_of_step(step: RankingStep) -> str:
    """The publisher's name of a step, else its metric's with the cut, so that two columns can be told apart."""
    if step.label:
        return step.label
    title = title_of(step.key)
    low, high = (step.params.get(name) or 0 for name in ("cut_low", "cut_high"))
    if high:
        return gettext("%(title)s, cut %(low)s low, %(high)s high") % {
            "title": title,
            "low": low,
            "high": high,
        }
    return gettext("%(title)s, cut %(low)s") % {"title": title, "low": low} if low else title


@dataclass(frozen=True, slots=True)
class ParamDescription:
    """A parameter as the page of all metrics shows it; `choices`: (as written in a ruleset, what it means)."""

    name: str
    kind: str
    meaning: str
    default: str
    choices: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class MetricDescription:
    """A metric as the page of all metrics shows it."""

    key: str
    title: str
    formula: str
    unit: str
    ascending: bool
    games: bool
    source: str
    params: list[ParamDescription]


def describe_metrics() -> list[MetricDescription]:
    """Every metric a ruleset may order standings by, by title."""
    descriptions = [
        MetricDescription(
            metric.key,
            title_of(metric.key),
            formula_of(metric.key),
            str(UNITS[metric.unit]),
            metric.ascending,
            metric.games,
            metric.source,
            [
                ParamDescription(
                    param.name,
                    str(KINDS[param.kind]),
                    str(param_words(metric.key, param.name).meaning),
                    default_in_words(metric.key, param),
                    [(choice, choice_in_words(metric.key, param.name, choice)) for choice in param.choices],
                )
                for param in metric.params.values()
            ],
        )
        for metric in METRICS.values()
    ]
    return sorted(descriptions, key=lambda metric: metric.title.casefold())


WORDS = {
    "rating": MetricWords(_("Rating"), _("the player's rating, 0 if none")),
    "seed": MetricWords(_("Seed"), _("seeding before the event, 1 is best; unseeded players come last")),
    "late_flag": MetricWords(_("Late entry"), _("1 for late players, 0 for everyone else")),
    "external_value": MetricWords(
        _("External value"),
        _('a value measured outside the matches: the number in a label such as "DSC cm=199.6"'),
    ),
    "avg_rating_opponents": MetricWords(
        _("Average rating of opponents"), _("mean rating of the opponents played")
    ),
    "wins_fide": MetricWords(_("Wins"), _("rounds that gave as many points as a win, played or not")),
    "won_otb": MetricWords(_("Wins over the board"), _("games played and won")),
    "black_games": MetricWords(_("Games with Black"), _("rounds played with the second move")),
    "black_wins": MetricWords(_("Wins with Black"), _("rounds won with the second move")),
    "rounds_elected": MetricWords(
        _("Rounds one elected to play"), _("rounds without a requested bye or a forfeit loss")
    ),
    "kashdan": MetricWords(
        _("Kashdan"), _("4 for a win, 2 for a draw, 1 for a loss, 0 for an unplayed round")
    ),
    "loss_round_squares": MetricWords(_("Squares of rounds lost"), _("sum of (number of each round lost)²")),
    "second_game_wins": MetricWords(_("Wins of game 2"), _("matches whose second game was won")),
    "opp_match_wins_sum": MetricWords(_("Opponents' match wins"), _("sum of the opponents' match wins")),
    "kts_number": MetricWords(
        _("KTS number"), _("points, then three digits each of opponents' and opponents' opponents' win %")
    ),
    "cumulative": MetricWords(_("Cumulative"), _("score after round 1 + score after round 2 + …")),
    "cumulative_opposition": MetricWords(
        _("Cumulative of opponents"), _("sum of the opponents' cumulatives")
    ),
    "adjusted_score": MetricWords(_("Adjusted score"), _("the score as it counts for opponents")),
    "buchholz": MetricWords(_("Buchholz"), _("sum of the opponents' scores")),
    "solkoff": MetricWords(
        _("Solkoff"), _("sum of the opponents' scores, with their unplayed rounds counted as draws")
    ),
    "modified_median": MetricWords(
        _("Modified median"),
        _("Solkoff without the lowest (score above half), highest (below half) or both (half)"),
    ),
    "fore_buchholz": MetricWords(
        _("Fore Buchholz"), _("Buchholz as if every game of the last round were drawn")
    ),
    "avg_opp_buchholz": MetricWords(
        _("Average opponents' Buchholz"), _("mean Buchholz of the opponents played")
    ),
    "mms": MetricWords(_("McMahon score"), _("starting score + points")),
    "sos": MetricWords(_("SOS"), _("sum of the opponents' McMahon scores")),
    "sosos": MetricWords(_("SOSOS"), _("sum of the opponents' SOS")),
    "sodos": MetricWords(_("SODOS"), _("sum of the McMahon scores of opponents beaten, half for draws")),
    "match_win_pct": MetricWords(
        _("Match-win %"), _("match points ÷ maximum match points in the rounds played, not below the minimum")
    ),
    "game_win_pct": MetricWords(_("Game-win %"), _("game points ÷ maximum game points in the games played")),
    "opp_match_win_pct": MetricWords(
        _("Opponents' match-win %"), _("mean match-win % of the opponents met, each not below the minimum")
    ),
    "opp_game_win_pct": MetricWords(
        _("Opponents' game-win %"), _("mean game-win % of the opponents met, each not below the minimum")
    ),
    "opp_opp_match_win_pct": MetricWords(
        _("Opponents' opponents' match-win %"), _("mean of the opponents' own opponents' match-win %")
    ),
    "points_per_round": MetricWords(
        _("Points per round"), _("match points ÷ rounds, missed rounds not counted")
    ),
    "match_loss_pct": MetricWords(_("Match-loss %"), _("matches lost ÷ matches with an opponent")),
    "recency_cumulative": MetricWords(
        _("Cumulative tiebreaker"), _("round by round: previous value × decay + points so far")
    ),
    "strength_of_schedule": MetricWords(
        _("Strength of schedule"), _("mean of the opponents' points per round")
    ),
    "ext_strength_of_schedule": MetricWords(
        _("Extended strength of schedule"), _("mean of the opponents' strength of schedule")
    ),
    "opp_match_loss_pct": MetricWords(_("Opponents' match-loss %"), _("mean match-loss % of the opponents")),
    "opp_recency_cumulative": MetricWords(
        _("Opponents' cumulative tiebreaker"), _("mean of the opponents' cumulative tiebreakers")
    ),
    "head_to_head": MetricWords(_("Head-to-head"), _("matches among the tied players")),
    "random": MetricWords(_("Random tiebreaker"), _("place in the event's random order, 1 is best")),
    "manual": MetricWords(
        _("Manual order"), _("the order staff set, 1 is best; players without a place come last")
    ),
    "match_points": MetricWords(_("Match points"), _("the points of every round, byes included")),
    "match_wins": MetricWords(_("Match wins"), _("rounds won, byes and forfeits included")),
    "game_points": MetricWords(
        _("Game points"), _("points from all games; a bye counts as the games it stands for")
    ),
    "game_wins": MetricWords(_("Game wins"), _("games won; a bye counts as the games it stands for")),
    "opp_avg_points": MetricWords(_("Opponents' average points"), _("mean of the opponents' match points")),
    "spread": MetricWords(_("Spread"), _("points scored − points conceded, over all matches")),
    "score_quotient": MetricWords(_("Quotient"), _("points scored ÷ points conceded")),
    "mov_share": MetricWords(
        _("Margin of victory"), _("mean of own points ÷ total points, over the matches")
    ),
    "pooled_opp_points_pct": MetricWords(
        _("Opponents' points %"),
        _("opponents' total points ÷ number of opponents ÷ the most they could have"),
    ),
    "victory_points": MetricWords(_("Victory points"), _("victory points scored in all matches")),
    "battle_points": MetricWords(_("Battle points"), _("battle points scored in all matches")),
    "sonneborn_berger": MetricWords(
        _("Sonneborn-Berger"), _("scores of opponents beaten + half the scores of opponents drawn")
    ),
    "koya": MetricWords(
        _("Koya"), _("points scored against opponents with at least half of the maximum score")
    ),
}
