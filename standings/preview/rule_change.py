"""Change the rules of a running event: show the effect in words, then save exactly that."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from standings.engine.metrics import METRICS
from standings.engine.ranking import SHARED, STAGE, STEP, DecidingStep, Ranking
from standings.preview.comparison import CUT_RULE, Comparison, RankChange, compare_rankings, find_missing_data
from standings.table.swiss import count_open_rounds
from standings.words.formats import format_value
from standings.words.metrics import step_title
from tournament.actionlog.change import do_once, hash_body
from tournament.errors import WrongState
from tournament.event.read import load_event_values
from tournament.event.types import Event
from tournament.models import Action, Tournament
from tournament.rulesets import changed_fields
from tournament.services.rulesets import Version, change_rules, check_change, rules_after

TRIES = 3


class Effect(NamedTuple):
    """The effect of a rule change at the event's `revision`."""

    event: Event
    profile: dict[str, Any]
    fields: list[str]  # the changes
    comparison: Comparison
    revision: int
    digest: str  # of everything shown


class EffectChanged(WrongState):
    """The effect is no longer the one shown; `effect` is the current one."""

    def __init__(self, effect: Effect) -> None:
        super().__init__(
            _("Something changed while you were looking. This is the effect now. Review it, then confirm.")
        )
        self.effect = effect


def compute_effect(
    tournament: Tournament, ruleset: Version | None, overrides: dict[str, Any] | None
) -> Effect:
    """Return the effect of a change on the current standings, including open rounds. Raises Refused."""
    event = count_open_rounds(load_event_values(tournament, paired=False))
    profile = rules_after(tournament, ruleset, overrides)
    check_change(tournament, profile, ruleset, overrides)
    if missing := find_missing_data(event, profile):
        step, data = missing[0]
        words = _("%(title)s needs %(data)s, which this event does not record.")
        raise WrongState(words, title=step_title(step), data=DATA[data])
    comparison = compare_rankings(event, event.replace(profile=profile))
    effect = [
        profile,
        comparison.size,
        [(row.rank, row.entry) for row in comparison.before],
        [(row.rank, row.entry) for row in comparison.after],
        [list(swap) for swap in comparison.swaps],
    ]
    fields = changed_fields(event.profile, profile)
    return Effect(event, profile, fields, comparison, tournament.revision, hash_body(effect))


def confirm_change(
    tournament: Tournament,
    ruleset: Version | None,
    overrides: dict[str, Any] | None,
    *,
    digest: str,
    reason: str,
    actor: Any = "",
    key: str = "",
) -> Action | None:
    """Make the change whose effect was shown under `digest`. Raises EffectChanged if the effect is now different."""
    action: dict[str, Any] = {"actor": actor, "key": key, "reason": reason}
    request = {"ruleset": ruleset, "overrides": overrides}
    body = {name: value for name, value in request.items() if value is not None}

    def change() -> Action | None:
        for _try in range(TRIES):
            effect = compute_effect(tournament, ruleset, overrides)
            if effect.digest != digest:
                raise EffectChanged(effect)
            try:
                return change_rules(tournament, ruleset, overrides, revision=effect.revision, **action)
            except WrongState:
                tournament.refresh_from_db()
                if tournament.revision == effect.revision:
                    raise
        raise WrongState(_("Results are coming in too fast to show the effect. Try again in a moment."))

    return do_once(tournament, "rules", key, [body, reason], change)


DATA = {
    "score": gettext_lazy("the points scored in matches"),
    "game_order": gettext_lazy("the order of the games"),
    "first": gettext_lazy("who moved first"),
    "rating": gettext_lazy("ratings"),
    "outside": gettext_lazy("values measured outside the matches"),
}
NO_RANK = "–"


class CutChange(NamedTuple):
    sentence: str
    before: str  # what decided the opposite


class RankChangeWords(NamedTuple):
    name: str
    before: str
    after: str


def cut_changes_in_words(
    comparison: Comparison, names: Mapping[str, str], display: Mapping[str, Any]
) -> list[CutChange]:
    changes = []
    for swap in comparison.swaps:
        sides = (
            (swap.into, _("%(name)s enters the top %(size)s (rank %(after)s, was %(before)s)")),
            (swap.out, _("%(name)s leaves the top %(size)s (rank %(after)s, was %(before)s)")),
        )
        moves = [(_rank_change(side, names)._asdict(), words) for side, words in sides if side]
        text = "; ".join(words % {**move, "size": comparison.size} for move, words in moves)
        reason = _reason_in_words(swap.now, comparison.after, display)
        opposite = _reason_in_words(swap.then, comparison.before, display)
        changes.append(CutChange(f"{text}: {reason}." if reason else f"{text}.", opposite))
    return changes


def rank_changes_in_words(comparison: Comparison, names: Mapping[str, str]) -> list[RankChangeWords]:
    return [_rank_change(move, names) for move in comparison.moves]


def _rank_change(change: RankChange, names: Mapping[str, str]) -> RankChangeWords:
    before, after = (NO_RANK if rank is None else str(rank) for rank in (change.before, change.after))
    return RankChangeWords(names[change.entry], before, after)


def _reason_in_words(decision: DecidingStep | None, ranking: Ranking, display: Mapping[str, Any]) -> str:
    """Return what decided, as a fragment: on Opponents' match-win %: 58.33% vs. 58.12% (7/12 : 279/480)."""
    if decision is None:
        return ""
    if decision.why != STEP:
        return {
            STAGE: _("because of the later stage"),
            SHARED: _("they share the rank"),
            CUT_RULE: _("by another cut rule"),
        }[decision.why]
    step = ranking.steps[decision.step]
    unit, title = METRICS[step.key].unit, step_title(step)
    if unit == "order":
        return _("on %(title)s") % {"title": title}
    percent = "%" if unit == "share" else ""
    a, b = (format_value(value, unit, display) + percent for value in decision.values)
    reason = _("on %(title)s: %(a)s vs. %(b)s") % {"title": title, "a": a, "b": b}
    return f"{reason} ({' : '.join(map(str, decision.values))})" if unit == "share" else reason
