import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.factories import RoundFactory, TournamentFactory
from tests.pages import Page, page, press, words_in
from tests.tournament.roster.test_workbook import xlsx
from tests.tournament.services.test_waitlist import enrol
from tests.tournament.views.desk import key, signed_in
from tournament.actionlog import integrity
from tournament.roster import CODECS
from tournament.services.drops import drop_entry
from tournament.services.entries import add_entries
from tournament.services.event_settings import change_registration
from tournament.services.imports import import_entries, plan_import
from tournament.services.undo import undo_action

LIST = "Name;Elo;ID;Verein\nAda Ruiz;1850;42;Nord\nBo Lind;;43;\n"


@pytest.fixture
def desk(client):
    return signed_in(client, entries=0)


def show(client, tournament, data):
    file = SimpleUploadedFile("list.csv", data if isinstance(data, bytes) else data.encode())
    return client.post(f"/t/{tournament.slug}/desk/players/file/", {"file": file, "key": key()})


def confirm(client, tournament, answer, **changed):
    """Press a button of that page: import, or with `again` read the file in another encoding."""
    forms = [form.fields for form in Page(answer).forms if "roster" in form.fields]
    return client.post(f"/t/{tournament.slug}/desk/players/file/", {**forms[0], **changed})


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
    assert "1 new player" in shown and "2 changed players" in shown
    confirm(client, desk, answer)
    assert [row[:2] for row in rows(desk)] == [("Ada Ruiz", 1900), ("Bo Lindt", None), ("Chen", None)]


def test_a_file_that_only_changes_says_so_and_its_columns_are_named(client, desk):
    people = "Last name;First name;Club;ID\nRuiz;Ada;Nord;42\n"
    confirm(client, desk, show(client, desk, people))
    change_registration(desk, capacity=1)
    shown = Page(show(client, desk, people.replace("Nord", "Süd")))
    assert "1 changed player" in shown and "new player" not in shown
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
    answer = client.post(f"/t/{desk.slug}/desk/players/file/", {"key": key(), **fields})
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


def test_letters_that_are_lost_are_named_before_the_import(client, desk):
    answer = show(client, desk, "Name\nJos\ufffd Ni\ufffdo\nAda\n")
    assert "Letters are missing in the line of 1 player." in Page(answer)
    assert confirm(client, desk, answer).status_code == 303
    assert [row[0] for row in rows(desk)] == ["Jos\ufffd Ni\ufffdo", "Ada"]


def test_a_workbook_is_previewed_and_imported_without_a_choice_of_encodings(client, desk):
    answer = show(client, desk, xlsx(("A1", "Name"), ("A2", "Łukasz Ńu")))
    assert "XLSX: Players" in Page(answer) and offered(answer)[0] == {}
    confirm(client, desk, answer)
    assert rows(desk)[0][0] == "Łukasz Ńu"


PARTS = [('label[for="id', ""), ('[id="id', "_helptext")]  # selectors of a choice's label and help


@pytest.fixture
def event(client):
    return signed_in(client, entries=3)


def paste(client, tournament, names, **fields):
    sent = {"names": names, "key": key(), **fields}
    return Page(client.post(f"/t/{tournament.slug}/desk/players/", sent, follow=True))


def asked(shown):
    """{label: (its field, {choice: words}, help)} of the lines to decide about."""
    lines = {}
    for select in shown.soup.select("select[name^=line-]"):
        label, reason = (shown.all(f'{css}_{select["name"]}{end}"]')[0] for css, end in PARTS)
        options = {str(option["value"]): words_in(option) for option in select.select("option")}
        lines[label] = (select["name"], options, reason)
    return lines


def decide(client, tournament, shown, **choices):
    """The same page sent again. `choices`: {label: choice}."""
    lines = asked(shown)
    return press(client, shown, "Add", **{lines[label][0]: choice for label, choice in choices.items()})


def added(tournament):
    return list(tournament.entries.filter(code__gt="P0003").order_by("code").values_list("name", "rating"))


def test_a_list_takes_the_same_queries_for_few_and_for_many_players(client, event, django_assert_num_queries):
    lines = "Player 01\nPlayer 02"
    paste(client, event, lines)
    with CaptureQueriesContext(connection) as few:
        paste(client, event, lines)
    add_entries(event, [f"Player {number}" for number in range(10, 30)])
    with django_assert_num_queries(len(few)):
        paste(client, event, lines)


def test_names_that_stand_there_already_are_asked_about(client, event):
    drop_entry(event, "P0002")
    shown = paste(client, event, "Ada Ruiz\nPLAYER  01\nPlayer 02\nAda Ruiz")
    assert shown.status == 422 and added(event) == []
    assert "Nothing was added yet. Decide about 3 lines first." in shown
    assert "1 other line is a new name" in shown
    lines = asked(shown)
    assert lines["PLAYER 01"][2] == "Player 01 (P0001) is already registered: playing."
    assert lines["Player 02"][2] == "Player 02 (P0002) is already registered: dropped."
    assert lines["Ada Ruiz"][2] == "Ada Ruiz is already in line 1 of this list."
    assert list(lines["PLAYER 01"][1].values()) == ["Leave out", "Add PLAYER 01"]
    assert decide(client, event, shown, **{"PLAYER 01": "jump"}).status == 422 and added(event) == []
    done = decide(client, event, shown, **{"PLAYER 01": "out", "Player 02": "out", "Ada Ruiz": "read"})
    assert "2 players added." in done
    assert added(event) == [("Ada Ruiz", None), ("Ada Ruiz", None)]


