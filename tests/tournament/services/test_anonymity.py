import datetime as dt
import io
import json
import re
import zipfile
from functools import partial

import pytest
from django.contrib.sessions.models import Session
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from pairings.draft.edits import swap_players
from tests.factories import EntryFactory, RoundFactory, TournamentFactory, UserFactory, enter_results
from tests.pages import page, press
from tests.steps import is_sound
from tests.tournament.access.access_table import PAGES, USUAL
from tests.tournament.access.test_permissions import parts_of
from tournament.actionlog import integrity
from tournament.actionlog.change import open_action
from tournament.actionlog.facts import ENTRY
from tournament.actionlog.fold import state_at
from tournament.actionlog.triggers import MARK
from tournament.archive import parse_event
from tournament.archive.load import dump_event, load_event
from tournament.archive.snapshots import list_snapshots, write_snapshot
from tournament.config import env
from tournament.event.read import differences_from_log
from tournament.models import Entry, Penalty, PushSubscription, Tournament
from tournament.services.anonymity import anonymize_entry
from tournament.services.corrections import merge_entries
from tournament.services.drops import disqualify_entry, reinstate_entry
from tournament.services.entries import add_entries, change_entry, change_personal_fields, rename_entry
from tournament.services.event_settings import change_announcement, change_settings
from tournament.services.events import delete_event, finish_tournament
from tournament.services.results import extend_table
from tournament.services.rounds import publish_round
from tournament.services.self_service import send_message
from tournament.services.stages import add_re_entry, add_stage
from tournament.services.undo import undo_action

NAME = "Zýxa O'Quill-Ångström"
FORMER = {"contact": "otti@vor.example", "external_id": "OLD-33456"}
OLD = {"name": "Ottilie Vormals", "alias": "Voralpha", **FORMER}
CONTACTS = {"alias": "QuillQueen", "contact": "zyxa@quill.example", "external_id": "MEM-77123"}
TEAM = {"members": ["Bo Lind", "Wilma Wherrytree"], "captain": 2}
GONE = ["owes a fee", *"quill zýxa zyxa 77123 wherrytree vormals voralpha otti@vor 33456".split()]
CODE = "P0003"


@pytest.fixture
def tournament():
    """Zýxa played, was written about wherever staff and players can write, and her event came from a file half-way."""
    owner = UserFactory(username="olga")
    first = TournamentFactory(entries=8, rounds=1, owner=owner, slug="first")
    write_about_her_as_she_was(first)
    write_about_her(first)
    event = parse_event(json.loads(dump_event(first, with_seed=True)))
    tournament = load_event(event, owner=owner, slug="second")
    change_personal_fields(tournament, CODE, **FORMER)
    change_personal_fields(tournament, "P0002", notes="Lives with {contact}, not {external_id}".format(**OLD))
    write_about_her(tournament)
    write_snapshot(tournament, tournament.revision, "by-hand")
    delete_event(first, first.name)
    return tournament


def write_about_her_as_she_was(tournament):
    """Texts with an earlier name and alias: a reason in the log, notes, a message and a penalty."""
    rename_entry(tournament, CODE, OLD["name"])
    change_personal_fields(tournament, CODE, alias=OLD["alias"])
    change_personal_fields(tournament, "P0004", notes=f"Drives {OLD['name']} home")
    send_message(tournament, "P0004", f"Vormals, Ottilie is {OLD['alias']}")
    disqualify_entry(tournament, "P0006", f"Argued with {OLD['name']}")
    reinstate_entry(tournament, "P0006", reason=f"{OLD['alias'].upper()} took it back")


