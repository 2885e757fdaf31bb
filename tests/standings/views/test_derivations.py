"""Why a rank, and how every number came about, as pages and as JSON."""

import json
import re
from fractions import Fraction as F

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from standings.engine import explain
from standings.event.swiss import standings_of
from standings.table.cache import ranked_event_of
from standings.table.manual_order import set_manual_order
from standings.words.metrics import title_of_step
from tests.factories import TWO_NIL, RoundFactory, TournamentFactory, enter_results
from tests.standings.table.test_exports import club, page, status
from tests.steps import complete_round
from tournament.event.read import event_of
from tournament.services.drops import drop_entry
from tournament.services.results import record_result

pytestmark = pytest.mark.django_db


def test_every_row_says_what_put_it_below_its_neighbour(client):
    tournament = club(12, 3)
    ranking = standings_of(event_of(tournament))
    names = {code: entry.name for code, entry in event_of(tournament).entries.items()}
    for above, below in zip(ranking.rows, ranking.rows[1:], strict=False):
        title = next(title_of_step(step) for step in ranking.steps if step.key == below.decided_by)
        text = page(client, tournament, f"standings/{below.entry}/")
        assert f"Below {names[above.entry]} on {title}: " in text
        assert f"Above {names[below.entry]} on {title}: " in page(
            client, tournament, f"standings/{above.entry}/"
        )


def test_values_that_print_alike_are_told_apart_exactly(client):
    tournament = club(4, 1)
    reading = ranked_event_of(tournament)
    from standings.engine.ranking.deciding_step import STEP, DecidingStep
    from standings.table.neighbours import _neighbour

    column = reading.ranking.columns.index("opp_match_win_pct")
    step = DecidingStep("P0001", "P0002", STEP, column, (F(58331, 100000), F(58332, 100000)))
    explanation = _neighbour(reading, step, "P0002", below=False)
    assert explanation.mine == "58.33% (58331/100000)" and explanation.theirs.endswith("(14583/25000)")


def test_why_this_rank_is_one_link_from_the_players_own_page(client):
    tournament = club(5, 2)
    rank = standings_of(event_of(tournament)).row("P0003").rank
    text = page(client, tournament, "players/P0003/")
    assert re.search(rf'<a href="(/t/{tournament.slug}/standings/P0003/)">Why rank {rank}\?</a>', text)
    assert f"rank {rank}" in page(client, tournament, "standings/P0003/")


@pytest.mark.parametrize("ruleset", ["fide", "pokemon", "fab", "ffg"])
def test_every_link_of_every_derivation_opens(client, ruleset):
    """All numbers of a row, all their parts, and the parts of those."""
    tournament = club(7, 3, ruleset=ruleset)
    reading = ranked_event_of(tournament)
    seen: set[str] = set()
    todo = [
        f"/t/{tournament.slug}/standings/{reading.ranking.order[1]}/{key}/"
        for key in set(reading.ranking.columns)
    ]
    while todo:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        answer = client.get(path)
        assert answer.status_code == 200, path
        matches = re.findall(r'href="([^"]+)"\s+aria-label="[^"]*show how"', answer.content.decode())
        todo += matches[:2]
    assert len(seen) > len(set(reading.ranking.columns))


def test_frozen_figures_of_a_dropped_player_are_marked_and_explained_as_they_were(client):
    tournament = TournamentFactory(entries=8, rounds=2, ruleset="pokemon", overrides={"frozen_at_drop": True})
    complete_round(tournament, 2)
    metric = "opp_match_win_pct"
    met = explain(standings_of(event_of(tournament)), "P0001", metric).lines[0].opponent
    before = standings_of(event_of(tournament)).row(met).values
    drop_entry(tournament, met)
    RoundFactory(tournament=tournament, results=True)
    complete_round(tournament, 3)
    assert standings_of(event_of(tournament)).row(met).values[1:3] == before[1:3]
    assert page(client, tournament, "standings/").count("tiebreakers frozen") == 1
    words = "Frozen after round 2, when the player dropped."
    assert words in page(client, tournament, f"standings/{met}/{metric}/")
    inside = page(client, tournament, f"standings/P0001/opp_opp_match_win_pct/{metric}/{met}/")
    assert words in inside and "show how" not in inside
    assert words not in page(client, tournament, f"standings/P0001/{metric}/")
    assert "Players who dropped keep their tiebreakers of that time." in page(client, tournament, "rules/")


def with_a_bye(ranking) -> set[str]:
    """Codes of those who had a bye."""
    records = {row.entry: ranking.views[row.entry].now.records[row.entry] for row in ranking}
    return {entry for entry, record in records.items() if any(line.is_bye for line in record.rounds)}


