import datetime as dt
import json

import pytest
from django.core.management import call_command
from django.utils import timezone

from pairings.draft import services as drafting
from pairings.draft.services import compute_draft
from tests.factories import EntryFactory, RoundFactory, TournamentFactory, UserFactory
from tests.steps import is_sound, load_again
from tournament.archive import canonical, parse_event
from tournament.archive.load import dump_event
from tournament.archive.snapshots import list_snapshots, write_snapshot
from tournament.errors import Refused, WrongState
from tournament.history.describe import describe_actions, describe_undo
from tournament.models import Decklist, Tournament
from tournament.services.anonymity import anonymize_entry
from tournament.services.corrections import merge_entries
from tournament.services.decklists import (
    MOST_LINES,
    MOST_VERSIONS,
    current_decklist,
    enter_decklist,
    hand_in_decklist,
    is_too_long,
    read_deck,
    release_decklists,
)
from tournament.services.drops import drop_entry
from tournament.services.entries import remove_entry
from tournament.services.event_settings import change_settings
from tournament.services.events import copy_event, delete_event, finish_tournament
from tournament.services.rounds import publish_round
from tournament.services.self_service import send_message
from tournament.services.snapshots import restore_as_new, restore_over
from tournament.services.undo import undo_action

BURN = "40 Lava Spike\n20 Mountain\nSideboard\n15 Smash to Smithereens"
ELVES = "60 Llanowar Elves"


def wanted(rule="on", **fields):
    settings = {name: fields.pop(name) for name in list(fields) if name.startswith(("deck", "sideboard"))}
    tournament = TournamentFactory(**{"entries": 4, "owner": UserFactory(username="olga"), **fields})
    change_settings(tournament, decklist_rule=rule, **settings)
    return tournament


def minutes(number):
    return (timezone.now() + dt.timedelta(minutes=number)).isoformat()


def list_of(tournament, code="P0001"):
    return current_decklist(tournament.entries.get(code=code))


def test_the_log_says_how_many_cards_and_never_which():
    tournament = wanted("late", decklists_until=minutes(5))
    hand_in_decklist(tournament, "P0001", BURN)
    hand_in_decklist(tournament, "P0001", ELVES)
    change_settings(tournament, decklists_until=minutes(-5))
    hand_in_decklist(tournament, "P0002", ELVES)
    hand_in_decklist(tournament, "P0001", BURN)
    enter_decklist(tournament, "P0003", ELVES, actor="jude", reason="on paper")
    release_decklists(tournament, True)
    release_decklists(tournament, False)
    actions = tournament.actions.filter(kind__contains="decklist").order_by("number")
    assert [action.sentence for action in describe_actions(tournament, actions)] == [
        "Player 01: decklist 1 handed in (60 cards, sideboard 15)",
        "Player 01: decklist 2 handed in (60 cards)",
        "Player 02: decklist 1 handed in late (60 cards)",
        "Player 01: decklist 3 handed in late (60 cards, sideboard 15)",
        "Player 03: decklist 1 handed in (60 cards)",
        "Decklists made public",
        "Decklists made private again",
    ]
    log = json.dumps(list(tournament.actions.values("changes", "reason", "kind")))
    assert "Lava" not in log and "Elves" not in log and "Smash" not in log
    assert list_of(tournament).late and list_of(tournament, "P0003").actor == "jude"
    call_command("replay", tournament.slug)  # exit code 1 where it differs would raise


def test_lists_are_taken_until_the_deadline_or_without_one_until_round_1_is_published():
    tournament = wanted()
    RoundFactory(tournament=tournament, drafted=True)
    hand_in_decklist(tournament, "P0001", BURN)
    publish_round(tournament, 1)
    with pytest.raises(WrongState, match="The deadline for decklists has passed"):
        hand_in_decklist(tournament, "P0002", BURN)
    change_settings(tournament, decklist_rule="late")
    hand_in_decklist(tournament, "P0002", BURN)
    assert (list_of(tournament).late, list_of(tournament, "P0002").late) == (False, True)
    change_settings(tournament, decklist_rule="on", decklists_until=minutes(5))
    hand_in_decklist(tournament, "P0003", BURN)
    assert not list_of(tournament, "P0003").late
    change_settings(tournament, decklists_until=minutes(-1))
    with pytest.raises(WrongState, match="deadline"):
        hand_in_decklist(tournament, "P0003", ELVES)


@pytest.mark.parametrize(
    ("stop", "words"),
    [
        (lambda event: change_settings(event, decklist_rule="off"), "This event takes no decklists"),
        (lambda event: drop_entry(event, "P0001"), "You have dropped"),
        (lambda event: release_decklists(event, True), "The decklists are public"),
        (finish_tournament, "The deadline for decklists has passed"),
    ],
)
def test_when_players_hand_in_no_list(stop, words):
    tournament = wanted("late", rounds=1)
    stop(tournament)
    with pytest.raises(WrongState, match=words):
        hand_in_decklist(tournament, "P0001", BURN)
    assert not Decklist.objects.exists()


