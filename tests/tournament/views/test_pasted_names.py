"""A pasted list with lines in doubt: shown for a decision before anything is added, and nothing typed is lost."""

import html
import re

import pytest

from tests.factories import TournamentFactory, UserFactory
from tests.tournament.services.test_waitlist import enrol
from tests.tournament.views.desk import key
from tournament.services.drops import drop_entry
from tournament.services.event_settings import change_registration
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(client):
    owner = UserFactory()
    client.force_login(owner)
    return TournamentFactory(entries=3, owner=owner)


def paste(client, tournament, names, **fields):
    sent = {"names": names, "key": key(), **fields}
    return client.post(f"/t/{tournament.slug}/desk/players/", sent, follow=True)


def asked(answer):
    """{label: (its field, {choice: words}, help)} of the lines to decide about."""
    page = answer.content.decode()
    lines = {}
    for name, label in re.findall(
        r'<label\s+for="id_(line-[^"]+)"[^>]*>\s*(.*?)\s*</label>', page, re.DOTALL
    ):
        select = re.search(rf'<select name="{name}".*?</select>', page, re.DOTALL)[0]
        options = re.findall(r'<option value="(\w+)"[^>]*>(.*?)</option>', select)
        reason = re.search(rf'id="id_{name}_helptext"[^>]*>(.*?)<', page)[1]
        lines[html.unescape(label)] = (name, {k: html.unescape(v) for k, v in options}, html.unescape(reason))
    return lines


def decide(client, tournament, answer, **choices):
    """The same page sent again, with a choice for each label. `choices`: {label: choice}."""
    page = answer.content.decode()
    fields = {name: re.search(rf'name="{name}" value="([^"]*)"', page)[1] for name in ("seen", "key")}
    names = html.unescape(re.search(r"<textarea[^>]*>\n?(.*?)</textarea>", page, re.DOTALL)[1])
    lines = asked(answer)
    picked = {lines[label][0]: choice for label, choice in choices.items()}
    return paste(client, tournament, names, **fields, **picked)


def added(tournament):
    return list(tournament.entries.filter(code__gt="P0003").order_by("code").values_list("name", "rating"))


def test_a_clean_list_is_added_in_one_step(client, event):
    answer = paste(client, event, "Ada Ruiz\nLind, Bo\nTeam 7")
    assert "3 players added." in answer.content.decode()
    assert added(event) == [("Ada Ruiz", None), ("Lind, Bo", None), ("Team 7", None)]


def test_names_that_stand_there_already_are_asked_about(client, event):
    drop_entry(event, "P0002")
    answer = paste(client, event, "Ada Ruiz\nPLAYER  01\nPlayer 02\nAda Ruiz")
    assert answer.status_code == 422 and added(event) == []
    page = answer.content.decode()
    assert "Nothing was added yet. Decide about 3 lines first." in page
    assert "1 other line is a new name" in page
    lines = asked(answer)
    assert lines["PLAYER 01"][2] == "Player 01 (P0001) is already registered: playing."
    assert lines["Player 02"][2] == "Player 02 (P0002) is already registered: dropped."
    assert lines["Ada Ruiz"][2] == "Ada Ruiz is already in line 1 of this list."
    assert list(lines["PLAYER 01"][1].values()) == ["Leave out", "Add PLAYER 01"]
    answer = decide(client, event, answer, **{"PLAYER 01": "out", "Player 02": "out", "Ada Ruiz": "read"})
    assert "2 players added." in answer.content.decode()
    assert added(event) == [("Ada Ruiz", None), ("Ada Ruiz", None)]


def test_what_is_not_decided_is_done_as_proposed(client, event):
    answer = decide(client, event, paste(client, event, "Player 01\nCy Day\t1850"))
    assert "1 player added." in answer.content.decode() and added(event) == [("Cy Day", 1850)]


def test_rows_with_ratings_and_numbers_say_what_was_understood(client, event):
    text = "Ada Ruiz\t1850\t12\n2. Bo Lind\nCy Day 900\n12"
    answer = paste(client, event, text)
    lines = asked(answer)
    assert lines["Ada Ruiz 1850 12"][1] == {
        "read": "Add Ada Ruiz, rating 1850",
        "text": "Add “Ada Ruiz 1850 12” as the name",
        "out": "Leave out",
    }
    assert lines["2. Bo Lind"][1]["read"] == "Add Bo Lind"
    assert list(lines["12"][1]) == ["out", "text"]
    choices = {"Ada Ruiz 1850 12": "read", "2. Bo Lind": "text", "Cy Day 900": "read", "12": "text"}
    decide(client, event, answer, **choices)
    assert added(event) == [("Ada Ruiz", 1850), ("2. Bo Lind", None), ("Cy Day", 900), ("12", None)]
    undo_action(event, event.actions.order_by("-number").first().number)
    assert added(event) == []


