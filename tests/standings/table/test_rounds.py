from copy import deepcopy
from fractions import Fraction as F

import pytest

from pairings.engine.rng import Rng
from pairings.simulation.simulate import play_round, simulate
from standings.table.places import find_qualifiers, rank_final_places
from standings.table.swiss import compute_standings, ranks_by_round, standings_json
from tests.standings.engine.builders import event, match
from tournament.event.types import Entry, Event, Match, Penalty, RequestedBye, Round, Stage
from tournament.rulesets import presets

EVERY = presets()
ROUNDS = 6


def eventful(key: str, **rules) -> Event:
    """Six rounds and a bracket under a ruleset, with everything that players can do on the way.

    P0001 drops after round 2, comes back for round 4 and drops again after round 5, P0002 is disqualified in round 3,
    P0003 drops after round 2 and is disqualified in round 5, P0004 and P0005 ask for byes, P0006 leaves after the last
    Swiss round, P0007 in the semifinal, P0008 is disqualified in the final. P0015 joins in round 3, P0016 in round 5,
    P0017 waits in vain. P0009 and P0010 are ordered by hand after round 4.
    """
    example = simulate(14, 1, EVERY[key] | rules, seed=key, late=0, awarded=1, drops=False)
    example.rounds_planned, example.state = ROUNDS, "running"
    players, rng = example.entries, Rng(7)
    players["P0004"].requested_byes = (RequestedBye(round=2, kind="zero"), RequestedBye(round=4, kind="half"))
    players["P0005"].requested_byes = (RequestedBye(round=3, kind="full"), RequestedBye(round=6, kind="zero"))
    for code, joins, status in (("P0015", 3, "playing"), ("P0016", 5, "playing"), ("P0017", 6, "waitlisted")):
        players[code] = Entry(id=code, name=code, status=status, joined_round=joins, late=True)
    strengths = {code: 90 - 5 * place for place, code in enumerate(players)}
    for number in range(2, ROUNDS + 1):
        play_round(example, strengths, rng)
        if number == 2:
            players["P0001"].status, players["P0001"].dropped_after = "dropped", 2
            players["P0003"].status, players["P0003"].dropped_after = "dropped", 2
        if number == 3:
            disqualify(example, "P0002", 3)
            players["P0002"].dropped_after = 3
            players["P0001"].status, players["P0001"].dropped_after = "playing", None
            example.rounds[2].matches.append(Match(a="P0001", result="missed"))
        if number == 4:
            for place, code in enumerate(("P0010", "P0009"), start=1):
                players[code].manual, players[code].manual_after = place, 4
        if number == 5:
            disqualify(example, "P0003", 5)
            players["P0001"].status, players["P0001"].dropped_after = "dropped", 5
    seeds = ("P0006", "P0007", "P0008", "P0009")
    example.stages.append(Stage(2, kind="elimination", sources=(1,), seeds=seeds))
    won = {"result": "forfeit", "winner": "a"}
    semifinals = [Match(table=1, a="P0009", b="P0006", **won), Match(table=2, a="P0008", b="P0007", **won)]
    example.rounds.append(Round(ROUNDS + 1, 2, "complete", semifinals))
    example.rounds.append(Round(ROUNDS + 2, 2, "complete", [Match(table=1, a="P0009", b="P0008", **won)]))
    for code, last in (("P0006", ROUNDS), ("P0007", ROUNDS + 1)):
        players[code].status, players[code].dropped_after = "dropped", last
    disqualify(example, "P0008", ROUNDS + 2)
    players["P0008"].dropped_after = ROUNDS + 2
    example.state = "finished"
    return example


def disqualify(example: Event, code: str, number: int) -> None:
    example.entries[code].status = "disqualified"
    example.penalties += (Penalty(round=number, entry=code, kind="disqualification"),)


def cut_after(example: Event, number: int) -> Event:
    """The event of a file that was written after that round: a second reading of what had happened by then."""
    then = deepcopy(example)
    then.rounds = then.rounds[:number]
    then.penalties = tuple(penalty for penalty in then.penalties if penalty.round <= number)
    then.stages = [stage for stage in then.stages if any(r.stage == stage.number for r in then.rounds)]
    for code, entry in list(then.entries.items()):
        if (entry.joined_round or 0) > number:
            del then.entries[code]
            for round_ in then.rounds:
                round_.matches = [m for m in round_.matches if code not in (m.a, m.b)]
            continue
        if entry.status == "disqualified" and code not in [penalty.entry for penalty in then.penalties]:
            entry.status = "dropped"
        if entry.status == "dropped" and entry.dropped_after > number:
            entry.status, entry.dropped_after = "playing", None
        if (entry.manual_after or 0) > number:
            entry.manual = entry.manual_after = None
    return then


