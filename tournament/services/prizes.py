"""What a prize structure may be: checked before it is saved with the event's settings."""

from typing import Any

import msgspec
from django.utils.translation import gettext as _

from tournament.errors import Refused
from tournament.event.prizes import MOST_PRIZES, Prize
from tournament.models import Entry, Tournament

PLAYS = (Entry.Status.PLAYING, Entry.Status.DROPPED)


def check_prizes(fields: dict[str, Any]) -> None:
    """Raises Refused for prizes no event can have, or a way to split them that is not known."""
    if fields.get("prize_split", "order") not in Tournament.PrizeSplit.values:
        raise Refused(_("Choose how tied players share their prizes."))
    try:
        prizes = msgspec.convert(fields.get("prizes", []), list[Prize])
    except msgspec.ValidationError:
        raise Refused(_("These are not prizes. Check each line.")) from None
    if len(prizes) > MOST_PRIZES:
        raise Refused(_("An event can have at most %(most)s lines of prizes."), most=MOST_PRIZES)
    for prize in prizes:
        if not (prize.amount.strip("0.") or prize.what):
            raise Refused(_("Enter what the prize is: an amount, or a few words."))
        if prize.last < prize.first:
            raise Refused(
                _("The places of a prize go up: %(first)s to %(last)s do not."),
                first=prize.first,
                last=prize.last,
            )
        if prize.by == "points" and prize.points is None:
            raise Refused(_("Enter how many points win the prize."))
        if prize.by == "label" and not prize.label:
            raise Refused(_("Enter the label whose players win the prize."))


def check_winners(tournament: Tournament, prizes: list[dict[str, Any]]) -> None:
    """Raises Refused for a prize that no one can win, once round 1 is published: a place or a label not there."""
    if tournament.profile is None:
        return
    entries = tournament.entries.filter(status__in=PLAYS, house=False).values_list("labels", flat=True)
    labels = [{label.casefold() for label in labels} for labels in entries]
    for prize in (Prize(**prize) for prize in prizes):
        if prize.by == "points":
            continue
        players = sum(prize.by == "place" or prize.label.casefold() in had for had in labels)
        if prize.by == "label" and not players:
            raise Refused(_("No player has the label “%(label)s”. Nothing was saved."), label=prize.label)
        if prize.last > players:
            values = {"last": prize.last, "players": players}
            if prize.by == "label":
                text = _(
                    "There is no place %(last)s: %(players)s players have that label. Nothing was saved."
                )
            else:
                text = _("There is no place %(last)s: the event has %(players)s players. Nothing was saved.")
            raise Refused(text, **values)
