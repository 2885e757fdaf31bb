"""Penalties, and the games and matches that they cost."""

from collections.abc import Callable, Mapping

from django.utils.translation import gettext_lazy, ngettext

from tournament.actionlog.service import Log
from tournament.errors import Refused
from tournament.models import Entry, Match, Penalty, Round
from tournament.results.slip import MatchRules, Slip

LOSSES = (Penalty.Kind.GAME_LOSS, Penalty.Kind.MATCH_LOSS)
NEXT_MATCH = 0  # as the round in which a loss counts, before that round is known


def record_penalty(
    log: Log,
    entry: Entry,
    kind: str,
    infraction: str,
    *,
    judge: str = "",
    description: str = "",
    counts_in: int | None = None,
) -> None:
    """Add a penalty in the entry's current round. `counts_in`: the round whose match it costs, 0 for the next one."""
    fields = {
        "round": _penalty_round(entry),
        "entry": entry.code,
        "kind": kind,
        "reason": infraction,
        "judge": judge,
        "counts_in": counts_in,
    }
    log.add_next(Penalty, fields, {"description": description})


def _penalty_round(entry: Entry) -> int | None:
    """Return the round of the entry's match, else the latest of its stages, else the latest; None before round 1."""
    posted = entry.tournament.rounds.exclude(state=Round.State.DRAFT).order_by("-number")
    numbers = posted.values_list("number", flat=True)
    playing = numbers.filter(
        state=Round.State.PUBLISHED,
        seats__entry=entry,
        seats__opponent__isnull=False,
        seats__match__result__isnull=True,
    )
    own = numbers.filter(stage__in=entry.stage_entries.values("stage"))
    return playing.first() or own.first() or numbers.first()


def games_lost(match: Match, rules: MatchRules) -> dict[str, int]:
    """Return {side: games that its opponent wins by penalties in this match}."""
    losses = Penalty.objects.filter(tournament=match.round.tournament_id, counts_in=match.round.number)
    losses = losses.filter(kind__in=LOSSES, entry__seats__match=match)
    lost: dict[str, int] = {}
    for kind, side in losses.values_list("kind", "entry__seats__side"):
        games = 1 if kind == Penalty.Kind.GAME_LOSS else rules.to_win
        lost[side] = min(lost.get(side, 0) + games, rules.to_win)
    return lost


def check_losses(
    match: Match,
    slip: Slip,
    rules: MatchRules,
    advice: object = gettext_lazy("Enter it, or undo the penalty."),
    load_names: Callable[[], Mapping[str, str]] | None = None,
) -> None:
    """Raise Refused if the score lacks a game that a penalty gave away. `load_names`: shown names by code."""
    if slip.result != "played":
        return
    for side, least in games_lost(match, rules).items():
        if (slip.b if side == "a" else slip.a) >= least:
            continue
        names = load_names() if load_names else {}
        seats = match.seats.values_list("side", "entry__code", "entry__name")
        shown = {at: names.get(code, name) for at, code, name in seats}
        text = ngettext(
            "%(player)s has a penalty in this match: %(opponent)s has at least %(count)s game win. %(advice)s",
            "%(player)s has a penalty in this match: %(opponent)s has at least %(count)s game wins. %(advice)s",
            least,
        )
        player, (opponent,) = shown.pop(side), shown.values()
        raise Refused(text, player=player, opponent=opponent, count=least, advice=advice)
