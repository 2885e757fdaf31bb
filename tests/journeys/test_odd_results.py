import itertools
import json
from fractions import Fraction

import pytest
from django.db import IntegrityError, transaction

from standings.conformance.checks import conformance
from standings.table.swiss import compute_standings
from tests.factories import TournamentFactory, UserFactory
from tests.journeys.test_commands import code_of, json_of, text_of
from tests.pages import page
from tests.pairings.correcting import save
from tests.pairings.views.test_corrections import address
from tests.tournament.views.desk import match_of, post_line, post_slip
from tournament.actionlog import integrity
from tournament.actionlog.fold import state_at
from tournament.archive import canonical, parse_event, read_file
from tournament.archive.load import dump_event, load_event
from tournament.archive.snapshots import BEFORE_RESTORE, list_snapshots, write_snapshot
from tournament.errors import Refused
from tournament.event import read
from tournament.models import Match, Seat, Tournament
from tournament.results.slip import MatchRules, Slip, check_games, usual_slips
from tournament.rulesets.derive import match_length
from tournament.services.corrections import correct_result
from tournament.services.results import clear_result, record_result
from tournament.services.snapshots import restore_over
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db

ODD = ([2, 2, 0], [3, 0, 0], [0, 0, 0])  # the results of tables 1, 2 and 3


@pytest.fixture
def data():
    """The archive of an event of eight, recorded elsewhere: odd results in rounds 1 and 2; round 2 is not complete."""
    file = json.loads(dump_event(TournamentFactory(rounds=2, name="Recorded elsewhere"), with_seed=True))
    file["tournament"]["slug"], file["log"] = "odd", []
    for round_ in file["rounds"]:
        del round_["pairing"]
        for match, games in zip(round_["matches"], ODD, strict=False):
            match |= {"result": "played", "games": games}
        round_["matches"][3] |= {"result": "played", "games": [2, 1, 0]}
    file["rounds"][1]["status"] = "published"
    return file


@pytest.fixture
def odd(data, client):
    owner = UserFactory()
    client.force_login(owner)
    return load_event(parse_event(data), owner=owner)


def marks(client, path):
    return len(page(client, f"/t/odd/{path}").all(".tag[title*='recorded like this']"))


def sound(tournament):
    tournament.refresh_from_db()
    assert integrity.check(tournament) == []
    assert state_at(tournament) == read.read_state(tournament)[0]
    return True


def odd_tables(tournament):
    return {(m.round.number, m.table) for m in Match.objects.filter(round__tournament=tournament, odd=True)}


def reachable(best_of, most_drawn):
    """Every score a match can stand at, playing it game by game until it is won: shares no code with the checks."""
    exactly = best_of == 2
    needed = best_of // 2 + 1
    found, now = set(), {(0, 0, 0)}
    while now:
        after = set()
        for a, b, drawn in now:
            if max(a, b) < needed and not (exactly and a + b + drawn == 2):
                after |= {(a + 1, b, drawn), (a, b + 1, drawn)} | (
                    {(a, b, drawn + 1)} if drawn < most_drawn else set()
                )
        found |= after
        now = after
    return found


@pytest.mark.parametrize("length", [1, "exactly_2", 3, 5])
def test_a_result_is_odd_where_no_match_can_come_to_it_game_by_game(length):
    best_of = match_length(length)
    possible = reachable(2 if length == "exactly_2" else length, most_drawn=9)
    for games in itertools.product(range(5), range(5), range(11)):
        try:
            check_games(Slip("played", *games), MatchRules(best_of=best_of))
            allowed = True
        except Refused:
            allowed = False
        assert allowed == (games in possible), games


def test_the_command_loads_it_and_the_copy_is_the_same_byte_for_byte(data, tmp_path):
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    assert json_of("load", str(path)) == {"slug": "odd", "entries": 8, "rounds": 2, "odd": 6}
    canon = text_of("dump", "odd", "--with-seed").rstrip("\n") + "\n"
    assert canon == canonical(read_file(path), with_seed=True)
    assert json.loads(canon)["rounds"][0]["matches"][0]["games"] == [2, 2, 0]
    odd = Tournament.objects.get(slug="odd")
    assert odd_tables(odd) == {(number, table) for number in (1, 2) for table in (1, 2, 3)}
    assert sound(odd) and code_of("fsck", "odd") == code_of("replay", "odd") == 0
    path.write_text(canon, encoding="utf-8")
    assert "6 odd results, kept as recorded" in text_of("load", str(path), "--slug", "again")
    assert odd_tables(Tournament.objects.get(slug="again")) == odd_tables(odd)


