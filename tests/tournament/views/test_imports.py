"""A file of players at the desk: shown first, taken over as a whole, imported again without harm."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tests.tournament.views.desk import key
from tournament.actionlog import integrity
from tournament.services.entries import add_entries
from tournament.services.event_settings import change_registration
from tournament.services.imports import import_entries, plan_import

pytestmark = pytest.mark.django_db

LIST = "Name;Elo;ID;Verein\nAda Ruiz;1850;42;Nord\nBo Lind;;43;\n"


@pytest.fixture
def desk(client):
    owner = UserFactory()
    client.force_login(owner)
    return TournamentFactory(entries=0, owner=owner)


def show(client, tournament, data):
    """What a file would do."""
    file = SimpleUploadedFile("list.csv", data if isinstance(data, bytes) else data.encode())
    return client.post(f"/t/{tournament.slug}/desk/import/", {"file": file, "key": key()})


def confirm(client, tournament, answer, **changed):
    """Press the button of that page."""
    html = answer.content.decode()
    names = ("roster", "seen", "key")
    fields = {name: re.findall(rf'name="{name}" value="([^"]*)"', html)[0] for name in names}
    return client.post(f"/t/{tournament.slug}/desk/import/", {**fields, **changed})


def rows(tournament):
    return list(tournament.entries.values_list("name", "rating", "rating_source", "external_id", "labels"))


def test_a_file_is_shown_before_anything_is_saved(client, desk):
    answer = show(client, desk, LIST.encode("utf-8-sig"))
    html = answer.content.decode()
    assert answer.status_code == 200 and not desk.entries.exists()
    assert "Encoding: UTF-8. Separator: semicolon. Column names are in line 1." in html
    assert "rating: “Elo”" in html and "2 new players" in html and "Ada Ruiz" in html
    assert confirm(client, desk, answer).status_code == 303
    assert rows(desk) == [("Ada Ruiz", 1850, "Elo", "42", ["Nord"]), ("Bo Lind", None, "", "43", [])]
    assert integrity.check(desk) == []


def test_the_same_file_again_does_nothing_and_another_shows_what_differs(client, desk):
    confirm(client, desk, show(client, desk, LIST))
    again = show(client, desk, LIST).content.decode()
    assert "Nothing to do" in again and 'name="seen"' not in again
    answer = show(client, desk, LIST.replace("1850", "1900").replace("Bo Lind", "Bo Lindt") + "Chen;;44;\n")
    html = answer.content.decode()
    assert "<del>1850</del> → <ins>1900</ins>" in html and "<del>Bo Lind</del> → <ins>Bo Lindt</ins>" in html
    assert "Add 1 player" in html and "change 2" in html
    confirm(client, desk, answer)
    assert [row[:2] for row in rows(desk)] == [("Ada Ruiz", 1900), ("Bo Lindt", None), ("Chen", None)]


def test_a_file_that_only_changes_says_so_and_its_columns_are_named(client, desk):
    people = "Last name;First name;Club;ID\nRuiz;Ada;Nord;42\n"
    confirm(client, desk, show(client, desk, people))
    html = show(client, desk, people.replace("Nord", "Süd")).content.decode()
    assert "Change 1 player" in html and "Add 0" not in html
    assert "first name: “First name”" in html and "last name: “Last name”" in html


def test_more_players_than_places_are_told_of_before(client, desk):
    change_registration(desk, capacity=1)
    assert "1 of them is over the player limit" in show(client, desk, LIST).content.decode()


def test_sent_twice_it_is_done_once(client, desk):
    answer = show(client, desk, LIST)
    assert [confirm(client, desk, answer).status_code for _ in range(2)] == [303, 303]
    assert desk.entries.count() == 2


def test_without_numbers_equal_names_are_told_by_their_count():
    tournament = TournamentFactory(entries=0)
    add_entries(tournament, ["Kim Lee", "Kim Lee"])
    people = [{"name": "Kim Lee", "rating": 1}, {"name": "KIM LEE"}, {"name": "Kim Lee", "rating": 3}]
    plan = plan_import(tournament, people)
    assert [row.code for row in plan.changed] == ["P0001", "P0002"]
    assert plan.added == [{"name": "Kim Lee", "rating": 3}]


def test_a_number_is_given_to_who_has_none_and_never_to_somebody_else():
    tournament = TournamentFactory(entries=0)
    add_entries(tournament, ["Kim Lee"])
    first = [{"name": "Kim Lee", "external_id": "1"}]
    import_entries(tournament, first, plan_import(tournament, first).digest)
    assert tournament.entries.get().external_id == "1"
    plan = plan_import(tournament, [{"name": "Kim Lee", "external_id": "2"}])
    assert len(plan.added) == 1 and not plan.changed


def test_what_the_file_leaves_empty_stays(client, desk):
    confirm(client, desk, show(client, desk, LIST))
    answer = show(client, desk, "Name;Elo;ID;Verein\nAda Ruiz;;42;\n").content.decode()
    assert "Nothing to do" in answer


def test_one_bad_line_and_nothing_is_saved(client, desk):
    html = show(client, desk, LIST + "Chen;strong;44;\n").content.decode()
    assert "1 line cannot be imported. Nothing is saved" in html
    assert "Line 4: the rating “strong” is not a whole number." in html
    assert 'name="seen"' not in html and not desk.entries.exists()


def test_a_list_that_changed_meanwhile_is_shown_again(client, desk):
    answer = show(client, desk, LIST)
    add_entries(desk, ["Ada Ruiz"])
    late = confirm(client, desk, answer)
    assert late.status_code == 409 and desk.entries.count() == 1
    html = late.content.decode()
    assert "The players changed while you were looking" in html and "1 changed player" in html
    assert confirm(client, desk, late).status_code == 303
    assert desk.entries.count() == 2


def test_a_list_that_is_not_ours_is_refused(client, desk):
    answer = show(client, desk, LIST)
    other = TournamentFactory(entries=0, owner=desk.owner, name="Another")
    assert confirm(client, desk, answer, roster="tampered").status_code == 400
    assert confirm(client, other, answer).status_code == 400
    assert not desk.entries.exists() and not other.entries.exists()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "The file is empty."),
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "This is a picture"),
        (b"a,b\n1,2\n", "No column is called “Name”"),
        (b'Name\n"Ada\n', "Line 2 opens a quotation mark"),
        (b"Name\n" + b"x" * 3_000_000, "larger than 2 MB"),
    ],
    ids=lambda value: str(value)[:10],
)
def test_a_file_that_is_no_list_is_refused_at_its_field(client, desk, data, words):
    answer = show(client, desk, data)
    assert answer.status_code == 422 and words in answer.content.decode()


def test_no_file_is_said(client, desk):
    answer = client.post(f"/t/{desk.slug}/desk/import/", {"key": key()})
    assert answer.status_code == 422 and "Choose a file first." in answer.content.decode()


def test_who_is_imported_late_has_missed_the_rounds(client, desk):
    add_entries(desk, ["A", "B"])
    RoundFactory(tournament=desk)
    answer = show(client, desk, LIST)
    assert "published and counts as a loss" in answer.content.decode()
    confirm(client, desk, answer)
    assert desk.rounds.get().matches.filter(result="missed").count() == 2


def test_names_and_numbers_stay_out_of_the_log(client, desk):
    confirm(client, desk, show(client, desk, LIST.replace("Verein", "E-Mail").replace("Nord", "ada@x")))
    confirm(client, desk, show(client, desk, LIST.replace("Verein", "E-Mail").replace("Nord", "new@x")))
    log = str(list(desk.actions.values_list("changes", flat=True)))
    assert not any(word in log for word in ("Ruiz", "'42'", "ada@x", "new@x"))
    assert desk.entries.get(external_id="42").contact == "new@x"


def test_what_a_file_says_is_never_run(client, desk):
    html = show(client, desk, "Name\n<script>alert(1)</script>\n=cmd()\n").content.decode()
    assert "<script>alert" not in html and "&lt;script&gt;alert" in html
