import json

import pytest

from pairings.draft.page import draft_page
from pairings.draft.services import draft_next_round
from pairings.repair.options import open_round
from tests import factories
from tests.steps import is_sound, load_again, undo_last
from tournament.archive import canonical, parse_event
from tournament.archive.load import dump_event
from tournament.archive.read import ArchiveError
from tournament.errors import Refused, WrongState
from tournament.history.describe import describe_actions
from tournament.services import corrections, drops, entries, stages
from tournament.services.event_settings import change_registration
from tournament.services.events import finish_tournament
from tournament.services.requested_byes import find_own_rounds, request_bye
from tournament.services.rounds import publish_round
from tournament.services.rulesets import change_rules
from tournament.services.self_service import request_own_bye
from tournament.services.undo import undo_action


def chess(players=6, rounds_planned=5, **fields):
    """An event under FIDE's rules: half-point byes, but none in the last round."""
    return factories.TournamentFactory(
        entries=players, ruleset=fields.pop("ruleset", "fide"), rounds_planned=rounds_planned, **fields
    )


def requested_byes(tournament, code="P0001"):
    return {bye["round"]: bye["kind"] for bye in tournament.entries.get(code=code).requested_byes}


def kinds_of(tournament, number):
    """{player: kind of seat} of those without an opponent in a round."""
    seats = tournament.seats.filter(round__number=number, opponent=None)
    return dict(seats.values_list("entry__code", "kind"))


def change(tournament, **overrides):
    change_rules(tournament, None, overrides, revision=tournament.revision)


def test_who_requested_a_bye_is_not_paired_in_that_round_and_has_it():
    tournament = chess()
    request_bye(tournament, "P0001", 1, "half")
    request_bye(tournament, "P0002", 2, "half")
    request_bye(tournament, "P0003", 2, "zero")
    factories.RoundFactory(tournament=tournament, results=True)
    assert sorted(kinds_of(tournament, 1).values()) == ["bye", "half_bye"], "an odd number is left"
    entries.add_entries(tournament, ["Late"])
    request_bye(tournament, "P0007", 2, "half")
    factories.RoundFactory(tournament=tournament, results=True)
    assert kinds_of(tournament, 2) == {"P0002": "half_bye", "P0003": "zero_bye", "P0007": "half_bye"}
    assert open_round(tournament, 2).to_add == [], "no one was missed"
    factories.RoundFactory(tournament=tournament)
    assert list(kinds_of(tournament, 3).values()) == ["bye"]
    assert is_sound(tournament)


def test_two_requests_for_one_round_are_one_the_log_says_each_and_undo_takes_it_back():
    tournament = chess()
    request_bye(tournament, "P0001", 4, "zero")
    request_bye(tournament, "P0001", 2, "zero")
    request_bye(tournament, "P0001", 2, "half")
    assert tournament.entries.get(code="P0001").requested_byes == [
        {"round": 2, "kind": "half"}, {"round": 4, "kind": "zero"},
    ]  # fmt: skip
    request_bye(tournament, "P0001", 2)
    assert requested_byes(tournament) == {4: "zero"}
    assert request_bye(tournament, "P0001", 2) is None  # nothing to withdraw
    words = [line.sentence for line in describe_actions(tournament, tournament.actions.order_by("number"))]
    assert words[-2:] == [
        "Player 01: half-point bye requested for round 2",
        "Player 01: request for a bye in round 2 withdrawn",
    ]
    undo_last(tournament)
    assert requested_byes(tournament) == {2: "half", 4: "zero"}


def test_only_as_many_as_the_ruleset_allows_and_zero_point_byes_do_not_count():
    tournament = chess()
    change(tournament, bye={"requested_max": 2})
    request_bye(tournament, "P0001", 1, "half")
    request_bye(tournament, "P0001", 2, "zero")
    request_bye(tournament, "P0001", 3, "half")
    with pytest.raises(Refused, match="allows a player 2 half-point or full-point byes on request"):
        request_bye(tournament, "P0001", 4, "half")
    request_bye(tournament, "P0001", 1)
    request_bye(tournament, "P0001", 4, "half")
    request_bye(tournament, "P0002", 1, "half")
    request_bye(tournament, "P0001", 5, "zero")  # in the last round, too
    assert requested_byes(tournament) == {2: "zero", 3: "half", 4: "half", 5: "zero"}


