"""A match as one fact: its row and its seats together, so that who sits where is said once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from django.db import connection, models
from django.db.models import FilteredRelation, Q
from django.db.models.functions import Cast

from tournament.models import Match, Round, Seat, Tournament
from tournament.rulesets import wins_needed

Fact = dict[str, Any]  # as the log writes it: JSON values by the name of the field
ROWS_AT_ONCE = 500  # in one statement: databases take only so many parameters


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


class StoredMatch(NamedTuple):
    """A match as it stands in the database. `version`: the last action on it."""

    fact: MatchFact
    pk: int
    version: int


_COLUMNS = (
    "{0}table seat_a__entry__code seat_b__entry__code {0}result seat_a__games seat_b__games {0}drawn {0}winner "
    "{0}first seat_a__score seat_b__score {0}game_order {0}slot replays_text {0}decided {0}waived_rule "
    "{0}waived_reason {0}best_of {0}draws_allowed"
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
    )


def match_facts(matches: models.QuerySet[Match]) -> dict[str, StoredMatch]:
    """The matches by natural key, in the order of rounds and tables, in one query."""
    rows: Any = matches.annotate(**match_relations()).order_by("round__number", "table", "pk")
    facts = {}
    for number, pk, version, *columns in rows.values_list(
        "round__number", "pk", "version", *match_columns()
    ).iterator(5000):
        fact = fact_of_columns(*columns)
        facts[fact.key_in(number)] = StoredMatch(fact, pk, version)
    return facts


def match_key(match: Match) -> str:
    """The natural key of a match."""
    if match.table:
        return f"rounds/{match.round.number}/tables/{match.table}"
    return f"rounds/{match.round.number}/entries/{match.seats.get(side='a').entry.code}"


def read_match(match: Match) -> MatchFact:
    """The whole fact of one match, in one query."""
    [stored] = match_facts(Match.objects.filter(pk=match.pk)).values()
    return stored.fact


def find_match(tournament: Tournament, key: str) -> Match:
    """The match a key names. Raises Match.DoesNotExist."""
    _rounds, number, kind, name = key.split("/")
    matches = Match.objects.filter(round__tournament=tournament, round__number=int(number))
    if kind == "tables":
        return matches.get(table=int(name))
    return matches.get(table=None, seats__side="a", seats__entry__code=name)


_AS_THEY_ARE = "result winner first game_order slot replays decided best_of draws_allowed".split()


def _match_columns(fact: Fact) -> Fact:
    """The part of a match's fact that stands in its own row."""
    columns = {name: fact[name] for name in _AS_THEY_ARE if name in fact}
    if "games" in fact:
        columns["drawn"] = None if fact["games"] is None else fact["games"][2]
    if "waived" in fact:
        waived = fact["waived"] or {"rule": "", "reason": ""}
        columns["waived_rule"], columns["waived_reason"] = waived["rule"], waived["reason"]
    return columns


def write_match(match: Match, fields: Fact) -> None:
    """Save just these fields of a match and its seats. Who sits there never changes under one key."""
    columns = _match_columns(fields)
    for name, value in columns.items():
        setattr(match, name, value)
    if columns:
        match.save(update_fields=list(columns))
    if "games" in fields or "score" in fields:
        # First take both sides' games off, so that no order of writing meets the winning-games constraint.
        if "games" in fields:
            match.seats.update(games=None)
        for index, seat in enumerate(match.seats.order_by("side")):
            if "games" in fields:
                seat.games = None if fields["games"] is None else fields["games"][index]
            if "score" in fields:
                seat.score = fields["score"][index] if fields["score"] else ""
            seat.save(update_fields=["games", "score"])


_MATCH_ROW = (
    "round table version result winner first game_order slot replays decided best_of draws_allowed drawn "
    "waived_rule waived_reason"
).split()
_SEAT_ROW = "tournament round match entry opponent side games score swiss kind waived games_to_win".split()


def create_matches(round_: Round, facts: list[MatchFact], version: int) -> None:
    """Matches and seats of a round in two bulk inserts.

    Rows without model instances: fifteen thousand of those would hold the event's lock three times as long.
    """
    entries = dict(round_.tournament.entries.values_list("code", "pk"))
    earlier = set(round_.matches.values_list("pk", flat=True))
    _insert(Match, _MATCH_ROW, [_match_row(round_, fact, version) for fact in facts])
    # Under the event's lock no one else seats this round, so its new rows stand in the order of the facts.
    pks = [pk for pk in round_.matches.order_by("pk").values_list("pk", flat=True) if pk not in earlier]
    seats = [
        row for pk, fact in zip(pks, facts, strict=True) for row in _seat_rows(round_, pk, fact, entries)
    ]
    _insert(Seat, _SEAT_ROW, seats)


def _insert(model: type[models.Model], names: list[str], rows: list[tuple]) -> None:
    columns: list[Any] = [model._meta.get_field(name).column for name in names]  # type: ignore[union-attr]
    into = f"{model._meta.db_table} ({', '.join(map(connection.ops.quote_name, columns))})"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":  # reads a stream faster than the text of a statement
            with connection.wrap_database_errors, cursor.copy(f"COPY {into} FROM STDIN") as stream:
                for values in rows:
                    stream.write_row(values)
            return
        row = f"({', '.join(['%s'] * len(columns))})"
        for start in range(0, len(rows), ROWS_AT_ONCE):
            some = rows[start : start + ROWS_AT_ONCE]
            cursor.execute(
                f"INSERT INTO {into} VALUES {', '.join([row] * len(some))}",  # noqa: S608 (names of our own tables)
                [value for values in some for value in values],
            )


def _match_row(round_: Round, fact: MatchFact, version: int) -> tuple:
    """The columns of a match, as `_MATCH_ROW`."""
    columns = _match_columns(fact.to_log())
    columns["replays"] = Match._meta.get_field("replays").get_db_prep_save(columns["replays"], connection)
    return (round_.pk, fact.table, version, *(columns[name] for name in _MATCH_ROW[3:]))


def _seat_rows(round_: Round, match: int, fact: MatchFact, entries: dict[str, int]) -> Iterator[tuple]:
    """One seat a player of the match, with the columns the constraints need, as `_SEAT_ROW`."""
    a, b = entries[fact.a], entries[fact.b] if fact.b else None
    for index, (entry, opponent) in enumerate([(a, b), (b, a)] if b else [(a, None)]):
        yield (
            round_.tournament_id,
            round_.pk,
            match,
            entry,
            opponent,
            "ab"[index],
            fact.games[index] if fact.games else None,
            fact.score[index] if fact.score else "",
            round_.swiss,
            "match" if b else fact.result,
            bool(fact.waived),
            wins_needed(fact.best_of),
        )


def delete_matches(pks: Iterable[int]) -> None:
    """Delete matches and their seats. Refused by the triggers unless their round is draft or repairing."""
    pks = list(pks)
    Seat.objects.filter(match__in=pks).delete()
    Match.objects.filter(pk__in=pks).delete()
