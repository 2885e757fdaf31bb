import re

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from pairings.simulation import demo
from standings.bracket.results import record_bracket_result
from tests.factories import TWO_NIL, EntryFactory, RoundFactory, TournamentFactory, UserFactory
from tests.pages import page, words_in
from tests.push_service import Receiver
from tournament.models import Action, Baseline, Decklist, Entry, Match, Removal, Staff, Tournament
from tournament.push import subscribe_phone
from tournament.results.slip import Slip
from tournament.services.decklists import hand_in_decklist
from tournament.services.drops import disqualify_entry
from tournament.services.event_settings import change_settings
from tournament.services.judging import start_deck_check
from tournament.services.reports import report_result
from tournament.services.results import extend_table
from tournament.services.self_service import send_message
from tournament.services.staff import create_invite

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


def shown_at(client, path, **query):
    """A page, which holds nothing that the content policy forbids."""
    shown = page(client, path, **query)
    assert not INLINE.search(shown.answer.content.decode()), path
    return shown


def corrections(shown):
    return [str(link["href"]) for link in shown.soup.select("a[href]") if words_in(link) == "Correct…"]


def full_event(**fields):
    tournament = TournamentFactory(**{"entries": 4, "rounds": 1, "published": True, **fields})
    fill_tables(tournament)
    return tournament


def fill_tables(tournament):
    number = tournament.rounds.count()
    send_message(tournament, "P0001", "The result of round 1 is wrong.")
    extend_table(tournament, number, 1, 5, "Deck check")
    start_deck_check(tournament, number, 1)
    disqualify_entry(tournament, "P0002", "Took the cards of another player")
    change_settings(tournament, reporting="staff")
    player = tournament.rounds.last().matches.get(table=2).seats.get(side="a").entry.code
    report_result(tournament, player, number, Slip("played", 2, 0))
    create_invite(tournament, Staff.Role.JUDGE, actor=tournament.owner)
    change_settings(tournament, decklist_rule="late")
    hand_in_decklist(tournament, "P0001", "60 Secret Mountain")
    subscribe_phone(tournament.entries.get(code="P0001"), **Receiver().sent)
    Baseline.objects.create(tournament=tournament, facts={})
    Removal.objects.create(tournament=tournament, number=tournament.revision, personal={})


PARTS = "baseline extension pushsubscription removal report seat stageentry".split()  # of other rows


def test_every_table_is_there_that_is_no_part_of_others():
    tables = apps.get_app_config("tournament").get_models()
    assert set(OURS) == {model for model in tables if model._meta.model_name not in PARTS}


@pytest.mark.parametrize("model", OURS, ids=lambda model: model._meta.model_name)
def test_a_list_shows_rows_and_offers_no_change(superuser, model):
    full_event()
    base = address(model)
    shown = shown_at(superuser, base)
    assert not shown.all("[name=action]") and not shown.all(f'[href="{base}add/"]')
    assert superuser.get(f"{base}add/").status_code == 403
    row = model.objects.first()
    assert row or model not in OF_EVENTS
    if row is not None:
        assert len(corrections(shown_at(superuser, address(model, row.pk)))) == (model in OF_EVENTS)
        assert superuser.post(f"{base}{row.pk}/change/", {}).status_code == 403
        assert superuser.post(f"{base}{row.pk}/delete/", {"post": "yes"}).status_code == 403


def test_no_page_of_the_admin_has_a_style_or_a_script_within(superuser):
    user = get_user_model().objects.get(username="root").pk
    accounts = ("", "add/", f"{user}/change/", f"{user}/password/", f"{user}/history/", f"{user}/delete/")
    pages = [f"auth/user/{end}" for end in accounts] + ["", "auth/", "auth/group/", "auth/group/add/"]
    for path in (*pages, "tournament/", "auth/user/?q=root", "auth/user/?_popup=1"):
        shown_at(superuser, f"/admin/{path}")


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
def test_every_row_leads_to_a_page_that_opens_and_many_rows_take_as_many_queries_as_few(superuser, model):
    def queries():
        with CaptureQueriesContext(connection) as captured:
            shown_at(superuser, address(model))
        return len(captured)

    tournament = full_event(entries=8)
    few = queries()
    full_event(entries=16, rounds=3)
    assert queries() == few
    RoundFactory(tournament=TournamentFactory(entries=5, rounds=1), drafted=True)
    places = corrections(shown_at(superuser, address(model)))
    assert len(places) == model.objects.count() > 0
    for place in set(places):
        there, _hash, anchor = place.partition("#")
        opened = page(superuser, there)
        assert not anchor or opened.all(f'[id="{anchor}"]'), place
    if model is not Tournament:
        some = corrections(shown_at(superuser, address(model), event=tournament.slug))
        assert some and all(f"/t/{tournament.slug}/" in place for place in some)


