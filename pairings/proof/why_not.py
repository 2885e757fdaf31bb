"""Explain why two players were not paired, in a draft or in a published round as it was paired."""

from fractions import Fraction

from django.utils.translation import gettext as _

from pairings.engine import Pairing, WhyNot, why_not
from pairings.request.entrants import earlier_pairings
from pairings.request.pairing_request import RoundRequest, request_of, round_as_paired
from pairings.request.tables import paired_codes
from pairings.words.why_not import (
    LOCKED,
    UNSOLVED,
    forfeits_words,
    meetings_words,
    new_pair_downs_words,
    solved_words,
)
from tournament.errors import Refused
from tournament.event.table_plan import table_name
from tournament.models import Tournament
from tournament.text.display_names import names_of


def explain_why_not(tournament: Tournament, number: int, a: str, b: str | None) -> list[str]:
    """Return sentences on why players a and b are not paired in this round; b None: why a does not have the bye.

    Raises WrongState if the round was not paired, Refused for the same player twice or one not paired in it.
    """
    if a == b:
        raise Refused(_("Choose two different players."))
    event, round_ = round_as_paired(tournament, number)
    names = names_of(tournament)
    seated = set(paired_codes(round_))
    for code in filter(None, (a, b)):
        if code not in seated:
            raise Refused(_("%(name)s was not paired in round %(number)s."), name=names[code], number=number)
    request = request_of(event, round_)
    seating = request.seating_of(round_)
    answer = why_not(
        request.entrants,
        request.policy,
        seating,
        a,
        b,
        seed=request.seed,
        locked=request.locked,
        forbidden=request.prohibited_pairs,
    )
    a_name, b_name = names[a], names[b] if b else ""
    if answer.code in UNSOLVED:
        table = next(
            table_name(event, match.table, round_) for match in round_.matches if a in (match.a, match.b)
        )
        return [UNSOLVED[answer.code] % {"a": a_name, "b": b_name, "table": table}]
    if answer.code in ("locked_table", "locked_bye"):
        code = answer.entrant if answer.code == "locked_table" else seating.bye
        repaired = round_.pairing.last_repair is not None
        return [LOCKED[code == seating.bye, repaired] % {"name": names[code]}]
    cost = solved_words(answer.code, a_name, b_name, answer.changes, request.unit)
    pair_downs = new_pair_downs_words(_new_pair_downs(request, seating, answer))
    earlier = earlier_pairings(event, round_).get(frozenset((a, b)), [])
    forfeits = [place for place, forfeit in earlier if forfeit]
    meetings = meetings_words([place for place, forfeit in earlier if not forfeit], bye=b is None)
    if forfeits and len(forfeits) == len(earlier):
        meetings = ""  # the next sentence says it
    sentences = cost, pair_downs, meetings, forfeits_words(forfeits, event.profile)
    return [sentence for sentence in sentences if sentence]


def _new_pair_downs(
    request: RoundRequest, seating: Pairing, answer: WhyNot
) -> list[tuple[Fraction, Fraction]]:
    """Return (points, fewer points) of each pair-down the round does not have now."""
    if answer.pairing is None or not answer.changes:
        return []
    points = request.points
    now = {frozenset(pair) for pair in seating.pairs}
    houses = {entrant.id for entrant in request.entrants if entrant.house}
    return [
        (max(points[x], points[y]), min(points[x], points[y]))
        for x, y in answer.pairing.pairs
        if points[x] != points[y] and houses.isdisjoint((x, y)) and frozenset((x, y)) not in now
    ]
