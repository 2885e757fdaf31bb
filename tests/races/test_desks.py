"""Two people at once, with real connections: whatever the order, the facts stay whole."""

import threading
from functools import partial

import pytest
from django.db import connection, connections

from pairings.corrections import effect
from pairings.draft.compute import compute_draft
from pairings.draft.edits import swap_players
from pairings.draft.services import draft_next_round
from pairings.repair.page import repair_page
from pairings.repair.services import apply_repair
from tests import factories
from tests.conftest import CI, FULL
from tournament.actionlog import integrity
from tournament.archive.load import load_event
from tournament.archive.snapshots import snapshots_of, write_snapshot
from tournament.errors import Conflict, Refused, WrongState
from tournament.event.read import state_of, whole_event_of
from tournament.models import Action, Tournament
from tournament.results.slip import Slip
from tournament.services.corrections import correct_result
from tournament.services.drops import drop_entry
from tournament.services.event_deletion import delete_event
from tournament.services.event_settings import change_settings
from tournament.services.events import create_tournament, finish_tournament, reopen_tournament
from tournament.services.reports import report_result
from tournament.services.results import record_result
from tournament.services.rounds import publish_round, save_draft
from tournament.services.snapshots import restore_as_new

pytestmark = pytest.mark.django_db(transaction=True)
TIMES, FEW = (200, 200) if FULL else (30, 8) if CI else (8, 2)


def at_once(*calls):
    """Run each call in a thread of its own, started together. Answers what each returned or raised."""
    barrier = threading.Barrier(len(calls), timeout=60)
    answers: list = [None] * len(calls)

    def run(index, call):
        try:
            connection.ensure_connection()
            barrier.wait()
            answers[index] = call()
        except Exception as error:
            answers[index] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def fresh(tournament: Tournament) -> Tournament:
    return Tournament.objects.get(pk=tournament.pk)


def refusals(answers):
    """The refusals among the answers; anything else that was raised is our own fault."""
    raised = [answer for answer in answers if isinstance(answer, Exception)]
    assert all(isinstance(error, Refused) for error in raised), raised
    return raised


def test_two_people_publishing_publish_once():
    for _ in range(TIMES):
        tournament = factories.TournamentFactory(entries=6)
        draft_next_round(tournament)
        answers = at_once(*(partial(publish_round, fresh(tournament), 1) for _ in range(2)))
        refused = refusals(answers)
        assert len(refused) == 1 and isinstance(refused[0], WrongState)
        assert Action.objects.filter(tournament=tournament, kind="publish").count() == 1
        assert integrity.check(tournament) == []


def test_two_scorekeepers_with_different_results_both_hear_of_it():
    for _ in range(TIMES):
        tournament = factories.TournamentFactory(entries=4)
        factories.RoundFactory(tournament=tournament)
        version = tournament.rounds.get().matches.get(table=1).version
        slips = [Slip("played", 2, 0), Slip("played", 0, 2)]
        answers = at_once(*(partial(record_result, fresh(tournament), 1, 1, slip, version) for slip in slips))
        refused = refusals(answers)
        assert len(refused) == 1 and isinstance(refused[0], Conflict)
        winner = slips[0] if not isinstance(answers[0], Exception) else slips[1]
        assert refused[0].theirs["games"] == list(winner.games)
        assert tournament.rounds.get().matches.get(table=1).winner == ("a" if winner.a else "b")


def test_two_scorekeepers_with_the_same_result_are_both_content():
    for _ in range(FEW):
        tournament = factories.TournamentFactory(entries=4)
        factories.RoundFactory(tournament=tournament)
        answers = at_once(
            *(partial(record_result, fresh(tournament), 1, 1, Slip("played", 2, 1)) for _ in range(2))
        )
        assert refusals(answers) == []
        assert Action.objects.filter(tournament=tournament, kind="result").count() == 1


