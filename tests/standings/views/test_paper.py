"""What can be printed for a round: slips, lists, codes, over HTTP."""

import html
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from standings.paper.lists import EVENT_LISTS, LISTS, STANDINGS
from tests.factories import TWO_NIL, RoundFactory, TournamentFactory, UserFactory, enter_results
from tests.steps import complete_round
from tournament.models import Staff
from tournament.services.drops import drop_entry
from tournament.services.entries import change_entry, rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.penalties import give_penalty
from tournament.services.results import record_result
from tournament.services.rounds import extend_table

pytestmark = pytest.mark.django_db
SLIP = re.compile(r'<section class="slip" aria-label="Match slip, table (\d+)">(.*?)</section>', re.DOTALL)


@pytest.fixture
def event(client):
    """An event of 20 players in round 2, nothing entered there; its owner signed in."""
    tournament = TournamentFactory(entries=20, rounds=1, published=True)
    client.force_login(tournament.owner)
    return tournament


def get(client, tournament, path, status=200):
    answer = client.get(f"/t/{tournament.slug}/desk/{path}")
    assert answer.status_code == status, path
    return html.unescape(answer.content.decode())


def printed(client, tournament, what, number=2):
    return get(client, tournament, f"rounds/{number}/print/{what}")


def rows_of(page: str) -> list[list[str]]:
    """The texts of the rows of all sheets."""
    rows = re.findall(
        r"<tr>(.*?)</tr>", "".join(re.findall(r"<tbody>.*?</tbody>", page, re.DOTALL)), re.DOTALL
    )
    return [
        [re.sub(r"<[^>]*>|\s+", " ", cell).strip() for cell in re.findall(r"<td.*?</td>", row, re.DOTALL)]
        for row in rows
    ]


def code_of(client, tournament, table, number=2) -> str:
    slips = dict(SLIP.findall(printed(client, tournament, "slips/", number)))
    return re.search(rf"{number}-{table}-\w\w", slips[str(table)])[0]


def test_every_match_has_one_slip_and_the_cut_stack_is_in_table_order(client, event):
    for per_sheet in (8, 6, 4):
        page = printed(client, event, f"slips/?per={per_sheet}")
        sheets = [
            [int(table) for table, _text in SLIP.findall(sheet)]
            for sheet in page.split('<div class="paper slips')[1:]
        ]
        piles = [[sheet[i] for sheet in sheets if i < len(sheet)] for i in range(per_sheet)]
        assert [table for pile in piles for table in pile] == list(range(1, 11))


def test_a_slip_names_the_players_in_full_with_their_points(client, event):
    change_settings(event, name_privacy="initial")
    rename_entry(event, "P0001", "Ada Ruiz")
    event.refresh_from_db()
    match = event.rounds.get(number=2).matches.get(seats__entry__code="P0001")
    text = dict(SLIP.findall(printed(client, event, "slips/")))[str(match.table)]
    assert "Ada Ruiz</b>" in text
    assert "Signature, Ada Ruiz" in text
    assert re.search(r"[013] points?\b", text)
    assert "Round 2" in text
    assert "data:image/svg+xml" in text


def test_only_outstanding_tables_when_asked_for(client, event):
    record_result(event, 2, 3, TWO_NIL)
    tables = [int(table) for table, _text in SLIP.findall(printed(client, event, "slips/?open=1"))]
    assert sorted(tables) == [1, 2, 4, 5, 6, 7, 8, 9, 10]


def test_backs_follow_their_sheet(client, event):
    page = printed(client, event, "slips/?per=4&back=1")
    kinds = re.findall(r'<div class="paper slips (backs)?', page)
    assert kinds == ["", "backs"] * 3
    assert page.count('class="slip-back"') == 10
    fields = re.findall(r"<dt>(\w+)</dt>", page)[:5]
    assert fields == ["Judge", "Player", "Infraction", "Description", "Penalty"]


@pytest.mark.parametrize("per", ["5", "0", "x", ""])
def test_another_number_of_slips_is_refused(client, event, per):
    assert "8, 6 or 4 match slips" in get(client, event, f"rounds/2/print/slips/?per={per}", 400)


