import json

import pytest

from standings.bracket.results import record_bracket_result
from standings.table.swiss import compute_standings
from tests import factories
from tests.pages import Page, page, press
from tests.steps import complete_round, undo_last
from tests.tournament.views.desk import key, match_of, post_line, post_slip, running
from tournament import archive
from tournament.actionlog import integrity
from tournament.archive.load import dump_event, load_event
from tournament.errors import Conflict, Refused
from tournament.event import read
from tournament.history.describe import describe_actions
from tournament.models import Seat
from tournament.results.shorthand import parse_slip
from tournament.results.slip import (
    Slip,
    build_match_rules,
    check_slip,
    slip_of_order,
    slip_of_score,
    usual_slips,
)
from tournament.rulesets import resolve
from tournament.services.results import clear_result, record_points, record_result
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db


def rules(ruleset: str, swiss: bool = True, **overrides):
    profile = resolve(ruleset, overrides=overrides)
    length = profile["best_of_swiss"]
    return build_match_rules(profile, 2 if length == "exactly_2" else length, swiss=swiss)


SCRABBLE, BRIDGE, TWO_GAMES = rules("scrabble"), rules("bridge_swiss_teams"), rules("melee_two_game")
BOTH = rules("mtr", records_scores=True)  # games and points


def words_of(match):
    match.refresh_from_db()
    a, b = match.seats.order_by("side")
    return match.result, match.winner, (a.games, b.games, match.drawn), (a.score, b.score)


@pytest.mark.parametrize(
    ("allowed", "text", "slip"),
    [
        (SCRABBLE, "412 388", Slip("played", 1, 0, score=("412", "388"))),
        (SCRABBLE, "412-388", Slip("played", 1, 0, score=("412", "388"))),
        (SCRABBLE, "388:412", Slip("played", 0, 1, score=("388", "412"))),
        (SCRABBLE, "400 400", Slip("played", 0, 0, 1, score=("400", "400"))),
        (SCRABBLE, "412 -5", Slip("played", 1, 0, score=("412", "-5"))),
        (SCRABBLE, "412 388x", Slip("played", 1, 0, score=("412", "388"), drops="b")),
        (SCRABBLE, "ns2 50 0", Slip("forfeit", winner="a", drops="b", score=("50", "0"))),
        (SCRABBLE, "ll 0 0", Slip("double_loss", score=("0", "0"))),
        (BRIDGE, "12.5 7.5", Slip("played", 1, 0, score=("25/2", "15/2"))),
        (BRIDGE, "12,5 7,5", Slip("played", 1, 0, score=("25/2", "15/2"))),
        (BOTH, "21 412 388", Slip("played", 2, 1, score=("412", "388"))),
        (BOTH, "2-1 300-388x", Slip("played", 2, 1, score=("300", "388"), drops="b")),
        (TWO_GAMES, "ab", slip_of_order("ab")),
        (TWO_GAMES, "BAx", Slip("played", 1, 1, order="ba", drops="b")),
        (TWO_GAMES, "20", Slip("played", 2, 0)),
    ],
)
def test_the_one_box_reads_points_and_orders(allowed, text, slip):
    assert parse_slip(text, allowed) == slip
    check_slip(slip, allowed)


