import datetime as dt
import re

import pytest
from django.utils import timezone

from standings.bracket.cut import compute_cut, make_cut
from tests.factories import RoundFactory, TournamentFactory
from tests.pages import Page, page, press
from tests.tournament.views.desk import HTMX, key, sign_in_staff, signed_in
from tournament.models import Match, Tournament
from tournament.progress.flights import list_stages
from tournament.services.drops import drop_entry


@pytest.fixture
def bracket(client) -> Tournament:
    tournament = signed_in(client, entries=6, rounds=2, with_cut=4)
    return tournament


@pytest.fixture
def twixt(client) -> Tournament:
    tournament = signed_in(client, entries=12, rounds=3, ruleset="twixt", with_cut=4)
    return tournament


def desk_of(client, tournament) -> Page:
    return page(client, f"/t/{tournament.slug}/desk/bracket/")


def open_matches(tournament) -> list[Match]:
    matches = Match.objects.filter(round__tournament=tournament, round__swiss=False, result=None)
    return list(matches.select_related("round").order_by("round__number", "table"))


def send(client, match, what, headers=None, **fields):
    """Return the data of a match's form, with its current version."""
    where = f"rounds/{match.round.number}/tables/{match.table}/{what}/"
    fields = {"key": key(), "version": Match.objects.get(pk=match.pk).version, **fields}
    return client.post(f"/t/{match.round.tournament.slug}/bracket/{where}", fields, **(headers or {}))


def enter(client, match, slip="20", **more):
    return send(client, match, "result", slip=slip, **more)


def decide(client, match, how, **fields):
    return send(client, match, "decision", how=how, **fields)


def ends_in(tournament, minutes):
    stage = tournament.stages.get(kind="elimination")
    stage.ends_at = timezone.now() + dt.timedelta(minutes=minutes, seconds=30)
    stage.save(update_fields=["ends_at"])


# --- results ---------------------------------------------------------------------------------------------


def test_results_lead_from_the_semifinals_to_the_champion_and_the_end(client, bracket):
    assert "Open · 2 matches" in desk_of(client, bracket)
    answers = [enter(client, *each) for each in zip(open_matches(bracket), ("20", "12"), strict=True)]
    assert {(answer.status_code, answer["Location"]) for answer in answers} == {
        (303, f"/t/{bracket.slug}/desk/bracket/")
    }
    (final,) = open_matches(bracket)
    assert final.slot == "F.1" and desk_of(client, bracket).all("[aria-label=Final] .tno") == ["Table 1"]
    part = enter(client, final, headers=HTMX)
    assert part.status_code == 200 and part.content.decode().lstrip().startswith('<div id="desk-bracket"')
    winner = final.seats.get(side="a").entry.name
    desk = desk_of(client, bracket)
    assert desk.all(".champion .who") == [winner]
    assert desk.form("Finish the event").action == f"/t/{bracket.slug}/desk/settings/finish/"


@pytest.mark.parametrize("headers", [HTMX, {}])
def test_a_result_is_entered_with_its_undo_beside_it(client, bracket, headers):
    keeper = sign_in_staff(client, bracket, "scorekeeper")
    match = open_matches(bracket)[0]
    answer = enter(client, match, headers=headers)
    part = Page(answer) if headers else page(client, answer["Location"])
    last = next(form for form in part.forms if form.action.endswith("/desk/undo/"))
    words = part.all("#last-change")[0]
    assert keeper.username in words and ("saved" in words) == bool(headers)
    done = bracket.actions.latest("number")
    assert (done.kind, str(done.number)) == ("bracket result", last["number"])
    assert client.post(last.action, last.fields)["Location"] == f"/t/{bracket.slug}/desk/bracket/"
    match.refresh_from_db()
    assert match.result is None


