"""Who runs an event: invitations, roles, an owner at any time; told in the log, gone with the next request."""

import datetime as dt
import re

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.factories import TournamentFactory, UserFactory
from tests.tournament.access.access_table import PAGES
from tests.tournament.views.desk import key
from tournament.access.permissions import RIGHTS
from tournament.actionlog import integrity
from tournament.archive.load import dump_event
from tournament.errors import WrongState
from tournament.history.describe import describe_actions
from tournament.models import Action, Invite, Staff, Tournament
from tournament.services.events import finish_tournament, reopen_tournament
from tournament.services.invites import accept_invite, create_invite
from tournament.services.undo import last_undoable_action, undo_action

pytestmark = pytest.mark.django_db


@pytest.fixture
def mia(client):
    """The owner of an event, signed in."""
    user = UserFactory(username="mia")
    client.force_login(user)
    user.event = TournamentFactory(entries=4, owner=user)
    return user


def join(tournament, name, role="scorekeeper"):
    user = UserFactory(username=name)
    Staff.objects.create(tournament=tournament, user=user, role=role)
    return user


def post(client, tournament, where, **fields):
    return client.post(f"/t/{tournament.slug}/desk/staff/{where}", {"key": key(), **fields})


def invite_path(client, tournament, role="scorekeeper", **fields):
    """The path of a new invitation, as its page shows it."""
    answer = post(client, tournament, "invites/", role=role, **{"people": 1, "hours": 24, **fields})
    assert answer.status_code == 200
    return re.search(r"/invite/[A-Z2-7-]+/", answer.content.decode())[0]


def roles(tournament):
    return {row.user.get_username(): row.role for row in tournament.staff.select_related("user")}


def last_words(tournament):
    (last,) = describe_actions(tournament, [tournament.actions.order_by("-number").first()])
    return f"{last.sentence} ({last.reason})" if last.reason else last.sentence


def test_an_invitation_makes_whoever_opens_it_a_member_and_the_log_says_so(client, mia):
    path = invite_path(client, mia.event)
    anna = UserFactory(username="anna")
    client.force_login(anna)
    page = client.get(path).content.decode()
    assert "Join Friday night as scorekeeper" in page and "Accept as anna" in page
    assert roles(mia.event) == {"mia": "owner"}, "looking accepts nothing"
    answer = client.post(path, {"key": key()})
    assert (answer.status_code, answer["Location"]) == (303, f"/t/{mia.event.slug}/desk/")
    assert roles(mia.event) == {"mia": "owner", "anna": "scorekeeper"}
    assert last_words(mia.event) == "Staff: anna became scorekeeper (invited by mia)"
    assert mia.event.actions.order_by("-number").first().actor == "anna"


def test_who_is_not_signed_in_signs_up_or_in_and_comes_back_to_the_invitation(client, mia, settings):
    path = invite_path(client, mia.event)
    client.logout()
    page = client.get(path).content.decode()
    assert f"/login/?next={path}" in page and f"/signup/?next={path}" in page
    assert client.post(path, {"key": key()})["Location"].startswith("/login/?next=")
    settings.SIGN_UP_OPEN = False
    assert "/signup/" not in client.get(path).content.decode()
    settings.SIGN_UP_OPEN = True
    fields = {"username": "anna", "password1": "correct horse", "password2": "correct horse"}
    assert client.post(f"/signup/?next={path}", fields)["Location"] == path
    client.post(path, {"key": key()})
    assert roles(mia.event)["anna"] == "scorekeeper"


def test_the_key_is_kept_nowhere_and_may_be_typed_anyhow(client, mia):
    path = invite_path(client, mia.event)
    secret = path.split("/")[2]
    assert secret.replace("-", "") not in dump_event(mia.event)
    assert secret not in str(list(Invite.objects.values())) + str(list(Action.objects.values()))
    assert secret not in client.get(f"/t/{mia.event.slug}/desk/staff/").content.decode()
    assert client.get(f"/invite/{secret.lower().replace('-', '')}/").status_code == 200


