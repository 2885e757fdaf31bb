"""A change of the rules in a running event: its effect on ranks first, then the change that was shown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from standings.event.rounds import count_open_rounds
from standings.rulesets.trial.events import missing_in_words
from standings.rulesets.trial.orders import Comparison, compared, cut_size, missing_for
from tournament.actionlog.change import digest_of
from tournament.errors import WrongState
from tournament.event.read import event_of
from tournament.event.types import Event
from tournament.models import Action, Tournament
from tournament.rulesets import changed_fields
from tournament.services.event_rules import Version, change_rules, check_change, rules_after

TRIES = 3


@dataclass(slots=True)
class Effect:
    """What a change would do, at the event's `revision`. `digest` stands for everything that is shown of it."""

    event: Event
    profile: dict[str, Any]
    fields: list[str]
    comparison: Comparison
    revision: int
    digest: str


class EffectChanged(WrongState):
    """The effect is another one than the person saw; `effect` is to be shown now."""

    def __init__(self, effect: Effect) -> None:
        super().__init__(
            _("Something changed while you were looking. This is the effect now. Review it, then confirm.")
        )
        self.effect = effect


def effect_of(
    tournament: Tournament, ruleset: Version | None = None, overrides: dict[str, Any] | None = None
) -> Effect:
    """The effect on the standings as they are now, results of the open round included. Raises Refused."""
    event = count_open_rounds(event_of(tournament, paired=False))
    profile = rules_after(tournament, ruleset, overrides)
    check_change(tournament, profile, ruleset, overrides)
    if missing := missing_for(event, profile):
        raise WrongState(missing_in_words(missing))
    comparison = compared(event, replace(event, profile=profile), cut_size(event))
    shown = [
        profile,
        comparison.size,
        [(row.rank, row.entry) for row in comparison.before],
        [(row.rank, row.entry) for row in comparison.after],
        [list(swap) for swap in comparison.swaps],
    ]
    return Effect(
        event,
        profile,
        changed_fields(event.profile, profile),
        comparison,
        tournament.revision,
        digest_of(shown),
    )


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
    """Make the change whose effect was shown under `digest`. Raises EffectChanged where it is another one by now.

    Results that change nothing of what was shown do not stand in the way.
    """
    sent: dict[str, Any] = {"actor": actor, "key": key, "reason": reason}
    if key and Action.objects.filter(tournament=tournament, key=key).exists():
        return change_rules(tournament, ruleset, overrides, revision=tournament.revision, **sent)
    for _try in range(TRIES):
        effect = effect_of(tournament, ruleset, overrides)
        if effect.digest != digest:
            raise EffectChanged(effect)
        try:
            return change_rules(tournament, ruleset, overrides, revision=effect.revision, **sent)
        except WrongState:
            tournament.refresh_from_db()
            if tournament.revision == effect.revision:
                raise
    raise WrongState(_("Results are coming in too fast to show the effect. Try again in a moment."))
