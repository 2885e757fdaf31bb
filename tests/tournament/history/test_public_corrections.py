import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pairings.repair.page import repair_page
from standings.bracket.cut import make_cut
from standings.bracket.results import correct_bracket_result, record_bracket_result
from tests.factories import TWO_NIL, RoundFactory, TournamentFactory
from tests.pages import page
from tests.pairings.repair.test_services import do, second_round
from tests.steps import complete_round, confirmed
from tests.tournament.views.desk import match_of
from tests.tournament.views.phones import known
from tournament.actionlog.change import open_action
from tournament.actionlog.match_facts import MatchFact, read_match, unlocked_seats
from tournament.results.slip import Slip
from tournament.services.corrections import correct_result, correct_seats
from tournament.services.drops import drop_entry
from tournament.services.entries import add_entries
from tournament.services.event_settings import change_settings
from tournament.services.events import finish_tournament
from tournament.services.results import record_result
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db

SECRETS = ("Ana ruled it", "the slip was torn", "wren-the-scribe")
TWO_ONE, ONE_TWO, NIL_TWO = Slip("played", 2, 1), Slip("played", 1, 2), Slip("played", 0, 2)
PEOPLE = ["Kim Lee", "Ada Ruiz", "Sol Vega", "Bo Lind"]


@pytest.fixture
def event():
    """Four people after a complete round in which both tables ended 2–0; the clocks are those of Tokyo."""
    tournament = TournamentFactory(entries=0, time_zone="Asia/Tokyo")
    add_entries(tournament, PEOPLE)
    RoundFactory(tournament=tournament, results=True)
    complete_round(tournament, 1)
    return tournament


def correct(tournament, slip=ONE_TWO, number=1, table=1, service=correct_result):
    why = f"{SECRETS[1]} ({SECRETS[0]})"
    return confirmed(service, tournament, number, table, slip, actor=SECRETS[2], reason=why)


def get(client, tournament, path="", **query):
    return page(client, f"/t/{tournament.slug}/{path}", **query)


def seated(tournament, table=1, number=1):
    """(code, name) of side a, then of side b."""
    seats = match_of(tournament, table, number).seats.order_by("side")
    return list(seats.values_list("entry__code", "entry__name"))


def mark_in(shown):
    return shown.one("[data-v]")["data-v"]


def announced_in(shown):
    return shown.one("[data-announce]")["data-announce"].strip() if shown.all("[data-announce]") else ""


def tags_in(shown):
    return shown.all(".tag.wait").count("corrected")


def changes_in(shown):
    return shown.all("#changes li li")


def test_the_page_of_a_corrected_round_says_what_was_and_what_is(client, event):
    (_a, a), (_b, b) = seated(event)
    assert changes_in(get(client, event, "rounds/1/")) == []
    action = correct(event)
    shown = get(client, event, "rounds/1/", by="table")
    assert changes_in(shown) == [f"Table 1: {a} 1–2 {b}, was 2–0"]
    assert tags_in(shown) == 1
    assert tags_in(get(client, event, "rounds/1/")) == 2, "each match is listed twice"
    hour = (action.at.hour + 9) % 24
    assert re.search(rf"\d+ \w+ \d{{4}}, {hour:02d}:{action.at.minute:02d} · corrected", shown.words)
    undo_action(event, action.number)
    assert "corrected" not in get(client, event, "rounds/1/")
    undo_action(event, action.number + 1)
    assert changes_in(get(client, event, "rounds/1/"))
    with open_action(event, "correction", reason=SECRETS[0]) as log:
        log.set(log.tournament.entries.get(code="P0001"), status="dropped", dropped_after=1)
    assert "Your entry was corrected." in get(client, event, "players/P0001/")
    assert "Your entry" not in get(client, event, "players/P0002/")


def test_nobody_learns_why_or_by_whom(client, event):
    known(client, event)
    correct(event)
    finish_tournament(event)
    code = seated(event)[0][0]
    paths = f"""now/ rounds/1/ rounds/1/?by=table rounds/1/pairings/ rounds/1/proof/ standings/ players/ bracket/
        players/{code}/ players/{code}/now/ me/P0001/"""
    pages = "".join(str(get(client, event, path).soup) for path in ("", *paths.split()))
    assert pages.count("1–2") > 4
    assert not [secret for secret in SECRETS if secret in pages]


