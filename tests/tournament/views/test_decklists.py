import csv
import datetime as dt
import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tests.pages import Page, page
from tests.tournament.views.desk import desk, key
from tests.tournament.views.phones import known
from tournament.exports import unguard_cell
from tournament.models import Decklist, Staff, Tournament
from tournament.services.decklists import enter_decklist, hand_in_decklist
from tournament.services.entries import rename_entry
from tournament.services.event_settings import change_settings

BURN = "40 Lava Spike\n20 Mountain\nSideboard\n15 Smash to Smithereens"


@pytest.fixture
def event():
    event = TournamentFactory(entries=4, owner=UserFactory(username="olga"))
    for role in ("scorekeeper", "judge"):
        Staff.objects.create(tournament=event, user=UserFactory(username=role), role=role)
    change_settings(event, decklist_rule="on")
    return event


@pytest.fixture
def phone(client, event):
    return known(client, event) + "decklist/"


def as_staff(event, username):
    client = Client()
    client.force_login(event.staff.get(user__username=username).user)
    return client


def send(client, address, cards=BURN, **fields):
    shown = Page(client.get(address)).soup.select("input[name=seen]")
    seen = shown[0]["value"] if shown else ""
    return client.post(address, {"key": key(), "text": cards, "seen": seen, **fields})


def lists(event, code="P0001"):
    return list(event.decklists.filter(entry__code=code).values_list("text", flat=True))


def leads_to(shown: Page, address: str) -> bool:
    return any(address in link["href"] for link in shown.soup.select("a[href]"))


def test_a_player_hands_in_a_list_and_sees_what_is_stored(client, event, phone):
    own = phone.removesuffix("decklist/")
    assert "not handed in yet" in page(client, own) and leads_to(page(client, own), phone)
    shown = page(client, phone)
    assert "until round 1 is published" in shown and "has not handed in a decklist" in shown
    before = Tournament.objects.get(pk=event.pk)
    answer = send(client, phone)
    assert (answer.status_code, answer["Location"]) == (303, phone)
    after = Tournament.objects.get(pk=event.pk)
    assert after.revision == before.revision + 1
    assert after.public_revision == before.public_revision  # no public page is made anew
    shown = page(client, phone)
    assert "Your decklist is handed in." in shown and "60 cards, sideboard 15" in shown
    assert "Smash to Smithereens" in shown and "version" not in shown and not shown.all(".tag.wait")
    assert shown.answer["Cache-Control"] == "private, no-store"
    assert "not handed in yet" not in page(client, own)
    send(client, phone, "60 Island")
    assert "version 2" in page(client, phone) and lists(event) == [BURN, "60 Island"]


def test_the_deadline_closes_the_page_or_marks_what_comes_later(client, event, phone):
    now = timezone.now()
    change_settings(event, decklists_until=(now + dt.timedelta(hours=1)).isoformat(), time_zone="Asia/Tokyo")
    local = (now + dt.timedelta(hours=1)).astimezone(dt.timezone(dt.timedelta(hours=9)))
    assert f"until {local:%-d %b, %H:%M}" in page(client, phone)
    send(client, phone)
    change_settings(event, decklists_until=(now - dt.timedelta(hours=1)).isoformat())
    shown = page(client, phone)
    assert "The deadline for decklists has passed" in shown and "Lava Spike" in shown
    assert not shown.all("textarea") and send(client, phone, "60 Island").status_code == 409
    change_settings(event, decklist_rule="late")
    assert "is marked as late" in page(client, phone)
    send(client, phone, "60 Island")
    shown = page(client, phone)
    assert shown.all(".tag.wait") == ["late"] and "version 2" in shown


def test_a_file_is_as_good_as_text_and_what_is_no_list_writes_nothing(client, event, phone):
    too_long = "at most 20 kB and 400 lines. Nothing was saved."
    actions = event.actions.count()
    for content, words in (
        (b"\xff\xfe\x00\x01", "This is not a text file in UTF-8"),
        (b"60 For\xeat", "This is not a text file in UTF-8"),
        (b"", "This file is empty"),
        (b"1 Island\n" * 100_000, too_long),
        (b"1 Island\n" * 401, too_long),
        ("4 Lightning Bolt\n" * 60_000, too_long),
        ("\n \u200b\n", "Paste the decklist, or choose a file."),
    ):
        if isinstance(content, str):
            answer = send(client, phone, content)
        else:
            answer = send(client, phone, "", file=SimpleUploadedFile("deck.txt", content))
        assert answer.status_code == 422 and len(answer.content) < 20_000, words
        assert Page(answer).words.count(words) == 1, words
    assert send(client, phone, "1 Island\n" * 500_000).status_code == 413  # more than any form may send
    assert not Decklist.objects.exists() and event.actions.count() == actions
    deck = SimpleUploadedFile("deck.txt", "\ufeff60 Forêt\r\n\r\nSB: 2 Île".encode())
    assert send(client, phone, "", file=deck).status_code == 303
    assert send(client, phone, "60\x00 Is\u202eland\x07\n\n \nSideboard\r\n1\tOpt").status_code == 303
    assert lists(event) == ["60 Forêt\nSB: 2 Île", "60 Island\nSideboard\n1 Opt"]


