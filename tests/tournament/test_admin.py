"""The admin shows everything of an event, changes nothing, and leads to where each row is corrected."""

import re

import pytest
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from pairings.simulation import demo
from standings.bracket.results import record_bracket_result
from tests.factories import TWO_NIL, EntryFactory, RoundFactory, TournamentFactory, UserFactory
from tests.push_service import Receiver
from tournament.models import Action, Baseline, Decklist, Match, Staff, Tournament
from tournament.results.slip import Slip
from tournament.services.deck_checks import start_deck_check
from tournament.services.decklists import hand_in_decklist
from tournament.services.drops import disqualify_entry
from tournament.services.event_settings import change_settings
from tournament.services.invites import create_invite
from tournament.services.player_messages import send_message
from tournament.services.push import subscribe_phone
from tournament.services.results import record_result
from tournament.services.rounds import extend_table
from tournament.web.push import Phone

pytestmark = pytest.mark.django_db
OURS = [model for model in admin.site._registry if model._meta.app_label == "tournament"]
INLINE = re.compile(
    r"<style|<[^>]*\s(style|on[a-z]+)=|javascript:|<script(?![^>]*\ssrc=)"
)  # the CSP forbids it
OF_EVENTS = [model for model in OURS if admin.site._registry[model].event_path is not None]


@pytest.fixture
def superuser(client):
    user = get_user_model().objects.create_superuser("root", password="a good long password")
    client.force_login(user)
    return client


def address(model, pk=None):
    return f"/admin/tournament/{model._meta.model_name}/" + (f"{pk}/change/" if pk else "")


def html_of(client, path, **query):
    page = client.get(path, query)
    assert page.status_code == 200, path
    html = page.content.decode()
    assert not INLINE.search(html), path
    return html


def corrections(html):
    """Where the rows of a page lead to, in their order."""
    return re.findall(r'<a href="([^"]+)">Correct…</a>', html)


def full_event(**fields):
    """An event with a row in each of its tables."""
    tournament = TournamentFactory(**{"entries": 4, "rounds": 1, "published": True, **fields})
    fill_tables(tournament)
    return tournament


def fill_tables(tournament):
    """A row in each table of an event whose latest round is published."""
    send_message(tournament, "P0001", "The result of round 1 is wrong.")
    extend_table(tournament, tournament.rounds.count(), 1, 5, "Deck check")
    start_deck_check(tournament, tournament.rounds.count(), 1)
    disqualify_entry(tournament, "P0002", "Took the cards of another player")
    change_settings(tournament, double_entry=[2])
    record_result(tournament, tournament.rounds.count(), 2, Slip("played", 2, 0), actor="ana")
    create_invite(tournament, Staff.Role.JUDGE, actor=tournament.owner)
    change_settings(tournament, decklist_rule="late")
    hand_in_decklist(tournament, "P0001", "60 Secret Mountain")
    subscribe_phone(tournament.entries.get(code="P0001"), Phone(**Receiver().sent))
    Baseline.objects.create(tournament=tournament, facts={})


def test_every_table_is_there():
    from django.apps import apps

    assert set(OURS) == set(apps.get_app_config("tournament").get_models())


@pytest.mark.parametrize("model", OURS, ids=lambda model: model._meta.model_name)
def test_a_list_shows_rows_and_offers_no_change(superuser, model):
    full_event()
    base = address(model)
    html = html_of(superuser, base)
    assert 'name="action"' not in html and f'"{base}add/"' not in html
    assert superuser.get(f"{base}add/").status_code == 403
    row = model.objects.first()
    assert row or model not in OF_EVENTS
    if row is not None:
        html = html_of(superuser, address(model, row.pk))
        assert len(corrections(html)) == (model in OF_EVENTS)
        assert superuser.post(f"{base}{row.pk}/change/", {}).status_code == 403
        assert superuser.post(f"{base}{row.pk}/delete/", {"post": "yes"}).status_code == 403


def test_no_page_of_the_admin_has_a_style_or_a_script_within(superuser):
    """Besides the lists and rows that the other tests open."""
    user = get_user_model().objects.get(username="root").pk
    accounts = ("", "add/", f"{user}/change/", f"{user}/password/", f"{user}/history/", f"{user}/delete/")
    pages = [f"auth/user/{end}" for end in accounts] + ["", "auth/", "auth/group/", "auth/group/add/"]
    for path in (*pages, "tournament/", "auth/user/?q=root", "auth/user/?_popup=1"):
        html_of(superuser, f"/admin/{path}")


