"""Decklists by phone, at the desk, on a judge's phone and for everyone: through the pages, for each who asks."""

import csv
import datetime as dt
import io
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tests.tournament.views.desk import key
from tests.tournament.views.phones import known, text
from tournament.exports.csv_text import unguard_cell
from tournament.exports.static_copy import static_copy_of
from tournament.models import Decklist, Staff, Tournament
from tournament.services.decklists import enter_decklist, hand_in_decklist
from tournament.services.entries import rename_entry
from tournament.services.event_settings import change_settings

pytestmark = pytest.mark.django_db
BURN = "40 Lava Spike\n20 Mountain\nSideboard\n15 Smash to Smithereens"


@pytest.fixture
def event():
    """An event that wants decklists until round 1, with its staff."""
    event = TournamentFactory(entries=4, owner=UserFactory(username="olga"))
    for role in ("scorekeeper", "judge"):
        Staff.objects.create(tournament=event, user=UserFactory(username=role), role=role)
    change_settings(event, decklist_rule="on")
    return event


@pytest.fixture
def phone(client, event):
    """P0001's phone; answers its page of the decklist."""
    return known(client, event) + "decklist/"


def as_staff(event, username):
    client = Client()
    client.force_login(event.staff.get(user__username=username).user)
    return client


def desk(event, more=""):
    return f"/t/{event.slug}/desk/{more}"


def send(client, address, cards=BURN, **fields):
    """What the page's form sends, with what the page showed."""
    seen = re.search(r'name="seen" value="(\d+)"', text(client.get(address)))
    return client.post(address, {"key": key(), "text": cards, "seen": seen[1] if seen else "", **fields})


def lists(event, code="P0001"):
    return list(event.decklists.filter(entry__code=code).values_list("text", flat=True))


def test_a_player_hands_in_a_list_and_sees_what_is_stored(client, event, phone):
    own = phone.removesuffix("decklist/")
    assert "not handed in yet" in text(client.get(own)) and f'href="{phone}"' in text(client.get(own))
    page = text(client.get(phone))
    assert "until round 1 is published" in page and "has not handed in a decklist" in page
    answer = send(client, phone)
    assert (answer.status_code, answer["Location"]) == (303, phone)
    answer = client.get(phone)
    page = text(answer)
    assert "Your decklist is handed in." in page and "60 cards, sideboard 15" in page
    assert "Smash to Smithereens" in page and "version" not in page and "late" not in page.split("<main")[1]
    assert answer["Cache-Control"] == "private, no-store"
    assert "not handed in yet" not in text(client.get(own))
    send(client, phone, "60 Island")
    assert "version 2" in text(client.get(phone)) and lists(event) == [BURN, "60 Island"]


def test_the_deadline_closes_the_page_or_marks_what_comes_later(client, event, phone):
    now = timezone.now()
    change_settings(event, decklists_until=(now + dt.timedelta(hours=1)).isoformat(), time_zone="Asia/Tokyo")
    local = (now + dt.timedelta(hours=1)).astimezone(dt.timezone(dt.timedelta(hours=9)))
    assert f"until {local:%-d %b, %H:%M}" in text(client.get(phone))
    send(client, phone)
    change_settings(event, decklists_until=(now - dt.timedelta(hours=1)).isoformat())
    page = text(client.get(phone))
    assert (
        "The deadline for decklists has passed" in page and "<textarea" not in page and "Lava Spike" in page
    )
    answer = client.post(phone, {"key": key(), "text": "60 Island"})
    assert answer.status_code == 409 and "Ask at the event desk" in text(answer) and len(lists(event)) == 1
    change_settings(event, decklist_rule="late")
    assert "is marked as late" in text(client.get(phone))
    send(client, phone, "60 Island")
    assert re.search(r'class="tag wait">late<.*version 2', text(client.get(phone)), re.DOTALL)


