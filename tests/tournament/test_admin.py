"""The admin shows everything of an event and changes nothing."""

import pytest
from django.contrib import admin
from django.contrib.auth import get_user_model

from tests.factories import TournamentFactory
from tournament.models import Tournament

pytestmark = pytest.mark.django_db
OURS = [model for model in admin.site._registry if model._meta.app_label == "tournament"]


@pytest.fixture
def superuser(client):
    user = get_user_model().objects.create_superuser("root", password="a good long password")
    client.force_login(user)
    return client


def test_every_table_is_there():
    from django.apps import apps

    assert set(OURS) == set(apps.get_app_config("tournament").get_models())


@pytest.mark.parametrize("model", OURS, ids=lambda model: model._meta.model_name)
def test_a_list_shows_rows_and_offers_no_change(superuser, model):
    TournamentFactory(entries=4, rounds=1)
    base = f"/admin/tournament/{model._meta.model_name}/"
    page = superuser.get(base)
    assert page.status_code == 200
    html = page.content.decode()
    assert 'name="action"' not in html and f'"{base}add/"' not in html
    assert superuser.get(f"{base}add/").status_code == 403
    row = model.objects.first()
    if row is not None:
        assert superuser.get(f"{base}{row.pk}/change/").status_code == 200
        assert superuser.post(f"{base}{row.pk}/change/", {}).status_code == 403
        assert superuser.post(f"{base}{row.pk}/delete/", {"post": "yes"}).status_code == 403


def test_a_row_leads_to_the_desk(superuser):
    tournament = TournamentFactory(entries=4, rounds=1)
    assert f"/t/{tournament.slug}/desk/" in superuser.get("/admin/tournament/tournament/").content.decode()
    matches = superuser.get("/admin/tournament/match/").content.decode()
    assert f"/t/{tournament.slug}/desk/rounds/1/tables/1/correct/" in matches


def test_matches_are_found_by_player_and_event_in_few_queries(superuser, django_assert_max_num_queries):
    tournament = TournamentFactory(entries=8, rounds=2, results=3)
    TournamentFactory(name="Elsewhere", entries=4, rounds=1)
    with django_assert_max_num_queries(14):
        html = superuser.get("/admin/tournament/match/").content.decode()
    match = tournament.rounds.get(number=1).matches.get(table=1)
    a, b = match.seats.order_by("side").select_related("entry")
    assert f"{a.entry.name} – {b.entry.name}" in html
    found = superuser.get("/admin/tournament/match/", {"q": a.entry.name}).content.decode()
    assert found.count(f"/t/{tournament.slug}/desk/rounds/") == 2
    of_event = superuser.get("/admin/tournament/match/", {"round__tournament__id__exact": tournament.pk})
    assert of_event.content.decode().count("Correct…") == 8


def test_the_secret_seed_of_a_running_event_is_not_shown(superuser):
    tournament = TournamentFactory(entries=4, rounds=1)
    seed = Tournament.objects.get(pk=tournament.pk).seed
    assert seed
    assert seed not in superuser.get(f"/admin/tournament/tournament/{tournament.pk}/change/").content.decode()
