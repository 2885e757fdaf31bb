"""The desk's sheet of a round, cached and brought up to date from the log."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from django.utils.translation import get_language

from tournament.actionlog.facts import PUBLIC_PERSONAL_FIELDS, STAFF_INBOX
from tournament.actionlog.fold import Change
from tournament.actionlog.match_facts import Fact, StoredMatch, match_facts
from tournament.event.display_names import distinct_names
from tournament.event.profile import ruleset_in_force
from tournament.event.rounds import find_round
from tournament.event.table_plan import round_table_plan
from tournament.event.types import LEFT_THE_EVENT
from tournament.models import Action, Entry, Extension, Report, Round, Tournament
from tournament.public.cache import VersionedCache
from tournament.public.responses import event_cache_key
from tournament.results.desk_rows import MOST_FOLLOWED, DeskPlayer, DeskRow, DeskSheet, extended_deadline
from tournament.results.slip import build_match_rules

# By event, round and language. Counted in tables: 600 take about a megabyte.
sheets: VersionedCache[DeskSheet] = VersionedCache(
    15_000, lambda sheet: 1 + len(sheet.rows), name="desk sheets"
)
RESULT_FIELDS = {"result", "games", "winner", "score", "game_order", "odd"}
DROP_FIELDS = {"status", "dropped_after"}


def load_desk_sheet(tournament: Tournament, number: int, done: Action | None = None) -> DeskSheet:
    """Return a round's cached sheet, updated, or a new one. Rows may be newer than its revision, never older.

    `done`: the action just saved.
    """
    key = (*event_cache_key(tournament), number, get_language())
    cached = sheets.newest(key)
    if cached and cached.revision >= tournament.revision:
        return cached
    sheet = cached and follow_log(cached, tournament, done)
    sheet = sheet or read_sheet(tournament, find_round(tournament, number))
    sheets.keep(key, sheet.revision, sheet)
    return sheet


def read_sheet(tournament: Tournament, round_: Round) -> DeskSheet:
    """Read the round's tables in three to five queries. `tournament.revision` must be read before."""
    columns = tournament.entries.values_list(
        "code", "name", "status", "dropped_after", "user__username", named=True
    )
    entries = {entry.code: entry for entry in columns}
    names = distinct_names((code, entry.name, entry.status) for code, entry in entries.items())
    accounts = {code: entry.user__username for code, entry in entries.items() if entry.user__username}
    extensions = Extension.objects.filter(match__round=round_).values_list("match_id", "minutes")
    extra = {} if round_.state == Round.State.DRAFT else dict(extensions)
    matches = match_facts(round_.matches.all())
    stored = matches.values()
    profile, lengths = ruleset_in_force(tournament), {match.fact.best_of for match in stored}
    rules = {best_of: build_match_rules(profile, best_of, swiss=round_.swiss) for best_of in lengths}
    own = _entered_by_a_player(tournament, stored, accounts)
    reports, plan = _load_reports(tournament, round_), round_table_plan(tournament, round_)

    def player(code: str, side: str, first: str) -> DeskPlayer:
        gone = is_gone(entries[code].status, entries[code].dropped_after, round_.number)
        return DeskPlayer(code, names[code], gone, first == side)

    rows = []
    for key, match in matches.items():
        fact, minutes = match.fact, extra.get(match.pk, 0)
        row = DeskRow(
            key=key,
            round=round_.number,
            version=match.version,
            changed=match.version,
            fact=fact,
            a=player(fact.a, "a", fact.first),
            b=player(fact.b, "b", fact.first) if fact.b else None,
            rules=rules[fact.best_of],
            extra=minutes,
            ends=extended_deadline(round_, minutes),
            own=match.pk in own,
            reports=(reports[match.pk].get("a", ""), reports[match.pk].get("b", "")),
            table_name=plan.name(fact.table),
            initials=plan.initials.get(fact.table or 0, ""),
            by_slip=reports[match.pk].get("slip", ""),
        )
        rows.append(row)
    return DeskSheet(
        plan,
        round_,
        tournament.revision,
        [row for row in rows if row.table is not None],
        sorted((row for row in rows if row.table is None), key=lambda row: row.a.name),
        tournament.revision,
        accounts,
        names,
    )


def _load_reports(tournament: Tournament, round_: Round) -> defaultdict[int, dict[str, str]]:
    reports: defaultdict[int, dict[str, str]] = defaultdict(dict)
    if tournament.reporting != Tournament.Reporting.OFF:
        rows = Report.objects.filter(match__round=round_)
        for match, source, slip in rows.values_list("match_id", "source", "slip"):
            reports[match][source] = slip
    return reports


def _entered_by_a_player(
    tournament: Tournament, stored: Collection[StoredMatch], accounts: Mapping[str, str]
) -> set[int]:
    by_staff = [
        match
        for match in stored
        if match.fact.result is not None and accounts.keys() & {match.fact.a, match.fact.b}
    ]
    numbers = {match.version for match in by_staff}
    actors = dict(tournament.actions.filter(number__in=numbers).values_list("number", "actor"))
    return {
        match.pk
        for match in by_staff
        if actors.get(match.version, "") in (accounts.get(match.fact.a), accounts.get(match.fact.b or ""))
    }


NAMES = {*PUBLIC_PERSONAL_FIELDS, "user"}  # personal, and shown or used by a row


def follow_log(sheet: DeskSheet, tournament: Tournament, done: Action | None = None) -> DeskSheet | None:
    """Apply the actions since the sheet's revision; None if it has to be read. `done`: the only action, if known."""
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
    """Whether a player left in this round or before; one who left later played on."""
    return status in LEFT_THE_EVENT and (dropped_after or 0) <= number


class _Book:
    def __init__(self, sheet: DeskSheet) -> None:
        self.rows, self.alone = list(sheet.rows), list(sheet.alone)
        self._sheet, self._round = sheet, sheet.round
        self._places = {row.key: place for place, row in enumerate(self.rows)}

    def follow(self, number: int, actor: str, change: Change) -> bool:
        """Apply one change to its row. Return whether that is possible."""
        kind, *parts = change["fact"].split("/")
        if change["fact"].startswith(STAFF_INBOX) or (
            kind == "rounds" and parts[0] != str(self._round.number)
        ):
            return True
        if "personal" in change:
            return NAMES.isdisjoint(change["personal"])
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
                changed=number, extra=minutes, ends=extended_deadline(self._round, minutes)
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
        accounts = {self._sheet.accounts.get(player.code) for player in (row.a, row.b) if player}
        return row.fact.result is not None and bool(actor) and actor in accounts


def _with_report(row: DeskRow, source: str, after: Fact | None) -> DeskRow:
    if source == "slip":
        return row._replace(by_slip=after.get("slip", row.by_slip) if after else "")
    a, b = row.reports
    slip = after.get("slip", a if source == "a" else b) if after else ""
    return row._replace(reports=(slip, b) if source == "a" else (a, slip))


def _with_gone(rows: Iterable[DeskRow], number: int, code: str, *, gone: bool) -> list[DeskRow]:
    def moved(player: DeskPlayer | None) -> DeskPlayer | None:
        return player._replace(gone=gone) if player and player.code == code else player

    return [
        row._replace(changed=number, a=moved(row.a) or row.a, b=moved(row.b))
        if code in (row.a.code, row.b.code if row.b else "")
        else row
        for row in rows
    ]