def test_the_same_form_sent_twice_makes_one_invitation_and_shows_it_again(client, mia):
    sent = {"role": "judge", "people": 3, "hours": 24, "key": key()}
    pages = [client.post(f"/t/{mia.event.slug}/desk/staff/invites/", sent).content.decode() for _ in "12"]
    one, two = (re.search(r"/invite/[A-Z2-7-]+/", page)[0] for page in pages)
    assert one == two and Invite.objects.count() == 1


def test_an_invitation_is_used_up(client, mia):
    path = invite_path(client, mia.event, people=2)
    for name, status in (("ann", 303), ("bob", 303), ("cleo", 410)):
        client.force_login(UserFactory(username=name))
        assert client.post(path, {"key": key()}).status_code == status
    assert set(roles(mia.event)) == {"mia", "ann", "bob"}
    assert "was used or revoked, or has expired" in client.get(path).content.decode()


def test_an_acceptance_sent_twice_is_one_and_after_removal_it_is_over(client, mia):
    path = invite_path(client, mia.event, people=1)
    anna = UserFactory(username="anna")
    theirs = type(client)()
    theirs.force_login(anna)
    form = {"key": key()}
    for _ in "12":
        assert theirs.post(path, form)["Location"] == f"/t/{mia.event.slug}/desk/"
    assert Invite.objects.get().uses_left == 0 and roles(mia.event)["anna"] == "scorekeeper"
    assert post(client, mia.event, "members/", username="anna", role="remove").status_code == 303
    for again in (form, {"key": key()}):
        assert theirs.post(path, again).status_code == 410
    assert "anna" not in roles(mia.event)


@pytest.mark.parametrize("role", ["remove", "judge"])
def test_who_is_removed_or_lowered_cannot_come_back_by_the_same_invitation(client, mia, role):
    path, other = (invite_path(client, mia.event, people=5) for _ in "12")
    forms = {}
    for name in ("anna", "bo"):
        client.force_login(UserFactory(username=name))
        forms[name] = {"key": key()}
        client.post(path, forms[name])
    client.force_login(mia)
    assert post(client, mia.event, "members/", username="anna", role=role).status_code == 303
    assert "revoked" in client.get(f"/t/{mia.event.slug}/desk/log/").content.decode()
    for name in ("anna", "another-account-of-anna"):
        client.force_login(
            get_user_model().objects.filter(username=name).first() or UserFactory(username=name)
        )
        for form in (forms["anna"], {"key": key()}):
            assert client.post(path, form).status_code == 410
    assert roles(mia.event).get("anna") in (None, "judge") and roles(mia.event)["bo"] == "scorekeeper"
    client.force_login(UserFactory(username="cleo"))
    assert client.post(other, {"key": key()}).status_code == 303  # an invitation she did not have


@pytest.mark.parametrize("how", ["removed", "lowered", "handed over", "left"])
def test_an_organizer_no_longer_cannot_come_back_by_an_invitation_of_their_own(client, mia, how):
    anna, bo = join(mia.event, "anna", "owner"), join(mia.event, "bo", "owner")
    client.force_login(bo)
    other = invite_path(client, mia.event, "judge")
    client.force_login(anna)
    path = invite_path(client, mia.event, "owner")
    if how == "left":
        post(client, mia.event, "leave/")
    elif how == "handed over":
        Tournament.objects.filter(pk=mia.event.pk).update(owner=anna)
        post(client, mia.event, "transfer/", username="mia")
    else:
        client.force_login(mia)
        post(client, mia.event, "members/", username="anna", role="remove" if how == "removed" else "judge")
    assert "invitation as organizer revoked" in last_words(mia.event).lower()
    for user in (anna, UserFactory(username="another-account-of-anna")):
        client.force_login(user)
        assert client.post(path, {"key": key()}).status_code == 410
    assert roles(mia.event).get("anna") != "owner"
    client.force_login(UserFactory(username="cleo"))
    assert client.post(other, {"key": key()}).status_code == 303  # an invitation of someone else