@pytest.mark.parametrize(
    "sent",
    [{"slip": ""}, {"slip": "99"}, {"slip": "11"}, {"slip": "zz\x00"}, {"slip": "clear"}, {"version": ""},
     {"version": "-1"}, {"version": "9" * 30}],
)  # fmt: skip
def test_what_cannot_be_is_refused_on_the_row_and_saved_nowhere(client, bracket, sent):
    match = open_matches(bracket)[0]
    answer = enter(client, match, **{"slip": "20", **sent})
    assert 400 <= answer.status_code < 500
    assert len(Page(answer).all(f'#match-{match.round.number}-{match.table} [role="alert"]')) == 1
    match.refresh_from_db()
    assert match.result is None


def test_two_scorekeepers_see_both_values_and_the_first_stands(client, bracket):
    match = open_matches(bracket)[0]
    enter(client, match, version=match.version)
    assert enter(client, match, version=match.version).status_code == 303  # the same once more
    other = enter(client, match, "02", version=match.version)
    assert other.status_code == 409
    assert "was given a different result while you were working" in Page(other)
    assert "Currently saved" in Page(other)
    match.refresh_from_db()
    assert match.winner == "a"


def test_another_result_that_clears_later_matches_is_refused_and_leads_to_its_correction(client, bracket):
    first, second = open_matches(bracket)
    enter(client, first)
    enter(client, second)
    refused = enter(client, first, "02")
    assert refused.status_code == 409 and "This changes who plays in later matches." in Page(refused)
    correction = f"/t/{bracket.slug}/desk/rounds/{first.round.number}/tables/{first.table}/correct/"
    assert Page(refused).one(f'a[href="{correction}"]')
    (final,) = open_matches(bracket)
    assert first.seats.get(side="a").entry_id in set(final.seats.values_list("entry_id", flat=True))


def test_a_table_that_is_no_bracket_table_is_a_404_and_a_judge_is_offered_no_result(client, bracket):
    for where in ("99/tables/1", "3/tables/99", "1/tables/1"):
        url = f"/t/{bracket.slug}/bracket/rounds/{where}/result/"
        assert client.post(url, {"slip": "20", "version": 0}).status_code == 404
    sign_in_staff(client, bracket)
    assert not desk_of(client, bracket).soup.select('[name="slip"]')


# --- drawn matches ---------------------------------------------------------------------------------------


def test_a_drawn_match_stays_open_and_says_who_moves_first_in_the_repeat_game(client, twixt):
    first, _ = open_matches(twixt)
    assert enter(client, first, "001").status_code == 303
    second_mover = first.seats.get(side="b").entry.name
    desk = desk_of(client, twixt)
    assert "A repeat game follows." in desk
    assert f"{second_mover} moves first, 20 minutes each, 30 seconds a move" in desk
    assert enter(client, first, "01", repeat="1").status_code == 303
    first.refresh_from_db()
    assert first.winner == "b" and first.replays == [{"games": [0, 1, 0], "first": "b"}]
    assert "A repeat game follows." not in desk_of(client, twixt)


def test_the_higher_seed_goes_on_where_time_is_short_and_else_with_a_reason_which_is_logged(client, twixt):
    first, second = open_matches(twixt)
    enter(client, first, "001")
    ends_in(twixt, 89)
    assert "leaves 49 minutes for later rounds" in desk_of(client, twixt)
    refused = enter(client, first, "01", repeat="1")
    assert refused.status_code == 400 and "too little time" in Page(refused)
    assert decide(client, first, "higher_seed").status_code == 303
    first.refresh_from_db()
    assert first.decided == "higher_seed" and first.winner == "a"
    assert "drew 0–0–1; the higher seed advances" in desk_of(client, twixt).all("#match-4-1")[0]
    enter(client, second, "001")
    ends_in(twixt, 200)
    refused = decide(client, second, "higher_seed")
    assert refused.status_code == 400
    assert "Enter a reason to advance the higher seed without one." in Page(refused)
    assert decide(client, second, "higher_seed", reason="both agreed").status_code == 303
    assert "both agreed" in page(client, f"/t/{twixt.slug}/desk/log/")


