import random
from functools import partial

import pytest

from pairings.corrections.effect import CorrectionWords, effect_of_correction
from standings.bracket.cut import make_cut
from tests.conftest import THOROUGH
from tests.factories import RoundFactory, TournamentFactory, enter_results, slips_of
from tests.pairings.correcting import ranks
from tournament.actionlog import integrity
from tournament.actionlog.fold import state_at
from tournament.errors import NotFound, Refused, WrongState
from tournament.event.profile import ruleset_in_force
from tournament.event.read import read_state
from tournament.models import Match, Round
from tournament.services.corrections import (
    add_missing_entry,
    correct_bye,
    correct_participation,
    correct_result,
    correct_seats,
    list_correctable_byes,
    list_entry_rounds,
)
from tournament.services.drops import disqualify_entry, drop_entry
from tournament.services.entries import add_entries
from tournament.services.results import match_rules, record_points
from tournament.services.stages import add_stage
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db

RULESETS = ["mtr", "dci1999", "twixt", "fab", "pokemon", "scrabble"]
CORRECTIONS = 24 if THOROUGH else 8  # of each kind of event
WHY = {"reason": "the drop was on the wrong slip"}


def rows_of(tournament, code):
    seats = tournament.seats.filter(entry__code=code).order_by("round__number")
    return dict(seats.values_list("round__number", "kind"))


def played(ruleset="mtr", entries=9, side_by_side=False):
    """Three complete rounds and one that is being played; two dropped on the way, one came late."""
    tournament = TournamentFactory(entries=entries, rounds=1, ruleset=ruleset)
    chance = random.Random(ruleset)
    if side_by_side:
        add_stage(tournament)
        add_entries(tournament, [f"Second {n}" for n in range(7)], stage=2)
        RoundFactory(tournament=tournament, flight=2, results=chance)
    drop_entry(tournament, "P0003")
    RoundFactory(tournament=tournament, results=chance, **({"flight": 1} if side_by_side else {}))
    add_entries(tournament, ["Late Lee"], stage=1, reason="the train was late")
    drop_entry(tournament, "P0005")
    RoundFactory(tournament=tournament, results=chance, **({"flight": 1} if side_by_side else {}))
    if side_by_side:
        RoundFactory(tournament=tournament, flight=2)
    RoundFactory(tournament=tournament, **({"flight": 1} if side_by_side else {}))
    return tournament


def random_correction(tournament, chance):
    if chance.random() < 0.4:
        matches = Match.objects.filter(round__tournament=tournament, round__swiss=True, table__isnull=False)
        match = chance.choice(list(matches.select_related("round").order_by("pk")))
        where = (tournament, match.round.number, match.table)
        if chance.random() < 0.5:
            slips = slips_of(match_rules(match, ruleset_in_force(tournament)))
            return partial(correct_result, *where, chance.choice(slips))
        here = sorted(match.round.seats.values_list("entry__code", flat=True))
        return partial(correct_seats, *where, *chance.sample(here, 2))
    code = chance.choice(list(tournament.entries.filter(house=False).values_list("code", flat=True)))
    kind = chance.random()
    if kind < 0.2:
        stage = chance.choice(list(tournament.stages.filter(kind="swiss").values_list("number", flat=True)))
        return partial(add_missing_entry, tournament, "Ann", chance.randint(1, 4), stage)
    alone = (
        tournament.seats.filter(opponent=None, swiss=True)
        .order_by("pk")
        .values_list("round__number", "entry__code")
    )
    if kind < 0.5 and alone:
        return partial(
            correct_bye,
            tournament,
            *chance.choice(list(alone)),
            chance.choice(list_correctable_byes(tournament)),
        )
    numbers = [round_.number for round_ in list_entry_rounds(tournament.entries.get(code=code))]
    return partial(
        correct_participation,
        tournament,
        code,
        chance.choice(numbers[:2]),
        chance.choice([None, None, *numbers]),
        lifted=chance.random() < 0.5,
    )