def test_a_file_is_as_good_as_text_and_wrong_ones_are_named(client, event, phone):
    def sent(content, name="deck.txt", **fields):
        return send(client, phone, "", file=SimpleUploadedFile(name, content), **fields)

    for content, words in (
        (b"\xff\xfe\x00\x01", "This is not a text file in UTF-8"),
        (b"60 For\xeat", "This is not a text file in UTF-8"),
        (b"", "This file is empty"),
        (b"1 Island\n" * 100_000, "at most 20 kB and 400 lines"),
        (b"1 Island\n" * 401, "at most 20 kB and 400 lines"),
    ):
        answer = sent(content)
        assert answer.status_code == 422 and words in text(answer), words
    assert not Decklist.objects.exists()
    assert sent("\ufeff60 Forêt\r\n\r\nSB: 2 Île".encode()).status_code == 303
    assert lists(event) == ["60 Forêt\nSB: 2 Île"]


def test_a_list_of_a_megabyte_is_one_clear_line_and_nothing_is_written(client, event, phone):
    actions = event.actions.count()
    answer = send(client, phone, "4 Lightning Bolt\n" * 60_000)
    page = text(answer)
    assert answer.status_code == 422 and len(page) < 20_000
    assert page.count("A decklist can have at most 20 kB and 400 lines. Nothing was saved.") == 1
    assert not Decklist.objects.exists() and event.actions.count() == actions
    assert send(client, phone, "1 Island\n" * 500_000).status_code == 413  # more than any form may send


def test_hidden_characters_leave_and_empty_lists_are_refused(client, event, phone):
    assert send(client, phone, "60\x00 Is\u202eland\x07\n\n \nSideboard\r\n1\tOpt").status_code == 303
    assert lists(event) == ["60 Island\nSideboard\n1 Opt"]
    for nothing in ("", "\n \u200b\n"):
        answer = send(client, phone, nothing)
        assert answer.status_code == 422 and "Paste the decklist, or choose a file." in text(answer)


def test_sizes_and_lines_that_are_not_counted_are_named_and_the_text_stays(client, event, phone):
    change_settings(event, deck_least=60, deck_most=60)
    answer = send(client, phone, "40 Lava Spike\n\nMountain x20")
    page = text(answer)
    assert answer.status_code == 422 and "The main deck needs at least 60 cards. This one has 40." in page
    assert "1 line is not counted" in page and "Line 3: “Mountain x20”" in page
    assert re.search(r"<textarea[^>]*>\s*40 Lava Spike\s+Mountain x20</textarea>", page)
    file = SimpleUploadedFile("deck.txt", b"59 Island")
    assert "59 Island</textarea>" in text(send(client, phone, "", file=file))  # to be corrected here
    change_settings(event, deck_least=None, deck_most=None)
    send(client, phone, "40 Lava Spike\nMountain x20")
    assert re.search(r"Mountain x20 <span[^>]*>not counted", text(client.get(phone)))


def test_the_same_form_twice_is_one_list_and_two_windows_do_not_overwrite_each_other(client, event, phone):
    form = {"key": key(), "text": BURN, "seen": "0"}
    assert [client.post(phone, form).status_code for _ in range(2)] == [303, 303]
    assert len(lists(event)) == 1
    answer = client.post(phone, {**form, "key": key(), "text": "60 Island"})  # the other window
    page = text(answer)
    assert answer.status_code == 409 and "changed after you opened this page" in page
    assert "Lava Spike" in page and "60 Island</textarea>" in page and len(lists(event)) == 1
    number = event.decklists.get().number
    assert f'name="seen" value="{number}"' in page  # sent again it is meant
    assert client.post(phone, {**form, "key": key(), "seen": number}).status_code == 303
    assert len(lists(event)) == 1  # the same list again
    assert client.post(phone, {"key": key(), "text": "60 Island", "seen": "9" * 5000}).status_code == 303
    other = {"key": form["key"], "text": "60 Swamp", "seen": "0"}
    assert client.post(phone, other).status_code == 409  # one key, another content


def test_an_event_without_decklists_says_so_and_has_no_link(client, event, phone):
    change_settings(event, decklist_rule="off")
    assert "/decklist/" not in text(client.get(phone.removesuffix("decklist/")))
    assert "This event takes no decklists." in text(client.get(phone))
    assert "takes no decklists" in text(as_staff(event, "olga").get(desk(event, "decklists/")))
    answer = as_staff(event, "olga").post(
        desk(event, "players/P0001/decklist/"), {"text": BURN, "reason": "x"}
    )
    assert answer.status_code == 409 and not Decklist.objects.exists()


