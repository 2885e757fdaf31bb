import errno
import logging
import os
import stat
import threading

import pytest
from bs4 import Tag
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.browser import eventually
from tests.factories import TWO_NIL, RoundFactory, TournamentFactory
from tests.pages import Page, page, words_in
from tests.tournament.views.desk import code_of
from tournament.actionlog import change
from tournament.archive.snapshots import PAPER, list_snapshots, snapshot_folder
from tournament.paper import everything
from tournament.paper.everything import write_copy, write_copy_after
from tournament.paper.paper_list import PaperColumn, PaperList, cut_stack
from tournament.services.anonymity import anonymize_entry
from tournament.services.drops import drop_entry
from tournament.services.entries import rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.events import delete_event
from tournament.services.results import record_result
from tournament.templatetags.desk import name_size

pytestmark = pytest.mark.django_db


def saved(client, tournament) -> Page:
    client.force_login(tournament.owner)
    answer = client.get(f"/t/{tournament.slug}/desk/print/everything.html")
    assert answer.status_code == 200
    assert f'filename="{tournament.slug}-paper.html"' in answer["Content-Disposition"]
    return Page(answer)


def parts_of(file: Page) -> dict[str, Tag]:
    return {words_in(link): file.one(link["href"]) for link in file.soup.select('a[href^="#part-"]')}


def rows_of(part: Tag) -> list[list[str]]:
    return [[words_in(cell) for cell in row.select("td")] for row in part.select("tbody tr")]


def test_a_round_in_play_is_there_with_slips_of_the_open_tables_only(client):
    tournament = TournamentFactory(entries=9, rounds=1, published=True)
    record_result(tournament, 2, 1, TWO_NIL)
    drop_entry(tournament, "P0003")
    file = saved(client, tournament)
    parts = parts_of(file)
    assert list(parts) == [
        "Pairings by name, round 2",
        "Pairings by table, round 2",
        "Match slips of the outstanding tables, round 2",
        "Master result sheet, round 2",
        "Standings after round 1",
        "Crosstable",
        "Dropped players",
        "Result sheet, round ____",
        "Sign-up sheet",
    ]
    slips = parts["Match slips of the outstanding tables, round 2"]
    codes = [words_in(code) for code in slips.select(".slip .code b")]
    assert codes == [code_of(tournament, table, 2) for table in (2, 3, 4)]
    results = [row[2] for row in rows_of(parts["Master result sheet, round 2"])]
    assert results == ["2–0", "", "", ""]
    assert rows_of(parts["Dropped players"]) == [["Player 03", "dropped", "2"]]
    assert "master result sheet of round 2" in file


def test_a_draft_is_there_as_a_draft(client):
    tournament = TournamentFactory(entries=9, rounds=1, drafted=True)
    file = saved(client, tournament)
    matches = tournament.rounds.get(number=2).matches.exclude(table=None).order_by("table")
    drafted = [
        [str(match.table), *match.seats.order_by("side").values_list("entry__name", flat=True)]
        for match in matches
    ]
    shown = rows_of(parts_of(file)["Master result sheet, round 2 (draft)"])
    assert [[row[0], row[1], row[3]] for row in shown] == drafted
    assert "The pairings of round 2 are a draft: they are not published." in file
    assert not file.all(".slip")


def test_a_bracket_is_drawn_and_before_round_1_there_are_seats_and_blank_sheets(client):
    file = saved(client, TournamentFactory(entries=8, rounds=3, with_cut=4))
    parts = parts_of(file)
    assert "Bracket of 4" in words_in(parts["Bracket"])
    assert len(parts["Match slips of the outstanding tables, semifinals"].select(".slip")) == 2
    assert "Write each winner on the bracket" in file
    assert "Seatings for the player meeting" in parts_of(saved(client, TournamentFactory(entries=4)))
    empty = parts_of(saved(client, TournamentFactory(entries=0)))
    assert {"Sign-up sheet", "Result sheet, round ____"} <= empty.keys()


def test_the_file_needs_nothing_but_itself_and_is_offered_but_not_to_judges(client):
    tournament = TournamentFactory(entries=4, published=True)
    change_settings(tournament, name_privacy="initial", hold_standings=True)
    rename_entry(tournament, "P0004", "Ångström <b>寿限無</b>")
    file = saved(client, tournament)
    text = file.answer.content.decode()
    assert "&lt;b&gt;寿限無" in text and "url(" not in text and "@import" not in text
    assert not file.soup.select("script, link, form")
    assert all(tag["src"].startswith("data:") for tag in file.soup.select("[src]"))
    assert all(tag["href"].startswith("#part-") for tag in file.soup.select("[href]"))
    assert ".slips {" in text and ".cover {" in text and "default-src 'none'" in text
    client.force_login(tournament.owner)
    offer = f"/t/{tournament.slug}/desk/print/"
    assert page(client, offer).one('a[href$="everything.html"]')
    tournament.staff.update(role="judge")
    assert not page(client, offer).soup.select('a[href$="everything.html"]')


def test_it_costs_the_same_queries_at_any_size(client):
    counts = []
    for players in (4, 40):
        tournament = TournamentFactory(entries=players, rounds=1, published=True)
        client.force_login(tournament.owner)
        with CaptureQueriesContext(connection) as queries:
            client.get(f"/t/{tournament.slug}/desk/print/everything.html")
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 20


