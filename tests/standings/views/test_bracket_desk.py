"""Drawn elimination matches at the desk: repeat games, decisions and first moves, by plain forms."""

import datetime as dt
import uuid

import pytest
from django.utils import timezone

from standings.bracket.cut import make_cut
from tests.factories import TournamentFactory, UserFactory
from tests.standings.views.test_bracket_road import enter, open_matches, text
from tournament.models import Staff

pytestmark = pytest.mark.django_db


@pytest.fixture
def twixt(client):
    """Twelve players at ClineCON, three rounds played, the top four drawn; the owner signed in."""
    tournament = TournamentFactory(entries=12, rounds=3, ruleset="twixt")
    client.force_login(tournament.owner)
    make_cut(tournament, 4)
    return tournament


def ends_in(tournament, minutes):
    stage = tournament.stages.get(kind="elimination")
    stage.ends_at = timezone.now() + dt.timedelta(minutes=minutes, seconds=30)
    stage.save(update_fields=["ends_at"])


def decide(client, match, what="decision", **fields):
    where = f"rounds/{match.round.number}/tables/{match.table}/{what}/"
    url = f"/t/{match.round.tournament.slug}/bracket/{where}"
    return client.post(url, {"key": uuid.uuid4().hex, "version": match.version, **fields})


def page(client, tournament):
    return text(client.get(f"/t/{tournament.slug}/desk/bracket/"))


def test_a_drawn_match_stays_open_and_says_who_moves_first_in_the_repeat_game(client, twixt):
    first, _ = open_matches(twixt)
    assert enter(client, first, "001").status_code == 303
    second_mover = first.seats.get(side="b").entry.name
    html = page(client, twixt)
    assert "A repeat game follows." in html and f"{second_mover} moves first" in html
    assert "20 minutes each, 30 seconds a move" in html
    first.refresh_from_db()
    assert enter(client, first, "01", repeat="1").status_code == 303
    first.refresh_from_db()
    assert first.winner == "b" and first.replays == [{"games": [0, 1, 0], "first": "b"}]
    assert "A repeat game follows." not in page(client, twixt)


def test_in_the_final_nobody_is_offered_to_go_on_by_seed_and_two_draws_end_the_repeat_games(client, twixt):
    for match in open_matches(twixt):
        enter(client, match, "10")
    (final,) = open_matches(twixt)
    enter(client, final, "001")
    assert "Advance the higher seed" not in page(client, twixt)
    final.refresh_from_db()
    enter(client, final, "001", repeat="1")
    html = page(client, twixt)
    assert "The tiebreak decides" in html and "moves first in a repeat game" not in html


def test_with_too_little_time_the_higher_seed_goes_on_or_a_reason_is_asked(client, twixt):
    first, _ = open_matches(twixt)
    enter(client, first, "001")
    first.refresh_from_db()
    ends_in(twixt, 89)
    assert "leaves 49 minutes for later rounds" in page(client, twixt)
    refused = enter(client, first, "01", repeat="1")
    assert refused.status_code == 400 and "too little time" in text(refused)
    assert decide(client, first, how="higher_seed").status_code == 303
    first.refresh_from_db()
    assert first.decided == "higher_seed" and first.winner == "a"
    row = page(client, twixt).split('id="match-4-1"')[1].split("</article>")[0]
    assert "drew 0–0–1; the higher seed advances" in row


def test_with_time_enough_the_higher_seed_needs_a_reason_which_is_logged(client, twixt):
    first, _ = open_matches(twixt)
    enter(client, first, "001")
    first.refresh_from_db()
    ends_in(twixt, 200)
    refused = decide(client, first, how="higher_seed")
    assert refused.status_code == 400 and "Enter a reason to advance the higher seed without one." in text(
        refused
    )
    assert decide(client, first, how="higher_seed", reason="both agreed").status_code == 303
    assert "both agreed" in text(client.get(f"/t/{twixt.slug}/desk/log/"))


def final_drawn_twice(client, tournament):
    for match in open_matches(tournament):
        enter(client, match, "10")
    (final,) = open_matches(tournament)
    enter(client, final, "001")
    final.refresh_from_db()
    enter(client, final, "001", repeat="1")
    final.refresh_from_db()
    return final


def test_a_final_drawn_twice_between_equals_is_for_the_owner_alone(client, twixt):
    final = final_drawn_twice(client, twixt)
    assert "Drawn twice" in page(client, twixt)
    refused = decide(client, final, how="tiebreak")
    assert refused.status_code == 400 and "The organizer decides the winner" in text(refused)
    keeper = UserFactory()
    Staff.objects.create(tournament=twixt, user=keeper, role=Staff.Role.SCOREKEEPER)
    client.force_login(keeper)
    assert "If still tied" not in page(client, twixt)
    assert decide(client, final, how="tiebreak", winner="a", reason="a coin").status_code == 403
    client.force_login(twixt.owner)
    assert decide(client, final, how="tiebreak", winner="a", reason="a coin").status_code == 303
    final.refresh_from_db()
    assert (final.decided, final.winner) == ("tiebreak", "a")
    assert "Champion" in page(client, twixt)