def test_a_bye_in_the_last_rounds_is_requested_early_or_not_at_all():
    tournament = chess(ruleset="uscf", rounds=1)
    request_bye(tournament, "P0001", 5, "half")
    factories.RoundFactory(tournament=tournament, results=True)
    request_bye(tournament, "P0002", 5, "half")  # round 3 is not paired yet
    draft_next_round(tournament)
    with pytest.raises(Refused, match="Half-point bye in round 5: the request had to be in before round 3"):
        request_bye(tournament, "P0003", 5, "half")
    request_bye(tournament, "P0003", 4, "half")
    change_registration(tournament, self_byes=True)
    for kind in ("", "zero"):
        with pytest.raises(WrongState, match="bye in round 5 can no longer be withdrawn"):
            request_own_bye(tournament, "P0002", 5, kind)
    request_bye(tournament, "P0002", 5)  # the director may let the player play
    assert requested_byes(tournament, "P0002") == {}


@pytest.mark.parametrize(
    ("ruleset", "changed", "allowed"),
    [
        ("mtr", {}, {"zero"}),
        ("twixt", {}, {"zero"}),
        ("fide", {}, {"zero", "half"}),
        ("fide", {"bye": {"requested": "full"}, "byes_refused": ["half"]}, {"zero", "full"}),
    ],
)
def test_each_ruleset_says_which_byes_players_request(ruleset, changed, allowed):
    tournament = chess(ruleset=ruleset)
    if changed:
        change(tournament, **changed)
    for kind in ("zero", "half", "full"):
        if kind in allowed:
            request_bye(tournament, "P0001", 2, kind)
        else:
            with pytest.raises(Refused, match="does not allow this bye on request"):
                request_bye(tournament, "P0001", 2, kind)


def test_an_awarded_bye_goes_first():
    tournament = chess()
    entries.change_entry(tournament, "P0001", awarded_byes=1)
    with pytest.raises(WrongState, match="Player 01 already has an awarded bye in round 1"):
        request_bye(tournament, "P0001", 1, "half")
    request_bye(tournament, "P0002", 1, "half")
    entries.change_entry(tournament, "P0002", awarded_byes=1)
    factories.RoundFactory(tournament=tournament)
    assert kinds_of(tournament, 1) == {"P0001": "awarded_bye", "P0002": "awarded_bye"}


@pytest.mark.parametrize("now", ["", "zero", "new"])
def test_a_request_that_changes_behind_a_draft_asks_to_pair_again(now):
    tournament = chess()
    request_bye(tournament, "P0001", 1, "half")
    draft_next_round(tournament)
    request_bye(tournament, "P0002" if now == "new" else "P0001", 1, now.replace("new", "half"))
    with pytest.raises(WrongState, match=r"requested bye of Player 0\d changed .* Pair again"):
        publish_round(tournament, 1)
    page = draft_page(tournament, 1, tournament.rounds.get().revision)
    assert [check.text for check in page.checks if check.level == "bad"] == [
        f"Byes changed since these pairings were made: Player 0{1 + (now == 'new')}. Pair again."
    ]
    draft_next_round(tournament, again=1)
    publish_round(tournament, 1)
    assert kinds_of(tournament, 1).get("P0001") == {"": None, "zero": "zero_bye", "new": "half_bye"}[now]


def test_a_published_round_keeps_its_byes_and_an_undo_says_so():
    tournament = chess()
    request_bye(tournament, "P0001", 1, "half")
    number = tournament.revision
    factories.RoundFactory(tournament=tournament)
    with pytest.raises(WrongState, match="Correct what it counts as"):
        request_bye(tournament, "P0001", 1)
    with pytest.raises(WrongState, match="Correct what it counts as"):
        undo_action(tournament, number)
    request_bye(tournament, "P0001", 2, "half")
    undo_last(tournament)
    assert requested_byes(tournament) == {1: "half"}


def test_who_has_dropped_requests_nothing_and_an_earlier_request_waits_for_the_return():
    tournament = chess(rounds=1, self_byes=True)
    request_bye(tournament, "P0001", 2, "half")
    drops.drop_entry(tournament, "P0001")
    with pytest.raises(WrongState, match="Player 01 is not playing"):
        request_bye(tournament, "P0001", 3, "half")
    with pytest.raises(WrongState, match="You have dropped"):
        request_own_bye(tournament, "P0001", 3, "half")
    factories.RoundFactory(tournament=tournament, results=True)
    assert "P0001" not in kinds_of(tournament, 2) and is_sound(tournament)
    drops.reinstate_entry(tournament, "P0001")
    request_bye(tournament, "P0001", 3, "half")
    finish_tournament(tournament)
    with pytest.raises(WrongState, match="finished"):
        request_bye(tournament, "P0001", 4, "zero")
    tournament = chess(rounds_planned=3, rounds=1, with_cut=2)
    with pytest.raises(Refused, match="There is no round 2: 1 are planned"):
        request_bye(tournament, "P0001", 2, "zero")


