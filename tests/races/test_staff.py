"""Two people at once over who runs an event: one invitation one member, and always an owner."""

from functools import partial

import pytest

from tests.factories import TournamentFactory, UserFactory
from tests.races.test_desks import FEW, at_once, fresh, refusals
from tournament.models import Invite, Staff
from tournament.services.invites import accept_invite, create_invite
from tournament.services.staff import remove_staff

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_last_place_of_an_invitation_is_given_once():
    for _ in range(FEW):
        tournament = TournamentFactory(entries=0)
        key = create_invite(tournament, "judge", actor=tournament.owner)
        answers = at_once(*(partial(accept_invite, key, UserFactory()) for _ in "ab"))
        assert [error.status for error in refusals(answers)] == [410]
        assert tournament.staff.count() == 2 and Invite.objects.latest("pk").uses_left == 0


def test_two_owners_who_remove_each_other_leave_one():
    for _ in range(FEW):
        tournament = TournamentFactory(entries=0)
        other = UserFactory()
        Staff.objects.create(tournament=tournament, user=other, role="owner")
        names = (tournament.owner.username, other.username)
        answers = at_once(*(partial(remove_staff, fresh(tournament), name) for name in names))
        assert len(refusals(answers)) == 1
        left = tournament.staff.get()
        assert left.role == "owner" and fresh(tournament).owner == left.user
