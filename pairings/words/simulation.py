"""What to know about a simulated event before it is read as a real one."""

from __future__ import annotations

from django.utils.translation import gettext as _

from pairings.words.problems import too_many_rounds_words

PODS = ("mstr_pods", "loose_topdeck_bye")  # shipped for their percentages
ROUND_ROBINS = ("curling",)


def notes_on(players: int, rounds: int, key: str) -> list[str]:
    """Sentences on an event of that size under the preset `key`: what is simulated in another way than it is played."""
    notes = []
    if key in PODS:
        notes.append(
            _("%(ruleset)s is for tables of 4. Here its rounds are paired 1 against 1.") % {"ruleset": key}
        )
    if key in ROUND_ROBINS:
        notes.append(
            _("%(ruleset)s is a round robin. Here its rounds are paired as Swiss rounds.") % {"ruleset": key}
        )
    if warning := too_many_rounds_words(players, rounds):
        notes.append(f"{warning} {_('The event has rematches.')}")
    return notes
