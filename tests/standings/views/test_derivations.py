import re
from fractions import Fraction as F
from itertools import pairwise

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from standings.engine.explanation import explain
from standings.engine.ranking import STEP, DecidingStep, parse_steps
from standings.table import sheet
from standings.table.derivation import _neighbour
from standings.table.manual_order import set_manual_order
from standings.table.sheet import load_ranked_event
from standings.table.swiss import compute_standings
from standings.words.metrics import list_step_titles, step_title
from tests.factories import TWO_NIL, RoundFactory, TournamentFactory
from tests.pages import Page
from tests.standings.table.test_exports import file, read_csv
from tests.standings.views.test_standings import club, shown
from tests.steps import complete_round
from tournament.event.read import load_event_values
from tournament.services.drops import drop_entry
from tournament.services.results import record_result

# --- why a rank ------------------------------------------------------------------------------------------


def test_every_row_says_what_put_it_below_its_neighbour(client):
    tournament = club(12, 3)
    event = load_event_values(tournament)
    ranking = compute_standings(event)
    pages = [shown(client, tournament, f"standings/{row.entry}/") for row in ranking]

    def compared(told: Page, words: str) -> tuple[str, ...]:
        found = re.search(rf"{re.escape(words)}: (.+?) vs\. (.+?)\.(?: |$)", told.words)
        assert found, words
        return found.groups()

    for (above, upper), (below, lower) in pairwise(zip(ranking.rows, pages, strict=True)):
        title = next(step_title(step) for step in ranking.steps if step.key == below.decided_by)
        values = compared(lower, f"Below {event.entries[above.entry].name} on {title}")
        assert values == compared(upper, f"Above {event.entries[below.entry].name} on {title}")[::-1]
    rank = ranking.row("P0003").rank
    why = shown(client, tournament, "players/P0003/").link(f"Why rank {rank}?")
    assert why == f"/t/{tournament.slug}/standings/P0003/"


def test_values_that_print_alike_are_told_apart_exactly():
    ranked = load_ranked_event(club(4, 1))
    column = ranked.ranking.columns.index("opp_match_win_pct")
    step = DecidingStep("P0001", "P0002", STEP, column, (F(58331, 100000), F(58332, 100000)))
    told = _neighbour(ranked, step, "P0002", below=False)
    assert told.mine == "58.33% (58331/100000)" and told.theirs.endswith("(14583/25000)")


def test_an_order_by_hand_is_shown_with_its_reason(client):
    tournament = TournamentFactory(entries=4)
    RoundFactory(tournament=tournament, results=True)
    complete_round(tournament, 1)
    tournament.refresh_from_db()
    first, second = reversed(compute_standings(load_event_values(tournament)).order[:2])
    set_manual_order(tournament, [first, second], reason="playoff game")
    told = shown(client, tournament, f"standings/{first}/")
    assert re.search(r"Above Player \d+ on Manual order: 1 vs. 2\.", told.words)
    assert "Decided by the organizer: playoff game." in told
    data = file(client, tournament, f"standings/{second}/manual.json").json()
    assert data["exact"] == "2" and "Decided by the organizer: playoff game." in data["notes"]


# --- every number ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", ["fide", "pokemon", "fab", "ffg"])
def test_every_number_leads_to_its_derivation_and_every_link_of_that_opens(client, ruleset):
    tournament = club(7, 3, ruleset=ruleset)
    code = load_ranked_event(tournament).ranking.order[1]
    numbers = shown(client, tournament).soup.select(f'td:not(.lead) a[href^="{code}/"]')
    assert len(numbers) > 2
    for link in numbers:
        told = shown(client, tournament, f"standings/{link['href']}")
        assert re.search(rf" = {re.escape(link.text.strip())}%?( |$)", told.all(".derive > p")[0]), link
    seen: set[str] = set()
    todo = [f"standings/{link['href']}" for link in numbers]
    while todo:
        path = todo.pop()
        if path not in seen:
            seen.add(path)
            links = shown(client, tournament, path).soup.select('.derive a[aria-label$="show how"]')
            todo += [link["href"].removeprefix(f"/t/{tournament.slug}/") for link in links[:2]]
    assert len(seen) > len(numbers)


