from functools import partial

import pytest
from django_otp.plugins.otp_static.models import StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from tests.factories import RulesetFactory, TournamentFactory, UserFactory
from tests.races.at_once import FEW, TIMES, again, at_once, fresh, race, refusals
from tests.tournament.access.authenticator import KEY, PASSWORD, app_code
from tournament.errors import WrongState
from tournament.models import Invite, RulesetVersion, Staff
from tournament.ruleset_library.versions import newest_of
from tournament.services.rulesets import copy_ruleset, publish_draft, save_draft
from tournament.services.staff import accept_invite, create_invite, remove_staff
from tournament.services.two_step import (
    APP,
    RECOVERY,
    hash_of,
    recovery_set_of,
    renew_recovery_codes,
    turn_on,
    use_code,
)

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


@pytest.mark.parametrize("kind", [APP, RECOVERY])
def test_a_code_sent_twice_at_once_signs_in_once(kind):
    for _ in range(FEW):
        user = UserFactory(password=PASSWORD)
        recovery, *_others = turn_on(user, KEY, app_code(-1), PASSWORD)
        code = app_code() if kind == APP else recovery
        assert sorted(at_once(*(partial(use_code, fresh(user), code) for _ in "ab"))) == ["", kind]
        assert StaticToken.objects.filter(device__user=user).count() == (9 if kind == RECOVERY else 10)


def stored(user, codes):
    """How many of these recovery codes would let the user in."""
    hashes = [hash_of(user, code) for code in codes]
    return StaticToken.objects.filter(device__user=user, token__in=hashes).count()


@pytest.mark.parametrize("other", [KEY[::-1], KEY], ids=["two keys", "one form"])
def test_two_pages_that_set_up_at_once_leave_one_key_and_show_codes_that_work(other):
    for _ in range(FEW):
        user = UserFactory(password=PASSWORD)
        set_up = (partial(turn_on, fresh(user), key, app_code(key=key), PASSWORD) for key in (KEY, other))
        answers = at_once(*set_up)
        refused = refusals(answers)
        assert [type(error) for error in refused] == ([WrongState] if other != KEY else [])
        shown = [codes for codes in answers if codes not in refused]
        assert all(codes == shown[0] for codes in shown) and stored(user, shown[0]) == 10
        assert TOTPDevice.objects.filter(user=user).count() == 1
        assert StaticToken.objects.filter(device__user=user).count() == 10


@again(FEW)
def test_new_recovery_codes_that_two_presses_show_all_work():
    user = UserFactory(password=PASSWORD)
    old = turn_on(user, KEY, app_code(), PASSWORD)
    press = partial(renew_recovery_codes, fresh(user), seen=recovery_set_of(user), key="one form")
    answers = at_once(press, press)
    assert refusals(answers) == [] and answers[0] == answers[1]
    assert stored(user, answers[0]) == 10 and stored(user, old) == 0


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
