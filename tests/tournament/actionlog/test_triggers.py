import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction

from tests import factories
from tournament.actionlog import triggers
from tournament.actionlog.triggers import MARK
from tournament.models import Action, Entry, Match, Round, Seat, Stage, StageEntry, Tournament

pytestmark = pytest.mark.django_db


@pytest.fixture
def running():
    """Five players, round 1 played and complete, round 2 published."""
    tournament = factories.TournamentFactory(entries=5, rounds=1)
    factories.RoundFactory(tournament=tournament)
    return tournament


@pytest.fixture
def draft(running):
    stage = Stage.objects.create(tournament=running, number=2)
    round_ = Round.objects.create(tournament=running, stage=stage, number=3)
    return Match.objects.create(round=round_, table=1)


@pytest.fixture
def late(running):
    return Entry.objects.create(tournament=running, code="P9999", name="Late")


def refused(write) -> str:
    with pytest.raises(IntegrityError) as error, transaction.atomic():
        write()
        connection.check_constraints()
    return str(error.value)


def seat_values(seat: Seat, **changed) -> dict:
    names = "tournament_id round_id match_id entry_id opponent_id side swiss kind games_to_win".split()
    return {**{name: getattr(seat, name) for name in names}, **changed}


def test_all_guards_are_on_after_migrating_a_missing_one_is_named_and_installing_twice_changes_nothing():
    assert triggers.missing_triggers() == []
    with connection.cursor() as cursor:
        on = "" if connection.vendor == "sqlite" else " ON tournament_action"
        cursor.execute(f"DROP TRIGGER actions_are_never_updated{on}")
    assert triggers.missing_triggers() == ["actions_are_never_updated"]
    triggers.install()
    triggers.install()
    assert triggers.missing_triggers() == []


def test_an_action_cannot_be_updated(running):
    actions = Action.objects.filter(number=1)
    assert "never updated" in refused(lambda: actions.update(actor="me"))
    assert "while their tournament exists" in refused(actions.delete)


@pytest.fixture
def logged(running):
    """An action of which people wrote: "Ada Ruiz was late", and which changed a reason, a list and a number."""
    fact = {"reason": "by Ada Ruiz_", "labels": ["Ada Ruiz", "North"], "round": 2, "entry": None}
    about = {"number": 999, "at": running.starts_at, "kind": "x", "reason": "Ada Ruiz was late"}
    changes = [{"fact": "penalties/1", "before": None, "after": fact}]
    return Action.objects.create(tournament=running, changes=changes, **about)


def with_fact(action, **changed):
    [change] = action.changes
    return [{**change, "after": {**change["after"], **changed}}]


def test_no_action_may_change_but_for_a_mark_in_place_of_a_name(logged):
    rows = Action.objects.filter(pk=logged.pk)
    redacted = with_fact(logged, reason=f"by {MARK}_", labels=[MARK, "North"])
    assert rows.update(reason=f"{MARK} was late", changes=redacted) == 1
    assert rows.update(reason=f"{MARK} was {MARK}") == 1
    assert rows.update(changes=redacted) == 1
    for columns in (
        {"reason": "Bo Lind was late"},
        {"reason": ""},
        {"reason": f"{MARK} was early"},
        {"reason": f"{MARK} was late", "actor": "me"},
        {"reason": f"{MARK} was late", "number": 998},
        {"reason": f"{MARK} was late", "at": logged.at.replace(year=1999)},
        {"changes": with_fact(logged, round=3)},
        {"changes": with_fact(logged, round=MARK)},
        {"changes": with_fact(logged, entry=MARK)},
        {"changes": with_fact(logged, reason="by Bo Lind_")},
        {"changes": with_fact(logged, reason=f"by {MARK}!")},
        {"changes": with_fact(logged, reason=f"from {MARK}_")},
        {"changes": with_fact(logged, labels=["Ada Ruiz"])},
        {"changes": with_fact(logged, labels=["North", "Ada Ruiz"])},
        {"changes": with_fact(logged, labels=["Ada Ruiz", "North", MARK])},
        {"changes": with_fact(logged, more=MARK)},
        {"changes": [{**logged.changes[0], "fact": MARK, "after": {}}]},
        {"changes": [{"fact": "penalties/1", "before": None, "then": logged.changes[0]["after"]}]},
        {"changes": []},
    ):
        assert "never updated" in refused(lambda columns=columns: rows.update(**columns)), columns


def test_seats_of_a_posted_round_do_not_move_and_no_other_seat_moves_into_it(running, draft, late):
    posted = running.rounds.get(number=2)
    seats = posted.seats.filter(kind="match")
    one = Seat.objects.filter(pk=seats[0].pk)
    refused(lambda: one.update(entry=late))
    refused(lambda: one.update(opponent=None))
    refused(one.delete)
    refused(Seat.objects.filter(round__number=1).delete)
    refused(lambda: seats.update(waived=True))
    refused(lambda: posted.matches.filter(table=1).update(table=77))
    refused(lambda: posted.matches.filter(table=1).update(round=draft.round))
    refused(lambda: posted.matches.filter(table=1).update(waived_rule="rematch", waived_reason="asked"))
    free = Seat.objects.create(
        tournament=running, round=draft.round, match=draft, entry=late, side="a", swiss=True, kind="match"
    )
    refused(lambda: Seat.objects.filter(pk=free.pk).update(round=running.rounds.get(number=1)))