def test_a_derivation_opens_in_place_shows_the_stored_draw_and_is_there_where_a_number_is(client):
    tournament = club(4, 1)
    width = len(shown(client, tournament).all("thead th"))
    row = shown(client, tournament, "standings/P0001/opp_match_win_pct/row/")
    assert row.one("tr.derivation > td")["colspan"] == str(width) and not row.all("html")
    told = shown(client, tournament, "standings/P0001/random/")
    assert "in the event's random order" in told and "SHA-256 of the event's seed" in told
    assert told.one(f'a[href="/t/{tournament.slug}/#seed"]')
    for path in NOWHERE:
        assert file(client, tournament, f"standings/{path}").status_code == 404, path
    before = shown(client, tournament, "standings/P0001/match_points/").all(".derive")
    RoundFactory(tournament=tournament)
    record_result(tournament, 2, 1, TWO_NIL)
    assert shown(client, tournament, "standings/P0001/match_points/").all(".derive") == before


def test_an_opponent_below_the_minimum_is_shown_raised(client):
    tournament = club(4, 2, results=3)
    loser = compute_standings(load_event_values(tournament)).order[-1]
    met = tournament.seats.filter(opponent__code=loser).first().entry.code
    told = shown(client, tournament, f"standings/{met}/opp_match_win_pct/")
    assert re.search(r"0\.00%.*33\.00%.*raised to the minimum", told.words)
    assert told.soup.select('a[href*="/match_win_pct/"][aria-label^="33.00%"]')


def test_frozen_figures_of_a_dropped_player_are_marked_and_explained_as_they_were(client):
    tournament = club(8, 2, ruleset="pokemon", overrides={"frozen_at_drop": True})
    metric = "opp_match_win_pct"
    met = explain(compute_standings(load_event_values(tournament)), "P0001", metric).lines[0].opponent
    before = compute_standings(load_event_values(tournament)).row(met).values
    drop_entry(tournament, met)
    RoundFactory(tournament=tournament, results=True)
    complete_round(tournament, 3)
    assert compute_standings(load_event_values(tournament)).row(met).values[1:3] == before[1:3]
    assert shown(client, tournament).words.count("tiebreakers frozen") == 1
    words = "Frozen after round 2, when the player dropped."
    assert words in shown(client, tournament, f"standings/{met}/{metric}/")
    inside = shown(client, tournament, f"standings/P0001/opp_opp_match_win_pct/{metric}/{met}/")
    assert words in inside and not inside.soup.select('[aria-label$="show how"]')
    assert words not in shown(client, tournament, f"standings/P0001/{metric}/")
    rules = shown(client, tournament, "rules/")
    assert "Players who dropped keep their tiebreakers of that time." in rules


def test_an_opponents_own_and_counted_percentage_are_both_said(client):
    """Under Carde.io a bye counts on the own page and not for opponents."""
    tournament = club(5, 3, ruleset="cardeio")
    ranking = compute_standings(load_event_values(tournament))
    records = {row.entry: ranking.views[row.entry].now.records[row.entry] for row in ranking}
    lucky = {entry for entry, record in records.items() if any(line.is_bye for line in record.rounds)}
    inside = lines = ""
    for row in ranking:
        met = [line.opponent for line in explain(ranking, row.entry, 1).lines if line.inner]
        number = f"standings/{row.entry}/opp_match_win_pct/"
        lines += shown(client, tournament, number).words
        for other in lucky.intersection(met):
            inside += shown(client, tournament, f"{number}match_win_pct/{other}/").words
    assert re.search(r"Own value [\d.]+%; counted as [\d.]+% here: byes left out", inside)
    assert re.search(r"own value [\d.]+%", lines)
    same = (1, F(33, 100))  # with the bye and without: everything won, or at the minimum
    one = min(code for code in lucky if ranking.row(code).values[2] not in same)
    own = shown(client, tournament, f"standings/{one}/game_win_pct/").words
    assert re.search(r"Counted for opponents: [\d.]+%, byes left out", own)


def test_a_derivation_for_programs_adds_up(client):
    tournament = club(6, 3)
    ranking = compute_standings(load_event_values(tournament))
    for row in ranking.rows[:3]:
        data = file(client, tournament, f"standings/{row.entry}/opp_match_win_pct.json").json()
        values = [F(line["value"]) for line in data["lines"] if line["value"]]
        assert F(data["exact"]) == row.values[1] == sum(values) / F(data["divided_by"])
        assert F(data["sum"]) == sum(values)
        assert all(line["metric"] == "match_win_pct" for line in data["lines"] if line["value"])
        assert data["neighbours"][0]["metric"] in ranking.columns


NOWHERE = (
    "P0001/elo/", "P0099/match_points/", "P0001/opp_match_win_pct/buchholz/P0002/", "P0099/",
    "P0001/opp_match_win_pct/match_win_pct/P0099/", "P0001/elo.json", "P0001/match_points/?after=9",
)  # fmt: skip


