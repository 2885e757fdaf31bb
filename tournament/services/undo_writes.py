"""What an undo writes: the values before an action, last change first."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from itertools import groupby

from tournament.actionlog.change import AWAY_RESULTS, Log, unlocked_seats
from tournament.actionlog.facts import kind_of
from tournament.actionlog.fold import Change
from tournament.actionlog.match_facts import MatchFact, find_match


def write_back(log: Log, changes: Sequence[Change]) -> None:
    """Write back what these changes changed; matches made or removed together go in bulk."""
    for (number, made), group in groupby(reversed(changes), _matches_of_round):
        items = list(group)
        if number is None:
            for item in items:
                _write_back_row(log, item)
            continue
        round_ = log.tournament.rounds.get(number=number)
        away = all((item["before"] or item["after"] or {})["result"] in AWAY_RESULTS for item in items)
        with nullcontext() if away else unlocked_seats(round_):
            if made:
                log.unseat(round_, {item["fact"] for item in items})
            else:
                log.seat(
                    round_, [MatchFact.from_log(_table(item["fact"]), item["before"] or {}) for item in items]
                )


def _matches_of_round(change: Change) -> tuple[int | None, bool]:
    """(round number, whether the action made it) of a match made or removed; (None, False) otherwise."""
    if kind_of(change["fact"]) is None and None in (change["before"], change["after"]):
        return int(change["fact"].split("/")[1]), change["before"] is None
    return None, False


def _table(key: str) -> int | None:
    parts = key.split("/")
    return int(parts[3]) if parts[2] == "tables" else None


def _write_back_row(log: Log, change: Change) -> None:
    """Write back one change of a row, or of a match's fields."""
    key, before, after = change["fact"], change["before"], change["after"]
    kind = kind_of(key)
    if after is None:
        assert kind is not None and before is not None
        log.add(kind.model, key, before)
        return
    row = kind.find(log.tournament, key) if kind else find_match(log.tournament, key)
    if before is None:
        log.remove(row)
    else:
        log.set(row, **before)