def test_rounds_are_counted_in_the_players_own_session_and_on_a_second_day():
    tournament = chess(4, rounds_planned=3)
    stages.add_stage(tournament)
    entries.add_entries(tournament, ["Eve", "Fay", "Gus", "Hal"], stage=2)
    request_bye(tournament, "P0005", 2, "half")
    for flight in (1, 2, 1, 2):
        draft_next_round(tournament, flight=flight)
        number = tournament.rounds.order_by("number").last().number
        publish_round(tournament, number)
        factories.enter_results(tournament, number)
    assert kinds_of(tournament, 4)["P0005"] == "half_bye"
    assert "P0005" not in kinds_of(tournament, 2)
    with pytest.raises(WrongState, match="Round 2 is already published"):
        request_bye(tournament, "P0005", 2)
    request_bye(tournament, "P0005", 3, "zero")
    tournament = chess(6, rounds_planned=2, rounds=2)
    stages.add_day(tournament, [f"P000{n}" for n in range(1, 6)], tournament.revision, rounds=2)
    with pytest.raises(Refused, match="There is no round 3: 2 are planned"):
        request_bye(tournament, "P0006", 3, "half")  # who is not in the second day
    assert list(find_own_rounds(tournament.entries.get(code="P0001")).still_open()) == [3, 4]
    request_bye(tournament, "P0001", 3, "half")
    factories.RoundFactory(tournament=tournament)
    assert kinds_of(tournament, 3)["P0001"] == "half_bye"


def test_entries_made_one_keep_the_requests_of_both_and_a_re_entry_begins_without():
    tournament = chess(rounds=1)
    request_bye(tournament, "P0001", 3, "half")
    entries.add_entries(tournament, ["Player 1"])
    for number, kind in ((2, "zero"), (3, "zero")):
        request_bye(tournament, "P0007", number, kind)
    factories.RoundFactory(tournament=tournament, results=True)
    corrections.merge_entries(tournament, "P0001", "P0007", reason="registered twice")
    undo_last(tournament)  # though round 2 is published
    assert requested_byes(tournament) == {3: "half"} and requested_byes(tournament, "P0007") == {
        2: "zero",
        3: "zero",
    }
    corrections.merge_entries(tournament, "P0001", "P0007", reason="registered twice")
    assert requested_byes(tournament) == {2: "zero", 3: "half"}
    with pytest.raises(WrongState, match="merged into P0001"):
        request_bye(tournament, "P0007", 4, "zero")
    stages.add_stage(tournament)
    stages.add_re_entry(tournament, "P0001", 2)
    assert tournament.entries.order_by("-code").first().requested_byes == []


def test_a_file_carries_requests_and_gives_the_same_bytes_again():
    tournament = chess(rounds=1)
    change_registration(tournament, self_byes=True)
    request_bye(tournament, "P0002", 4, "zero")
    request_bye(tournament, "P0002", 3, "half")
    text = dump_event(tournament, with_seed=True)
    assert '"requested_byes":[{"round":3,"kind":"half"},{"round":4,"kind":"zero"}]' in text
    assert '"self_byes":true' in text
    data = json.loads(text)
    data["entries"][1]["requested_byes"].reverse()
    assert canonical(parse_event(data), with_seed=True) == text
    again = load_again(tournament)
    factories.RoundFactory(tournament=again, results=True)
    factories.RoundFactory(tournament=again)
    assert kinds_of(again, 3)["P0002"] == "half_bye"


@pytest.mark.parametrize(
    ("byes", "path"),
    [
        (
            [{"round": 2, "kind": "half"}, {"round": 2, "kind": "zero"}],
            "requested_byes: round 2 appears twice",
        ),
        ([{"round": 0, "kind": "half"}], r"requested_byes\[0\]\.round"),
        ([{"round": 2, "kind": "quarter"}], r"requested_byes\[0\]\.kind"),
        ([{"round": 2}], r"requested_byes\[0\]"),
        ({"2": "half"}, r"requested_byes"),
    ],
)
def test_a_file_with_requests_that_make_no_sense_is_refused_with_the_path(byes, path):
    entry = {"id": "A", "name": "A", "requested_byes": byes}
    facts = {"tournament": {"name": "x"}, "ruleset": {"preset": "fide"}}
    data = {"format": "swiss-archive", "version": 1, **facts}
    with pytest.raises(ArchiveError, match=rf"entries\[0\]\.{path}"):
        parse_event({**data, "entries": [entry]})
