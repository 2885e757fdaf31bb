"""A match as one fact: its row and its seats together, read and written with the same list of fields."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from operator import itemgetter
from typing import Any, NamedTuple

from django.db import models
from django.db.models import FilteredRelation, Q
from django.db.models.functions import Cast

from tournament.models import Match, Round, Seat, Tournament
from tournament.rulesets import is_meeting, wins_needed

Fact = dict[str, Any]  # as the log writes it: JSON values by the name of the field
AWAY_RESULTS = ("missed", "half_bye", "zero_bye", "full_bye")  # of a player who was away: no posted pairing


class MatchFact(NamedTuple):
    """Everything known about a match. A NamedTuple, because a frozen dataclass takes six times as long to create."""

    a: str  # the players' codes
    b: str | None = None  # None: no opponent, and `result` says why
    table: int | None = None  # None where a player sits alone
    result: str | None = None  # None while the match slip is out
    games: tuple[int, int, int] | None = None  # won by a, won by b, drawn; None where the ruleset gives them
    winner: str = ""  # "a", "b", or "" for a drawn or undecided match
    first: str = ""  # the side that moves first: "a", "b" or ""
    score: tuple[str, str] | None = None  # points made inside the match, exact numbers as text
    game_order: str = ""  # who won each game in turn, such as "abd"
    slot: str = ""  # the place in a bracket, such as "W1.3"
    replays: tuple[dict, ...] = ()  # repeat games: {"games": […], "first": …}
    decided: str = ""  # why a bracket match has a winner that its games do not say
    waived: dict[str, str] | None = None  # the exception that was made: {"rule", "reason"}
    best_of: int = 3  # greatest number of games
    draws_allowed: bool = True  # whether the database takes it without a winner
    odd: bool = False  # recorded elsewhere with games that no slip of this match could say

    @classmethod
    def from_log(cls, table: int | None, fact: Fact) -> MatchFact:
        """Build a match from a logged fact; fields missing in the log get their defaults."""
        values: Any = {
            name: tuple(value) if isinstance(value, list) else value for name, value in fact.items()
        }
        return cls(**values, table=table)

    def to_log(self) -> Fact:
        """Return the fact as logged, without the table number, which is in its key."""
        fact = self._asdict()
        del fact["table"]
        return {name: list(value) if isinstance(value, tuple) else value for name, value in fact.items()}

    def key_in(self, round_number: int) -> str:
        place = f"tables/{self.table}" if self.table else f"entries/{self.a}"
        return f"rounds/{round_number}/{place}"


MATCH_FIELDS = frozenset(MatchFact._fields) - {"table"}  # of a match in the log


class StoredMatch(NamedTuple):
    """A match in the database. `version`: number of the last action that changed it."""

    fact: MatchFact
    pk: int
    version: int


# Fields that are not one column of the match under the same name, and the others.
_COMPOSED = ("a", "b", "games", "score", "waived")
_OWN = tuple(name for name in MatchFact._fields if name not in (*_COMPOSED, "replays"))
_COLUMNS = (
    "seat_a__entry__code", "seat_b__entry__code", "seat_a__games", "seat_b__games", "drawn",
    "seat_a__score", "seat_b__score", "waived_rule", "waived_reason", "replays_text", *_OWN,
)  # fmt: skip
_in_order = itemgetter(*((*_COMPOSED, "replays", *_OWN).index(name) for name in MatchFact._fields))


def match_facts(matches: models.QuerySet[Match]) -> dict[str, StoredMatch]:
    """Return the matches by natural key, in one query."""
    rows: Any = matches.annotate(
        seat_a=FilteredRelation("seats", condition=Q(seats__side="a")),
        seat_b=FilteredRelation("seats", condition=Q(seats__side="b")),
        # As text, because nearly all are empty: reading JSON from every row would be a third of the time.
        replays_text=Cast("replays", models.TextField()),
    ).order_by("round__number", "table", "pk")
    facts = {}
    for number, pk, version, *columns in rows.values_list("round__number", "pk", "version", *_COLUMNS):
        fact = _build_match_fact(columns)
        facts[fact.key_in(number)] = StoredMatch(fact, pk, version)
    return facts


def _build_match_fact(columns: Sequence[Any]) -> MatchFact:
    a, b, games_a, games_b, drawn, score_a, score_b, rule, reason, replays, *others = columns
    games = None if games_a is None else (games_a, games_b or 0, drawn or 0)
    score = (score_a, "0" if b is None else score_b) if score_a else None
    waived = {"rule": rule, "reason": reason} if rule else None
    repeated = () if replays == "[]" else tuple(json.loads(replays))
    return MatchFact._make(_in_order((a, b, games, score, waived, repeated, *others)))


def match_key(match: Match) -> str:
    if match.table:
        return f"rounds/{match.round.number}/tables/{match.table}"
    return f"rounds/{match.round.number}/entries/{match.seats.get(side='a').entry.code}"


def read_match(match: Match) -> MatchFact:
    [stored] = match_facts(Match.objects.filter(pk=match.pk)).values()
    return stored.fact


def find_match(tournament: Tournament, key: str) -> Match:
    _rounds, number, kind, name = key.split("/")
    matches = Match.objects.filter(round__tournament=tournament, round__number=int(number))
    if kind == "tables":
        return matches.get(table=int(name))
    return matches.get(table=None, seats__side="a", seats__entry__code=name)


# --- writing ---


def write_match(
    match: Match, fields: Fact, meeting: bool = True, *, version: int | None = None, first: bool = False
) -> None:
    """Save these fields of a match and its seats, except players and waivers. `first`: no games were stored before."""
    columns = _match_row(fields) | ({} if version is None else {"version": version})
    for name, value in columns.items():
        setattr(match, name, value)
    if columns:
        match.save(update_fields=list(columns))
    seats: Fact = {}
    if "result" in fields:
        seats["meeting"] = meeting
    if "odd" in fields:
        seats["odd"] = match.odd
    if "games" in fields and not first:
        # First take both sides' games off, so that no order of writing meets the winning-games constraint.
        match.seats.update(games=None)
    if games := fields.get("games"):
        seats["games"] = models.Case(models.When(side="a", then=games[0]), default=games[1])
    if seats:
        match.seats.update(**seats)
    if "score" in fields:
        for side, score in zip("ab", fields["score"] or ("", ""), strict=True):
            match.seats.filter(side=side).update(score=score)


def create_matches(round_: Round, facts: Sequence[MatchFact], version: int) -> None:
    about = {"round": round_, "version": version}
    matches = Match.objects.bulk_create(Match(**about, **_match_row(fact._asdict())) for fact in facts)
    _create_seats(round_.tournament, list(zip(matches, facts, strict=True)))


def replace_seats(matches: Sequence[tuple[Match, MatchFact]]) -> None:
    """Set the players and waivers of these matches, all at once, because players may swap places."""
    with ExitStack() as unlocked:
        for each in {match.round for match, _fact in matches}:
            unlocked.enter_context(unlocked_seats(each))
        Seat.objects.filter(match__in=[match for match, _fact in matches]).delete()
        for match, fact in matches:
            write_match(match, {"waived": fact.waived})
        _create_seats(matches[0][0].round.tournament, matches)


def _match_row(fields: Fact) -> Fact:
    row = {name: value for name, value in fields.items() if name not in _COMPOSED}
    if "games" in fields:
        row["drawn"] = fields["games"] and fields["games"][2]
    if "waived" in fields:
        waived = fields["waived"] or {"rule": "", "reason": ""}
        row["waived_rule"], row["waived_reason"] = waived["rule"], waived["reason"]
    return row


def _create_seats(tournament: Tournament, matches: Sequence[tuple[Match, MatchFact]]) -> None:
    entries = dict(tournament.entries.values_list("code", "pk"))
    seats = []
    for match, fact in matches:
        about = {
            "tournament_id": match.round.tournament_id,
            "round_id": match.round_id,
            "match_id": match.pk,
            "swiss": match.round.swiss,
            "kind": "match" if fact.b else fact.result,
            "waived": bool(fact.waived),
            "meeting": is_meeting(tournament.profile or {}, fact.result),
            "games_to_win": wins_needed(fact.best_of),
            "odd": fact.odd,
        }
        for index, code in enumerate((fact.a, fact.b) if fact.b else (fact.a,)):
            opponent = (fact.b, fact.a)[index]
            own = {
                "entry_id": entries[code],
                "opponent_id": entries[opponent] if opponent else None,
                "side": "ab"[index],
                "games": fact.games[index] if fact.games else None,
                "score": fact.score[index] if fact.score else "",
            }
            seats.append(Seat(**about, **own))
    Seat.objects.bulk_create(seats)


def mark_meetings(tournament: Tournament) -> None:
    """Update which forfeits count as meetings, after a change of the event's rules."""
    meeting = is_meeting(tournament.profile or {}, Match.Result.FORFEIT)
    tournament.seats.filter(match__result=Match.Result.FORFEIT).update(meeting=meeting)


@contextmanager
def unlocked_seats(round_: Round) -> Iterator[None]:
    """Set a published round to `repairing` inside a transaction, so that its seats may change."""
    state = Round.objects.filter(pk=round_.pk).values_list("state", flat=True).get()
    locked = state not in (Round.State.DRAFT, Round.State.REPAIRING)
    if locked:
        Round.objects.filter(pk=round_.pk).update(state=Round.State.REPAIRING)
    yield
    if locked:
        Round.objects.filter(pk=round_.pk, state=Round.State.REPAIRING).update(state=state)
