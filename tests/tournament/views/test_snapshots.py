import errno
import json
import os
import re

import pytest
from django.core.management import call_command

from tests.factories import RoundFactory, TournamentFactory, UserFactory, enter_results
from tests.pages import Page, page
from tests.steps import undo_last
from tournament.access.player_link import fresh_player_key, hash_key
from tournament.actionlog import integrity
from tournament.actionlog.fold import state_at
from tournament.archive.load import dump_event
from tournament.archive.snapshots import list_snapshots, root, snapshot_folder, write_snapshot
from tournament.event.read import read_state
from tournament.models import Staff, Tournament
from tournament.results.slip import Slip
from tournament.services.entries import add_entries
from tournament.services.events import create_tournament
from tournament.services.results import record_result
from tournament.services.self_service import change_player_link, send_message


@pytest.fixture(autouse=True)
def var(settings, tmp_path):
    settings.VAR_DIR = tmp_path


@pytest.fixture
def event(client) -> Tournament:
    """Round 1 is complete, and there a snapshot was taken; round 2 is being played."""
    owner = UserFactory(username="ada")
    client.force_login(owner)
    tournament = TournamentFactory(owner=owner, rounds=1)
    write_snapshot(tournament, tournament.revision, "round-1-complete")
    record_result(tournament, 1, 1, Slip("played", 0, 2))
    RoundFactory(tournament=tournament)
    enter_results(tournament, 2)
    return tournament


def snapshot_address(tournament, name: str = "") -> str:
    [snapshot] = [one for one in list_snapshots(tournament) if one.occasion == "round-1-complete"]
    return f"/t/{tournament.slug}/desk/settings/snapshots/{name or snapshot.name}/"


def restore(client, tournament, **fields):
    tournament.refresh_from_db()
    sent = {"seen": tournament.revision, "reason": "Round 2 was a mistake", "key": "abc", **fields}
    return client.post(snapshot_address(tournament), sent)


def facts_of(tournament) -> dict:
    return read_state(tournament)[0]


def check_whole(tournament) -> None:
    assert integrity.check(tournament) == []
    assert state_at(tournament) == facts_of(tournament)
    call_command("replay", tournament.slug)


def test_the_page_shows_what_restoring_would_change(client, event):
    add_entries(event, ["Late Lee"], reason="The train was late")
    shown = page(client, snapshot_address(event))
    for words in (
        "Restore “Round 1 complete”?",
        "Removed: round 2, with 4 results",
        "Late Lee withdrawn",
        "Nothing is lost",
    ):
        assert words in shown
    assert re.search(r"Table 1, round 1: Player \d+ .* \(was 0–2\)", shown.words)


def test_it_is_restored_over_the_event_as_one_action_which_one_undo_takes_back(client, event):
    before, revision, text = facts_of(event), event.revision, dump_event(event, with_seed=True)
    [snapshot] = list_snapshots(event)
    for _press in "12":  # the same form twice restores once
        answer = restore(client, event, seen=revision)
        assert (answer.status_code, answer["Location"]) == (303, f"/t/{event.slug}/desk/")
    event.refresh_from_db()
    assert event.revision == revision + 1
    assert facts_of(event) == state_at(event, snapshot.number)
    latest = list_snapshots(event)[0]  # the event as it was before
    assert latest.occasion == "before-restore" and latest.path.read_text(encoding="utf-8") == text
    done = event.actions.get(number=event.revision)
    assert (done.kind, done.reason) == ("restore", "Round 1 complete: Round 2 was a mistake")
    check_whole(event)
    undo_last(event)
    assert facts_of(event) == before
    check_whole(event)


def test_who_came_since_is_withdrawn_and_links_messages_and_staff_stay(client, event):
    add_entries(event, ["Late Lee"], reason="The train was late")
    late = event.entries.get(name="Late Lee")
    key = fresh_player_key()
    change_player_link(event, "P0001", key_hash=hash_key(key))
    send_message(event, "P0001", "Table 2 is wrong", number=2)
    Staff.objects.create(tournament=event, user=UserFactory(), role="judge")
    restore(client, event)
    late.refresh_from_db()
    assert (late.status, late.dropped_after, late.seats.count()) == ("dropped", 0, 0)
    assert client.get(f"/t/{event.slug}/key/{key}/").status_code in (302, 303)
    assert client.get(f"/t/{event.slug}/me/P0001/").status_code == 200
    assert event.flags.get().text == "Table 2 is wrong" and event.staff.count() == 2
    RoundFactory(tournament=event, results=True)  # play goes on from there
    assert event.rounds.count() == 2
    check_whole(event)


