import errno
import json
import logging
import os
import stat
from pathlib import Path

import pytest

from pairings.draft.services import draft_next_round
from standings.bracket.cut import make_cut
from tests.factories import RoundFactory, TournamentFactory, UserFactory, enter_results
from tests.pages import page
from tournament.archive import parse_event, snapshots
from tournament.archive.load import dump_event, load_event
from tournament.archive.snapshots import list_snapshots, write_snapshot
from tournament.models import Tournament
from tournament.monitoring import installation
from tournament.services.drops import drop_entry
from tournament.services.events import delete_event, finish_tournament
from tournament.services.rounds import publish_round

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def var(settings, tmp_path) -> Path:
    settings.VAR_DIR = tmp_path
    return tmp_path


@pytest.fixture
def committed(django_capture_on_commit_callbacks):
    return lambda: django_capture_on_commit_callbacks(execute=True)


@pytest.fixture
def drafted(client):
    owner = UserFactory(username="ada")
    client.force_login(owner)
    return TournamentFactory(owner=owner, drafted=True)


def list_occasions(tournament) -> list[str]:
    return [f"{one.number} {one.occasion}" for one in reversed(list_snapshots(tournament))]


def full_disk(*args, **kwargs):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_each_publication_and_completion_and_the_end_leave_a_snapshot_of_that_moment(committed):
    tournament = TournamentFactory()
    for do in (
        lambda: RoundFactory(tournament=tournament, results=True),
        lambda: drop_entry(tournament, "P0001"),
        lambda: RoundFactory(tournament=tournament, results=True),
        lambda: make_cut(tournament, 2),
    ):
        with committed():
            do()
    occasions = ["round-1-published", "round-1-complete", "round-2-published", "cut"]
    assert [name.split()[1] for name in list_occasions(tournament)] == occasions
    for snapshot in list_snapshots(tournament):
        action = tournament.actions.get(number=snapshot.number)
        log = json.loads(snapshot.path.read_text())["log"]
        assert (log[-1]["number"], log[-1]["kind"]) == (action.number, action.kind)
    ended = TournamentFactory(rounds=1)
    with committed():
        finish_tournament(ended)
    assert list_occasions(ended) == [f"{ended.revision} finished"]


def test_a_snapshot_is_what_dump_writes_for_the_organizer_alone_and_loads_back(client, drafted, committed):
    with committed():
        client.post(f"/t/{drafted.slug}/desk/rounds/1/publish/")
    drafted.refresh_from_db()
    [snapshot] = list_snapshots(drafted)
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (snapshot.path, snapshot.path.parent)]
    assert modes == [0o600, 0o700]
    address = f"/t/{drafted.slug}/desk/settings/snapshots/"
    shown = page(client, address)
    file = f"{address}{snapshot.name}.json"
    assert "Round 1 published" in shown and shown.soup.select(f'a[href="{file}"]')
    text = client.get(file).content.decode()
    assert text == snapshot.path.read_text(encoding="utf-8") == dump_event(drafted, with_seed=True)
    assert client.get(f"{address}0001-no-such.json").status_code == 404
    with committed():
        delete_event(drafted, drafted.name)
    assert dump_event(load_event(parse_event(json.loads(text))), with_seed=True) == text


def test_the_51st_snapshot_removes_the_oldest(drafted, monkeypatch):
    assert snapshots.MOST == 50
    monkeypatch.setattr(snapshots, "MOST", 3)
    for number in (9998, 9999, 10_000, 10_001):  # by number, not by the letters of the name
        write_snapshot(drafted, number, "by-hand")
    assert list_occasions(drafted) == ["9999 by-hand", "10000 by-hand", "10001 by-hand"]