def test_sizes_and_lines_that_are_not_counted_are_named_and_the_text_stays(client, event, phone):
    change_settings(event, deck_least=60, deck_most=60)
    answer = send(client, phone, "40 Lava Spike\n\nMountain x20")
    refused = Page(answer)
    assert refused.status == 422 and "The main deck needs at least 60 cards. This one has 40." in refused
    assert "1 line is not counted" in refused and "Line 3: “Mountain x20”" in refused
    assert refused.one("textarea").text.split("\n")[-1] == "Mountain x20"
    file = SimpleUploadedFile("deck.txt", b"59 Island")
    assert Page(send(client, phone, "", file=file)).one("textarea").text.strip() == "59 Island"
    change_settings(event, deck_least=None, deck_most=None)
    send(client, phone, "40 Lava Spike\nMountain x20")
    assert "Mountain x20 not counted" in page(client, phone)


def test_the_same_form_twice_is_one_list_and_two_windows_do_not_overwrite_each_other(client, event, phone):
    form = {"key": key(), "text": BURN, "seen": "0"}
    assert [client.post(phone, form).status_code for _ in range(2)] == [303, 303]
    assert lists(event) == [BURN]
    other = Page(client.post(phone, {**form, "key": key(), "text": "60 Island"}))  # the other window
    assert other.status == 409 and "changed after you opened this page" in other
    assert "Lava Spike" in other and other.one("textarea").text.strip() == "60 Island"
    number = event.decklists.get().number
    assert other.one("[name=seen]")["value"] == str(number)  # sent again it is meant
    assert client.post(phone, {**form, "key": key(), "seen": number}).status_code == 303
    assert lists(event) == [BURN]  # the same list again
    assert client.post(phone, {"key": key(), "text": "60 Island", "seen": "9" * 5000}).status_code == 303
    reused = {"key": form["key"], "text": "60 Swamp", "seen": "0"}
    assert client.post(phone, reused).status_code == 409  # one key, another content


def test_an_event_without_decklists_says_so_and_has_no_link(client, event, phone):
    change_settings(event, decklist_rule="off")
    assert not leads_to(page(client, phone.removesuffix("decklist/")), "/decklist/")
    assert "This event takes no decklists." in page(client, phone)
    shown = page(as_staff(event, "olga"), desk(event, "decklists/"))
    assert "This event takes no decklists." in shown and " of 4 in" not in shown
    assert shown.link("Ask for decklists").endswith("/settings/decklists/#id_decklist_rule")
    assert "Ask for decklists" not in page(as_staff(event, "judge"), desk(event, "decklists/"))


def test_staff_see_who_is_missing_late_and_changed(event):
    rename_entry(event, "P0002", "Zoë Late")
    hand_in_decklist(event, "P0001", BURN)
    hand_in_decklist(event, "P0001", "60 Island")
    enter_decklist(event, "P0002", BURN, late=True, actor="judge", reason="on paper")
    judge = as_staff(event, "judge")

    def shown(**query):
        found = page(judge, desk(event, "decklists/"), **query)
        links = found.soup.select('#list a[href$="/decklist/"]')
        return found, [link["href"].split("/")[-3] for link in links]

    every, codes = shown()
    assert "Decklists: 2 of 4 in" in every and codes == ["P0001", "P0003", "P0004", "P0002"]
    assert "60 + 15" in every and "Make them public" not in every
    for kind, expected in (
        ("missing", ["P0003", "P0004"]),
        ("late", ["P0002"]),
        ("changed", ["P0001"]),
        ("in", ["P0001", "P0002"]),
        ("nonsense", codes),
    ):
        assert shown(show=kind)[1] == expected, kind
    assert shown(q="zoe")[1] == ["P0002"]
    one = page(judge, desk(event, "players/P0001/decklist/"))
    assert one.words.index("60 Island") < one.words.index("Lava Spike")  # and what it replaced
    assert "handed in by the player" in one