def test_a_password_is_changed_on_the_account_page_alone_which_counts_wrong_ones(superuser):
    fields = {
        "old_password": "a good long password",
        "new_password1": "another good",
        "new_password2": "another good",
    }
    for path in ("/admin/password_change/", "/admin/password_change/done/"):
        for answer in (superuser.get(path), superuser.post(path, fields)):
            assert (answer.status_code, answer["Location"]) == (302, "/account/"), path
    assert get_user_model().objects.get(username="root").check_password("a good long password")


@pytest.mark.parametrize("model", OF_EVENTS, ids=lambda model: model._meta.model_name)
def test_every_row_leads_to_a_page_that_opens(superuser, model):
    tournament = full_event(entries=8)
    RoundFactory(tournament=TournamentFactory(entries=5, rounds=1), drafted=True)
    html = html_of(superuser, address(model))
    assert len(corrections(html)) == model.objects.count() > 0
    for place in set(corrections(html)):
        page = superuser.get(place.partition("#")[0], follow=True)
        assert page.status_code == 200, place
        anchor = place.partition("#")[2]
        assert not anchor or f'id="{anchor}"' in page.content.decode(), place
    if model is not Tournament:
        some = html_of(superuser, address(model), event=tournament.slug)
        assert corrections(some) and all(f"/t/{tournament.slug}/" in place for place in corrections(some))


@pytest.mark.parametrize("model", OF_EVENTS, ids=lambda model: model._meta.model_name)
def test_many_rows_take_as_many_queries_as_few(superuser, model):
    def queries():
        with CaptureQueriesContext(
            connection,
        ) as captured:
            html_of(superuser, address(model))
        return len(captured)

    full_event()
    few = queries()
    full_event(entries=16, rounds=3)
    full_event(entries=8)
    assert queries() == few


def test_a_match_leads_to_its_correction_or_to_where_its_result_is_entered(superuser):
    tournament = TournamentFactory(entries=5, rounds=1, published=True)
    desk = f"/t/{tournament.slug}/desk/"
    places = corrections(html_of(superuser, address(Match), event=tournament.slug))
    with_result = [f"{desk}rounds/1/tables/{table}/correct/" for table in (1, 2)]
    without = [f"{desk}rounds/2/#match-{table}" for table in (1, 2)]
    alone = tournament.seats.filter(match__table=None)
    byes = [reverse("correct-bye", args=[tournament.slug, s.round.number, s.entry.code]) for s in alone]
    assert sorted(places) == sorted([*with_result, *without, *byes])


def test_a_bracket_match_leads_to_its_correction_and_an_open_one_to_its_place(superuser):
    tournament = TournamentFactory(entries=8, rounds=3, with_cut=4)
    played, still_open = Match.objects.filter(round__tournament=tournament, round__swiss=False)
    record_bracket_result(tournament, played.round.number, played.table, TWO_NIL)
    places = corrections(html_of(superuser, address(Match), event=tournament.slug))
    desk = f"/t/{tournament.slug}/desk/"
    assert f"{desk}rounds/{played.round.number}/tables/{played.table}/correct/" in places
    assert f"{desk}bracket/#match-{still_open.round.number}-{still_open.table}" in places


def test_an_action_leads_to_its_line_in_the_log(superuser):
    tournament = TournamentFactory(entries=0)
    for number in range(60):
        EntryFactory(tournament=tournament, name=f"Late {number}")
    html = html_of(superuser, address(Action), event=tournament.slug, q="60")
    place = f"/t/{tournament.slug}/desk/log/?action=60#action-60"
    assert corrections(html) == [place]
    assert 'id="action-60"' in html_of(superuser, place)


