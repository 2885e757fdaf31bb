"""The owner's line for everybody: said once, seen everywhere, gone by itself."""

import datetime as dt
import re
import zoneinfo

import pytest
from django.utils import timezone

from tests.factories import RoundFactory, TournamentFactory, UserFactory, enter_results
from tournament.errors import Refused
from tournament.models import Staff, Tournament
from tournament.services.announcements import change_announcement, end_of
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db

LINE = "Round 5 at 14:30"
POLLED = [
    "now/",
    "rounds/1/pairings/",
    "standings/table/",
    "players/P0001/now/",
    "bracket/tree/",
    "bracket/screen/tree/",
]
PAGES = [
    "", "rounds/1/", "rounds/1/proof/", "standings/", "standings/P0001/", "standings/P0001/match_points/",
    "players/", "players/?q=pla", "players/P0001/", "rules/", "bracket/", "bracket/screen/", "bracket/print/",
]  # fmt: skip


def at(tournament: Tournament, path: str) -> str:
    return f"/t/{tournament.slug}/{path}"


def later(monkeypatch, **by: int) -> None:
    """The clocks show another time."""
    then = timezone.now() + dt.timedelta(**by)
    monkeypatch.setattr(timezone, "now", lambda: then)


def notice_in(answer) -> str | None:
    """What the page's line of announcements says."""
    match = re.search(r'id="notice"[^>]*role="status"[^>]*>([^<]*)<', answer.content.decode())
    return match and match[1]


def test_the_owner_announces_and_everybody_sees_it(client):
    tournament = TournamentFactory(entries=4, rounds=1)
    client.force_login(tournament.owner)
    answer = client.post(at(tournament, "desk/announcement/"), {"text": LINE, "key": "k1"}, follow=True)
    assert notice_in(answer) == LINE  # the desk
    client.logout()
    for path in PAGES:
        assert notice_in(client.get(at(tournament, path))) == LINE, path


def test_phones_get_it_with_their_next_poll(client):
    tournament = TournamentFactory(entries=4, rounds=1)
    marks = {}
    for path in POLLED:
        marks[path] = re.search(r'data-v="([^"]*)"', client.get(at(tournament, path)).content.decode())[1]
        assert client.get(at(tournament, path), {"v": marks[path]}).status_code == 204
    change_announcement(tournament, LINE)
    for path in POLLED:
        answer = client.get(at(tournament, path), {"v": marks[path]})
        assert f'data-notice="{LINE}"' in answer.content.decode(), path


def test_the_desk_of_a_round_gets_it_with_its_next_poll(client):
    tournament = TournamentFactory(entries=4)
    RoundFactory(tournament=tournament)
    client.force_login(tournament.owner)
    seen = tournament.revision
    change_announcement(tournament, LINE)
    answer = client.get(at(tournament, "desk/rounds/1/status/"), {"v": seen})
    assert f'data-notice="{LINE}"' in answer.content.decode()


def test_it_ends_by_itself_on_phones_and_pages_and_nothing_is_written(client, monkeypatch):
    tournament = TournamentFactory(entries=4, rounds=1)
    change_announcement(tournament, LINE)
    etags = {path: client.get(at(tournament, path)).headers.get("ETag") for path in PAGES}
    part = client.get(at(tournament, "now/")).content.decode()
    mark = re.search(r'data-v="([^"]*)"', part)[1]
    later(monkeypatch, minutes=61)
    for path, etag in etags.items():
        answer = client.get(at(tournament, path), headers={"If-None-Match": etag or "none"})
        assert (answer.status_code, notice_in(answer)) == (200, ""), path
    answer = client.get(at(tournament, "now/"), {"v": mark})
    assert (answer.status_code, 'data-notice=""' in answer.content.decode()) == (200, True)
    client.force_login(tournament.owner)
    assert notice_in(client.get(at(tournament, "desk/"))) == ""
    before = tournament.revision
    tournament.refresh_from_db()
    assert (tournament.revision, tournament.announcement) == (before, LINE)


def test_it_ranks_nobody_anew():
    tournament = TournamentFactory(entries=4, rounds=1)
    before = tournament.standings_revision
    change_announcement(tournament, LINE)
    assert tournament.standings_revision == before


