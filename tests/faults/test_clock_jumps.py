"""The server's clock jumps back and ahead while an event runs: order is that of the log, and every page opens."""

import datetime as dt

import pytest
from django.utils import timezone

from tests.chance import SEED
from tests.conftest import FULL
from tests.journeys.play import Play
from tests.journeys.test_random_events import check_file, check_tables, open_every_page, undo_everything

pytestmark = [pytest.mark.django_db, pytest.mark.slow, pytest.mark.only_on("sqlite")]
ACTIONS = 200 if FULL else 50
JUMPS = [dt.timedelta(**jump) for jump in ({"hours": -1}, {"days": -1}, {"minutes": 50}, {"hours": 5}, {})]


def test_a_clock_that_jumps_changes_no_fact_and_breaks_no_page(monkeypatch):
    play = Play("cardeio", seed=SEED + 1)
    right, jump = timezone.now, dt.timedelta()
    monkeypatch.setattr("django.utils.timezone.now", lambda: right() + jump)
    while play.tournament.revision < ACTIONS:
        before = play.tournament.revision
        jump = play.chance.choice(JUMPS)
        name = play.take_a_step()
        if play.tournament.revision > before and play.chance.random() < 0.3:
            check_tables(play.tournament, name)
        if play.chance.random() < 0.08:
            open_every_page(play)
    times = list(play.tournament.actions.order_by("number").values_list("at", flat=True))
    assert times != sorted(times), "the clock did jump"
    check_file(play.tournament)
    undo_everything(play.tournament)
