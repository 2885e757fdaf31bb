"""An order tried on the events of the installation: who is in, who is out, and the step that decides it."""

import re

import pytest

from standings.rulesets.trial.comparison import (
    compare_rankings,
    cut_size_of,
    deciding_value_of,
    event_under,
    missing_data_of,
)
from standings.rulesets.trial.events import events_visible_to
from tests.factories import TournamentFactory, UserFactory
from tests.standings.engine import builders
from tournament.archive import read_file
from tournament.archive.load import load_event
from tournament.models import Ruleset, Tournament
from tournament.rulesets import resolve
from tournament.services.event_settings import change_settings
from tournament.services.publishers import create_publisher
from tournament.services.rulebooks import copy_ruleset

SMALL = ("0007", "0018", "0019", "0033")


def real(shared_data, *numbers):
    """Real events by the number their file begins with."""
    return [read_file(next((shared_data / "events").glob(f"{number}-*.json"))) for number in numbers]


def weekend():
    """Two rounds: C won both, A the first, B the second, D none. A and B met the same; the lot favours B."""
    match = builders.match
    return builders.event(
        [match("A", "D", games="W"), match("C", "B", games="W")],
        [match("C", "A", games="W"), match("B", "D", games="W")],
        preset="dci1999",
        A={"lot": 2},
        B={"lot": 1},
    )


def by_time():
    profile = resolve("dci1999")
    profile["tiebreaks"] = [{"metric": m} for m in ("match_points", "cumulative", "random")]
    return profile


def test_who_comes_in_for_whom_and_by_what_both_ways():
    ours = weekend()
    (swap,) = compare_rankings(ours, event_under(ours, by_time()), 2).swaps
    assert (swap.into, swap.out) == (("A", 3, 2), ("B", 2, 3))
    assert (swap.now.step.key, swap.now.above, swap.now.below) == ("cumulative", 6, 3)
    assert (swap.then.step.key, swap.then.above, swap.then.below) == ("random", 1, 2)


@pytest.mark.parametrize("key", ["pokemon", "twixt", "fide"])
def test_a_swap_is_decided_by_the_first_step_that_separates_the_two(shared_data, key):
    for theirs in real(shared_data, *SMALL):
        comparison = compare_rankings(theirs, event_under(theirs, resolve(key)))
        for swap in comparison.swaps:
            mine, other = comparison.after.row(swap.into.entry), comparison.after.row(swap.out.entry)
            place = comparison.after.steps.index(swap.now.step)
            assert mine.values[:place] == other.values[:place]
            assert (swap.now.above, swap.now.below) == (mine.values[place], other.values[place])
            assert mine.rank < other.rank and swap.into.before > swap.out.before
        ranks = {row.entry: row.rank for row in comparison.before}
        changed = {row.entry for row in comparison.after if ranks[row.entry] != row.rank}
        assert {move.entry for move in comparison.moves} == changed


def test_the_same_rules_change_nothing(shared_data):
    for theirs in real(shared_data, *SMALL):
        comparison = compare_rankings(theirs, event_under(theirs, theirs.profile))
        assert not comparison.swaps and not comparison.moves


def test_the_length_of_the_matches_stays_the_events_own(shared_data):
    (theirs,) = real(shared_data, "0019")
    tried = event_under(theirs, resolve("pokemon") | {"best_of_swiss": 1, "bye_games": [1, 0, 0]})
    assert tried.profile["best_of_swiss"] == 3 and tried.profile["bye_games"] == [2, 0, 0]
    assert theirs.profile["best_of_swiss"] == 3  # and the event itself is as it was


def test_what_an_order_needs_and_the_event_did_not_record_is_named(shared_data):
    (theirs,) = real(shared_data, "0018")
    needs = {
        key: [what for _step, what in missing_data_of(theirs, resolve(key))]
        for key in ("scrabble", "curling")
    }
    assert needs == {"scrabble": ["score"], "curling": ["outside"]}
    assert missing_data_of(theirs, resolve("melee_two_game"))[0][1] == "game_order"
    assert missing_data_of(theirs, resolve("pokemon")) == []


def test_the_cut_is_the_events_own_or_the_top_eight(shared_data):
    assert cut_size_of(weekend()) == 8
    (theirs,) = real(shared_data, "0018")
    assert cut_size_of(theirs) == 4


def test_sharing_a_rank_is_said():
    ours = weekend()
    profile = by_time() | {"tiebreaks": [{"metric": "match_points"}, {"metric": "manual"}]}
    ranking = compare_rankings(ours, event_under(ours, profile), 2).after
    assert deciding_value_of(ranking, "A", "B").how == "tied"
    assert deciding_value_of(ranking, "A", None) is None


# --- pages ----------------------------------------------------------------------------------------------


@pytest.fixture
def user(client, db):
    user = UserFactory()
    client.force_login(user)
    return user


@pytest.mark.django_db
def test_nobody_sees_events_that_hide_their_standings_but_their_staff(user):
    public = TournamentFactory(entries=4, rounds=1, name="Public")
    hidden = TournamentFactory(entries=4, rounds=1, name="Hidden", owner=user)
    theirs = TournamentFactory(entries=4, rounds=1, name="Theirs")
    TournamentFactory(entries=4, name="Not begun")
    for tournament in (hidden, theirs):
        change_settings(tournament, hold_standings=True)
    assert set(events_visible_to(user)) == set()  # no round is complete yet
    for tournament in (public, hidden, theirs):
        tournament.rounds.update(state="complete")
    assert [one.name for one in events_visible_to(user)] == ["Hidden", "Public"]
    assert {one.name for one in events_visible_to(UserFactory(is_superuser=True))} == {
        "Public",
        "Hidden",
        "Theirs",
    }


