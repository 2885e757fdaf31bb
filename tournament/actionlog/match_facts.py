"""A match as one fact: its row and its seats together, so that who sits where is said once."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from django.db import models
from django.db.models import FilteredRelation, Q
from django.db.models.functions import Cast

from tournament.models import Entry, Match, Seat, Tournament
from tournament.models.prepared import Prepared

Fact = dict[str, Any]  # as the log writes it: JSON values by the name of the field
AWAY_RESULTS = ("missed", "half_bye", "zero_bye", "full_bye")  # of a player who was away: no posted pairing


class MatchFact(NamedTuple):
    """Everything that is known of one match. No dataclass: a frozen one takes six times as long to make.

    a, b           codes of the players; b None: no opponent, and `result` says why
    table          None where a player sits alone
    result         None while the match slip is out
    games          (won by a, won by b, drawn); None where the ruleset gives them, or there is no result
    winner         "a", "b", or "" for a drawn or undecided match
    first          the side that moves first: "a", "b" or ""
    score          points made inside the match, exact numbers as text
    game_order     who won each game in turn, such as "abd"
    slot           the place in a bracket, such as "W1.3"
    replays        repeat games: {"games": […], "first": …}
    decided        why a bracket match has a winner that its games do not say
    waived         the exception that was made, {"rule", "reason"}
    best_of        greatest number of games
    draws_allowed  whether the database takes it without a winner
    odd            recorded elsewhere with games that no slip of this match could say
    """

    a: str
    b: str | None = None
    table: int | None = None
    result: str | None = None
    games: tuple[int, int, int] | None = None
    winner: str = ""
    first: str = ""
    score: tuple[str, str] | None = None
    game_order: str = ""
    slot: str = ""
    replays: tuple[dict, ...] = ()
    decided: str = ""
    waived: dict[str, str] | None = None
    best_of: int = 3
    draws_allowed: bool = True
    odd: bool = False

    @classmethod
    def from_log(cls, table: int | None, fact: Fact) -> MatchFact:
        """The match of a fact at that table; fields the log does not name hold their defaults."""
        values: Any = {
            name: tuple(value) if isinstance(value, list) else value for name, value in fact.items()
        }
        return cls(**values, table=table)

    def to_log(self) -> Fact:
        """The whole fact as the log writes it; the table is in its key."""
        fact = self._asdict()
        del fact["table"]
        return {name: list(value) if isinstance(value, tuple) else value for name, value in fact.items()}

    def key_in(self, round_number: int) -> str:
        """The natural key of the match in that round."""
        place = f"tables/{self.table}" if self.table else f"entries/{self.a}"
        return f"rounds/{round_number}/{place}"


MATCH_FIELDS = frozenset(MatchFact._fields) - {"table"}  # of a match in the log


class StoredMatch(NamedTuple):
    """A match as it stands in the database. `version`: the last action on it."""

    fact: MatchFact
    pk: int
    version: int


_COLUMNS = (
    "{0}table seat_a__entry__code seat_b__entry__code {0}result seat_a__games seat_b__games {0}drawn {0}winner "
    "{0}first seat_a__score seat_b__score {0}game_order {0}slot replays_text {0}decided {0}waived_rule "
    "{0}waived_reason {0}best_of {0}draws_allowed {0}odd"
)


_OWN_COLUMNS: list[Any] = [
    Cast("match__replays", models.TextField()) if name == "replays" else f"match__{name}"
    for name in (
        "table result drawn winner first game_order slot replays decided waived_rule waived_reason best_of "
        "draws_allowed odd"
    ).split()
]

_SEATS = Prepared(
    lambda match: (
        Seat.objects.filter(match=match)
        .order_by("side")
        .values_list("entry__code", "games", "score", *_OWN_COLUMNS)
    )
)


def match_columns(path: str = "") -> list[str]:
    """The columns `fact_of_columns` takes, of rows annotated with `match_relations`."""
    return _COLUMNS.format(path).split()


def match_relations(path: str = "") -> dict[str, Any]:
    """Annotations of rows that lead to matches by that path: both seats, and the repeat games as text.

    As text, because nearly all are empty: reading JSON from every row would be a third of the time.
    """
    seats = f"{path}seats"
    return {
        "seat_a": FilteredRelation(seats, condition=Q(**{f"{seats}__side": "a"})),
        "seat_b": FilteredRelation(seats, condition=Q(**{f"{seats}__side": "b"})),
        "replays_text": Cast(f"{path}replays", models.TextField()),
    }


def fact_of_columns(
    table: int | None, a: str, b: str | None, result: str | None, games_a: int | None, games_b: int | None,
    drawn: int | None, winner: str, first: str, score_a: str, score_b: str, game_order: str, slot: str,
    replays: str, decided: str, waived_rule: str, waived_reason: str, best_of: int, draws_allowed: bool,
    odd: bool,
) -> MatchFact:  # fmt: skip
    """A match from the columns of its row and seats, as `match_columns` names them."""
    return MatchFact(
        a,
        b,
        table,
        result,
        None if games_a is None else (games_a, games_b or 0, drawn or 0),
        winner,
        first,
        (score_a, "0" if b is None else score_b) if score_a else None,
        game_order,
        slot,
        () if replays == "[]" else tuple(json.loads(replays)),
        decided,
        {"rule": waived_rule, "reason": waived_reason} if waived_rule else None,
        best_of,
        draws_allowed,
        odd,
    )


def match_facts(matches: models.QuerySet[Match]) -> dict[str, StoredMatch]:
    """The matches by natural key, in the order of rounds and tables, in one query."""
    return _facts_in(_fact_rows(matches).iterator(5000))


def match_facts_of(entry: Entry) -> dict[str, StoredMatch]:
    """The matches of one entry, as `match_facts`."""
    return _facts_in(_OF_ENTRY.all(entry.pk))


def _fact_rows(matches: models.QuerySet[Match]) -> models.QuerySet[Match, Any]:
    rows: Any = matches.annotate(**match_relations()).order_by("round__number", "table", "pk")
    return rows.values_list("round__number", "pk", "version", *match_columns())


def _facts_in(rows: Iterable[Any]) -> dict[str, StoredMatch]:
    facts = {}
    for number, pk, version, *columns in rows:
        fact = fact_of_columns(*columns)
        facts[fact.key_in(number)] = StoredMatch(fact, pk, version)
    return facts


_OF_ENTRY: Prepared[Any] = Prepared(lambda entry: _fact_rows(Match.objects.filter(seats__entry=entry)))


def match_key(match: Match) -> str:
    """The natural key of a match."""
    if match.table:
        return f"rounds/{match.round.number}/tables/{match.table}"
    return f"rounds/{match.round.number}/entries/{match.seats.get(side='a').entry.code}"


def read_match(match: Match) -> MatchFact:
    """The whole fact of one match, in one query, by its seats: quicker than the joins of `match_facts`."""
    rows = _SEATS.all(match.pk)
    a, games_a, score_a, table, *columns, draws_allowed, odd = rows[0]
    b, games_b, score_b = rows[1][:3] if len(rows) > 1 else (None, None, "")
    result, drawn, winner, first, game_order, slot, replays, decided, rule, reason, best_of = columns
    return fact_of_columns(
        table, a, b, result, games_a, games_b, drawn, winner, first, score_a, score_b, game_order, slot,
        replays, decided, rule, reason, best_of, draws_allowed, odd,
    )  # fmt: skip


def find_match(tournament: Tournament, key: str) -> Match:
    """The match a key names. Raises Match.DoesNotExist."""
    _rounds, number, kind, name = key.split("/")
    matches = Match.objects.filter(round__tournament=tournament, round__number=int(number))
    if kind == "tables":
        return matches.get(table=int(name))
    return matches.get(table=None, seats__side="a", seats__entry__code=name)