def assert_nothing_reaches_back(example: Event) -> None:
    """Standings and ranks after each round are those of the event as it was then; the bracket changes no qualifier."""
    ranks = []
    for number in range(1, len(example.rounds) + 1):
        then = cut_after(example, number)
        ours, theirs = standings_json(example, number), standings_json(then)
        assert (ours["columns"], ours["rows"]) == (theirs["columns"], theirs["rows"])
        ranks.append({row.entry: row.rank for row in compute_standings(then)})
    swiss = max(round_.number for round_ in example.rounds if example.stage(round_.stage).kind == "swiss")
    assert standings_json(example)["rows"] == standings_json(example, swiss)["rows"]
    assert find_qualifiers(example, 4) == find_qualifiers(cut_after(example, swiss), 4)
    history = ranks_by_round(example)  # none where stages are played side by side
    assert not history or history == {
        code: [after.get(code) for after in ranks[:swiss]] for code in example.entries
    }


@pytest.mark.parametrize("key", EVERY)
def test_nothing_reaches_back_under_any_ruleset(key):
    example = eventful(key)
    results = {match.result for round_ in example.rounds for match in round_.matches}
    assert results >= {"played", "bye", "awarded_bye", "half_bye", "zero_bye", "full_bye", "missed"}
    assert_nothing_reaches_back(example)


def test_nothing_reaches_back_where_tiebreakers_freeze_at_the_drop():
    assert_nothing_reaches_back(eventful("pokemon", frozen_at_drop=True))


