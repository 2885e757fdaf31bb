"""Real play-offs: 68 top eights of a platform, those inside the real events, and ClineCON's by hand."""

import json
from pathlib import Path

import pytest

from standings.bracket.results import record_bracket_result
from standings.engine.bracket.cut import cut, places_in_bracket
from standings.engine.bracket.tree import Meeting, fill_bracket, place_on_lines
from standings.table.places import build_event_bracket, find_elimination_stage, list_seeds, rank_final_places
from tests.conftest import CI, THOROUGH
from tournament.actionlog import integrity
from tournament.archive import read_file
from tournament.archive.load import load_event
from tournament.event.read import load_event_values
from tournament.event.types import Event, Match, Round
from tournament.models import Match as MatchRow
from tournament.results.slip import Slip

LARGE = 100_000  # bytes; larger events in CI only
PARTS = 3  # so that workers share them


# --- 68 top eights: ranks, winners, pairs ---------------------------------------------------------------


@pytest.fixture(scope="module")
def top_eights(shared_data) -> list[dict]:
    return json.loads((shared_data / "brackets.json").read_text(encoding="utf-8"))["brackets"]


def recorded(real: dict) -> list[Meeting]:
    """Its seven matches, ranks as names; the platform names the winner first."""
    rounds = (*real["quarterfinals"], *real["semifinals"], *real["final"])
    return [Meeting(str(winner), str(loser), str(winner)) for winner, loser, _games in rounds]


def test_real_top_eights_stand_in_our_quarter_finals_and_halves(top_eights):
    """60 of ranks 1 to 8; in seven one of them did not play, the ninth did, and the eight present are seeds 1 to 8."""
    ours = [real for real in top_eights if real["kind"] in ("standard", "moved_up")]
    assert (len(top_eights), len(ours)) == (68, 67)
    for real in ours:
        quarters = {frozenset(match[:2]) for match in real["quarterfinals"]}
        playing = sorted(rank for pair in quarters for rank in pair)
        absent = {str(rank) for rank in range(1, playing[-1])} - {*map(str, playing)}
        assert len(absent) == (real["kind"] == "moved_up"), real["path"]
        seeds = cut(map(str, range(1, real["standings"] + 1)), 8, passed_over=absent).qualifiers
        assert seeds == [str(rank) for rank in playing]
        standard = ((1, 8), (4, 5), (2, 7), (3, 6))
        assert quarters == {frozenset((playing[a - 1], playing[b - 1])) for a, b in standard}
        stands_in_our_tree(real, seeds)


def stands_in_our_tree(real: dict, seeds: list[str]) -> None:
    """Every recorded match has its slot in the standard tree, and the places follow."""
    meetings = recorded(real)
    bracket = fill_bracket(seeds, meetings)
    assert bracket.lines == place_on_lines(seeds), real["path"]
    assert bracket.placing == []
    assert {match.meeting for match in bracket.matches.values()} == set(meetings)
    champion, second, _games = real["final"][0]
    order = [row.entry for row in places_in_bracket(bracket)]
    assert order[:2] == [str(champion), str(second)]
    beaten = {str(loser) for _winner, loser, _games in real["semifinals"]}
    assert order[2:4] == sorted(beaten, key=int)


def test_the_one_draft_final_was_drawn_by_seats_and_is_still_read(top_eights):
    """A draft's top eight sits by seats, 1-5 2-6 3-7 4-8: no bracket by rank; its tree is inferred."""
    (real,) = [real for real in top_eights if real["kind"] == "draft_seats"]
    seeds = [str(rank) for rank in range(1, 9)]
    bracket = fill_bracket(seeds, recorded(real))
    assert bracket.lines != place_on_lines(seeds)
    assert bracket.placing == [] and bracket.champion == str(real["final"][0][0])


# --- the play-offs inside the real events, replayed by the services -------------------------------------


def playoffs(folder: Path) -> list[tuple[Path, Event]]:
    """Real events with an elimination stage; the larger ones in CI only."""
    paths = sorted((folder / "events").glob("*.json"))
    events = [(path, read_file(path)) for path in paths if CI or path.stat().st_size <= LARGE]
    return [(path, event) for path, event in events if find_elimination_stage(event)]


def main_matches(event: Event) -> dict[frozenset, Match]:
    """The recorded matches of the tree itself, by their two players; places played out apart."""
    bracket = build_event_bracket(event)
    met = [match.meeting for match in bracket.matches.values() if match.meeting]
    return {frozenset((meeting.a, meeting.b)): meeting.ref[1] for meeting in met}


