"""The kinds of facts: under which natural key each row stands in the log, and which of its fields count.

A *fact* is a dict of JSON values under a key that means the same on every machine:

    tournament                      stages/2                   stages/2/entries/P0007
    entries/P0007                   rounds/4                   penalties/3
    rounds/4/tables/12              rounds/4/entries/P0003 (a match without a table, named by its first seat)
    rounds/4/tables/12/extension         flags/2

A match's fact joins its row and its seats: who sits where is said once. Personal fields of an entry
(name, alias, members, contact, notes, membership number, account, key) are no facts: they stay on the entry
and never enter the log.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.db import connection, models
from django.db.models.functions import Cast
from django.utils.dateparse import parse_datetime

from tournament.models import (
    Entry,
    Extension,
    Flag,
    Match,
    Penalty,
    Round,
    Ruleset,
    Seat,
    Stage,
    StageEntry,
    Tournament,
)
from tournament.rulesets import wins_needed

Fact = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """One kind of fact that is one row: its model, its fields, and how its key is made and found."""

    model: type[models.Model]
    fields: tuple[str, ...]
    key: Callable[[Any], str]
    find: Callable[[Tournament, list[str]], models.Model]
    identity: Callable[[Tournament, list[str]], dict[str, Any]]  # columns a new row gets from its key
    personal: tuple[str, ...] = ()


def _json(value: Any) -> Any:
    """A column's value as the log writes it."""
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).isoformat()
    if isinstance(value, Stage):
        return value.number
    if isinstance(value, Round):
        return value.number
    if isinstance(value, Entry):
        return value.code
    if isinstance(value, Ruleset):
        return [value.key, value.version]
    return value


def _column(tournament: Tournament, model: type[models.Model], name: str, value: Any) -> Any:
    """The log's value as the column takes it: the inverse of `_json`."""
    field = model._meta.get_field(name)
    if value is None:
        return None
    if isinstance(field, models.DateTimeField):
        return parse_datetime(value)
    if isinstance(field, models.ForeignKey):
        related = field.related_model
        if related is Entry:
            return tournament.entries.get(code=value)
        if related is Stage:
            return tournament.stages.get(number=value)
        if related is Round:
            return tournament.rounds.get(number=value)
        return Ruleset.objects.get(key=value[0], version=value[1])
    return value


def _stage_place(tournament: Tournament, parts: list[str]) -> StageEntry:
    return StageEntry.objects.get(
        stage__tournament=tournament, stage__number=int(parts[1]), entry__code=parts[3]
    )


TOURNAMENT = Kind(
    Tournament,
    (
        "name game venue starts_at time_zone state ruleset overrides profile rounds_planned cut best_of team "
        "round_minutes forbidden first_table skip_tables capacity self_registration check_in_from "
        "check_in_until listed name_privacy hold_standings announcement announcement_until"
    ).split(),  # type: ignore[arg-type]
    lambda row: "tournament",
    lambda tournament, parts: tournament,
    lambda tournament, parts: {},
)
STAGE = Kind(
    Stage,
    ("kind", "sources", "carries", "ends_at", "minutes", "best_of"),
    lambda row: f"stages/{row.number}",
    lambda tournament, parts: tournament.stages.get(number=int(parts[1])),
    lambda tournament, parts: {"tournament": tournament, "number": int(parts[1])},
)
STAGE_ENTRY = Kind(
    StageEntry,
    ("seed", "alternate"),
    lambda row: f"stages/{row.stage.number}/entries/{row.entry.code}",
    _stage_place,
    lambda tournament, parts: {
        "stage": tournament.stages.get(number=int(parts[1])),
        "entry": tournament.entries.get(code=parts[3]),
    },
)
ENTRY = Kind(
    Entry,
    (
        "status rating labels joined_round dropped_after seed_rank awarded_byes house late same_person_as "
        "start lot manual fixed_table rating_source checked_in paid waits"
    ).split(),  # type: ignore[arg-type]
    lambda row: f"entries/{row.code}",
    lambda tournament, parts: tournament.entries.get(code=parts[1]),
    lambda tournament, parts: {"tournament": tournament, "code": parts[1]},
    personal=("name", "alias", "members", "contact", "notes", "external_id", "user", "key_hash"),
)
ROUND = Kind(
    Round,
    ("stage", "state", "published_at", "ends_at", "minutes", "pairing"),
    lambda row: f"rounds/{row.number}",
    lambda tournament, parts: tournament.rounds.get(number=int(parts[1])),
    lambda tournament, parts: {"tournament": tournament, "number": int(parts[1])},
)
PENALTY = Kind(
    Penalty,
    ("round", "entry", "kind", "reason"),
    lambda row: f"penalties/{row.number}",
    lambda tournament, parts: tournament.penalties.get(number=int(parts[1])),
    lambda tournament, parts: {"tournament": tournament, "number": int(parts[1])},
)
EXTENSION = Kind(
    Extension,
    ("minutes", "reason"),
    lambda row: f"{match_key(row.match)}/extension",
    lambda tournament, parts: find_match(tournament, parts).extension,
    lambda tournament, parts: {"match": find_match(tournament, parts)},
)
FLAG = Kind(
    Flag,
    ("entry", "round", "at", "done"),
    lambda row: f"flags/{row.number}",
    lambda tournament, parts: tournament.flags.get(number=int(parts[1])),
    lambda tournament, parts: {"tournament": tournament, "number": int(parts[1])},
    personal=("text",),
)
KINDS = {
    kind.model: kind for kind in (TOURNAMENT, STAGE, STAGE_ENTRY, ENTRY, ROUND, PENALTY, EXTENSION, FLAG)
}


