import datetime as dt
import json
import re

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from tests.factories import TournamentFactory, UserFactory
from tests.pages import Page, page, press
from tests.tournament.access.access_table import PAGES
from tests.tournament.views.desk import key
from tournament.access.permissions import RIGHTS
from tournament.actionlog import integrity
from tournament.archive import parse_event
from tournament.archive.load import dump_event, load_event
from tournament.errors import WrongState
from tournament.history.describe import describe_actions
from tournament.models import Action, Invite, Staff, Tournament
from tournament.services.events import finish_tournament, reopen_tournament
from tournament.services.staff import create_invite
from tournament.services.undo import find_last_undoable, undo_action


@pytest.fixture
def mia(client):
    user = UserFactory(username="mia")
    client.force_login(user)
    user.event = TournamentFactory(entries=4, owner=user)
    return user


def join(tournament, name, role="scorekeeper"):
    user = UserFactory(username=name)
    Staff.objects.create(tournament=tournament, user=user, role=role)
    return user


def post(client, tournament, where, **fields):
    return client.post(f"/t/{tournament.slug}/desk/settings/staff/{where}", {"key": key(), **fields})


def invite_path(client, tournament, role="scorekeeper", **fields):
    return path_on(post(client, tournament, "invites/", role=role, **{"people": 1, "hours": 24, **fields}))


def path_on(answer):
    return re.search(r"/invite/[A-Z2-7-]+/", Page(answer).words)[0]


def browser_of(user):
    client = Client()
    client.force_login(user)
    return client


def accept(user, path, form=None):
    return browser_of(user).post(path, form or {"key": key()}).status_code


def roles(tournament):
    return {row.user.get_username(): row.role for row in tournament.staff.select_related("user")}


def last_words(tournament):
    (last,) = describe_actions(tournament, [tournament.actions.order_by("-number").first()])
    return f"{last.sentence} ({last.reason})" if last.reason else last.sentence


def test_an_invitation_makes_whoever_opens_it_a_member_and_a_judge_lands_on_the_judges_page(client, mia):
    path = invite_path(client, mia.event)
    theirs = browser_of(UserFactory(username="anna"))
    shown = page(theirs, path)
    assert "Join Friday night as scorekeeper" in shown
    assert roles(mia.event) == {"mia": "owner"}, "looking accepts nothing"
    shown = press(theirs, shown, "Accept as anna")
    assert shown.answer.redirect_chain == [(f"/t/{mia.event.slug}/desk/", 303)]
    assert roles(mia.event) == {"mia": "owner", "anna": "scorekeeper"}
    assert last_words(mia.event) == "Staff: anna became scorekeeper (invited by mia)"
    assert mia.event.actions.latest("number").actor == "anna"
    path = invite_path(client, mia.event, role="judge")
    client.force_login(UserFactory(username="lena"))
    for _ in "12":  # the second press answers as the first
        assert client.post(path, {"key": key()})["Location"] == f"/t/{mia.event.slug}/desk/judge/"
    assert "You joined Friday night as judge." in page(client, f"/t/{mia.event.slug}/desk/judge/")


def test_who_is_not_signed_in_is_led_to_sign_in_and_where_sign_up_is_closed_not_to_that(
    client, mia, settings
):
    path = invite_path(client, mia.event)
    client.logout()
    shown = page(client, path)
    assert shown.all(f'[href="/login/?next={path}"]') and shown.all(f'[href="/signup/?next={path}"]')
    assert client.post(path, {"key": key()})["Location"].startswith("/login/?next=")
    settings.SIGN_UP_OPEN = False
    assert not page(client, path).all('[href^="/signup/"]')


def test_an_invitation_is_made_once_and_its_key_is_kept_nowhere_and_may_be_typed_anyhow(client, mia):
    sent = {"role": "judge", "people": 3, "hours": 24, "key": key()}
    one, two = (path_on(post(client, mia.event, "invites/", **sent)) for _ in "12")
    assert one == two and Invite.objects.count() == 1
    secret = invite_path(client, mia.event).split("/")[2]
    assert secret.replace("-", "") not in dump_event(mia.event)
    assert secret not in str(list(Invite.objects.values())) + str(list(Action.objects.values()))
    assert secret not in client.get(f"/t/{mia.event.slug}/desk/settings/staff/").content.decode()
    assert client.get(f"/invite/{secret.lower().replace('-', '')}/").status_code == 200


def test_an_invitation_is_used_up_and_who_left_may_come_back_with_a_new_form(client, mia):
    path = invite_path(client, mia.event, people=2)
    assert [accept(UserFactory(username=name), path) for name in ("ann", "bob", "cleo")] == [303, 303, 410]
    assert set(roles(mia.event)) == {"mia", "ann", "bob"}
    assert "was used or revoked, or has expired" in Page(client.get(path))
    path = invite_path(client, mia.event, people=2)
    anna, form = UserFactory(username="anna"), {"key": key()}
    accept(anna, path, form)
    post(browser_of(anna), mia.event, "leave/")
    assert accept(anna, path, form) == 409 and "anna" not in roles(mia.event)
    assert accept(anna, path) == 303 and roles(mia.event)["anna"] == "scorekeeper"


