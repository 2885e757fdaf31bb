"""The rows of the desk's sheet, and the tables as judges see them in the hall."""

import datetime as dt
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple

from django.db.models import F, QuerySet
from django.utils.translation import gettext as _

from tournament.actionlog.facts import FLAG
from tournament.actionlog.match_facts import MatchFact
from tournament.errors import NotFound, Refused
from tournament.event.clock import RoundClock, round_clock
from tournament.event.rounds import round_name, round_names
from tournament.event.table_plan import TablePlan
from tournament.models import Action, Flag, Round, Tournament
from tournament.results import shorthand
from tournament.results.slip import MatchRules, Slip, games_words, usual_slips
from tournament.results.wording import result_words, words_of_slip

MOST_FOLLOWED = 500  # actions; after more, reading all rows is quicker


class DeskPlayer(NamedTuple):
    """A player at a table. `gone`: dropped or disqualified, and not in a later round."""

    code: str
    name: str
    gone: bool = False
    first: bool = False


class ScoreButton(NamedTuple):
    text: str
    label: str


class DeskRow(NamedTuple):
    key: str  # of its fact
    round: int
    version: int  # the last action on the match
    changed: int  # the last action that changed what the row shows: a drop and an extension too
    fact: MatchFact
    a: DeskPlayer
    b: DeskPlayer | None
    rules: MatchRules
    extra: int = 0  # minutes
    ends: dt.datetime | None = None  # where it has extra minutes
    own: bool = False  # the result was entered by a staff member who plays in this match
    reports: tuple[str, str] = ("", "")  # what the two players reported by phone, as slips are typed
    corrected: int = 0  # the action that corrected it, once the round was complete
    table_name: str = ""  # the table's display name
    initials: str = ""  # of the name, if they can be typed instead
    by_slip: str = ""  # what was reported with the match slip alone: staff must accept it

    @property
    def table(self) -> int | None:
        return self.fact.table

    @property
    def keys(self) -> set[str]:
        """Keys of the facts besides the match that the row shows."""
        players = {f"entries/{player.code}" for player in self.players}
        reports = (f"{self.key}/reports/{source}" for source in ("a", "b", "slip"))
        return {f"{self.key}/extension", *reports, *players}

    @property
    def out(self) -> bool:
        return self.fact.result is None

    @property
    def players(self) -> list[DeskPlayer]:
        return [self.a, self.b] if self.b else [self.a]

    @property
    def mover(self) -> DeskPlayer | None:
        return next((player for player in self.players if player.first), None)

    @property
    def long(self) -> bool:
        someone_left = any(player.gone for player in self.players)
        return not self.out and (someone_left or self.fact.result != "played")

    @property
    def marked(self) -> bool:
        marks = (
            self.extra or self.fact.first or self.fact.odd or self.own or self.report_state or self.slip_words
        )
        return bool(marks) or any(player.gone for player in self.players)

    @property
    def report_state(self) -> str:
        """State of an outstanding table: "agreed" or "disputed", "one" with one report; else ""."""
        a, b = self.reports
        if not self.out or not (a or b):
            return ""
        return "one" if not (a and b) else "agreed" if a == b else "disputed"

    @property
    def reported(self) -> list[tuple[DeskPlayer, str, str]]:
        """Each report as (player, result with the first-listed player first, slip)."""
        pairs = [(player, slip) for player, slip in zip(self.players, self.reports, strict=False) if slip]
        return [
            (player, words_of_slip(shorthand.parse_slip(slip, self.rules)), slip) for player, slip in pairs
        ]

    @property
    def slip_words(self) -> str:
        """The report by match slip of an outstanding table, as the first-listed player has it."""
        return (
            words_of_slip(shorthand.parse_slip(self.by_slip, self.rules)) if self.out and self.by_slip else ""
        )

    @property
    def words(self) -> str:
        """The text between the two names; empty while the table is outstanding."""
        return result_words(self.fact)

    @property
    def buttons(self) -> tuple[ScoreButton, ...]:
        """The usual scores of this match, best for the first-listed player first."""
        slips = usual_slips(self.rules)
        return tuple(
            ScoreButton(shorthand.slip_shorthand(slip, self.rules), _button_label(slip)) for slip in slips
        )