@pytest.mark.long
@pytest.mark.parametrize(("ruleset", "side_by_side"), [*((key, False) for key in RULESETS), ("mtr", True)])
def test_what_is_shown_is_what_happens_and_undo_takes_it_back(ruleset, side_by_side):
    tournament = played(ruleset, side_by_side=side_by_side)
    chance, done = random.Random(ruleset), 0
    for turn in range(10 * CORRECTIONS):
        if turn == CORRECTIONS:
            disqualify_entry(tournament, "P0007", "for a reason")
            for round_ in tournament.rounds.filter(state="published"):
                enter_results(tournament, round_.number)
            make_cut(tournament, 4)
        if done == 3 * CORRECTIONS:
            break
        correction = partial(random_correction(tournament, chance), **WHY)
        facts, was = read_state(tournament)[0], ranks(tournament)
        try:
            effect = effect_of_correction(tournament, partial(correction, preview=True), newcomer="Ann")
        except Refused:
            assert read_state(tournament)[0] == facts, "refused, and nothing was written"
            continue
        assert read_state(tournament)[0] == facts, "looking changes nothing"
        if effect is None:
            assert correction() is None
            continue
        done += 1
        sentence = CorrectionWords(tournament, effect).sentence
        action = correction()
        assert action.changes == effect.action.changes
        assert ranks(tournament) == ranks(effect.event)
        now = ranks(tournament)
        moves = {move.entry: (move.before, move.after) for move in effect.comparison.moves}
        assert moves == {c: (was.get(c), now.get(c)) for c in was | now if was.get(c) != now.get(c)}
        assert integrity.check(tournament) == [], sentence
        assert state_at(tournament) == read_state(tournament)[0]
        if chance.random() < 0.7:
            undo_action(tournament, action.number)
            assert read_state(tournament)[0] == facts
            assert integrity.check(tournament) == []
    assert done >= CORRECTIONS


def test_a_round_with_an_opponent_is_never_dropped():
    tournament = played()
    met = tournament.seats.get(entry__code="P0005", round__number=2)
    count = tournament.actions.count()
    text = f"met {met.opponent.name} in round 2, table {met.match.table}. Correct who sat there first"
    with pytest.raises(WrongState, match=text):
        correct_participation(tournament, "P0005", 1, 1, **WHY)
    playing = tournament.seats.filter(round__number=4, opponent__isnull=False).first().entry.code
    with pytest.raises(WrongState, match="Drop the player and repair that round first"):
        correct_participation(tournament, playing, 1, 3, **WHY)
    assert tournament.actions.count() == count


def test_who_was_there_before_the_late_entry_missed_those_rounds_by_the_rules():
    tournament = TournamentFactory(
        entries=8, rounds=2, overrides={"late_entry": {"missed": "half", "allowed_until_round": 9}}
    )
    add_entries(tournament, ["Late Lee"])
    assert rows_of(tournament, "P0009") == {1: "half_bye", 2: "half_bye"}
    RoundFactory(tournament=tournament)
    correct_participation(tournament, "P0009", 2, **WHY)
    entry = tournament.entries.get(code="P0009")
    assert (entry.joined_round, entry.late) == (2, True)
    assert {n: k for n, k in rows_of(tournament, "P0009").items() if n < 3} == {1: "half_bye", 2: "missed"}
    correct_participation(tournament, "P0009", 1, **WHY)
    entry.refresh_from_db()
    assert (entry.joined_round, entry.late) == (None, False)
    assert rows_of(tournament, "P0009")[1] == "missed"


def test_who_was_out_before_round_1_or_is_in_the_bracket_stays_so():
    tournament = TournamentFactory(entries=8)
    disqualify_entry(tournament, "P0003", "for a reason")
    assert correct_participation(tournament, "P0003", 1, None, **WHY) is None, "nothing to correct"
    RoundFactory(tournament=tournament)
    assert integrity.check(tournament) == []
    assert "P0003" not in ranks(tournament)
    tournament = TournamentFactory(entries=8, rounds=3, with_cut=4)
    seed = tournament.entries.filter(stage_entries__seed=1).get().code
    with pytest.raises(WrongState, match="plays in the bracket"):
        correct_participation(tournament, seed, 1, 3, **WHY)


def test_who_withdrew_before_the_start_was_there_in_one_of_the_sessions():
    tournament = TournamentFactory(entries=9)
    drop_entry(tournament, "P0009")
    RoundFactory(tournament=tournament, results=True)
    add_stage(tournament)
    add_entries(tournament, ["A", "B"], stage=2)
    RoundFactory(tournament=tournament, flight=2, results=True)
    with pytest.raises(Refused, match="Choose the session"):
        correct_participation(tournament, "P0009", 1, **WHY)
    correct_participation(tournament, "P0009", 1, stage=2, **WHY)
    assert rows_of(tournament, "P0009") == {2: "missed"}
    assert tournament.entries.get(code="P0009").joined_round is None
    assert integrity.check(tournament) == []


