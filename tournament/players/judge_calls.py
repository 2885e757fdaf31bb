"""Open calls for a judge, as judges and the desk see them."""

import datetime as dt
from typing import NamedTuple

from tournament.models import Flag, Round, Tournament
from tournament.players.tables import table_then
from tournament.text.display_names import names_of


class JudgeCall(NamedTuple):
    """A call from a table: who called, in which round, at which table, and for how many minutes they wait."""

    flag: Flag
    name: str
    table: int | None
    waits: int


def open_calls_of(tournament: Tournament, now: dt.datetime) -> list[JudgeCall]:
    """The calls no judge has settled, of all open rounds, the longest first. At most two queries."""
    rows = tournament.flags.filter(kind=Flag.Kind.CALL, done=False)
    # Of a complete round no judge goes to a table anymore.
    rows = rows.exclude(round__state=Round.State.COMPLETE)
    flags = list(rows.select_related("entry", "round").annotate(table=table_then()).order_by("number"))
    names = names_of(tournament) if flags else {}
    return [
        JudgeCall(
            flag,
            names[flag.entry.code] if flag.entry else "",
            flag.table,
            max(int((now - flag.at).total_seconds() // 60), 0),
        )
        for flag in flags
    ]
