import datetime as dt
from types import SimpleNamespace

import pytest
from django.test import Client

from tests.pages import Page
from tests.tournament.services.test_results import assert_sound, codes, reports, running
from tests.tournament.views.desk import key, match_of
from tests.tournament.views.test_reports import Phone
from tests.tournament.views.test_slip_reports import address, send
from tournament.access.codes import personal_code
from tournament.actionlog.actors import MOST_ACTIONS
from tournament.results.shorthand import parse_slip
from tournament.services.event_settings import change_registration, change_settings
from tournament.services.results import clear_result, record_result

pytestmark = pytest.mark.django_db
SAID = "20 changes within 10 minutes are the most from a phone. Nothing was saved."


@pytest.fixture
def event():
    event = running("on")
    change_settings(event, decklist_rule="late")
    change_registration(event, self_byes=True)
    return event


def actions_of(event, actor):
    return event.actions.filter(actor=actor).count()


def test_the_21st_change_is_refused_for_ten_minutes_and_the_opponent_still_reports(event, monkeypatch):
    ann, bo = (Phone(event, code) for code in codes(event))
    answers = [ann.send("report", ("20", "21")[n % 2]).status_code for n in range(MOST_ACTIONS)]
    assert answers == [303] * MOST_ACTIONS
    for what in ("report", "withdraw"):
        refused = ann.send(what, "20")
        assert refused.status_code == 429 and SAID in Page(refused)
    assert actions_of(event, f"player:{ann.code}") == MOST_ACTIONS and reports(event) == {"a": "21"}
    oldest = event.actions.filter(actor=f"player:{ann.code}").order_by("number")[0]
    later = SimpleNamespace(now=lambda: oldest.at + dt.timedelta(minutes=9, seconds=59))
    monkeypatch.setattr("tournament.actionlog.actors.timezone", later)
    assert ann.send("report", "20").status_code == 429
    later.now = lambda: oldest.at + dt.timedelta(minutes=10)
    assert ann.send("withdraw", "20").status_code == 303
    assert bo.send("report", "20").status_code == 303
    assert_sound(event)


def test_every_door_of_a_player_counts_and_is_shut(event):
    ann, _bo = (Phone(event, code) for code in codes(event))
    code = personal_code(event.entries.get(code=ann.code))
    doors = {
        "report/": {"what": "report", "round": 1, "slip": "20"},
        "flag/": {"text": "The clock is wrong"},
        "call/": {"text": "Rules"},
        "byes/": {"number": 3, "kind": "zero"},
        "decklist/": {"text": "60 Island"},
        "leave/": {"sure": "on"},
        "return/": {},
        "this-is-me/": {"code": code},
    }
    start = event.actions.count()
    answers = {
        end: ann.client.post(ann.own + end, {"key": key(), **sent}).status_code for end, sent in doors.items()
    }
    assert set(answers.values()) == {303}, answers
    assert event.actions.count() == start + len(doors) == start + actions_of(event, f"player:{ann.code}")
    for n in range(MOST_ACTIONS - len(doors)):
        assert ann.send("report", ("21", "20")[n % 2]).status_code == 303
    del doors["call/"], doors["return/"]  # a judge is called already, and the player plays on: nothing to do
    doors["byes/"]["kind"], doors["report/"]["slip"], doors["decklist/"]["text"] = "", "10", "60 Plains"
    full = {end: ann.client.post(ann.own + end, {"key": key(), **sent}) for end, sent in doors.items()}
    assert {end: answer.status_code for end, answer in full.items()} == dict.fromkeys(full, 429)
    assert all(SAID in Page(answer) for answer in full.values())
    assert actions_of(event, f"player:{ann.code}") == MOST_ACTIONS


def test_a_slip_floods_the_log_no_more_than_a_player_and_staff_are_not_limited(event):
    url, phones = address(event), [Client(REMOTE_ADDR=f"192.0.2.{n}") for n in range(MOST_ACTIONS + 1)]
    answers = [send(phone, url, ("20", "21")[n % 2]) for n, phone in enumerate(phones)]
    assert [answer.status_code for answer in answers] == [303] * MOST_ACTIONS + [429]
    assert SAID in Page(answers[-1]) and actions_of(event, "slip:1-1") == MOST_ACTIONS
    for n in range(MOST_ACTIONS + 5):
        record_result(event, 1, 1, parse_slip(("20", "21")[n % 2]), actor="ada")
    clear_result(event, 1, 1, actor="ada")
    assert match_of(event).result is None and actions_of(event, "ada") == MOST_ACTIONS + 6