def test_a_second_bye_of_a_player_or_a_round_is_waived_without_the_reason_but_not_the_first_by_code():
    tournament = TournamentFactory(entries=9, rounds=2)
    first, second = (tournament.seats.get(round__number=n, kind="bye").entry.code for n in (1, 2))
    drop_entry(tournament, first)
    RoundFactory(tournament=tournament, results=True)
    correct_participation(tournament, first, 1, **WHY)
    correct_bye(tournament, 3, first, "bye", reason="by the head judge")
    match = Round.objects.get(tournament=tournament, number=3).matches.get(seats__entry__code=first)
    assert (match.waived_rule, match.waived_reason) == ("bye", "as it was played")
    assert first != second and integrity.check(tournament) == []
    correct_bye(tournament, 3, first, "missed", **WHY)
    match = Round.objects.get(tournament=tournament, number=3).matches.get(seats__entry__code=first)
    assert match.waived_rule == "" and integrity.check(tournament) == []
    tournament = TournamentFactory(entries=9, rounds=1)
    bye = tournament.seats.get(kind="bye").entry.code
    add_missing_entry(tournament, "Ann", 1, **WHY)
    correct_bye(tournament, 1, "P0010", "bye", **WHY)
    seats = tournament.seats.filter(round__number=1, kind="bye")
    assert dict(seats.values_list("entry__code", "waived")) == {bye: False, "P0010": True}
    correct_bye(tournament, 1, bye, "full_bye", **WHY)
    assert dict(seats.values_list("entry__code", "waived")) == {"P0010": False}


def test_byes_the_ruleset_refuses_are_refused_and_points_stay_with_a_bye():
    tournament = TournamentFactory(entries=5, rounds=2, ruleset="twixt")
    add_entries(tournament, ["Late Lee"], reason="the train was late")
    late = tournament.entries.get(name="Late Lee").code
    with pytest.raises(Refused, match="does not have such a bye"):
        correct_bye(tournament, 1, late, "half_bye", **WHY)
    with pytest.raises(WrongState, match="was not in the event in round 1"):
        correct_bye(tournament, 1, late, "bye", **WHY)
    correct_bye(tournament, 1, late, "full_bye", **WHY)
    assert rows_of(tournament, late)[1] == "full_bye"
    met = tournament.seats.filter(round__number=1, opponent__isnull=False).first().entry.code
    with pytest.raises(NotFound):
        correct_bye(tournament, 1, met, "bye", **WHY)
    tournament = TournamentFactory(entries=5, rounds=1, ruleset="scrabble")
    code = tournament.seats.get(kind="bye").entry.code
    record_points(tournament, 1, code, "50")
    correct_bye(tournament, 1, code, "full_bye", **WHY)
    assert tournament.seats.get(entry__code=code).score == "50"
    correct_bye(tournament, 1, code, "missed", **WHY)
    assert tournament.seats.get(entry__code=code).score == ""


def test_standings_kept_for_everyone_move_with_rounds_that_count_now(client):
    tournament = TournamentFactory(entries=8, rounds=1)
    drop_entry(tournament, "P0003")
    for _round in range(2):
        RoundFactory(tournament=tournament, results=True)
    RoundFactory(tournament=tournament)
    page = f"/t/{tournament.slug}/standings/"
    kept = client.get(page)
    correct_participation(tournament, "P0003", 1, 3, **WHY)
    assert client.get(page, headers={"If-None-Match": kept["ETag"]}).status_code == 200


def test_a_bye_of_an_earlier_round_is_corrected_while_a_later_one_is_played():
    tournament = TournamentFactory(entries=9, rounds=2, published=True)
    code = tournament.seats.get(round__number=1, kind="bye").entry.code
    action = correct_bye(tournament, 1, code, "missed", **WHY)
    states = list(tournament.rounds.order_by("number").values_list("state", flat=True))
    assert states == ["complete", "complete", "published"]
    undo_action(tournament, action.number)
    assert rows_of(tournament, code)[1] == "bye"
    assert list(tournament.rounds.order_by("number").values_list("state", flat=True)) == states