def test_matches_and_actions_lead_to_their_correction_or_their_line_in_the_log(superuser):
    tournament = TournamentFactory(entries=5, rounds=1, published=True)
    desk = f"/t/{tournament.slug}/desk/"
    places = corrections(shown_at(superuser, address(Match), event=tournament.slug))
    with_result = [f"{desk}rounds/1/tables/{table}/correct/" for table in (1, 2)]
    without = [f"{desk}rounds/2/#match-{table}" for table in (1, 2)]
    alone = tournament.seats.filter(match__table=None)
    byes = [reverse("correct-bye", args=[tournament.slug, s.round.number, s.entry.code]) for s in alone]
    assert sorted(places) == sorted([*with_result, *without, *byes])
    tournament = TournamentFactory(entries=8, rounds=3, with_cut=4)
    played, still_open = Match.objects.filter(round__tournament=tournament, round__swiss=False)
    record_bracket_result(tournament, played.round.number, played.table, TWO_NIL)
    places = corrections(shown_at(superuser, address(Match), event=tournament.slug))
    desk = f"/t/{tournament.slug}/desk/"
    assert f"{desk}rounds/{played.round.number}/tables/{played.table}/correct/" in places
    assert f"{desk}bracket/#match-{still_open.round.number}-{still_open.table}" in places
    tournament = TournamentFactory(entries=0)
    for number in range(60):
        EntryFactory(tournament=tournament, name=f"Late {number}")
    found = shown_at(superuser, address(Action), event=tournament.slug, q="60")
    place = f"/t/{tournament.slug}/desk/log/?action=60#action-60"
    assert corrections(found) == [place] and shown_at(superuser, place).all("#action-60")


def test_rows_are_found_by_name_and_event_and_lead_to_each_other(superuser):
    tournament = TournamentFactory(entries=8, rounds=2, results=3)
    TournamentFactory(name="Elsewhere", entries=4, rounds=1)
    match = tournament.rounds.get(number=1).matches.get(table=1)
    a, b = (seat.entry for seat in match.seats.order_by("side").select_related("entry"))
    shown = shown_at(superuser, address(Match))
    assert f"{a.name} – {b.name}" in shown
    assert shown.link(a.name) == address(Entry, a.pk)
    found = shown_at(superuser, address(Match), q=a.name, event=tournament.slug)
    assert len(corrections(found)) == 2
    players = shown_at(superuser, address(Entry), q=a.name, event=tournament.slug)
    assert corrections(players) == [reverse("entry", args=[tournament.slug, a.code])]


def test_neither_the_seed_of_a_running_event_nor_what_a_decklist_says_is_shown(superuser):
    seed = full_event().seed
    [row] = Decklist.objects.all()
    tournament = row.tournament
    assert seed and "Secret Mountain" in row.text
    for path in (address(Tournament, tournament.pk), address(Decklist), address(Decklist, row.pk)):
        answer = superuser.get(path).content.decode()
        assert seed not in answer and "Secret Mountain" not in answer
    for lookup in ({"seed__startswith": seed[0]}, {"name__regex": "("}):
        assert superuser.get(address(Tournament), lookup).status_code == 400


def test_the_demo_account_sees_the_demo_events_in_the_admin_and_nothing_else(client, settings, tmp_path):
    settings.VAR_DIR = tmp_path
    real = full_event(name="The real thing")
    demo.demo_password()
    account = get_user_model().objects.get(username="demo")
    shown = full_event(name="Only a demo", demo=True, owner=account)
    client.force_login(account)
    assert page(client, "/").all('[href="/admin/"]')
    index = shown_at(client, "/admin/")
    for model in OURS:
        if model not in OF_EVENTS:
            assert client.get(address(model)).status_code == 403
            continue
        assert index.all(f'[href="{address(model)}"]')
        html = str(shown_at(client, address(model)).soup)
        assert f"/t/{shown.slug}/" in html and real.slug not in html and real.name not in html
        if model is not Tournament:
            assert corrections(shown_at(client, address(model), event=real.slug)) == []
        path = admin.site._registry[model].path_to("pk")
        foreign = model.objects.filter(**{path: real.pk}).first()
        assert client.get(address(model, foreign.pk)).status_code == 302  # there is no such row
        assert client.post(address(model, foreign.pk), {}).status_code in (302, 403)
    assert client.get("/admin/auth/user/").status_code == 403


def test_who_signed_up_as_demo_cannot_open_the_admin_and_an_earlier_demo_account_can(
    client, settings, tmp_path
):
    settings.VAR_DIR = tmp_path
    account = UserFactory(username="demo")
    demo.demo_password()
    account.refresh_from_db()
    client.force_login(account)
    assert not account.is_staff and client.get("/admin/").status_code == 302
    account.delete()
    password = demo.demo_password()
    get_user_model().objects.update(is_staff=False)  # as an earlier start left it
    assert demo.demo_password() == password
    assert get_user_model().objects.get(username="demo").is_staff


def tools(shown):
    links = {words_in(link): str(link["href"]) for link in shown.soup.select("a[href]")}
    return {words: place for words, place in links.items() if words.endswith("…")}


def test_a_superuser_closes_registration_and_archives_from_the_admin(superuser):
    tournament = TournamentFactory(entries=4, self_registration=True)
    place = tools(shown_at(superuser, address(Tournament)))["Close registration…"]
    assert "Players register themselves" in shown_at(superuser, place)
    assert superuser.post(place).status_code == 303
    row = tools(shown_at(superuser, address(Tournament, tournament.pk)))
    assert "Close registration…" not in row
    assert "Archive Friday night?" in shown_at(superuser, row["Archive…"])
    assert superuser.post(row["Archive…"], {"archived": "on"}).status_code == 303
    tournament.refresh_from_db()
    assert tournament.archived and not tournament.self_registration
    assert [action.actor for action in tournament.actions.order_by("-number")[:2]] == ["root", "root"]
    assert "Take out of the archive…" in tools(shown_at(superuser, address(Tournament)))
    assert "staff add players" in shown_at(superuser, place)