def kind_of(key: str) -> Kind | None:
    """The kind of fact under a key; None for a match."""
    parts = key.split("/")
    if parts[-1] == "extension":
        return EXTENSION
    if parts[0] == "stages":
        return STAGE_ENTRY if len(parts) == 4 else STAGE
    if parts[0] == "rounds":
        return ROUND if len(parts) == 2 else None
    return {"tournament": TOURNAMENT, "entries": ENTRY, "penalties": PENALTY, "flags": FLAG}[parts[0]]


def with_defaults(key: str, fact: Fact) -> Fact:
    """The fact with the fields its kind has got since it was written: they hold their defaults."""
    kind = kind_of(key)
    missing = [name for name in kind.fields if name not in fact] if kind else []
    return {**fact, **read_row(kind, kind.model(), missing)} if kind and missing else fact


def read_row(kind: Kind, row: Any, names: Iterable[str] | None = None) -> Fact:
    """The named fields of a row (all of its kind without names), as the log writes them."""
    return {name: _json(getattr(row, name)) for name in (names or kind.fields)}


def write_row(kind: Kind, tournament: Tournament, row: Any, fields: Fact) -> None:
    """Save just these fields of a row."""
    for name, value in fields.items():
        setattr(row, name, _column(tournament, kind.model, name, value))
    row.save(update_fields=list(fields))


def create_row(
    kind: Kind, tournament: Tournament, key: str, fields: Fact, personal: Fact | None = None
) -> Any:
    """A new row under a key."""
    row = new_row(kind, tournament, key, fields, personal)
    row.save(force_insert=True)
    return row


def new_row(kind: Kind, tournament: Tournament, key: str, fields: Fact, personal: Fact | None = None) -> Any:
    """The same, not saved yet."""
    columns = {name: _column(tournament, kind.model, name, value) for name, value in fields.items()}
    if kind is ROUND:
        columns["swiss"] = columns["stage"].is_swiss
    identity = kind.identity(tournament, key.split("/"))
    return kind.model(**identity, **columns, **(personal or {}))


# --- matches: one fact over a match and its seats -------------------------------------------------------

MATCH_FIELDS = (
    "a b result games winner first score game_order slot replays decided waived best_of draws_allowed"
).split()
_SEAT_COLUMNS = (
    "round__number match_id side entry__code games score match__table match__result match__drawn "
    "match__winner match__first match__game_order match__slot replays_text match__decided "
    "match__waived_rule match__waived_reason match__best_of match__draws_allowed match__version"
).split()


def match_facts(seats: models.QuerySet[Seat]) -> dict[str, tuple[Fact, int, int]]:
    """{key: (fact, match pk, version)} of the matches these seats belong to, in one query."""
    found: dict[int, tuple[str, Fact, int]] = {}
    rows: Any = seats.order_by("round__number", "match__table", "match_id", "side")
    # As text: nearly all are empty, and reading JSON from every row would be a third of the time.
    rows = rows.annotate(replays_text=Cast("match__replays", models.TextField()))
    rows = rows.values_list(*_SEAT_COLUMNS)
    for number, match_id, side, code, games, score, table, result, drawn, *rest in rows.iterator(5000):
        if side == "a":
            winner, first, order, slot, replays, decided, rule, why, best_of, draws, version = rest
            key = f"rounds/{number}/tables/{table}" if table else f"rounds/{number}/entries/{code}"
            fact = {
                "a": code,
                "b": None,
                "result": result,
                "games": None if games is None else [games, 0, drawn or 0],
                "winner": winner,
                "first": first,
                "score": [score, "0"] if score else None,
                "game_order": order,
                "slot": slot,
                "replays": [] if replays == "[]" else json.loads(replays),
                "decided": decided,
                "waived": {"rule": rule, "reason": why} if rule else None,
                "best_of": best_of,
                "draws_allowed": draws,
            }
            found[match_id] = (key, fact, version)
        else:
            fact = found[match_id][1]
            fact["b"] = code
            if fact["games"] is not None:
                fact["games"][1] = games or 0
            if fact["score"] is not None:
                fact["score"][1] = score
    return {key: (fact, pk, version) for pk, (key, fact, version) in found.items()}


