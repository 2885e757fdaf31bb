"""Codes at once, with real connections: each signs one in, an account has one key, and codes that are shown work."""

from functools import partial

import pytest
from django.contrib.auth.models import User
from django_otp.oath import totp
from django_otp.plugins.otp_static.models import StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from tests.factories import UserFactory
from tests.races.test_desks import FEW, at_once, refusals
from tournament.errors import WrongState
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
PASSWORD = "correct horse"
KEY = "31" * 20


def app_code(later: int = 0, key: str = KEY) -> str:
    return f"{totp(bytes.fromhex(key), drift=later):06d}"


def fresh(user: User) -> User:
    return User.objects.get(pk=user.pk)


@pytest.mark.parametrize("kind", [APP, RECOVERY])
def test_a_code_sent_twice_at_once_signs_in_once(kind):
    for _ in range(FEW):
        user = UserFactory(password=PASSWORD)
        recovery, *_others = turn_on(user, KEY, app_code(-1), PASSWORD)
        code = app_code() if kind == APP else recovery
        answers = at_once(*(partial(use_code, fresh(user), code) for _ in range(2)))
        assert sorted(answers) == ["", kind]
        assert StaticToken.objects.filter(device__user=user).count() == (9 if kind == RECOVERY else 10)


def stored(user: User, codes: list[str]) -> int:
    """How many of these recovery codes would let the user in."""
    return StaticToken.objects.filter(
        device__user=user, token__in=[hash_of(user, code) for code in codes]
    ).count()


def test_two_pages_that_set_up_at_once_leave_one_key():
    for _ in range(FEW):
        user = UserFactory(password=PASSWORD)
        answers = at_once(
            *(partial(turn_on, fresh(user), key, app_code(key=key), PASSWORD) for key in (KEY, KEY[::-1]))
        )
        (refused,) = refusals(answers)
        assert isinstance(refused, WrongState)
        assert TOTPDevice.objects.filter(user=user).count() == 1
        assert StaticToken.objects.filter(device__user=user).count() == 10


def test_a_page_that_sets_up_twice_at_once_shows_codes_that_work():
    for _ in range(FEW):
        user = UserFactory(password=PASSWORD)
        answers = at_once(*(partial(turn_on, fresh(user), KEY, app_code(), PASSWORD) for _ in range(2)))
        assert refusals(answers) == [] and answers[0] == answers[1]
        assert stored(user, answers[0]) == 10
        assert TOTPDevice.objects.filter(user=user).count() == 1


def test_new_recovery_codes_that_two_presses_show_all_work():
    for _ in range(FEW):
        user = UserFactory(password=PASSWORD)
        old = turn_on(user, KEY, app_code(), PASSWORD)
        seen = recovery_set_of(user)
        press = partial(renew_recovery_codes, fresh(user), seen=seen, key="one form")
        answers = at_once(press, press)
        assert refusals(answers) == [] and answers[0] == answers[1]
        assert stored(user, answers[0]) == 10 and stored(user, old) == 0
