"""The cut: read from the standings as they are now, then stored as an elimination stage with its seeds.

What follows is `standings.bracket.open_matches`.
"""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from standings.bracket.open_matches import remove_round, settle
from standings.engine.bracket.cut import Cut, CutRule
from standings.event.qualifiers import qualifiers_of
from standings.event.rounds import count_open_rounds
from tournament.actionlog.change import Log, unlocked_seats
from tournament.actionlog.service import service
from tournament.errors import Refused, WrongState
from tournament.event.read import event_of
from tournament.models import Action, Match, Stage, StageEntry, Tournament
from tournament.services.rounds import complete_open_rounds
from tournament.services.stages import last_stages_of

SMALLEST, LARGEST = 2, 64


def cut_of(tournament: Tournament, rule: CutRule | int) -> Cut:
    """Who would play on, and the alternates, by the standings as they are now (open results included)."""
    return qualifiers_of(count_open_rounds(event_of(tournament, paired=False)), rule)


def make_cut(
    tournament: Tournament,
    rule: CutRule | int,
    *,
    lengths: tuple[int, ...] = (),
    ends_at: str | None = None,
    actor: Any = "",
    key: str = "",
) -> Action | None:
    """Complete the last Swiss round and draw the bracket of the best; a size alone: as the ruleset cuts.

    `lengths`: best of how many games in the first round, the second, …; `ends_at`: when the bracket must be
    over (ISO). Raises Refused for an impossible cut, WrongState where a table is out or a bracket stands.
    """
    size = rule if isinstance(rule, int) else rule.size
    if not SMALLEST <= size <= LARGEST:
        raise Refused(
            _("A cut must have %(least)s to %(most)s players.") % {"least": SMALLEST, "most": LARGEST}
        )
    found = cut_of(tournament, rule)
    plan = {"best_of": list(lengths), "ends_at": ends_at}
    return save_cut(tournament, size, plan, found, tournament.revision, actor=actor, key=key)


@service("cut", computed=("found", "revision"))
def save_cut(log: Log, size: int, plan: dict[str, Any], found: Cut, revision: int) -> None:
    """Store the cut as computed at `revision`: the elimination stage, its seeds, and its open matches."""
    tournament = log.tournament
    if tournament.stages.filter(kind=Stage.Kind.ELIMINATION).exists():
        raise WrongState(_("The bracket is already set."))
    if tournament.revision != revision:
        raise WrongState(
            _("Something changed since you opened this page. Check the standings and cut again.")
        )
    swiss = list(tournament.stages.order_by("number"))
    for stage in swiss:
        complete_open_rounds(log, stage)
    if not tournament.rounds.exists():
        raise WrongState(_("Play a Swiss round first."))
    _check_size(found, size)
    number = swiss[-1].number + 1
    last = last_stages_of(tournament)
    begun = set(tournament.rounds.values_list("stage_id", flat=True))
    if waits := next((s for s in last if s.pk not in begun and s.stage_entries.exists()), None):
        raise WrongState(
            _("Session %(number)s has players but has not started. Play it, or move them first.")
            % {"number": waits.number}
        )
    sources = [stage.number for stage in last if stage.pk in begun]
    stage = log.add(Stage, f"stages/{number}", {"kind": "elimination", "sources": sources, **plan})
    for seed, code in enumerate(found.qualifiers, start=1):
        log.add(StageEntry, f"stages/{number}/entries/{code}", {"seed": seed})
    for place, code in enumerate(found.alternates, start=1):
        log.add(StageEntry, f"stages/{number}/entries/{code}", {"alternate": place})
    log.set(tournament, cut=size)
    settle(log, stage)


def _check_size(found: Cut, size: int) -> None:
    inside = len(found.qualifiers)
    if inside < SMALLEST:
        raise WrongState(_("A bracket needs at least 2 players who can still play."))
    if inside < size:
        raise Refused(
            _("Only %(inside)s players can still play. Cut to %(inside)s: the top seeds get byes.")
            % {"inside": inside}
        )
    if inside > LARGEST:
        raise Refused(
            _("%(inside)s players would advance, but a bracket can have at most %(most)s.")
            % {"inside": inside, "most": LARGEST}
        )


@service("undo cut")
def undo_cut(log: Log) -> None:
    """Take the bracket away while nothing was played in it: the cut can then be made anew.

    Raises WrongState once a bracket match has a result.
    """
    stage = log.tournament.stages.filter(kind=Stage.Kind.ELIMINATION).order_by("number").last()
    if stage is None:
        raise WrongState(_("There is no bracket."))
    matches = Match.objects.filter(round__stage=stage, table__isnull=False)
    if matches.filter(result__isnull=False).exists():
        raise WrongState(_("The bracket has results: undo those first."))
    for round_ in stage.rounds.order_by("-number"):
        with unlocked_seats(round_):
            log.unseat(round_)
        remove_round(log, round_)
    for place in stage.stage_entries.select_related("stage", "entry"):
        log.remove(place)
    log.remove(stage)