def test_what_is_not_decided_is_done_as_proposed(client, event):
    assert "0 players added." in decide(client, event, paste(client, event, "Player 01"))
    assert "1 player added." in decide(client, event, paste(client, event, "Player 01\nCy Day\t1850"))
    assert added(event) == [("Cy Day", 1850)]


def test_rows_with_ratings_and_numbers_say_what_was_understood(client, event):
    shown = paste(client, event, "Ada Ruiz\t1850\t12\n2. Bo Lind\nCy Day 900\n12")
    lines = asked(shown)
    assert list(lines) == ["12"] and list(lines["12"][1]) == ["out", "text"]
    assert "Ada Ruiz 1850 12" in shown  # the name, the rating, and what is not used
    decide(client, event, shown, **{"12": "text"})
    assert added(event) == [("Ada Ruiz", 1850), ("Bo Lind", None), ("Cy Day", 900), ("12", None)]
    undo_action(event, event.actions.latest("number").number)
    assert added(event) == []


def test_a_list_that_is_read_wrong_is_added_as_it_is_written(client, event):
    shown = paste(client, event, "2. Bo Lind\nCy Day 900\nPlayer 01")
    again = press(client, shown, "Add", as_written="on")
    assert again.status == 422 and list(asked(again)) == ["Player 01"] and added(event) == []
    press(client, again, "Add")
    assert added(event) == [("2. Bo Lind", None), ("Cy Day 900", None)]


def test_last_names_contacts_and_countries_are_saved_as_they_were_shown(client, event):
    shown = paste(client, event, "Ruiz, Ada\tada@example.org\nBo Lind;Norway")
    decide(client, event, shown)
    rows = event.entries.filter(code__gt="P0003").order_by("code")
    assert list(rows.values_list("name", "last_name", "contact", "labels")) == [
        ("Ada Ruiz", "Ruiz", "ada@example.org", []),
        ("Bo Lind", "", "", ["Norway"]),
    ]
    assert "Ruiz" not in str(event.actions.latest("number").changes)


def test_invisible_characters_make_no_second_player(client, event):
    paste(client, event, "Ada Ash")
    for name in (
        "Ada\u200bAsh",
        "A\u00adda Ash",
        "\u200eADA\u00a0ASH",
        "ADA\u2060ASH",
        "Ash, Ada",
        "A\u200bda Ash",
    ):
        shown = paste(client, event, name)
        assert shown.status == 422 and len(added(event)) == 1, name
        assert "Ada Ash (P0004) is already registered: playing." in shown, name


def test_nothing_typed_is_lost_and_a_changed_list_is_asked_about_anew(client, event):
    text = "Ada Ruiz\nPlayer 01\nBo <b>\t1850"
    form = paste(client, event, text, reason="their bus was late").form("Add")
    assert form["names"] == text
    choice = next(name for name in form.fields if name.startswith("line-"))
    shown = paste(client, event, text + "\nPlayer 03", seen=form["seen"], **{choice: "read"})
    assert shown.status == 422 and added(event) == [] and set(asked(shown)) >= {"Player 03", "Player 01"}
    assert shown.form("Add")[choice] == "read"


def test_a_table_with_column_names_is_shown_as_a_file_is_or_refused_with_its_line(client, event):
    shown = paste(client, event, "Name\tRating\tClub\nAda Ruiz\t1850\tNorth\nPlayer 01\t1700\t")
    assert "1 new player" in shown and "1 changed player" in shown and "North" in shown and added(event) == []
    press(client, shown, "Import")
    assert added(event) == [("Ada Ruiz", 1850)] and event.entries.get(code="P0001").rating == 1700
    shown = paste(client, event, "Name\tRating\nAda Ruiz\tstrong")
    assert shown.status == 422 and "Line 2: the rating “strong” is not a whole number." in shown
    assert shown.form("Add")["names"] == "Name\tRating\nAda Ruiz\tstrong"


@pytest.mark.long
def test_a_long_list_asks_about_the_first_ones_at_a_constant_price(
    client, event, django_assert_max_num_queries
):
    text = "\n".join(f"Somebody {n // 26}{chr(97 + n % 26)}x\t{1000 + n}" for n in range(2000))
    with django_assert_max_num_queries(20):
        shown = paste(client, event, f"{text}\n{text}")
    assert len(asked(shown)) == 200 and "1800 more lines are not listed." in shown
    decide(client, event, shown)
    assert len(added(event)) == 2000 and added(event)[-1][1] == 2999


def test_a_list_that_is_too_long_is_refused_unread(client, event, monkeypatch):
    monkeypatch.setattr("tournament.forms.pasted_names.read_names", lambda *_, **__: pytest.fail("read"))
    assert paste(client, event, "Ada\n" * 125_001).status == 422 and added(event) == []


def test_a_paste_says_that_it_jumps_the_waitlist(client, event):
    change_registration(event, self_registration=True, capacity=3)
    enrol(event, "Wanda West", "Xenia Xu")
    desk = f"/t/{event.slug}/desk/"
    for part in ("players/", "players/add/"):
        said = "2 players are on the waitlist. Players you add here play at once"
        assert said in page(client, desk + part, add="names")
    said = "2 players are still on the waitlist. The players you added"
    assert said in paste(client, event, "Ada Ruiz")
    lines = asked(paste(client, event, "wanda west"))
    assert lines["wanda west"][2] == "Wanda West (P0004) is already registered: on the waitlist."
    assert said in Page(client.post(f"{desk}players/add/", {"name": "Bo", "key": key()}, follow=True))