def test_no_one_joins_a_posted_swiss_round_but_as_away(running, late):
    round_, bye = running.rounds.get(number=2), running.rounds.get(number=1).matches.get(result="bye")
    about = {"tournament": running, "entry": late, "swiss": True}
    beside = {"round": bye.round, "match": bye, "side": "b", "kind": "missed"}
    refused(lambda: Seat.objects.create(**about, **beside))
    alone = {"round": round_, "match": Match.objects.create(round=round_, table=99), "side": "a"}
    assert "open rounds" in refused(lambda: Seat.objects.create(kind="match", **about, **alone))
    against = {"kind": "missed", "opponent": running.entries.first()}
    assert "open rounds" in refused(lambda: Seat.objects.create(**against, **about, **alone))
    Seat.objects.create(kind="missed", **about, **alone)  # that somebody was away may be entered later


def test_only_a_player_who_was_away_leaves_a_posted_round(running, draft, late):
    about = {"tournament": running, "round": draft.round, "swiss": True, "kind": "missed", "side": "a"}
    opponent, other = running.entries.all()[:2]
    facing = Seat.objects.create(match=draft, entry=late, opponent=opponent, **about)
    away = Seat.objects.create(match=Match.objects.create(round=draft.round), entry=other, **about)
    Round.objects.filter(pk=draft.round_id).update(state="published")
    assert "under repair" in refused(facing.delete)
    away.delete()


def test_an_entry_sits_once_per_round_and_never_faces_itself(running):
    round_ = running.rounds.get(number=2)
    Round.objects.filter(pk=round_.pk).update(state="repairing")
    seat = round_.seats.filter(kind="match").first()
    match = Match.objects.create(round=round_, table=50)
    refused(lambda: Seat.objects.create(**seat_values(seat, match_id=match.pk, waived=True)))
    refused(lambda: Seat.objects.filter(pk=seat.pk).update(opponent_id=seat.entry_id))


def test_a_pair_meets_once_and_an_entry_and_a_round_have_one_bye_unless_waived(running, draft):
    first = running.rounds.get(number=1).seats.filter(kind="match").first()
    values = seat_values(first, round_id=draft.round_id, match_id=draft.pk)
    refused(lambda: Seat.objects.create(**values))
    Seat.objects.create(**values, waived=True)
    bye = running.rounds.get(number=1).seats.get(kind="bye")
    first, second, third = (Match.objects.create(round=draft.round, result="bye") for _ in range(3))
    values = seat_values(bye, round_id=draft.round_id, match_id=first.pk)
    refused(lambda: Seat.objects.create(**values))
    Seat.objects.create(**{**values, "kind": "awarded_bye"})
    one, other = running.entries.exclude(seats__kind="bye").values_list("pk", flat=True)[:2]
    Seat.objects.create(**{**values, "entry_id": one, "match_id": second.pk})
    refused(lambda: Seat.objects.create(**{**values, "entry_id": other, "match_id": third.pk}))


def test_games_are_never_negative_one_side_wins_and_elimination_is_not_drawn_unless_allowed(running):
    match = running.rounds.get(number=2).matches.get(table=1)
    refused(lambda: match.seats.filter(side="a").update(games=-1))
    refused(lambda: match.seats.update(games=2))
    match.seats.filter(side="a").update(games=2)
    Match.objects.filter(pk=match.pk).update(draws_allowed=False)
    refused(lambda: Match.objects.filter(pk=match.pk).update(result="played", winner=""))
    Match.objects.filter(pk=match.pk).update(result="played", winner="a")


def test_a_stage_has_one_open_round_and_seeds_and_numbers_are_unique(running):
    stage = running.stages.get()
    refused(lambda: Round.objects.create(tournament=running, stage=stage, number=3))
    stage = Stage.objects.create(tournament=running, number=2, kind="elimination")
    first, second = running.entries.all()[:2]
    StageEntry.objects.create(stage=stage, entry=first, seed=1)
    refused(lambda: StageEntry.objects.create(stage=stage, entry=second, seed=1))
    refused(lambda: Stage.objects.create(tournament=running, number=2))
    refused(lambda: Action.objects.create(tournament=running, number=1, at=running.starts_at, kind="x"))


def test_states_sides_and_waivers_are_known_words(running):
    posted = Round.objects.filter(tournament=running, number=2)
    table, entry = posted.get().matches.filter(table=1), running.entries.first()
    refused(lambda: posted.update(state="paused"))
    refused(lambda: posted.update(number=0))
    refused(lambda: Tournament.objects.filter(pk=running.pk).update(state="paused"))
    for wrong in ({"winner": "c"}, {"waived_rule": "repeat"}, {"result": "won by a mile"}):
        refused(lambda wrong=wrong: table.update(**wrong))
    refused(lambda: running.entries.update(name=""))
    refused(lambda: Entry.objects.filter(pk=entry.pk).update(same_person_as=entry))
    refused(lambda: Match.objects.create(round=posted.get(), table=1))


def test_nothing_referenced_is_deleted(running):
    with pytest.raises(Exception, match="protected"):
        running.entries.first().delete()
    with pytest.raises(Exception, match="protected"):
        running.delete()


@pytest.mark.django_db(transaction=True)
def test_emptying_the_database_leaves_the_guards_on():
    factories.TournamentFactory(entries=4, published=True)
    call_command("flush", interactive=False, verbosity=0, inhibit_post_migrate=False)
    assert not Action.objects.exists()
    assert triggers.missing_triggers() == []


def test_a_log_line_cannot_be_replaced(running):
    if connection.vendor != "sqlite":
        return  # only SQLite knows REPLACE
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA recursive_triggers")
        assert cursor.fetchone()[0] == 1
    action = Action.objects.filter(tournament=running).first()
    statement = (
        "INSERT OR REPLACE INTO tournament_action "
        "(id, tournament_id, number, at, actor, kind, changes, reason, key, body) "
        "VALUES (%s, %s, 1, '2026-01-01', 'me', 'x', '[]', '', '', '')"
    )

    def replace():
        with connection.cursor() as cursor:
            cursor.execute(statement, [action.pk, running.pk])

    refused(replace)
