import threading
from functools import partial

import pytest
from django.db import connection

from pairings.audit.pairing_report import pair_again
from pairings.corrections import effect
from pairings.draft.edits import swap_players
from pairings.draft.services import compute_draft, draft_next_round
from pairings.repair.page import repair_page
from pairings.repair.services import apply_repair
from standings.bracket.cut import compute_cut, make_cut, undo_cut
from standings.bracket.open_matches import unsettled_matches
from standings.bracket.results import record_bracket_result
from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tests.races.at_once import FEW, TIMES, again, at_once, fresh, race, refusals
from tests.steps import complete_round
from tournament.actionlog import integrity
from tournament.archive.load import load_event
from tournament.archive.snapshots import list_snapshots, write_snapshot
from tournament.errors import Conflict, WrongState
from tournament.event.read import load_event_values, load_state, load_whole_event
from tournament.models import Action, Tournament
from tournament.results.slip import Slip
from tournament.services.corrections import correct_result
from tournament.services.drops import drop_entry
from tournament.services.event_settings import change_settings
from tournament.services.events import create_tournament, delete_event, finish_tournament, reopen_tournament
from tournament.services.reports import report_result
from tournament.services.results import clear_result, record_result
from tournament.services.rounds import publish_round, save_draft
from tournament.services.snapshots import restore_as_new
from tournament.services.undo import find_last_undoable, undo_action

pytestmark = pytest.mark.django_db(transaction=True)
WON, LOST = Slip("played", 2, 0), Slip("played", 0, 2)


def kinds_of(event):
    return list(event.actions.order_by("number").values_list("kind", flat=True))


def in_round_1(players):
    event = TournamentFactory(entries=players)
    RoundFactory(tournament=event)
    return event


@again(TIMES)
def test_two_people_publishing_publish_once():
    event = TournamentFactory(entries=6, drafted=True)
    (refused,) = race(event, *[lambda event: publish_round(event, 1)] * 2)
    assert isinstance(refused, WrongState)
    assert kinds_of(event).count("publish") == 1


@again(TIMES)
def test_a_drop_while_drafting_never_leaves_the_dropped_player_seated():
    event = TournamentFactory(entries=7)
    draft = compute_draft(fresh(event))
    refused = race(event, lambda event: save_draft(event, draft), lambda event: drop_entry(event, "P0003"))
    if event.rounds.exists():  # the draft came first: it must not be published as it is
        with pytest.raises(WrongState, match="Player 03 dropped since these pairings were made"):
            publish_round(fresh(event), 1)
    else:
        assert [type(error) for error in refused] == [WrongState]


@again(FEW)
def test_two_people_editing_one_draft_never_mix_their_tables():
    event = TournamentFactory(entries=8, drafted=True)
    round_ = event.rounds.get()
    seats = {seat.match.table: seat.entry.code for seat in round_.seats.filter(side="a").select_related()}
    how = {"seen": round_.revision, "reason": "asked for"}
    edits = (lambda event, with_=seats[n]: swap_players(event, 1, seats[1], with_, **how) for n in (2, 3))
    assert len(race(event, *edits)) == 1
    assert len(event.rounds.get().pairing["edits"]) == 1


def repairs_of(event, page, plans):
    seen = {"added": page.added, "removed": page.removed, "seen": page.seen, "reason": "never came"}
    return [partial(apply_repair, number=1, plan=plan, **seen) for plan in plans]


@again(FEW)
def test_a_result_and_a_repair_at_once_leave_one_of_them_out():
    event = in_round_1(8)
    drop_entry(event, "P0003")
    page = repair_page(fresh(event), 1)
    (plan,) = [option.plan for option in page.options if option.name == "keep"]
    table = event.rounds.get().seats.get(entry__code="P0003").match.table
    repair = repairs_of(event, page, [plan])
    assert len(race(event, *repair, lambda event: record_result(event, 1, table, WON))) == 1


@pytest.mark.long
@again(FEW)
def test_of_two_repairs_at_once_one_is_made():
    event = in_round_1(8)
    drop_entry(event, "P0003")
    page = repair_page(fresh(event), 1)
    plans = [option.plan for option in page.options if option.plan and option.reseating]
    (refused,) = race(event, *repairs_of(event, page, [plans[0], plans[-1]]))
    assert isinstance(refused, Conflict | WrongState)
    assert kinds_of(event).count("re-pair") == 1