def write_about_her(tournament):
    """Her name and contacts in every text of the next round, and in the player's own fields."""
    rename_entry(tournament, CODE, NAME)
    change_personal_fields(tournament, CODE, notes="Owes a fee", **CONTACTS)
    Entry.objects.filter(tournament=tournament, code=CODE).update(key_hash=tournament.slug, **TEAM)
    change_personal_fields(tournament, "P0001", notes=f"Drives {NAME} home")
    change_entry(tournament, CODE, rating_source=CONTACTS["alias"], labels=[f"Family {NAME}", "North"])
    change_entry(tournament, "P0005", labels=[f"Family {NAME}"])
    number = RoundFactory(tournament=tournament, drafted=True).number
    seats = tournament.seats.filter(entry__code="P0001")
    met, meets = (seats.get(round__number=n).opponent.code for n in (1, number))
    tournament.refresh_from_db()
    text = f"{NAME.upper()}  asked for it"
    swap_players(tournament, number, met, meets, seen=tournament.revision, reason=text)
    publish_round(tournament, number)
    extend_table(tournament, number, 1, 5, f"Deck of {NAME}")
    change_announcement(tournament, f"Phone found: {CONTACTS['contact']}")
    send_message(tournament, CODE, "I am QuillQueen and my result is wrong.")
    send_message(tournament, "P0001", f"{NAME} has left, and so has Wilma Wherrytree.")
    enter_results(tournament, number)
    disqualify_entry(tournament, "P0007", f"Argued with {NAME} (MEM-77123)")
    reinstate_entry(tournament, "P0007", reason=f"{NAME} took it back")
    tournament.refresh_from_db()


def anonymized(tournament, code=CODE):
    anonymize_entry(tournament, code, actor="olga")
    tournament.refresh_from_db()


def found(text):
    return [word for word in GONE if word in text.casefold()]


def stored_texts():
    """{table: every text in it}, of every table of the database but the browsers' sessions."""
    texts = {}
    for table in set(connection.introspection.table_names()) - {"django_session"}:
        with connection.cursor() as cursor:
            cursor.execute(f'SELECT * FROM "{table}"')
            texts[table] = "\n".join(plain(value) for row in cursor.fetchall() for value in row)
    return texts


def plain(value):
    """A stored value as text, JSON with its letters as they are read."""
    try:
        return json.dumps(json.loads(value), ensure_ascii=False)
    except (TypeError, ValueError):
        return str(value)


def page_texts(tournament):
    """{address: what it answers} of every page of the event, as its owner and as a player with a link see it."""
    client = Client()
    client.force_login(tournament.owner)
    texts = {}
    for name in PAGES:
        parts = parts_of(name)
        if "slug" not in parts or "key" in parts:
            continue
        for code in (CODE, "P0001"):
            values = {**USUAL, "code": code, "slug": tournament.slug, "name": "check-in", "topic": "place"}
            values |= {"snapshot": list_snapshots(tournament)[0].name, "check": "AA"}
            try:
                address = reverse(name, kwargs={part: values[part] for part in parts})
            except KeyError:
                pytest.fail(f"{name} needs a value of its own here")
            answer = client.get(address, {"v": "0", "since": "0"}, follow=True)
            body = b"".join(answer.streaming_content) if answer.streaming else answer.content
            if answer["Content-Type"] == "application/zip":
                with zipfile.ZipFile(io.BytesIO(body)) as packed:
                    body = b"".join(map(packed.read, packed.namelist()))
            texts[address] = f"{body.decode(errors='replace')} {answer.headers}"
    return texts


@pytest.mark.long
def test_her_name_and_contacts_are_in_no_row_page_export_or_snapshot(tournament, tmp_path):
    before = [table for table, text in stored_texts().items() if found(text)]
    assert set(before) == {
        f"tournament_{name}"
        for name in "action baseline entry extension flag match penalty round tournament".split()
    }
    pages = page_texts(tournament)
    assert sum(bool(found(text)) for text in pages.values()) > 20
    anonymized(tournament)
    assert {table: found(text) for table, text in stored_texts().items() if found(text)} == {}
    pages = page_texts(tournament)
    assert {address: found(text) for address, text in pages.items() if found(text)} == {}
    assert "Player 3" in pages[reverse("public-players", args=[tournament.slug])]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any("snapshots" in path.parts for path in files)
    assert [path for path in files if found(plain(path.read_text(errors="replace")))] == []
    assert found(dump_event(tournament, with_seed=True)) == []


