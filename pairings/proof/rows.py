"""The tables of a paired round, row by row: players with points, and what is unusual about each table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from django.utils.translation import gettext as _

from pairings.question.history import event_before
from pairings.question.request import PairingRequest
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
    record = round_.pairing
    marks = _Marks(
        points=points,
        names=names,
        reasons=reasons,
        locked={frozenset(lock) for lock in record.locks},
        by_hand={code for edit in record.edits for code in edit.players},
        same_label={match.a for match in request.same_label_matches(round_)},
        houses={str(entrant.id) for entrant in request.entrants if entrant.house},
    )
    return [_row_of(match, marks) for match in round_.matches]


@dataclass(frozen=True, slots=True)
class _Marks:
    """What the rows of one round are made from, by entry code."""

    points: Mapping[str, Fraction]
    names: Mapping[str, str]
    reasons: Mapping[str, str]
    locked: set[frozenset]
    by_hand: set[str]
    same_label: set[str]
    houses: set[str]

    def player(self, code: str, *, first: bool) -> SeatedPlayer:
        points = format_number(self.points.get(code, Fraction(0)))
        return SeatedPlayer(code, self.names[code], points, first)


def _row_of(match: Match, marks: _Marks) -> TableRow:
    a = marks.player(match.a, first=match.first == "a")
    b = marks.player(match.b, first=match.first == "b") if match.b else None
    players = [a, b] if b else [a]
    house = any(player.code in marks.houses for player in players)
    reasons = [f"{p.name}: {marks.reasons[p.code]}" for p in players if p.code in marks.reasons]
    if match.waived:
        reasons.append(_("waived: %(reason)s") % {"reason": match.waived["reason"]})
    return TableRow(
        table=match.table,
        a=a,
        b=b,
        alone="" if b else wording.bye_words(match.result or "bye"),
        house=house,
        pair_down=b is not None and not house and marks.points.get(a.code) != marks.points.get(b.code),
        same_label=match.a in marks.same_label,
        rematch=bool(match.waived and match.waived["rule"] == "repeat"),
        locked=frozenset((match.a, match.b)) in marks.locked,
        by_hand=any(player.code in marks.by_hand for player in players),
        reasons=tuple(reasons),
    )