def test_one_form_sent_twice_at_once_is_done_once():
    for _ in range(FEW):
        tournament = factories.TournamentFactory(entries=4)
        factories.RoundFactory(tournament=tournament)
        answers = at_once(
            *(
                partial(record_result, fresh(tournament), 1, 2, Slip("played", 2, 1), key="same")
                for _ in range(2)
            )
        )
        assert refusals(answers) == []
        assert answers[0].number == answers[1].number


def test_a_drop_while_drafting_never_leaves_the_dropped_player_seated():
    for _ in range(TIMES):
        tournament = factories.TournamentFactory(entries=7)
        draft = compute_draft(fresh(tournament))
        answers = at_once(
            partial(save_draft, fresh(tournament), draft), partial(drop_entry, fresh(tournament), "P0003")
        )
        refusals(answers)
        if tournament.rounds.exists():  # the draft came first: it must not be published as it is
            with pytest.raises(WrongState, match="Player 03 dropped since these pairings were made"):
                publish_round(fresh(tournament), 1)
        else:
            assert isinstance(answers[0], WrongState)
        assert integrity.check(tournament) == []


def test_two_people_editing_one_draft_never_mix_their_tables():
    for _ in range(FEW):
        tournament = factories.TournamentFactory(entries=8)
        draft_next_round(tournament)
        round_ = tournament.rounds.get()
        seats = {seat.match.table: seat.entry.code for seat in round_.seats.filter(side="a").select_related()}
        edits = [
            partial(
                swap_players,
                fresh(tournament),
                1,
                seats[1],
                seats[other],
                seen=round_.revision,
                reason="asked for",
            )
            for other in (2, 3)
        ]
        refused = refusals(at_once(*edits))
        assert len(refused) == 1
        assert len(tournament.rounds.get().pairing["edits"]) == 1
        assert integrity.check(tournament) == []


def test_a_result_and_a_repair_at_once_leave_one_of_them_out():
    for _ in range(FEW):
        tournament = factories.TournamentFactory(entries=8)
        factories.RoundFactory(tournament=tournament)
        drop_entry(tournament, "P0003")
        page = repair_page(fresh(tournament), 1)
        option = next(option for option in page.options if option.name == "keep")
        table = tournament.rounds.get().seats.get(entry__code="P0003").match.table
        answers = at_once(
            partial(
                apply_repair,
                fresh(tournament),
                1,
                plan=option.plan,
                added=page.added,
                removed=page.removed,
                seen=page.seen,
                reason="never came",
            ),
            partial(record_result, fresh(tournament), 1, table, Slip("played", 2, 0)),
        )
        assert len(refusals(answers)) == 1
        assert integrity.check(tournament) == []


def test_a_new_event_sent_twice_at_once_is_made_once():
    for _ in range(TIMES):
        owner = factories.UserFactory()
        form = partial(create_tournament, "Friday night", "mtr", owner=owner, key="one form")
        answers = at_once(form, form)
        assert refusals(answers) == [] and answers[0] == answers[1]
        assert Tournament.objects.filter(owner=owner).count() == 1


def test_two_organizers_whose_events_have_one_name_get_two_addresses():
    for number in range(TIMES):
        owners = [factories.UserFactory() for _ in range(2)]
        answers = at_once(
            *(partial(create_tournament, f"Friday {number}", "mtr", owner=owner) for owner in owners)
        )
        assert refusals(answers) == []
        assert {event.slug for event in answers} == {f"friday-{number}", f"friday-{number}-2"}


def test_one_file_loaded_twice_at_once_is_whole_or_refused():
    file = whole_event_of(factories.TournamentFactory(entries=4, rounds=1))
    for number in range(FEW):
        answers = at_once(*(partial(load_event, file, slug=f"copy-{number}") for _ in range(2)))
        refusals(answers)
        for event in Tournament.objects.filter(slug__startswith=f"copy-{number}"):
            assert integrity.check(event) == []