def test_everything_else_is_as_it_was(tournament, capsys):
    def facts():
        return re.sub(r"Family [^\"]*", "", json.dumps(state_at(tournament), ensure_ascii=False))

    rows = {entry.code: (entry.status, entry.rating) for entry in tournament.entries.all()}
    before = facts().casefold()
    taken = (NAME.casefold(), NAME.casefold().replace(" ", "  "))
    anonymized(tournament)
    for text in (*taken, *(value.casefold() for value in (*CONTACTS.values(), *OLD.values()))):
        before = before.replace(text, MARK)
    assert facts().casefold() == before
    assert {entry.code: (entry.status, entry.rating) for entry in tournament.entries.all()} == rows
    her = tournament.entries.get(code=CODE)
    left = {name: getattr(her, name) for name in ENTRY.personal}
    # The number of the latest link only grows, so that a code that was printed ends.
    assert {name: value for name, value in left.items() if value} == {
        "name": "Player 3", "captain": 1, "link_number": 1,
    }  # fmt: skip
    assert is_sound(tournament)
    call_command("replay", tournament.slug)
    file = dump_event(tournament, with_seed=True)
    again = load_event(parse_event(json.loads(file)), slug="again")
    assert dump_event(again, with_seed=True) == file.replace('"slug":"second",', '"slug":"again",')


def test_what_was_done_before_can_still_be_undone(tournament):
    penalty = tournament.actions.filter(kind="disqualify").latest("number")
    anonymized(tournament)
    undo_action(tournament, tournament.actions.filter(kind="reinstate").latest("number").number)
    undo_action(tournament, penalty.number)
    assert not Penalty.objects.filter(tournament=tournament, number=3).exists()
    assert is_sound(tournament)
    call_command("replay", tournament.slug)


def test_a_finished_event_is_anonymized_too_and_a_second_time_nothing_happens(tournament):
    finish_tournament(tournament)
    anonymized(tournament)
    number = tournament.revision
    anonymized(tournament)
    assert tournament.revision == number
    assert tournament.entries.get(code=CODE).name == "Player 3"


def test_names_stay_distinct_and_every_entry_of_the_person_is_anonymized_merged_ones_too():
    tournament = TournamentFactory(entries=0)
    for name in ("Ada Ruiz", "Player 1", "Bo Lind", "Ada Ruiz"):
        EntryFactory(tournament=tournament, name=name)
    again = EntryFactory(tournament=tournament, name="Ada Ruiz")
    again.same_person_as = tournament.entries.get(code="P0001")
    again.save()
    anonymize_entry(tournament, again.code)
    assert {tuple(former) for former in tournament.entries.values_list("former_names", flat=True)} == {()}
    names = tournament.entries.order_by("code").values_list("name", flat=True)
    assert list(names) == ["Player 2", "Player 1", "Bo Lind", "Ada Ruiz", "Player 5"]
    tournament = TournamentFactory(entries=4, rounds=1)
    add_stage(tournament)
    add_re_entry(tournament, "P0001")
    add_entries(tournament, ["Ada Ruiz"], stage=2)
    merge_entries(tournament, "P0005", "P0006", reason="registered twice")
    anonymize_entry(tournament, "P0001")
    assert tournament.entries.get(code="P0006").name == "Player 6"