def test_a_full_disk_publishes_the_round_and_the_desk_says_so(
    client, drafted, committed, monkeypatch, caplog
):
    write_snapshot(drafted, drafted.revision, "by-hand")
    desk = f"/t/{drafted.slug}/desk/"
    with monkeypatch.context() as patch, caplog.at_level(logging.ERROR), committed():
        patch.setattr(os, "fsync", full_disk)
        assert client.post(f"{desk}rounds/1/publish/").status_code == 303
        patch.setattr(installation, "LEAST_FREE", 10**18)
    assert drafted.rounds.get(number=1).state == "published"
    assert "no snapshot was written: [Errno 28] No space left on device" in caplog.text
    assert [path.name for path in snapshots.snapshot_folder(drafted).iterdir()] == [
        f"{drafted.revision:04d}-by-hand.json"  # nothing half-written is left
    ]
    with monkeypatch.context() as patch:
        patch.setattr(installation, "LEAST_FREE", 10**18)
        assert "No snapshot could be written: the disk is full." in page(client, desk)
        patch.setattr(os, "fsync", full_disk)
        assert client.post(f"{desk}settings/snapshots/").status_code == 503
    assert "No snapshot could be written. Check the folder" in page(client, desk)
    client.post(f"{desk}settings/snapshots/")
    assert "No snapshot could be written" not in page(client, desk)
    assert client.get("/readyz").content.decode() == "ready\n"


def test_what_fails_otherwise_stops_no_publication_either(drafted, committed, monkeypatch, caplog):
    monkeypatch.setattr(snapshots.archive, "canonical", lambda *args, **kwargs: 1 / 0)
    with caplog.at_level(logging.ERROR), committed():
        publish_round(drafted, 1)
    assert drafted.rounds.get(number=1).state == "published" and "division by zero" in caplog.text


def test_a_snapshot_is_the_event_at_its_action_also_when_others_were_faster(drafted, committed):
    with committed():  # all of it is committed at once, as where a demo is seeded
        publish_round(drafted, 1)
        enter_results(drafted, 1)
        draft_next_round(drafted)
    published, complete = (json.loads(one.path.read_text()) for one in reversed(list_snapshots(drafted)))
    assert [len(file["rounds"]) for file in (published, complete)] == [1, 2]
    assert all(match["result"] is None for match in published["rounds"][0]["matches"])


def test_a_process_that_dies_while_writing_leaves_the_earlier_file_and_no_part_of_the_new(
    tmp_path, monkeypatch
):
    path = tmp_path / "0042-cut.json"
    path.write_text("earlier")

    def stop(*args):
        raise KeyboardInterrupt

    for step in ("fsync", "replace"):
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(os, step, stop)
            snapshots.write_whole(path, "new")
        assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [(path.name, "earlier")]


def test_a_deleted_event_leaves_no_snapshot(client, drafted, committed, var):
    write_snapshot(drafted, drafted.revision, "by-hand")
    assert "all snapshots" in page(client, f"/t/{drafted.slug}/desk/settings/delete/")
    with committed():
        client.post(f"/t/{drafted.slug}/desk/settings/delete/", {"name": drafted.name})
    assert list((var / "snapshots").iterdir()) == []


def test_snapshots_that_could_not_be_deleted_are_for_no_one_else(client, drafted, committed, monkeypatch):
    write_snapshot(drafted, drafted.revision, "by-hand")
    with monkeypatch.context() as patch, committed():
        patch.setattr("shutil.rmtree", full_disk)
        delete_event(drafted, drafted.name)
    client.force_login(UserFactory(username="eve"))
    client.post("/new/", {"name": drafted.name, "ruleset": drafted.ruleset.key, "key": "same-name"})
    [event] = Tournament.objects.filter(name=drafted.name)
    assert event.slug == f"{drafted.slug}-2"
    assert "by-hand" not in page(client, f"/t/{event.slug}/desk/settings/snapshots/")


def test_no_address_leads_out_of_its_folder(drafted, var):
    drafted.slug = "../elsewhere"
    with pytest.raises(ValueError, match="no folder can be called"):
        write_snapshot(drafted, 1, "by-hand")
