"""The scorekeeper's view of one round, as it is now.

A sheet is kept per process and follows the log (`sheet_changes`): the sheet of a large round is read from the database
only after something else than results, extensions and drops.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping

from django.utils.translation import get_language

from tournament.actionlog.match_facts import StoredMatch, match_facts
from tournament.event.profile import profile_of
from tournament.models import Action, Extension, Report, Round, Tournament
from tournament.public.cache import MarkCache
from tournament.public.responses import key_of
from tournament.results.desk_rows import DeskPlayer, DeskRow, DeskSheet, deadline_of
from tournament.results.sheet_changes import follow_log, is_gone
from tournament.results.slip import match_rules_of
from tournament.text.display_names import distinct_names

# By event, round and language. Counted in tables: 600 take about a megabyte.
sheets: MarkCache[DeskSheet] = MarkCache(15_000, lambda sheet: 1 + len(sheet.rows), name="desk sheets")


def desk_sheet_of(tournament: Tournament, round_: Round) -> DeskSheet:
    """The round's tables: the sheet that is kept, brought up to now by one query, or read as a whole.

    At worst a row is newer than the sheet says, never older.
    """
    return kept_sheet(tournament, round_.number) or _keep(tournament, read_sheet(tournament, round_))


def kept_sheet(tournament: Tournament, number: int, done: Action | None = None) -> DeskSheet | None:
    """The sheet of the round of that number, brought up to now; None where it has to be read.

    `done`: the action that was just saved, where it is known.
    """
    kept = sheets.newest(_key_of(tournament, number))
    if kept is None or kept.revision >= tournament.revision:
        return kept
    sheet = follow_log(kept, tournament, done)
    return sheet and _keep(tournament, sheet)


def _key_of(tournament: Tournament, number: int) -> tuple[object, ...]:
    return (*key_of(tournament), number, get_language())


def _keep(tournament: Tournament, sheet: DeskSheet) -> DeskSheet:
    sheets.keep(_key_of(tournament, sheet.round.number), str(sheet.revision), sheet)
    return sheet


def read_sheet(tournament: Tournament, round_: Round) -> DeskSheet:
    """The round's tables, in three queries whatever their number; one more where a player is on the staff, one
    more for double entry or reports.

    `tournament.revision` was read before them.
    """
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
    profile, lengths = profile_of(tournament), {match.fact.best_of for match in stored}
    rules = {best_of: match_rules_of(profile, best_of, swiss=round_.swiss) for best_of in lengths}
    own = _entered_by_a_player(tournament, stored, accounts)
    reports = _reports_of(tournament, round_)

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
            ends=deadline_of(round_, minutes),
            own=match.pk in own,
            first_by=reports[match.pk].get("desk", ""),
            reports=(reports[match.pk].get("a", ""), reports[match.pk].get("b", "")),
        )
        rows.append(row)
    return DeskSheet(
        tournament,
        round_,
        tournament.revision,
        [row for row in rows if row.table is not None],
        sorted((row for row in rows if row.table is None), key=lambda row: row.a.name),
        tournament.revision,
        accounts,
        names,
    )


def _reports_of(tournament: Tournament, round_: Round) -> defaultdict[int, dict[str, str]]:
    """By match: what each player reported, and of the desk who typed the slip first."""
    reports: defaultdict[int, dict[str, str]] = defaultdict(dict)
    if tournament.double_entry or tournament.reporting != Tournament.Reporting.OFF:
        rows = Report.objects.filter(match__round=round_)
        for match, source, slip, actor in rows.values_list("match_id", "source", "slip", "actor"):
            reports[match][source] = actor if source == Report.Source.DESK else slip
    return reports


def _entered_by_a_player(
    tournament: Tournament, stored: Collection[StoredMatch], accounts: Mapping[str, str]
) -> set[int]:
    """Keys of the match rows whose last action is by someone who plays there: a match's version is that action.

    `accounts`: {code: account} of the players who are on the staff.
    """
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