@again(TIMES)
def test_two_scorekeepers_with_different_results_both_hear_of_it():
    event = in_round_1(4)
    version = event.rounds.get().matches.get(table=1).version
    enter = [partial(record_result, number=1, table=1, slip=slip, version=version) for slip in (WON, LOST)]
    (refused,) = race(event, *enter)
    assert isinstance(refused, Conflict)
    winner = event.rounds.get().matches.get(table=1).winner
    assert refused.theirs["games"] == list((WON if winner == "a" else LOST).games)


@pytest.mark.parametrize("key", ["", "same"])
def test_two_scorekeepers_with_the_same_result_are_both_content(key):
    for _ in range(FEW):
        event = in_round_1(4)
        assert race(event, *[lambda event: record_result(event, 1, 1, WON, key=key)] * 2) == []
        assert kinds_of(event).count("result") == 1


@pytest.mark.long
@again(TIMES)
def test_two_phones_and_the_desk_at_once_leave_one_result():
    event = in_round_1(4)
    change_settings(event, reporting="on")
    seats = event.rounds.get().matches.get(table=1).seats.order_by("side")
    a, b = (seat.entry.code for seat in seats)
    race(
        event,
        lambda event: report_result(event, a, 1, WON),
        lambda event: report_result(event, b, 1, LOST),
        lambda event: record_result(event, 1, 1, Slip("played", 1, 2)),
    )
    match = event.rounds.get().matches.get(table=1)
    assert match.winner == "b" and not match.reports.exists()  # staff's entry replaces what both reported


@again(TIMES)
def test_a_correction_while_the_next_round_is_paired_is_in_its_pairings_or_refused():
    event = TournamentFactory(entries=8, rounds=1)
    refused = race(event, lambda event: correct_result(event, 1, 1, LOST, reason="typo"), draft_next_round)
    assert all(isinstance(error, WrongState | Conflict) for error in refused)
    done = [kind for kind in kinds_of(event)[-2:] if kind in ("correction", "draft")]
    assert done in (["correction"], ["draft"], ["correction", "draft"])
    if "draft" in done:
        assert not pair_again(load_event_values(event), 2, None).differs  # from the facts of now


def test_a_correction_is_shown_at_a_desk_that_never_stands_still(monkeypatch):
    event = TournamentFactory(entries=16, rounds=1, published=True)
    tables, desks = iter(range(1, 9)), []

    def read_while_others_write(tournament):
        facts = load_state(tournament)
        write = partial(record_result, fresh(event), 2, next(tables), WON)
        desks.append(threading.Thread(target=at_once, args=(write,)))
        desks[-1].start()
        desks[-1].join(timeout=2 if connection.in_atomic_block else None)
        return facts

    monkeypatch.setattr(effect, "load_state", read_while_others_write)
    preview = partial(correct_result, event, 1, 1, Slip("double_loss"), reason="both left", preview=True)
    shown = effect.effect_of_correction(event, preview)
    for desk in desks:
        desk.join()
    assert shown is not None and shown.action.number == fresh(event).revision
    assert event.rounds.get(number=2).matches.exclude(result=None).count() == len(desks) == 2


@again(TIMES)
def test_a_round_is_complete_with_all_results_or_one_is_cleared():
    event = TournamentFactory(entries=8, rounds=1)
    (refused,) = race(event, lambda event: complete_round(event, 1), lambda event: clear_result(event, 1, 1))
    assert isinstance(refused, WrongState)
    round_ = event.rounds.get()
    assert (round_.state == "complete") == (not round_.matches.filter(result=None).exists())


@again(TIMES)
def test_two_who_undo_one_action_undo_it_once():
    event = TournamentFactory(entries=6)
    drop_entry(event, "P0002")
    number = find_last_undoable(event, "owner")[0].number
    assert len(race(event, *[lambda event: undo_action(event, number)] * 2)) == 1
    assert event.entries.get(code="P0002").status == "playing"
    assert kinds_of(event).count("undo") == 1


def in_the_bracket():
    event = TournamentFactory(entries=6, rounds=2)
    make_cut(event, 4)
    return event


@again(FEW)
def test_both_semi_finals_at_once_open_one_final():
    event = in_the_bracket()
    enter = [partial(record_bracket_result, number=3, table=table, slip=WON) for table in (1, 2)]
    assert race(event, *enter) == unsettled_matches(event) == []
    assert event.rounds.get(number=4).matches.count() == 1


@again(FEW)
def test_two_results_of_one_bracket_match_at_once_leave_one_and_a_clear_word():
    event = in_the_bracket()
    version = event.rounds.get(number=3).matches.get(table=1).version
    enter = partial(record_bracket_result, number=3, table=1, version=version)
    (refused,) = race(event, *(partial(enter, slip=slip) for slip in (WON, LOST)))
    assert isinstance(refused, Conflict)


