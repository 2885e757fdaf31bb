import re
from collections.abc import Callable

import pytest

from standings.bracket.results import record_bracket_result
from tests.factories import TWO_NIL, TournamentFactory, UserFactory, enter_results
from tournament.actionlog import integrity
from tournament.actionlog.integrity import Row, Tables
from tournament.models import Staff, Tournament

pytestmark = pytest.mark.django_db
Spoil = Callable[[Tables], object]


def swiss() -> Tournament:
    """5 players: rounds 1 and 2 complete, round 3 published, with all its results."""
    tournament = TournamentFactory(entries=5, rounds=2, published=True)
    enter_results(tournament, 3)
    return tournament


def bracket() -> Tournament:
    """4 players: a round of Swiss, both semifinals played, the final open."""
    tournament = TournamentFactory(entries=4, rounds=1, with_cut=4)
    for table in (1, 2):
        record_bracket_result(tournament, 2, table, TWO_NIL)
    return tournament


def find(rows: dict[int, Row], **fields) -> Row:
    return next(row for row in rows.values() if fields.items() <= row.items())


def match_at(tables: Tables, number: int, table: int | None) -> Row:
    return find(tables.matches, round_id=round_row(tables, number)["id"], table=table)


def round_row(tables: Tables, number: int) -> Row:
    return find(tables.rounds, number=number)


def seat_at(tables: Tables, number: int, table: int | None, side: str = "a") -> Row:
    seats = tables.seats_of[match_at(tables, number, table)["id"]]
    return next(seat for seat in seats if seat["side"] == side)


def match(number: int, table: int | None, **fields) -> Spoil:
    return lambda tables: match_at(tables, number, table).update(fields)


def seat(number: int, table: int | None, **fields) -> Spoil:
    return lambda tables: seat_at(tables, number, table, "b" if table else "a").update(fields)


def round_(number: int, **fields) -> Spoil:
    return lambda tables: round_row(tables, number).update(fields)


def entry(code: str, **fields) -> Spoil:
    return lambda tables: find(tables.entries, code=code).update(fields)


def event(**fields) -> Spoil:
    return lambda tables: tables.tournament.update(fields)


def sit_as(number: int, table: int | None, earlier: int, earlier_table: int | None) -> Spoil:

    def spoil(tables: Tables) -> None:
        for side in "ab" if table else "a":
            old = seat_at(tables, earlier, earlier_table, side)
            sitting = {name: old[name] for name in ("entry_id", "opponent_id")}
            seat_at(tables, number, table, side).update(sitting)

    return spoil


def leave(number: int, table: int) -> Spoil:
    def spoil(tables: Tables) -> None:
        seats = tables.seats_of.pop(match_at(tables, number, table)["id"])
        tables.seats = [each for each in tables.seats if each not in seats]

    return spoil


def ahead(tables: Tables) -> int:
    return tables.tournament["revision"] + 1


