"""A correction, a clearing, a repair or an undo against whatever else is done at that moment."""

from functools import partial

import pytest

from pairings.audit.pairing_report import pair_again
from pairings.draft.services import draft_next_round
from pairings.repair.page import repair_page
from pairings.repair.services import apply_repair
from standings.bracket.cut import cut_of, make_cut
from tests import factories
from tests.races.test_desks import FEW, TIMES, at_once, fresh, refusals
from tests.steps import complete_round
from tournament.actionlog import integrity
from tournament.errors import Conflict, WrongState
from tournament.event.read import event_of
from tournament.models import Action
from tournament.results.slip import Slip
from tournament.services.corrections import correct_result
from tournament.services.drops import drop_entry
from tournament.services.results import clear_result
from tournament.services.undo import last_undoable_action, undo_action

pytestmark = pytest.mark.django_db(transaction=True)
LOST = Slip("played", 0, 2)


def kinds_of(tournament):
    return list(
        Action.objects.filter(tournament=tournament).order_by("number").values_list("kind", flat=True)
    )


def test_a_correction_while_the_next_round_is_paired_is_in_its_pairings_or_refused():
    for _ in range(TIMES):
        tournament = factories.TournamentFactory(entries=8, rounds=1)
        answers = at_once(
            partial(correct_result, fresh(tournament), 1, 1, LOST, reason="typed wrong"),
            partial(draft_next_round, fresh(tournament)),
        )
        assert all(isinstance(error, WrongState | Conflict) for error in refusals(answers))
        done = [kind for kind in kinds_of(tournament)[-2:] if kind in ("correction", "draft")]
        assert done in (["correction"], ["draft"], ["correction", "draft"])
        if "draft" in done:
            assert not pair_again(event_of(tournament), 2, None).differs  # from the facts of now
        assert integrity.check(tournament) == []


def test_a_round_is_complete_with_all_results_or_one_is_cleared():
    for _ in range(TIMES):
        tournament = factories.TournamentFactory(entries=8, rounds=1)
        answers = at_once(
            partial(complete_round, fresh(tournament), 1), partial(clear_result, fresh(tournament), 1, 1)
        )
        assert [type(error) for error in refusals(answers)] == [WrongState]
        round_ = tournament.rounds.get()
        assert (round_.state == "complete") == (not round_.matches.filter(result=None).exists())
        assert integrity.check(tournament) == []


def test_a_cut_is_made_of_the_standings_with_the_correction_or_without_and_says_so():
    for _ in range(TIMES):
        tournament = factories.TournamentFactory(entries=6, rounds=2)
        answers = at_once(
            partial(make_cut, fresh(tournament), 4),
            partial(correct_result, fresh(tournament), 2, 1, LOST, reason="typed wrong"),
        )
        assert all(isinstance(error, WrongState | Conflict) for error in refusals(answers))
        assert len(refusals(answers)) <= 1
        if kinds_of(tournament)[-1] == "cut":
            places = tournament.stages.get(kind="elimination").stage_entries
            seeds = places.filter(seed__isnull=False).order_by("seed")
            best = cut_of(fresh(tournament), 4).qualifiers
            assert list(seeds.values_list("entry__code", flat=True)) == list(best)
        assert integrity.check(tournament) == []


@pytest.mark.long
def test_of_two_repairs_at_once_one_is_made():
    for _ in range(FEW):
        tournament = factories.TournamentFactory(entries=8)
        factories.RoundFactory(tournament=tournament)
        drop_entry(tournament, "P0003")
        page = repair_page(fresh(tournament), 1)
        plans = [option.plan for option in page.options if option.plan and option.reseating]
        repairs = [
            partial(
                apply_repair,
                fresh(tournament),
                1,
                plan=plan,
                added=page.added,
                removed=page.removed,
                seen=page.seen,
                reason="never came",
            )
            for plan in (plans[0], plans[-1])
        ]
        (refused,) = refusals(at_once(*repairs))
        assert isinstance(refused, Conflict | WrongState)
        assert kinds_of(tournament).count("re-pair") == 1
        assert integrity.check(tournament) == []


def test_two_who_undo_one_action_undo_it_once():
    for _ in range(TIMES):
        tournament = factories.TournamentFactory(entries=6)
        drop_entry(tournament, "P0002")
        number = last_undoable_action(tournament).number
        answers = at_once(*(partial(undo_action, fresh(tournament), number) for _ in range(2)))
        assert len(refusals(answers)) == 1
        assert tournament.entries.get(code="P0002").status == "playing"
        assert kinds_of(tournament).count("undo") == 1
        assert integrity.check(tournament) == []
