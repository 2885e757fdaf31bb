from functools import partial

import pytest
from django.core.cache import cache
from django.test import Client

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
from tournament.models import Invite, RulesetVersion, Staff
from tournament.services.rulesets import copy_ruleset, newest_of, publish_draft, save_draft
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


def test_of_two_drafts_saved_at_once_one_is_refused():
    ruleset = RulesetFactory(published="First version.")
    profile = newest_of(ruleset).profile
    for number in range(TIMES):
        ruleset.refresh_from_db()
        worth = ({"win": win, "draw": "1", "loss": "0"} for win in (f"{number + 5}", f"{number + 5}/2"))
        drafts = ({**profile, "match_points": points} for points in worth)
        save = (partial(save_draft, fresh(ruleset), draft, seen=ruleset.revision) for draft in drafts)
        assert len(refusals(at_once(*save))) == 1
        assert fresh(ruleset).revision == ruleset.revision + 1


def test_one_copy_asked_for_twice_at_once_is_there_once():
    ada, source = UserFactory(), RulesetVersion.objects.get(key="mtr")
    for number in range(TIMES):
        ask = partial(copy_ruleset, source, name=f"Copy {number}", owner=ada)
        first, second = at_once(ask, ask)
        assert first == second
    assert ada.rulesets.count() == TIMES
