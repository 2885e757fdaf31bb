"""The manual order of players whom no tiebreaker tells apart: the organizer's word, with its reason in the log."""

from django.utils.translation import gettext as _

from tournament.actionlog.service import Log, service
from tournament.errors import Refused, WrongState

LONGEST_REASON = 500


def check_reason(log: Log) -> None:
    """Raises Refused where a manual order has no reason, or one that is too long."""
    if not 1 <= len(log.reason) <= LONGEST_REASON:
        text = _("Enter a reason for the manual order, of up to %(most)s characters.")
        raise Refused(text, most=LONGEST_REASON)


@service("order by hand", computed=("revision",), owner=True)
def save_manual_order(log: Log, codes: list[str], revision: int) -> None:
    """Rank these players, tied at `revision`, in this order. Raises Refused without a reason, WrongState."""
    check_reason(log)
    if log.tournament.revision != revision:
        raise WrongState(
            _("Something changed since you opened this page. Check the standings and set the order again.")
        )
    entries = {entry.code: entry for entry in log.tournament.entries.filter(code__in=codes)}
    for position, code in enumerate(codes, start=1):
        log.set(entries[code], manual=position)


@service("order by hand taken back", owner=True)
def clear_manual_order(log: Log, codes: list[str]) -> None:
    """Let the random tiebreaker rank these players again. Raises WrongState where they have no manual order."""
    entries = list(log.tournament.entries.filter(code__in=codes, manual__isnull=False).order_by("code"))
    if not entries:
        raise WrongState(_("These players have no manual order."))
    for entry in entries:
        log.set(entry, manual=None)