def test_the_assumed_first_move_of_round_one_can_be_changed_before_the_game(client, twixt):
    first, _ = open_matches(twixt)
    assert "We assume that the better seed moves first" in page(client, twixt)
    assert decide(client, first, "first", first="b").status_code == 303
    first.refresh_from_db()
    assert first.first == "b"
    enter(client, first, "10")
    first.refresh_from_db()
    refused = decide(client, first, "first", first="a")
    assert refused.status_code == 409 and "already been played" in text(refused)


def test_the_higher_seed_chooses_where_the_ruleset_says_so(client):
    tournament = TournamentFactory(entries=6, rounds=2)
    client.force_login(tournament.owner)
    make_cut(tournament, 4)
    first, _ = open_matches(tournament)
    chooser = tournament.stages.get(kind="elimination").stage_entries.get(seed=1).entry.name
    assert f"{chooser} chooses who moves first" in page(client, tournament)
    decide(client, first, "first", first="b")
    assert "Change who moves first" in page(client, tournament)


@pytest.mark.parametrize("how", ["", "coin", "x" * 500])
def test_nonsense_decides_nothing(client, twixt, how):
    first, _ = open_matches(twixt)
    enter(client, first, "001")
    first.refresh_from_db()
    assert decide(client, first, how=how).status_code == 422
    assert decide(client, first, how="higher_seed", version=-1).status_code == 422
    assert decide(client, first, "first", first="c").status_code == 422
    first.refresh_from_db()
    assert first.decided == ""


def test_only_the_desk_decides(client, twixt):
    first, _ = open_matches(twixt)
    client.force_login(UserFactory())
    assert decide(client, first, how="higher_seed").status_code == 404
    assert decide(client, first, "first", first="a").status_code == 404
    client.logout()
    assert decide(client, first, how="higher_seed").status_code == 302


def test_the_cut_form_takes_points_ties_lengths_and_the_end_of_the_session(client):
    tournament = TournamentFactory(entries=16, rounds=3, ruleset="twixt")
    client.force_login(tournament.owner)
    url = f"/t/{tournament.slug}/desk/cut/"
    html = text(client.get(url, {"size": "5", "all_tied": "on"}))
    inside = html.split('id="in"', 1)[1].split("</section>")[0].count("<tr")
    sent = {"size": "5", "all_tied": "True", "min_points": "", "best_of": "1", "final_best_of": "3"}
    sent |= {"ends_at": "2026-11-21T20:00", "key": uuid.uuid4().hex}
    assert client.post(url, sent).status_code == 303
    stage = tournament.stages.get(kind="elimination")
    seeds = stage.stage_entries.exclude(seed=None).count()
    assert seeds > 5 and inside >= seeds
    assert stage.best_of[0] == 1 and stage.best_of[-1] == 3
    assert stage.ends_at.isoformat() == "2026-11-21T20:00:00+00:00"


@pytest.mark.parametrize(
    "sent",
    [{"size": "0"}, {"size": "-4"}, {"size": "65"}, {"size": "4", "min_points": "many"}, {"size": "4", "best_of": "2"},
     {"size": "4", "ends_at": "soon"}, {"size": "4", "ends_at": "9999-12-31T23:59"}, {}],
)  # fmt: skip
def test_an_impossible_cut_is_said_and_changes_nothing(client, sent):
    tournament = TournamentFactory(entries=8, rounds=2)
    client.force_login(tournament.owner)
    answer = client.post(f"/t/{tournament.slug}/desk/cut/", {"key": uuid.uuid4().hex, **sent})
    assert answer.status_code == 422 and 'role="alert"' in text(answer)
    assert not tournament.stages.filter(kind="elimination").exists()


def test_a_cut_larger_than_the_field_says_what_fits(client):
    tournament = TournamentFactory(entries=6, rounds=2)
    client.force_login(tournament.owner)
    answer = client.post(f"/t/{tournament.slug}/desk/cut/", {"key": uuid.uuid4().hex, "size": "8"})
    assert answer.status_code == 400 and "Only 6 players can still play" in text(answer)


def test_the_cut_is_undone_from_the_bracket_page(client, twixt):
    assert "Undo the cut" in page(client, twixt)
    answer = client.post(f"/t/{twixt.slug}/desk/cut/undo/", {"key": uuid.uuid4().hex})
    assert answer.status_code == 303
    assert not twixt.stages.filter(kind="elimination").exists()
    make_cut(twixt, 4)
    enter(client, open_matches(twixt)[0], "10")
    assert "Undo the cut" not in page(client, twixt)
    assert client.post(f"/t/{twixt.slug}/desk/cut/undo/", {"key": uuid.uuid4().hex}).status_code == 409
