"""Retention: so many days after an event's end contacts, or names too, are gone; no day earlier, and nothing else."""

import datetime as dt
import json

import pytest
from axes.models import AccessAttempt
from django.contrib.sessions.models import Session
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.utils import timezone

from tests.factories import TournamentFactory, enter_results
from tests.tournament.services.test_anonymity import stored_texts
from tournament.actionlog import integrity
from tournament.archive.load import dump_event
from tournament.archive.snapshots import write_snapshot
from tournament.config import env
from tournament.event.replay import differences_from_log
from tournament.models import Action, PushSubscription, Tournament
from tournament.services.entries import change_personal_fields, rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.events import finish_tournament
from tournament.services.player_messages import send_message
from tournament.services.rounds import extend_table
from tournament.text.display_names import names_of

pytestmark = pytest.mark.django_db

CONTACT = "zyxa@quill.example"


@pytest.fixture(autouse=True)
def own_var(settings, tmp_path):
    settings.VAR_DIR = tmp_path


def event(slug, *, finished=True, **fields):
    """An event of four, one of whom left a contact that a reason mentions, too."""
    tournament = TournamentFactory(entries=4, rounds=1, published=True, slug=slug, **fields)
    rename_entry(tournament, "P0001", "Zyxa Quillfeather")
    change_personal_fields(tournament, "P0001", contact=CONTACT, notes="owes a fee", external_id="M-77")
    send_message(tournament, "P0002", "my-opponent-cheats")
    extend_table(tournament, 2, 1, 5, f"called {CONTACT}")
    entry = tournament.entries.get(code="P0003")
    PushSubscription.objects.create(entry=entry, endpoint="https://push.example/x", p256dh="p", auth="a")
    if finished:
        enter_results(tournament, 2)
        finish_tournament(tournament)
    write_snapshot(tournament, tournament.revision, "by-hand")
    return tournament


def later(monkeypatch, days):
    """So many days from now on."""
    now = timezone.now() + dt.timedelta(days=days)
    monkeypatch.setattr(timezone, "now", lambda: now)


def retention(capsys, *args):
    call_command("retention", "--json", *args)
    return json.loads(capsys.readouterr().out)


def test_contacts_go_after_so_many_days_and_no_day_earlier(monkeypatch, capsys, tmp_path):
    tournament = event("saturday")
    before = json.loads(dump_event(tournament, with_seed=True))
    later(monkeypatch, 89)
    assert retention(capsys, "--older-than", "90")["events"] == []
    later(monkeypatch, 2)
    [due] = retention(capsys, "--older-than", "90")["events"]
    tournament.refresh_from_db()
    assert due["slug"] == "saturday" and due["action"] == tournament.revision and due["players"] == 3
    everything = "".join(stored_texts().values())
    everything += "".join(path.read_text(errors="replace") for path in tmp_path.rglob("*") if path.is_file())
    for word in (CONTACT, "owes a fee", "my-opponent-cheats", "push.example"):
        assert word not in everything, word
    after = json.loads(dump_event(tournament, with_seed=True))
    assert after["entries"] == before["entries"], "names stay"
    assert tournament.entries.get(code="P0001").external_id == "M-77"
    assert [round_["matches"] for round_ in after["rounds"]] == [r["matches"] for r in before["rounds"]]
    assert integrity.check(tournament) == differences_from_log(tournament) == []
    assert retention(capsys, "--older-than", "90")["events"] == [], "once is enough"


def test_a_dry_run_says_what_would_go_and_changes_nothing(monkeypatch, capsys):
    tournament = event("saturday")
    later(monkeypatch, 100)
    before = stored_texts()
    [due] = retention(capsys, "--older-than", "90", "--dry-run")["events"]
    assert due == {"slug": "saturday", "ended": due["ended"], "players": 3, "action": None}
    assert stored_texts() == before and tournament.entries.get(code="P0001").contact == CONTACT
    call_command("retention", "--older-than", "90", "--dry-run")
    assert "saturday" in capsys.readouterr().out


def test_names_go_too_where_the_installation_says_so(monkeypatch, capsys, settings, tmp_path):
    tournament = event("saturday")
    settings.RETENTION, settings.RETENTION_DAYS = "names", 30
    later(monkeypatch, 31)
    assert len(retention(capsys)["events"]) == 1
    tournament.refresh_from_db()
    assert set(names_of(tournament).values()) == {"Player 1", "Player 2", "Player 3", "Player 4"}
    everything = "".join(stored_texts().values())
    everything += "".join(path.read_text(errors="replace") for path in tmp_path.rglob("*") if path.is_file())
    assert "quill" not in everything.lower() and "M-77" not in everything
    assert integrity.check(tournament) == differences_from_log(tournament) == []
    assert retention(capsys)["events"] == []


def test_which_events_have_ended(monkeypatch, capsys):
    """One that was finished; one that nobody finished counts from its last change; one to come has not even begun."""
    event("finished")
    event("abandoned", finished=False)
    coming = event("coming", finished=False)
    change_settings(coming, starts_at=(timezone.now() + dt.timedelta(days=95)).isoformat())
    running = event("running", finished=False)
    later(monkeypatch, 60)
    change_settings(running, venue="Hall 2")
    later(monkeypatch, 40)
    slugs = [each["slug"] for each in retention(capsys, "--older-than", "90", "--dry-run")["events"]]
    assert slugs == ["abandoned", "finished"]


def test_the_log_says_it_in_words_and_cannot_undo_it(monkeypatch, capsys, client):
    tournament = event("saturday")
    later(monkeypatch, 100)
    retention(capsys, "--older-than", "90")
    client.force_login(tournament.owner)
    monkeypatch.undo()
    page = client.get("/t/saturday/desk/log/").content.decode()
    assert "Contacts removed: " in page and "90 days after the end" in page
    action = Action.objects.filter(tournament=tournament).latest("number")
    assert action.kind == "retention" and CONTACT not in json.dumps(action.changes)


def test_what_has_expired_anyway_goes_as_well(monkeypatch, capsys):
    old = timezone.now() - dt.timedelta(days=2)
    Session.objects.create(session_key="old", session_data="", expire_date=old)
    Session.objects.create(
        session_key="new", session_data="", expire_date=timezone.now() + dt.timedelta(hours=1)
    )
    attempt = AccessAttempt.objects.create(username="ann", ip_address="203.0.113.9", failures_since_start=1)
    AccessAttempt.objects.filter(pk=attempt.pk).update(attempt_time=old)
    said = retention(capsys, "--older-than", "90")
    assert (said["sessions"], said["sign_in_attempts"]) == (1, 1)
    assert Session.objects.get().session_key == "new" and not AccessAttempt.objects.exists()


def test_a_period_is_needed_and_must_make_sense(settings):
    with pytest.raises(CommandError, match="Say --older-than DAYS, or set RETENTION_DAYS"):
        call_command("retention")
    with pytest.raises(CommandError, match="1 day or more"):
        call_command("retention", "--older-than", "0")
    assert env.retention({}) == (None, "contacts")
    assert env.retention({"RETENTION_DAYS": "90", "RETENTION": "names"}) == (90, "names")
    for wrong in ({"RETENTION_DAYS": "soon"}, {"RETENTION_DAYS": "0"}, {"RETENTION": "all"}):
        with pytest.raises(ImproperlyConfigured):
            env.retention(wrong)
    assert Tournament.objects.count() == 0