def test_derivations_cost_few_queries_and_rank_once(client, monkeypatch):
    ranked, real = [], sheet.swiss.compute_standings
    monkeypatch.setattr(sheet.swiss, "compute_standings", lambda *args: ranked.append(1) or real(*args))
    for players in (4, 40):
        tournament = club(players, 2, name=f"Club of {players}")
        ranked.clear()
        counts = []
        for code in ("P0001", "P0002", "P0003"):
            with CaptureQueriesContext(connection) as queries:
                shown(client, tournament, f"standings/{code}/opp_match_win_pct/")
            counts.append(len(queries))
        assert len(ranked) == 1
        assert counts[0] <= 10 and counts[1:] == [1, 1], counts


# --- two steps of one metric with different parameters ---------------------------------------------------

ORDER = [
    {"metric": "match_points"},
    {"metric": "buchholz", "params": {"cut_low": 1}},
    {"metric": "buchholz", "params": {"cut_low": 0}},
    {"metric": "random"},
]


def naive_buchholz(tournament) -> dict[str, list[F]]:
    """The scores of everyone's opponents, lowest first, where everyone played every round: no engine."""
    event = load_event_values(tournament)
    points = dict.fromkeys(event.entries, F(0))
    met: dict[str, list[str]] = {code: [] for code in event.entries}
    for match in (match for round_ in event.rounds for match in round_.matches):
        a, b = match.games[:2]
        points[match.a] += F((a > b) - (a < b) + 1, 2)
        points[match.b] += F((b > a) - (b < a) + 1, 2)
        met[match.a].append(match.b)
        met[match.b].append(match.a)
    return {code: sorted(points[other] for other in others) for code, others in met.items()}


def test_two_columns_of_one_metric_have_heads_sums_and_derivations_of_their_own(client):
    chess = club(10, 3, ruleset="fide", overrides={"tiebreaks": ORDER})
    naive = naive_buchholz(chess)
    assert any(values[0] for values in naive.values()), "nothing is cut: the two columns would be equal"
    table, titles = shown(client, chess), ["Buchholz, cut 1", "Buchholz"]
    heads = {head.text: head["title"] for head in table.soup.select("thead abbr")}
    assert [*heads][1:3] == titles
    assert [heads[title].rpartition("; ")[2] for title in titles] == [
        "lowest left out: 1",
        "lowest left out: 0",
    ]
    document = file(client, chess, "standings.json").json()
    assert document["slugs"][1:3] == ["buchholz", "buchholz-2"] and document["titles"][1:3] == titles
    sheet = {line["code"]: line for line in read_csv(file(client, chess, "standings.csv"))}
    for code, scores in naive.items():
        for slug, total, title in zip(
            ("buchholz", "buchholz-2"), (sum(scores[1:]), sum(scores)), titles, strict=True
        ):
            assert F(table.one(f'a[href="{code}/{slug}/"]').text.replace("½", ".5")) == total
            assert sheet[code][f"{slug} exact"] == total
            number = file(client, chess, f"standings/{code}/{slug}.json").json()
            assert (F(number["exact"]), number["title"]) == (total, title)
            assert sum(F(line["value"]) for line in number["lines"] if line["value"]) == total
            left_out = [line for line in number["lines"] if line["value"] is None]
            assert len(left_out) == (slug == "buchholz"), "the cut is not seen in the lines"
    seen = set()
    for above, below in pairwise(document["rows"]):
        values = zip(document["slugs"], above["values"], below["values"], strict=True)
        first = next(slug for slug, a, b in values if a != b)
        why = shown(client, chess, f"standings/{below['entry']}/")
        assert why.soup.select(f'a[href$="standings/{above["entry"]}/{first}/"]')
        seen.add(first)
    assert "buchholz" in seen


def test_equal_titles_say_in_which_parameters_their_steps_differ(client):
    unlabelled = [
        {"metric": "match_points"},
        {"metric": "buchholz", "params": {"rule": "raw"}},
        {"metric": "buchholz", "params": {"rule": "twixt"}},
        {"metric": "solkoff", "label": "BH"},
        {"metric": "buchholz", "params": {"rule": "fide"}, "label": "BH"},
        {"metric": "random"},
    ]
    event = club(6, 2, ruleset="fide", overrides={"tiebreaks": unlabelled})
    heads = shown(client, event).all("thead abbr")
    titles = ["Buchholz (rule: scores as they stand)", "Buchholz (rule: ClineCON)"]
    assert heads[1:5] == [*titles, "BH (Solkoff)", "BH (Buchholz)"] and len({*heads}) == len(heads)
    assert " → ".join(titles) in shown(client, event, "rules/")
    apart_anyway = ["Match points", "Buchholz, cut 1", "Buchholz", "Random tiebreaker"]
    assert list_step_titles(parse_steps(ORDER)) == apart_anyway