def test_a_draft_is_not_printed(client):
    tournament = TournamentFactory(entries=4, drafted=True)
    client.force_login(tournament.owner)
    for what in ("", "slips/", "pairings-by-name/"):
        assert "Publish them before you print" in get(client, tournament, f"rounds/1/print/{what}", 409)


def test_no_such_sheet_is_not_found(client, event):
    assert "no such sheet" in get(client, event, "rounds/2/print/horoscope/", 404)


def test_the_code_of_a_slip_opens_its_match(client, event):
    for table in (1, 7):
        code = code_of(client, event, table)
        answer = client.get(f"/t/{event.slug}/desk/slips/", {"q": code.lower()})
        assert answer.url == f"/t/{event.slug}/rounds/2/tables/{table}/result/"
        scanned = client.get(f"/t/{event.slug}/desk/rounds/2/tables/{table}/code/{code[-2:]}/")
        assert scanned.url == answer.url


def test_a_judge_comes_to_the_own_page_of_the_table(client, event):
    code = code_of(client, event, 7)
    Staff.objects.filter(tournament=event).update(role=Staff.Role.JUDGE)
    answer = client.get(f"/t/{event.slug}/desk/slips/", {"q": code})
    assert answer.url.endswith("/desk/rounds/2/tables/7/judge/")


def test_a_wrong_check_character_is_refused(client, event):
    code = code_of(client, event, 7)
    wrong = code[:-2] + ("A" if code[-2] != "A" else "B") + code[-1]
    assert "has a wrong character" in get(client, event, f"slips/?q={wrong}", 400)
    assert "has a wrong character" in get(client, event, f"rounds/2/tables/7/code/{wrong[-2:]}/", 400)


def test_the_slip_of_another_round_is_refused(client, event):
    old = code_of(client, event, 7, number=1)
    page = get(client, event, f"slips/?q={old}", 409)
    assert "This slip is from round 1, table 7. That round is not in progress." in page
    # Its check characters open nothing in this round either.
    get(client, event, f"rounds/2/tables/7/code/{old[-2:]}/", 400)


def test_the_slip_of_other_players_at_the_table_is_refused(client, event):
    code = code_of(client, event, 7)
    wrong = code[:-1] + ("A" if code[-1] != "A" else "B")
    assert "players who are at this table now" in get(client, event, f"slips/?q={wrong}", 400)


@pytest.mark.parametrize(("code", "status"), [("hello", 400), ("2-99-AA", 404), ("77-1-AA", 404)])
def test_a_code_of_nothing_is_refused(client, event, code, status):
    page = get(client, event, f"slips/?q={code}", status)
    assert page.count('role="alert"') >= 1


def test_pairings_by_name_hold_each_match_twice(client, event):
    rows = rows_of(printed(client, event, "pairings-by-name/"))
    assert [row[0] for row in rows] == [f"Player {n:02d}" for n in range(1, 21)]
    by_name = {row[0]: row for row in rows}
    for name, points, table, opponent in rows:
        assert points in ("0", "1", "3")
        assert by_name[opponent][2:] == [table, name]


def test_paper_on_the_wall_shows_names_as_the_public_sees_them(client, event):
    rename_entry(event, "P0001", "Ada Ruiz")
    change_settings(event, name_privacy="initial")
    for what in ("pairings-by-name/", "pairings-by-table/", "standings-by-rank/", "standings-by-name/"):
        page = printed(client, event, what)
        assert "Ada R." in page, what
        assert "Ada Ruiz" not in page, what
    assert "Ada Ruiz" in printed(client, event, "master-result-sheet/")


def test_hidden_standings_leave_no_points_on_slips_and_on_the_wall(client, event):
    assert " points" in printed(client, event, "slips/")
    change_settings(event, hold_standings=True)
    assert " points" not in printed(client, event, "slips/")
    assert "standings-by-rank" not in printed(client, event, "")
    get(client, event, "rounds/2/print/standings-by-rank/", 404)
    assert {len(row) for row in rows_of(printed(client, event, "pairings-by-name/"))} == {3}
    assert {len(row) for row in rows_of(printed(client, event, "pairings-by-table/"))} == {3}


