import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from standings.bracket.results import record_bracket_result
from tests.factories import TWO_NIL, RoundFactory, TournamentFactory, UserFactory, enter_results
from tests.journeys.test_flights import flights, paired
from tests.pages import Page, page, words_in
from tests.tournament.views.desk import code_of, signed_in
from tournament.access.codes import personal_code
from tournament.models import Staff, Tournament
from tournament.paper.paper_list import EVENT_LISTS, ROUND_LISTS, STANDINGS_LISTS
from tournament.results.slip import Slip
from tournament.services.drops import drop_entry
from tournament.services.entries import change_entry, rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.judging import give_penalty
from tournament.services.results import extend_table, record_result


@pytest.fixture
def event(client):
    tournament = signed_in(client, entries=20, rounds=1, published=True)
    return tournament


def desk(client, tournament, path, status=200) -> Page:
    answer = client.get(f"/t/{tournament.slug}/desk/{path}")
    assert answer.status_code == status, path
    return Page(answer)


def printed(client, tournament, what, number=2) -> Page:
    return desk(client, tournament, f"rounds/{number}/print/{what}")


def rows_of(sheets: Page) -> list[list[str]]:
    return [[*map(words_in, row.select("td"))] for row in sheets.soup.select(".paper.list tbody tr")]


def table_numbers(sheets: Page) -> list[str]:
    return sheets.all(".slip .no b")


# --- slips -----------------------------------------------------------------------------------------------


def test_every_match_has_one_slip_with_its_code_on_sheets_of_8_6_or_4(client, event):
    for per_sheet, sheets in ((8, 2), (6, 2), (4, 3)):
        slips = printed(client, event, f"slips/?per={per_sheet}")
        codes = dict(zip(table_numbers(slips), slips.all(".slip .code b"), strict=True))
        assert codes == {str(table): code_of(event, table, 2) for table in range(1, 11)}
        assert len(slips.all(".paper.slips")) == sheets
    for per in ("5", "0", "x", ""):
        assert "8, 6 or 4 match slips" in desk(client, event, f"rounds/2/print/slips/?per={per}", 400)


def test_a_slip_names_the_players_in_full_with_their_points_unless_standings_are_hidden(client, event):
    change_settings(event, name_privacy="initial")
    rename_entry(event, "P0001", "Ada Ruiz")
    slips = printed(client, event, "slips/")
    (slip,) = (slip for slip in slips.soup.select(".slip") if "Ada Ruiz" in words_in(slip))
    words = words_in(slip)
    assert "Signature, Ada Ruiz" in words and "Round 2" in words and "point" in words
    assert slip.select_one("img")["src"].startswith("data:image/svg+xml")
    assert "standings-by-rank" in str(desk(client, event, "print/?round=2").soup)
    change_settings(event, hold_standings=True)
    assert "point" not in printed(client, event, "slips/").all(".slip")[0]
    assert "standings-by-rank" not in str(desk(client, event, "print/?round=2").soup)
    desk(client, event, "rounds/2/print/standings-by-rank/", 404)
    for what in ("pairings-by-name/", "pairings-by-table/"):
        assert {len(row) for row in rows_of(printed(client, event, what))} == {3}


def test_slips_and_sweep_sheet_of_outstanding_tables_and_backs_that_follow_their_sheet(client, event):
    record_result(event, 2, 3, TWO_NIL)
    assert set(table_numbers(printed(client, event, "slips/?open=1"))) == set("12456789") | {"10"}
    backs = printed(client, event, "slips/?per=4&back=1")
    kinds = ["backs" in sheet["class"] for sheet in backs.soup.select(".paper.slips")]
    assert kinds == [False, True] * 3 and len(backs.all(".slip-back")) == 10
    assert backs.all(".slip-back dt")[:5] == ["Judge", "Player", "Infraction", "Description", "Penalty"]
    extend_table(event, 2, 5, 7)
    rows = rows_of(printed(client, event, "sweep-sheet/"))
    assert [int(row[0]) for row in rows] == [1, 2, 4, 5, 6, 7, 8, 9, 10]
    assert [(row[0], row[2]) for row in rows if row[2]] == [("5", "7 min")]


@pytest.mark.parametrize(
    ("ruleset", "heads"),
    [
        ("mtr", ["Player", "Games won", "Games drawn", "Drop"]),
        ("fide", ["Player", "Won", "Draw", "Drop"]),
        ("scrabble", ["Player", "Points", "Drop"]),
    ],
)
def test_slips_ask_for_what_the_rules_record(client, ruleset, heads):
    tournament = signed_in(client, entries=4, published=True, ruleset=ruleset)
    assert printed(client, tournament, "slips/", 1).all(".slip:first-child th") == heads