@pytest.mark.parametrize(
    ("allowed", "text", "why"),
    [
        (SCRABBLE, "21", "“21” is not a result. Examples: 412 388"),
        (SCRABBLE, "412 abc", "is not a result"),
        (SCRABBLE, "412.5 388", "whole points"),
        (SCRABBLE, "100000 3", "more than a match can have"),
        (SCRABBLE, "999999999999 3", "is not a result"),
        (BRIDGE, "12.55555 3", "at most 4 decimal places"),
        (rules("warhammer_gw"), "-5 10", "below zero"),
        (BOTH, "21", "Enter both players' points"),
        (rules("mtr"), "21 412 388", "is not a result"),
        (rules("fide"), "+-", "Examples: 10, 0-1, d "),
        (TWO_GAMES, "11", "who won each game"),
        (TWO_GAMES, "aba", "impossible"),
        (rules("mtr"), "ab", "is not a result"),
        (rules("scrabble", swiss=False), "400 400", "needs a winner"),
        (rules("scrabble", draws_allowed={"match": False}), "400 400", "does not allow draws"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_type(allowed, text, why):
    with pytest.raises(Refused, match=why):
        check_slip(parse_slip(text, allowed), allowed)


@pytest.mark.parametrize(
    ("allowed", "slip", "why"),
    [
        (SCRABBLE, Slip("played", 0, 1, score=("412", "388")), "does not match the winner"),
        (SCRABBLE, Slip("played", 1, 0), "Enter both players' points"),
        (SCRABBLE, Slip("played", 1, 0, score=("a lot", "388")), "is not a number of points"),
        (SCRABBLE, Slip("played", 1, 0, score=("1/3", "0")), "is not a number of points"),
        (rules("mtr"), Slip("played", 2, 0, score=("1", "0")), "does not record points"),
        (TWO_GAMES, Slip("played", 2, 0, order="ab"), "do not match who won each"),
        (rules("mtr"), slip_of_order("aa"), "does not record who won which game"),
    ],
)
def test_a_slip_that_contradicts_itself_is_refused(allowed, slip, why):
    with pytest.raises(Refused, match=why):
        check_slip(slip, allowed)


def test_two_games_have_no_button_that_would_be_refused():
    for allowed in (TWO_GAMES, rules("mtr"), rules("scrabble")):
        for slip in usual_slips(allowed):
            check_slip(slip, allowed)
    assert [slip.order or slip.games for slip in usual_slips(TWO_GAMES)] == [(2, 0, 0), "ab", "ba", (0, 2, 0)]


def desk(client, tournament, part="rounds/1/") -> Page:
    return page(client, f"/t/{tournament.slug}/desk/{part}")


def slip_fields(client, tournament) -> set[str]:
    shown = page(client, f"/t/{tournament.slug}/rounds/1/tables/1/result/")
    return {"score_a", "a", "order"} & {field["name"] for field in shown.soup.select("[name]")}


def test_points_are_entered_in_the_box_and_on_the_slip(client):
    tournament = running(client, ruleset="scrabble")
    answer = post_line(client, tournament, "1 412 388")
    assert answer.status_code == 200 and "412–388" in Page(answer)
    assert words_of(match_of(tournament)) == ("played", "a", (1, 0, 0), ("412", "388"))
    shown = desk(client, tournament)
    assert shown.one('[placeholder="12 412 388"]') and "412–388" in shown
    assert post_line(client, tournament, "2 21").status_code == 400
    assert "412–388" in desk(client, tournament, "log/")
    assert slip_fields(client, tournament) == {"score_a"}
    assert post_slip(client, tournament, htmx=False, score_a="301", score_b="420").status_code == 303
    assert words_of(match_of(tournament)) == ("played", "b", (0, 1, 0), ("301", "420"))
    shown = page(client, f"/t/{tournament.slug}/rounds/1/tables/1/result/")
    assert shown.one("[name=score_a]")["value"] == "301"
    for fields in (
        {"score_a": "301"},
        {},
        {"score_a": "x", "score_b": "1"},
        {"score_a": "1e9", "score_b": "1"},
    ):
        refused = Page(post_slip(client, tournament, **fields))
        assert refused.status == 422 and refused.all("[role=alert]"), fields
    assert words_of(match_of(tournament))[3] == ("301", "420")
    answer = post_slip(client, tournament, version=0, score_a="300", score_b="200")
    assert answer.status_code == 409 and "301–420" in Page(answer) and "300–200" in Page(answer)
    assert press(client, Page(answer), "Enter: 300–200").status == 200
    assert words_of(match_of(tournament))[3] == ("300", "200")


def test_games_and_points_are_entered_where_they_are_recorded_and_nowhere_else(client):
    tournament = running(client, overrides={"records_scores": True})
    assert slip_fields(client, tournament) == {"score_a", "a"}
    assert post_slip(client, tournament, a=2, b=1).status_code == 422
    assert post_slip(client, tournament, a=2, b=1, score_a="30", score_b="44").status_code == 200
    assert words_of(match_of(tournament)) == ("played", "a", (2, 1, 0), ("30", "44"))
    assert "2–1 (30–44)" in desk(client, tournament)
    tournament = running(client)
    assert slip_fields(client, tournament) == {"a"}
    assert post_slip(client, tournament, slip="20 412 388").status_code == 422
    factories.RoundFactory(tournament=(odd := factories.TournamentFactory(entries=5)))
    alone = odd.rounds.get().matches.get(table=None).seats.get().entry.code
    with pytest.raises(Refused, match="does not record points"):
        record_points(odd, 1, alone, "3")


def test_the_order_of_games_is_entered_stored_and_counted(client):
    tournament = running(client, ruleset="melee_two_game")
    assert slip_fields(client, tournament) == {"a", "order"}
    typed = set(desk(client, tournament).all("kbd"))  # beside the box, only what it takes there
    assert typed >= {"12 ab", "12 20"} and not typed & {"12 21", "12 111"}
    post_line(client, tournament, "1 ba")
    assert post_slip(client, tournament, table=2, a=1, b=1).status_code == 422
    assert post_slip(client, tournament, table=2, a=1, b=1, order="ab").status_code == 200
    assert post_slip(client, tournament, table=3, a=0, b=2).status_code == 200
    assert [match_of(tournament, table).game_order for table in (1, 2, 3)] == ["ba", "ab", "bb"]
    post_line(client, tournament, "4 20")
    event = read.load_event_values(tournament)
    event.rounds[0].status = "complete"
    ranking = compute_standings(event)
    place = ranking.columns.index("second_game_wins")
    seats = {seat.side: seat.entry.code for seat in match_of(tournament, 1).seats.all()}
    assert [ranking.row(seats[side]).values[place] for side in "ab"] == [1, 0]


@pytest.fixture
def scrabble():
    tournament = factories.TournamentFactory(entries=5, ruleset="scrabble")
    factories.RoundFactory(tournament=tournament)
    return tournament


def test_points_are_corrected_undone_and_cleared_with_their_match(scrabble):
    first = record_result(scrabble, 1, 1, slip_of_score(("412", "388")), key="k")
    with pytest.raises(Conflict):  # the form sent twice, with other points
        record_result(scrabble, 1, 1, slip_of_score(("413", "388")), key="k")
    second = record_result(scrabble, 1, 1, slip_of_score(("412", "398")))
    assert second.changes[0]["after"] == {"score": ["412", "398"]}
    assert describe_actions(scrabble, [second])[0].sentence.endswith("(was 412–388)")
    assert record_result(scrabble, 1, 1, slip_of_score(("412", "398"))) is None
    undo_action(scrabble, second.number)
    assert words_of(match_of(scrabble))[3] == ("412", "388")
    with pytest.raises(Conflict) as both:
        record_result(scrabble, 1, 1, slip_of_score(("1", "2")), version=first.number)
    assert both.value.theirs["score"] == ["412", "388"] and both.value.yours["score"] == ["1", "2"]
    clear_result(scrabble, 1, 1)
    assert words_of(match_of(scrabble)) == (None, "", (None, None, None), ("", ""))
    undo_last(scrabble)
    assert words_of(match_of(scrabble))[3] == ("412", "388")
    assert integrity.check(scrabble) == []


def test_an_event_with_points_comes_back_byte_for_byte_and_ranks_alike(scrabble):
    factories.enter_results(scrabble, 1)
    bye = scrabble.rounds.get(number=1).matches.get(table=None).seats.get().entry.code
    record_points(scrabble, 1, bye, "50")
    factories.RoundFactory(tournament=scrabble)
    record_result(scrabble, 2, 1, parse_slip("ns2 60 0", SCRABBLE))
    text = dump_event(scrabble, with_seed=True)
    assert '"score":[412,388]' in text and '"score":[50,0]' in text and '"score":[60,0]' in text
    data = json.loads(text)
    data["tournament"]["slug"] = "again"
    again = load_event(archive.parse_event(data))
    dumped = json.loads(dump_event(again, with_seed=True))
    assert dumped == data and list(map(list, dumped["rounds"])) == list(map(list, data["rounds"]))
    assert integrity.check(again) == []
    after = compute_standings(read.load_event_values(again), 2).rows
    assert after == compute_standings(read.load_event_values(scrabble), 2).rows


def test_players_see_points_and_no_one_scores_against_nobody(client, scrabble):
    factories.enter_results(scrabble, 1)
    complete_round(scrabble, 1)
    shown = page(client, f"/t/{scrabble.slug}/rounds/1/")
    assert "won 412–388 against" in shown and "lost 388–412 against" in shown
    data = json.loads(dump_event(scrabble))
    [bye] = [match for match in data["rounds"][0]["matches"] if match["b"] is None]
    bye["score"] = [50, 3]
    where = r"^rounds\[0\]\.matches\[2\]\.score\[1\]: there is no opponent"
    with pytest.raises(archive.ArchiveError, match=where):
        archive.parse_event(data)
    bye["score"] = ["25/2", 0]
    assert archive.parse_event(data).rounds[0].matches[-1].score == ("25/2", "0")


def test_staff_write_down_the_points_of_a_bye(client):
    tournament = running(client, 5, ruleset="bridge_swiss_teams")
    bye = tournament.rounds.get().matches.get(table=None)
    alone = bye.seats.get().entry.code
    address = f"/t/{tournament.slug}/desk/rounds/1/players/{alone}/points/"
    assert desk(client, tournament).one(f'a[href="{address}"]') and page(client, address).one("[name=points]")
    sent = {"key": key(), "version": bye.version, "points": "12.5"}
    for _ in range(2):
        assert client.post(address, sent).status_code == 303
        assert Seat.objects.get(entry__code=alone).score == "25/2"
    assert client.post(address, {**sent, "key": key(), "points": "3"}).status_code == 409
    tournament.refresh_from_db()
    sent["version"] = tournament.revision
    for points in ("twelve", "-3", "1000000"):
        assert client.post(address, {**sent, "key": key(), "points": points}).status_code == 400
    assert client.post(address, {**sent, "key": key(), "points": ""}).status_code == 303
    assert Seat.objects.get(entry__code=alone).score == "" and integrity.check(tournament) == []
    seated = tournament.rounds.get().matches.get(table=1).seats.get(side="a").entry.code
    assert client.get(address.replace(alone, seated)).status_code == 404
    assert "points 12.5" in desk(client, tournament, "log/")


@pytest.mark.parametrize(
    ("score", "problem"),
    [("lots", "are not valid points"), ("1", "the winner does not match the points")],
)
def test_fsck_knows_points(scrabble, score, problem):
    record_result(scrabble, 1, 1, slip_of_score(("412", "388")))
    match_of(scrabble).seats.filter(side="a").update(score=score)
    assert any(problem in line for line in integrity.check(scrabble))


@pytest.mark.parametrize(
    ("ruleset", "slip"),
    [("scrabble", slip_of_score(("17", "3"))), ("melee_two_game", Slip("played", 2, 1))],
)
def test_a_whole_event_with_points_is_played_cut_and_sound(ruleset, slip):
    tournament = factories.TournamentFactory(entries=6, rounds=3, ruleset=ruleset, with_cut=2)
    final = tournament.rounds.get(swiss=False).matches.get()
    record_bracket_result(tournament, 4, final.table, slip)
    assert integrity.check(tournament) == []
    assert compute_standings(read.load_event_values(tournament)).order