def test_staff_see_who_is_missing_late_and_changed(event):
    rename_entry(event, "P0002", "Zoë Late")
    hand_in_decklist(event, "P0001", BURN)
    hand_in_decklist(event, "P0001", "60 Island")
    enter_decklist(event, "P0002", BURN, late=True, actor="judge", reason="on paper")
    judge = as_staff(event, "judge")

    def shown(query=""):
        page = text(judge.get(desk(event, f"decklists/{query}")))
        return page, re.findall(r'desk/players/(P\d+)/decklist/"', page)

    page, codes = shown()
    assert "Decklists: 2 of 4 in" in page and codes == ["P0001", "P0003", "P0004", "P0002"]
    assert "60 + 15" in page and "Make them public" not in page
    for kind, expected in (
        ("missing", ["P0003", "P0004"]),
        ("late", ["P0002"]),
        ("changed", ["P0001"]),
        ("in", ["P0001", "P0002"]),
        ("nonsense", codes),
    ):
        assert shown(f"?show={kind}")[1] == expected, kind
    assert shown("?q=zoe")[1] == ["P0002"]
    page = text(judge.get(desk(event, "players/P0001/decklist/")))
    assert page.index("60 Island") < page.index("Lava Spike")  # and what it replaced
    assert "handed in by the player" in page


def test_a_scorekeeper_sees_that_a_list_is_in_and_nothing_of_it(event):
    hand_in_decklist(event, "P0001", BURN)
    client = as_staff(event, "scorekeeper")
    page = text(client.get(desk(event, "decklists/")))
    assert "Decklists: 1 of 4 in" in page and "60 + 15" not in page and "/decklist/" not in page
    for more in ("players/P0001/decklist/", "exports/decklists.csv", "decklists/public/"):
        assert client.get(desk(event, more)).status_code == 403
    assert "decklists.csv" not in text(client.get(desk(event, "exports/")))
    assert "decklist/" not in text(client.get(desk(event, "players/P0001/")))
    assert "Lava Spike" not in text(client.get(desk(event, "exports/archive.json")))
    assert "decklist handed in (60 cards, sideboard 15)" in text(client.get(desk(event, "log/")))
    assert client.post(desk(event, "undo/"), {"number": event.actions.last().number}).status_code == 403
    Tournament.objects.update(judge_deck_checks=False)
    assert as_staff(event, "judge").get(desk(event, "players/P0001/decklist/")).status_code == 403
    assert as_staff(event, "olga").get(desk(event, "players/P0001/decklist/")).status_code == 200


def test_a_judge_enters_a_list_from_paper_and_the_player_sees_it(client, event, phone):
    RoundFactory(tournament=event)
    judge, address = as_staff(event, "judge"), desk(event, "players/P0001/decklist/")
    assert re.search(r'name="late"[^>]* checked', text(judge.get(address)))  # round 1 is published
    answer = send(judge, address, reason="")
    assert answer.status_code == 422 and "Enter a reason" in text(answer) and "Lava Spike" in text(answer)
    assert send(judge, address, reason="on paper, in time").status_code == 303
    page = text(client.get(phone))
    assert "Entered by staff" in page and "Lava Spike" in page and ">late<" not in page
    log = text(judge.get(desk(event, "log/")))
    assert "on paper, in time" in log and "Lava Spike" not in log


def test_both_lists_of_a_table_are_one_tap_away_for_who_may_read_them(event):
    RoundFactory(tournament=event)
    a, b = event.seats.filter(match__table=1).order_by("side").values_list("entry__code", flat=True)
    enter_decklist(event, a, BURN, late=True, actor="judge", reason="on paper")
    table = desk(event, "rounds/1/tables/1/judge/")
    page = text(as_staff(event, "judge").get(table))
    assert desk(event, f"players/{a}/decklist/") in page and "handed in late" in page
    assert desk(event, f"players/{b}/decklist/") not in page and "handed in no decklist" in page
    assert "/decklist/" not in text(as_staff(event, "scorekeeper").get(table))