def test_sizes_are_checked_as_far_as_they_are_set_and_staff_enter_what_was_handed_to_them():
    tournament = wanted(deck_least=60, sideboard_most=0)
    with pytest.raises(Refused, match=r"at least 60 cards\. This one has 59"):
        hand_in_decklist(tournament, "P0001", "59 Mountain")
    with pytest.raises(Refused, match=r"sideboard can have at most 0 cards\. This one has 15"):
        hand_in_decklist(tournament, "P0001", BURN)
    hand_in_decklist(tournament, "P0001", "250 Mountain")
    enter_decklist(tournament, "P0002", "59 Mountain", actor="jude", reason="on paper")
    assert list_of(tournament, "P0002").main == 59
    with pytest.raises(Refused, match="smallest main deck is larger"):
        change_settings(tournament, deck_most=40)
    with pytest.raises(Refused, match="Enter a reason"):
        enter_decklist(tournament, "P0001", BURN, actor="jude", reason=" ")
    Decklist.objects.update(version=MOST_VERSIONS)
    with pytest.raises(WrongState, match="Ask at the event desk"):
        hand_in_decklist(tournament, "P0001", "60 Mountain")


def test_undo_brings_the_list_before_back_and_cannot_be_undone_itself():
    tournament = wanted()
    hand_in_decklist(tournament, "P0001", BURN)
    hand_in_decklist(tournament, "P0001", ELVES)
    undo_action(tournament, tournament.revision, actor="olga")
    assert list_of(tournament).text == BURN
    with pytest.raises(WrongState, match="The log does not store decklists"):
        undo_action(tournament, tournament.revision, actor="olga")
    tournament.role = "scorekeeper"
    newest = tournament.actions.filter(kind="hand in decklist")
    assert not any(line.undoable for line in describe_undo(tournament, newest))
    hand_in_decklist(tournament, "P0001", ELVES)
    assert list_of(tournament).version == 2
    assert is_sound(tournament)


def test_a_merge_takes_the_lists_along_and_a_removed_player_or_a_deleted_event_leaves_none():
    tournament = wanted()
    hand_in_decklist(tournament, "P0001", BURN)
    hand_in_decklist(tournament, "P0002", ELVES)
    merge_entries(tournament, "P0001", "P0002", reason="registered twice")
    assert list_of(tournament).text == ELVES and list_of(tournament, "P0002") is None
    undo_action(tournament, tournament.revision)
    assert list_of(tournament).text == BURN and list_of(tournament, "P0002").text == ELVES
    remove_entry(tournament, "P0001")
    assert Decklist.objects.count() == 1
    undo_action(tournament, tournament.revision)
    assert list_of(tournament).text == BURN
    delete_event(tournament, tournament.name)
    assert not Decklist.objects.exists()


def test_what_an_anonymous_players_list_said_is_gone_also_from_the_snapshots():
    tournament = wanted()
    hand_in_decklist(tournament, "P0001", "60 Player 01's favorites")
    hand_in_decklist(tournament, "P0002", ELVES)
    write_snapshot(tournament, tournament.revision, "by-hand")
    [snapshot] = list_snapshots(tournament)
    assert "favorites" in snapshot.path.read_text()
    anonymize_entry(tournament, "P0001")
    assert (list_of(tournament).text, list_of(tournament).main) == ("", 60)
    assert list_of(tournament, "P0002").text == ELVES
    text = snapshot.path.read_text()
    assert "favorites" not in text and "Llanowar Elves" in text


def test_a_file_tells_what_a_list_says_only_with_the_seed_or_once_it_is_public():
    tournament = wanted("late", deck_least=40, decklists_until=minutes(5))
    hand_in_decklist(tournament, "P0001", BURN)
    hand_in_decklist(tournament, "P0001", ELVES)
    shown = {}
    for name, public, seed in (("plain", False, False), ("seed", False, True), ("public", True, False)):
        release_decklists(tournament, public)
        shown[name] = dump_event(tournament, with_seed=seed)
        assert canonical(parse_event(json.loads(shown[name])), with_seed=seed) == shown[name]
    has = {name: ("Lava Spike" in text, "Llanowar" in text) for name, text in shown.items()}
    assert has == {"plain": (False, False), "seed": (True, True), "public": (False, True)}
    first = json.loads(shown["plain"])["decklists"][0]
    assert first == {"entry": "P0001", "at": first["at"], "main": 60, "sideboard": 15}
    load_again(tournament)


