"""A published round under repair: finished tables, absent players, players who dropped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from pairings.request.entrants import given_byes
from pairings.request.pairing_request import RoundRequest, request_of, round_seed
from pairings.request.tables import paired_codes
from tournament import models
from tournament.actionlog.match_facts import AWAY_RESULTS
from tournament.errors import Refused, WrongState
from tournament.event.read import event_of
from tournament.event.table_plan import table_name
from tournament.event.types import LEFT_THE_EVENT, Event, Match, Round
from tournament.services.reseating import marks_of
from tournament.text.display_names import names_in

ARRIVED_RESULTS = ("missed", "full_bye", "half_bye")  # a late player's, for a round joined too late


@dataclass(frozen=True, slots=True)
class OpenRound:
    """The round, its event, and the tables that stay because they have a result."""

    event: Event
    round: Round
    # (the round's revision, the standings' revision): neither may have moved when a repair is saved.
    marks: tuple[int, int]
    names: dict[str, str]  # {entry code: name}
    finished: tuple[Match, ...]
    since: dict[str, int]  # {entry code: the last action on the row of a player without an opponent}

    @property
    def finished_codes(self) -> set[str]:
        return {code for match in self.finished for code in (match.a, match.b) if code}

    @property
    def is_played(self) -> bool:
        return len(self.finished) == sum(match.b is not None for match in self.round.matches)

    def _plays(self, code: str) -> bool:
        return self.event.entries[code].status == "playing"

    @property
    def absent(self) -> list[str]:
        """Codes of players who are in the event (again), or arrived late, but count as absent in this round."""
        away = [
            m for m in self.round.matches if m.b is None and m.result in ARRIVED_RESULTS and self._plays(m.a)
        ]
        stage = self.event.stage(self.round.stage)
        requested = given_byes(self.event, stage, self.round.number)
        late = [m.a for m in away if self.event.entries[m.a].late or m.result == "missed"]
        return [code for code in late if code not in requested]

    @property
    def to_add(self) -> list[str]:
        """The absent players a repair suggests adding; empty once the round is played.

        Excludes players removed by an earlier repair of this round, unless reinstated since.
        """
        if self.is_played:
            return []
        removed = {code: repair.revision for repair in self.round.pairing.repairs for code in repair.removed}

        def is_back(code: str) -> bool:
            revision = removed[code]
            return revision is not None and self.since[code] > revision + 1

        return [code for code in self.absent if code not in removed or is_back(code)]

    @property
    def dropped(self) -> list[str]:
        """Codes of players seated in this round with an unfinished match who are no longer in the event."""
        gone = [
            code for code in paired_codes(self.round) if self.event.entries[code].status in LEFT_THE_EVENT
        ]
        return [code for code in gone if code not in self.finished_codes]

    def check_choice(self, added: Sequence[str], removed: Sequence[str]) -> None:
        """Raise Refused naming a player who cannot be added or removed, WrongState if the table is finished."""
        absent = {m.a for m in self.round.matches if m.b is None and m.result in AWAY_RESULTS}
        for code in added:
            if code not in absent or not self._plays(code):
                text = _("%(name)s was not absent this round, or has dropped. Reinstate the player first.")
                raise Refused(text, name=self.names.get(code, code))
        seated = {code for code in paired_codes(self.round) if not self.event.entries[code].house}
        finished = {code: match.table for match in self.finished for code in (match.a, match.b)}
        for code in removed:
            if code not in seated:
                raise Refused(_("%(name)s is not in this round."), name=self.names.get(code, code))
            if code in finished:
                text = _("%(name)s already has a result at table %(table)s, so that table stays.")
                raise WrongState(
                    text, name=self.names[code], table=table_name(self.event, finished[code], self.round)
                )

    def joined_by(self, added: Sequence[str]) -> OpenRound:
        """Return the round as if these players had joined in time for it."""
        number = self.round.number
        entries = dict(self.event.entries)
        for code in added:
            entries[code] = entries[code].replace(joined_round=min(entries[code].joined_round or 1, number))
        return replace(self, event=self.event.replace(entries=entries))

    def request_with(self, added: Sequence[str], removed: Sequence[str]) -> RoundRequest:
        """Build the request to pair again around the finished tables, with these players added and removed.

        A house opponent stays only if its table is finished or the number of players is odd.
        """
        record, entries = self.round.pairing, self.event.entries
        codes = [code for code in paired_codes(self.round) if code not in removed]
        free_houses = [code for code in codes if entries[code].house and code not in self.finished_codes]
        field = [code for code in codes if not entries[code].house] + list(added)
        field += [code for code in codes if entries[code].house and code not in free_houses]
        field += free_houses[: len(field) % 2]
        current = self.round.replace(pairing=record.replace(prohibited_pairs=self.event.forbidden))
        seed = round_seed(record.seed or self.event.seed, self.round.number, record.run_number + 1)
        request = replace(request_of(self.event, current, field), seed=seed)
        return request.with_locks(tuple((match.a, match.b) for match in self.finished))


def open_round(tournament: models.Tournament, number: int, seen: int | None = None) -> OpenRound:
    """Load the round, which must be in progress.

    `seen` is the event's revision at an earlier look (None: now): tables finished since count as unfinished, so that
    the options come out the same. Raises NotFound, WrongState.
    """
    marks = marks_of(tournament, number)  # read first: what changes in between is noticed on saving
    event = event_of(tournament)
    round_ = next((round_ for round_ in event.rounds if round_.number == number), None)
    if round_ is None or round_.status != "published" or event.stage(round_.stage).kind != "swiss":
        raise WrongState(_("Round %(number)s is not in progress."), number=number)
    rows = models.Match.objects.filter(round__tournament=tournament, round__number=number)
    versions = dict(rows.values_list("table", "version"))
    since = dict(rows.filter(table=None).values_list("seats__entry__code", "version"))
    latest = tournament.revision if seen is None else seen
    finished = [m for m in round_.matches if m.b and m.result and versions.get(m.table, 0) <= latest]
    return OpenRound(event, round_, marks, names_in(event), tuple(finished), since)