def test_points_are_the_same_on_a_slip_and_on_the_phone_where_match_wins_rank_first(client):
    tournament = TournamentFactory(entries=4, ruleset="swu", published=True)
    for table in (1, 2):
        record_result(tournament, 1, table, Slip("played", 0, 0, 1))  # a draw: a point, and no match won
    RoundFactory(tournament=tournament)
    client.force_login(tournament.owner)
    assert printed(client, tournament, "slips/").words.count("1 point") == 4
    assert "Points 1" in page(client, f"/t/{tournament.slug}/players/P0001/")


def test_the_first_round_of_a_second_session_is_printed_with_no_points(client):
    tournament = flights()
    client.force_login(tournament.owner)
    for session in (1, 2):
        number = paired(tournament, session)
    slips = printed(client, tournament, "slips/", number).all(".slip")
    assert len(slips) == 2 and all(words.count("0 points") == 2 for words in slips)
    by_name = rows_of(printed(client, tournament, "pairings-by-name/", number))
    assert [row[1] for row in by_name] == ["0"] * 4
    assert len(desk(client, tournament, "print/everything.html").all(".slip")) == 5


# --- codes -----------------------------------------------------------------------------------------------


def scanned(code: str) -> str:
    number, table, check = code.split("-")
    return f"rounds/{number}/tables/{table}/code/{check}/"


def test_the_code_of_a_slip_opens_its_match_and_for_a_judge_the_table(client, event):
    for table in (1, 7):
        code = code_of(event, table, 2)
        answer = client.get(f"/t/{event.slug}/desk/{scanned(code.lower())}")
        assert answer.url == f"/t/{event.slug}/rounds/2/tables/{table}/result/"
    Staff.objects.filter(tournament=event).update(role=Staff.Role.JUDGE)
    answer = client.get(f"/t/{event.slug}/desk/{scanned(code)}")
    assert answer.url.endswith("/desk/rounds/2/tables/7/judge/")


def test_a_code_that_does_not_fit_opens_nothing_and_says_why(client, event):
    code, old = code_of(event, 7, 2), code_of(event, 7, 1)
    first, last = (
        f"{code[:at]}{'A' if code[at] != 'A' else 'B'}{code[at + 1 :]}" for at in (-4, len(code) - 1)
    )
    assert "has a wrong character" in desk(client, event, scanned(first), 400)
    assert "does not match the players at this table" in desk(client, event, scanned(last), 400)
    over = "This slip is from round 1, table 7. That round is not in progress."
    assert over in desk(client, event, scanned(old), 409)
    desk(client, event, f"rounds/2/tables/7/code/{old[-4:]}/", 400)  # opens nothing in this round either
    for nothing in ("2-99-AAAA", "77-1-AAAA"):
        desk(client, event, scanned(nothing), 404)


def test_bracket_matches_have_slips_too_and_the_standings_are_the_final_ones_once_it_is_played(client):
    tournament = signed_in(client, entries=8, rounds=3, with_cut=4)
    assert desk(client, tournament, "print/").one(f'a[href="/t/{tournament.slug}/bracket/print/"]')
    assert table_numbers(printed(client, tournament, "slips/", 4)) == ["1", "2"]
    scan = f"/t/{tournament.slug}/desk/{scanned(code_of(tournament, 1, 4))}"
    address, at = client.get(scan).url.split("#")
    assert at == "match-4-1" and page(client, address).one(f"#{at}")
    judge = UserFactory()
    Staff.objects.create(tournament=tournament, user=judge, role="judge")
    Tournament.objects.filter(pk=tournament.pk).update(judge_results=True)  # of Swiss rounds
    client.force_login(judge)
    assert client.get(scan).url.endswith("/rounds/4/tables/1/judge/")
    assert "Final standings" not in printed(client, tournament, "standings-by-rank/", 4)
    for number, table in ((4, 1), (4, 2), (5, 1)):
        record_bracket_result(tournament, number, table, TWO_NIL)
    champion = tournament.rounds.get(number=5).matches.get().seats.get(side="a").entry.name
    final = printed(client, tournament, "standings-by-rank/", 4)
    assert "Final standings" in final and "Final place" in final
    assert [row[0] for row in rows_of(final)] == [str(place) for place in range(1, 9)]
    assert rows_of(final)[0][1] == champion
    by_name = rows_of(printed(client, tournament, "standings-by-name/", 4))
    assert [row[0] for row in by_name if row[1] == champion] == ["1"]