def test_a_scorekeeper_sees_that_a_list_is_in_and_nothing_of_it(event):
    hand_in_decklist(event, "P0001", BURN)
    client = as_staff(event, "scorekeeper")
    shown = page(client, desk(event, "decklists/"))
    assert "Decklists: 1 of 4 in" in shown and "60 + 15" not in shown and not leads_to(shown, "/decklist/")
    assert not leads_to(page(client, desk(event, "print/")), "decklists.csv")
    assert not leads_to(page(client, desk(event, "players/P0001/")), "decklist/")
    assert b"Lava Spike" not in client.get(desk(event, "exports/archive.json")).content
    assert "decklist 1 handed in (60 cards, sideboard 15)" in page(client, desk(event, "log/"))
    assert client.post(desk(event, "undo/"), {"number": event.actions.last().number}).status_code == 403


def test_a_judge_enters_a_list_from_paper_and_the_player_sees_it(client, event, phone):
    RoundFactory(tournament=event)
    judge, address = as_staff(event, "judge"), desk(event, "players/P0001/decklist/")
    assert page(judge, address).one("[name=late][checked]")  # round 1 is published
    refused = Page(send(judge, address, reason=""))
    assert refused.status == 422 and "Enter a reason" in refused and "Lava Spike" in refused
    assert send(judge, address, reason="on paper, in time").status_code == 303
    shown = page(client, phone)
    assert "Entered by staff" in shown and "Lava Spike" in shown and not shown.all(".tag.wait")
    log = page(judge, desk(event, "log/"))
    assert "on paper, in time" in log and "Lava Spike" not in log
    table = event.seats.get(entry__code="P0001").match.table
    shown = page(judge, desk(event, f"rounds/1/tables/{table}/judge/"))
    lists = [link["href"] for link in shown.soup.select('a[href$="/decklist/"]')]
    assert lists == [address] and "has no decklist" in shown  # the opponent
    shown = page(as_staff(event, "scorekeeper"), desk(event, f"rounds/1/tables/{table}/judge/"))
    assert not leads_to(shown, "/decklist/")


def test_lists_are_for_everyone_once_released_and_not_before_or_after(client, event):
    hand_in_decklist(event, "P0001", "60 Earlier Thoughts")
    hand_in_decklist(event, "P0001", BURN)
    public, player = (f"/t/{event.slug}/players/P0001/{more}" for more in ("decklist/", ""))
    olga, release = as_staff(event, "olga"), desk(event, "decklists/public/")
    assert client.get(public).status_code == 404 and not leads_to(page(client, player), public)
    assert "Everyone can then read 1 decklist" in page(olga, release)
    assert olga.post(release, {"key": key()}).status_code == 303
    shown = page(client, public)
    assert "Lava Spike" in shown and "Earlier Thoughts" not in shown
    assert shown.answer["Cache-Control"] == "public, no-cache" and leads_to(page(client, player), public)
    none = f"/t/{event.slug}/players/P0002/"
    assert client.get(f"{none}decklist/").status_code == 404
    assert not leads_to(page(client, none), "decklist/")
    tags = {"If-None-Match": shown.answer["ETag"]}
    assert client.get(public, headers=tags).status_code == 304
    for code, cards in (("P0001", "60 Ruled Island"), ("P0002", "60 Swamp")):
        enter_decklist(event, code, cards, actor="judge", reason="ruled by the head judge")
    assert "60 Ruled Island" in Page(client.get(public, headers=tags))
    assert leads_to(page(client, none), f"{none}decklist/")  # the page that was kept is made again
    assert olga.post(release, {"key": key(), "private": "1"}).status_code == 303
    assert client.get(public, headers=tags).status_code == 404
    assert not leads_to(page(client, player), public)


def test_all_lists_come_as_one_sheet_that_no_spreadsheet_runs(event):
    hand_in_decklist(event, "P0002", "=1+1 Formula\n60 Island")
    hand_in_decklist(event, "P0001", "60 Old Island")
    hand_in_decklist(event, "P0001", BURN)
    answer = as_staff(event, "judge").get(desk(event, "exports/decklists.csv"))
    assert answer["Cache-Control"].startswith("private")
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert [[row[name] for name in ("code", "version", "main", "sideboard")] for row in rows] == [
        ["P0001", "2", "60", "15"],
        ["P0002", "1", "60", "0"],
    ]
    assert rows[0]["decklist"] == BURN and rows[1]["decklist"].startswith("'=")
    assert unguard_cell(rows[1]["decklist"]) == "=1+1 Formula\n60 Island"


def test_who_begins_without_a_list_is_named_before_round_1_is_published(event):
    hand_in_decklist(event, "P0001", BURN)
    RoundFactory(tournament=event, drafted=True)
    olga, draft = as_staff(event, "olga"), desk(event, "rounds/1/draft/")
    assert "3 players have no decklist: Player 02, Player 03, Player 04." in page(olga, draft)
    change_settings(event, decklist_rule="off")
    assert "no decklist" not in page(olga, draft)