def test_a_final_drawn_twice_between_equals_is_for_the_owner_alone(client, twixt):
    for match in open_matches(twixt):
        enter(client, match, "10")
    (final,) = open_matches(twixt)
    enter(client, final, "001")
    assert "Advance the higher seed" not in desk_of(client, twixt)
    enter(client, final, "001", repeat="1")
    desk = desk_of(client, twixt)
    assert "Drawn twice The tiebreak decides" in desk and "moves first in a repeat game" not in desk
    refused = decide(client, final, "tiebreak")
    assert refused.status_code == 400 and "The organizer decides the winner" in Page(refused)
    sign_in_staff(client, twixt, "scorekeeper")
    assert "If still tied" not in desk_of(client, twixt)
    assert decide(client, final, "tiebreak", winner="a", reason="a coin").status_code == 403
    client.force_login(twixt.owner)
    assert decide(client, final, "tiebreak", winner="a", reason="a coin").status_code == 303
    final.refresh_from_db()
    assert (final.decided, final.winner) == ("tiebreak", "a")
    assert "Champion" in desk_of(client, twixt)


@pytest.mark.parametrize("how", ["", "coin", "x" * 500])
def test_nonsense_decides_nothing(client, twixt, how):
    first, _ = open_matches(twixt)
    enter(client, first, "001")
    assert decide(client, first, how).status_code == 422
    assert decide(client, first, "higher_seed", version=-1).status_code == 422
    assert send(client, first, "first", first="c").status_code == 422
    first.refresh_from_db()
    assert first.decided == ""


def test_the_first_move_is_assumed_or_chosen_and_changes_until_the_game(client, twixt):
    first, _ = open_matches(twixt)
    assert "We assume that the better seed moves first" in desk_of(client, twixt)
    assert send(client, first, "first", first="b").status_code == 303
    first.refresh_from_db()
    assert first.first == "b"
    enter(client, first, "10")
    refused = send(client, first, "first", first="a")
    assert refused.status_code == 409 and "already been played" in Page(refused)
    magic = TournamentFactory(entries=6, rounds=2, with_cut=4, owner=twixt.owner)
    chooser = magic.stages.get(kind="elimination").stage_entries.get(seed=1).entry.name
    assert f"{chooser} chooses who moves first" in desk_of(client, magic)
    send(client, open_matches(magic)[0], "first", first="b")
    assert "Change who moves first" in desk_of(client, magic)


# --- who leaves, and the cut undone ----------------------------------------------------------------------


def leaver_of(tournament):
    return tournament.stages.get(kind="elimination").stage_entries.get(seed=3).entry


@pytest.mark.parametrize(
    ("where", "fields"),
    [
        ("players/{}/drop", {}),
        ("players/{}/disqualify", {"why": "cheating"}),
        ("penalties/new", {"code": "{}", "kind": "disqualification", "infraction": "cheating"}),
    ],
)
def test_whoever_lets_a_player_go_sees_which_matches_change_and_confirms_it(client, bracket, where, fields):
    leaver = leaver_of(bracket)
    path = f"/t/{bracket.slug}/desk/{where.format(leaver.code)}/"
    fields = {name: value.format(leaver.code) for name, value in fields.items()}
    asked = Page(client.post(path, {"key": key(), **fields}))
    assert asked.status == 409 and "start it on the bracket page first" in asked
    one, _two, _three, four = (
        entry.entry.name
        for entry in bracket.stages.get(kind="elimination").stage_entries.exclude(seed=None).order_by("seed")
    )
    assert f"Now: Semifinal 1: {one} plays {four}, table 1." in asked
    assert f"Then: Semifinal 1: {one}, seed 1, has a bye." in asked
    leaver.refresh_from_db()
    assert leaver.status == "playing"
    (form,) = (form for form in asked.forms if form.action == path)
    assert client.post(path, form.fields).status_code == 303
    leaver.refresh_from_db()
    assert leaver.status in ("dropped", "disqualified") and len(open_matches(bracket)) == 1


