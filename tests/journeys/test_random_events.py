import contextlib
import json
from collections import Counter

import pytest
from django.test import Client

from standings.bracket.open_matches import load_stage_bracket, unsettled_matches
from standings.engine.bracket.tree import matches_to_open, outdated_matches
from standings.table.places import rank_final_places
from tests import factories
from tests.conftest import CI, FULL, THOROUGH
from tests.journeys.play import STEPS, Play
from tests.standings.bracket.test_any_order import check_tables as no_two_share_a_table
from tests.tournament.views.phones import known
from tournament import archive
from tournament.actionlog import integrity
from tournament.actionlog.facts import STAFF_INBOX, is_report
from tournament.actionlog.fold import State, fold, state_at
from tournament.archive.load import dump_event, load_event
from tournament.archive.snapshots import list_snapshots, write_snapshot
from tournament.errors import Refused
from tournament.event.read import load_event_values, read_state
from tournament.models import Action, Tournament
from tournament.services.snapshots import KEPT, restore_over
from tournament.services.undo import undo_action, undone_numbers

pytestmark = pytest.mark.django_db
RULESETS = ["dci1999", "mtr_jp", "mtr", "cardeio", "twixt", "melee_default", "fide"]
ACTIONS = 200 if FULL else 60 if CI else 40


# CI plays those that differ most on PostgreSQL, where an action with its fsck takes twice as long.
PLAYED = RULESETS if THOROUGH or not CI else ["cardeio", "twixt", "fide"]
RESEEDED = {"elimination": {"reseed": True, "third_place_match": True}}


@pytest.mark.long
@pytest.mark.parametrize(("ruleset", "overrides"), [*((key, {}) for key in PLAYED), ("cardeio", RESEEDED)])
def test_whatever_is_done_log_tables_and_file_agree_and_undo_leads_back(ruleset, overrides):
    play = Play(ruleset, overrides=overrides)
    while play.tournament.revision < ACTIONS:
        before, name = play.tournament.revision, play.take_a_step()
        if play.tournament.revision > before or play.chance.random() < 0.1:
            check_tables(play.tournament, name)
            check_settled(play.tournament)
        if play.chance.random() < 0.03:
            check_file(play.tournament)
    check_file(play.tournament)
    undo_everything(play.tournament)


def check_tables(tournament: Tournament, name: str) -> None:
    """Every invariant holds, and the log alone rebuilds the facts."""
    assert integrity.check(tournament) == [], name
    assert differences(read_state(tournament)[0], state_at(tournament)) == {}, name


def check_settled(tournament: Tournament) -> None:
    """Nothing stands in the bracket that does not follow from seeds and results, nothing playable is still closed."""
    no_two_share_a_table(tournament)
    stage = tournament.stages.filter(kind="elimination").first()
    if stage is None:
        return
    bracket = load_stage_bracket(stage)
    assert [match.slot for match in outdated_matches(bracket)] == []
    assert [match.slot for match in matches_to_open(bracket)] == []
    for row in tournament.rounds.filter(swiss=False):
        out = row.matches.filter(result=None).exists()
        assert not (row.state == "complete" and out)
        assert row.matches.exists()
    placed = [place.entry for place in rank_final_places(load_event_values(tournament))]
    assert len(set(placed)) == len(placed)


def check_file(tournament: Tournament) -> None:
    text, slug = dump_event(tournament, with_seed=True), tournament.slug
    tournament.slug = "the-original"
    tournament.save(update_fields=["slug"])
    copy = load_event(archive.parse_event(json.loads(text)))
    assert dump_event(copy, with_seed=True) == text
    assert integrity.check(copy) == []
    copy.slug, tournament.slug = f"copy-{copy.pk}", slug
    copy.save(update_fields=["slug"])
    tournament.save(update_fields=["slug"])


def undo_everything(tournament: Tournament) -> None:
    """From the last action to the first: what may be undone comes back to the facts before it.

    What may not be undone still stands then, unless it is undone already, or itself undoes something later.
    """
    standing: list[Action] = []
    for action in tournament.actions.exclude(kind="create").order_by("-number"):
        try:
            undo_action(tournament, action.number)
        except Refused:
            if action.number not in undone_numbers(tournament, action.number):
                standing.insert(0, action)
            continue
        expected = state_at(tournament, action.number - 1)
        for other in standing:
            if other.undoes is None or other.undoes < action.number:
                fold(expected, other.changes)
        assert differences(read_state(tournament)[0], expected) == {}, f"{action.kind} {action.number} undone"
    assert integrity.check(tournament) == []


def differences(one: State, other: State) -> dict[str, tuple]:
    return {
        key: (one.get(key), other.get(key)) for key in one.keys() | other if one.get(key) != other.get(key)
    }


