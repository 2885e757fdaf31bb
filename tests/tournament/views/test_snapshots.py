"""Restoring a snapshot by the organizer's pages: into a new event, or over the event after a look at the difference."""

import errno
import json
import os
import re

import pytest
from django.core.management import call_command

from tests.factories import RoundFactory, TournamentFactory, UserFactory, enter_results
from tests.steps import undo_last
from tournament.access.player_link import fresh_player_key, hash_of
from tournament.actionlog import integrity
from tournament.actionlog.fold import state_at
from tournament.archive.load import dump_event
from tournament.archive.snapshots import folder_of, snapshots_of, write_snapshot
from tournament.event.read import read_state
from tournament.models import Staff, Tournament
from tournament.results.slip import Slip
from tournament.services import snapshots as restoring
from tournament.services.entries import add_entries
from tournament.services.player_messages import send_message
from tournament.services.results import record_result
from tournament.services.self_service import change_player_link

pytestmark = pytest.mark.django_db


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


def page_of(tournament, name: str = "") -> str:
    [snapshot] = [one for one in snapshots_of(tournament) if one.occasion == "round-1-complete"]
    return f"/t/{tournament.slug}/desk/snapshots/{name or snapshot.name}/"


def restore(client, tournament, **fields):
    tournament.refresh_from_db()
    sent = {"seen": tournament.revision, "reason": "Round 2 was a mistake", "key": "abc", **fields}
    return client.post(page_of(tournament), sent)


def facts_of(tournament) -> dict:
    return read_state(tournament)[0]


def check_whole(tournament) -> None:
    assert integrity.check(tournament) == []
    assert state_at(tournament) == facts_of(tournament)
    call_command("replay", tournament.slug)


def test_the_page_shows_what_restoring_would_change(client, event):
    add_entries(event, ["Late Lee"], reason="The train was late")
    text = " ".join(re.sub(r"<[^>]+>", " ", client.get(page_of(event)).content.decode()).split())
    assert "Restore “Round 1 complete”?" in text
    assert "Round 2 is removed, with 4 results" in text
    assert re.search(r"Table 1, round 1: Player \d+ .* \(was 0–2\)", text)
    assert "Late Lee withdrawn" in text
    assert "Nothing is lost" in text


def test_it_is_restored_over_the_event_as_one_action_which_one_undo_takes_back(client, event):
    before, revision = facts_of(event), event.revision
    [snapshot] = snapshots_of(event)
    answer = restore(client, event)
    assert (answer.status_code, answer["Location"]) == (303, f"/t/{event.slug}/desk/")
    event.refresh_from_db()
    assert event.revision == revision + 1
    assert facts_of(event) == state_at(event, snapshot.number)
    done = event.actions.get(number=event.revision)
    assert (done.kind, done.reason) == ("restore", "Round 1 complete: Round 2 was a mistake")
    check_whole(event)
    undo_last(event)
    assert facts_of(event) == before
    check_whole(event)


def test_the_event_as_it_was_before_is_a_snapshot_too(client, event):
    text = dump_event(event, with_seed=True)
    restore(client, event)
    latest = snapshots_of(event)[0]
    assert latest.occasion == "before-restore" and latest.path.read_text(encoding="utf-8") == text


def test_the_same_form_twice_restores_once(client, event):
    seen = event.revision
    for _ in range(2):
        assert restore(client, event, seen=seen).status_code == 303
    event.refresh_from_db()
    assert event.revision == seen + 1


def test_who_came_since_is_withdrawn_and_links_messages_and_staff_stay(client, event):
    add_entries(event, ["Late Lee"], reason="The train was late")
    late = event.entries.get(name="Late Lee")
    key = fresh_player_key()
    change_player_link(event, "P0001", key_hash=hash_of(key))
    send_message(event, "P0001", "Table 2 is wrong", number=2)
    Staff.objects.create(tournament=event, user=UserFactory(), role="judge")
    restore(client, event)
    late.refresh_from_db()
    assert (late.status, late.dropped_after, late.seats.count()) == ("dropped", 0, 0)
    assert client.get(f"/t/{event.slug}/key/{key}/").status_code in (302, 303)
    assert client.get(f"/t/{event.slug}/me/P0001/").status_code == 200
    assert event.flags.get().text == "Table 2 is wrong" and event.staff.count() == 2
    check_whole(event)


def test_play_goes_on_from_there(client, event):
    restore(client, event)
    RoundFactory(tournament=event, results=True)
    assert event.rounds.count() == 2
    check_whole(event)


def test_what_happened_after_the_page_was_shown_is_not_lost(client, event):
    seen = event.revision
    add_entries(event, ["Late Lee"], reason="The train was late")
    before = facts_of(event)
    answer = restore(client, event, seen=seen)
    assert answer.status_code == 409
    text = answer.content.decode()
    assert "Nothing was restored. Review what would change now." in text and "Late Lee withdrawn" in text
    assert f'name="seen" value="{event.revision}"' in text
    assert facts_of(event) == before and len(snapshots_of(event)) == 1