@pytest.mark.django_db
def test_real_events_are_compared_by_name_and_reason(client, user, shared_data):
    for theirs in real(shared_data, *SMALL):
        load_event(theirs)
    text = client.get("/rulesets/pokemon/try/").content.decode()
    assert "differs in 2 of 4 events" in text
    assert "on Opponents&#x27; match-win %" in text and "(4/9 : 5/12)" in text
    page = client.get(f"/rulesets/pokemon/try/events/{Tournament.objects.earliest('pk').slug}/?version=1")
    assert page.status_code == 200 and "ranks change" in page.content.decode()


@pytest.mark.django_db
def test_events_that_cannot_be_ranked_so_are_listed_as_such(client, user, shared_data):
    load_event(real(shared_data, "0018")[0])
    text = client.get("/rulesets/scrabble/try/").content.decode()
    assert "in 0 of 0 events" in text and "1 event cannot be ranked this way." in text
    assert "Spread needs the points scored in matches" in text


@pytest.mark.django_db
def test_without_javascript_links_go_on_and_the_count_comes_along(client, user, monkeypatch):
    for number in range(5):
        TournamentFactory(entries=4, rounds=1, name=f"Event {number}").rounds.update(state="complete")
    monkeypatch.setattr("standings.rulesets.trial.events.MOST_EVENTS", 2)
    address, seen = "/rulesets/mtr/try/", []
    for _ in range(3):
        text = client.get(address).content.decode()
        seen += re.findall(r"<strong>(Event \d)", text)
        onward = re.search(r'href="(/rulesets/mtr/try/\?[^"]+)"', text)
        address = onward[1].replace("&amp;", "&") if onward else ""
    assert seen == [f"Event {number}" for number in (4, 3, 2, 1, 0)] and not address
    assert "in 0 of 5 events" in text


@pytest.mark.django_db
def test_the_next_events_come_as_a_part_with_a_new_summary(client, user, monkeypatch):
    for number in range(3):
        TournamentFactory(entries=4, rounds=1, name=f"Event {number}").rounds.update(state="complete")
    monkeypatch.setattr("standings.rulesets.trial.events.MOST_EVENTS", 2)
    text = client.get("/rulesets/mtr/try/").content.decode()
    part = client.get(re.search(r'hx-get="([^"]+)"', text)[1].replace("&amp;", "&")).content.decode()
    assert "<html" not in part and 'hx-swap-oob="true"' in part and "Event 0" in part
    assert "in 0 of 3 events" in part


@pytest.mark.django_db
def test_forged_totals_start_from_the_beginning(client, user):
    TournamentFactory(entries=4, rounds=1, name="Only").rounds.update(state="complete")
    for token in ("nonsense", "WzEsOTksOTksOTld:1abc:xyz"):
        text = client.get("/rulesets/mtr/try/", {"so_far": token, "version": "1"}).content.decode()
        assert "in 0 of 1 event" in text


@pytest.mark.django_db
def test_trying_needs_somebody_signed_in_and_a_version_there_is(client, user):
    assert client.get("/rulesets/mtr/try/?version=99").status_code == 404
    assert client.get("/rulesets/mtr/try/?version=draft").status_code == 404
    assert client.get("/rulesets/nothing/try/").status_code == 404
    assert client.get("/rulesets/mtr/try/events/nothing/").status_code == 404
    assert client.get("/rulesets/mtr/try/").status_code == 200
    client.logout()
    assert client.get("/rulesets/mtr/try/").status_code == 302
    assert client.get("/rulesets/mtr/try/more/").status_code == 302


@pytest.mark.django_db
def test_a_draft_is_tried_by_its_publisher_only(client, user):
    publisher = create_publisher("League", owner=user)
    mtr = Ruleset.objects.get(key="mtr")
    book = copy_ruleset(mtr, name="Our rules", publisher=publisher, actor=user)
    TournamentFactory(entries=4, rounds=1, name="Only").rounds.update(state="complete")
    text = client.get(f"/rulesets/{book.key}/try/").content.decode()
    assert "in 0 of 1 event" in text and "draft" in text
    client.force_login(UserFactory())
    assert client.get(f"/rulesets/{book.key}/try/").status_code == 404
    assert client.get(f"/rulesets/{book.key}/try/?version=draft").status_code == 404


@pytest.mark.django_db
@pytest.mark.slow
def test_all_real_events_are_compared_in_bounded_requests(client, user, shared_data):
    for path in sorted((shared_data / "events").glob("*.json")):
        load_event(read_file(path))
    address, requests = "/rulesets/pokemon/try/", 0
    while address:
        text = client.get(address).content.decode()
        requests += 1
        onward = re.search(r'href="(/rulesets/pokemon/try/\?[^"]+so_far[^"]+)"', text)
        address = onward[1].replace("&amp;", "&") if onward else ""
    assert "differs in 6 of 28 events" in text and requests <= 6