def test_rows_are_found_by_name_and_event_and_lead_to_each_other(superuser):
    tournament = TournamentFactory(entries=8, rounds=2, results=3)
    TournamentFactory(name="Elsewhere", entries=4, rounds=1)
    html = html_of(superuser, address(Match))
    match = tournament.rounds.get(number=1).matches.get(table=1)
    a, b = (seat.entry for seat in match.seats.order_by("side").select_related("entry"))
    links = [f'<a href="/admin/tournament/entry/{entry.pk}/change/">{entry.name}</a>' for entry in (a, b)]
    assert " – ".join(links) in html
    found = html_of(superuser, address(Match), q=a.name, event=tournament.slug)
    assert len(corrections(found)) == 2
    players = html_of(superuser, "/admin/tournament/entry/", q=a.name, event=tournament.slug)
    theirs = re.search(r'href="(/admin/tournament/match/\?event=\S+)"', players)[1].replace("&amp;", "&")
    assert f"q={a.code}" in theirs and len(corrections(html_of(superuser, theirs))) == 2
    assert f"/admin/tournament/action/?event={tournament.slug}" in html_of(superuser, address(Tournament))


def test_the_secret_seed_of_a_running_event_is_not_shown(superuser):
    tournament = TournamentFactory(entries=4, rounds=1)
    seed = Tournament.objects.get(pk=tournament.pk).seed
    assert seed
    assert seed not in html_of(superuser, address(Tournament, tournament.pk))


def test_what_a_decklist_says_is_not_shown(superuser):
    full_event()
    [row] = Decklist.objects.all()
    html = html_of(superuser, address(Decklist)) + html_of(superuser, address(Decklist, row.pk))
    assert "Secret Mountain" in row.text and "Secret Mountain" not in html


def test_the_demo_account_sees_the_demo_events_in_the_admin_and_nothing_else(client, settings, tmp_path):
    settings.VAR_DIR = tmp_path
    real = full_event(name="The real thing")
    demo.demo_password()
    account = get_user_model().objects.get(username="demo")
    shown = full_event(name="Only a demo", demo=True, owner=account)
    client.force_login(account)
    assert 'href="/admin/"' in html_of(client, "/")
    index = html_of(client, "/admin/")
    for model in OURS:
        if model not in OF_EVENTS:
            assert client.get(address(model)).status_code == 403
            continue
        assert f'"{address(model)}"' in index
        html = html_of(client, address(model))
        assert f"/t/{shown.slug}/" in html
        assert real.slug not in html and real.name not in html
        if model is not Tournament:
            assert corrections(html_of(client, address(model), event=real.slug)) == []
        path = admin.site._registry[model].path_to("pk")
        foreign = model.objects.filter(**{path: real.pk}).first()
        assert client.get(address(model, foreign.pk)).status_code == 302  # there is no such row
        assert client.post(address(model, foreign.pk), {}).status_code in (302, 403)
    assert client.get("/admin/auth/user/").status_code == 403


def test_who_signed_up_as_demo_cannot_open_the_admin(client, settings, tmp_path):
    settings.VAR_DIR = tmp_path
    account = UserFactory(username="demo")
    demo.demo_password()
    account.refresh_from_db()
    client.force_login(account)
    assert not account.is_staff
    assert client.get("/admin/", follow=False).status_code == 302


def test_the_demo_account_of_an_earlier_start_may_open_the_admin_too(settings, tmp_path):
    settings.VAR_DIR = tmp_path
    password = demo.demo_password()
    get_user_model().objects.update(is_staff=False)
    assert demo.demo_password() == password
    assert get_user_model().objects.get(username="demo").is_staff


def tools(html):
    """The housekeeping a page offers: {words: address}."""
    return {words: place for place, words in re.findall(r'<a href="([^"]+)">([^<]+…)</a>', html)}


def test_a_superuser_closes_registration_and_archives_from_the_admin(superuser):
    tournament = TournamentFactory(entries=4, self_registration=True)
    place = tools(html_of(superuser, address(Tournament)))["Close registration…"]
    assert "Close registration for Friday night?" in html_of(superuser, place)
    assert superuser.post(place).status_code == 303
    row = tools(html_of(superuser, address(Tournament, tournament.pk)))
    assert "Close registration…" not in row
    assert "Archive Friday night?" in html_of(superuser, row["Archive…"])
    assert superuser.post(row["Archive…"], {"archived": "on"}).status_code == 303
    tournament.refresh_from_db()
    assert tournament.archived and not tournament.self_registration
    assert [action.actor for action in tournament.actions.order_by("-number")[:2]] == ["root", "root"]
    assert "Take out of the archive…" in tools(html_of(superuser, address(Tournament)))
    assert "closed already" in html_of(superuser, place)