def test_a_player_without_an_opponent_is_on_the_lists_and_has_no_slip(client):
    tournament = TournamentFactory(entries=5, published=True)
    client.force_login(tournament.owner)
    assert len(SLIP.findall(printed(client, tournament, "slips/", 1))) == 2
    for what in ("pairings-by-name/", "pairings-by-table/"):
        assert [row for row in rows_of(printed(client, tournament, what, 1)) if "bye" in row[-1] + row[-2]]


def test_the_sweep_sheet_has_the_outstanding_tables_with_extensions(client, event):
    record_result(event, 2, 3, TWO_NIL)
    extend_table(event, 2, 5, 7)
    rows = rows_of(printed(client, event, "sweep-sheet/"))
    assert [int(row[0]) for row in rows] == [1, 2, 4, 5, 6, 7, 8, 9, 10]
    assert [row[2] for row in rows if row[2]] == ["7 min"]


def test_standings_are_by_rank_and_by_name(client, event):
    by_rank = rows_of(printed(client, event, "standings-by-rank/"))
    by_name = rows_of(printed(client, event, "standings-by-name/"))
    assert [int(row[0]) for row in by_rank] == sorted(int(row[0]) for row in by_rank)
    assert [row[1] for row in by_name] == [f"Player {n:02d}" for n in range(1, 21)]
    assert sorted(by_rank) == sorted(by_name)


def test_the_crosstable_says_who_met_whom_and_how_it_ended(client, event):
    rows = rows_of(printed(client, event, "crosstable/"))
    assert len(rows) == 20
    ranks = [row[0] for row in rows]
    for rank, _name, cell, points in rows:
        outcome, other = cell[0], cell[1:]
        assert points == {"W": "3", "D": "1", "L": "0"}[outcome]
        back = rows[ranks.index(other)][2]
        assert back == {"W": "L", "D": "D", "L": "W"}[outcome] + rank


def test_the_player_meeting_seats_everyone_by_name_two_to_a_table(client):
    tournament = TournamentFactory(entries=7, first_table=10, skip_tables=[11])
    client.force_login(tournament.owner)
    drop_entry(tournament, "P0007")
    rows = rows_of(get(client, tournament, "print/seatings/"))
    assert [row[:2] for row in rows] == [
        [f"Player {n:02d}", table] for n, table in zip(range(1, 7), "10 10 12 12 13 13".split(), strict=True)
    ]
    cards = get(client, tournament, "print/place-cards/")
    assert cards.count('class="card-of-place"') == 6
    assert "Table 13" in cards


def test_the_player_meeting_keeps_fixed_tables(client):
    tournament = TournamentFactory(entries=6)
    client.force_login(tournament.owner)
    change_entry(tournament, "P0005", fixed_table=1)
    tables = {row[0]: row[1] for row in rows_of(get(client, tournament, "print/seatings/"))}
    assert tables["Player 05"] == tables["Player 06"] == "1"
    assert len(set(tables.values())) == 3


def test_paper_without_a_round_is_printed_before_the_first(client):
    tournament = TournamentFactory(entries=0)
    client.force_login(tournament.owner)
    page = get(client, tournament, "print/")
    for key in EVENT_LISTS:
        assert f"/desk/print/{key}/" in page
        assert get(client, tournament, f"print/{key}/").count('<section class="paper') == 1
    assert "no one plays yet" in get(client, tournament, "print/place-cards/")
    get(client, tournament, "print/horoscope/", 404)