def test_an_acceptance_sent_twice_is_one_and_after_removal_it_is_over(client, mia):
    path = invite_path(client, mia.event, people=1)
    anna, form = UserFactory(username="anna"), {"key": key()}
    assert [accept(anna, path, form) for _ in "12"] == [303, 303]
    assert Invite.objects.get().uses_left == 0 and roles(mia.event)["anna"] == "scorekeeper"
    assert post(client, mia.event, "members/", username="anna", role="remove").status_code == 303
    assert [accept(anna, path, again) for again in (form, None)] == [410, 410]
    assert "anna" not in roles(mia.event)


@pytest.mark.parametrize("role", ["remove", "judge"])
def test_who_is_removed_or_lowered_cannot_come_back_by_the_same_invitation(client, mia, role):
    path, other = (invite_path(client, mia.event, people=5) for _ in "12")
    anna, bo, form = UserFactory(username="anna"), UserFactory(username="bo"), {"key": key()}
    assert (accept(anna, path, form), accept(bo, path)) == (303, 303)
    assert post(client, mia.event, "members/", username="anna", role=role).status_code == 303
    assert "revoked" in page(client, f"/t/{mia.event.slug}/desk/log/")
    for user in (anna, UserFactory(username="another-account-of-anna")):
        assert [accept(user, path, again) for again in (form, None)] == [410, 410]
    assert roles(mia.event).get("anna") in (None, "judge") and roles(mia.event)["bo"] == "scorekeeper"
    assert accept(UserFactory(), other) == 303  # an invitation she did not have


@pytest.mark.parametrize("how", ["removed", "lowered", "handed over", "left"])
def test_an_organizer_no_longer_cannot_come_back_by_an_invitation_of_their_own(client, mia, how):
    anna, bo = join(mia.event, "anna", "owner"), join(mia.event, "bo", "owner")
    other = invite_path(browser_of(bo), mia.event, "judge")
    hers = browser_of(anna)
    path = invite_path(hers, mia.event, "owner")
    if how == "left":
        post(hers, mia.event, "leave/")
    elif how == "handed over":
        Tournament.objects.filter(pk=mia.event.pk).update(owner=anna)
        post(hers, mia.event, "transfer/", username="mia")
    else:
        post(client, mia.event, "members/", username="anna", role="remove" if how == "removed" else "judge")
    assert "invitation as organizer revoked" in last_words(mia.event).lower()
    assert [accept(user, path) for user in (anna, UserFactory())] == [410, 410]
    assert roles(mia.event).get("anna") != "owner"
    assert accept(UserFactory(), other) == 303  # an invitation of someone else


@pytest.mark.parametrize("how", ["expired", "withdrawn", "finished", "finished and reopened", "tampered"])
def test_an_invitation_that_is_over_says_so_and_changes_nothing(client, mia, how):
    tournament = mia.event
    path = invite_path(client, tournament)
    status, words = 410, "revoked, or has expired"
    if how == "expired":
        Invite.objects.update(expires_at=timezone.now() - dt.timedelta(seconds=1))
    elif how == "withdrawn":
        invite = Invite.objects.get()
        assert post(client, tournament, "invites/withdraw/", invite=invite.pk).status_code == 303
        assert last_words(tournament) == "Invitation as scorekeeper revoked"
    elif how.startswith("finished"):
        type(tournament).objects.update(state="running")
        finish_tournament(tournament)
        words = "its invitations are no longer valid"
        if how.endswith("reopened"):
            reopen_tournament(tournament)
            words = "revoked, or has expired"
    else:
        path, status, words = (
            path[:-3] + ("AA/" if path[-3:-1] != "AA" else "BB/"),
            404,
            "This invitation does not exist",
        )
    client.force_login(UserFactory())
    for answer in (client.get(path), client.post(path, {"key": key()})):
        assert answer.status_code == status and words in Page(answer)
    assert roles(tournament) == {"mia": "owner"}


def test_an_invitation_lowers_nobody_and_makes_one_owner_at_a_time(client, mia):
    answer = post(client, mia.event, "invites/", role="owner", people=2, hours=24)
    assert answer.status_code == 400 and "for 1 person only" in Page(answer)
    for wrong in ({"people": 0}, {"people": 21}, {"hours": 1}, {"role": "king"}):
        fields = {"role": "judge", "people": 1, "hours": 24, **wrong}
        assert post(client, mia.event, "invites/", **fields).status_code == 422
    assert not Invite.objects.exists()
    path = invite_path(client, mia.event, "judge")
    assert "this invitation adds nothing" in page(client, path)
    client.post(path, {"key": key()})
    assert roles(mia.event) == {"mia": "owner"} and Invite.objects.get().uses_left == 1
    accept(join(mia.event, "jo", "judge"), invite_path(client, mia.event, "scorekeeper"))
    assert roles(mia.event)["jo"] == "scorekeeper"


