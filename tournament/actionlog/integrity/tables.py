"""The rows of one event as dicts, read once: nothing of the services stands between them and the checks."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator
from typing import Any, TypeVar

from django.db.models import Exists, OuterRef, QuerySet

from tournament.actionlog.fold import baseline_of
from tournament.models import Action, Entry, Match, Report, Round, Seat, Staff, Stage, StageEntry, Tournament

Row = Any  # a row of a table as a dict
Item = TypeVar("Item", bound=Hashable)


def repeated(items: Iterable[Item]) -> Iterator[tuple[Item, int]]:
    """What stands there more than once, and how often."""
    return ((item, count) for item, count in Counter(items).items() if count > 1)


def _by_id(rows: QuerySet[Any]) -> dict[int, Row]:
    return {row["id"]: row for row in rows.values()}


class Tables:
    """Every table of the event; those that others point to by their key.

    strays  seats in rounds of the event whose match is of another one
    """

    def __init__(self, tournament: Tournament):
        owners = Staff.objects.filter(
            tournament=OuterRef("pk"), user=OuterRef("owner"), role=Staff.Role.OWNER
        )
        rows = Tournament.objects.annotate(owner_is_organizer=Exists(owners))
        self.tournament = rows.values().get(pk=tournament.pk)
        self.baseline = baseline_of(tournament)
        self.entries = _by_id(Entry.objects.filter(tournament=tournament))
        self.stages = _by_id(Stage.objects.filter(tournament=tournament))
        self.stage_entries = list(StageEntry.objects.filter(stage__tournament=tournament).values())
        self.rounds = _by_id(Round.objects.filter(tournament=tournament))
        self.matches = _by_id(Match.objects.filter(round__tournament=tournament))
        seats = list(Seat.objects.filter(round__tournament=tournament).order_by("round_id").values())
        self.seats = [seat for seat in seats if seat["match_id"] in self.matches]
        self.strays = [seat for seat in seats if seat["match_id"] not in self.matches]
        self.reports = list(Report.objects.filter(match__round__tournament=tournament).values())
        self.actions = list(
            Action.objects.filter(tournament=tournament).order_by("number").values("number", "undoes", "key")
        )
        self.seats_of: dict[int, list[Row]] = defaultdict(list)  # by the key of their match
        for seat in self.seats:
            self.seats_of[seat["match_id"]].append(seat)

    def code(self, entry: int | None) -> str:
        """A player's code, by key."""
        return self.entries[entry]["code"] if entry in self.entries else "nobody"

    def place(self, match: Row) -> str:
        """Round and table in words."""
        number = self.rounds[match["round_id"]]["number"]
        return f"round {number}, table {match['table']}" if match["table"] else f"round {number}, a bye"

    def paired_here(self, round_: Row) -> bool:
        """Whether the round was paired here, after the baseline the event was loaded with."""
        return f"rounds/{round_['number']}" not in self.baseline