def before_the_first_result(event: Event) -> Event:
    """The same event with its seeds stored and its first elimination round open."""
    stage = find_elimination_stage(event)
    stage.seeds = tuple(list_seeds(event, stage))
    stage.entries = None
    number = event.rounds_of(stage.number)[0].number
    lines = place_on_lines(stage.seeds)
    tables = [
        Match(table=place, a=a, b=b, slot=f"W1.{place}")
        for place, (a, b) in enumerate(zip(lines[::2], lines[1::2], strict=True), start=1)
    ]
    event.rounds = [round_ for round_ in event.rounds if round_.stage != stage.number]
    event.rounds.append(Round(number, stage.number, "published", tables))
    event.state = "running"
    return event


OTHER_DRAW = ("0093",)  # the winners of 1-8 and 4-5 did not meet in its semifinals


def test_all_real_play_offs_but_one_stand_in_the_standard_tree(shared_data):
    brackets = playoffs(shared_data)
    drawn_otherwise = [
        path.name[:4]
        for path, event in brackets
        if build_event_bracket(event).lines
        != place_on_lines(list_seeds(event, find_elimination_stage(event)))
    ]
    assert len(brackets) == (16 if CI else 12)
    assert tuple(drawn_otherwise) == OTHER_DRAW


@pytest.mark.long
@pytest.mark.django_db
@pytest.mark.parametrize(
    "part",
    [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, PARTS) if THOROUGH or not CI)],
)
def test_real_play_offs_replayed_by_the_services_end_in_the_same_places(shared_data, part):
    """Three events played out every place: 5 matches beside the tree only reorder those beaten in one round."""
    for path, event in playoffs(shared_data)[part::PARTS]:
        seeds = list_seeds(event, find_elimination_stage(event))
        results = main_matches(event)
        assert len(results) == len(seeds) - 1
        if path.name.startswith(OTHER_DRAW):
            continue
        expected = without_places_played_out(read_file(path))
        tournament = load_event(before_the_first_result(event))
        replay(tournament, results)
        again = load_event_values(tournament)
        assert rank_final_places(again)[: len(seeds)] == expected[: len(seeds)], path.name
        assert build_event_bracket(again).champion == expected[0].entry
        assert integrity.check(tournament) == []


def without_places_played_out(event: Event) -> list:
    stage = find_elimination_stage(event)
    main = {id(match) for match in main_matches(event).values()}
    for round_ in event.rounds_of(stage.number):
        round_.matches = [match for match in round_.matches if id(match) in main]
    return rank_final_places(event)


def replay(tournament, results: dict[frozenset, Match]) -> None:
    open_ = MatchRow.objects.filter(round__tournament=tournament, round__swiss=False, result=None)
    while match := open_.select_related("round").order_by("round__number", "table").first():
        a, b = (seat.entry.code for seat in match.seats.select_related("entry").order_by("side"))
        games = results[frozenset((a, b))].games
        won, lost, drawn = games if results[frozenset((a, b))].a == a else (games[1], games[0], games[2])
        slip = Slip("played", won, lost, drawn)
        record_bracket_result(tournament, match.round.number, match.table, slip)


# --- ClineCON, worked by hand ---------------------------------------------------------------------------


@pytest.mark.django_db
def test_clinecon_agrees_through_the_database_and_its_pages(client, shared_data):
    tournament = load_event(read_file(shared_data / "clinecon.json"))
    theirs = json.loads((shared_data / "clinecon.json").read_text(encoding="utf-8"))["published"]
    stage = tournament.stages.get(kind="elimination")
    stored = stage.stage_entries.order_by("seed").values_list("entry__code", flat=True)
    assert list(stored.exclude(seed=None)) == theirs["cut"]
    waiting = stage.stage_entries.exclude(alternate=None).order_by("alternate")
    assert list(waiting.values_list("entry__code", flat=True)) == theirs["alternates"]
    document = client.get(f"/t/{tournament.slug}/bracket.json").json()
    assert document["champion"] == theirs["places"][0]
    ours = [(place["best"], place["worst"], place["entry"]) for place in document["places"]]
    assert ours[:8] == [(n, n, entry) for n, entry in enumerate(theirs["places"], start=1)]
    assert len(ours) == len(theirs["rows"])
    first = document["rounds"][0]["matches"][0]
    assert (first["a"]["seed"], first["b"]["seed"]) == (1, 8)
    assert (first["games"], first["repeat_games"], first["winner"]) == ([0, 0, 1], [[1, 0, 0]], "a")
    assert document["rounds"][1]["matches"][0]["decided"] == "higher_seed"
