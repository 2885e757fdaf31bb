"""An event begun like an earlier one: copies of it, templates, and the time of its next start."""

import datetime as dt
import re

import pytest

from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tournament.models import EventTemplate, Staff, Tournament
from tournament.services.event_rules import change_rules
from tournament.services.event_templates import create_event_from, next_start, settings_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(client):
    user = UserFactory(username="ada")
    client.force_login(user)
    return user


def page(answer) -> str:
    return answer.content.decode()


def test_last_weeks_event_is_copied_with_its_staff_and_without_its_players(client, owner):
    tournament = TournamentFactory(
        entries=8,
        owner=owner,
        game="Magic",
        venue="Gym",
        cut=4,
        first_table=5,
        skip_tables=[7],
        capacity=32,
        round_minutes=50,
        listed=False,
        name_privacy="initial",
        time_zone="Europe/Berlin",
        starts_at="2026-10-23T16:00:00+00:00",
        minutes=45,
    )
    change_rules(tournament, None, {"match_points": {"draw": "0"}}, revision=tournament.revision)
    helper = UserFactory(username="bo")
    Staff.objects.create(tournament=tournament, user=helper, role="judge")
    address = f"/t/{tournament.slug}/desk/copy/"
    text = page(client.get(address))
    match = re.search(r'name="starts_at"[^>]* value="([^"]+)"|value="([^"]+)"[^>]*name="starts_at"', text)
    start = dt.datetime.fromisoformat(next(filter(None, match.groups())))
    assert start > dt.datetime.now() and (start.weekday(), start.hour) == (4, 18)
    assert "bo · judge" in text and "top 4" in text
    assert "first name and initial" in text and "<dt>Listed</dt><dd>no</dd>" in text
    for _ in range(2):
        answer = client.post(
            address, {"name": "Friday night", "starts_at": "2026-10-30T18:00", "with_staff": "on", "key": "k"}
        )
    assert answer["Location"] == "/t/friday-night-2/desk/players/"
    copy = Tournament.objects.get(slug="friday-night-2")
    same = "game venue cut capacity first_table skip_tables round_minutes listed name_privacy overrides ruleset_id"
    assert {n: getattr(copy, n) for n in same.split()} == {n: getattr(tournament, n) for n in same.split()}
    assert copy.starts_at.isoformat() == "2026-10-30T17:00:00+00:00"  # winter time by then
    assert copy.stages.get().minutes == 45
    assert sorted(copy.staff.values_list("user__username", "role")) == [("ada", "owner"), ("bo", "judge")]
    assert not copy.entries.exists() and Tournament.objects.count() == 2


def test_check_in_by_phone_is_as_long_before_the_next_start(owner):
    times = {"starts_at": "2026-10-23T16:00:00+00:00", "check_in_from": "2026-10-23T15:00:00+00:00",
             "check_in_until": "2026-10-23T15:50:00+00:00"}  # fmt: skip
    settings = settings_of(TournamentFactory(entries=0, owner=owner, **times))
    copy = create_event_from(settings, "Again", owner=owner, starts_at="2026-10-30T17:00:00+00:00")
    assert (copy.check_in_from.hour, copy.check_in_until.minute) == (16, 50)
    assert create_event_from(settings, "Some day", owner=owner).check_in_from is None


def test_the_newest_event_of_each_name_is_offered_to_be_copied(client, owner):
    for month in (9, 11, 10):
        copy = TournamentFactory(
            entries=0, owner=owner, name="Friday", starts_at=f"2026-{month}-06T18:00:00+00:00"
        )
        Tournament.objects.filter(pk=copy.pk).update(state="finished")
    TournamentFactory(entries=0, owner=owner, name="Cup", starts_at="2026-10-07T18:00:00+00:00")
    TournamentFactory(entries=0, name="Somebody else's")
    copies = re.findall(r'/t/([^/]+)/desk/copy/">Copy', page(client.get("/new/")))
    assert copies == ["friday-2", "cup"]


def test_a_copy_without_staff_has_its_owner_alone(client, owner):
    tournament = TournamentFactory(entries=0, owner=owner)
    Staff.objects.create(tournament=tournament, user=UserFactory(), role="judge")
    client.post(f"/t/{tournament.slug}/desk/copy/", {"name": "Again"})
    assert Tournament.objects.get(name="Again").staff.get().user == owner


def test_a_copy_has_the_rules_its_event_ended_with(owner):
    tournament = TournamentFactory(entries=4, owner=owner)
    RoundFactory(tournament=tournament)
    change_rules(
        tournament, None, {"match_points": {"draw": "1/2"}}, revision=tournament.revision, reason="asked"
    )
    copy = create_event_from(settings_of(tournament), "Again", owner=owner)
    assert copy.overrides == {"match_points": {"draw": "1/2"}}


def test_an_event_from_a_file_is_copied_by_its_rulesets_name(owner):
    tournament = TournamentFactory(recorded=True, entries=4, rounds=1, owner=owner)
    assert tournament.ruleset is None
    assert create_event_from(settings_of(tournament), "Again", owner=owner).ruleset.key == "mtr"


def test_the_next_start_is_the_same_weekday_and_time_after_now():
    def at(*parts):
        return dt.datetime(*parts, tzinfo=dt.UTC)

    assert next_start(at(2026, 11, 6, 18), at(2026, 11, 21)) == at(2026, 11, 27, 18)
    assert next_start(at(2026, 11, 20, 18), at(2026, 11, 20, 18)) == at(2026, 11, 27, 18)
    assert next_start(at(2026, 11, 27, 18), at(2026, 11, 21)) == at(2026, 11, 27, 18)
    assert next_start(None, at(2026, 11, 21)) is None


def test_a_template_begins_a_new_event_and_is_nobody_elses(client, owner):
    tournament = TournamentFactory(entries=8, owner=owner, cut=4, venue="Gym")
    assert client.post(f"/t/{tournament.slug}/desk/template/", {"name": ""}).status_code == 422
    for _ in range(2):  # kept once more under the same name: replaced
        client.post(f"/t/{tournament.slug}/desk/template/", {"name": "Weekly"})
    template = EventTemplate.objects.get()
    assert f'/templates/{template.pk}/">Weekly' in page(client.get("/new/"))
    assert "Gym" in page(client.get(f"/templates/{template.pk}/"))
    client.post(f"/templates/{template.pk}/", {"name": "Week 2", "starts_at": ""})
    copy = Tournament.objects.get(name="Week 2")
    assert (copy.cut, copy.venue, copy.owner) == (4, "Gym", owner)
    client.force_login(UserFactory())
    for address in (
        f"/templates/{template.pk}/",
        f"/templates/{template.pk}/forget/",
        "/templates/99999999999999999999/",
    ):
        assert client.post(address, {"name": "Mine"}).status_code == 404
    client.force_login(owner)
    assert client.post(f"/templates/{template.pk}/forget/").status_code == 303
    assert not EventTemplate.objects.exists() and Tournament.objects.filter(name="Week 2").exists()