def test_they_count_as_they_were_recorded(data, odd):
    """Points and games by hand: 2-2 is a draw of four games, 3-0 a win of three, 0-0 a draw of none."""
    rounds = data["rounds"][:1]
    worth = {code: [Fraction(0), 0, 0] for code in odd.entries.values_list("code", flat=True)}
    for match in (match for round_ in rounds for match in round_["matches"]):
        a, b, drawn = match["games"]
        for code, won, lost in ((match["a"], a, b), (match["b"], b, a)):
            points, share, games = worth[code]
            points += 3 if won > lost else 1 if won == lost else 0
            worth[code] = [points, share + 3 * won + drawn, games + 3 * (won + lost + drawn)]
    ranking = compute_standings(parse_event(data))
    column = ranking.columns.index("game_win_pct")
    for code, (points, share, games) in worth.items():
        values = ranking.row(code).values
        assert values[0] == points, code
        if games and Fraction(share, games) > Fraction(1, 3):
            assert values[column] == Fraction(share, games), code
    assert [row.values for row in compute_standings(read.load_event_values(odd))] == [
        row.values for row in ranking
    ]


def test_a_published_event_with_one_conforms_and_another_value_does_not(data, tmp_path):
    ranking = compute_standings(parse_event(data))
    columns = [key for key in ranking.columns if key != "random"]
    rows = [
        {"rank": row.rank, "entry": row.entry, "values": [str(value) for value in row.values[: len(columns)]]}
        for row in ranking
    ]
    event = {
        "format": "swiss-published",
        "version": 1,
        "archive": data,
        "published": {"columns": columns, "rows": rows},
    }
    path = tmp_path / "published.json"
    path.write_text(json.dumps(event), encoding="utf-8")
    assert conformance([path]).clean
    assert list(json_of("conformance", str(path))) == ["files", "checks", "passed", "failed", "unknown"]
    published = {"columns": [*columns[:-1], "weather"], "rows": rows}
    path.write_text(json.dumps({**event, "published": published}), encoding="utf-8")
    assert code_of("conformance", str(path)) == 1
    data["rounds"][0]["matches"][0]["games"] = [2, 1, 0]
    path.write_text(json.dumps(event), encoding="utf-8")
    assert conformance([path]).failed


def test_verify_names_them_and_breaks_no_rule_over_them(data, tmp_path):
    path = tmp_path / "odd.json"
    del data["rounds"][1]  # paired after other results
    path.write_text(json.dumps(data), encoding="utf-8")
    assert code_of("verify", str(path)) == 0
    notices = [
        problem["message"]
        for round_ in json_of("verify", str(path))["rounds"]
        for problem in round_["problems"]
        if problem["kind"] == "odd result"
    ]
    assert len(notices) == 3 and "2–2 stands as recorded" in notices[0] and "3–0 stands" in notices[1]


@pytest.mark.parametrize("result", ["double_loss", "intentional_draw"])
def test_games_beside_another_result_are_kept_too(data, result):
    data["rounds"][0]["matches"][0] |= {"result": result, "games": [2, 2, 0]}
    tournament = load_event(parse_event(data))
    assert (1, 1) in odd_tables(tournament) and sound(tournament)


@pytest.mark.parametrize("ruleset", ["fide", "twixt", "nsg", "cardeio", "ffg"])
def test_events_of_other_games_load_with_impossible_games(ruleset):
    tournament = TournamentFactory(rounds=1, ruleset=ruleset)
    file = json.loads(dump_event(tournament, with_seed=True))
    file["log"] = []
    for match, wins in zip(file["rounds"][0]["matches"], (2, 3, 5, 9), strict=True):
        match |= {"result": "played", "games": [wins, wins, 0], "score": match.get("score")}
        match.pop("winner", None)
    loaded = load_event(parse_event(file), slug="other")
    assert len(odd_tables(loaded)) == 4 and sound(loaded)


def test_the_pages_of_public_desk_and_player_mark_them_and_an_own_event_has_no_mark(client, odd):
    for by, count in (("table", 3), ("name", 6)):
        assert marks(client, f"rounds/1/?by={by}") == count
        shown = page(client, f"/t/odd/rounds/1/?by={by}")
        assert "2–2" in shown and "Irregular: recorded like this by another program." in shown
        assert "recorded like this by another program; these rules have no such result" in shown
    hidden = page(client, "/t/odd/rounds/2/?by=table")
    assert "irregular" not in hidden.words.lower(), "the results of a round being played are not shown"
    assert marks(client, "desk/rounds/1/") == marks(client, "desk/rounds/2/") == 3
    player = match_of(odd, 2).seats.get(side="a").entry.code
    assert marks(client, f"players/{player}/")
    tournament = TournamentFactory(rounds=2)
    assert "irregular" not in page(client, f"/t/{tournament.slug}/rounds/1/").words.split()
    assert odd_tables(tournament) == set()


