"""The do-not-pair list. The pairing engine never pairs these players, and publishing a draft checks the list."""

from django.utils.translation import gettext as _

from tournament.actionlog.service import Log, service
from tournament.errors import NotFound
from tournament.models import Entry


@service("forbid")
def prohibit_pair(log: Log, a: str, b: str, *, lift: bool = False) -> None:
    tournament = log.tournament
    if tournament.entries.filter(code__in=[a, b]).exclude(status=Entry.Status.MERGED).count() != 2:
        raise NotFound(_("Choose 2 players from this event."))
    pair = sorted((a, b))
    others = [both for both in tournament.forbidden if sorted(both) != pair]
    log.set(tournament, forbidden=others if lift else [*others, pair])
