import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.pages import Page, page, press, words_in
from tests.tournament.services.test_waitlist import enrol
from tests.tournament.views.desk import key, signed_in
from tournament.services.drops import drop_entry
from tournament.services.entries import add_entries
from tournament.services.event_settings import change_registration
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db
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


def decide(client, tournament, shown, habits=(), **choices):
    """The same page sent again, with a choice for each label and each of `habits`. `choices`: {label: choice}."""
    lines = asked(shown)
    picked = {lines[label][0]: choice for label, choice in choices.items()}
    return press(client, shown, "Add", **picked, **dict(habits))


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


def habits(shown):
    """{field: the words of its choices, the proposal first} of what is asked about the whole list"""
    selects = shown.soup.select("select[name^=all-]")
    return {
        str(select["name"]): [words_in(option) for option in select.select("option")] for select in selects
    }


def test_rows_with_ratings_and_numbers_say_what_was_understood(client, event):
    shown = paste(client, event, "Ada Ruiz\t1850\t12\n2. Bo Lind\nCy Day 900\n12")
    assert habits(shown) == {
        "all-number": ["Leave the number out: Bo Lind", "The number is part of the name: 2. Bo Lind"],
        "all-rating": [
            "The number is the rating: Cy Day, rating 900",
            "The number is part of the name: Cy Day 900",
        ],
    }
    lines = asked(shown)
    assert list(lines) == ["12"] and list(lines["12"][1]) == ["out", "text"]
    assert "Ada Ruiz 1850 12" in shown  # the name, the rating, and what is not used
    decide(client, event, shown, habits={"all-number": "keep"}, **{"12": "text"})
    assert added(event) == [("Ada Ruiz", 1850), ("2. Bo Lind", None), ("Cy Day", 900), ("12", None)]
    undo_action(event, event.actions.latest("number").number)
    assert added(event) == []


def test_last_names_contacts_and_countries_are_saved_as_they_were_shown(client, event):
    shown = paste(client, event, "Ruiz, Ada\tada@example.org\nBo Lind;Norway")
    assert [words[0] for words in habits(shown).values()] == [
        "The last name comes first: Ada Ruiz, last name Ruiz",
        "Save it as a label: Bo Lind, label Norway",
    ]
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
    press(client, shown, "Add 1 player, change 1")
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
    monkeypatch.setattr("tournament.forms.pasted_names.read_names", lambda text: pytest.fail("read"))
    assert paste(client, event, "Ada\n" * 125_001).status == 422 and added(event) == []


def test_a_paste_says_that_it_jumps_the_waitlist(client, event):
    change_registration(event, self_registration=True, capacity=3)
    enrol(event, "Wanda West", "Xenia Xu")
    desk = f"/t/{event.slug}/desk/"
    for part in ("players/", "add-player/"):
        said = "2 players are on the waitlist. Players you add here play at once"
        assert said in page(client, desk + part)
    said = "2 players are still on the waitlist. The players you added"
    assert said in paste(client, event, "Ada Ruiz")
    lines = asked(paste(client, event, "wanda west"))
    assert lines["wanda west"][2] == "Wanda West (P0004) is already registered: on the waitlist."
    assert said in Page(client.post(f"{desk}add-player/", {"name": "Bo", "key": key()}, follow=True))
