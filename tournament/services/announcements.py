"""The organizer's announcement to everyone: "Round 5 at 14:30"."""

import datetime as dt
import zoneinfo

from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.actionlog.service import Log, service
from tournament.errors import Refused
from tournament.text.clean import clean_name

LONGEST = 200  # characters
USUAL_LENGTH = dt.timedelta(hours=1)  # where no end was given


@service("announce", after_end=True, owner=True)
def change_announcement(log: Log, text: str, ends: str = "") -> None:
    """Show a line on the desk, on every public page and on the venue screen until it ends.

    `ends`: "14:30", the next time the event's clocks show that; "": in an hour. An empty `text` takes the
    announcement down. Raises Refused.
    """
    line = clean_name(text)
    if len(line) > LONGEST:
        raise Refused(_("An announcement can have at most %(most)s characters."), most=LONGEST)
    until = end_of(ends, log.tournament.time_zone).isoformat() if line else None
    log.set(log.tournament, announcement=line, announcement_until=until)


def end_of(ends: str, zone: str) -> dt.datetime:
    """When an announcement made now ends, in UTC. Raises Refused for what is not a time of day."""
    now = timezone.now()
    if not ends:
        return (now + USUAL_LENGTH).replace(microsecond=0).astimezone(dt.UTC)
    try:
        clock = dt.time.fromisoformat(ends)
    except ValueError:
        raise Refused(_("“%(ends)s” is not a time of day. Example: 14:30."), ends=ends) from None
    local = now.astimezone(zoneinfo.ZoneInfo(zone))
    end = dt.datetime.combine(local.date(), clock, local.tzinfo)
    if end <= local:
        end += dt.timedelta(days=1)  # on the clocks, also over a change of summer time
    return end.astimezone(dt.UTC)
