"""Why do these two not meet? Asked of a draft, or of a posted round by the facts it was paired from."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext as _

from pairings.engine import Pairing, why_not
from pairings.question.history import event_before
from pairings.question.next_round import position_of
from pairings.question.past_round import round_as_paired
from pairings.question.request import PairingRequest, request_of
from pairings.question.seats import is_paired, paired_codes
from pairings.words.costs import costs_and_savings
from standings.event.rounds import carried_stages_of
from standings.words.formats import format_number
from tournament.errors import Refused
from tournament.event.types import Event, Round
from tournament.models import Tournament
from tournament.text.display_names import names_of

MOST_PAIRS = 4


def explain_why_not(tournament: Tournament, number: int, a: str, b: str | None) -> list[str]:
    """Sentences that answer why a and b do not meet in this round; b None: why a does not have the bye.

    Raises Refused for a senseless question.
    """
    if a == b:
        raise Refused(_("Choose two different players."))
    event, round_ = round_as_paired(tournament, number)
    names = names_of(tournament)
    seated = set(paired_codes(round_))
    for code in (a, b):
        if code and code not in seated:
            raise Refused(
                _("%(name)s was not paired in round %(number)s.") % {"name": names[code], "number": number}
            )
    request = request_of(event, round_)
    settled = _pair_settled(round_, request, a, b, names) if b else _bye_settled(round_, a, names)
    if settled:
        return [settled]
    for one, other in request.locks:
        if {a, b} & {one, other}:
            name = names[a if a in (one, other) else b or one]
            return [_held(round_, name, bye=other is None)]
    what = (
        _("%(a)s vs. %(b)s") % {"a": names[a], "b": names[b]} if b else _("A bye for %(a)s") % {"a": names[a]}
    )
    return [_cost(request, request.seating_of(round_), what, (a, b)), _history(event, round_, a, b)]


def _bye_settled(round_: Round, player: str, names: Mapping[str, str]) -> str:
    """Why there is nothing to weigh where somebody asks for the bye of this player; "" where there is."""
    having = [match.a for match in round_.matches if match.result == "bye"]
    if not having:
        return _("No one has a bye this round.")
    return _("%(name)s has the bye.") % {"name": names[player]} if player in having else ""


def _pair_settled(round_: Round, request: PairingRequest, a: str, b: str, names: Mapping[str, str]) -> str:
    """Why there is nothing to weigh for this pair; "" where there is."""
    for match in round_.matches:
        if {match.a, match.b} == {a, b}:
            return _("They are paired, at table %(table)s.") % {"table": match.table}
    if any({a, b} == set(pair) for pair in request.prohibited_pairs):
        said = {"a": names[a], "b": names[b]}
        return _("%(a)s and %(b)s are on the organizer's do-not-pair list.") % said
    return ""


def _held(round_: Round, name: str, *, bye: bool) -> str:
    """That a table, or the bye, was none to be paired."""
    if round_.pairing.last_repair:
        text = (
            _("%(name)s's bye was kept when the round was re-paired.")
            if bye
            else _("%(name)s's table was finished when the round was re-paired, so it was kept.")
        )
    else:
        text = (
            _("%(name)s's bye is locked by the organizer.")
            if bye
            else _("%(name)s's table is locked by the organizer.")
        )
    return text % {"name": name}


def _cost(request: PairingRequest, seating: Pairing, what: str, pair: tuple[str, str | None]) -> str:
    found = why_not(
        request.entrants,
        request.policy,
        seating,
        *pair,
        seed=request.seed,
        locked=request.locks,
        forbidden=request.prohibited_pairs,
    )
    if found.pairing is None:
        return _("%(what)s is impossible: no complete set of pairings includes it.") % {"what": what}
    if not found.changes:
        return _("%(what)s would be equally good. The choice was random.") % {"what": what}
    cost, saves = costs_and_savings(found.changes, request.unit)
    first = found.changes[0]
    if first.after < first.before:  # type: ignore[operator]
        answered = [_("%(what)s would be better. It would save: %(saves)s.") % {"what": what, "saves": saves}]
        answered += [_("It would cost: %(cost)s.") % {"cost": cost}] if cost else []
    else:
        answered = [_("%(what)s would cost: %(cost)s.") % {"what": what, "cost": cost}]
        answered += [_("It would save: %(saves)s.") % {"saves": saves}] if saves else []
    return " ".join(answered + _new_across(request, seating, found.pairing))


def _new_across(request: PairingRequest, now: Pairing, then: Pairing) -> list[str]:
    """The pairs across scores that would be new, in a sentence where there are any."""
    points = request.points
    stay = {frozenset(both) for both in now.pairs}
    house = {entrant.id for entrant in request.entrants if entrant.house}
    across = [
        sorted((points[x], points[y]), reverse=True)
        for x, y in then.pairs
        if points[x] != points[y] and house.isdisjoint((x, y)) and frozenset((x, y)) not in stay
    ]
    listed = ", ".join(
        _("%(a)s vs. %(b)s") % {"a": format_number(high), "b": format_number(low)}
        for high, low in across[:MOST_PAIRS]
    ) + (" …" if len(across) > MOST_PAIRS else "")
    return [_("New pair-downs: %(pairs)s.") % {"pairs": listed}] if across else []


def _history(event: Event, round_: Round, a: str, b: str | None) -> str:
    """Where in this session they met; b None: where a had a bye."""
    session = carried_stages_of(event, round_.stage)
    met = [
        position_of(event, event.stage(round_.stage), before.number)
        for before in event_before(event, round_.number).rounds
        if before.stage in session and any(is_paired(m) and {m.a, m.b} == {a, b} for m in before.matches)
    ]
    if b is None:
        if not met:
            return _("No earlier bye.")
        return _("Earlier bye in round %(rounds)s.") % {"rounds": _(" and ").join(map(str, met))}
    if not met:
        return _("They have not played each other.")
    return _("They played each other in round %(rounds)s.") % {"rounds": _(" and ").join(map(str, met))}