def test_a_snapshot_in_a_new_event_has_the_lists_and_one_over_the_event_leaves_them():
    tournament = wanted()
    hand_in_decklist(tournament, "P0001", BURN)
    number = tournament.revision
    write_snapshot(tournament, number, "by-hand")
    hand_in_decklist(tournament, "P0001", ELVES)
    hand_in_decklist(tournament, "P0002", ELVES)
    merge_entries(tournament, "P0003", "P0001", reason="registered twice")
    release_decklists(tournament, True)
    [snapshot] = list_snapshots(tournament)
    assert list_of(restore_as_new(tournament, snapshot, owner=tournament.owner)).text == BURN
    restore_over(tournament, snapshot, seen=tournament.revision, actor="olga", reason="Rain")
    assert tournament.decklists_public
    assert [(row.entry.code, row.text) for row in tournament.decklists.all()] == [
        ("P0001", BURN),
        ("P0003", ELVES),
        ("P0002", ELVES),
    ]


def test_an_event_like_an_earlier_one_wants_lists_too_but_its_own_are_private():
    start = dt.datetime(2026, 11, 28, 10, tzinfo=dt.UTC)
    tournament = TournamentFactory(
        entries=2,
        starts_at=start.isoformat(),
        decklist_rule="late",
        decklists_until=(start - dt.timedelta(hours=1)).isoformat(),
        deck_least=60,
    )
    hand_in_decklist(tournament, "P0001", BURN)
    release_decklists(tournament, True)
    later = (start + dt.timedelta(days=7)).isoformat()
    copy = copy_event(tournament, "Next", owner=tournament.owner, starts_at=later)
    assert (copy.decklist_rule, copy.deck_least, copy.decklists_public) == ("late", 60, False)
    assert copy.decklists_until == start + dt.timedelta(days=7, hours=-1)
    assert not copy.decklists.exists()


def test_lists_and_messages_that_come_while_a_round_is_paired_do_not_stop_it(monkeypatch):
    tournament = wanted(rounds=1)
    sent = []

    def busy(*args, **kwargs):
        draft = compute_draft(*args, **kwargs)
        for send in sent:
            send(Tournament.objects.get(pk=tournament.pk))
        return draft

    monkeypatch.setattr(drafting, "compute_draft", busy)
    change_settings(tournament, decklist_rule="late")
    sent[:] = [
        lambda event: hand_in_decklist(event, "P0001", BURN),
        lambda event: send_message(event, "P0001", "We sit elsewhere."),
    ]
    drafting.draft_next_round(tournament)
    round_ = tournament.rounds.get(number=2)
    assert round_.state == "draft" and round_.pairing["revision"] == tournament.revision - 1
    sent[:] = [lambda event: EntryFactory(tournament=event)]
    with pytest.raises(WrongState, match="Something changed while the round was being paired"):
        drafting.draft_next_round(tournament, again=2)


@pytest.mark.parametrize(
    ("line", "cards"),
    [
        ("4 Lightning Bolt", 4),
        ("4x Lightning Bolt", 4),
        ("4 x Lightning Bolt", 4),
        ("12× Mountain", 12),
        ("  4\tLightning Bolt  ", 4),
        ("0 Forest", 0),
        ("Lightning Bolt", 0),
        ("1996 World Champion", 0),  # a name, not 1,996 cards
        ("4", 0),
        ("4x4 Truck", 0),
        ("-4 Bolt", 0),
    ],
)
def test_a_line_counts_as_many_cards_as_it_begins_with(line, cards):
    assert read_deck(line).main == cards


@pytest.mark.parametrize("heading", ["Sideboard", "sideboard:", "SIDE BOARD", "SB:", "Sideboard (15)"])
def test_what_follows_the_heading_is_the_sideboard(heading):
    deck = read_deck(f"Deck\n20 Mountain\n\n{heading}\n3 Smash to Smithereens\n2x Pyroblast")
    assert (deck.main, deck.sideboard, deck.uncounted) == (20, 5, [])


def test_sideboard_lines_may_stand_anywhere_and_what_is_not_counted_is_named():
    deck = read_deck("SB: 2 Pyroblast\n20 Mountain\nsb:1 Duress")
    assert (deck.main, deck.sideboard) == (20, 3)
    assert [line.text for line in deck.main_lines] == ["20 Mountain"]
    deck = read_deck("Creatures\n4 Goblin Guide\n\nLightning Bolt x4\nSideboard\nall my Duresses")
    assert [(line.number, line.text) for line in deck.uncounted] == [
        (1, "Creatures"),
        (4, "Lightning Bolt x4"),
        (6, "all my Duresses"),
    ]
    assert not is_too_long("1 Island\n" * MOST_LINES)
    assert is_too_long("1 Island\n" * (MOST_LINES + 1))
    assert not is_too_long("ü" * 10_000) and is_too_long("ü" * 10_001)  # bytes, not letters
