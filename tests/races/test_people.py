from functools import partial

import pytest
from django.core.cache import cache
from django.test import Client

from tests.conftest import CI, FULL
from tests.factories import RulesetFactory, TournamentFactory, UserFactory
from tests.pages import page
from tests.races.at_once import FEW, TIMES, again, at_once, fresh, race, refusals
from tests.tournament.access.authenticator import (
    CODE,
    PASSWORD,
    SET_UP,
    app_code,
    confirm,
    enter_password,
    is_signed_in,
    with_two_step,
)
from tests.tournament.views.phones import enrol, opened
from tournament.actionlog import integrity
from tournament.models import Invite, RulesetVersion, Staff
from tournament.services.drops import drop_entry
from tournament.services.entries import admit_entry
from tournament.services.rulesets import copy_ruleset, find_newest_version, publish_draft, save_draft
from tournament.services.self_service import drop_self, register_self
from tournament.services.staff import accept_invite, create_invite, remove_staff

pytestmark = pytest.mark.django_db(transaction=True)


@again(FEW)
def test_the_last_place_of_an_invitation_is_given_once():
    event = TournamentFactory(entries=0)
    key = create_invite(event, "judge", actor=event.owner)
    answers = at_once(*(partial(accept_invite, key, UserFactory()) for _ in "ab"))
    assert [error.status for error in refusals(answers)] == [410]
    assert event.staff.count() == 2 and Invite.objects.latest("pk").uses_left == 0


@again(FEW)
def test_two_owners_who_remove_each_other_leave_one():
    event, other = TournamentFactory(entries=0), UserFactory()
    Staff.objects.create(tournament=event, user=other, role="owner")
    names = (event.owner.username, other.username)
    acts = (lambda event, name=name: remove_staff(event, name) for name in names)
    assert len(race(event, *acts)) == 1
    left = event.staff.get()
    assert left.role == "owner" and fresh(event).owner == left.user


@pytest.mark.parametrize("kind", ["app", "recovery"])
def test_a_code_sent_twice_at_once_signs_in_once(kind):
    for _ in range(FEW):
        user = with_two_step(UserFactory(username="ada", password=PASSWORD))
        code = app_code() if kind == "app" else user.codes[0]
        browsers = [Client(), Client()]
        for browser in browsers:
            enter_password(browser)
        at_once(*(partial(browser.post, CODE, {"code": code}) for browser in browsers))
        assert sorted(is_signed_in(browser) for browser in browsers) == [False, True]
        user.delete()
        cache.clear()


@again(FEW)
def test_two_pages_that_set_up_at_once_leave_one_key_and_codes_that_work():
    user = UserFactory(password=PASSWORD)
    browsers = [Client(), Client()]
    sets = []
    for browser in browsers:
        browser.force_login(user)
        confirm(browser, SET_UP)
        key = page(browser, SET_UP).one("#authenticator_secret").text.strip()
        sets.append(partial(browser.post, SET_UP, {"code": app_code(key=key)}))
    assert refusals(at_once(*sets)) == []
    assert sorted(user.authenticator_set.values_list("type", flat=True)) == ["recovery_codes", "totp"]


def test_two_windows_publishing_make_one_version():
    for number in range(TIMES):
        ruleset = RulesetFactory(name=f"Rules {number}")
        publish = partial(publish_draft, seen=ruleset.revision)
        notes = (partial(publish, fresh(ruleset), note=note) for note in ("Mine.", "Ours."))
        assert len(refusals(at_once(*notes))) == 1
        assert ruleset.versions.count() == 1


def test_of_two_drafts_saved_at_once_the_last_stays():
    ruleset = RulesetFactory(published="First version.")
    profile = find_newest_version(ruleset).profile
    for number in range(TIMES):
        ruleset.refresh_from_db()
        worth = ({"win": win, "draw": "1", "loss": "0"} for win in (f"{number + 5}", f"{number + 5}/2"))
        drafts = ({**profile, "match_points": points} for points in worth)
        save = (partial(save_draft, fresh(ruleset), draft) for draft in drafts)
        assert refusals(at_once(*save)) == []
        assert fresh(ruleset).revision == ruleset.revision + 2


def test_one_copy_asked_for_twice_at_once_is_there_once():
    ada, source = UserFactory(), RulesetVersion.objects.get(key="mtr")
    for number in range(TIMES):
        ask = partial(copy_ruleset, source, name=f"Copy {number}", owner=ada)
        first, second = at_once(ask, ask)
        assert first == second
    assert ada.rulesets.count() == TIMES


PHONES, PLACES = (300, 200) if FULL else (60, 40) if CI else (12, 8)
AT_ONCE = 24 if CI else 6  # connections: more than a server has threads


def waiting_at(event, name):
    return list(event.entries.filter(status="waitlisted").order_by("waits").values_list(name, flat=True))


def test_of_300_who_register_at_once_for_200_places_100_wait_in_order():
    event = opened(0, capacity=PLACES)
    phones = iter(range(PHONES))

    def register() -> list[int]:
        """One connection registers whoever is next in the queue, until nobody is left."""
        return [enrol(Client(), event, f"Player {n}").status_code for n in phones]

    answers = at_once(*[register] * AT_ONCE)
    assert [status for statuses in answers for status in statuses] == [303] * PHONES
    actions = event.actions.filter(kind="self-register").order_by("number")
    in_order = [action.changes[0]["fact"].removeprefix("entries/") for action in actions]
    playing = event.entries.filter(status="playing").values_list("code", flat=True)
    assert sorted(playing) == sorted(in_order[:PLACES])
    assert waiting_at(event, "code") == in_order[PLACES:]
    assert event.stages.get().stage_entries.count() == PLACES
    assert integrity.check(event) == []


@again(TIMES)
def test_the_last_place_is_given_once_and_who_comes_second_waits():
    event, names = opened(3, capacity=4), ("Kim", "Lee")
    acts = (lambda event, name=name: register_self(event, name, key_hash=name + event.slug) for name in names)
    assert race(event, *acts) == []
    states = event.entries.filter(name__in=names).values_list("status", flat=True)
    assert sorted(states) == ["playing", "waitlisted"]


@again(FEW)
def test_players_who_leave_at_once_let_as_many_in_and_nobody_twice():
    event = opened(4, capacity=4)
    for number in range(4):
        enrol(Client(), event, f"Waits {number}")
    first = event.entries.get(name="Waits 0").code
    refused = race(
        event,
        lambda event: drop_self(event, "P0001"),
        lambda event: drop_entry(event, "P0002"),
        lambda event: drop_self(event, "P0003"),
        lambda event: admit_entry(event, first),
    )
    assert len(refused) <= 1  # the first was in already
    playing = set(event.entries.filter(status="playing").values_list("name", flat=True))
    assert {"Player 04", "Waits 0", "Waits 1", "Waits 2"} <= playing and len(playing) in (4, 5)
    assert waiting_at(event, "name") == sorted({"Waits 3"} - playing)
