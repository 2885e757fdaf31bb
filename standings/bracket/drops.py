"""How a bracket in progress follows a drop, a disqualification or a return."""

from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from standings.bracket.open_matches import (
    altered_in_words,
    altered_matches,
    bracket_of_stage,
    forfeit_match,
    last_round_before,
    settle_bracket,
)
from standings.event.bracket import bracket_of_event
from tournament.actionlog.change import Log, digest_of
from tournament.actionlog.fold import fold
from tournament.errors import WrongState
from tournament.event.from_facts import event_of_state
from tournament.event.profile import profile_of
from tournament.event.read import state_of
from tournament.models import Entry, Flag, Match, Round, Stage, StageEntry, Tournament
from tournament.rulesets import uses_alternates
from tournament.services.drops import LOSES, WAITS, drop_entry
from tournament.services.rounds import is_being_played
from tournament.services.stage_entries import entries_of_person
from tournament.text.display_names import names_of


def follow_status(log: Log, entry: Entry) -> None:
    """Bring the bracket in line with a drop, a disqualification or a reinstatement.

    If the round has begun, the player loses the match. Before that, the next alternate takes the seed of a player who
    drops before playing if the ruleset has alternates (`cut.alternates`, `drop.after_cut_replacement`); otherwise
    `drop.walkover` decides who has the bye. Raises WrongState if matches played since make this impossible.
    """
    place = bracket_place_of(entry)
    if place is None or log.tournament.state == Tournament.State.FINISHED:
        return
    stage, profile = place.stage, profile_of(log.tournament)
    if entry.status != Entry.Status.PLAYING:
        coming = next_match_of(stage, entry.code)
        if coming and coming.round and coming.has_begun:
            log.set(entry, dropped_after=coming.round.number)
            if coming.match is not None:
                forfeit_match(log, coming.match, entry)
        elif uses_alternates(profile) and place.seed and not _has_played(entry, stage):
            _replace(log, place)
        log.advice = _(
            "If the round is being played, start it on the bracket page first: then the opponent wins."
        )
    settle_bracket(log, stage)
    returns = entry.status == Entry.Status.PLAYING
    if returns and any(before.result is not None for _number, before in altered_matches(log.changes)):
        raise WrongState(
            _("Bracket matches have been played since %(name)s left. The player can no longer come back."),
            name=entry.name,
        )


class DropRequest(NamedTuple):
    """A player's request to leave the bracket, and what a drop would do now."""

    flag: Flag
    name: str
    effect: str
    # Each match of others that would change, as it is and as it would be, a sentence each.
    changes: list[tuple[str, str]]
    expects: str  # what confirms them


def drop_request_context(tournament: Tournament) -> dict[str, Any]:
    """Return the requests that staff have not settled, oldest first; one query if there are none."""
    flags = tournament.flags.filter(kind=Flag.Kind.DROP, done=False).select_related("entry__tournament")
    requests = [
        _drop_request(tournament, flag, flag.entry) for flag in flags.order_by("number") if flag.entry
    ]
    mark = str(tournament.revision) if requests else ""
    return {"tournament": tournament, "requests": requests, "mark": mark}


def _drop_request(tournament: Tournament, flag: Flag, entry: Entry) -> DropRequest:
    name, effect = names_of(tournament)[entry.code], effect_of_drop(entry)
    if effect != WAITS:
        return DropRequest(flag, name, effect, [], "")
    state, people = state_of(tournament)
    action = drop_entry(tournament, entry.code, preview=True)
    changes = action.changes if action else []
    fold(state, changes)
    bracket = bracket_of_event(event_of_state(tournament, state, people))
    words = altered_in_words(tournament, changes, bracket) if bracket else []
    return DropRequest(flag, name, effect, words, digest_of(changes))


def bracket_place_of(entry: Entry) -> StageEntry | None:
    places = StageEntry.objects.filter(entry=entry, stage__kind=Stage.Kind.ELIMINATION)
    return places.select_related("stage__tournament").first()


class NextMatch(NamedTuple):
    """The next match of a player in the bracket; fields are None until it and its round exist."""

    round: Round | None
    match: Match | None

    @property
    def has_begun(self) -> bool:
        return self.round is not None and is_being_played(self.round)


def next_match_of(stage: Stage, code: str) -> NextMatch | None:
    for slot in bracket_of_stage(stage).matches.values():
        if not slot.done and code in (slot.a, slot.b, *slot.gone):
            rounds = stage.rounds.filter(number=last_round_before(stage) + slot.round)
            matches = Match.objects.filter(round__in=rounds, slot=slot.slot, seats__entry__code=code)
            return NextMatch(rounds.first(), matches.select_related("round__tournament").first())
    return None


def effect_of_drop(entry: Entry) -> str:
    """Return whether a drop by phone WAITS for staff or LOSES the player's match; "" outside a bracket."""
    place = bracket_place_of(entry)
    if place is None or (coming := next_match_of(place.stage, entry.code)) is None:
        return ""
    return LOSES if coming.has_begun else WAITS


def _has_played(entry: Entry, stage: Stage) -> bool:
    return entry.seats.filter(
        round__stage=stage, opponent__isnull=False, match__result__isnull=False
    ).exists()


def _replace(log: Log, place: StageEntry) -> None:
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