@pytest.mark.parametrize(
    ("privacy", "hidden"), [("initial", ["Lee", "Ruiz", "Vega", "Lind"]), ("alias", ["Lee", "Kim"])]
)
def test_players_are_named_as_on_every_public_page(client, event, privacy, hidden):
    kim = event.entries.get(name="Kim Lee").code
    with open_action(event, "rename") as log:
        log.set_personal(log.tournament.entries.get(code=kim), alias="Fox")
    change_settings(event, name_privacy=privacy)
    table = next(table for table in (1, 2) if kim in dict(seated(event, table)))
    correct(event, table=table)
    for path in ("rounds/1/", f"players/{kim}/", f"players/{kim}/now/"):
        shown = get(client, event, path)
        assert "corrected" in shown and not [name for name in hidden if name in str(shown.soup)]
    [line] = changes_in(get(client, event, "rounds/1/"))
    assert ("Fox" if privacy == "alias" else "Kim L.") in line


def test_every_kept_page_shows_a_correction_and_its_undo(client, event):
    code = seated(event)[0][0]
    polls = ["rounds/1/pairings/", "standings/table/", f"players/{code}/now/"]
    pages = ["rounds/1/", "standings/", f"players/{code}/"]

    def marks():
        return [mark_in(get(client, event, poll)) for poll in polls]

    def statuses(seen):
        answers = zip(polls, seen, strict=True)
        return [client.get(f"/t/{event.slug}/{poll}", {"v": mark}).status_code for poll, mark in answers]

    def texts():
        return [get(client, event, path).words for path in pages]

    for change in (
        lambda: correct(event),
        lambda: undo_action(event, event.revision),
        lambda: finish_tournament(event),
        lambda: correct(event, TWO_ONE),
        lambda: undo_action(event, event.revision),
    ):
        seen, before = marks(), texts()
        assert statuses(seen) == [204] * 3
        change()
        assert statuses(seen) == [200] * 3
        assert all(old != new for old, new in zip(before, texts(), strict=True))
        assert statuses(marks()) == [204] * 3


def test_a_result_of_a_round_in_progress_is_its_players_business_until_its_end(client, event):
    RoundFactory(tournament=event)
    record_result(event, 2, 1, TWO_NIL)
    phone = f"players/{seated(event, 1, 2)[0][0]}/now/"
    correct(event, number=2)
    assert "Correction in round 2: lost 1–2" in get(client, event, phone)
    assert "corrected" not in get(client, event, "rounds/2/") and "1–2" not in get(client, event, "rounds/2/")
    undo_action(event, event.revision)
    assert "Correction" not in get(client, event, phone)
    undo_action(event, event.revision)
    record_result(event, 2, 2, TWO_NIL)
    complete_round(event, 2)
    assert len(changes_in(get(client, event, "rounds/2/"))) == 1
    assert "corrected" not in get(client, event, "rounds/1/")


def test_the_phones_concerned_say_it_until_the_next_round_is_published(client, event):
    (code, _a), (other, b) = seated(event)
    mine = known(client, event, code).removeprefix(f"/t/{event.slug}/")
    stranger = seated(event, 2)[0][0]
    drop_entry(event, other)
    assert announced_in(get(client, event, f"players/{code}/now/")) == ""
    correct(event, ONE_TWO)
    sentence = f"Correction in round 1: lost 1–2 against {b}."
    for path in (f"players/{code}/", f"players/{code}/now/", mine):
        shown = get(client, event, path)
        [_notice] = [words for words in shown.all("p.notice.wait") if words.startswith(sentence)]
        assert tags_in(shown) == 1
        assert shown.soup.select(f'a[href="/t/{event.slug}/me/{code}/flag/?round=1"]')
    assert announced_in(get(client, event, f"players/{code}/now/")) == sentence
    assert "Correction in round 1: won 2–1 against" in get(client, event, f"players/{other}/")
    assert "corrected" not in get(client, event, f"players/{stranger}/")
    mark = mark_in(get(client, event, f"players/{other}/now/"))
    RoundFactory(tournament=event)
    for path in (f"players/{code}/", f"players/{other}/"):
        shown = get(client, event, path)
        assert "Correction in" not in shown and tags_in(shown) == 1
    assert client.get(f"/t/{event.slug}/players/{other}/now/", {"v": mark}).status_code == 200
    correct(event, TWO_ONE)
    assert re.fullmatch(
        r"Round 2: table \d, against [\w ]+\. Correction in round 1: \w+ \d–\d against [\w ]+\.",
        announced_in(get(client, event, f"players/{code}/now/")),
    )


