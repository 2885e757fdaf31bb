import re

import pytest

from standings.bracket.cut import cut_of, make_cut
from tests.factories import RoundFactory, TournamentFactory
from tests.pages import Page, page, press
from tests.tournament.views.desk import key, signed_in
from tournament.models import Tournament
from tournament.progress.flights import stage_lines_of
from tournament.services.drops import drop_entry

pytestmark = pytest.mark.django_db


@pytest.fixture
def swiss(client) -> Tournament:
    tournament = signed_in(client, entries=6, rounds=2, cut=4)
    return tournament


def cut_url(tournament) -> str:
    return f"/t/{tournament.slug}/desk/cut/"


def test_the_cut_shows_who_is_in_who_is_next_what_decided_and_who_dropped(client, swiss):
    shown = page(client, cut_url(swiss))
    assert "Cut to top 4" in shown and "First alternates" not in shown  # these rules have none
    assert re.search(r"Player \d+ is in ahead of Player \d+ on |share the rank", shown.words)
    assert "Cut to top 2" in page(client, cut_url(swiss), size=2)
    twixt = TournamentFactory(entries=6, rounds=2, cut=4, ruleset="twixt", owner=swiss.owner)
    assert "First alternates" in page(client, cut_url(twixt))
    make_cut(twixt, 4)
    assert stage_lines_of(twixt)[-1].players == 4
    first = cut_of(swiss, 4).qualifiers[0]
    drop_entry(swiss, first)
    (row,) = page(client, cut_url(swiss)).all('[aria-labelledby="over"] tbody th')
    assert row == f"{swiss.entries.get(code=first).name} dropped"


@pytest.mark.parametrize(
    "sent",
    [{}, {"size": ""}, {"size": "1"}, {"size": "-4"}, {"size": "65"}, {"size": "9" * 20}, {"size": "\x00"},
     {"size": "4", "min_points": "many"}, {"size": "4", "best_of": "2"}, {"size": "4", "ends_at": "soon"},
     {"size": "4", "ends_at": "9999-12-31T23:59"}],
)  # fmt: skip
def test_an_impossible_cut_is_said_and_changes_nothing(client, swiss, sent):
    assert client.get(cut_url(swiss), sent).status_code == 200
    answer = client.post(cut_url(swiss), {"key": key(), **sent})
    assert answer.status_code == 422 and Page(answer).all('[role="alert"]')
    assert swiss.stages.count() == 1


def test_a_cut_larger_than_the_field_or_with_a_table_out_says_what_is_in_its_way(client, swiss):
    answer = client.post(cut_url(swiss), {"key": key(), "size": "8"})
    assert answer.status_code == 400 and "Only 6 players can still play" in Page(answer)
    RoundFactory(tournament=swiss)
    assert "3 tables outstanding" in page(client, cut_url(swiss))
    answer = client.post(cut_url(swiss), {"size": "4"})
    assert answer.status_code == 409 and "tables: 1" in Page(answer)


def test_the_cut_is_made_once_however_often_the_form_is_sent(client, swiss):
    form = page(client, cut_url(swiss)).form("Cut: these 4 advance")
    for _ in range(2):
        answer = client.post(form.action, form.fields)
        assert (answer.status_code, answer["Location"]) == (303, f"/t/{swiss.slug}/desk/bracket/")
    assert swiss.stages.count() == 2
    again = client.post(cut_url(swiss), {"size": "4", "key": key()})
    assert again.status_code == 409 and "already set" in Page(again)


def test_the_cut_takes_points_ties_lengths_and_the_end_of_the_session(client):
    tournament = signed_in(client, entries=16, rounds=3, ruleset="twixt")
    shown = page(client, cut_url(tournament), size=5, all_tied="on")
    seeds = shown.all('[aria-labelledby="in"] tbody .no:first-child')
    assert len(seeds) > 5
    lengths = {"best_of": "1", "final_best_of": "3", "ends_at": "2026-11-21T20:00"}
    press(client, shown, f"Cut: these {len(seeds)} advance", **lengths)
    stage = tournament.stages.get(kind="elimination")
    assert stage.stage_entries.exclude(seed=None).count() == len(seeds)
    assert stage.best_of[0] == 1 and stage.best_of[-1] == 3
    assert stage.ends_at.isoformat() == "2026-11-21T20:00:00+00:00"
