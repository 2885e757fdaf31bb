import json
from itertools import pairwise

import pytest

from pairings.draft.services import add_house_opponent, draft_next_round
from standings.bracket.cut import make_cut
from standings.engine.ranking import list_skipped_steps
from standings.table.places import find_qualifiers
from standings.table.swiss import compute_standings
from standings.words.metrics import step_title
from tests import factories
from tests.pages import page, press
from tests.steps import complete_round
from tournament import archive
from tournament.actionlog import integrity
from tournament.archive.load import dump_event, load_event
from tournament.errors import Refused, WrongState
from tournament.event import read
from tournament.models import Entry, Stage
from tournament.results.slip import Slip
from tournament.services.drops import disqualify_entry, drop_entry
from tournament.services.entries import add_entries, remove_entry
from tournament.services.results import record_result
from tournament.services.rounds import publish_round
from tournament.services.stages import add_next_day, add_re_entry, add_stage, remove_stage
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db
A_WINS, DRAWN = Slip("played", 1, 0), Slip("played", 0, 0, 1)


def event_of(tournament):
    return read.load_event_values(tournament)


def rows_of(tournament):
    return {row.entry: row for row in compute_standings(event_of(tournament))}


def session(tournament, rounds: int) -> None:
    for _ in range(rounds):
        factories.enter_results(tournament, factories.RoundFactory(tournament=tournament).number)
    complete_round(tournament, tournament.rounds.latest("number").number)
    tournament.refresh_from_db()


def two_sessions(players: int = 6, rounds: int = 2, **fields):
    tournament = factories.TournamentFactory(
        entries=players, ruleset="twixt", rounds_planned=rounds, **fields
    )
    session(tournament, rounds)
    add_stage(tournament)
    tournament.refresh_from_db()
    return tournament


def the_same_after_load(tournament) -> None:
    text = dump_event(tournament, with_seed=True)
    event = archive.parse_event(json.loads(text))
    assert archive.canonical(event, with_seed=True) == text
    again = load_event(event, slug="again")
    assert compute_standings(event_of(again)).rows == compute_standings(event_of(tournament)).rows


def test_a_second_day_carries_points_and_opponents_of_the_best(client):
    tournament = factories.TournamentFactory(entries=8, rounds_planned=2)
    session(tournament, 2)
    before = rows_of(tournament)
    best = list(before)[:4]
    add_next_day(tournament, 2, size=4)
    tournament.refresh_from_db()
    day = tournament.stages.get(number=2)
    assert (day.carries, day.sources, tournament.rounds_planned) == (True, [1], 4)
    assert sorted(day.stage_entries.values_list("entry__code", flat=True)) == sorted(best)
    met = {
        (s.entry.code, s.opponent.code) for s in tournament.seats.filter(round__stage__number=1) if s.opponent
    }
    session(tournament, 2)
    assert all(
        (s.entry.code, s.opponent.code) not in met or s.waived
        for s in tournament.seats.filter(round__stage=day)
        if s.opponent
    )
    after = rows_of(tournament)
    assert len(after) == 8
    won = {
        code: 3 * tournament.seats.filter(round__stage=day, entry__code=code, games=2).count()
        for code in best
    }
    assert {code: after[code].values[0] - before[code].values[0] for code in best} == won
    assert all(after[code].values[0] == before[code].values[0] for code in set(after) - set(best))
    assert find_qualifiers(event_of(tournament), 8).qualifiers == [code for code in after if code in best]
    assert integrity.check(tournament) == []
    the_same_after_load(tournament)
    home = page(client, f"/t/{tournament.slug}/standings/")
    assert "Standings after round 4" in home and "tiebreakers frozen" not in home


def test_a_second_day_takes_new_players_who_bring_no_points(client):
    tournament = factories.TournamentFactory(entries=7, rounds_planned=2)
    session(tournament, 2)
    first_day = compute_standings(event_of(tournament))
    add_next_day(tournament, 2)
    client.force_login(tournament.owner)
    players = page(client, f"/t/{tournament.slug}/desk/players/?add=names")
    assert "Nia Early" in press(client, players, "Add", names="Nia Early")
    early = tournament.entries.get(name="Nia Early")
    assert (early.joined_round, early.late) == (3, True)
    assert list(early.stage_entries.values_list("stage__number", flat=True)) == [2]
    factories.enter_results(tournament, factories.RoundFactory(tournament=tournament).number)
    assert early.seats.get().round.number == 3, "the rounds of the day before are not missed"
    add_entries(tournament, ["Lou Late"])
    late = tournament.entries.get(name="Lou Late")
    assert [(seat.round.number, seat.kind) for seat in late.seats.all()] == [(3, "missed")]
    draft_next_round(tournament)
    publish_round(tournament, 4)
    seats = tournament.seats.filter(round__number=4, entry__in=(early, late))
    assert {seat.kind for seat in seats} <= {"match", "bye"} and seats.count() == 2
    factories.enter_results(tournament, 4)
    complete_round(tournament, 4)
    tournament.refresh_from_db()
    rows = rows_of(tournament)
    for entry in (early, late):
        won = [seat for seat in entry.seats.all() if seat.kind == "bye" or seat.games == 2]
        assert rows[entry.code].values[0] == 3 * len(won)
    assert compute_standings(event_of(tournament), 2).rows == first_day.rows
    assert integrity.check(tournament) == []
    the_same_after_load(tournament)