@pytest.mark.parametrize(
    ("name", "text", "redacted"),
    [
        ("Wei", "Weight of wei, WEI's deck", f"Weight of {MARK}, {MARK}'s deck"),
        ("Ada Ruiz", "ada\n ruiz and Ada Ruizova", f"{MARK} and Ada Ruizova"),
        ("李小龙", "今天李小龙来晚了", f"今天{MARK}来晚了"),
        ("Draft", "Draft was slow", f"{MARK} was slow"),
        ("12", "table 12", "table 12"),
        ("A.C", "ABC and A.C came", f"ABC and {MARK} came"),
        ("Zoë Quístberg", "Zoe\u0308 Qui\u0301stberg was late", f"{MARK} was late"),
        ("Zoë Quístberg", "zoe quistberg, Zoé Quístberg", f"{MARK}, Zoé Quístberg"),
        ("Zoë Quístberg", "Quístberg, Zoë and Quistberg, Zoe", f"{MARK} and {MARK}"),
        ("Quístberg, Zoë", "Zoë Quístberg was late", f"{MARK} was late"),
        ("Łukasz Ngô", "Lukasz Ngo, Lukasz Ngo\u0302n", f"{MARK}, Lukasz Ngo\u0302n"),
        ("ガク", "カ\u3099ク came", f"{MARK} came"),
    ],
)
def test_only_the_whole_name_leaves_a_text(name, text, redacted):
    tournament = TournamentFactory(entries=4)
    rename_entry(tournament, "P0001", name)
    disqualify_entry(tournament, "P0002", text)
    RoundFactory(tournament=tournament, drafted=True)
    anonymized(tournament, "P0001")
    assert Penalty.objects.get(tournament=tournament).reason == redacted
    assert tournament.rounds.get().state == "draft"
    assert is_sound(tournament)
    call_command("replay", tournament.slug)


def test_a_reason_is_composed_as_names_are(tournament):
    with open_action(tournament, "entry", reason="for Vie\u0323\u0302t") as log:
        log.set(log.tournament.entries.get(code="P0001"), rating=1234)
    assert tournament.actions.order_by("number").last().reason == "for Việt"


def test_a_snapshot_that_cannot_be_written_again_goes(tournament, monkeypatch):
    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tournament.services.anonymity.write_whole", full)
    assert list_snapshots(tournament)
    anonymized(tournament)
    assert list_snapshots(tournament) == []


def test_the_page_says_what_goes_and_what_stays_and_a_second_press_changes_nothing(client, tournament):
    rename_entry(tournament, "P0008", NAME)
    client.force_login(tournament.owner)
    address = reverse("anonymize", args=[tournament.slug, CODE])
    assert page(client, reverse("entry", args=[tournament.slug, CODE])).one(f'a[href="{address}"]')
    shown = page(client, address)
    for words in ("becomes Player 3", "texts of this event", "Another player has the same name"):
        assert words in shown
    assert "You cannot undo this" in shown
    for _twice in range(2):
        assert "The player is now called Player 3." in press(client, shown, "Anonymize permanently")
    assert tournament.actions.filter(kind="anonymize").count() == 1
    assert "Player 3 anonymized" in page(client, reverse("log", args=[tournament.slug]))


def test_a_superuser_anonymizes_from_the_admin(client, tournament, django_user_model):
    client.force_login(django_user_model.objects.create_superuser("root"))
    shown = page(client, f"/admin/tournament/entry/{tournament.entries.get(code=CODE).pk}/change/")
    at_the_desk = page(client, page(client, shown.link("Correct…")).link("Anonymize the player…"))
    assert press(client, at_the_desk, "Anonymize permanently").status == 200
    assert tournament.actions.latest("number").actor == "root"
    assert found(page(client, "/admin/tournament/entry/").words) == []


CONTACT = "zyxa@quill.example"
OLD_CONTACT = "zyxa@before.example"


def event(slug, *, finished=True, **fields):
    """An event of four, one of whom left a contact that a reason mentions, too."""
    tournament = TournamentFactory(entries=4, rounds=1, published=True, slug=slug, **fields)
    rename_entry(tournament, "P0001", "Zyxa Quillfeather")
    change_personal_fields(tournament, "P0001", contact=OLD_CONTACT)
    change_personal_fields(tournament, "P0001", contact=CONTACT, notes="owes a fee", external_id="M-77")
    send_message(tournament, "P0002", "my-opponent-cheats")
    extend_table(tournament, 2, 1, 5, f"called {CONTACT}, not {OLD_CONTACT}")
    entry = tournament.entries.get(code="P0003")
    PushSubscription.objects.create(entry=entry, endpoint="https://push.example/x", p256dh="p", auth="a")
    if finished:
        enter_results(tournament, 2)
        finish_tournament(tournament)
    write_snapshot(tournament, tournament.revision, "by-hand")
    return tournament