def test_nothing_typed_is_lost_and_a_changed_list_is_asked_about_anew(client, event):
    text = "Ada Ruiz\nPlayer 01\nBo <b>\t1850"
    answer = paste(client, event, text, reason="their bus was late")
    assert html.escape(text) in answer.content.decode()
    seen = re.search(r'name="seen" value="(\w+)"', answer.content.decode())[1]
    choice = {asked(answer)["Player 01"][0]: "read"}
    answer = paste(client, event, text + "\nPlayer 03", seen=seen, **choice)
    assert (
        answer.status_code == 422 and added(event) == [] and set(asked(answer)) >= {"Player 03", "Player 01"}
    )
    assert '<option value="read" selected>Add Player 01' in answer.content.decode()


def test_a_choice_that_there_is_not_adds_nothing(client, event):
    answer = paste(client, event, "Player 01")
    assert decide(client, event, answer, **{"Player 01": "jump"}).status_code == 422
    assert added(event) == []


def test_leaving_everyone_out_adds_no_one(client, event):
    answer = decide(client, event, paste(client, event, "Player 01"), **{"Player 01": "out"})
    assert "0 players added." in answer.content.decode() and added(event) == []


def test_the_decided_form_sent_twice_is_done_once(client, event):
    answer = paste(client, event, "Player 01\nAda Ruiz 1850")
    for _ in "twice":
        done = decide(client, event, answer, **{"Player 01": "read", "Ada Ruiz 1850": "read"})
        assert "2 players added." in done.content.decode()
    assert added(event) == [("Player 01", None), ("Ada Ruiz", 1850)]


def test_a_table_with_column_names_is_shown_as_a_file_is(client, event):
    answer = paste(client, event, "Name\tRating\tClub\nAda Ruiz\t1850\tNorth\nPlayer 01\t1700\t")
    page = answer.content.decode()
    assert "1 new player" in page and "1 changed player" in page and "North" in page and added(event) == []
    fields = {
        name: html.unescape(re.search(rf'name="{name}" value="([^"]*)"', page)[1])
        for name in ("roster", "seen")
    }
    client.post(f"/t/{event.slug}/desk/import/", {**fields, "key": key()})
    assert added(event) == [("Ada Ruiz", 1850)] and event.entries.get(code="P0001").rating == 1700


def test_a_table_with_a_bad_line_is_refused_with_its_line_and_kept(client, event):
    answer = paste(client, event, "Name\tRating\nAda Ruiz\tstrong")
    page = answer.content.decode()
    assert answer.status_code == 422 and "Line 2: the rating “strong” is not a whole number." in page
    assert "Ada Ruiz\tstrong</textarea>" in page


@pytest.mark.long
def test_a_long_list_asks_about_the_first_ones_at_a_constant_price(
    client, event, django_assert_max_num_queries
):
    text = "\n".join(
        f"Somebody {chr(97 + n // 26 % 26)}{chr(97 + n % 26)}{n // 676}x\t{1000 + n}" for n in range(2000)
    )
    with django_assert_max_num_queries(20):
        answer = paste(client, event, text)
    assert len(asked(answer)) == 200 and "1800 more lines are not listed." in answer.content.decode()
    decide(client, event, answer, **{next(iter(asked(answer))): "out"})
    assert len(added(event)) == 1999 and added(event)[-1][1] == 2999


def test_a_list_that_is_too_long_is_refused_unread(client, event, monkeypatch):
    monkeypatch.setattr("tournament.forms.pasted_names.read_names", lambda text: pytest.fail("read"))
    answer = paste(client, event, "Ada\n" * 125_001)
    assert answer.status_code == 422 and added(event) == []


def test_a_paste_says_that_it_jumps_the_waitlist(client, event):
    change_registration(event, self_registration=True, capacity=3)
    enrol(event, "Wanda West", "Xenia Xu")
    for page in ("players/", "add-player/"):
        html = client.get(f"/t/{event.slug}/desk/{page}").content.decode()
        assert "2 players are on the waitlist. Players you add here play at once" in html
    answer = paste(client, event, "Ada Ruiz")
    assert "2 players are still on the waitlist. The players you added" in answer.content.decode()
    answer = paste(client, event, "wanda west")
    assert asked(answer)["wanda west"][2] == "Wanda West (P0004) is already registered: on the waitlist."
    answer = client.post(f"/t/{event.slug}/desk/add-player/", {"name": "Bo", "key": key()}, follow=True)
    assert "2 players are still on the waitlist. The players you added" in answer.content.decode()