# --- lists of a round ------------------------------------------------------------------------------------


def test_pairings_by_name_hold_each_match_twice_and_a_bye_has_no_slip(client, event):
    rows = rows_of(printed(client, event, "pairings-by-name/"))
    assert [row[0] for row in rows] == [f"Player {n:02d}" for n in range(1, 21)]
    by_name = {row[0]: row for row in rows}
    for name, points, table, opponent in rows:
        assert points in ("0", "1", "3")
        assert by_name[opponent][2:] == [table, name]
    odd = TournamentFactory(entries=5, published=True, owner=event.owner)
    assert len(table_numbers(printed(client, odd, "slips/", 1))) == 2
    enter_results(odd, 1)
    RoundFactory(tournament=odd)
    assert [row[2] for row in rows_of(printed(client, odd, "crosstable/"))].count("+") == 1
    for what in ("pairings-by-name/", "pairings-by-table/"):
        assert [row for row in rows_of(printed(client, odd, what, 1)) if "bye" in row[-2:]]


def test_paper_on_the_wall_shows_names_as_the_public_sees_them(client, event):
    rename_entry(event, "P0001", "Ada Ruiz")
    change_settings(event, name_privacy="initial")
    for what in ("pairings-by-name/", "pairings-by-table/", "standings-by-rank/", "standings-by-name/"):
        sheets = printed(client, event, what)
        assert "Ada R." in sheets and "Ada Ruiz" not in sheets, what
    assert "Ada Ruiz" in printed(client, event, "master-result-sheet/")


def test_standings_are_by_rank_and_by_name_and_the_crosstable_says_who_met_whom(client, event):
    by_rank = rows_of(printed(client, event, "standings-by-rank/"))
    by_name = rows_of(printed(client, event, "standings-by-name/"))
    assert [int(row[0]) for row in by_rank] == list(range(1, 21))
    assert [row[1] for row in by_name] == [f"Player {n:02d}" for n in range(1, 21)]
    assert sorted(by_rank) == sorted(by_name)
    rows = rows_of(printed(client, event, "crosstable/"))
    assert [row[:2] for row in rows] == [row[:2] for row in by_rank]
    ranks = [row[0] for row in rows]
    for rank, _name, cell, points in rows:
        outcome, other = cell[0], cell[1:]
        assert points == {"W": "3", "D": "1", "L": "0"}[outcome]
        back = rows[ranks.index(other)][2]
        assert back == {"W": "L", "D": "D", "L": "W"}[outcome] + rank


def test_what_is_printed_without_a_round_or_not_before_one_is_complete(client):
    tournament = signed_in(client, entries=0)
    links = str(desk(client, tournament, "print/").soup)
    for key in EVENT_LISTS:
        assert f"/desk/print/{key}/" in links
        shown = desk(client, tournament, f"print/{key}/")
        assert len(shown.all("section.paper")) == 1 and "" not in shown.all("th")
    assert "no one plays yet" in desk(client, tournament, "print/place-cards/")
    desk(client, tournament, "print/horoscope/", 404)
    drafted = signed_in(client, entries=4, drafted=True)
    for what in ("slips/", "pairings-by-name/"):
        assert "Publish them before you print" in desk(client, drafted, f"rounds/1/print/{what}", 409)
    tournament = TournamentFactory(entries=4, published=True, owner=drafted.owner)
    links = str(desk(client, tournament, "print/?round=1").soup)
    assert "/print/pairings-by-name/" in links and not [
        key for key in STANDINGS_LISTS if f"/print/{key}/" in links
    ]
    desk(client, tournament, "rounds/1/print/crosstable/", 404)
    assert "no such sheet" in desk(client, tournament, "rounds/1/print/horoscope/", 404)


# --- without a round -------------------------------------------------------------------------------------


def test_the_player_meeting_seats_everyone_by_name_two_to_a_table(client):
    tournament = signed_in(client, entries=7, table_plan="10, 12-20")
    drop_entry(tournament, "P0007")
    rows = rows_of(desk(client, tournament, "print/seatings/"))
    assert [row[:2] for row in rows] == [
        [f"Player {n:02d}", table] for n, table in zip(range(1, 7), "10 10 12 12 13 13".split(), strict=True)
    ]
    cards = desk(client, tournament, "print/place-cards/").all(".card-of-place")
    assert len(cards) == 6 and any("Table 13" in words for words in cards)
    change_entry(tournament, "P0005", fixed_table=10)
    tables = {row[0]: row[1] for row in rows_of(desk(client, tournament, "print/seatings/"))}
    assert tables["Player 05"] == tables["Player 06"] == "10"
    assert len(set(tables.values())) == 3


