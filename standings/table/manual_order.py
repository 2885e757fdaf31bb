"""Manual orders of tied players: set one, or list the present ones with their reasons from the log."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from standings.table.sheet import RankedEvent
from standings.table.swiss import MANUAL, count_open_rounds, tied_groups
from tournament.actionlog.change import do_once
from tournament.errors import Refused, WrongState
from tournament.event.read import load_event_values
from tournament.models import Action, Tournament
from tournament.services.entries import save_manual_order

KIND = "order by hand"  # of the action in the log


@dataclass(frozen=True, slots=True)
class ManualOrder:
    """Tied entries in the order set by staff. `reason` and `actor` are empty if the log does not have them."""

    codes: list[str]
    names: list[str]
    reason: str = ""
    actor: str = ""
    decides: bool = True  # it puts someone below someone else in the standings as they are


def list_manual_orders(tournament: Tournament, ranked: RankedEvent) -> list[ManualOrder]:
    """List a ranking's manual orders, newest first. One query, or none without manual orders."""
    records = {code: view.now.records[code] for code, view in ranked.ranking.views.items()}
    places = {code: record.manual for code, record in records.items() if record.manual is not None}
    if not places:
        return []
    below = {row.entry for row in ranked.ranking if row.decided_by == MANUAL}

    def build_manual_order(codes: Collection[str], reason: str = "", actor: str = "") -> ManualOrder:
        order = sorted(codes, key=lambda code: (places[code], code))
        names = [ranked.names[code] for code in order]
        return ManualOrder(order, names, reason, actor, not below.isdisjoint(order))

    orders, rest = [], set(places)
    for action in tournament.actions.filter(kind=KIND).order_by("-number"):
        facts = [(item["fact"].removeprefix("entries/"), item["after"] or {}) for item in action.changes]
        after = {code: fact.get("manual") for code, fact in facts}
        if codes := {code for code in rest if after.get(code) == places[code]}:
            rest -= codes
            orders.append(build_manual_order(codes, action.reason, action.actor))
    return [*orders, build_manual_order(rest)] if rest else orders


def set_manual_order(
    tournament: Tournament, codes: list[str], *, reason: str, actor: Any = "", key: str = ""
) -> Action | None:
    """Order tied entries, best first, for a reason. Raises Refused; WrongState if a table is outstanding."""

    def order() -> Action | None:
        _check_order(tournament, codes)
        return save_manual_order(tournament, codes, tournament.revision, reason=reason, actor=actor, key=key)

    return do_once(tournament, KIND, key, [{"codes": codes}, reason], order)


def _check_order(tournament: Tournament, codes: list[str]) -> None:
    event = load_event_values(tournament)
    if any(m.result is None for r in event.rounds if r.status == "published" for m in r.matches):
        raise WrongState(_("A table is still outstanding. Set the manual order once every result is in."))
    if len(set(codes)) != len(codes) or len(codes) < 2:
        raise Refused(_("Give each tied player a different place."))
    groups = tied_groups(count_open_rounds(event))
    group = next((group for group in groups if codes[0] in group), [])
    names = {code: entry.name for code, entry in event.entries.items()}
    if apart := [names.get(code, code) for code in codes if code not in group]:
        words = _("%(name)s is not tied with the others: points or a tiebreaker decides.")
        raise Refused(words, name=", ".join(apart))
    if left := [names[code] for code in group if code not in codes]:
        raise Refused(_("%(name)s is tied with them too. Give everyone a place."), name=", ".join(left))
