import pytest
from django.contrib.auth import get_user_model

from pairings.simulation import demo
from tests import factories
from tournament.actionlog import integrity
from tournament.models import Action, Entry, Match, Seat, Tournament
from tournament.services.events import remove_demo_events

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_var(settings, tmp_path):
    settings.VAR_DIR = tmp_path


@pytest.mark.long
def test_the_three_demo_events_are_as_promised_and_seeded_once(tmp_path):
    lines = demo.seed_demo_events()
    assert demo.seed_demo_events() == lines  # the second start: the same password, nothing twice
    assert Tournament.objects.count() == 3
    assert (tmp_path / "demo-password").stat().st_mode & 0o777 == 0o600
    registration, middle, finished = Tournament.objects.order_by("pk")
    assert registration.state == "open" and registration.entries.count() == 24
    round_ = middle.rounds.get(state="published")
    assert round_.number == 4 and middle.rounds_planned == 6
    assert middle.entries.filter(status="playing").count() == 63
    assert round_.matches.filter(result=None).count() == 12
    assert finished.state == "finished" and finished.profile["key"] == "twixt"
    assert finished.rounds.filter(swiss=False).count() == 3
    assert [integrity.check(each) for each in (registration, middle, finished)] == [[], [], []]


@pytest.mark.slow
def test_removing_the_demo_events_leaves_nothing_of_them_and_all_of_the_others():
    mine = factories.TournamentFactory(entries=6, rounds=2)
    demo.seed_demo_events()
    assert remove_demo_events(get_user_model().objects.get(username="demo")) == 3
    assert list(Tournament.objects.all()) == [mine]
    assert not Entry.objects.exclude(tournament=mine).exists()
    assert not Seat.objects.exclude(tournament=mine).exists()
    assert not Match.objects.exclude(round__tournament=mine).exists()
    assert not Action.objects.exclude(tournament=mine).exists()
    assert integrity.check(mine) == []
