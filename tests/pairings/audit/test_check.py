import pytest

from pairings.audit.check import entry_label, verify_event
from pairings.simulation.simulate import simulate
from pairings.words.reasons import problem_words
from tests import factories
from tournament.actionlog import integrity
from tournament.archive import read_file
from tournament.archive.load import load_event
from tournament.event import read
from tournament.event.pairing_record import PairingRecord
from tournament.event.types import Match, Stage
from tournament.rulesets import resolve
from tournament.services.drops import drop_entry, reinstate_entry
from tournament.services.entries import add_entries
from tournament.services.stages import add_stage


def played(**facts):
    return simulate(17, 4, resolve("mtr"), "x", late=0, awarded=0, drops=False, **facts)


def unseated(event):
    """[(round, who, severity)] of everybody who is missed in a round."""
    return [
        (finding.round, *problem.entrants, problem.severity)
        for finding in verify_event(event)
        for problem in finding.problems
        if problem.code == "not seated"
    ]


def lose(event, number, table=1):
    """Delete a match from a round. Answers its two players, in id order."""
    matches = event.rounds[number - 1].matches
    lost = next(match for match in matches if match.table == table)
    matches.remove(lost)
    return sorted([lost.a, lost.b])


def test_who_lost_a_match_or_a_bye_is_named_and_who_came_later_or_plays_elsewhere_is_not():
    event = played()
    a, b = lose(event, 2)
    assert unseated(event) == [(2, a, "error"), (2, b, "error")]
    names = {code: entry_label(entry) for code, entry in event.entries.items()}
    messages = [problem_words(problem, names) for problem in verify_event(event)[1].errors]
    assert messages[0] == (
        f"{a} {event.entries[a].name} belongs in round 2 but is not seated: "
        "restore the lost match or bye from an earlier copy of the file"
    )
    bye = next(match for match in event.rounds[2].matches if match.result == "bye")
    event.rounds[2].matches.remove(bye)
    assert unseated(event)[2:] == [(3, bye.a, "error")]
    event.rounds[1].pairing = PairingRecord()  # paired elsewhere
    assert unseated(event)[:2] == [(2, a, "notice"), (2, b, "notice")]
    missed = next(problem for problem in verify_event(event)[1].problems if problem.entrants == (a,))
    assert problem_words(missed, {}).endswith("the file does not say why: record a missed round or a drop")
    event = played()
    a, b = lose(event, 1)
    event.entries[a].joined_round = 2
    assert unseated(event) == [(1, b, "error")]
    event.entries[a].joined_round = None
    event.stages = [Stage(1, entries=tuple(code for code in event.entries if code != a)), Stage(2)]
    assert unseated(event) == [(1, b, "error")]


@pytest.mark.parametrize("here", [True, False])
def test_an_awarded_bye_without_its_row_is_reported(here):
    event = simulate(9, 3, resolve("mtr"), "x", late=0, awarded=1, drops=False)
    bye = next(match for match in event.rounds[0].matches if match.result == "awarded_bye")
    event.rounds[0].matches.remove(bye)
    if not here:
        event.rounds[0].pairing = PairingRecord()
    (problem,) = verify_event(event)[0].errors
    assert problem_words(problem, {bye.a: "Ada"}) == (
        "Ada was awarded a bye for round 1, but the round has no row for it: "
        "record the awarded bye, or award fewer"
    )


@pytest.mark.parametrize("status", ["dropped", "disqualified"])
def test_who_left_later_is_still_missed_in_the_rounds_before(status):
    event = played()
    a, b = lose(event, 2)
    event.entries[a].status, event.entries[a].dropped_after = status, 3
    event.entries[b].status, event.entries[b].dropped_after = status, 1
    assert (2, a, "error") in unseated(event) and (2, b, "error") not in unseated(event)


@pytest.mark.parametrize("result", ["missed", "half_bye", "zero_bye", "full_bye", "awarded_bye"])
def test_a_round_sat_out_and_written_down_is_no_loss(result):
    event = played()
    event.rounds[1].matches += [Match(a=code, result=result) for code in lose(event, 2)]
    assert unseated(event) == []


@pytest.mark.django_db
def test_a_real_chess_event_has_no_rematch_but_two_forfeits_before(shared_data):
    event = read_file(shared_data / "events_more" / "chess-vega-2024-koshnitsky-cut1-2023.json")

    def rematches():
        problems = [
            (finding.round, problem.code) for finding in verify_event(event) for problem in finding.problems
        ]
        return [number for number, code in problems if code == "avoidable repeats"]

    assert rematches() == []
    tournament = load_event(event)
    assert integrity.check(tournament) == []
    assert not tournament.seats.filter(waived=True).exists()
    event.profile["pairing"]["forfeits_are_meetings"] = True
    assert rematches() == [5, 6]
    again = load_event(event.replace(ruleset={"profile": event.profile}), slug="again")
    waived = again.seats.filter(waived=True, side="a").order_by("round")
    assert list(waived.values_list("round__number", flat=True)) == [5, 6] and integrity.check(again) == []


@pytest.mark.django_db
def test_who_is_late_leaves_comes_back_or_plays_in_a_flight_is_not_lost():
    tournament = factories.TournamentFactory(entries=7, rounds=1)
    drop_entry(tournament, "P0003")
    add_entries(tournament, ["Late"])
    factories.enter_results(tournament, factories.RoundFactory(tournament=tournament).number)
    reinstate_entry(tournament, "P0003")
    add_stage(tournament)
    add_entries(tournament, ["B 1", "B 2"], stage=2)
    factories.enter_results(tournament, factories.RoundFactory(tournament=tournament, flight=1).number)
    factories.enter_results(tournament, factories.RoundFactory(tournament=tournament, flight=2).number)
    event = read.load_event_values(tournament)
    assert [len(round_.matches) for round_ in event.rounds] == [5, 5, 4, 1]
    assert unseated(event) == []