def test_another_role_counts_at_the_next_request_and_so_does_removal(client, mia):
    theirs = browser_of(join(mia.event, "jo", "judge"))
    desk = f"/t/{mia.event.slug}/desk/"
    assert theirs.get(f"{desk}settings/").status_code == 403
    post(client, mia.event, "members/", username="jo", role="owner")
    assert theirs.get(f"{desk}settings/").status_code == 200
    assert last_words(mia.event) == "Staff: jo became organizer"
    assert post(client, mia.event, "members/", username="jo", role="remove").status_code == 303
    assert theirs.get(desk).status_code == 404
    assert theirs.post(f"{desk}players/", {"names": "Sneaky"}).status_code == 404
    assert last_words(mia.event) == "Staff: jo removed"


@pytest.mark.parametrize(
    ("where", "fields"),
    [
        ("members/", {"username": "mia", "role": "remove"}),
        ("members/", {"username": "mia", "role": "judge"}),
        ("leave/", {}),
    ],
)
def test_the_last_owner_stays(client, mia, where, fields):
    join(mia.event, "anna")
    before = mia.event.actions.count()
    answer = post(client, mia.event, where, **fields)
    assert answer.status_code == 409 and "Make someone else an organizer first" in Page(answer)
    assert roles(mia.event) == {"mia": "owner", "anna": "scorekeeper"}
    assert mia.event.actions.count() == before


def test_one_of_two_owners_may_leave_and_the_other_holds_the_event(client, mia):
    anna = join(mia.event, "anna", "owner")
    assert post(client, mia.event, "leave/")["Location"] == "/"
    mia.event.refresh_from_db()
    assert roles(mia.event) == {"anna": "owner"} and mia.event.owner == anna
    assert client.get(f"/t/{mia.event.slug}/desk/").status_code == 404


def test_an_event_is_given_to_a_member(client, mia):
    UserFactory(username="stranger")
    for name in ("stranger", "nobody", "mia"):
        assert post(client, mia.event, "transfer/", username=name).status_code in (400, 404)
    assert roles(mia.event) == {"mia": "owner"}
    anna = join(mia.event, "anna", "judge")
    assert post(client, mia.event, "transfer/", username="anna").status_code == 303
    mia.event.refresh_from_db()
    assert mia.event.owner == anna
    assert roles(mia.event) == {"anna": "owner", "mia": "scorekeeper"}
    changes = ["Staff: anna became organizer", "staff: mia became scorekeeper", "event transferred to anna"]
    assert last_words(mia.event) == "; ".join(changes)
    assert post(client, mia.event, "members/", username="anna", role="remove").status_code == 403


def test_a_member_leaves(client, mia):
    join(mia.event, "anna", "owner")
    assert post(client, mia.event, "leave/", key=key())["Location"] == "/"
    assert roles(mia.event) == {"anna": "owner"}
    assert post(client, mia.event, "leave/", key=key()).status_code == 404


def test_what_is_about_people_is_not_undone_disturbs_no_replay_and_is_told_from_a_file(client, mia):
    join(mia.event, "anna")
    post(client, mia.event, "members/", username="anna", role="judge")
    mia.event.refresh_from_db()
    number = mia.event.revision
    assert find_last_undoable(mia.event, "owner")[0].number < number
    with pytest.raises(WrongState, match="staff page"):
        undo_action(mia.event, number)
    assert integrity.check(mia.event) == []
    call_command("replay", mia.event.slug)
    create_invite(mia.event, "judge", actor=mia)
    copy = load_event(parse_event(json.loads(dump_event(mia.event))), owner=None, slug="again")
    assert last_words(copy) == "Invitation as judge created"


def test_everybody_on_the_staff_sees_what_each_role_may_do_and_only_the_owner_changes_it(client, mia):
    address = f"/t/{mia.event.slug}/desk/settings/staff/"
    assert "make judge" not in page(client, address)  # not for who is alone and the last owner
    jo = join(mia.event, "jo", "judge")
    remove = '[aria-label="Remove jo from the staff"]'
    assert page(client, address).soup.select(remove)
    shown = page(browser_of(jo), address)
    assert "What each role may do" in shown and "Manage the staff" in shown
    assert not shown.soup.select(remove) and "Create invitation" not in shown


@pytest.mark.parametrize("right", RIGHTS, ids=lambda right: str(right.words))
def test_the_rights_table_says_what_the_pages_do(right):
    usual = Tournament()  # what judges may is a setting
    roles = {str(role) for role in Staff.Role if right.has(role, usual)}
    for name in right.pages:
        assert (PAGES[name].post or PAGES[name].get) == roles, name