def test_none_is_offered_or_taken_at_the_desk_and_a_snapshot_is_restored_with_its_odd_results(client, odd):
    for best_of in (1, 2, 3, 5):
        rules = MatchRules(best_of=best_of)
        assert {slip.games for slip in usual_slips(rules)} <= reachable(best_of, most_drawn=9)
    row = page(client, "/t/odd/desk/rounds/2/?change=1")
    assert not {button.get("value") for button in row.soup.select("button")} & {"22", "30"}
    before = odd.actions.count()
    for fields in ({"a": 2, "b": 2}, {"a": 3, "b": 0}, {"a": 0, "b": 0}, {"slip": "22"}, {"slip": "30"}):
        for table in (1, 4):
            assert post_slip(client, odd, table=table, number=2, **fields).status_code == 422, fields
    for line in ("1 22", "4 22", "1 30", "4 30"):
        answer = post_line(client, odd, line, number=2)
        assert answer.status_code == 400 and "is impossible" in answer.content.decode(), line
    assert odd.actions.count() == before and sound(odd)
    record_result(odd, 2, 4, Slip("played", 1, 2))
    odd.refresh_from_db()
    write_snapshot(odd, odd.revision, BEFORE_RESTORE)
    [snapshot] = list_snapshots(odd)
    for table in (1, 2):
        record_result(odd, 2, table, Slip("played", 1, 2))
    odd.refresh_from_db()
    restore_over(odd, snapshot, seen=odd.revision, actor="", reason="test")
    assert len(odd_tables(odd)) == 6 and sound(odd)


def test_another_result_takes_the_mark_away_also_in_a_complete_round_and_undo_brings_it_back(client, odd):
    assert post_slip(client, odd, table=1, number=2, slip="21").status_code == 200
    assert (2, 1) not in odd_tables(odd) and sound(odd)
    assert "was 2–2, irregular: as recorded" in page(client, "/t/odd/desk/log/")
    undo_action(odd, odd.actions.last().number)
    assert (2, 1) in odd_tables(odd) and sound(odd)
    clear_result(odd, 2, 2)
    assert (2, 2) not in odd_tables(odd) and sound(odd)
    undo_action(odd, odd.actions.last().number)
    assert len(odd_tables(odd)) == 6 and sound(odd)
    match = match_of(odd, 1, 1)
    sent = {"version": match.version, "a": 2, "b": 1}
    _shown, saved = save(client, address(odd), **sent)
    assert saved.status_code == 303
    assert (1, 1) not in odd_tables(odd) and sound(odd)
    with pytest.raises(Refused):
        correct_result(odd, 1, 1, Slip("played", 2, 2), reason="as it was")
    assert marks(client, "rounds/1/?by=table") == 2


def refused(write):
    with pytest.raises(IntegrityError), transaction.atomic():
        write()


def test_the_database_takes_two_winners_only_with_a_mark_and_none_where_paired_here(odd):
    plain, marked = match_of(odd, 4, 2), match_of(odd, 1, 2)
    refused(lambda: plain.seats.update(games=2))
    refused(lambda: marked.seats.update(odd=False))
    refused(lambda: Match.objects.filter(pk=marked.pk).update(result=None))
    tournament = TournamentFactory(rounds=1)
    match = match_of(tournament)
    Match.objects.filter(pk=match.pk).update(odd=True)
    match.seats.update(odd=True, games=2)
    found = integrity.check(tournament)
    assert [line for line in found if "not recorded elsewhere" in line]


@pytest.mark.parametrize(
    ("spoil", "found"),
    [
        (lambda e: Seat.objects.filter(match=match_of(e, 2, 1), side="a").update(odd=False), "differ on whether"),
        (lambda e: Match.objects.filter(pk=match_of(e, 3, 1).pk).update(odd=False), "differ on whether"),
        (lambda e: match_of(e, 1, 1).seats.update(games=None), "was not recorded elsewhere"),
        (lambda e: match_of(e, 4, 1).seats.update(games=2, odd=True), "differ on whether"),
    ],
)  # fmt: skip
def test_fsck_finds_a_mark_that_is_not_right(odd, spoil, found):
    spoil(odd)
    assert [line for line in integrity.check(odd) if found in line]