def test_who_left_may_come_back_with_a_new_form(client, mia):
    path = invite_path(client, mia.event, people=2)
    client.force_login(UserFactory(username="anna"))
    form = {"key": key()}
    client.post(path, form)
    post(client, mia.event, "leave/")
    assert client.post(path, form).status_code == 409
    assert "anna" not in roles(mia.event)
    client.post(path, {"key": key()})
    assert roles(mia.event)["anna"] == "scorekeeper"


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
        path, status, words = path[:-3] + ("AA/" if path[-3:-1] != "AA" else "BB/"), 404, "no such invitation"
    client.force_login(UserFactory())
    for answer in (client.get(path), client.post(path, {"key": key()})):
        assert answer.status_code == status
        assert words in answer.content.decode()
    assert roles(tournament) == {"mia": "owner"}


def test_an_invitation_lowers_nobody_and_is_not_used_up_by_it(client, mia):
    path = invite_path(client, mia.event, "judge")
    assert "this invitation adds nothing" in client.get(path).content.decode()
    client.post(path, {"key": key()})
    assert roles(mia.event) == {"mia": "owner"} and Invite.objects.get().uses_left == 1
    judge = join(mia.event, "jo", "judge")
    higher = invite_path(client, mia.event, "scorekeeper")
    client.force_login(judge)
    client.post(higher, {"key": key()})
    assert roles(mia.event)["jo"] == "scorekeeper"


def test_an_owner_is_invited_one_at_a_time(client, mia):
    answer = post(client, mia.event, "invites/", role="owner", people=2, hours=24)
    assert answer.status_code == 400 and "for 1 person only" in answer.content.decode()
    for wrong in ({"people": 0}, {"people": 21}, {"hours": 1}, {"role": "king"}):
        fields = {"role": "judge", "people": 1, "hours": 24, **wrong}
        assert post(client, mia.event, "invites/", **fields).status_code == 422
    assert not Invite.objects.exists()


def test_a_removed_member_is_out_at_the_next_request(client, mia):
    anna = join(mia.event, "anna")
    theirs = type(client)()
    theirs.force_login(anna)
    desk = f"/t/{mia.event.slug}/desk/"
    assert theirs.get(desk).status_code == 200
    assert post(client, mia.event, "members/", username="anna", role="remove").status_code == 303
    assert theirs.get(desk).status_code == 404
    assert theirs.post(f"{desk}players/", {"names": "Sneaky"}).status_code == 404
    assert last_words(mia.event) == "Staff: anna removed"


def test_another_role_counts_at_the_next_request(client, mia):
    judge = join(mia.event, "jo", "judge")
    theirs = type(client)()
    theirs.force_login(judge)
    settings = f"/t/{mia.event.slug}/desk/settings/"
    assert theirs.get(settings).status_code == 403
    post(client, mia.event, "members/", username="jo", role="owner")
    assert theirs.get(settings).status_code == 200
    assert last_words(mia.event) == "Staff: jo became organizer"


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
    assert answer.status_code == 409
    assert "Make someone else an organizer first" in answer.content.decode()
    assert roles(mia.event) == {"mia": "owner", "anna": "scorekeeper"}
    assert mia.event.actions.count() == before


def test_one_of_two_owners_may_leave_and_the_other_holds_the_event(client, mia):
    anna = join(mia.event, "anna", "owner")
    assert post(client, mia.event, "leave/")["Location"] == "/"
    mia.event.refresh_from_db()
    assert roles(mia.event) == {"anna": "owner"} and mia.event.owner == anna
    assert client.get(f"/t/{mia.event.slug}/desk/").status_code == 404


def test_an_event_is_given_to_somebody_else(client, mia):
    anna = join(mia.event, "anna", "judge")
    assert post(client, mia.event, "transfer/", username="anna").status_code == 303
    mia.event.refresh_from_db()
    assert mia.event.owner == anna
    assert roles(mia.event) == {"anna": "owner", "mia": "scorekeeper"}
    assert (
        last_words(mia.event)
        == "Staff: anna became organizer; staff: mia became scorekeeper; event transferred to anna"
    )
    assert post(client, mia.event, "members/", username="anna", role="remove").status_code == 403


