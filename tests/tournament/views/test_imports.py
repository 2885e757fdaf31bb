import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.factories import RoundFactory, TournamentFactory
from tests.pages import Page, words_in
from tests.tournament.roster.test_workbook import xlsx
from tests.tournament.views.desk import key, signed_in
from tournament.actionlog import integrity
from tournament.roster import CODECS
from tournament.services.entries import add_entries
from tournament.services.event_settings import change_registration
from tournament.services.imports import import_entries, plan_import

pytestmark = pytest.mark.django_db

LIST = "Name;Elo;ID;Verein\nAda Ruiz;1850;42;Nord\nBo Lind;;43;\n"


@pytest.fixture
def desk(client):
    return signed_in(client, entries=0)


def show(client, tournament, data):
    file = SimpleUploadedFile("list.csv", data if isinstance(data, bytes) else data.encode())
    return client.post(f"/t/{tournament.slug}/desk/import/", {"file": file, "key": key()})


def confirm(client, tournament, answer, **changed):
    """Press a button of that page: import, or with `again` read the file in another encoding."""
    forms = [form.fields for form in Page(answer).forms if "roster" in form.fields]
    return client.post(f"/t/{tournament.slug}/desk/import/", {**forms[0], **changed})


def rows(tournament):
    return list(tournament.entries.values_list("name", "rating", "rating_source", "external_id", "labels"))


def test_a_file_is_shown_before_anything_is_saved(client, desk):
    answer = show(client, desk, LIST.encode("utf-8-sig"))
    shown = Page(answer)
    assert shown.status == 200 and not desk.entries.exists()
    assert "Encoding: UTF-8. Separator: semicolon. Column names are in line 1." in shown
    assert "rating: “Elo”" in shown and "2 new players" in shown and "Ada Ruiz" in shown
    assert [confirm(client, desk, answer).status_code for _ in range(2)] == [303, 303]  # done once
    assert rows(desk) == [("Ada Ruiz", 1850, "Elo", "42", ["Nord"]), ("Bo Lind", None, "", "43", [])]
    assert integrity.check(desk) == []


def test_the_same_file_again_does_nothing_and_another_shows_what_differs(client, desk):
    confirm(client, desk, show(client, desk, LIST))
    for same in (LIST, "Name;Elo;ID;Verein\nAda Ruiz;;42;\n"):  # what a file leaves empty stays
        again = Page(show(client, desk, same))
        assert "Nothing to do" in again and not again.all("[name=seen]")
    answer = show(client, desk, LIST.replace("1850", "1900").replace("Bo Lind", "Bo Lindt") + "Chen;;44;\n")
    shown = Page(answer)
    assert "1850 → 1900" in shown and "Bo Lind → Bo Lindt" in shown
    assert "Add 1 player" in shown and "change 2" in shown
    confirm(client, desk, answer)
    assert [row[:2] for row in rows(desk)] == [("Ada Ruiz", 1900), ("Bo Lindt", None), ("Chen", None)]


def test_a_file_that_only_changes_says_so_and_its_columns_are_named(client, desk):
    people = "Last name;First name;Club;ID\nRuiz;Ada;Nord;42\n"
    confirm(client, desk, show(client, desk, people))
    change_registration(desk, capacity=1)
    shown = Page(show(client, desk, people.replace("Nord", "Süd")))
    assert "Change 1 player" in shown and "Add 0" not in shown
    assert "first name: “First name”" in shown and "last name: “Last name”" in shown
    assert "1 of them is over the player limit" in Page(show(client, desk, f"{people}Lind;Bo;;43\n"))


def test_a_name_or_number_of_a_list_finds_its_player_and_nobody_else():
    tournament = TournamentFactory(entries=0)
    add_entries(tournament, ["Kim Lee", "Kim Lee"])
    people = [{"name": "Kim Lee", "rating": 1}, {"name": "KIM LEE"}, {"name": "Kim Lee", "rating": 3}]
    plan = plan_import(tournament, people)
    assert [row.code for row in plan.changed] == ["P0001", "P0002"]
    assert plan.added == [{"name": "Kim Lee", "rating": 3}]
    tournament = TournamentFactory(entries=0)
    add_entries(tournament, ["Kim Lee"])
    first = [{"name": "Kim Lee", "external_id": "1"}]
    import_entries(tournament, first, plan_import(tournament, first).digest)
    assert tournament.entries.get().external_id == "1"
    plan = plan_import(tournament, [{"name": "Kim Lee", "external_id": "2"}])
    assert len(plan.added) == 1 and not plan.changed


def test_what_a_file_says_is_never_run_and_its_bad_lines_are_named(client, desk):
    shown = Page(show(client, desk, LIST + "Chen;strong;44;\n"))
    assert "1 line cannot be imported. Nothing is saved" in shown
    assert "Line 4: the rating “strong” is not a whole number." in shown
    assert not shown.all("[name=seen]") and not desk.entries.exists()
    shown = Page(show(client, desk, "Name\n<script>alert(1)</script>\n=cmd()\n"))
    assert "<script>alert(1)</script>" in shown.words


