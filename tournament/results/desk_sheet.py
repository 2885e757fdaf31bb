"""The scorekeeper's view of one round: a row a table, as it is now."""

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from django.utils.translation import gettext as _

from tournament.actionlog.match_facts import MatchFact, StoredMatch, match_facts
from tournament.errors import NotFound
from tournament.event.clock import clock_of
from tournament.event.profile import profile_of
from tournament.event.table_plan import Venue
from tournament.models import Entry, Extension, Round, Tournament
from tournament.results.slip import MatchRules, Slip, match_rules_of, usual_slips
from tournament.results.wording import games_words, result_words
from tournament.text.display_names import distinct_names


class DeskPlayer(NamedTuple):
    """Who sits there. `gone`: dropped or disqualified."""

    code: str
    name: str
    gone: bool = False
    first: bool = False


class ScoreButton(NamedTuple):
    """A usual score: what is sent and what is read."""

    text: str
    label: str


class DeskRow(NamedTuple):
    """One table of a round. `b` None: the player sits alone."""

    round: int
    version: int  # the last action on the match
    fact: MatchFact
    a: DeskPlayer
    b: DeskPlayer | None
    rules: MatchRules
    extra: int = 0  # minutes
    ends: dt.datetime | None = None  # where it has extra minutes
    own: bool = False  # the result was entered by a staff member who plays in this match
    corrected: int = 0  # the action that corrected it, once the round was complete

    @property
    def table(self) -> int | None:
        """The number of the table; None where the player sits alone."""
        return self.fact.table

    @property
    def keys(self) -> set[str]:
        """Keys of the facts besides the match that the row shows."""
        players = {f"entries/{player.code}" for player in (self.a, self.b) if player}
        return {f"{self.fact.key_in(self.round)}/extension", *players}

    @property
    def out(self) -> bool:
        """Whether its match slip is outstanding."""
        return self.fact.result is None

    @property
    def words(self) -> str:
        """What stands between the two names; empty while the slip is outstanding."""
        return result_words(self.fact)

    @property
    def buttons(self) -> tuple[ScoreButton, ...]:
        """The usual scores of this match, best for the first-listed player first; made for the rows that are drawn."""
        return tuple(ScoreButton(slip_text(slip), _button_label(slip)) for slip in usual_slips(self.rules))


@dataclass
class DeskSheet:
    """All tables of a round at one revision. `venue`: what the event says of its tables."""

    venue: Venue
    round: Round
    revision: int
    rows: list[DeskRow]
    alone: list[DeskRow]

    @property
    def rules(self) -> MatchRules | None:
        """What the slips of this round are checked against; None where there are no tables."""
        return self.rows[0].rules if self.rows else None

    @property
    def outstanding(self) -> list[DeskRow]:
        """Tables without a result."""
        return [row for row in self.rows if row.out]

    @property
    def entered(self) -> list[DeskRow]:
        """Tables with a result."""
        return [row for row in self.rows if not row.out]

    @property
    def count(self) -> dict[str, int]:
        """How many tables have a result ("in"), have none ("out"), and are there ("all")."""
        return {"in": len(self.entered), "out": len(self.outstanding), "all": len(self.rows)}

    def since(self, seen: int, touched: Collection[str], but: int | None = None) -> list[DeskRow]:
        """Rows that changed after revision `seen`, without the table `but`.

        `touched`: keys of the facts that changed since then; a drop or an extension is no new version of a match.
        """
        return [
            row
            for row in self.rows
            if row.table != but and (row.version > seen or not row.keys.isdisjoint(touched))
        ]

    def mark_corrected(self, numbers: Mapping[str, int]) -> None:
        """Note in each row the action that corrected it; `numbers`: by the key of its fact."""
        for rows in (self.rows, self.alone):
            rows[:] = [row._replace(corrected=numbers.get(row.fact.key_in(row.round), 0)) for row in rows]

    def row(self, table: int) -> DeskRow:
        """The row of a table. Raises NotFound."""
        for row in self.rows:
            if row.table == table:
                return row
        text = _("Round %(round)s has no table %(table)s.")
        raise NotFound(text, round=self.round.number, table=table)


def touched_since(tournament: Tournament, seen: int) -> set[str]:
    """Keys of the facts that changed after revision `seen`."""
    later = tournament.actions.filter(number__gt=seen).values_list("changes", flat=True)
    return {change["fact"] for changes in later for change in changes}


def desk_sheet_of(tournament: Tournament, round_: Round) -> DeskSheet:
    """The round's tables, in three queries whatever their number; one more where a player is on the staff.

    `tournament.revision` was read before them: at worst a row is newer than the sheet says, never older.
    """
    columns = tournament.entries.values_list("code", "name", "status", "user__username", named=True)
    entries = {entry.code: entry for entry in columns}
    names = distinct_names((code, entry.name, entry.status) for code, entry in entries.items())
    accounts = {code: entry.user__username for code, entry in entries.items() if entry.user__username}
    extensions = Extension.objects.filter(match__round=round_).values_list("match_id", "minutes")
    extra = {} if round_.state == Round.State.DRAFT else dict(extensions)
    stored = match_facts(round_.matches.all()).values()
    profile, lengths = profile_of(tournament), {match.fact.best_of for match in stored}
    rules = {best_of: match_rules_of(profile, best_of, swiss=round_.swiss) for best_of in lengths}
    own = _entered_by_a_player(tournament, stored, accounts)
    clock = clock_of(round_)

    def player(code: str, side: str, first: str) -> DeskPlayer:
        gone = entries[code].status in (Entry.Status.DROPPED, Entry.Status.DISQUALIFIED)
        return DeskPlayer(code, names[code], gone, first == side)

    rows = []
    for match in stored:
        fact, minutes = match.fact, extra.get(match.pk, 0)
        row = DeskRow(
            round=round_.number,
            version=match.version,
            fact=fact,
            a=player(fact.a, "a", fact.first),
            b=player(fact.b, "b", fact.first) if fact.b else None,
            rules=rules[fact.best_of],
            extra=minutes,
            ends=clock.extended(minutes).ends if minutes else None,
            own=match.pk in own,
        )
        rows.append(row)
    return DeskSheet(
        tournament,
        round_,
        tournament.revision,
        [row for row in rows if row.table is not None],
        sorted((row for row in rows if row.table is None), key=lambda row: row.a.name),
    )


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


def _button_label(slip: Slip) -> str:
    if slip.order and slip.a == slip.b:
        return _("1–1, first game first") if slip.order[0] == "a" else _("1–1, second game first")
    return games_words(slip.games) if slip.a or slip.b else _("draw")


def slip_text(slip: Slip) -> str:
    """A score as the one box takes it: 21, 111, ab."""
    if slip.order:
        return slip.order
    a, b, drawn = slip.games
    return f"{a}{b}{drawn or ''}"


def slip_words(slip: Slip, row: DeskRow) -> str:
    """What a slip that is not saved says, beside the row's names."""
    result = row.fact._replace(result=slip.result, games=slip.games, winner=slip.winner, score=slip.score)
    who = {"a": row.a.name, "b": row.b.name if row.b else ""}
    return ", ".join(
        [result_words(result), *(_("%(name)s drops") % {"name": who[side]} for side in slip.drops)]
    )