@pytest.mark.parametrize(
    ("where", "fields", "address"),
    [
        ("leave/", {}, "/"),
        ("transfer/", {"username": "anna"}, "/t/friday-night/desk/staff/"),
        ("members/", {"username": "mia", "role": "judge"}, "/t/friday-night/desk/staff/"),
    ],
)
def test_a_role_given_up_by_a_double_press_leads_on_as_by_one(client, mia, where, fields, address):
    join(mia.event, "anna", "owner")
    form, count = {"key": key(), **fields}, mia.event.actions.count()
    for _ in range(2):
        answer = post(client, mia.event, where, **form)
        assert (answer.status_code, answer.headers.get("Location")) == (303, address)
    assert mia.event.actions.count() == count + 1
    assert post(client, mia.event, where, **fields).status_code in (403, 404)
    client.force_login(UserFactory())
    assert post(client, mia.event, where, **form).status_code == 404


def test_only_a_member_can_be_given_the_event(client, mia):
    UserFactory(username="stranger")
    for name in ("stranger", "nobody", "mia"):
        assert post(client, mia.event, "transfer/", username=name).status_code in (400, 404)
    assert roles(mia.event) == {"mia": "owner"}


def test_what_is_about_people_is_not_undone_and_disturbs_no_replay(client, mia):
    join(mia.event, "anna")
    post(client, mia.event, "members/", username="anna", role="judge")
    mia.event.refresh_from_db()
    number = mia.event.revision
    assert last_undoable_action(mia.event).number < number
    with pytest.raises(WrongState, match="staff page"):
        undo_action(mia.event, number)
    assert integrity.check(mia.event) == []
    call_command("replay", mia.event.slug)


def test_the_log_of_a_loaded_event_still_tells_it(mia):
    create_invite(mia.event, "judge", actor=mia)
    copy = recorded_again(mia.event)
    assert last_words(copy) == "Invitation as judge created"


def recorded_again(tournament):
    """The event, dumped and loaded."""
    import json

    from tournament import archive
    from tournament.archive.load import load_event

    return load_event(archive.event_of(json.loads(dump_event(tournament))), owner=None, slug="again")


def test_everybody_on_the_staff_sees_what_each_role_may_do_and_only_the_owner_changes_it(client, mia):
    page = f"/t/{mia.event.slug}/desk/staff/"
    assert "make judge" not in client.get(page).content.decode()  # not for who is alone and the last owner
    join(mia.event, "jo", "judge")
    assert "Remove jo from the staff" in client.get(page).content.decode()
    client.force_login(Staff.objects.get(user__username="jo").user)
    html = client.get(page).content.decode()
    assert "What each role may do" in html and "Manage the staff" in html
    assert "Remove jo from the staff" not in html and "Create invitation" not in html


@pytest.mark.parametrize("right", RIGHTS, ids=lambda right: str(right.words))
def test_the_rights_table_says_what_the_pages_do(right):
    usual = Tournament()  # what judges may is a setting
    roles = {str(role) for role in Staff.Role if right.has(role, usual)}
    for name in right.pages:
        assert (PAGES[name].post or PAGES[name].get) == roles, name


def test_the_staff_page_costs_the_same_for_one_and_for_many(client, mia):
    counts = []
    for more in (0, 8):
        for number in range(more):
            join(mia.event, f"helper{number}", "judge")
            create_invite(mia.event, "judge", actor=mia)
        with CaptureQueriesContext(connection) as queries:
            client.get(f"/t/{mia.event.slug}/desk/staff/")
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 12


def test_an_event_loaded_from_a_file_takes_invitations_too():
    tournament = TournamentFactory(entries=4, rounds=1)
    key_ = create_invite(tournament, "judge", actor=tournament.owner)
    accept_invite(key_, UserFactory(username="anna"))
    assert roles(tournament)["anna"] == "judge"
