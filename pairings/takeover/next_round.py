"""The next round as it would be paired now: nothing is written."""

from typing import NamedTuple

from pairings.draft.compute import compute_draft
from standings.paper.round_paper import RoundPaper
from tournament.errors import Refused
from tournament.models import Round, Tournament
from tournament.progress.next_step import progress_of
from tournament.progress.posted_rounds import tables_of_facts


class NextRound(NamedTuple):
    """A round that is not published: its paper, or why it cannot be paired now."""

    paper: RoundPaper | None
    reason: str = ""


def next_rounds_of(tournament: Tournament) -> list[NextRound]:
    """What comes next in each session: its draft pairings, or those it would get with the next draft."""
    flights: list[int | None] = [flight.number for flight in progress_of(tournament).facts.flights]
    return [_next_round(tournament, flight) for flight in flights or [None]]


def _next_round(tournament: Tournament, flight: int | None) -> NextRound:
    drafts = tournament.rounds.filter(state=Round.State.DRAFT, swiss=True).select_related("stage")
    if draft := drafts.filter(**({"stage__number": flight} if flight else {})).last():
        return NextRound(RoundPaper(tournament, draft))
    try:
        computed = compute_draft(tournament, flight=flight)
    except Refused as refusal:
        return NextRound(None, str(refusal))
    paper = RoundPaper(tournament, Round(tournament=tournament, number=computed.number, swiss=True))
    paper.tables = tables_of_facts(computed.matches, paper.public_names)
    return NextRound(paper)
