"""Steps that no page takes by themselves, for tests that need an event at just that point."""

import json
from collections.abc import Callable
from typing import Any

from tournament.actionlog import integrity
from tournament.actionlog.change import Log
from tournament.actionlog.fold import state_at
from tournament.actionlog.service import service
from tournament.archive import parse_event
from tournament.archive.load import dump_event, load_event
from tournament.errors import NeedsConfirmation
from tournament.event.read import read_state
from tournament.event.rounds import find_round
from tournament.models import Action, Tournament
from tournament.services.events import delete_event
from tournament.services.rounds import complete_open_rounds
from tournament.services.undo import find_last_undoable, undo_action


def confirmed(service: Callable[..., Action | None], *about: Any, **sent: Any) -> Action | None:
    """Do it, as someone who confirms that matches of other players change."""
    try:
        return service(*about, **sent)
    except NeedsConfirmation as asked:
        return service(*about, **sent, expects=asked.expects)


@service("complete")
def complete_round(log: Log, number: int) -> None:
    """Complete a published round, as pairing the next one or the cut does."""
    complete_open_rounds(log, find_round(log.tournament, number).stage)


def undo_last(tournament: Tournament, **sent) -> Action | None:
    return undo_action(tournament, find_last_undoable(tournament, "owner")[0].number, **sent)


def is_sound(tournament: Tournament) -> bool:
    """Check that the rows are what the log says, and that `fsck` finds nothing."""
    assert integrity.check(tournament) == []
    assert state_at(tournament) == json.loads(json.dumps(read_state(tournament)[0]))
    return True


def load_again(tournament: Tournament) -> Tournament:
    """The event deleted and loaded from its own file, which it then writes byte for byte."""
    file = dump_event(tournament, with_seed=True)
    delete_event(tournament, tournament.name)
    again = load_event(parse_event(json.loads(file)))
    assert dump_event(again, with_seed=True) == file and integrity.check(again) == []
    return again