SWISS: dict[str, Spoil] = {
    # seats
    "P000. has 2 pairing byes": sit_as(2, None, 1, None),
    "round 1 has 2 pairing byes": lambda t: t.seats.append({**seat_at(t, 1, None), "entry_id": 1}),
    "P000. and P000. meet 2 times in Swiss": sit_as(2, 1, 1, 1),
    "round 2: P000. sits 2 times": sit_as(2, 1, 2, 2),
    "round 1, table 1: seat of nobody belongs to another event": seat(1, 1, entry_id=-1),
    "round 1, table 1: seat of P000. belongs to another event": seat(1, 1, tournament_id=-1),
    "round 1: a seat at a match of another event": lambda t: t.strays.append(seat_at(t, 1, 1)),
    "stage 1: a player of another event": lambda t: t.stage_entries[0].update(entry_id=-1),
    "seat of P000. is in another round than its match": lambda t: seat_at(t, 1, 1).update(
        round_id=round_row(t, 2)["id"]
    ),
    "seat of P000. faces itself": lambda t: seat_at(t, 1, 1).update(opponent_id=seat_at(t, 1, 1)["entry_id"]),
    "seat of P000. does not match its round on whether it is Swiss": seat(1, 1, swiss=False),
    "round 1, table 1: 2 seats": seat(1, 1, side="a"),
    "round 1, table 1: the two seats do not name each other": seat(1, 1, opponent_id=None),
    "round 1, table 1: a seat's kind is not match": seat(1, 1, kind="bye"),
    "round 1, table 1: a seat does not say whether its players have met": seat(1, 1, meeting=False),
    "round 1, table 1: waiver of match and seats differ": seat(1, 1, waived=True),
    "round 1, table 1: waived without a reason": match(1, 1, waived_rule="rematch"),
    "round 3: P000. plays and has no seat": leave(3, 1),
    "round 3: P000. does not play and has a seat": lambda t: [
        row.update(status="dropped", dropped_after=2) for row in t.entries.values()
    ],
    "round 2: P0001 does not play and has a seat": entry("P0001", joined_round=3),
    # matches
    "round 1, table 1: result bye with 2 seats": match(1, 1, result="bye"),
    "round 1, a bye: result played with 1 seats": match(1, None, result="played"),
    "round 1, table 1: played without games": seat(1, 1, games=None),
    "round 3, table 1: games without a result": match(3, 1, result=None),
    "round 1, table 1: the winner does not match the games": match(1, 1, winner=""),
    "match and seats differ on whether the result is odd": seat(1, 1, odd=True),
    "a result marked as odd that was not recorded elsewhere": match(1, 1, odd=True),
    "round 1, table 1: 2-2 in best of 3": lambda t: [seat_at(t, 1, 1, side).update(games=2) for side in "ab"],
    "round 1, table 1: 3-0 in best of 3": lambda t: [
        seat_at(t, 1, 1, side).update(games=games) for side, games in (("a", 3), ("b", 0))
    ],
    "the order of games abab does not match": match(1, 1, game_order="abab"),
    "round 1, table 1: points of one side only": seat(1, 1, score="12"),
    "round 1: table 1 appears 2 times": lambda t: match_at(t, 1, 2).update(table=1),
    # rounds
    "round 1 is complete, but results are missing: 1$": match(1, 2, result=None),
    "stage 1 has 2 open rounds": round_(2, state="published"),
    "round 2 was left in the state repairing": round_(2, state="repairing"),
    "round 2 does not match its stage on whether it is Swiss": round_(2, swiss=False),
    "rounds are numbered \\[1, 2, 4\\]": lambda t: round_row(t, 3).update(number=4),
    # the log and its marks
    "actions .* do not lead to revision": lambda t: t.log.update(count=t.log["count"] - 1),
    "form key once was used 2 times": lambda t: t.used_keys.append(("once", 2)),
    "a mark \\(\\d+\\) is ahead of the log": lambda t: round_row(t, 1).update(revision=ahead(t)),
    "a mark \\(\\d+\\) is ahead": lambda t: match_at(t, 1, 1).update(version=ahead(t)),
    "a mark \\(\\d+\\) is": lambda t: t.tournament.update(public_revision=ahead(t)),
    "a mark \\(\\d+\\)": lambda t: t.tournament.update(standings_revision=ahead(t)),
    # players
    "P0001 is playing with waitlist number 1": entry("P0001", waits=1),
    "P0001 is waitlisted with waitlist number None": entry("P0001", status="waitlisted"),
    "P0001 is on the waitlist but has a place": entry("P0001", status="waitlisted", waits=1),
    "P0001 is merged but has a place": entry("P0001", status="merged", same_person_as_id=2),
    "the do-not-pair list names P0009, who is not in the event": event(forbidden=[["P0001", "P0009"]]),
    "P0001 requested byes for rounds 2, 1": entry(
        "P0001", requested_byes=[{"round": 2, "kind": "half"}, {"round": 1, "kind": "half"}]
    ),
    "P0001 requested byes for rounds 1, 1": entry("P0001", requested_byes=[{"round": 1, "kind": "half"}] * 2),
    "P0001 requested an unknown bye: long": entry("P0001", requested_byes=[{"round": 1, "kind": "long"}]),
    # reports
    "a report of a match without an opponent": lambda t: t.reports.append(
        {"match_id": match_at(t, 1, None)["id"], "source": "desk"}
    ),
    "round 1, table 1: a player's report of a match with a result": lambda t: t.reports.append(
        {"match_id": match_at(t, 1, 1)["id"], "source": "a"}
    ),
    "round 1, table 1: a player's report while players do not report": lambda t: t.reports.append(
        {"match_id": match_at(t, 1, 1)["id"], "source": "b"}
    ),
}
BRACKET: dict[str, Spoil] = {
    "stage 2: seeds are \\[1, 2, 3, 5\\]": lambda t: [
        row.update(seed=5) for row in t.stage_entries if row["seed"] == 4
    ],
    "stage 2: P000. plays without a seed": lambda t: t.stage_entries.remove(
        next(
            row
            for row in t.stage_entries
            if row["stage_id"] == find(t.stages, number=2)["id"] and row["seed"] == 1
        )
    ),
    "round 2, table 1: an elimination match without a winner": match(2, 1, winner="", draws_allowed=False),
    "round 3, table 1: P000. did not advance from round 2": match(2, 1, winner="b"),
}


def problems_of(tournament: Tournament, spoil: Spoil, monkeypatch) -> list[str]:
    class Spoiled(Tables):
        def __init__(self, tournament: Tournament, *, log: bool):
            super().__init__(tournament, log=log)
            spoil(self)

    with monkeypatch.context() as patched:
        patched.setattr(integrity, "Tables", Spoiled)
        return integrity.check(tournament)


@pytest.mark.parametrize(("make", "spoils"), [(swiss, SWISS), (bracket, BRACKET)])
def test_each_spoiled_row_is_named(make, spoils, monkeypatch):
    tournament = make()
    assert integrity.check(tournament) == []
    silent = {}
    for words, spoil in spoils.items():
        problems = problems_of(tournament, spoil, monkeypatch)
        if not any(re.search(words, problem) for problem in problems):
            silent[words] = problems
    assert silent == {}


@pytest.mark.parametrize("spoil", [sit_as(2, None, 1, None), sit_as(2, 1, 1, 1)])
def test_what_is_waived_is_no_rematch_and_no_second_bye(spoil, monkeypatch):
    def waive(tables: Tables) -> None:
        spoil(tables)
        for row in tables.matches.values():
            row.update(waived_rule="rematch", waived_reason="as it was played")
        for row in tables.seats:
            row.update(waived=True)

    problems = problems_of(swiss(), waive, monkeypatch)
    assert not [line for line in problems if "pairing byes" in line or "meet" in line]


@pytest.mark.parametrize("role", ["", "scorekeeper"])
def test_an_owner_who_is_no_organizer_is_named(role):
    tournament = TournamentFactory(entries=2)
    members = tournament.staff.filter(user=tournament.owner)
    if role:
        members.update(role=role)
    else:
        members.delete()
    Staff.objects.create(tournament=tournament, user=UserFactory(), role="owner")
    assert integrity.check(tournament) == ["the event's owner is not one of its organizers"]