@pytest.fixture
def later(monkeypatch):
    def move(days):
        now = timezone.now() + dt.timedelta(days=days)
        monkeypatch.setattr(timezone, "now", lambda: now)

    return move


def retention(capsys, *args):
    call_command("retention", "--json", *args)
    return json.loads(capsys.readouterr().out)


def test_contacts_go_after_so_many_days_and_no_day_earlier(later, capsys, tmp_path, client):
    tournament = event("saturday")
    before = json.loads(dump_event(tournament, with_seed=True))
    later(89)
    assert retention(capsys, "--older-than", "90")["events"] == []
    later(2)
    assert retention(capsys, "--older-than", "90")["events"] == ["saturday"]
    everything = "".join(stored_texts().values())
    everything += "".join(path.read_text(errors="replace") for path in tmp_path.rglob("*") if path.is_file())
    for word in (CONTACT, OLD_CONTACT, "owes a fee", "my-opponent-cheats", "push.example"):
        assert word not in everything, word
    after = json.loads(dump_event(tournament, with_seed=True))
    assert after["entries"] == before["entries"], "names stay"
    assert tournament.entries.get(code="P0001").external_id == "M-77"
    assert [round_["matches"] for round_ in after["rounds"]] == [r["matches"] for r in before["rounds"]]
    assert integrity.check(tournament) == differences_from_log(tournament) == []
    assert retention(capsys, "--older-than", "90")["events"] == [], "once is enough"
    client.force_login(tournament.owner)
    assert "Contacts removed: " in (log := page(client, "/t/saturday/desk/log/"))
    assert "90 days after the end" in log


def test_a_dry_run_says_what_would_go_and_changes_nothing(later, capsys):
    tournament = event("saturday")
    later(100)
    before = stored_texts()
    assert retention(capsys, "--older-than", "90", "--dry-run")["events"] == ["saturday"]
    assert stored_texts() == before and tournament.entries.get(code="P0001").contact == CONTACT
    call_command("retention", "--older-than", "90", "--dry-run")
    assert "saturday" in capsys.readouterr().out


def test_which_events_have_ended(later, capsys):
    event("finished")
    event("abandoned", finished=False)
    coming = event("coming", finished=False)
    change_settings(coming, starts_at=(timezone.now() + dt.timedelta(days=95)).isoformat())
    running = event("running", finished=False)
    later(60)
    change_settings(running, venue="Hall 2")
    later(40)
    assert retention(capsys, "--older-than", "90", "--dry-run")["events"] == ["abandoned", "finished"]


def test_what_has_expired_anyway_goes_as_well(capsys):
    old, soon = (timezone.now() + dt.timedelta(days=days) for days in (-2, 1))
    for name, expires in (("old", old), ("new", soon)):
        Session.objects.create(session_key=name, session_data="", expire_date=expires)
    retention(capsys, "--older-than", "90")
    assert Session.objects.get().session_key == "new"


def test_a_period_is_needed_and_must_make_sense(settings):
    with pytest.raises(CommandError, match="Say --older-than DAYS, or set RETENTION_DAYS"):
        call_command("retention")
    with pytest.raises(CommandError, match="1 day or more"):
        call_command("retention", "--older-than", "0")
    retention_days = partial(env.whole_number, name="RETENTION_DAYS", most=99_999, example=90)
    assert (retention_days({}), retention_days({"RETENTION_DAYS": "90"})) == (None, 90)
    for wrong in ("soon", "0"):
        with pytest.raises(ImproperlyConfigured):
            retention_days({"RETENTION_DAYS": wrong})
    assert Tournament.objects.count() == 0