def test_what_happened_after_the_page_was_shown_is_not_lost(client, event):
    seen = event.revision
    add_entries(event, ["Late Lee"], reason="The train was late")
    before = facts_of(event)
    answer = restore(client, event, seen=seen)
    shown = Page(answer)
    assert answer.status_code == 409 and "Late Lee withdrawn" in shown
    assert "Nothing was restored. Review what would change now." in shown
    assert shown.form("Restore over this event")["seen"] == str(event.revision)
    assert facts_of(event) == before and len(list_snapshots(event)) == 1


def test_without_a_reason_or_room_for_a_snapshot_nothing_is_restored(client, event, monkeypatch):
    def full(*args):
        raise OSError(errno.ENOSPC, "No space left on device")

    before = facts_of(event)
    assert restore(client, event, reason=" ").status_code == 422
    monkeypatch.setattr(os, "fsync", full)
    answer = restore(client, event)
    assert answer.status_code == 503 and "No snapshot could be written" in Page(answer)
    assert facts_of(event) == before


def test_it_is_restored_into_a_new_event_once_and_the_first_stays(client, event):
    text = dump_event(event)
    [snapshot] = list_snapshots(event)
    answer = client.post(f"{snapshot_address(event)}new/")
    slug = f"friday-night-from-{snapshot.number}"
    assert (answer.status_code, answer["Location"]) == (303, f"/t/{slug}/desk/")
    restored = Tournament.objects.get(slug=slug)
    assert (restored.name, restored.listed) == ("Friday night (restored)", False)
    file, new = (json.loads(one) for one in (snapshot.path.read_text(), dump_event(restored, with_seed=True)))
    for data in (file, new):
        for name in ("name", "slug", "listed"):
            data["tournament"].pop(name, None)
    assert new["log"].pop()["kind"] == "create"
    assert new == file
    last = restored.actions.latest("number")
    assert (last.actor, last.number) == ("ada", restored.baseline_number + 1)
    log = page(client, f"/t/{slug}/desk/log/")
    assert "Friday night (restored)" in log and "Undo" not in log
    check_whole(restored)
    RoundFactory(tournament=restored, results=True)
    assert dump_event(event) == text


def test_an_address_that_a_stranger_took_keeps_no_one_from_restoring(client, event):
    [snapshot] = list_snapshots(event)
    wanted = f"{event.slug}-from-{snapshot.number}"
    create_tournament(wanted, "mtr", owner=UserFactory())
    (root() / f"{wanted}-2").mkdir(parents=True)  # files of an event that was deleted
    answers = [
        client.post(f"{snapshot_address(event)}new/", {"key": key}).url for key in ("abc", "abc", "def")
    ]
    assert answers == [f"/t/{wanted}-{number}/desk/" for number in (3, 3, 4)]
    assert Tournament.objects.get(slug=f"{wanted}-3").owner == event.owner


def test_an_erased_name_comes_back_nowhere(client, event):
    entry = event.entries.get(code="P0001")
    old, address = entry.name, snapshot_address(event)
    event.entries.filter(pk=entry.pk).update(name="Former player")
    assert old not in client.get(f"{address[:-1]}.json").content.decode()
    client.post(f"{address}new/")
    restored = Tournament.objects.get(slug__contains="-from-")
    restore(client, event)
    for one in (restored, event):
        assert one.entries.get(code="P0001").name == "Former player"


def test_a_snapshot_of_another_event_and_a_damaged_one_are_refused(client, event):
    other = TournamentFactory(name="Other", rounds=1)
    write_snapshot(other, other.revision, "round-1-complete")
    [strange], [own] = list_snapshots(other), list_snapshots(event)
    own.path.write_bytes(strange.path.read_bytes())
    before = facts_of(event)
    assert "does not belong to this event" in Page(client.get(snapshot_address(event)))
    assert restore(client, event).status_code == 409
    own.path.write_text("{")
    for path in (snapshot_address(event), f"{snapshot_address(event)[:-1]}.json"):
        answer = client.get(path)
        assert answer.status_code == 404 and "its file is damaged" in Page(answer)
    assert facts_of(event) == before


def test_where_nothing_changed_there_is_nothing_to_restore(client, event):
    write_snapshot(event, event.revision, "by-hand")
    shown = page(client, snapshot_address(event, f"{event.revision:04d}-by-hand"))
    assert "Nothing has changed since this snapshot." in shown and "Restore over this event" not in shown
    assert client.get(snapshot_address(event, "0001-no-such")).status_code == 404
    assert snapshot_folder(event).is_dir()