def test_a_snapshot_restored_twice_at_once_is_one_new_event(settings, tmp_path):
    settings.VAR_DIR = tmp_path
    for number in range(FEW):
        tournament = factories.TournamentFactory(name=f"Friday {number}", entries=4)
        write_snapshot(tournament, tournament.revision, "by-hand")
        (snapshot,) = snapshots_of(tournament)
        press = partial(restore_as_new, tournament, snapshot, owner=tournament.owner, key="one form")
        answers = at_once(press, press)
        assert refusals(answers) == [] and answers[0] == answers[1]
        assert Tournament.objects.filter(slug__startswith=f"{tournament.slug}-from-").count() == 1
        assert integrity.check(answers[0]) == []


def test_a_result_against_a_deletion_is_in_or_told_so():
    for _ in range(FEW):
        tournament = factories.TournamentFactory(entries=4)
        factories.RoundFactory(tournament=tournament)
        enter = partial(record_result, fresh(tournament), 1, 1, Slip("played", 2, 0))
        answers = at_once(enter, partial(delete_event, fresh(tournament), tournament.name))
        refusals(answers)
        assert answers[1] is None and not Tournament.objects.filter(pk=tournament.pk).exists()
        assert not Action.objects.filter(tournament_id=tournament.pk).exists()


def test_a_correction_is_shown_at_a_desk_that_never_stands_still(monkeypatch):
    """Another desk writes whenever the facts were read; under the lock it waits."""
    event = factories.TournamentFactory(entries=16, rounds=1, published=True)
    tables, desks = iter(range(1, 9)), []

    def read_while_others_write(tournament):
        facts = state_of(tournament)
        write = partial(record_result, fresh(event), 2, next(tables), Slip("played", 2, 0))
        desks.append(threading.Thread(target=at_once, args=(write,)))
        desks[-1].start()
        desks[-1].join(timeout=2 if connection.in_atomic_block else None)
        return facts

    monkeypatch.setattr(effect, "state_of", read_while_others_write)
    preview = partial(correct_result, event, 1, 1, Slip("double_loss"), reason="both left", preview=True)
    shown = effect.effect_of_correction(event, preview)
    for desk in desks:
        desk.join()
    assert shown is not None and shown.action.number == fresh(event).revision
    assert event.rounds.get(number=2).matches.exclude(result=None).count() == len(desks) == 2


@pytest.mark.long
def test_two_phones_and_the_desk_at_once_leave_one_result():
    """Whatever comes first, the match has one result, no report is left beside it, and nothing is counted twice."""
    for _ in range(TIMES):
        tournament = factories.TournamentFactory(entries=4)
        change_settings(tournament, reporting="on")
        factories.RoundFactory(tournament=tournament)
        a, b = (
            seat.entry.code for seat in tournament.rounds.get().matches.get(table=1).seats.order_by("side")
        )
        won, lost = Slip("played", 2, 0), Slip("played", 0, 2)
        answers = at_once(
            partial(report_result, fresh(tournament), a, 1, won),
            partial(report_result, fresh(tournament), b, 1, lost),
            partial(record_result, fresh(tournament), 1, 1, Slip("played", 1, 2)),
        )
        refusals(answers)
        match = tournament.rounds.get().matches.get(table=1)
        assert match.winner == "b" and not match.reports.exists()  # staff's entry replaces what both reported
        assert integrity.check(fresh(tournament)) == []


def test_two_windows_that_finish_or_reopen_do_it_once():
    """The second one hears why not, and the log has one line."""
    for _ in range(TIMES):
        tournament = factories.TournamentFactory(entries=4, rounds=1)
        for change, kind in ((finish_tournament, "finish"), (reopen_tournament, "reopen")):
            answers = at_once(
                *(partial(change, fresh(tournament), key=key) for key in ("a" + kind, "b" + kind))
            )
            refused = refusals(answers)
            assert len(refused) == 1 and isinstance(refused[0], WrongState)
            assert tournament.actions.filter(kind=kind).count() == 1
        assert fresh(tournament).state == "running"
        assert integrity.check(fresh(tournament)) == []
