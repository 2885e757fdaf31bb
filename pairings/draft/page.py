"""A draft as the organizer checks it: rows with points and reasons, the certificate, the list before publishing."""

from dataclasses import dataclass

from pairings.draft.edits import takes_coin_toss
from pairings.draft.preflight import Check, checks_of
from pairings.engine.gc_pause import pause_gc
from pairings.proof.page import PairingCertificate, certificate_of
from pairings.proof.rows import TableRow, rows_of
from pairings.question.request import request_of
from pairings.words.reasons import reasons_in
from tournament.event.read import event_of
from tournament.event.table_plan import plan_of
from tournament.models import Tournament
from tournament.text.display_names import names_in


@dataclass(frozen=True, slots=True)
class DraftPage:
    """All that the page of a draft shows.

    revision    the round's, which every form of the page sends back
    players     (code, name) of all who are seated
    coin_toss   whether a coin toss decides the first moves
    has_sides   whether players move first or second
    """

    rows: list[TableRow]
    certificate: PairingCertificate
    checks: list[Check]
    revision: int
    players: list[tuple[str, str]]
    prohibited_pairs: list[tuple[str, str, str, str]]
    coin_toss: bool
    has_sides: bool

    @property
    def open_items(self) -> int:
        """How many lines of the list stop the round."""
        return sum(check.level == "bad" for check in self.checks)


@pause_gc()
def draft_page(tournament: Tournament, round_number: int, revision: int) -> DraftPage:
    """The page of the draft of that round at its `revision`, from one consistent read."""
    event = event_of(tournament)
    round_ = next(round_ for round_ in event.rounds if round_.number == round_number)
    names = names_in(event)
    request = request_of(event, round_)
    rows = rows_of(event, round_, request, names, reasons_in(round_))
    return DraftPage(
        rows=rows,
        certificate=certificate_of(round_, rows, names, plan_of(event)),
        checks=checks_of(tournament, event, round_, request, names),
        revision=revision,
        players=[(player.code, player.name) for row in rows for player in (row.a, row.b) if player],
        prohibited_pairs=[(a, names.get(a, a), b, names.get(b, b)) for a, b in event.forbidden],
        coin_toss=takes_coin_toss(round_, request),
        has_sides=any(match.first for match in round_.matches),
    )
