"""Random events restored to any of their moments: every fact is as it was, one undo takes it back, and play goes on."""

import secrets

import pytest

from standings.bracket.open_matches import unsettled_matches
from tests.conftest import CI, THOROUGH
from tests.journeys.play import Play
from tests.journeys.test_random_events import RULESETS, check_file, check_tables, differences
from tournament.actionlog.facts import TO_STAFF, is_report
from tournament.actionlog.fold import State, state_at
from tournament.archive.snapshots import snapshots_of, write_snapshot
from tournament.event.read import read_state
from tournament.models import Tournament
from tournament.services.snapshots import KEPT, restore_over
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db
RESTORES, STEPS_BETWEEN = (12, 10) if THOROUGH else (6, 8)


@pytest.fixture(autouse=True)
def var(settings, tmp_path):
    settings.VAR_DIR = tmp_path


@pytest.mark.long
@pytest.mark.parametrize("ruleset", RULESETS)
def test_any_moment_can_be_restored_over_the_event_and_one_undo_takes_it_back(ruleset):
    play = Play(ruleset, seed=1 if CI else secrets.randbits(32))
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
    """Restore the event to what it was after that action."""
    write_snapshot(tournament, number, "by-hand")
    snapshot = next(one for one in snapshots_of(tournament) if one.number == number)
    restore_over(tournament, snapshot, seen=tournament.revision, actor="ada", reason="Rain")


def check_restored(tournament: Tournament, then: State, before: State) -> None:
    """Everything is as it was then, but for players' reports, decklists, messages and calls; who came since is
    withdrawn, and what the public sees is as it was before."""
    states = read_state(tournament)[0], then
    now, then = ({key: fact for key, fact in state.items() if not _is_by_players(key)} for state in states)
    then["tournament"] |= {name: before["tournament"][name] for name in KEPT}
    since = {key: now.pop(key) for key in now.keys() - then.keys()}
    assert differences(now, then) == {}
    assert all(fact["house"] or fact["status"] in ("dropped", "merged") for fact in since.values())
    check_tables(tournament, "restore")


def _is_by_players(key: str) -> bool:
    return is_report(key) or key.startswith(TO_STAFF)
