"""Steps that no page takes by themselves, for tests that need an event at just that point."""

from tournament.actionlog.change import Log
from tournament.actionlog.service import service
from tournament.models import Action, Tournament
from tournament.services.rounds import complete_open_rounds, round_of
from tournament.services.undo import last_undoable_action, undo_action


@service("complete")
def complete_round(log: Log, number: int) -> None:
    """Complete a published round, as pairing the next one or the cut does."""
    complete_open_rounds(log, round_of(log.tournament, number).stage)


def undo_last(tournament: Tournament, **sent) -> Action | None:
    """Take back what the desk offers to undo."""
    return undo_action(tournament, last_undoable_action(tournament).number, **sent)
