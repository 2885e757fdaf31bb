import pytest

from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tests.pages import Page, page
from tests.tournament.views.desk import key, sign_in_staff
from tournament.models import Staff
from tournament.services.drops import drop_entry
from tournament.services.entries import add_entry

pytestmark = pytest.mark.django_db

ADA = {"name": "Ada Ruiz", "external_id": "1234", "contact": "ada@example.org", "alias": "Ace"}


@pytest.fixture
def desk(client):
    owner = UserFactory()
    client.force_login(owner)
    earlier = TournamentFactory(entries=0, owner=owner, name="Last Friday")
    add_entry(earlier, {"rating": 1850, "rating_source": "Elo", "labels": ["North"], "paid": True}, ADA)
    return TournamentFactory(entries=0, owner=owner)


def address(tournament, where):
    return f"/t/{tournament.slug}/desk/{where}/"


def offered(client, tournament, letters):
    return page(client, address(tournament, "regulars"), name=letters)


def post(client, tournament, where="add-player", **fields):
    return client.post(address(tournament, where), {"key": key(), **fields}, follow=True)


def test_a_player_is_added_with_all_that_is_known(client, desk):
    fields = {"rating": "1700", "rating_source": "club list", "labels": "North\nJunior", "paid": "on"}
    fields |= {"external_id": "77", "contact": "bo@x", "notes": "pays later"}
    assert "Bo Lind added." in Page(post(client, desk, name=" Bo  Lind", **fields))
    entry = desk.entries.get()
    assert (entry.name, entry.rating, entry.rating_source, entry.paid) == ("Bo Lind", 1700, "club list", True)
    assert (entry.labels, entry.external_id, entry.contact) == (["North", "Junior"], "77", "bo@x")
    assert entry.notes == "pays later"
    log = str(list(desk.actions.values_list("changes", flat=True)))
    assert not any(word in log for word in ("Bo Lind", "bo@x", "77'", "pays later"))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": ""}, "Enter a name."),
        ({"name": "\u200b\u202e"}, "Enter a name."),
        ({"name": "x" * 81}, "at most 80 characters"),
        ({"name": "Bo", "rating": "strong"}, "Enter a rating such as 1500."),
        ({"name": "Bo", "external_id": "1" * 61}, "at most 60 characters"),
        ({"name": "Bo", "labels": "x" * 61}, "at most 20 labels"),
    ],
)
def test_what_is_no_player_is_refused_at_its_field(client, desk, fields, words):
    answer = post(client, desk, **fields)
    assert answer.status_code == 422 and words in Page(answer)
    assert not desk.entries.exists()


def test_a_membership_number_belongs_to_one_player(client, desk):
    post(client, desk, name="Bo", external_id="5")
    answer = post(client, desk, name="Chen", external_id="5")
    assert answer.status_code == 409
    assert "Membership number 5 already belongs to Bo (P0001)." in Page(answer)
    assert desk.entries.count() == 1


def test_a_second_player_of_a_name_is_pointed_out(client, desk):
    assert "players are now called" not in Page(post(client, desk, name="Żółć"))
    assert "2 players are now called ŻÓŁĆ." in Page(post(client, desk, name="ŻÓŁĆ"))
    assert desk.entries.count() == 2


def test_two_letters_offer_a_regular_who_comes_along_with_what_is_known(client, desk):
    assert "Ada Ruiz" not in offered(client, desk, "a")
    shown = offered(client, desk, "ru")
    assert "Add Ada Ruiz" in shown and "Last Friday" in shown
    post(client, desk, "regulars", regular=shown.one("[name=regular]")["value"])
    entry = desk.entries.get()
    assert (entry.rating, entry.rating_source, entry.labels, entry.paid) == (1850, "Elo", ["North"], False)
    assert {name: getattr(entry, name) for name in ADA} == ADA
    assert "already registered" in offered(client, desk, "ada")
    shown = page(
        client, address(desk, "add-player"), name="ada"
    )  # without a script the page itself offers them
    assert "Ada Ruiz" in shown and shown.soup.select('[name=name][value="ada"]')


