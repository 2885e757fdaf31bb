"""Published rounds: their pairings by table and by name, and the rounds being played now."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from django.db.models import Count, Q
from django.utils.translation import gettext as _

from tournament.actionlog.match_facts import MatchFact, match_facts
from tournament.event.clock import RoundClock
from tournament.event.display_names import listed_name, sort_key
from tournament.models import Entry, Match, Round, Tournament
from tournament.progress.flights import stage_name
from tournament.results.wording import PlayerResult, bye_words, player_result, result_words, winning_side
from tournament.text import fold_name

POSTED = (Round.State.PUBLISHED, Round.State.REPAIRING, Round.State.COMPLETE)
CLOCK = ("starts_at", "ends_at", "seconds_left", "minutes")  # as RoundClock takes them


class PostedPlayer(NamedTuple):
    """A player at a table. `first`: moves first; `won`: won this match, once its result is shown."""

    code: str
    name: str
    first: bool = False
    won: bool = False


class PostedTable(NamedTuple):
    """A row of the pairings. `words`: between the names or, if `b` is None, why there is no opponent."""

    fact: MatchFact
    a: PostedPlayer
    b: PostedPlayer | None
    words: str
    corrected: bool = False

    @property
    def table(self) -> int | None:
        return self.fact.table


class PostedLine(NamedTuple):
    """A line of the pairings by name. `odd`: the recorded result is against the ruleset."""

    me: PostedPlayer
    table: int | None
    other: PostedPlayer | None
    words: str
    corrected: bool
    odd: bool = False


def posted_rounds(tournament: Tournament) -> list[Round]:
    return list(tournament.rounds.filter(state__in=POSTED).select_related("stage").order_by("number"))


def latest_round_for(shown: Round, rounds: list[Round]) -> Round:
    """Return the newest published round for a reader of `shown`: of its own stage while that is in progress."""
    own = [round_ for round_ in rounds if round_.stage_id == shown.stage_id][-1]
    return rounds[-1] if own.state == Round.State.COMPLETE else own


def filter_open_rounds(rounds: list[Round]) -> list[Round]:
    """Return the latest published round of each Swiss stage, if it is not complete."""
    latest = {round_.stage_id: round_ for round_ in rounds if round_.swiss}
    open_ = [round_ for round_ in latest.values() if round_.state != Round.State.COMPLETE]
    return sorted(open_, key=lambda round_: round_.number)


def stage_round_words(shown: Round, rounds: list[Round]) -> str:
    """Return “Session 2, round 1” if several Swiss stages have published rounds; else ""."""
    sessions = {round_.stage_id for round_ in rounds if round_.swiss and not round_.stage.carries}
    if len(sessions) < 2 or shown.stage_id not in sessions:
        return ""
    own = [round_.pk for round_ in rounds if round_.stage_id == shown.stage_id]
    values = {"session": stage_name(shown.stage.number), "round": own.index(shown.pk) + 1}
    return _("%(session)s, round %(round)s") % values


def list_posted_tables(
    round_: Round,
    names: Mapping[str, str],
    *,
    results: bool,
    corrected: Collection[str] = (),
    most: int | None = None,
) -> list[PostedTable]:
    """Return the round's rows by table; rows without a table come last. `corrected`: keys of corrected matches.

    `most`: only that many tables, the first ones.
    """
    matches = round_.matches.all()
    if most:
        matches = matches.filter(pk__in=matches.exclude(table=None).order_by("table").values("pk")[:most])
    tables = [
        _table(match.fact, names, results)._replace(corrected=key in corrected)
        for key, match in match_facts(matches).items()
    ]
    return sorted(tables, key=lambda t: (t.table is None, t.table or 0, fold_name(t.a.name), t.a.code))


def _table(match: MatchFact, names: Mapping[str, str], results: bool) -> PostedTable:
    won = winning_side(match) if results else ""
    a = PostedPlayer(match.a, names[match.a], match.first == "a", won == "a")
    if match.b is None:
        return PostedTable(match, a, None, bye_words(match.result or "bye"))
    b = PostedPlayer(match.b, names[match.b], match.first == "b", won == "b")
    return PostedTable(match, a, b, result_words(match) if results else "")


def lines_by_name(tables: list[PostedTable]) -> list[PostedLine]:
    lines = []
    for table in tables:
        if table.b is None:
            lines.append(PostedLine(table.a, None, None, table.words, table.corrected))
            continue
        for me, other in ((table.a, table.b), (table.b, table.a)):
            words = player_result(table.fact, me.code, other.name).sentence if table.words else ""
            odd = bool(words) and table.fact.odd
            lines.append(PostedLine(me, table.table, other, words, table.corrected, odd))
    named = [line._replace(me=line.me._replace(name=listed_name(line.me.name))) for line in lines]
    return sorted(named, key=lambda line: (sort_key(line.me.name), line.me.code))


class PlayerMatch(NamedTuple):
    """A match in a posted round, from the player's side."""

    round: Round
    table: int | None
    opponent: str  # the name; "" for a bye
    other: str  # the opponent's code; "" for a bye
    result: PlayerResult
    moves_first: str  # me, them, or empty where that does not matter
    key: str  # of its fact
    odd: bool  # recorded with a result that these rules do not allow