def test_a_confirmation_can_be_cancelled_and_saves_nothing_else_than_it_showed(client, bracket):
    player = f"/t/{bracket.slug}/desk/players/{leaver_of(bracket).code}/"
    path = f"{player}drop/"
    asked = Page(client.post(path, {"key": key()}, headers={"Referer": f"http://testserver{player}"}))
    assert asked.link("Cancel") == player
    (form,) = (form for form in asked.forms if form.action == path)
    enter(client, open_matches(bracket)[0])
    again = client.post(path, form.fields)
    assert again.status_code == 409 and "no longer what you were shown" in Page(again)
    assert client.post(path, {"key": key(), "expects": "nonsense"}).status_code == 409
    assert client.post(path, {"key": key()}).status_code == 303
    assert [match.slot for match in open_matches(bracket)] == ["F.1"]


def test_for_htmx_the_question_stands_in_the_page_and_its_form_needs_no_script(client, bracket):
    path = f"/t/{bracket.slug}/desk/players/{leaver_of(bracket).code}/drop/"
    asked = client.post(path, {"key": key()}, **HTMX)
    assert (asked.status_code, asked.headers["HX-Retarget"]) == (409, "#problem")
    (form,) = Page(asked).forms
    assert not Page(asked).soup.select("html") and form.action == path
    assert client.post(path, form.fields).status_code == 303


def test_a_round_is_started_without_a_clock_and_a_drop_then_loses(client, bracket):
    press(client, desk_of(client, bracket), "Start without a clock")
    desk = desk_of(client, bracket)
    assert "no clock" in desk and "Start without a clock" not in desk
    again = client.post(f"/t/{bracket.slug}/desk/rounds/3/clock/begin/", {"key": key()})
    assert again.status_code == 409 and "already begun" in Page(again)
    client.post(f"/t/{bracket.slug}/desk/players/{leaver_of(bracket).code}/drop/", {"key": key()})
    assert [match.slot for match in open_matches(bracket)] == ["W1.1"]


def test_the_cut_is_undone_from_the_bracket_page_until_a_match_is_played(client, twixt):
    assert "The cut is undone." in press(client, desk_of(client, twixt), "Undo the cut")
    assert not twixt.stages.filter(kind="elimination").exists()
    assert "There is no bracket yet" in desk_of(client, twixt)
    make_cut(twixt, 4)
    part = enter(client, open_matches(twixt)[0], "10", headers=HTMX).content.decode()
    assert 'hx-swap-oob="innerHTML:#messages"' in part, "what the page said before is over"
    assert "Undo the cut" not in desk_of(client, twixt)
    assert client.post(f"/t/{twixt.slug}/desk/cut/undo/", {"key": key()}).status_code == 409


@pytest.fixture
def swiss(client) -> Tournament:
    tournament = signed_in(client, entries=6, rounds=2, cut=4)
    return tournament


def cut_url(tournament) -> str:
    return f"/t/{tournament.slug}/desk/cut/"


def test_the_cut_shows_who_is_in_who_is_next_what_decided_and_who_dropped(client, swiss):
    shown = page(client, cut_url(swiss))
    assert "Cut to top 4" in shown and "First alternates" not in shown  # these rules have none
    assert re.search(r"Player \d+ qualifies ahead of Player \d+ on |share the rank", shown.words)
    assert "Cut to top 2" in page(client, cut_url(swiss), size=2)
    twixt = TournamentFactory(entries=6, rounds=2, cut=4, ruleset="twixt", owner=swiss.owner)
    assert "First alternates" in page(client, cut_url(twixt))
    make_cut(twixt, 4)
    assert list_stages(twixt)[-1].players == 4
    first = compute_cut(swiss, 4).qualifiers[0]
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
