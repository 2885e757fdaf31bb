"""The tables of a paired round, row by row: players with points, and what is unusual about each table."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from django.utils.translation import gettext as _

from pairings.question.history import earlier_pairings, event_before
from pairings.question.request import PairingRequest
from pairings.words.why_not import forfeits_words
from standings.event.records import points_of
from standings.words.formats import format_number
from tournament.event.types import Event, Match, Round
from tournament.results import wording


@dataclass(frozen=True, slots=True)
class SeatedPlayer:
    """A player at a table, with the points before the round. `first`: moves first."""

    code: str
    name: str
    points: str
    first: bool = False


@dataclass(frozen=True, slots=True)
class TableRow:
    """A table of the round, or a player without an opponent (`table` and `b` None).

    alone       why there is no opponent
    house       one of the two is a house opponent
    pair_down   the points differ; not said of a table with a house opponent
    same_label  the two share a label, in a round that keeps such players apart
    rematch     they have played before
    by_hand     an edit by hand concerned one of them
    reasons     sentences on why they are seated so
    """

    table: int | None
    a: SeatedPlayer
    b: SeatedPlayer | None
    alone: str
    house: bool
    pair_down: bool
    same_label: bool
    rematch: bool
    locked: bool
    by_hand: bool
    reasons: tuple[str, ...]

    @property
    def is_notable(self) -> bool:
        """Whether there is something to look at."""
        return bool(
            self.reasons or self.pair_down or self.rematch or self.locked or self.by_hand or self.alone
        )

    @property
    def anchor(self) -> str:
        """The id of the row's lock, at which an address can end."""
        return anchor_of(self.table, self.a.code)

    @property
    def lockable(self) -> bool:
        """Whether the pairing chose this table: an awarded bye stays anyway."""
        return self.b is not None or self.alone == wording.bye_words("bye")


def anchor_of(table: int | None, code: str) -> str:
    """Where on the draft's page a table is or, without one, the player with this code."""
    return f"table-{table}" if table else f"bye-{code}"


def rows_of(
    event: Event,
    round_: Round,
    request: PairingRequest,
    names: Mapping[str, str],
    reasons: Mapping[str, str],
) -> list[TableRow]:
    """The round's tables in order, players without an opponent last.

    request  the one the round answers
    reasons  {entry code: sentences on why this player is seated so}
    """
    points = request.points
    if any(match.a not in points for match in round_.matches):  # awarded byes are not part of the request
        points = points_of(event_before(event, round_.number), round_.stage) | points
    locked = {frozenset(lock) for lock in round_.pairing.locks}
    by_hand = {code for edit in round_.pairing.edits for code in edit.players}
    same_label = {match.a for match in request.same_label_matches(round_)}
    houses = {entrant.id for entrant in request.entrants if entrant.house}
    earlier = earlier_pairings(event, round_)

    def row_of(match: Match) -> TableRow:
        codes = [code for code in (match.a, match.b) if code]
        players = [
            SeatedPlayer(code, names[code], format_number(points.get(code, Fraction(0))), match.first == side)
            for code, side in zip(codes, "ab", strict=False)
        ]
        house = not houses.isdisjoint(codes)
        notes = [f"{names[code]}: {reasons[code]}" for code in codes if code in reasons]
        before = earlier.get(frozenset((match.a, match.b)), [])
        if forfeits := forfeits_words([place for place, forfeit in before if forfeit], event.profile):
            notes.append(forfeits)
        if match.waived:
            notes.append(_("waived: %(reason)s") % {"reason": match.waived["reason"]})
        return TableRow(
            table=match.table,
            a=players[0],
            b=players[1] if match.b else None,
            alone="" if match.b else wording.bye_words(match.result or "bye"),
            house=house,
            pair_down=not house and len({points.get(code) for code in codes}) > 1,
            same_label=match.a in same_label,
            rematch=bool(match.waived and match.waived["rule"] == "repeat"),
            locked=frozenset((match.a, match.b)) in locked,
            by_hand=not by_hand.isdisjoint(codes),
            reasons=tuple(notes),
        )

    return [row_of(match) for match in round_.matches]
