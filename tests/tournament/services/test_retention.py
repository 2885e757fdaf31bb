import datetime as dt
import json

import pytest
from axes.models import AccessAttempt
from django.contrib.sessions.models import Session
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.utils import timezone

from tests.factories import TournamentFactory, enter_results
from tests.pages import page
from tests.tournament.services.test_anonymity import stored_texts
from tournament.actionlog import integrity
from tournament.archive.load import dump_event
from tournament.archive.snapshots import write_snapshot
from tournament.config import env
from tournament.event.read import differences_from_log
from tournament.models import PushSubscription, Tournament
from tournament.services.entries import change_personal_fields, rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.events import finish_tournament
from tournament.services.rounds import extend_table
from tournament.services.self_service import send_message

pytestmark = pytest.mark.django_db

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
    """One that was finished; one that nobody finished counts from its last change; one to come has not even begun."""
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
    attempt = AccessAttempt.objects.create(username="ann", ip_address="203.0.113.9", failures_since_start=1)
    AccessAttempt.objects.filter(pk=attempt.pk).update(attempt_time=old)
    retention(capsys, "--older-than", "90")
    assert Session.objects.get().session_key == "new" and not AccessAttempt.objects.exists()


def test_a_period_is_needed_and_must_make_sense(settings):
    with pytest.raises(CommandError, match="Say --older-than DAYS, or set RETENTION_DAYS"):
        call_command("retention")
    with pytest.raises(CommandError, match="1 day or more"):
        call_command("retention", "--older-than", "0")
    assert (env.retention_days({}), env.retention_days({"RETENTION_DAYS": "90"})) == (None, 90)
    for wrong in ("soon", "0"):
        with pytest.raises(ImproperlyConfigured):
            env.retention_days({"RETENTION_DAYS": wrong})
    assert Tournament.objects.count() == 0