def test_a_second_day_for_so_many_points_or_for_everybody_leaves_out_who_dropped():
    tournament = factories.TournamentFactory(entries=8, rounds_planned=2)
    session(tournament, 2)
    rows = rows_of(tournament)
    first, *rest = rows
    enough = [code for code in rest if rows[code].values[0] >= 3]
    drop_entry(tournament, first)
    action = add_next_day(tournament, 1, points="3")
    assert set(Stage.objects.get(number=2).stage_entries.values_list("entry__code", flat=True)) == set(enough)
    undo_action(tournament, action.number)
    tournament.refresh_from_db()
    assert tournament.stages.count() == 1 and tournament.rounds_planned == 2
    add_next_day(tournament, 1)
    assert set(Stage.objects.get(number=2).stage_entries.values_list("entry__code", flat=True)) == set(rest)


def test_a_second_day_is_refused_where_it_cannot_be(client):
    tournament = factories.TournamentFactory(entries=4, rounds_planned=2)
    with pytest.raises(WrongState, match="at least 2 players"):
        add_next_day(tournament, 2, points="99")
    with pytest.raises(WrongState, match="has not started"):
        add_next_day(tournament, 2)
    number = factories.RoundFactory(tournament=tournament).number
    with pytest.raises(WrongState, match="are outstanding"):
        add_next_day(tournament, 2)
    factories.enter_results(tournament, number)
    for wrong in ({"rounds": 0}, {"rounds": 31}, {"rounds": 1, "minutes": 0}):
        with pytest.raises(Refused):
            add_next_day(tournament, **wrong)
    with pytest.raises(Refused, match="not both"):
        add_next_day(tournament, 1, size=2, points="3")
    factories.enter_results(tournament, factories.RoundFactory(tournament=tournament).number)
    make_cut(tournament, 2)
    tournament.refresh_from_db()
    with pytest.raises(WrongState, match="bracket is set"):
        add_next_day(tournament, 1)
    with pytest.raises(WrongState, match="bracket is set"):
        add_stage(tournament)


def test_sessions_are_ranked_together_for_one_cut_and_a_person_takes_one_place():
    tournament = two_sessions()
    best = next(iter(rows_of(tournament)))
    add_re_entry(tournament, best)
    again = tournament.entries.get(same_person_as__code=best)
    assert (again.name, again.code, again.late) == (tournament.entries.get(code=best).name, "P0007", False)
    assert tournament.entries.get(code=best).status == "dropped"
    add_entries(tournament, ["New one", "New two", "New three"])
    session(tournament, 2)
    rows = rows_of(tournament)
    assert len(rows) == 10 and {"P0007", "P0010", best} <= set(rows)
    seats = tournament.seats.filter(round__stage__number=2)
    assert {seat.entry.code for seat in seats} == {"P0007", "P0008", "P0009", "P0010"}
    cut = find_qualifiers(event_of(tournament), 10).qualifiers
    assert best not in cut and "P0007" in cut and len(cut) == 9, "an entry withdrawn cannot qualify"
    make_cut(tournament, 4)
    assert tournament.stages.get(number=3).sources == [1, 2]
    assert integrity.check(tournament) == []
    the_same_after_load(tournament)


def test_a_session_is_planned_ahead_taken_away_or_completes_the_one_that_is_played():
    tournament = factories.TournamentFactory(entries=4, ruleset="twixt", rounds_planned=2)
    action = add_stage(tournament, minutes=40)
    assert Stage.objects.get(number=2).minutes == 40
    undo_action(tournament, action.number)
    assert tournament.stages.count() == 1
    for minutes in (0, 601):
        with pytest.raises(Refused, match="1 to 600"):
            add_stage(tournament, minutes=minutes)
    session(tournament, 1)
    add_stage(tournament)
    add_entries(tournament, ["Early bird"])
    assert Stage.objects.get(number=2).stage_entries.get().entry.name == "Early bird", (
        "the first not begun takes entries"
    )
    with pytest.raises(WrongState, match="has players"):
        remove_stage(tournament, 2)
    remove_entry(tournament, "P0005")
    remove_stage(tournament, 2)
    with pytest.raises(WrongState, match="never the only one"):
        remove_stage(tournament, 1)
    assert integrity.check(tournament) == []
    tournament = factories.TournamentFactory(entries=4, ruleset="twixt", rounds_planned=1)
    factories.enter_results(tournament, factories.RoundFactory(tournament=tournament).number)
    add_stage(tournament)
    assert tournament.rounds.get().state == "complete"


