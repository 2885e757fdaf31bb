"""The cut: computed from the standings as they are now, then stored as an elimination stage with its seeds.

Its matches are opened by `standings.bracket.open_matches`.
"""

from typing import Any

from django.utils.translation import gettext as _

from standings.bracket.open_matches import settle_bracket
from standings.engine.bracket.cut import Cut, CutRule
from standings.event.qualifiers import qualifiers_of
from standings.event.rounds import count_open_rounds
from tournament.actionlog.change import Log
from tournament.actionlog.match_rows import unlocked_seats
from tournament.actionlog.service import service
from tournament.errors import Refused, WrongState
from tournament.event.read import event_of
from tournament.models import Action, Match, Stage, StageEntry, Tournament
from tournament.services.rounds import complete_open_rounds, remove_round
from tournament.services.stages import last_stages_of

SMALLEST, LARGEST = 2, 64


def cut_of(tournament: Tournament, rule: CutRule | int) -> Cut:
    """Who would advance, and the alternates, by the standings as they are now, open rounds included."""
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
    """Complete the last Swiss round and set the bracket of the best. `rule` a size: otherwise as the ruleset cuts.

    `lengths`: best of how many games in the first round, the second, …; `ends_at`: when the bracket must be
    over (ISO). Raises Refused for an impossible cut, WrongState where a table is outstanding or there is a bracket.
    """
    size = rule if isinstance(rule, int) else rule.size
    if not SMALLEST <= size <= LARGEST:
        raise Refused(_("A cut must have %(least)s to %(most)s players."), least=SMALLEST, most=LARGEST)
    cut = cut_of(tournament, rule)
    plan = {"best_of": list(lengths), "ends_at": ends_at}
    return save_cut(tournament, size, plan, cut, tournament.revision, actor=actor, key=key)


@service("cut", computed=("cut", "revision"))
def save_cut(log: Log, size: int, plan: dict[str, Any], cut: Cut, revision: int) -> None:
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
    _check_size(cut, size)
    number = swiss[-1].number + 1
    last = last_stages_of(tournament)
    begun = set(tournament.rounds.values_list("stage_id", flat=True))
    if idle := next((s for s in last if s.pk not in begun and s.stage_entries.exists()), None):
        raise WrongState(
            _("Session %(number)s has players but has not started. Play it, or move them first."),
            number=idle.number,
        )
    sources = [stage.number for stage in last if stage.pk in begun]
    stage = log.add(Stage, f"stages/{number}", {"kind": "elimination", "sources": sources, **plan})
    for seed, code in enumerate(cut.qualifiers, start=1):
        log.add(StageEntry, f"stages/{number}/entries/{code}", {"seed": seed})
    for place, code in enumerate(cut.alternates, start=1):
        log.add(StageEntry, f"stages/{number}/entries/{code}", {"alternate": place})
    log.set(tournament, cut=size)
    settle_bracket(log, stage)


def _check_size(cut: Cut, size: int) -> None:
    inside = len(cut.qualifiers)
    if inside < SMALLEST:
        raise WrongState(_("A bracket needs at least 2 players who can still play."))
    if inside < size:
        raise Refused(
            _("Only %(inside)s players can still play. Cut to %(inside)s: the top seeds get byes."),
            inside=inside,
        )
    if inside > LARGEST:
        raise Refused(
            _("%(inside)s players would advance, but a bracket can have at most %(most)s."),
            inside=inside,
            most=LARGEST,
        )


@service("undo cut")
def undo_cut(log: Log) -> None:
    """Remove the bracket while nothing has been played in it, so that the cut can be made again.

    Raises WrongState once a bracket match has a result.
    """
    stage = log.tournament.stages.filter(kind=Stage.Kind.ELIMINATION).order_by("number").last()
    if stage is None:
        raise WrongState(_("There is no bracket."))
    matches = Match.objects.filter(round__stage=stage, table__isnull=False)
    if matches.filter(result__isnull=False).exists():
        raise WrongState(_("The bracket has results. Undo those first."))
    for round_ in stage.rounds.order_by("-number"):
        with unlocked_seats(round_):
            log.unseat(round_)
        remove_round(log, round_)
    for place in stage.stage_entries.select_related("stage", "entry"):
        log.remove(place)
    log.remove(stage)