def test_regulars_are_those_of_events_one_runs_offered_once_as_last_seen(client, desk):
    newer = TournamentFactory(entries=0, owner=desk.owner, name="Yesterday")
    add_entry(newer, {"rating": 1900}, {**ADA, "name": "Ada Ruiz-Lind"})
    shown = offered(client, desk, "ada")
    assert len(shown.all("[name=regular]")) == 1 and "Ada Ruiz-Lind" in shown and "rating 1900" in shown
    strange = TournamentFactory(entries=0, name="Not mine")
    add_entry(strange, {}, {"name": "Adam Strange"})
    assert "Adam" not in offered(client, desk, "ad")
    pk = strange.entries.get().pk
    assert post(client, desk, "regulars", regular=pk).status_code == 404
    assert not desk.entries.exists()
    judge = Staff.objects.create(tournament=strange, user=desk.owner, role="judge")
    assert "Adam" not in offered(client, desk, "ad")
    judge.role = "scorekeeper"
    judge.save()
    assert "Adam Strange" in offered(client, desk, "ad")
    for value in ("", "x", "-1", "9" * 30, "\x00", "٣"):
        assert post(client, desk, "regulars", regular=value).status_code == 404


def test_what_is_personal_is_changed_and_only_named_in_the_log(client, desk):
    post(client, desk, name="Bo")
    fields = {"alias": "Boss", "external_id": "9", "contact": "bo@x", "notes": "left-handed"}
    client.post(address(desk, "players/P0001/person"), {"key": key(), **fields})
    entry = desk.entries.get()
    assert (entry.alias, entry.external_id, entry.contact, entry.notes) == tuple(fields.values())
    log = page(client, address(desk, "log"))
    assert "Bo: notes for staff changed" in log and "left-handed" not in log


def test_a_judge_sees_neither_contact_nor_notes(client, desk):
    post(client, desk, name="Bo", contact="bo@example.org", notes="left-handed")
    sign_in_staff(client, desk)
    shown = client.get(address(desk, "players/P0001")).content.decode()
    assert "Bo" in shown and "bo@example.org" not in shown and "left-handed" not in shown


def test_two_players_do_not_share_a_fixed_table(client, desk):
    post(client, desk, name="Bo")
    post(client, desk, name="Chen")
    fields = {"key": key(), "awarded_byes": 0, "fixed_table": 3}
    assert client.post(address(desk, "players/P0001/pairing"), fields).status_code == 303
    answer = client.post(address(desk, "players/P0002/pairing"), {**fields, "key": key()})
    assert answer.status_code == 409 and "Table 3 is the fixed table of Bo" in Page(answer)


def test_who_waits_stands_under_a_heading_of_their_own_and_is_let_in(client, desk):
    post(client, desk, name="Bo")
    post(client, desk, name="Chen")
    desk.entries.filter(name="Chen").update(status="waitlisted", waits=5)
    desk.entries.get(name="Chen").stage_entries.all().delete()
    words = page(client, address(desk, "players")).words
    assert "1 player" in words
    assert words.index("Bo") < words.index("1 on the waitlist") < words.index("Chen")
    client.post(address(desk, "players/P0002/admit"), {"key": key()})
    assert desk.entries.get(name="Chen").status == "playing"
    assert "2 players" in page(client, address(desk, "players"))


def test_where_it_is_too_late_a_regular_and_a_no_show_come_with_a_reason(client, desk):
    late = {"late_entry": {"allowed_until_round": 1}}
    tournament = TournamentFactory(entries=4, owner=desk.owner, overrides=late)
    drop_entry(tournament, "P0004")
    RoundFactory(tournament=tournament)
    regular = offered(client, tournament, "ada").one("[name=regular]")["value"]
    refused = Page(post(client, tournament, "regulars", regular=regular))
    assert refused.status == 409 and "Enter a reason" in refused and refused.all("[name=reason]")
    post(client, tournament, "regulars", regular=regular, reason="train")
    assert tournament.entries.get(name="Ada Ruiz").late
    again = address(tournament, "players/P0004/reinstate")
    assert "Enter a reason" in Page(client.post(again, {"key": key()}))
    assert client.post(again, {"key": key(), "reason": "train"}).status_code == 303
    assert tournament.entries.get(code="P0004").joined_round == 2
