"""Brackets by chance through the services: results, draws, leavings and undo by number, in any order.

After every action the tables hold every invariant and the bracket is settled: nothing stands in it that does
not follow from seeds and results, and nothing that could be played is still closed.
"""

import random

import pytest
from django.db import transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from standings.bracket.cut import cut_of, make_cut, undo_cut
from standings.bracket.open_matches import bracket_of_stage
from standings.bracket.results import (
    choose_first_move,
    decide_match,
    record_bracket_result,
    record_repeat_game,
)
from standings.engine.bracket.cut import Time
from standings.engine.bracket.tree import matches_to_open, outdated_matches
from standings.table.places import final_places_of
from tests import factories, steps
from tests.conftest import THOROUGH
from tests.standings.bracket.brackets import is_sound
from tournament.actionlog import integrity
from tournament.errors import Refused
from tournament.event import read
from tournament.models import Match
from tournament.results.slip import Slip, usual_slips
from tournament.services import drops
from tournament.services import undo as undoing
from tournament.services.results import rules_of
from tournament.services.rounds import IS_OPEN

pytestmark = pytest.mark.django_db
FORMS = [
    ("mtr", {}),
    ("mtr", {"elimination": {"third_place_match": True}}),
    ("cardeio", {}),
    ("cardeio", {"elimination": {"reseed": True, "third_place_match": True}}),
    ("twixt", {}),
    ("twixt", {"elimination": {"draw_rule": "higher_seed"}}),
]
TIMES = [Time(), Time(30, 200), Time(30, 40)]
STEPS = 40 if THOROUGH else 15


class RollBack(Exception):
    """Takes an example's rows away again."""


class Bracket:
    """A bracket and the hasty people at its desk: each step is a service with arguments by chance."""

    def __init__(self, ruleset: str, overrides: dict, seed: int):
        self.chance = random.Random(seed)
        players = self.chance.randint(5, 11)
        self.tournament = factories.TournamentFactory(entries=players, ruleset=ruleset, overrides=overrides)
        self.tournament.seed = f"{seed:032x}"  # the same draws whenever the example is looked at again
        self.tournament.save(update_fields=["seed"])
        for _ in range(2):
            factories.enter_results(
                self.tournament, factories.RoundFactory(tournament=self.tournament).number, chance=self.chance
            )
        self.cut()

    def cut(self) -> None:
        make_cut(self.tournament, self.chance.choice(self.sizes()))

    def sizes(self) -> list[int]:
        """Cuts that fit who is left. Raises Refused where nobody is."""
        most = len(cut_of(self.tournament, 5).qualifiers)
        if most < 2:
            raise Refused("nobody is left to cut")
        return list(range(2, most + 1))

    def match(self) -> Match:
        rows = Match.objects.filter(round__tournament=self.tournament, round__swiss=False)
        rows = rows.filter(table__isnull=False).select_related("round")
        matches = list(rows.order_by("round__number", "table"))
        if not matches:
            raise Refused("there is no match")
        return self.chance.choice(matches)

    def code(self) -> str:
        entries = self.tournament.entries.order_by("code")
        stage = self.tournament.stages.filter(kind="elimination").first()
        if stage and self.chance.random() < 0.8:
            entries = entries.filter(stage_entries__stage=stage, stage_entries__seed__isnull=False)
        codes = list(entries.values_list("code", flat=True))
        return self.chance.choice(codes or ["P0001"])

    def result(self) -> None:
        row = self.match()
        slips = [*usual_slips(rules_of(row, self.tournament.profile)), Slip("forfeit", winner="b")]
        slip, where = self.chance.choice(slips), (row.round.number, row.table)
        steps.confirmed(record_bracket_result, self.tournament, *where, slip)

    def repeat(self) -> None:
        row, slip = self.match(), self.chance.choice([Slip("played", 1, 0), Slip("played", 0, 0, 1)])
        time, where = self.chance.choice(TIMES), (row.round.number, row.table)
        record_repeat_game(self.tournament, *where, slip, time=time, reason=self.chance.choice(["", "time"]))

    def decide(self) -> None:
        row, how = self.match(), self.chance.choice(["higher_seed", "tiebreak"])
        time, winner = self.chance.choice(TIMES), self.chance.choice(["", "a", "b"])
        where = (row.round.number, row.table)
        decide_match(self.tournament, *where, how, winner=winner, time=time, reason="a word")

    def first(self) -> None:
        row = self.match()
        choose_first_move(self.tournament, row.round.number, row.table, self.chance.choice("ab"))

    def leave(self) -> None:
        steps.confirmed(drops.drop_entry, self.tournament, self.code())

    def disqualify(self) -> None:
        steps.confirmed(drops.disqualify_entry, self.tournament, self.code(), "cheating")

    def come_back(self) -> None:
        steps.confirmed(drops.reinstate_entry, self.tournament, self.code())

    def undo(self) -> None:
        """Any action since the cut, by its number, as from the log's page."""
        cut = self.tournament.actions.filter(kind="cut").order_by("number").first().number
        latest = self.tournament.actions.order_by("-number").first().number
        steps.confirmed(undoing.undo_action, self.tournament, self.chance.randint(cut, latest))

    def undo_last(self) -> None:
        steps.confirmed(steps.undo_last, self.tournament)

    def cut_again(self) -> None:
        self.sizes()
        if self.tournament.stages.filter(kind="elimination").exists():
            undo_cut(self.tournament)
        self.cut()

    def step(self) -> None:
        act = self.chance.choices(
            [self.result, self.repeat, self.decide, self.first, self.leave, self.disqualify, self.come_back,
             self.undo, self.undo_last, self.cut_again],
            [10, 3, 3, 1, 3, 1, 3, 4, 1, 1],
        )[0]  # fmt: skip
        before = self.tournament.actions.count()
        try:
            if not self.tournament.stages.filter(kind="elimination").exists():
                act = self.cut
            act()
        except Refused as refused:
            assert str(refused)
            assert self.tournament.actions.count() == before, "refused, and yet written"