@pytest.mark.parametrize("key", ["twixt", "pokemon", "fide"])
@pytest.mark.parametrize("carries", [False, True])
def test_nothing_reaches_back_into_an_earlier_session(key, carries):
    """P0001 drops after session 1 and enters again in session 2, or P0002 plays day 2 and drops there."""
    example = simulate(9, 3, EVERY[key], seed=key, late=1)
    names = tuple(code for code, entry in example.entries.items() if not entry.house)
    example.entries["P0001"].status, example.entries["P0001"].dropped_after = "dropped", 3
    if carries:
        inside = names[1:7]
        example.stages.append(Stage(2, sources=(1,), carries=True, entries=inside))
    else:
        again = [Entry(id=f"R{n}", name=f"R{n}", same_person_as=f"P000{n}") for n in (1, 2, 3, 4)]
        example.entries |= {entry.id: entry for entry in again}
        example.stages[0].entries = tuple(code for code in example.entries if not code.startswith("R"))
        inside = tuple(entry.id for entry in again)
        example.stages.append(Stage(2, entries=inside))
    example.rounds_planned = 5 if carries else 3
    for number in (4, 5):
        pairs = zip(
            inside[: len(inside) // 2], inside[:: -1 if number == 4 else 1][len(inside) // 2 :], strict=True
        )
        games = [match(a, b, games="W", table=table) for table, (a, b) in enumerate(pairs, start=1)]
        example.rounds.append(Round(number, 2, "complete", games))
    for code, last in ((inside[0], 4), (inside[-1], 5)):
        example.entries[code].status, example.entries[code].dropped_after = "dropped", last
    assert_nothing_reaches_back(example)


# --- the cap of Pokémon --------------------------------------------------------------------------------

TRIO = [
    [match("A", "B", games="W"), match("C", "D", games="W")],
    [match("A", "C", games="W"), match("B", "D", games="W")],
    [match("B", "C", games="L"), match("D", result="bye")],
]


def pokemon(*rounds, planned=3, **facts) -> Event:
    example = event(*rounds, preset="pokemon", **facts)
    example.rounds_planned = planned
    return example


def shares(example: Event, after: int | None = None) -> dict[str, tuple[F, F]]:
    """{player: (OMW, OOMW)}."""
    return {row.entry: tuple(row.values[2:4]) for row in compute_standings(example, after)}


def test_the_cap_of_players_who_dropped_applies_from_the_drop_on_while_rounds_are_to_come():
    dropped = pokemon(*TRIO, A={"status": "dropped", "dropped_after": 2})
    assert shares(dropped, 1) == shares(pokemon(*TRIO), 1)
    assert shares(dropped, 1)["B"][0] == shares(dropped, 1)["A"][1] == 1
    assert shares(dropped, 2)["B"][0] == (F(3, 4) + F(1, 4)) / 2
    assert shares(pokemon(*TRIO), 2)["B"][0] == (1 + F(1, 4)) / 2
    assert shares(dropped, 3)["B"][0] == shares(dropped)["B"][0] == F(5, 9)
    left = pokemon(*TRIO[:2], planned=3, A={"status": "dropped", "dropped_after": 2})
    assert shares(left)["B"][0] == F(1, 2)


@pytest.mark.parametrize("status", ["dropped", "disqualified"])
@pytest.mark.parametrize(("last", "planned"), [(3, 3), (3, None), (None, 3), (4, 3)])
def test_the_cap_spares_who_completed_every_swiss_round(status, last, planned):
    rounds = [*TRIO[:2], [match("A", "D", games="W"), match("B", "C", games="L")]]
    stayed = pokemon(*rounds, planned=planned)
    left = pokemon(*rounds, planned=planned, A={"status": status, "dropped_after": last})
    for after in (1, 2, 3, None):
        ours, theirs = shares(stayed, after), shares(left, after)
        assert theirs == {code: ours[code] for code in theirs}


def test_who_completed_the_first_day_and_is_not_in_the_second_is_spared():
    stages = [Stage(1, entries=tuple("ABCD")), Stage(2, sources=(1,), carries=True, entries=("B", "C"))]
    second = (2, [match("B", "C", games="W")])
    example = pokemon(
        *((1, matches) for matches in TRIO[:2]),
        second,
        stages=stages,
        A={"status": "dropped", "dropped_after": 2},
    )
    assert shares(example)["C"] == shares(pokemon(*((1, m) for m in TRIO[:2]), second, stages=stages))["C"]
    example.entries["A"].dropped_after = 1
    spared = pokemon(*((1, matches) for matches in TRIO[:2]), second, stages=stages)
    assert shares(example)["C"][0] < shares(spared)["C"][0]


# --- who is in the standings ---------------------------------------------------------------------------


def test_a_disqualification_takes_players_out_from_its_round_on_also_a_finalist():
    example = event(
        *TRIO,
        A={"status": "disqualified", "dropped_after": 1},
        B={"status": "disqualified", "dropped_after": 2},
    )
    example.penalties = (Penalty(round=2, entry="A", kind="disqualification"),)
    assert [sorted(compute_standings(example, after).order) for after in (1, 2)] == [list("ABCD"), list("CD")]
    assert [compute_standings(example, 1).views[code].now.records[code].left for code in "AB"] == [
        True,
        False,
    ]
    example = eventful("mtr")
    assert "P0008" in compute_standings(example)
    assert "P0008" not in [place.entry for place in rank_final_places(example)]


def test_what_happens_in_a_round_that_is_being_played_does_not_count_yet():
    example = event(*TRIO[:2], A={"status": "dropped", "dropped_after": 2}, E={"joined_round": 2})
    example.rounds[1].status = "published"
    ranking = compute_standings(example)
    assert not ranking.views["A"].now.records["A"].left and "E" not in ranking
    example.rounds[1].status = "complete"
    assert compute_standings(example).views["A"].now.records["A"].left


def test_flights_are_played_side_by_side_and_each_counts_its_own_rounds():
    """The second flight is playing its round 3 while the first one has completed round 4 of the event."""
    first, second = (1, [match("A", "B", games="W")]), (2, [match("C", "D", games="W")])
    stages = [Stage(1, entries=tuple("AB")), Stage(2, entries=tuple("CDE"))]
    left = {"status": "disqualified", "dropped_after": 3}
    example = event(first, second, second, first, stages=stages, A=left, C=left, E={"joined_round": 3})
    example.rounds[2].status = "published"
    assert sorted(compute_standings(example).order) == ["B", "C", "D"]
    example.rounds[2].status = "complete"
    assert sorted(compute_standings(example).order) == ["B", "D", "E"]


def test_the_lots_of_an_earlier_round_are_not_numbered_anew():
    """A place among the lots is part of the printed standings, and must not move as others register."""
    example, more = event(TRIO[0], seed="5eed"), event(TRIO[0], seed="5eed")
    for code in ("W1", "W2", "W3"):
        more.entries[code] = Entry(id=code, name=code, status="waitlisted")
    assert compute_standings(more).rows == compute_standings(example).rows