@dataclass(frozen=True)
class DeskSheet:
    plan: TablePlan  # the names of the round's tables
    round: Round
    revision: int
    rows: list[DeskRow]
    alone: list[DeskRow]
    whole: int  # the revision at which all of it was read; each row changed since has its own
    accounts: Mapping[str, str]  # {code: account} of the players who are on the staff
    names: Mapping[str, str]  # {code: full name to show} of all entries
    # HTML of each (table, how) with its row: a changed row is another object
    drawn: dict[tuple[int | None, Hashable], tuple[DeskRow, str]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @property
    def rules(self) -> MatchRules | None:
        return self.rows[0].rules if self.rows else None

    @cached_property
    def outstanding(self) -> list[DeskRow]:
        return [row for row in self.rows if row.out]

    @cached_property
    def entered(self) -> list[DeskRow]:
        return [row for row in self.rows if not row.out]

    @cached_property
    def reports(self) -> dict[str, list[DeskRow]]:
        """Outstanding tables with reports, by "disputed", "agreed", "one" and "slip"."""
        waiting = [row for row in self.outstanding if row.report_state or row.by_slip]
        states = ("disputed", "agreed", "one") if waiting else ()
        groups = {state: [row for row in waiting if row.report_state == state] for state in states}
        return {**groups, "slip": [row for row in waiting if row.by_slip]} if waiting else {}

    @property
    def count(self) -> dict[str, int]:
        return {"in": len(self.entered), "out": len(self.outstanding), "all": len(self.rows)}

    def changed_since(self, tournament: Tournament, seen: int, but: int = 0) -> list[DeskRow]:
        """Return the rows changed since revision `seen`, without table `but`; all other rows after too many actions."""
        others = [row for row in self.rows if row.table != but]
        if seen >= self.whole:
            return [row for row in others if row.changed > seen]
        if tournament.revision - seen > MOST_FOLLOWED:
            return others
        touched = touched_since(tournament, seen)
        return [row for row in others if row.changed > seen or not row.keys.isdisjoint(touched)]

    def with_corrected(self, numbers: Mapping[str, int]) -> "DeskSheet":
        """Return a copy with the actions that corrected each row. `numbers`: by fact key."""
        rows, alone = (
            [row._replace(corrected=numbers.get(row.key, 0)) for row in each]
            for each in (self.rows, self.alone)
        )
        return replace(self, rows=rows, alone=alone)

    def seats_in(self, action: Action) -> dict[tuple[int, int, str], tuple[str, str, str]] | None:
        """Return {(round, table, side): (code, account, table's name)} of changed tables; None for another round."""
        keys = {"/".join(change["fact"].split("/")[:4]) for change in action.changes}
        here = f"rounds/{self.round.number}/"
        if any(key.startswith("rounds/") and not key.startswith(here) for key in keys):
            return None
        return {
            (row.round, row.table or 0, side): (
                player.code,
                self.accounts.get(player.code, ""),
                row.table_name,
            )
            for row in self.rows
            if row.key in keys
            for side, player in (("a", row.a), ("b", row.b))
            if player
        }

    def next_outstanding(self, table: int) -> DeskRow | None:
        """Return the next table without a result, starting over after the last."""
        return min(
            self.outstanding, key=lambda row: ((row.table or 0) <= table, row.table or 0), default=None
        )

    def row(self, table: int) -> DeskRow:
        for row in self.rows:
            if row.fact.table == table:
                return row
        text = _("There is no table %(table)s in %(round)s.")
        raise NotFound(text, round=round_name(self.round).phrase, table=self.plan.name(table))

    def row_of_code(self, text: str) -> DeskRow:
        """Return the row of a slip by its code or address. Raises Refused for another match's slip."""
        code = shorthand.read_slip_code(text)
        shorthand.check_digits(code)
        number, table, _check = code
        if number != self.round.number:
            rounds = round_names(self.round.tournament)
            text = _("This slip is from %(round)s, table %(table)s. You are entering %(here)s.")
            where, here = rounds[number].phrase, rounds[self.round.number].phrase
            raise Refused(text, round=where, table=self.plan.name(table), here=here)
        row = self.row(table)
        shorthand.check_slip_code(self.round.tournament.slug, code, (row.fact.a, row.fact.b))
        return row


def touched_since(tournament: Tournament, seen: int) -> set[str]:
    later = tournament.actions.filter(number__gt=seen).values_list("changes", flat=True)
    return {change["fact"] for changes in later for change in changes}


def extended_deadline(round_: Round, minutes: int) -> dt.datetime | None:
    """Return the deadline of a table with extra minutes; None without them or a running clock."""
    return round_clock(round_).extended(minutes).ends if minutes else None


def _button_label(slip: Slip) -> str:
    if slip.order and slip.a == slip.b:
        return _("1–1, first game first") if slip.order[0] == "a" else _("1–1, second game first")
    return games_words(slip.games) if slip.a or slip.b else _("draw")


def slip_words(slip: Slip, row: DeskRow) -> str:
    who = {"a": row.a.name, "b": row.b.name if row.b else ""}
    drops = [_("%(name)s drops") % {"name": who[side]} for side in slip.drops]
    return ", ".join([words_of_slip(slip), *drops])


CALL_DONE = "call done"  # the kind of action with which a judge settles a call


class DeadlineGroup(NamedTuple):
    """Tables with one deadline, or all those that are past theirs."""

    extra: int  # the fewest extra minutes of its tables; rows are in the order of theirs
    rows: list[DeskRow]
    ends: dt.datetime | None  # the last of past deadlines; None without a running clock
    past: bool = False


def group_by_deadline(clock: RoundClock, rows: Sequence[DeskRow], now: dt.datetime) -> list[DeadlineGroup]:
    """Group tables by deadline, the earliest first."""
    groups: list[DeadlineGroup] = []
    for extra, some in groupby(sorted(rows, key=lambda row: (row.extra, row.table)), lambda row: row.extra):
        ends = clock.extended(extra).ends
        past = ends is not None and ends <= now
        if past and groups:
            first = groups.pop()
            groups.append(first._replace(rows=[*first.rows, *some], ends=ends))
        else:
            groups.append(DeadlineGroup(extra, list(some), ends, past))
    return groups


def calls_about(round_: Round, tables: Collection[int]) -> dict[int, str]:
    """Return {disputed table: "called", "coming" or "done"}, without calls done before the latest report."""
    flags: Any = round_.flags.filter(
        kind=Flag.Kind.CALL, entry__seats__round=round_, entry__seats__match__table__in=tables
    )
    rows = flags.annotate(table=F("entry__seats__match__table")).order_by("-done", "number")
    latest = {row.table: row for row in rows} if tables else {}  # an open call comes last
    states = {}
    for table, flag in latest.items():
        if not flag.done:
            states[table] = "coming" if flag.judge else "called"
        elif _is_about_reports(round_, table, flag):
            states[table] = "done"
    return states


def _is_about_reports(round_: Round, table: int, flag: Flag) -> bool:
    reports = (f"rounds/{round_.number}/tables/{table}/reports/{side}" for side in "ab")
    actions = round_.tournament.actions.touching(FLAG.key_of(flag), *reports)
    return actions.order_by("-number").values_list("kind", flat=True).first() == CALL_DONE


def list_disputes(sheet: DeskSheet) -> list[tuple[DeskRow, str]]:
    disputed = sheet.reports.get("disputed", [])
    calls = calls_about(sheet.round, [row.table for row in disputed if row.table])
    words = {
        "called": _("the reports differ. A judge was called: enter the result afterwards."),
        "coming": _("the reports differ. A judge is on the way: enter the result afterwards."),
        "done": _("the reports differ, and a judge has been there. Enter the result."),
    }
    other = _("the reports differ. Send a judge, then enter the result.")
    return [(row, words.get(calls.get(row.table or 0, ""), other)) for row in disputed]


class HallTable(NamedTuple):
    """A table, its state and that in words: "done", "call", "check" (of decks), "past", "more" (minutes) or "out"."""

    row: DeskRow
    state: str
    words: str


def list_hall_tables(sheet: DeskSheet, now: dt.datetime) -> list[HallTable]:
    called = _list_flagged_tables(sheet.round, sheet.round.flags.filter(kind=Flag.Kind.CALL, done=False))
    checked = _list_flagged_tables(sheet.round, sheet.round.deck_checks.filter(ends_at=None))
    disputed = [row.table for row in sheet.reports.get("disputed", ()) if row.table]
    visited = {table for table, call in calls_about(sheet.round, disputed).items() if call == "done"}
    return [_hall_table(sheet.round, row, called, visited, checked, now) for row in sheet.rows]


def _list_flagged_tables(round_: Round, rows: QuerySet[Any]) -> set[int]:
    rows = rows.filter(entry__seats__round=round_, entry__seats__match__table__isnull=False)
    return set(rows.values_list("entry__seats__match__table", flat=True))


def _hall_table(
    round_: Round, row: DeskRow, called: set[int], visited: set[int], checked: set[int], now: dt.datetime
) -> HallTable:
    if row.table in called:
        return HallTable(row, "call", _("judge call"))
    if row.report_state == "disputed":
        return HallTable(row, "out" if row.table in visited else "call", _("reports differ"))
    if row.table in checked:
        return HallTable(row, "check", _("deck check"))
    if not row.out:
        return HallTable(row, "done", row.words)
    seconds = round_clock(round_).extended(row.extra).seconds(now)
    if seconds is not None and seconds <= 0:
        return HallTable(row, "past", _("past %(minutes)s min") % {"minutes": -seconds // 60})
    if not row.extra:
        return HallTable(row, "out", _("playing"))
    values = {"more": row.extra, "left": (seconds or 0) // 60}
    words = _("+%(more)s min") if seconds is None else _("+%(more)s · %(left)s left")
    return HallTable(row, "more", words % values)
