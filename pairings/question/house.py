"""Who may be the house opponent that plays instead of the bye."""

from django.utils.translation import gettext as _

from pairings.question.seats import codes_elsewhere
from tournament.errors import NotFound, WrongState
from tournament.event.types import Event, Stage


def check_house(event: Event, stage: Stage, house: str) -> None:
    """Raises NotFound, or WrongState where the ruleset or another flight leaves no house opponent to play."""
    entry = event.entries.get(house)
    if entry is None or not entry.house:
        raise NotFound(_("%(code)s is not a house opponent."), code=house or '""')
    if not event.profile["bye"].get("house_opponent"):
        raise WrongState(_("This ruleset does not use house opponents."))
    if house in codes_elsewhere(event, stage):
        text = _("%(name)s plays in another session now: choose another house opponent.")
        raise WrongState(text, name=entry.name)