def test_lists_are_for_everyone_once_released_and_not_before_or_after(client, event):
    hand_in_decklist(event, "P0001", "60 Earlier Thoughts")
    hand_in_decklist(event, "P0001", BURN)
    public, player = (f"/t/{event.slug}/players/P0001/{more}" for more in ("decklist/", ""))
    olga = as_staff(event, "olga")
    assert client.get(public).status_code == 404 and public not in text(client.get(player))
    page = text(olga.get(desk(event, "decklists/public/")))
    assert "Everyone can then read 1 decklist" in page
    assert olga.post(desk(event, "decklists/public/"), {"key": key()}).status_code == 303
    answer = client.get(public)
    assert "Lava Spike" in text(answer) and "Earlier Thoughts" not in text(answer)
    assert answer["Cache-Control"] == "public, no-cache" and public in text(client.get(player))
    none = f"/t/{event.slug}/players/P0002/"
    assert client.get(f"{none}decklist/").status_code == 404 and "decklist/" not in text(client.get(none))
    tags = {"If-None-Match": answer["ETag"]}
    assert client.get(public, headers=tags).status_code == 304
    enter_decklist(event, "P0001", "60 Ruled Island", actor="judge", reason="ruled by the head judge")
    enter_decklist(event, "P0002", "60 Swamp", actor="judge", reason="on paper")
    assert "60 Ruled Island" in text(client.get(public, headers=tags))
    assert f"{none}decklist/" in text(client.get(none))  # the page that was kept is made again
    assert any(b"60 Swamp" in body for _path, body in static_copy_of(event))
    assert olga.post(desk(event, "decklists/public/"), {"key": key(), "private": "1"}).status_code == 303
    assert client.get(public, headers=tags).status_code == 404 and public not in text(client.get(player))
    assert not any(b"60 Swamp" in body for _path, body in static_copy_of(event))


def test_a_list_that_comes_in_makes_no_public_page_anew(client, event, phone):
    before = Tournament.objects.get(pk=event.pk).public_revision
    send(client, phone)
    after = Tournament.objects.get(pk=event.pk)
    assert (after.public_revision, after.revision) == (before, before + 1)


def test_all_lists_come_as_one_sheet_that_no_spreadsheet_runs(event):
    hand_in_decklist(event, "P0002", "=1+1 Formula\n60 Island")
    hand_in_decklist(event, "P0001", "60 Old Island")
    hand_in_decklist(event, "P0001", BURN)
    answer = as_staff(event, "judge").get(desk(event, "exports/decklists.csv"))
    assert answer["Cache-Control"].startswith("private")
    rows = list(csv.DictReader(io.StringIO(text(answer))))
    assert [(row["code"], row["version"], row["main"], row["sideboard"]) for row in rows] == [
        ("P0001", "2", "60", "15"),
        ("P0002", "1", "60", "0"),
    ]
    assert rows[0]["decklist"] == BURN and rows[1]["decklist"].startswith("'=")
    assert unguard_cell(rows[1]["decklist"]) == "=1+1 Formula\n60 Island"


def test_who_begins_without_a_list_is_named_before_round_1_is_published(event):
    hand_in_decklist(event, "P0001", BURN)
    RoundFactory(tournament=event, drafted=True)
    page = text(as_staff(event, "olga").get(desk(event, "rounds/1/draft/")))
    assert "3 players have no decklist: Player 02, Player 03, Player 04." in page
    change_settings(event, decklist_rule="off")
    page = text(as_staff(event, "olga").get(desk(event, "rounds/1/draft/")))
    assert "no decklist" not in page


def test_the_list_costs_the_same_for_few_and_for_many():
    counts = []
    for players in (4, 2000):
        event = TournamentFactory(entries=0, owner=UserFactory())
        change_settings(event, decklist_rule="on")
        entries = [
            event.entries.model(tournament=event, code=f"P{number:04}", name=f"Player {number}")
            for number in range(players)
        ]
        event.entries.bulk_create(entries)
        at = timezone.now()
        event.decklists.bulk_create(
            Decklist(tournament=event, entry=entry, number=number, at=at, main=60, text=BURN)
            for number, entry in enumerate(entries[::2])
        )
        client = Client()
        client.force_login(event.owner)
        for more in ("decklists/", "decklists/?show=missing&page=2", "players/P0000/decklist/"):
            with CaptureQueriesContext(connection) as queries:
                page = text(client.get(desk(event, more)))
            counts.append((more, len(queries)))
            assert ("Lava" in page) == ("P0000" in more)
        assert f"{players // 2} of {players} in" in text(client.get(desk(event, "decklists/")))
    assert counts[:3] == counts[3:] and max(number for _more, number in counts) <= 20