@pytest.mark.parametrize(
    ("now", "ends", "end"),
    [
        ("2026-11-21 13:00", "14:30", "2026-11-21 14:30"),
        ("2026-11-21 23:50", "00:10", "2026-11-22 00:10"),
        ("2026-11-21 14:30", "14:30", "2026-11-22 14:30"),
        ("2026-11-21 14:30", "", "2026-11-21 15:30"),
    ],
)
def test_it_ends_the_next_time_the_events_clocks_show_that(monkeypatch, now, ends, end):
    berlin = dt.timezone(dt.timedelta(hours=1))
    monkeypatch.setattr(timezone, "now", lambda: dt.datetime.fromisoformat(now).replace(tzinfo=berlin))
    assert end_of(ends, "Europe/Berlin") == dt.datetime.fromisoformat(end).replace(tzinfo=berlin)


def test_the_log_tells_it_and_undo_takes_it_back(client):
    tournament = TournamentFactory(entries=2)
    change_announcement(tournament, LINE, "23:59", actor=tournament.owner)
    client.force_login(tournament.owner)
    page = client.get(at(tournament, "desk/log/")).content.decode()
    assert f"Announced until 23:59: “{LINE}”" in page
    undo_action(tournament, tournament.revision)
    assert tournament.notice == ""
    change_announcement(tournament, LINE)
    change_announcement(tournament, " ")
    assert tournament.notice == ""
    assert "Announcement taken down" in client.get(at(tournament, "desk/log/")).content.decode()


def test_the_same_form_twice_is_said_once():
    tournament = TournamentFactory(entries=2)
    first = change_announcement(tournament, LINE, "14:30", key="k")
    assert change_announcement(tournament, LINE, "14:30", key="k").number == first.number


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"text": "x" * 201}, "at most 200 characters"),
        ({"text": LINE, "ends": "half past"}, "Enter a valid time"),
    ],
)
def test_what_cannot_be_announced_is_said_at_its_field(client, sent, words):
    tournament = TournamentFactory(entries=2)
    client.force_login(tournament.owner)
    answer = client.post(at(tournament, "desk/announcement/"), sent)
    assert answer.status_code == 422
    assert words in answer.content.decode()
    tournament.refresh_from_db()
    assert tournament.announcement == ""


def test_no_service_takes_nonsense_either():
    for text, ends in (("x" * 201, ""), (LINE, "25:00")):
        with pytest.raises(Refused):
            change_announcement(TournamentFactory(entries=0), text, ends)


def test_an_announcement_is_escaped_and_hides_nothing(client):
    tournament = TournamentFactory(entries=2)
    change_announcement(tournament, "<script>alert(1)</script> \u202e\u0000 now")
    page = client.get(at(tournament, "")).content.decode()
    assert "<script>alert" not in page
    assert "\u202e" not in page


def test_only_the_owner_announces(client):
    tournament = TournamentFactory(entries=2)
    judge = UserFactory()
    Staff.objects.create(tournament=tournament, user=judge, role="judge")
    client.force_login(judge)
    assert client.post(at(tournament, "desk/announcement/"), {"text": LINE}).status_code == 403
    assert "Announce" not in client.get(at(tournament, "desk/")).content.decode()


def test_a_finished_event_can_still_say_when_the_prizes_are_given():
    from tests.factories import RoundFactory, TournamentFactory
    from tests.steps import complete_round
    from tournament.services.events import finish_tournament

    tournament = TournamentFactory(entries=2)
    enter_results(tournament, RoundFactory(tournament=tournament).number)
    complete_round(tournament, 1)
    finish_tournament(tournament)
    change_announcement(tournament, "Prizes at 18:00")
    assert tournament.notice == "Prizes at 18:00"


def test_a_time_that_has_just_passed_is_said_to_mean_tomorrow(client):
    tournament = TournamentFactory(entries=4, time_zone="Europe/Berlin", rounds=1)
    client.force_login(tournament.owner)
    passed = timezone.now().astimezone(zoneinfo.ZoneInfo("Europe/Berlin")) - dt.timedelta(minutes=2)
    ends = f"{passed:%H:%M}"
    sent = {"text": LINE, "ends": ends, "key": "k1"}
    answer = client.post(at(tournament, "desk/announcement/"), sent, follow=True)
    tomorrow = passed + dt.timedelta(days=1)
    assert f"until {tomorrow.day} {tomorrow:%b %Y}, {ends}." in answer.content.decode()
