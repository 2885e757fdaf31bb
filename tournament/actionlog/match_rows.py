"""Matches and their seats as they are written: single fields, or a whole round in bulk."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from django.db import connection, models

from tournament.actionlog.match_facts import Fact, MatchFact
from tournament.models import Match, Round, Seat, Tournament
from tournament.models.prepared import update_games, update_row
from tournament.rulesets import is_meeting, wins_needed

ROWS_AT_ONCE = 500  # in one statement: databases take only so many parameters
_AS_THEY_ARE = "result winner first game_order slot replays decided best_of draws_allowed odd".split()


def _match_columns(fact: Fact) -> Fact:
    columns = {name: fact[name] for name in _AS_THEY_ARE if name in fact}
    if "games" in fact:
        columns["drawn"] = None if fact["games"] is None else fact["games"][2]
    if "waived" in fact:
        waived = fact["waived"] or {"rule": "", "reason": ""}
        columns["waived_rule"], columns["waived_reason"] = waived["rule"], waived["reason"]
    return columns


def write_match(
    match: Match, fields: Fact, meeting: bool = True, *, version: int | None = None, first: bool = False
) -> None:
    """Save just these fields of a match and its seats; who sits there, and by which waiver: `replace_seats`.

    meeting  whether the two have met by a result among the fields
    version  the action that does it, where the match is to say so
    first    the match had no games before
    """
    columns = _match_columns(fields) | ({} if version is None else {"version": version})
    for name, value in columns.items():
        setattr(match, name, value)
    if columns:
        update_row(match, list(columns))
    # First take both sides' games off, so that no order of writing meets the winning-games constraint.
    both: Fact = {"games": None} if "games" in fields and not first else {}
    if "result" in fields:
        both["meeting"] = meeting
    if "odd" in fields:
        both["odd"] = match.odd
    games = fields.get("games") or ()
    if games and both.keys() == {"meeting"}:  # as nearly every result is
        update_games(match, games, meeting)
    else:
        if both:
            match.seats.update(**both)
        if games:
            match.seats.update(games=models.Case(models.When(side="a", then=games[0]), default=games[1]))
    if "score" in fields:
        for side, score in zip("ab", fields["score"] or ("", ""), strict=True):
            match.seats.filter(side=side).update(score=score)


_MATCH_ROW = (
    "round table version result winner first game_order slot replays decided best_of draws_allowed drawn "
    "waived_rule waived_reason odd"
).split()
_SEAT_ROW = (
    "tournament round match entry opponent side games score swiss kind waived meeting games_to_win odd"
).split()


def create_matches(round_: Round, facts: Sequence[MatchFact], version: int) -> None:
    """Matches and seats of a round in two bulk inserts.

    Rows without model instances: fifteen thousand of those would hold the event's lock three times as long.
    """
    entries, profile = _keys_of_entries(round_), round_.tournament.profile
    earlier = set(round_.matches.values_list("pk", flat=True))
    _insert(Match, _MATCH_ROW, [_match_row(round_, fact, version) for fact in facts])
    # Under the event's lock no one else seats this round, so its new rows stand in the order of the facts.
    pks = [pk for pk in round_.matches.order_by("pk").values_list("pk", flat=True) if pk not in earlier]
    seats = [
        row
        for pk, fact in zip(pks, facts, strict=True)
        for row in _seat_rows(round_, pk, fact, entries, profile)
    ]
    _insert(Seat, _SEAT_ROW, seats)


def replace_seats(matches: Sequence[tuple[Match, MatchFact]]) -> None:
    """Seat whom each fact names in its match, with the fact's waiver, all at once: players may change places."""
    round_ = matches[0][0].round
    entries, profile = _keys_of_entries(round_), round_.tournament.profile
    with ExitStack() as unlocked:
        for each in {match.round for match, _fact in matches}:
            unlocked.enter_context(unlocked_seats(each))
        Seat.objects.filter(match__in=[match for match, _fact in matches]).delete()
        for match, fact in matches:
            write_match(match, {"waived": fact.waived})
        rows = [
            row
            for match, fact in matches
            for row in _seat_rows(match.round, match.pk, fact, entries, profile)
        ]
        _insert(Seat, _SEAT_ROW, rows)


def _keys_of_entries(round_: Round) -> dict[str, int]:
    return dict(round_.tournament.entries.values_list("code", "pk"))


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
    columns = _match_columns(fact.to_log())
    columns["replays"] = Match._meta.get_field("replays").get_db_prep_save(columns["replays"], connection)
    return (round_.pk, fact.table, version, *(columns[name] for name in _MATCH_ROW[3:]))


def _seat_rows(
    round_: Round, match: int, fact: MatchFact, entries: dict[str, int], profile: Fact | None
) -> Iterator[tuple]:
    a, b = entries[fact.a], entries[fact.b] if fact.b else None
    meeting = is_meeting(profile or {}, fact.result)
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
            meeting,
            wins_needed(fact.best_of),
            fact.odd,
        )


def mark_meetings(tournament: Tournament) -> None:
    """Let the seats of forfeits say what they count as under the event's rules, which changed."""
    meeting = is_meeting(tournament.profile or {}, Match.Result.FORFEIT)
    tournament.seats.filter(match__result=Match.Result.FORFEIT).update(meeting=meeting)


def delete_matches(pks: Iterable[int]) -> None:
    """Delete matches and their seats. Refused by the triggers unless their round is draft or repairing."""
    pks = list(pks)
    Seat.objects.filter(match__in=pks).delete()
    Match.objects.filter(pk__in=pks).delete()


@contextmanager
def unlocked_seats(round_: Round) -> Iterator[None]:
    """Let the seats of a published round change, inside one transaction: it is `repairing` meanwhile."""
    state = Round.objects.filter(pk=round_.pk).values_list("state", flat=True).get()
    locked = state not in (Round.State.DRAFT, Round.State.REPAIRING)
    if locked:
        Round.objects.filter(pk=round_.pk).update(state=Round.State.REPAIRING)
    yield
    if locked:
        Round.objects.filter(pk=round_.pk, state=Round.State.REPAIRING).update(state=state)