def reseat(tournament, changes):
    """Other people at the tables of round 1, as a correction writes it: {table or code of one alone: (a, b)}."""
    with open_action(tournament, "correction", reason=SECRETS[0]) as log:
        round_ = log.tournament.rounds.get(number=1)
        with unlocked_seats(round_):
            facts = [read_match(match) for match in round_.matches.all()]
            log.unseat(round_)
            log.seat(round_, changes({fact.table: fact for fact in facts}))


def test_who_sat_at_a_table_is_corrected_and_older_lines_keep_their_players(client, event):
    (a, a_name), (b, b_name) = seated(event)
    (c, c_name), (_d, d_name) = seated(event, 2)
    correct(event, ONE_TWO)
    correct_seats(event, 1, 1, c, b, reason=SECRETS[0])
    assert changes_in(get(client, event, "rounds/1/")) == [
        f"Table 1: {a_name} 1–2 {b_name}, was 2–0",
        f"Table 1: {c_name} 1–2 {b_name}, was {a_name} 1–2 {b_name}",
        f"Table 2: {a_name} 2–0 {d_name}, was {c_name} 2–0 {d_name}",
    ]
    assert f"Correction in round 1: won 2–0 against {d_name}." in get(client, event, f"players/{a}/")
    assert f"Correction in round 1: won 2–1 against {c_name}." in get(client, event, f"players/{b}/")


def test_a_bye_given_and_a_match_taken_away_are_said(client, event):
    (a, a_name), (b, b_name) = seated(event)

    def byes(at):
        bye = {"table": None, "games": None, "winner": "", "result": "half_bye", "draws_allowed": True}
        alone = at[1]._replace(b=None, **bye)
        return [at[2], alone, alone._replace(a=b, result="missed")]

    reseat(event, byes)
    lines = changes_in(get(client, event, "rounds/1/"))
    assert lines[0] == f"Table 1: no one, was {a_name} 2–0 {b_name}"
    assert set(lines[1:]) == {f"{a_name}: half-point bye, was table 1", f"{b_name}: missed, was table 1"}
    assert "Correction in round 1: half-point bye." in get(client, event, f"players/{a}/")


def test_a_player_who_was_missing_is_seated_and_kept_standings_move(client, event):
    add_entries(event, ["Jo Park"], reason="train")
    late = event.entries.get(name="Jo Park").code
    with open_action(event, "correction") as log:
        log.unseat(round_ := log.tournament.rounds.get(number=1), of=[late])
    mark = mark_in(get(client, event, "standings/table/"))
    with open_action(event, "correction", reason=SECRETS[0]) as log, unlocked_seats(round_):
        log.seat(round_, [MatchFact(late, result="half_bye")])
    assert client.get(f"/t/{event.slug}/standings/table/", {"v": mark}).status_code == 200
    assert "Jo Park: half-point bye, was not in this round" in changes_in(get(client, event, "rounds/1/"))


def test_a_repaired_round_says_which_tables_changed(client):
    tournament = second_round(7)
    add_entries(tournament, ["Kim Late"], reason="train")
    late = tournament.entries.get(name="Kim Late").code
    do(tournament, repair_page(tournament, 2, added=[late], removed=[]), "keep", reason=SECRETS[1])
    shown = get(client, tournament, "rounds/2/", by="table")
    lines = changes_in(shown)
    assert lines and "· re-paired" in shown and any("Kim Late" in line for line in lines)
    assert SECRETS[1] not in str(shown.soup) and tags_in(shown) == 0
    assert "Round 2 was re-paired after it was published." in get(client, tournament, f"players/{late}/")


def test_a_finished_event_says_when_and_where_it_was_corrected(client, event):
    RoundFactory(tournament=event, results=True)
    complete_round(event, 2)
    correct(event)
    assert "Corrected on" not in get(client, event) and "Corrected on" not in get(client, event, "standings/")
    finish_tournament(event)
    correct(event, TWO_ONE)
    correct(event, number=2)
    action = correct(event, number=2, table=2)
    for path in ("", "standings/", "standings/?by=name"):
        shown = get(client, event, path)
        assert re.search(r"Corrected on \d+ \w+ 20\d\d: 3 results · round 1 · round 2", shown.words)
        assert shown.link("round 1") == f"/t/{event.slug}/rounds/1/"
    assert "Corrected on" not in get(client, event, "standings/?after=1")
    undo_action(event, action.number)
    assert ": 2 results" in get(client, event) and ": 2 results" in get(client, event, "standings/")
    assert "What changed" in get(client, event, "rounds/1/")


