"""The reason an organizer gives for changing pairings; it is shown with the round."""

from django.utils.translation import gettext as _

from tournament.errors import Refused

LONGEST_REASON = 200


def clean_reason(reason: str) -> str:
    """The reason with single spaces, at most `LONGEST_REASON` characters. Raises Refused where there is none."""
    text = " ".join(reason.split())[:LONGEST_REASON]
    if not text:
        raise Refused(_("Enter a reason. It is shown with the round."))
    return text
