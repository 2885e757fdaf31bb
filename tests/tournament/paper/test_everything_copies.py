import errno
import logging
import os
import stat
import threading

import pytest

from tests.browser import eventually
from tests.factories import TWO_NIL, RoundFactory, TournamentFactory
from tournament.actionlog import change
from tournament.archive.snapshots import PAPER, folder_of, snapshots_of
from tournament.paper import everything
from tournament.paper.everything import write_copy, write_copy_after
from tournament.services.anonymity import anonymize_entry
from tournament.services.entries import rename_entry
from tournament.services.events import delete_event
from tournament.services.results import record_result

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def copies_are_kept(settings, tmp_path, monkeypatch):
    """As a server does, but at once; other tests that publish do without."""
    settings.VAR_DIR = tmp_path
    monkeypatch.setattr(change, "_listeners", [write_copy_after])
    monkeypatch.setattr(everything.WRITER, "submit", lambda work, *args: work(*args))


@pytest.fixture
def committed(django_capture_on_commit_callbacks):
    return lambda: django_capture_on_commit_callbacks(execute=True)


def occasions(tournament) -> list[str]:
    return [copy.occasion for copy in reversed(snapshots_of(tournament, PAPER))]


def test_each_publication_leaves_a_copy_and_the_last_3_stay(client, committed):
    tournament = TournamentFactory(entries=8)
    for number in range(1, 5):
        with committed():
            RoundFactory(tournament=tournament)
        for table in range(1, 5):
            with committed():
                record_result(tournament, number, table, TWO_NIL)
    assert occasions(tournament) == [f"round-{number}-published" for number in (2, 3, 4)]
    newest, *_earlier = snapshots_of(tournament, PAPER)
    assert newest.path.read_text().count('class="slip"') == 4
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (newest.path, newest.path.parent)]
    assert modes == [0o600, 0o700]
    assert snapshots_of(tournament) == []  # no snapshot is taken for one


def test_several_publications_in_one_commit_leave_one_copy(committed):
    tournament = TournamentFactory(entries=4)
    with committed():
        RoundFactory(tournament=tournament, results=True)
        RoundFactory(tournament=tournament)
    assert occasions(tournament) == ["round-1-published"]
    assert "Pairings by name, round 2" in snapshots_of(tournament, PAPER)[0].path.read_text()


def test_a_full_disk_or_a_fault_publishes_the_round(committed, monkeypatch, caplog):
    tournament = TournamentFactory(entries=4, drafted=False)

    def full_disk(*args):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch, caplog.at_level(logging.ERROR), committed():
        patch.setattr(os, "fsync", full_disk)
        RoundFactory(tournament=tournament, results=True)
    assert tournament.rounds.get(number=1).state == "published"
    assert "no paper copy was written: [Errno 28] No space left on device" in caplog.text
    assert list(folder_of(tournament).iterdir()) == []
    with caplog.at_level(logging.ERROR), committed():
        monkeypatch.setattr(everything, "render_everything", lambda tournament: 1 / 0)
        RoundFactory(tournament=tournament)
    assert tournament.rounds.get(number=2).state == "published"
    assert "division by zero" in caplog.text


def test_an_anonymized_player_or_a_deleted_event_leaves_no_copy(committed):
    tournament = TournamentFactory(entries=4, published=True)
    rename_entry(tournament, "P0001", "Ada Ruiz")
    write_copy(tournament, "round-1-published")
    assert "Ada Ruiz" in snapshots_of(tournament, PAPER)[0].path.read_text()
    with committed():
        anonymize_entry(tournament, "P0001")
    assert occasions(tournament) == ["anonymize"]
    assert "Ada Ruiz" not in snapshots_of(tournament, PAPER)[0].path.read_text()
    write_copy(tournament, "round-1-published")
    folder = folder_of(tournament)
    with committed():
        delete_event(tournament, tournament.name)
    assert not folder.exists()


@pytest.mark.parametrize("meanwhile", ["deleted", "anonymized"])
def test_a_copy_begun_before_a_player_or_an_event_went_is_not_written(meanwhile, monkeypatch):
    tournament = TournamentFactory(entries=4, published=True)
    folder, whole_page = folder_of(tournament), everything.render_everything

    def page_while_that_happens(tournament):
        page = whole_page(tournament)
        if meanwhile == "deleted":
            delete_event(tournament, tournament.name)
        else:
            anonymize_entry(tournament, "P0001")
        return page

    with monkeypatch.context() as patch:
        patch.setattr(everything, "render_everything", page_while_that_happens)
        assert write_copy(tournament, "round-1-published") is None
    assert not folder.exists() or not list(folder.glob("*.html"))


@pytest.mark.django_db(transaction=True)
def test_no_one_who_publishes_waits_for_the_copy(monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(change, "_listeners", [write_copy_after])
    tournament, go_on, whole_page = (
        TournamentFactory(entries=4),
        threading.Event(),
        everything.render_everything,
    )

    def page_in_its_time(tournament):
        go_on.wait(10)
        return whole_page(tournament)

    monkeypatch.setattr(everything, "render_everything", page_in_its_time)
    RoundFactory(tournament=tournament)
    assert tournament.rounds.get().state == "published"
    assert occasions(tournament) == []
    go_on.set()
    eventually(lambda: occasions(tournament) == ["round-1-published"])