def test_a_bracket_says_what_was_corrected_and_which_later_match_was_emptied(client):
    tournament = TournamentFactory(entries=8, rounds=2, with_cut=4)
    for number, table in [(3, 1), (3, 2), (4, 1)]:
        record_bracket_result(tournament, number, table, TWO_NIL)
    finish_tournament(tournament)
    (winner, winner_name), (loser, loser_name) = seated(tournament, 1, 3)
    tree = mark_in(get(client, tournament, "bracket/tree/"))
    correct(tournament, NIL_TWO, 3, 1, service=correct_bracket_result)
    assert client.get(f"/t/{tournament.slug}/bracket/tree/", {"v": tree}).status_code == 200
    said = f"Table 1: {winner_name} 0–2 {loser_name}, was 2–0"
    assert changes_in(get(client, tournament, "rounds/3/")) == [said]
    [line] = changes_in(get(client, tournament, "rounds/4/"))
    assert f"{loser_name} – " in line or f" – {loser_name}" in line
    assert "2–0" in line.partition(", was ")[2] and winner_name in line.partition(", was ")[2]
    out, through = (get(client, tournament, f"players/{code}/") for code in (winner, loser))
    assert f"Correction in the semifinals: lost 0–2 against {loser_name}." in out
    assert "Correction: you are not in the final anymore." in out
    assert f"Correction in the semifinals: won 2–0 against {winner_name}." in through
    record_bracket_result(tournament, 4, 1, TWO_NIL)
    tournament.refresh_from_db()
    if tournament.state != "finished":
        finish_tournament(tournament)
    assert "Corrected on" in get(client, tournament, "bracket/") and "Corrected on" in get(client, tournament)


def test_a_swiss_correction_leaves_the_phone_once_the_bracket_is_set(client):
    tournament = TournamentFactory(entries=8, rounds=2)
    complete_round(tournament, 2)
    code = seated(tournament, 1, 2)[0][0]
    correct(tournament, Slip("double_loss"), 2, 1)
    assert "Correction in round 2" in get(client, tournament, f"players/{code}/")
    make_cut(tournament, 4)
    assert "Correction in round 2" not in get(client, tournament, f"players/{code}/")
    correct(tournament, TWO_ONE, 2, 1)
    assert "Correction in round 2" in get(client, tournament, f"players/{code}/")


def test_the_desk_marks_corrected_rows_and_leads_to_the_log(client, event):
    client.force_login(event.owner)
    action = correct(event)
    link = get(client, event, "desk/rounds/1/").one("a.tag.wait")["href"]
    assert page(client, link).one(f"li#action-{action.number}") and link.endswith(f"#action-{action.number}")
    assert get(client, event, "desk/rounds/1/rows/", since=1).all("a.tag.wait") == ["corrected"]
    undo_action(event, action.number)
    assert get(client, event, "desk/rounds/1/").all("a.tag.wait") == []


def queries_of(client, tournament, path):
    with CaptureQueriesContext(connection) as queries:
        get(client, tournament, path)
    return len(queries)


def test_any_number_of_tables_and_corrections_costs_the_same_queries(client):
    counts = []
    for players, corrections in ((8, 1), (64, 20)):
        tournament = TournamentFactory(entries=players, rounds=1)
        complete_round(tournament, 1)
        plain = queries_of(client, tournament, "rounds/1/")
        for table in range(1, corrections + 1):
            correct(tournament, Slip("double_loss"), table=table)
        client.force_login(tournament.owner)
        paths = ("rounds/1/", "players/P0001/", "desk/rounds/1/", "standings/")
        counts.append((plain, *(queries_of(client, tournament, path) for path in paths)))
    assert counts[0] == counts[1]
    more = (
        "the version of the cached page",
        "who sits there now",
        "what is undone",
        "what tables are called",
    )
    assert counts[0][1] - counts[0][0] == len(more), more