def test_a_reason_is_needed(client, event):
    before = facts_of(event)
    assert restore(client, event, reason=" ").status_code == 422
    assert facts_of(event) == before


def test_only_an_organizer_restores_and_takes_a_restore_back(client, event):
    restore(client, event)
    member = UserFactory()
    Staff.objects.create(tournament=event, user=member, role="scorekeeper")
    client.force_login(member)
    assert client.get(page_of(event)).status_code == 403
    assert restore(client, event).status_code == 403
    event.refresh_from_db()
    answer = client.post(f"/t/{event.slug}/desk/undo/", {"number": event.revision, "key": "x"})
    assert answer.status_code == 403


def test_without_room_for_a_snapshot_nothing_is_restored(client, event, monkeypatch):
    def full(*args):
        raise OSError(errno.ENOSPC, "No space left on device")

    before = facts_of(event)
    monkeypatch.setattr(os, "fsync", full)
    answer = restore(client, event)
    assert answer.status_code == 503 and "No snapshot could be written" in answer.content.decode()
    assert facts_of(event) == before


def test_what_stops_half_way_leaves_the_event_as_it_was(client, event, monkeypatch):
    before, write_back = facts_of(event), restoring.write_back

    def stop(log, changes, people):
        write_back(log, changes[len(changes) // 2 :], people)
        raise KeyboardInterrupt

    monkeypatch.setattr(restoring, "write_back", stop)
    with pytest.raises(KeyboardInterrupt):
        restore(client, event)
    event.refresh_from_db()
    assert facts_of(event) == before
    check_whole(event)


def test_it_is_restored_into_a_new_event_once_and_the_first_stays(client, event):
    text, page = dump_event(event), page_of(event)
    [snapshot] = snapshots_of(event)
    answer = client.post(f"{page}new/")
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
    check_whole(restored)
    RoundFactory(tournament=restored, results=True)
    assert client.post(f"{page}new/").status_code == 409
    assert dump_event(event) == text


def test_a_second_press_leads_to_the_event_that_the_first_restored(client, event):
    answers = [client.post(f"{page_of(event)}new/", {"key": "abc"}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [303, 303]
    assert answers[0]["Location"] == answers[1]["Location"]
    assert Tournament.objects.filter(slug__contains="-from-").count() == 1
    refused = client.post(f"{page_of(event)}new/", {"key": "another"})
    assert refused.status_code == 409 and "already restored as /t/" in refused.content.decode()


def test_the_log_of_a_restored_event_goes_on_with_who_restored_it(client, event):
    client.post(f"{page_of(event)}new/", {"key": "abc"})
    restored = Tournament.objects.get(slug__contains="-from-")
    last = restored.actions.latest("number")
    assert (last.actor, last.number) == ("ada", restored.baseline_number + 1)
    page = client.get(f"/t/{restored.slug}/desk/log/").content.decode()
    assert "Friday night (restored)" in page and "Undo" not in page


def test_an_erased_name_comes_back_nowhere(client, event):
    entry = event.entries.get(code="P0001")
    old, page = entry.name, page_of(event)
    event.entries.filter(pk=entry.pk).update(name="Former player")
    assert old not in client.get(f"{page[:-1]}.json").content.decode()
    client.post(f"{page}new/")
    restored = Tournament.objects.get(slug__contains="-from-")
    restore(client, event)
    for one in (restored, event):
        assert one.entries.get(code="P0001").name == "Former player"


def test_a_snapshot_of_another_event_and_a_damaged_one_are_refused(client, event):
    other = TournamentFactory(name="Other", rounds=1)
    write_snapshot(other, other.revision, "round-1-complete")
    [strange], [own] = snapshots_of(other), snapshots_of(event)
    own.path.write_bytes(strange.path.read_bytes())
    before = facts_of(event)
    assert "does not belong to this event" in client.get(page_of(event)).content.decode()
    assert restore(client, event).status_code == 409
    own.path.write_text("{")
    for path in (page_of(event), f"{page_of(event)[:-1]}.json"):
        answer = client.get(path)
        assert answer.status_code == 404 and "its file is damaged" in answer.content.decode()
    assert facts_of(event) == before


def test_where_nothing_changed_there_is_nothing_to_restore(client, event):
    write_snapshot(event, event.revision, "by-hand")
    text = client.get(page_of(event, f"{event.revision:04d}-by-hand")).content.decode()
    assert "Nothing has changed since this snapshot." in text and "Restore over this event" not in text
    assert client.get(page_of(event, "0001-no-such")).status_code == 404
    assert folder_of(event).is_dir()