def test_a_list_that_changed_meanwhile_or_is_not_ours_is_not_imported(client, desk):
    answer = show(client, desk, LIST)
    other = TournamentFactory(entries=0, owner=desk.owner, name="Another")
    assert confirm(client, desk, answer, roster="tampered").status_code == 400
    assert confirm(client, other, answer).status_code == 400
    assert not desk.entries.exists() and not other.entries.exists()
    add_entries(desk, ["Ada Ruiz"])
    late = confirm(client, desk, answer)
    assert late.status_code == 409 and desk.entries.count() == 1
    shown = Page(late)
    assert "The players changed while you were looking" in shown and "1 changed player" in shown
    assert confirm(client, desk, late).status_code == 303 and desk.entries.count() == 2


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, "Choose a file first."),
        (b"", "The file is empty."),
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "This is a picture"),
        (b"a,b\n1,2\n", "No column is called “Name”"),
        (b'Name\n"Ada\n', "Line 2 opens a quotation mark"),
        (b"Name\n" + b"x" * 3_000_000, "larger than 2 MB"),
    ],
    ids=lambda value: str(value)[:10],
)
def test_a_file_that_is_no_list_is_refused_at_its_field(client, desk, data, words):
    fields = {"file": SimpleUploadedFile("list.csv", data)} if data is not None else {}
    answer = client.post(f"/t/{desk.slug}/desk/import/", {"key": key(), **fields})
    assert answer.status_code == 422 and words in Page(answer)


def test_who_is_imported_late_has_missed_the_rounds(client, desk):
    add_entries(desk, ["A", "B"])
    RoundFactory(tournament=desk)
    answer = show(client, desk, LIST)
    assert "published and counts as a loss" in Page(answer)
    confirm(client, desk, answer)
    assert desk.rounds.get().matches.filter(result="missed").count() == 2


def test_one_name_in_several_lines_is_named_before_two_players_are_made(client, desk):
    names = "Name;ID\nAda Ash;\nAda\u200bAsh;\nKim Lee;1\nKim Lee;2\nNuñez, Bo;3\nbo nunez;\n"
    shown = Page(show(client, desk, names))
    assert "The file has the same name more than once" in shown and "Kim Lee: lines" not in shown
    assert "Ada Ash: lines 2, 3" in shown and "Nuñez, Bo: lines 6, 7" in shown


# --- encodings ---------------------------------------------------------------------------------------------


def offered(answer):
    """{encoding: what the page says of it}, and the one it has assumed."""
    options = Page(answer).soup.select("select[name=encoding] option")
    chosen = [option["value"] for option in options if option.has_attr("selected")]
    return {option["value"]: words_in(option) for option in options}, "".join(chosen)


@pytest.mark.parametrize(
    ("encoding", "names"),
    [
        ("Windows-1250", ["Łukasz Żółciński", "Jiří Dvořák"]),
        ("Windows-1251", ["Иван Петров"]),
        ("Shift_JIS", ["山田太郎"]),
        ("Mac Roman", ["Jürgen Müller"]),  # these are few letters to tell by
        ("GBK", ["张伟", "李娜", "王芳"]),
        ("Windows-1254", ["İsmail Ağaoğlu", "Ayşe Yılmaz"]),
        ("EUC-KR", ["김민준"]),
        ("Windows-1252", ["Núria Pagès"]),
        ("Big5", ["陳大文", "黃美麗"]),
        ("UTF-16", ["Żaneta Ñu", "山田太郎"]),
    ],
)
def test_a_file_is_read_in_its_own_encoding_which_is_named(client, desk, encoding, names):
    data = ("Name;Rating\n" + "".join(f"{name};1500\n" for name in names)).encode(CODECS[encoding])
    answer = show(client, desk, data)
    choices, assumed = offered(answer)
    assert f"Encoding: {encoding}." in Page(answer) and assumed == encoding
    assert choices[encoding] == f"{encoding}: {', '.join(names)}" and set(choices) == set(CODECS)
    assert confirm(client, desk, answer).status_code == 303
    assert [row[0] for row in rows(desk)] == names


def test_another_encoding_is_chosen_and_looked_at_first_also_where_the_header_is_in_another_script(
    client, desk
):
    answer = show(client, desk, "Name;Rating\nŞahin;1500\n".encode("cp1254"))
    choices, assumed = offered(answer)
    right = "Windows-1254"
    assert assumed == "Windows-1252" and choices[right] == "Windows-1254: Şahin"
    assert confirm(client, desk, answer, encoding=right).status_code == 200 and not desk.entries.exists()
    answer = confirm(client, desk, answer, encoding=right, again="1")
    assert answer.status_code == 200 and offered(answer)[1] == right and not desk.entries.exists()
    confirm(client, desk, answer, encoding=right)
    assert rows(desk)[0][0] == "Şahin"
    data = "Игрок;Рейтинг\nИван Петров;1500\n"
    answer = show(client, desk, data.encode("cp866"))  # not one that is detected
    assert answer.status_code == 422 and "No column is called" in Page(answer)
    assert "Windows-1251" in offered(answer)[0]
    good = Page(show(client, desk, data.encode("cp1251")))
    assert "name: “Игрок”" in good and "rating: “Рейтинг”" in good


def test_letters_that_are_lost_need_a_decision(client, desk):
    answer = show(client, desk, "Name\nJos\ufffd Ni\ufffdo\nAda\n")
    assert "Letters are missing in the line of 1 player." in Page(answer)
    refused = confirm(client, desk, answer)
    assert refused.status_code == 422 and not desk.entries.exists()
    assert "Letters are missing in some names." in Page(refused)
    assert confirm(client, desk, answer, keep_damaged="on").status_code == 303
    assert [row[0] for row in rows(desk)] == ["Jos\ufffd Ni\ufffdo", "Ada"]


def test_a_workbook_is_previewed_and_imported_without_a_choice_of_encodings(client, desk):
    answer = show(client, desk, xlsx(("A1", "Name"), ("A2", "Łukasz Ńu")))
    assert "XLSX: Players." in Page(answer) and offered(answer)[0] == {}
    confirm(client, desk, answer)
    assert rows(desk)[0][0] == "Łukasz Ńu"
