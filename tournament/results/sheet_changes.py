"""A round's sheet brought up to now from the log alone: what an action changed is what its row shows."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from tournament.actionlog.facts import TO_STAFF
from tournament.actionlog.fold import Change
from tournament.actionlog.match_facts import Fact
from tournament.models import Action, Entry, Tournament
from tournament.results.desk_rows import DeskPlayer, DeskRow, DeskSheet, deadline_of

MOST_FOLLOWED = 500  # actions; after more, reading the rows is quicker
GONE = (Entry.Status.DROPPED, Entry.Status.DISQUALIFIED)
RESULT_FIELDS = {"result", "games", "winner", "score", "game_order", "odd"}
DROP_FIELDS = {"status", "dropped_after"}


def follow_log(sheet: DeskSheet, tournament: Tournament, done: Action | None = None) -> DeskSheet | None:
    """The sheet after every action since its revision, in one query; in none where that is `done` alone.

    None where one of them changed something else than results, extensions and drops: the sheet has to be read.
    """
    if done is not None and done.number == sheet.revision + 1 == tournament.revision:
        actions = [(done.number, done.actor, done.changes)]
    else:
        later = tournament.actions.filter(number__gt=sheet.revision).order_by("number")
        actions = list(later.values_list("number", "actor", "changes")[: MOST_FOLLOWED + 1])
    if len(actions) > MOST_FOLLOWED:
        return None
    book = _Book(sheet)
    for number, actor, changes in actions:
        if not all(book.follow(number, actor, change) for change in changes):
            return None
    newest = actions[-1][0] if actions else tournament.revision
    return replace(sheet, revision=newest, rows=book.rows, alone=book.alone)


def is_gone(status: str, dropped_after: int | None, number: int) -> bool:
    """Whether a player of that status left in this round or before it: who left later played on after it."""
    return status in GONE and (dropped_after or 0) <= number


class _Book:
    """The rows of a sheet while they follow the log."""

    def __init__(self, sheet: DeskSheet) -> None:
        self.rows, self.alone = list(sheet.rows), list(sheet.alone)
        self._sheet, self._round = sheet, sheet.round
        self._places = {row.key: place for place, row in enumerate(self.rows)}

    def follow(self, number: int, actor: str, change: Change) -> bool:
        """Write one change into its row; whether that can be done."""
        kind, *parts = change["fact"].split("/")
        if change["fact"].startswith(TO_STAFF) or (kind == "rounds" and parts[0] != str(self._round.number)):
            return True
        if "personal" in change:
            return False
        if kind == "entries":
            return self._drop(number, parts[0], change)
        if kind != "rounds" or parts[1:2] != ["tables"]:
            return False
        place = self._places.get("/".join([kind, *parts[:3]]))
        if place is None:
            return False
        row = self.rows[place]
        after = change["after"]
        if len(parts) == 5:
            self.rows[place] = _with_report(row, parts[4], after)._replace(changed=number)
            return True
        if len(parts) == 4:
            minutes = after.get("minutes", row.extra) if after else 0
            self.rows[place] = row._replace(
                changed=number, extra=minutes, ends=deadline_of(self._round, minutes)
            )
            return True
        if change["before"] is None or after is None or not after.keys() <= RESULT_FIELDS:
            return False
        values: Any = {
            name: tuple(value) if isinstance(value, list) else value for name, value in after.items()
        }
        row = row._replace(version=number, changed=number, fact=row.fact._replace(**values))
        self.rows[place] = row._replace(own=self._is_own(row, actor))
        return True

    def _drop(self, number: int, code: str, change: Change) -> bool:
        """A player dropped, or came back."""
        before, after = change["before"], change["after"]
        if before is None or after is None or not after.keys() <= DROP_FIELDS:
            return False
        status = after.get("status")
        if Entry.Status.MERGED in (before.get("status"), status):
            return False
        if ("status" in after) != ("dropped_after" in after):
            return False
        if status is not None:
            gone = is_gone(status, after.get("dropped_after"), self._round.number)
            for rows in (self.rows, self.alone):
                rows[:] = _with_gone(rows, number, code, gone=gone)
        return True

    def _is_own(self, row: DeskRow, actor: str) -> bool:
        """Whether the result is by one of the two who play there."""
        accounts = {self._sheet.accounts.get(player.code) for player in (row.a, row.b) if player}
        return row.fact.result is not None and bool(actor) and actor in accounts


def _with_report(row: DeskRow, source: str, after: Fact | None) -> DeskRow:
    """The row with what was reported, or without it."""
    if source == "desk":
        return row._replace(first_by=after.get("actor", row.first_by) if after else "")
    a, b = row.reports
    slip = after.get("slip", a if source == "a" else b) if after else ""
    return row._replace(reports=(slip, b) if source == "a" else (a, slip))


def _with_gone(rows: Iterable[DeskRow], number: int, code: str, *, gone: bool) -> list[DeskRow]:
    """The rows, with that player gone or back."""

    def moved(player: DeskPlayer | None) -> DeskPlayer | None:
        return player._replace(gone=gone) if player and player.code == code else player

    return [
        row._replace(changed=number, a=moved(row.a) or row.a, b=moved(row.b))
        if code in (row.a.code, row.b.code if row.b else "")
        else row
        for row in rows
    ]
