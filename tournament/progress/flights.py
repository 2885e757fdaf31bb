"""Swiss sessions side by side (flights): how far each is, counted by its own rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from tournament.models import Round, Stage, Tournament
from tournament.rulesets import rounds_and_cut
from tournament.services.capacity import last_swiss_stages
from tournament.services.stages import session_numbers


@dataclass(frozen=True, slots=True)
class Session:
    """A Swiss session that no other stage carries on. `rounds`: its own and those it carries, drafts too."""

    stage: Stage
    players: int
    rounds: tuple[Round, ...]
    planned: int
    out: int  # tables without a result

    @property
    def number(self) -> int:
        return self.stage.number

    @property
    def name(self) -> str:
        return name_of(self.number)

    @property
    def last(self) -> Round | None:
        return self.rounds[-1] if self.rounds else None

    @property
    def missed(self) -> int:
        """How many published rounds whoever joins now was not there for."""
        return sum(round_.state != Round.State.DRAFT for round_ in self.rounds)

    @property
    def played(self) -> bool:
        """Whether all its planned rounds are there and every table is in."""
        drafted = self.last is not None and self.last.state == Round.State.DRAFT
        return bool(self.rounds) and len(self.rounds) >= self.planned and not self.out and not drafted

    @property
    def over(self) -> bool:
        """Whether it is played and its rounds are complete: a session that comes after goes on alone."""
        return self.played and all(round_.state == Round.State.COMPLETE for round_ in self.rounds)


def name_of(number: int) -> str:
    """What a session is called."""
    return _("Session %(number)s") % {"number": number}


def side_by_side(
    tournament: Tournament,
    profile: Mapping[str, Any],
    stages: Sequence[Any],
    rounds: Sequence[Round],
    out: Mapping[int, int],
) -> list[Session]:
    """The last sessions in order, where another than the newest is still being played; else none.

    `stages` are annotated with `players_`, their players; `out`: tables without a result by the round's key.
    """
    if len(stages) < 2 or not all(stage.is_swiss for stage in stages):
        return []
    sessions = []
    for stage in last_swiss_stages(stages):
        inside = session_numbers(stages, stage)
        keys = {other.pk for other in stages if other.number in inside}
        own = tuple(round_ for round_ in rounds if round_.stage_id in keys)
        planned = tournament.rounds_planned or rounds_and_cut(dict(profile), stage.players_)[0]
        open_ = sum(out.get(round_.pk, 0) for round_ in own)
        sessions.append(Session(stage, stage.players_, own, planned, open_))
    return sessions if any(not session.over for session in sessions[:-1]) else []


def round_words(sessions: Sequence[Session], round_: Round) -> str:
    """Which round of which session this is, where there are several; else ""."""
    for session in sessions:
        for place, own in enumerate(session.rounds, start=1):
            if own.pk == round_.pk:
                said = {"session": session.name, "round": place, "planned": max(session.planned, place)}
                return _("%(session)s, round %(round)s of %(planned)s") % said
    return ""
