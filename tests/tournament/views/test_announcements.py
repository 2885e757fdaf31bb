import datetime as dt
import zoneinfo

import pytest
from django.utils import timezone

from tests.factories import TournamentFactory
from tests.pages import Page, page, press
from tests.tournament.views.desk import sign_in_staff, signed_in
from tournament.errors import Refused
from tournament.services.event_settings import change_announcement, end_of
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db

LINE = "Round 5 at 14:30"
POLLED = (
    "now/ rounds/1/pairings/ standings/table/ players/P0001/now/ bracket/tree/ screen/bracket/part/".split()
)
PAGES = [
    "", "rounds/1/", "rounds/1/proof/", "standings/", "standings/P0001/", "standings/P0001/match_points/",
    "players/", "players/?q=pla", "players/P0001/", "rules/", "bracket/", "screen/bracket/", "bracket/print/",
]  # fmt: skip


@pytest.fixture
def event(client):
    event = signed_in(client, entries=4, rounds=1, time_zone="Europe/Berlin")
    return event


def address(event, path=""):
    return f"/t/{event.slug}/{path}"


def notices(shown: Page) -> list[str]:
    return shown.all('#notice[role="status"]')


def mark_in(shown: Page) -> str:
    return shown.soup.select_one("[data-v]")["data-v"]


def test_the_owner_announces_and_everybody_sees_it_until_it_ends_by_itself(client, event, monkeypatch):
    desk = press(client, page(client, address(event, "desk/")), "Announce", text=LINE)
    assert notices(desk) == [LINE]
    client.logout()
    etags = {}
    for path in PAGES:
        answer = client.get(address(event, path))
        assert notices(Page(answer)) == [LINE], path
        etags[path] = answer.headers.get("ETag", "none")
    polled = address(event, "now/")
    mark = mark_in(page(client, polled))
    later = timezone.now() + dt.timedelta(minutes=61)
    monkeypatch.setattr(timezone, "now", lambda: later)
    for path, etag in etags.items():
        answer = client.get(address(event, path), headers={"If-None-Match": etag})
        assert (answer.status_code, notices(Page(answer))) == (200, [""]), path
    assert page(client, polled, v=mark).one("[data-notice]")["data-notice"] == ""
    event.refresh_from_db()
    revision = event.revision
    client.force_login(event.owner)
    assert notices(page(client, address(event, "desk/"))) == [""]
    event.refresh_from_db()
    assert (event.revision, event.announcement) == (revision, LINE), "nothing was written"


def test_phones_and_the_desk_get_it_with_their_next_poll_and_nobody_is_ranked_anew(client):
    event = TournamentFactory(entries=4, rounds=1)
    marks = {path: mark_in(page(client, address(event, path))) for path in POLLED}
    for path, mark in marks.items():
        assert client.get(address(event, path), {"v": mark}).status_code == 204
    client.force_login(event.owner)
    marks["desk/rounds/1/status/"] = str(event.revision)
    ranked = event.standings_revision
    change_announcement(event, LINE)
    assert event.standings_revision == ranked
    for path, mark in marks.items():
        assert page(client, address(event, path), v=mark).one("[data-notice]")["data-notice"] == LINE, path


@pytest.mark.parametrize(
    ("now", "ends", "end"),
    [
        ("2026-11-21 13:00", "14:30", "2026-11-21 14:30"),
        ("2026-11-21 23:50", "00:10", "2026-11-22 00:10"),
        ("2026-11-21 14:30", "14:30", "2026-11-22 14:30"),
        ("2026-11-21 14:30:27", "", "2026-11-21 15:30"),
    ],
)
def test_it_ends_the_next_time_the_events_clocks_show_that(monkeypatch, now, ends, end):
    berlin = dt.timezone(dt.timedelta(hours=1))
    monkeypatch.setattr(timezone, "now", lambda: dt.datetime.fromisoformat(now).replace(tzinfo=berlin))
    assert end_of(ends, "Europe/Berlin") == dt.datetime.fromisoformat(end).replace(tzinfo=berlin)


def test_a_time_that_has_just_passed_is_said_to_mean_tomorrow(client, event):
    passed = timezone.now().astimezone(zoneinfo.ZoneInfo("Europe/Berlin")) - dt.timedelta(minutes=2)
    tomorrow = passed + dt.timedelta(days=1)
    desk = page(client, address(event, "desk/"))
    shown = press(client, desk, "Announce", text=LINE, ends=f"{passed:%H:%M}")
    assert f"until {tomorrow.day} {tomorrow:%b %Y}, {passed:%H:%M}." in shown


def test_the_log_tells_it_and_undo_takes_it_back(client, event):
    for _ in range(2):
        change_announcement(event, LINE, "23:59", actor=event.owner, key="k")
    said = event.actions.get(key="k")
    assert f"Announced until 23:59: “{LINE}”" in page(client, address(event, "desk/log/"))
    undo_action(event, said.number)
    assert event.notice == ""
    change_announcement(event, LINE)
    change_announcement(event, " ")
    assert event.notice == ""
    assert "Announcement taken down" in page(client, address(event, "desk/log/"))


@pytest.mark.parametrize(
    ("text", "ends", "words"),
    [("x" * 201, "", "at most 200 characters"), (LINE, "25:00", "Enter a valid time")],
)
def test_what_cannot_be_announced_is_said_at_its_field_and_no_service_takes_it(
    client, event, text, ends, words
):
    answer = client.post(address(event, "desk/announcement/"), {"text": text, "ends": ends})
    assert answer.status_code == 422 and words in Page(answer)
    with pytest.raises(Refused):
        change_announcement(event, text, ends)
    event.refresh_from_db()
    assert event.announcement == ""


def test_only_the_owner_is_offered_to_announce_even_after_the_end(client, event):
    sign_in_staff(client, event)
    assert "Announce" not in page(client, address(event, "desk/")).all("button")
    over = TournamentFactory(entries=2, rounds=1, finished=True)
    change_announcement(over, "Prizes at 18:00")
    assert over.notice == "Prizes at 18:00"