def test_the_penalty_report_has_every_penalty_whole_and_the_take_over_has_it_too(client, event):
    give_penalty(event, "P0003", "warning", "Tardiness", judge="Jo Judge", description="late " * 40)
    give_penalty(event, "P0004", "caution", "Insufficient shuffling")
    rows = rows_of(get(client, event, "print/penalty-report/"))
    match = event.rounds.get(number=2).matches.get(seats__entry__code="P0003")
    assert rows[0][:4] == ["2", str(match.table), "Player 03", "warning"]
    assert " ".join(row[4] for row in rows[:-1]) == f"Tardiness · {('late ' * 40).strip()} · Jo Judge"
    assert rows[-1][2:5] == ["Player 04", "caution", "Insufficient shuffling"]
    assert "Penalty report" in get(client, event, "take-over.html")


@pytest.mark.long
def test_the_print_page_counts_the_sheets_of_everything_it_links_to(client):
    tournament = TournamentFactory(entries=67, rounds=1, published=True)
    client.force_login(tournament.owner)
    page = printed(client, tournament, "")
    links = re.findall(r'<td>\s*<a href="([^"]+/print/[^"]+)">.*?<td>(\d+)</td>', page, re.DOTALL)
    assert len(links) == 4 + len(LISTS | STANDINGS)
    for url, count in links:
        sheets = re.findall(r'class="paper (?!slips backs)', client.get(url).content.decode())
        assert len(sheets) == int(count), url


@pytest.mark.long
def test_every_sheet_costs_the_same_queries_at_any_size(client):
    counts = []
    for players in (4, 60):
        tournament = TournamentFactory(entries=players, rounds=1, published=True)
        client.force_login(tournament.owner)
        counts.append({})
        for what in ("", "slips/", *(f"{key}/" for key in LISTS | STANDINGS)):
            with CaptureQueriesContext(
                connection,
            ) as queries:
                printed(client, tournament, what)
            counts[-1][what] = len(queries)
    assert counts[0] == counts[1]
    assert max(counts[0].values()) <= 16


def test_the_desk_of_a_round_leads_to_paper(client, event):
    page = get(client, event, "rounds/2/")
    assert f"/t/{event.slug}/desk/rounds/2/print/" in page
    assert f"/t/{event.slug}/desk/slips/" in page
    page = get(client, event, "print/")
    first = [page.index(words) for words in ("Match slips", "Print round 2", "Print round 1", "Seatings")]
    assert first == sorted(first)  # what is printed most comes first


@pytest.mark.parametrize("ruleset", ["mtr", "fide", "pokemon", "scrabble", "twixt"])
def test_slips_ask_for_what_the_rules_record(client, ruleset):
    tournament = TournamentFactory(entries=4, published=True, ruleset=ruleset)
    client.force_login(tournament.owner)
    [(_table, text), _other] = SLIP.findall(printed(client, tournament, "slips/", 1))
    heads = re.findall(r"<th[^>]*>([^<]*)</th>", text)
    wanted = {
        "fide": ["Player", "Won", "Draw", "Drop"],
        "scrabble": ["Player", "Points", "Drop"],
        "mtr": ["Player", "Games won", "Games drawn", "Drop"],
    }
    assert heads == wanted.get(ruleset, heads)
    assert text.count("<img") == 1


def test_bracket_matches_have_slips_too(client):
    tournament = TournamentFactory(entries=8, rounds=3, with_cut=4)
    client.force_login(tournament.owner)
    assert f"/t/{tournament.slug}/bracket/print/" in get(client, tournament, "print/")
    number = tournament.rounds.order_by("-number").first().number
    assert len(SLIP.findall(printed(client, tournament, "slips/", number))) == 2
    code = code_of(client, tournament, 1, number)
    slips = f"/t/{tournament.slug}/desk/slips/"
    address, at = client.get(slips, {"q": code}).url.split("#")
    assert at == f"match-{number}-1" and f'id="{at}"' in client.get(address).content.decode()
    judge = UserFactory()
    Staff.objects.create(tournament=tournament, user=judge, role="judge")
    client.force_login(judge)
    assert client.get(slips, {"q": code}).url.endswith(f"/rounds/{number}/tables/1/judge/")


def test_a_complete_round_can_still_be_printed(client, event):
    enter_results(event, 2)
    complete_round(event, 2)
    RoundFactory(tournament=event)
    assert len(SLIP.findall(printed(client, event, "slips/"))) == 10