def test_nobody_is_twice_in_a_session_and_who_enters_late_has_lost_its_rounds():
    tournament = two_sessions()
    add_re_entry(tournament, "P0001")
    for code in ("P0001", "P0007"):
        with pytest.raises(WrongState, match="cannot re-enter"):
            add_re_entry(tournament, code)
    disqualify_entry(tournament, "P0002", "marked cards")
    with pytest.raises(WrongState, match="cannot re-enter"):
        add_re_entry(tournament, "P0002")
    action = add_re_entry(tournament, "P0003")
    assert tournament.entries.get(code="P0003").status == "dropped"
    undo_action(tournament, action.number)
    assert tournament.entries.get(code="P0003").status == "playing"
    assert not tournament.entries.filter(same_person_as__code="P0003").exists()
    tournament = two_sessions()
    for code in ("P0001", "P0002"):
        add_re_entry(tournament, code)
    factories.enter_results(tournament, factories.RoundFactory(tournament=tournament).number)
    add_re_entry(tournament, "P0003", reason="the train was late")
    late = tournament.entries.get(same_person_as__code="P0003")
    assert late.late and late.joined_round == 4
    assert [seat.kind for seat in late.seats.all()] == ["missed"]
    assert integrity.check(tournament) == []


def test_late_players_stand_below_those_on_time_with_as_many_points():
    tournament = factories.TournamentFactory(entries=4, ruleset="pokemon", rounds_planned=3)
    factories.enter_results(tournament, factories.RoundFactory(tournament=tournament).number)
    add_entries(tournament, ["Late one", "Late two"], reason="the train was late")
    late = {entry.code for entry in Entry.objects.filter(late=True)}
    assert late == {"P0005", "P0006"}
    factories.RoundFactory(tournament=tournament)
    for match in tournament.rounds.get(number=2).matches.exclude(table=None):
        wins_b = match.seats.get(side="b").entry.code in late
        record_result(tournament, 2, match.table, Slip("played", *((0, 2) if wins_b else (2, 0))))
    complete_round(tournament, 2)
    rows = list(rows_of(tournament).values())
    for above, below in pairwise(rows):
        if above.values[0] == below.values[0]:
            assert not (above.entry in late and below.entry not in late)
    points = {row.entry: row.values[0] for row in rows}
    shared = {p for c, p in points.items() if c in late} & {p for c, p in points.items() if c not in late}
    assert shared, "the rule has something to decide"


def test_a_game_as_house_opponent_counts_for_nobody_and_one_against_it_does(client):
    tournament = factories.TournamentFactory(entries=5, ruleset="twixt", rounds_planned=3)
    add_house_opponent(tournament, "Tournament director")
    draft_next_round(tournament, house="H01")
    publish_round(tournament, 1)
    for match in tournament.rounds.get(number=1).matches.all():
        against = {seat.entry.code: seat.side for seat in match.seats.all()}
        wins = against.get("H01") == "b" or "H01" not in against
        record_result(tournament, 1, match.table, A_WINS if wins else Slip("played", 0, 1))
    complete_round(tournament, 1)
    guest = tournament.seats.get(entry__code="H01").opponent.code
    rows = rows_of(tournament)
    assert "H01" not in rows and len(rows) == 5
    columns = compute_standings(event_of(tournament)).columns
    row = rows[guest]
    assert row.values[0] == 1 and row.values[columns.index("cumulative")] == 1, "beating the house is a win"
    assert row.values[columns.index("buchholz")] == 0, "the house adds nothing"
    assert "H01" not in find_qualifiers(event_of(tournament), 8).qualifiers
    assert "Tournament director" not in page(client, f"/t/{tournament.slug}/standings/")


def test_team_events_ignore_games_and_say_so(client):
    tournament = factories.TournamentFactory(entries=4, rounds=2, team=True)
    client.force_login(tournament.owner)
    complete_round(tournament, 2)
    assert compute_standings(event_of(tournament)).columns == ["match_points", "opp_match_win_pct", "random"]
    titles = [step_title(step) for step in list_skipped_steps(tournament.profile, team=True)]
    skipped = f"Not used, because games do not count here: {', '.join(titles)}."
    assert len(titles) == 2
    home = f"/t/{tournament.slug}/"
    standings = page(client, f"{home}standings/")
    assert len(standings.all("thead abbr")) == 2 and "game" not in " ".join(standings.all("thead")).lower()
    assert skipped in standings and skipped in page(client, f"{home}desk/standings/")
    assert "Not used, because games do not count here" in page(client, f"{home}rules/")
    factories.RoundFactory(tournament=tournament)
    assert page(client, f"{home}rounds/3/tables/1/result/")
