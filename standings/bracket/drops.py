"""What a player who drops, or is reinstated, changes in a bracket that is being played."""

from standings.bracket.open_matches import settle_bracket
from tournament.actionlog.change import Log
from tournament.event.profile import profile_of
from tournament.models import Entry, Stage, StageEntry, Tournament
from tournament.services.stage_entries import entries_of_person


def follow_status(log: Log, entry: Entry) -> None:
    """Bring the bracket in line with a drop, a disqualification or a reinstatement.

    Where the ruleset has alternates (`cut.alternates`, `drop.after_cut_replacement`), the next of them takes the
    seed of a player who drops before playing; otherwise `drop.walkover` says who has the bye.
    """
    places = StageEntry.objects.filter(entry=entry, stage__kind=Stage.Kind.ELIMINATION)
    place = places.select_related("stage__tournament").first()
    if place is None or log.tournament.state == Tournament.State.FINISHED:
        return
    stage, profile = place.stage, profile_of(log.tournament)
    replaced = profile["cut"].get("alternates") or profile["drop"].get("after_cut_replacement")
    if replaced and entry.status != Entry.Status.PLAYING and place.seed and not _has_played(entry, stage):
        _replace(log, place)
    open_ = stage.rounds.values_list("number", "matches__table").filter(matches__result=None)
    settle_bracket(log, stage, {f"{number}.{table}" for number, table in open_})


def _has_played(entry: Entry, stage: Stage) -> bool:
    return entry.seats.filter(
        round__stage=stage, opponent__isnull=False, match__result__isnull=False
    ).exists()


def _replace(log: Log, place: StageEntry) -> None:
    """Give the seed to the first alternate who can still play, if there is one."""
    waiting = place.stage.stage_entries.filter(alternate__isnull=False, entry__status=Entry.Status.PLAYING)
    others = place.stage.stage_entries.exclude(seed=None).exclude(pk=place.pk)
    seeded = set(others.values_list("entry", flat=True))
    for alternate in waiting.select_related("entry__tournament").order_by("alternate"):
        if any(entry.pk in seeded for entry in entries_of_person(alternate.entry)):
            continue  # a person takes one place
        seed = place.seed
        log.set(place, seed=None)
        log.set(alternate, seed=seed, alternate=None)
        return