def check_tables(tournament) -> None:
    """No two open matches share a table."""
    open_ = Match.objects.filter(IS_OPEN, round__tournament=tournament)
    tables = list(open_.values_list("table", flat=True))
    assert len(tables) == len(set(tables))


def check_settled(tournament) -> None:
    assert integrity.check(tournament) == []
    check_tables(tournament)
    stage = tournament.stages.filter(kind="elimination").first()
    if stage is None:
        return
    bracket = bracket_of_stage(stage)
    assert [match.slot for match in outdated_matches(bracket)] == []
    assert [match.slot for match in matches_to_open(bracket)] == []
    for row in tournament.rounds.filter(swiss=False):
        out = row.matches.filter(result=None).exists()
        assert not (row.state == "complete" and out)
        assert row.matches.exists()
    placed = [place.entry for place in final_places_of(read.event_of(tournament))]
    assert len(set(placed)) == len(placed)


@settings(max_examples=20 if THOROUGH else 4)
@given(size=st.integers(3, 32), order=st.randoms(use_true_random=False))
def test_in_whatever_order_matches_end_no_two_open_ones_share_a_table(size, order):
    with pytest.raises(RollBack), transaction.atomic():
        tournament = factories.TournamentFactory(entries=32, rounds=1)
        make_cut(tournament, size)
        played = 0
        while rows := Match.objects.filter(IS_OPEN, round__tournament=tournament).values_list(
            "round__number", "table"
        ):
            check_tables(tournament)
            record_bracket_result(tournament, *order.choice(sorted(rows)), Slip("played", 2, 0))
            played += 1
        assert played == size - 1
        raise RollBack


@pytest.mark.long
@pytest.mark.parametrize(("ruleset", "overrides"), FORMS)
@settings(max_examples=3 if THOROUGH else 1)
@given(seed=st.integers(0, 2**32))
def test_whatever_happens_in_a_bracket_in_any_order_it_stays_settled(ruleset, overrides, seed):
    with pytest.raises(RollBack), transaction.atomic():
        bracket = Bracket(ruleset, overrides, seed)
        for _ in range(STEPS):
            bracket.step()
            check_settled(bracket.tournament)
        assert is_sound(bracket.tournament)
        raise RollBack