FORFEITS = [
    *["pair", "publish", "fill", "fill"] * 3, *["forfeit"] * 5, *["enter", "correct"] * 2, "undo_any", "undo_the_last",
    "clear", "swap", "repair", "reopen_round", "decide_what_a_forfeit_is", "correct_seats", "correct_bye", "drop",
    "reinstate",
]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("players", [4, 5])
def test_whatever_a_forfeit_counts_as_and_becomes_the_facts_stay_sound(players):
    play = Play("fide")
    play.tournament = factories.TournamentFactory(entries=players, ruleset="fide", rounds_planned=5)
    reached = False
    least = 120 if THOROUGH else 60
    while play.tournament.revision < least or not reached:
        before, name = play.tournament.revision, play.chance.choice(FORFEITS)
        with contextlib.suppress(Refused):
            STEPS[name if play.tournament.entries.count() >= 4 else "register"](play)
        play.tournament.refresh_from_db()
        if play.tournament.revision > before:
            check_tables(play.tournament, name)
            reached = reached or paired_again(play)
        assert play.tournament.revision < 10 * least, "some forfeit is followed by another match of the two"
    check_file(play.tournament)
    undo_everything(play.tournament)


def paired_again(play: Play) -> bool:
    seats = play.tournament.seats.filter(swiss=True, waived=False, side="a", opponent__isnull=False)
    pairs = Counter(frozenset(pair) for pair in seats.values_list("entry", "opponent"))
    return max(pairs.values(), default=0) > 1


LOOKS = 40 if FULL else 14 if THOROUGH else 8  # three steps before each
SHOWN = ["cardeio", "fide", "twixt"] if THOROUGH else ["cardeio"]
DESK = (
    "desk/ desk/now/ desk/players/ desk/players/check-in/ desk/log/ "
    "desk/standings/ desk/cut/ desk/bracket/ desk/judge/ "
    "desk/penalties/ desk/settings/prizes/ desk/settings/finish/ desk/settings/ desk/print/ "
    "desk/settings/stages/ desk/pair/ "
    "desk/decklists/"
).split()
ROUND = "desk/rounds/{n}/ desk/print/?round={n} rounds/{n}/".split()
PUBLIC = "now/ players/ standings/ bracket/ clock/ screen/ rules/".split()
OWN = ["report/", "bye/", "message/", "leave/", "decklist/"]


@pytest.mark.long
@pytest.mark.parametrize("ruleset", SHOWN)
def test_whatever_is_done_every_page_opens(ruleset):
    play = Play(ruleset)
    for _ in range(LOOKS):
        for _ in range(3):
            play.take_a_step()
        open_every_page(play)


def open_every_page(play: Play) -> None:
    staff, phone, event = Client(), Client(), f"/t/{play.tournament.slug}/"
    staff.force_login(play.tournament.owner)
    codes = play.tournament.entries.exclude(status="merged").values_list("code", flat=True)
    if not codes:
        return
    code = play.chance.choice(list(codes))
    number = play.tournament.rounds.count() or 1
    for page in ["", *DESK, *(page.format(n=number) for page in ROUND), *PUBLIC, f"desk/players/{code}/"]:
        assert staff.get(event + page).status_code < 500, page
    assert staff.get(f"{event}desk/players/{code}/decklist/").status_code < 500
    for page in (f"players/{code}/", f"players/{code}/decklist/", f"standings/{code}/"):
        assert phone.get(event + page).status_code < 500, page
    own = known(phone, play.tournament, code)
    for page in ("", *OWN):
        assert phone.get(own + page).status_code < 500, page


RESTORES, STEPS_BETWEEN = (12, 10) if THOROUGH else (6, 8)


@pytest.mark.long
@pytest.mark.parametrize("ruleset", RULESETS)
def test_any_moment_can_be_restored_over_the_event_and_one_undo_takes_it_back(ruleset, settings, tmp_path):
    settings.VAR_DIR = tmp_path
    play = Play(ruleset)
    tournament = play.tournament
    for _ in range(RESTORES):
        for _ in range(STEPS_BETWEEN):
            play.take_a_step()
        before, seen = read_state(tournament)[0], tournament.revision
        settled = unsettled_matches(tournament) == []  # else no undo leads back there
        number = play.chance.randint(2, seen)
        restore(tournament, number)
        check_restored(tournament, state_at(tournament, number), before)
        if settled and tournament.revision > seen and play.chance.random() < 0.5:
            undo_action(tournament, tournament.revision)
            assert differences(read_state(tournament)[0], before) == {}, f"restore of {number} undone"
            check_tables(tournament, "undo")
        check_file(tournament)


def restore(tournament: Tournament, number: int) -> None:
    write_snapshot(tournament, number, "by-hand")
    snapshot = next(one for one in list_snapshots(tournament) if one.number == number)
    restore_over(tournament, snapshot, seen=tournament.revision, actor="ada", reason="Rain")


def check_restored(tournament: Tournament, then: State, before: State) -> None:
    """Everything is as it was then, but for players' reports, decklists, messages and calls; who came since is
    withdrawn, and what the public sees is as it was before."""
    states = read_state(tournament)[0], then
    now, then = (
        {key: fact for key, fact in state.items() if not is_report(key) and not key.startswith(STAFF_INBOX)}
        for state in states
    )
    then["tournament"] |= {name: before["tournament"][name] for name in KEPT}
    since = {key: now.pop(key) for key in now.keys() - then.keys()}
    assert differences(now, then) == {}
    assert all(fact["house"] or fact["status"] in ("dropped", "merged") for fact in since.values())
    check_tables(tournament, "restore")
