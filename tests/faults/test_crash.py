"""A killed process: what was acknowledged is there, what was not is whole or absent, never torn."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from pairings.draft.services import draft_next_round
from tests import factories
from tests.conftest import CI, FULL
from tests.steps import undo_last
from tournament.actionlog import integrity
from tournament.models import Tournament

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[2]
TIMES = 100 if FULL else 12 if CI else 4

CHILD = """
import sys, django
django.setup()
from django.conf import settings
settings.DATABASES["default"]["NAME"] = sys.argv[1]
from django.db import connection
connection.settings_dict["NAME"] = sys.argv[1]
from tournament.models import Tournament
from tournament.services.rounds import publish_round, discard_draft
from tests.steps import undo_last
from pairings.draft.services import draft_next_round
tournament = Tournament.objects.get(pk=int(sys.argv[2]))
print("ready", flush=True)
while True:
    publish_round(tournament, 1)
    print(tournament.revision, flush=True)
    undo_last(tournament)
    print(tournament.revision, flush=True)
    discard_draft(tournament, 1)
    print(tournament.revision, flush=True)
    draft_next_round(tournament)
    print(tournament.revision, flush=True)
"""


def killed_while_working(tournament: Tournament, after: float) -> int:
    """Start a process that publishes and takes back without end, kill it -9; its last acknowledged revision."""
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(connection.settings_dict["NAME"]), str(tournament.pk)],
        cwd=ROOT,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tournament.config.settings",
            "VAR_DIR": str(settings.VAR_DIR),
        },
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline().strip() == "ready"
    time.sleep(after)
    child.send_signal(signal.SIGKILL)
    numbers = [line for line in child.stdout.read().splitlines() if line.strip().isdigit()]
    child.wait()
    return int(numbers[-1]) if numbers else tournament.revision


def settle(tournament: Tournament) -> Tournament:
    """On PostgreSQL a commit can land after its client is dead: wait until the lock is free, then look."""
    if connection.vendor == "postgresql":
        time.sleep(0.3)
    return Tournament.objects.get(pk=tournament.pk)


@pytest.mark.long
def test_a_process_killed_while_publishing_loses_nothing_it_acknowledged():
    tournament = factories.TournamentFactory(entries=64)
    draft_next_round(tournament)
    for index in range(TIMES):
        acknowledged = killed_while_working(tournament, 0.02 + 0.03 * (index % 8))
        tournament = settle(tournament)
        assert tournament.revision >= acknowledged
        assert integrity.check(tournament) == []
        if not tournament.rounds.exists():
            draft_next_round(tournament)
        elif tournament.rounds.get().state == "published":
            undo_last(tournament)
