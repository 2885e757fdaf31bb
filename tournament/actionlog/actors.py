"""Actors without an account (players, match slips). A colon tells them apart from usernames."""

from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.errors import Refused
from tournament.models import Tournament

PLAYER_ACTOR = "player:"  # prefix of an entry's code
SLIP_ACTOR = "slip:"  # prefix of round and table
PHONE = "phone"  # in the log, beside an entry: another phone opened its page
BY_CODE = "code"  # beside an entry: the player used the personal code, not the own link
MOST_ACTIONS, WINDOW = 20, 10 * 60  # per player or slip; seconds


def check_pace(tournament: Tournament, actor: str) -> None:
    """Raise Refused if a player or a match slip has made MOST_ACTIONS changes within WINDOW. Staff are exempt."""
    if ":" not in actor:
        return
    times = tournament.actions.filter(actor=actor).order_by("-number").values_list("at", flat=True)
    oldest = times[MOST_ACTIONS - 1 : MOST_ACTIONS].first()
    if oldest and (timezone.now() - oldest).total_seconds() < WINDOW:
        text = _(
            "%(most)s changes within %(minutes)s minutes are the most from a phone. Nothing was saved. Wait a few "
            "minutes, or ask at the event desk."
        )
        raise Refused(text, status=429, most=MOST_ACTIONS, minutes=WINDOW // 60)