def list_player_matches(entry: Entry, rounds: list[Round], names: Mapping[str, str]) -> list[PlayerMatch]:
    by_number = {round_.number: round_ for round_ in rounds}
    matches = []
    for key, (fact, _pk, _version) in match_facts(Match.objects.filter(seats__entry=entry)).items():
        round_ = by_number.get(int(key.split("/")[1]))
        if round_ is None:
            continue
        other = fact.b if fact.a == entry.code else fact.a
        opponent = names[other] if other else ""
        mover = {"": None, "a": fact.a, "b": fact.b}[fact.first or ""]
        moves_first = ("me" if mover == entry.code else "them") if mover else ""
        result = player_result(fact, entry.code, opponent)
        matches.append(
            PlayerMatch(round_, fact.table, opponent, other or "", result, moves_first, key, fact.odd)
        )
    return sorted(matches, key=lambda match: match.round.number)


class RoundNow(NamedTuple):
    """The published round of a Swiss stage, or all rounds of a bracket in progress (`number`: the last)."""

    number: int
    swiss: bool
    tables: int  # those with two players; `outstanding` of them have no result
    outstanding: int
    clock: RoundClock  # the round's clock, off once no table is outstanding


def load_rounds_now(tournaments: Collection[int]) -> dict[int, list[RoundNow]]:
    """Return {event's primary key: its published rounds in progress, by stage}, in one query."""
    tables = Count("matches", Q(matches__table__isnull=False))
    rounds = (
        Round.objects.filter(tournament__in=tournaments)
        .exclude(state=Round.State.DRAFT)
        .order_by("number")
        .annotate(tables=tables, waits=Count("matches", Q(matches__result=None)))
        .values_list("tournament", "stage", "number", "swiss", "tables", "waits", *CLOCK)
    )
    now: dict[tuple[int, int], RoundNow] = {}
    for event, stage, number, swiss, many, waits, *clock in rounds:
        before = now.get((event, stage))
        if before and before.outstanding:  # a bracket: its rounds overlap
            many, waits = before.tables + many, before.outstanding + waits
        now[event, stage] = RoundNow(
            number, swiss, many, waits, RoundClock(*clock) if waits else RoundClock()
        )
    found: dict[int, list[RoundNow]] = {}
    for (event, _stage), one in now.items():
        found.setdefault(event, []).append(one)
    return {event: _played(ones) for event, ones in found.items()}


def _played(rounds: list[RoundNow]) -> list[RoundNow]:
    return [one for one in rounds if one.outstanding] or [max(rounds, key=lambda one: one.number)]