def test_an_opponents_own_and_counted_percentage_are_both_said(client):
    """Under Carde.io a bye counts on the own page and not for opponents."""
    tournament = club(5, 3, ruleset="cardeio")
    ranking = standings_of(event_of(tournament))
    lucky = with_a_bye(ranking)
    base, words, lines = "standings/{}/opp_match_win_pct/", "", ""
    for row in ranking:
        met = [line.opponent for line in explain(ranking, row.entry, 1).lines if line.inner]
        lines += page(client, tournament, base.format(row.entry))
        for other in lucky.intersection(met):
            words += page(client, tournament, f"{base.format(row.entry)}match_win_pct/{other}/")
    assert re.search(r"Own value [\d.]+%; counted as [\d.]+% here: byes left out", words)
    assert re.search(r"own value [\d.]+%", lines)


def test_the_own_percentage_says_what_opponents_see(client):
    tournament = club(5, 3, ruleset="cardeio")
    ranking = standings_of(event_of(tournament))
    same = (1, F(33, 100))  # with the bye and without: everything won, or at the minimum
    lucky = min(code for code in with_a_bye(ranking) if ranking.row(code).values[2] not in same)
    text = page(client, tournament, f"standings/{lucky}/game_win_pct/")
    assert re.search(r"Counted for opponents: [\d.]+%, byes left out", text)


def test_a_derivation_for_programs_adds_up(client):
    tournament = club(6, 3)
    ranking = standings_of(event_of(tournament))
    for row in ranking.rows[:3]:
        data = json.loads(
            client.get(f"/t/{tournament.slug}/standings/{row.entry}/opp_match_win_pct.json").content
        )
        values = [F(line["value"]) for line in data["lines"] if line["value"]]
        assert F(data["exact"]) == row.values[1] == sum(values) / F(data["divided_by"])
        assert F(data["sum"]) == sum(values)
        assert all(line["metric"] == "match_win_pct" for line in data["lines"] if line["value"])
        assert data["neighbours"][0]["metric"] in ranking.columns


def test_the_draw_of_lots_is_shown_as_the_stored_draw(client):
    tournament = club(4, 1)
    text = page(client, tournament, "standings/P0001/random/")
    assert "in the event's random order" in text and "SHA-256 of the event's seed" in text
    assert f'href="/t/{tournament.slug}/#seed"' in text


def test_an_order_by_hand_is_shown_with_its_reason(client):
    tournament = TournamentFactory(entries=4)
    enter_results(tournament, RoundFactory(tournament=tournament).number)
    complete_round(tournament, 1)
    tournament.refresh_from_db()
    first, second = reversed(standings_of(event_of(tournament)).order[:2])
    set_manual_order(tournament, [first, second], reason="playoff game")
    text = page(client, tournament, f"standings/{first}/")
    assert re.search(r"Above Player \d+ on Manual order: <a [^>]*>1</a> vs. <a [^>]*>2</a>", text)
    assert "Decided by the organizer: playoff game." in text
    data = json.loads(client.get(f"/t/{tournament.slug}/standings/{second}/manual.json").content)
    assert data["exact"] == "2" and "Decided by the organizer: playoff game." in data["notes"]


NOWHERE = (
    "P0001/elo/", "P0099/match_points/", "P0001/opp_match_win_pct/buchholz/P0002/", "P0099/",
    "P0001/opp_match_win_pct/match_win_pct/P0099/", "P0001/elo.json", "P0001/match_points/?after=9",
)  # fmt: skip


def test_a_number_that_is_not_there_is_not_found(client):
    tournament = club(4, 1)
    for path in NOWHERE:
        assert status(client, tournament, f"standings/{path}") == 404, path


def test_derivations_cost_few_queries_and_rank_once(client, monkeypatch):
    from standings.table import cache as module

    ranked = []
    real = module.standings_of
    monkeypatch.setattr(module, "standings_of", lambda *args: ranked.append(1) or real(*args))
    for players in (4, 40):
        tournament = club(players, 2, name=f"Club of {players}")
        ranked.clear()
        counts = []
        for code in ("P0001", "P0002", "P0003"):
            with CaptureQueriesContext(connection) as queries:
                page(client, tournament, f"standings/{code}/opp_match_win_pct/")
            counts.append(len(queries))
        assert len(ranked) == 1
        assert counts[0] <= 10 and counts[1:] == [2, 2], counts


def test_an_open_result_changes_no_derivation(client):
    tournament = club(4, 1)
    before = page(client, tournament, "standings/P0001/match_points/")
    RoundFactory(tournament=tournament)
    record_result(tournament, 2, 1, TWO_NIL)
    assert page(client, tournament, "standings/P0001/match_points/").count("Sum") == before.count("Sum")
    assert "Sum 6" not in page(client, tournament, "standings/P0001/match_points/")