@pytest.fixture(autouse=True)
def copies_are_kept(settings, tmp_path, monkeypatch):
    """Save paper copies immediately; other tests that publish save none."""
    settings.VAR_DIR = tmp_path
    monkeypatch.setattr(change, "_listeners", [write_copy_after])
    monkeypatch.setattr(everything.WRITER, "submit", lambda work, *args: work(*args))


@pytest.fixture
def committed(django_capture_on_commit_callbacks):
    return lambda: django_capture_on_commit_callbacks(execute=True)


def occasions(tournament) -> list[str]:
    return [copy.occasion for copy in reversed(list_snapshots(tournament, PAPER))]


def test_each_publication_leaves_a_copy_and_the_last_3_stay(client, committed):
    tournament = TournamentFactory(entries=8)
    for number in range(1, 5):
        with committed():
            RoundFactory(tournament=tournament)
        for table in range(1, 5):
            with committed():
                record_result(tournament, number, table, TWO_NIL)
    assert occasions(tournament) == [f"round-{number}-published" for number in (2, 3, 4)]
    newest, *_earlier = list_snapshots(tournament, PAPER)
    assert newest.path.read_text().count('class="slip"') == 4
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (newest.path, newest.path.parent)]
    assert modes == [0o600, 0o700]
    assert list_snapshots(tournament) == []  # no snapshot is taken for one


def test_several_publications_in_one_commit_leave_one_copy(committed):
    tournament = TournamentFactory(entries=4)
    with committed():
        RoundFactory(tournament=tournament, results=True)
        RoundFactory(tournament=tournament)
    assert occasions(tournament) == ["round-1-published"]
    assert "Pairings by name, round 2" in list_snapshots(tournament, PAPER)[0].path.read_text()


def test_a_full_disk_or_a_fault_publishes_the_round(committed, monkeypatch, caplog):
    tournament = TournamentFactory(entries=4, drafted=False)

    def full_disk(*args):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch, caplog.at_level(logging.ERROR), committed():
        patch.setattr(os, "fsync", full_disk)
        RoundFactory(tournament=tournament, results=True)
    assert tournament.rounds.get(number=1).state == "published"
    assert "no paper copy was written: [Errno 28] No space left on device" in caplog.text
    assert list(snapshot_folder(tournament).iterdir()) == []
    with caplog.at_level(logging.ERROR), committed():
        monkeypatch.setattr(everything, "render_everything", lambda tournament: 1 / 0)
        RoundFactory(tournament=tournament)
    assert tournament.rounds.get(number=2).state == "published"
    assert "division by zero" in caplog.text


def test_an_anonymized_player_or_a_deleted_event_leaves_no_copy(committed):
    tournament = TournamentFactory(entries=4, published=True)
    rename_entry(tournament, "P0001", "Ada Ruiz")
    write_copy(tournament, "round-1-published")
    assert "Ada Ruiz" in list_snapshots(tournament, PAPER)[0].path.read_text()
    with committed():
        anonymize_entry(tournament, "P0001")
    assert occasions(tournament) == ["anonymize"]
    assert "Ada Ruiz" not in list_snapshots(tournament, PAPER)[0].path.read_text()
    write_copy(tournament, "round-1-published")
    folder = snapshot_folder(tournament)
    with committed():
        delete_event(tournament, tournament.name)
    assert not folder.exists()


@pytest.mark.parametrize("meanwhile", ["deleted", "anonymized"])
def test_a_copy_begun_before_a_player_or_an_event_went_is_not_written(meanwhile, monkeypatch):
    tournament = TournamentFactory(entries=4, published=True)
    folder, whole_page = snapshot_folder(tournament), everything.render_everything

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


@pytest.mark.parametrize("tables", [1, 7, 8, 9, 33, 199, 200, 600])
@pytest.mark.parametrize("per_sheet", [8, 6, 4])
def test_piles_put_on_each_other_are_in_table_order(tables, per_sheet):
    sheets = cut_stack(range(1, tables + 1), per_sheet)
    assert len(sheets) == -(-tables // per_sheet)
    piles = [[sheet[place] for sheet in sheets if place < len(sheet)] for place in range(per_sheet)]
    assert [table for pile in piles for table in pile] == list(range(1, tables + 1))
    # Only the last sheets lack a slip, and only at their end: every pile is cut from the same place.
    assert sorted(map(len, sheets), reverse=True) == list(map(len, sheets))


def test_many_columns_and_wide_letters_are_in_smaller_print():
    def print_of(rounds: int, cell: str) -> str:
        columns = [PaperColumn("Rank"), PaperColumn("Player", "name")]
        columns += [PaperColumn(str(number)) for number in range(1, rounds + 1)]
        return PaperList("Crosstable", columns, [["1200", "Kim Lee", *[cell] * rounds]]).print

    assert [print_of(3, "W1200"), print_of(9, "W1200"), print_of(15, "W1200")] == ["", "tight", "tightest"]
    assert print_of(9, "W12") == ""
    assert name_size("i" * 30) == ""
    assert name_size("W" * 12) == ""
    assert [name_size(letter * 30) for letter in ("W", "寿", "Ж", "A")] == ["small"] * 4
    assert name_size("W" * 80) == "tiny"