@pytest.mark.parametrize("role", ["owner", "scorekeeper", "judge"])
def test_a_personal_code_is_on_the_place_card_and_on_nothing_else_that_is_printed(client, event, role):
    Staff.objects.filter(tournament=event).update(role=role)
    change_settings(event, reporting="on")
    codes = {personal_code(entry) for entry in event.entries.all()}
    cards = desk(client, event, "print/place-cards/")
    seated = set() if role == "judge" else {personal_code(e) for e in event.entries.filter(status="playing")}
    assert {code for code in codes if code in cards} == seated
    pages = [f"rounds/2/print/{key}/" for key in ROUND_LISTS] + [f"print/{key}/" for key in EVENT_LISTS]
    everything = ["print/everything.html"] if role != "judge" else []
    for address in (*pages, "rounds/2/print/slips/?back=1", *everything):
        text = str(desk(client, event, address).soup)
        assert not [code for code in codes if code in text or code.replace("-", "") in text], address


def test_the_penalty_report_has_every_penalty_whole_and_everything_on_paper_has_it_too(client, event):
    give_penalty(event, "P0003", "warning", "Tardiness", judge="Jo Judge", description="late " * 40)
    give_penalty(event, "P0004", "caution", "Insufficient shuffling")
    rows = rows_of(desk(client, event, "print/penalty-report/"))
    match = event.rounds.get(number=2).matches.get(seats__entry__code="P0003")
    assert rows[0][:4] == ["2", str(match.table), "Player 03", "warning"]
    assert " ".join(row[4] for row in rows[:-1]) == f"Tardiness · {('late ' * 40).strip()} · Jo Judge"
    assert rows[-1][2:5] == ["Player 04", "caution", "Insufficient shuffling"]
    assert "Penalty report" in desk(client, event, "print/everything.html")


@pytest.mark.long
def test_every_sheet_is_counted_and_costs_the_same_queries_at_any_size(client):
    counts: list[dict[str, int]] = []
    for players in (4, 67):
        tournament = signed_in(client, entries=players, rounds=1, published=True)
        counts.append({})
        for what in ("slips/", *(f"{key}/" for key in ROUND_LISTS | STANDINGS_LISTS)):
            with CaptureQueriesContext(connection) as queries:
                printed(client, tournament, what)
            counts[-1][what] = len(queries)
    assert counts[0] == counts[1] and max(counts[0].values()) <= 17
    rows = desk(client, tournament, "print/").soup.select("li:has(> a[href*='/rounds/2/print/'])")
    counted = [
        (row.select_one("a")["href"], int(number[1]))
        for row in rows
        if (number := re.search(r"(\d+) sheets?\b", words_in(row)))
    ]
    assert len(counted) == len(ROUND_LISTS | STANDINGS_LISTS)
    for url, count in counted:
        assert len(page(client, url).all(".paper:not(.backs)")) == count, url


def test_former_pages_lead_to_the_new_ones(client, event):
    for path, new in (
        ("rounds/2/print/", "print/?round=2"),
        ("screens/", "print/"),
        ("slips/", "print/"),
        ("check-in/", "players/check-in/"),
        ("staff/", "settings/staff/"),
        ("take-over.html", "print/everything.html"),
    ):
        answer = client.get(f"/t/{event.slug}/desk/{path}")
        assert (answer.status_code, answer["Location"]) == (301, f"/t/{event.slug}/desk/{new}")


def test_pages_of_removed_features_are_not_there(client, event):
    desk_pages = "exports/pages.zip rehearsal/ template/".split()
    round_pages = "ranges/ ranges/counts/ turnaround/ verify/ walk/ walk/rows/".split()
    for path in (
        *(f"/t/{event.slug}/desk/{what}" for what in desk_pages),
        *(f"/t/{event.slug}/desk/rounds/1/{what}" for what in round_pages),
        "/templates/1/",
        "/publishers/wotc/members/",
        *(f"/rulesets/mtr/{what}" for what in ("try/", "try/more/", f"try/events/{event.slug}/")),
    ):
        assert client.get(path).status_code == 404, path