def match_key(match: Match) -> str:
    """The natural key of a match."""
    if match.table:
        return f"rounds/{match.round.number}/tables/{match.table}"
    return f"rounds/{match.round.number}/entries/{match.seats.get(side='a').entry.code}"


def read_match(match: Match) -> Fact:
    """The whole fact of one match."""
    return next(iter(match_facts(Seat.objects.filter(match=match)).values()))[0]


def find_match(tournament: Tournament, parts: list[str]) -> Match:
    """The match a key names. Raises Match.DoesNotExist."""
    matches = Match.objects.filter(round__tournament=tournament, round__number=int(parts[1]))
    if parts[2] == "tables":
        return matches.get(table=int(parts[3]))
    return matches.get(table=None, seats__side="a", seats__entry__code=parts[3])


def match_columns(fact: Fact) -> Fact:
    """The part of a match fact that stands in the match's row."""
    columns = {
        name: fact[name]
        for name in ("result winner first game_order slot replays decided best_of draws_allowed".split())
        if name in fact
    }
    if "games" in fact:
        columns["drawn"] = None if fact["games"] is None else fact["games"][2]
    if "waived" in fact:
        waived = fact["waived"] or {"rule": "", "reason": ""}
        columns["waived_rule"], columns["waived_reason"] = waived["rule"], waived["reason"]
    return columns


def write_match(match: Match, fact: Fact) -> None:
    """Save just these fields of a match and its seats. Who sits there never changes under one key."""
    columns = match_columns(fact)
    for name, value in columns.items():
        setattr(match, name, value)
    if columns:
        match.save(update_fields=list(columns))
    if "games" in fact or "score" in fact:
        # First take both sides' games off, so that no order of writing meets the winning-games constraint.
        if "games" in fact:
            match.seats.update(games=None)
        for index, seat in enumerate(match.seats.order_by("side")):
            if "games" in fact:
                seat.games = None if fact["games"] is None else fact["games"][index]
            if "score" in fact:
                seat.score = fact["score"][index] if fact["score"] else ""
            seat.save(update_fields=["games", "score"])


def create_matches(round_: Round, facts: list[tuple[int | None, Fact]], version: int) -> None:
    """Matches and seats of a round in two bulk inserts: `(table, whole fact)` each.

    Rows without model instances: fifteen thousand of those would hold the event's lock three times as long.
    """
    entries = dict(round_.tournament.entries.values_list("code", "pk"))
    there = set(round_.matches.values_list("pk", flat=True))
    _insert(Match, _MATCH_COLUMNS, [_match_row(round_, table, fact, version) for table, fact in facts])
    # Under the event's lock nobody else seats this round, so its new rows stand in the order of the facts.
    pks = [pk for pk in round_.matches.order_by("pk").values_list("pk", flat=True) if pk not in there]
    seats = [
        seat for pk, (_, fact) in zip(pks, facts, strict=True) for seat in _seats(round_, pk, fact, entries)
    ]
    _insert(Seat, _SEAT_ROW, seats)


_MATCH_COLUMNS = (
    "round table version result winner first game_order slot replays decided best_of draws_allowed drawn "
    "waived_rule waived_reason"
).split()
_SEAT_ROW = "tournament round match entry opponent side games score swiss kind waived games_to_win".split()


_AT_ONCE = 500  # rows in one statement: databases take only so many parameters


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
        for start in range(0, len(rows), _AT_ONCE):
            some = rows[start : start + _AT_ONCE]
            cursor.execute(
                f"INSERT INTO {into} VALUES {', '.join([row] * len(some))}",  # noqa: S608 (names of our own tables)
                [value for values in some for value in values],
            )


def _match_row(round_: Round, table: int | None, fact: Fact, version: int) -> tuple:
    """The columns of a match, as `_MATCH_COLUMNS`."""
    columns = match_columns(fact)
    columns["replays"] = Match._meta.get_field("replays").get_db_prep_save(columns["replays"], connection)
    return (round_.pk, table, version, *(columns[name] for name in _MATCH_COLUMNS[3:]))


def _seats(round_: Round, match: int, fact: Fact, entries: dict[str, int]) -> Iterable[tuple]:
    """One seat per entry of a match fact, with the columns the constraints need, as `_SEAT_ROW`."""
    a, b = entries[fact["a"]], entries[fact["b"]] if fact["b"] else None
    for index, (entry, opponent) in enumerate([(a, b), (b, a)] if b else [(a, None)]):
        yield (
            round_.tournament_id,
            round_.pk,
            match,
            entry,
            opponent,
            "ab"[index],
            fact["games"][index] if fact["games"] else None,
            fact["score"][index] if fact["score"] else "",
            round_.swiss,
            "match" if b else fact["result"],
            bool(fact["waived"]),
            wins_needed(fact["best_of"]),
        )


def delete_matches(pks: list[int]) -> None:
    """Take matches and their seats away. Refused by the guards unless their round is draft or repairing."""
    Seat.objects.filter(match__in=pks).delete()
    Match.objects.filter(pk__in=pks).delete()
