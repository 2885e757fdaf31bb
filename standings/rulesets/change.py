"""Change the rules of a running event: show the effect on ranks first, then save exactly what was shown."""

from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from standings.event.rounds import count_open_rounds
from standings.rulesets.comparison import Comparison, compare_rankings, missing_data_of
from standings.rulesets.comparison_words import missing_in_words
from tournament.actionlog.change import digest_of, do_once
from tournament.errors import WrongState
from tournament.event.read import event_of
from tournament.event.types import Event
from tournament.models import Action, Tournament
from tournament.rulesets import changed_fields
from tournament.services.event_rules import Version, change_rules, check_change, rules_after

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
    """The effect differs from the one shown; `effect` is the current one."""

    def __init__(self, effect: Effect) -> None:
        super().__init__(
            _("Something changed while you were looking. This is the effect now. Review it, then confirm.")
        )
        self.effect = effect


def effect_of(
    tournament: Tournament, ruleset: Version | None = None, overrides: dict[str, Any] | None = None
) -> Effect:
    """Return the effect of a change on the current standings, including open rounds. Raises Refused."""
    event = count_open_rounds(event_of(tournament, paired=False))
    profile = rules_after(tournament, ruleset, overrides)
    check_change(tournament, profile, ruleset, overrides)
    if missing := missing_data_of(event, profile):
        raise WrongState(missing_in_words(missing))
    comparison = compare_rankings(event, event.replace(profile=profile))
    effect = [
        profile,
        comparison.size,
        [(row.rank, row.entry) for row in comparison.before],
        [(row.rank, row.entry) for row in comparison.after],
        [list(swap) for swap in comparison.swaps],
    ]
    fields = changed_fields(event.profile, profile)
    return Effect(event, profile, fields, comparison, tournament.revision, digest_of(effect))


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
    """Make the change whose effect was shown under `digest`.

    Raises EffectChanged if the effect has changed since; new results alone do not matter unless they change it.
    """
    action: dict[str, Any] = {"actor": actor, "key": key, "reason": reason}
    request = {"ruleset": ruleset, "overrides": overrides}
    body = {name: value for name, value in request.items() if value is not None}

    def change() -> Action | None:
        for _try in range(TRIES):
            effect = effect_of(tournament, ruleset, overrides)
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