@again(FEW)
def test_a_cut_made_twice_at_once_is_one_bracket():
    event = TournamentFactory(entries=6, rounds=2)
    (refused,) = race(event, *(partial(make_cut, rule=size) for size in (4, 2)))
    assert isinstance(refused, WrongState)
    assert kinds_of(event).count("cut") == 1 and unsettled_matches(event) == []


@again(FEW)
def test_a_result_while_somebody_leaves_or_the_cut_is_undone_leaves_a_whole_bracket():
    event = in_the_bracket()
    loser = event.rounds.get(number=3).matches.get(table=1).seats.get(side="b").entry.code
    race(
        event,
        lambda event: record_bracket_result(event, 3, 1, WON),
        lambda event: drop_entry(event, loser),
        undo_cut,
    )
    assert unsettled_matches(event) == []


@again(TIMES)
def test_a_cut_is_made_of_the_standings_with_the_correction_or_without_and_says_so():
    event = TournamentFactory(entries=6, rounds=2)
    refused = race(
        event,
        lambda event: make_cut(event, 4),
        lambda event: correct_result(event, 2, 1, LOST, reason="typed wrong"),
    )
    assert len(refused) <= 1 and all(isinstance(error, WrongState | Conflict) for error in refused)
    if kinds_of(event)[-1] == "cut":
        places = event.stages.get(kind="elimination").stage_entries
        seeds = places.filter(seed__isnull=False).order_by("seed")
        best = compute_cut(fresh(event), 4).qualifiers
        assert list(seeds.values_list("entry__code", flat=True)) == list(best)


@again(TIMES)
def test_a_new_event_sent_twice_at_once_is_made_once():
    owner = UserFactory()
    form = partial(create_tournament, "Friday night", "mtr", owner=owner, key="one form")
    answers = at_once(form, form)
    assert refusals(answers) == [] and answers[0] == answers[1]
    assert Tournament.objects.filter(owner=owner).count() == 1


def test_two_organizers_whose_events_have_one_name_get_two_addresses():
    for number in range(TIMES):
        name, owners = f"Friday {number}", [UserFactory() for _ in "ab"]
        answers = at_once(*(partial(create_tournament, name, "mtr", owner=owner) for owner in owners))
        assert refusals(answers) == []
        assert {event.slug for event in answers} == {f"friday-{number}", f"friday-{number}-2"}


def test_one_file_loaded_twice_at_once_is_whole_or_refused():
    file = load_whole_event(TournamentFactory(entries=4, rounds=1))
    for number in range(FEW):
        refusals(at_once(*[partial(load_event, file, slug=f"copy-{number}")] * 2))
        for event in Tournament.objects.filter(slug__startswith=f"copy-{number}"):
            assert integrity.check(event) == []


def test_a_snapshot_restored_twice_at_once_is_one_new_event(settings, tmp_path):
    settings.VAR_DIR = tmp_path
    for number in range(FEW):
        event = TournamentFactory(name=f"Friday {number}", entries=4)
        write_snapshot(event, event.revision, "by-hand")
        (snapshot,) = list_snapshots(event)
        press = partial(restore_as_new, event, snapshot, owner=event.owner, key="one form")
        answers = at_once(press, press)
        assert refusals(answers) == [] and answers[0] == answers[1]
        assert Tournament.objects.filter(slug__startswith=f"{event.slug}-from-").count() == 1
        assert integrity.check(answers[0]) == []


@again(FEW)
def test_a_result_against_a_deletion_is_in_or_told_so():
    event = in_round_1(4)
    enter = partial(record_result, fresh(event), 1, 1, WON)
    answers = at_once(enter, partial(delete_event, fresh(event), event.name))
    refusals(answers)
    assert answers[1] is None and not Tournament.objects.filter(pk=event.pk).exists()
    assert not Action.objects.filter(tournament_id=event.pk).exists()


@again(TIMES)
def test_two_windows_that_finish_or_reopen_do_it_once():
    event = TournamentFactory(entries=4, rounds=1)
    for change, kind in ((finish_tournament, "finish"), (reopen_tournament, "reopen")):
        (refused,) = race(event, *(partial(change, key=key) for key in ("a" + kind, "b" + kind)))
        assert isinstance(refused, WrongState)
        assert kinds_of(event).count(kind) == 1
    assert fresh(event).state == "running"
