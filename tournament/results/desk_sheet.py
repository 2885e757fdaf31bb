"""The scorekeeper's view of one round: a row a table, as it is now."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from tournament.actionlog.facts import Fact, match_facts
from tournament.event.read import profile_of
from tournament.models import Entry, Extension, Round, Tournament
from tournament.results import wording as words
from tournament.results.slip import MatchRules, Slip, match_rules_of, usual_slips
from tournament.text.display_names import distinct_names


@dataclass(frozen=True, slots=True)
class DeskPlayer:
    """Who sits there. `gone`: dropped or disqualified."""

    code: str
    name: str
    gone: bool = False
    first: bool = False


@dataclass(frozen=True, slots=True)
class ScoreButton:
    """A usual score: what is sent and what is read."""

    text: str
    label: str


@dataclass(frozen=True, slots=True)
class DeskRow:
    """One table of a round. `b` None: the player sits alone. `words` empty: its slip is out."""

    round: int
    table: int | None
    version: int
    a: DeskPlayer
    b: DeskPlayer | None
    words: str
    fact: Fact
    rules: MatchRules
    extra: int = 0  # minutes
    ends: dt.datetime | None = None  # where it has extra minutes
    own: bool = False  # the result was entered by a staff member who plays in this match

    @property
    def out(self) -> bool:
        return self.fact["result"] is None

    @property
    def buttons(self) -> tuple[ScoreButton, ...]:
        """The usual scores of this match; made only for the rows that are drawn."""
        return score_buttons(self.rules)


@dataclass
class DeskSheet:
    """All tables of a round at one revision."""

    round: Round
    revision: int
    rows: list[DeskRow]
    alone: list[DeskRow]

    @property
    def rules(self) -> MatchRules | None:
        """What the slips of this round are checked against; None where nobody meets."""
        return self.rows[0].rules if self.rows else None

    @property
    def outstanding(self) -> list[DeskRow]:
        return [row for row in self.rows if row.out]

    @property
    def entered(self) -> list[DeskRow]:
        return [row for row in self.rows if not row.out]

    @property
    def count(self) -> dict[str, int]:
        """How many tables are in and out."""
        out = sum(row.out for row in self.rows)
        return {"in": len(self.rows) - out, "out": out, "all": len(self.rows)}

    def since(self, seen: int, but: int | None = None) -> list[DeskRow]:
        """Rows that changed after revision `seen`, without the table `but`."""
        return [row for row in self.rows if row.version > seen and row.table != but]

    def row(self, table: int) -> DeskRow:
        """The row of a table. Raises StopIteration."""
        return next(row for row in self.rows if row.table == table)


def desk_sheet_of(tournament: Tournament, round_: Round) -> DeskSheet:
    """The round's tables, in three queries whatever their number; one more where somebody on the staff plays.

    `tournament.revision` was read before them: at worst a row is newer than the sheet says, never older.
    """
    columns = tournament.entries.values_list("code", "name", "status", "user__username")
    people = {code: rest for code, *rest in columns}
    names = distinct_names({code: name for code, (name, _status, _account) in people.items()})
    accounts = {code: account for code, (_n, _s, account) in people.items() if account}
    gone = {c for c, (_n, s, _a) in people.items() if s in (Entry.Status.DROPPED, Entry.Status.DISQUALIFIED)}
    extra = dict(
        Extension.objects.filter(match__round=round_).values_list("match_id", "minutes")
        if round_.state != Round.State.DRAFT
        else ()
    )
    profile = profile_of(tournament)
    lengths: dict[int, MatchRules] = {}
    matches = match_facts(round_.seats.all())
    by_key = {
        key: _row(
            round_, key, found, names, gone, extra, _rules(lengths, profile, found[0]["best_of"], round_)
        )
        for key, found in matches.items()
    }
    for key in _entered_by_a_player(tournament, matches, accounts):
        by_key[key] = replace(by_key[key], own=True)
    rows = list(by_key.values())
    return DeskSheet(
        round_,
        tournament.revision,
        [row for row in rows if row.table is not None],
        sorted((row for row in rows if row.table is None), key=lambda row: row.a.name),
    )


def _entered_by_a_player(
    tournament: Tournament, matches: dict[str, tuple[Fact, int, int]], accounts: dict[str, str]
) -> set[str]:
    """Keys of the matches whose last action somebody did who plays them: a match's version is its last action.

    `accounts`: {code: account} of the players who are on the staff.
    """
    theirs = {
        key: (version, {accounts[code] for code in (fact["a"], fact["b"]) if code in accounts})
        for key, (fact, _pk, version) in matches.items()
        if accounts and fact["result"] is not None
    }
    theirs = {key: found for key, found in theirs.items() if found[1]}
    if not theirs:
        return set()
    numbers = {version for version, _names in theirs.values()}
    actors = dict(tournament.actions.filter(number__in=numbers).values_list("number", "actor"))
    return {key for key, (version, names) in theirs.items() if actors.get(version) in names}


def _rules(
    lengths: dict[int, MatchRules], profile: dict[str, Any], best_of: int, round_: Round
) -> MatchRules:
    """The rules of matches of that length, made once."""
    if best_of not in lengths:
        lengths[best_of] = match_rules_of(profile, best_of, swiss=round_.swiss)
    return lengths[best_of]


def _row(
    round_: Round,
    key: str,
    found: tuple[Fact, int, int],
    names: dict[str, str],
    gone: Iterable[str],
    extra: dict[int, int],
    rules: MatchRules,
) -> DeskRow:
    fact, pk, version = found
    a, b = (
        DeskPlayer(fact[side], names[fact[side]], fact[side] in gone, fact["first"] == side)
        if fact[side]
        else None
        for side in "ab"
    )
    assert a is not None
    minutes = extra.get(pk, 0)
    return DeskRow(
        round=round_.number,
        table=int(key.rsplit("/", 1)[1]) if "/tables/" in key else None,
        version=version,
        a=a,
        b=b,
        words=words.result_words(fact),
        fact=fact,
        rules=rules,
        extra=minutes,
        ends=round_.ends_at + dt.timedelta(minutes=minutes) if round_.ends_at and minutes else None,
    )


def score_buttons(rules: MatchRules) -> tuple[ScoreButton, ...]:
    """The usual scores as buttons, best for the first-listed player first."""
    return tuple(ScoreButton(slip_text(slip), _label(slip)) for slip in usual_slips(rules))


def _label(slip: Slip) -> str:
    if slip.order and slip.a == slip.b:
        return _("1–1, first game first") if slip.order[0] == "a" else _("1–1, second game first")
    return words.games_words(slip.games) if slip.a or slip.b else _("draw")


def slip_text(slip: Slip) -> str:
    """A score as the one box takes it: 21, 111, ab."""
    if slip.order:
        return slip.order
    a, b, drawn = slip.games
    return f"{a}{b}{drawn or ''}"


def slip_words(slip: Slip, row: DeskRow) -> str:
    """What a slip that is not saved says, beside the row's names."""
    said = words.result_words(
        {"result": slip.result, "games": slip.games, "winner": slip.winner, "score": slip.score}
    )
    who = {"a": row.a.name, "b": row.b.name if row.b else ""}
    return ", ".join([said, *(_("%(name)s drops") % {"name": who[side]} for side in slip.drops)])
