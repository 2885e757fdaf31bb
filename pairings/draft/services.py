"""Pairing as a write: read and compute outside the lock, save under it only if nothing moved."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from pairings.engine.compare import verify_round
from pairings.engine.pair import pause_gc
from pairings.engine.types import NoPairing, Pairing, PairingRequest
from pairings.request.entrants import NextRound, NoRound, find_next_round, round_to_pair, seed_ranks
from pairings.request.pairing_request import (
    build_record,
    check_house,
    new_request,
    pair_round,
    paired_codes,
    round_seed,
    seat_pairs,
)
from pairings.words.reasons import no_pairing_words, no_round_words, problem_words
from standings.table.swiss import count_open_rounds
from tournament import models
from tournament.actionlog.change import do_once
from tournament.actionlog.match_facts import MatchFact
from tournament.actionlog.service import service
from tournament.errors import NotFound, WrongState
from tournament.event.display_names import names_in, sort_by_name
from tournament.event.pairing_record import Edit, Lock
from tournament.event.read import load_event_values
from tournament.event.rounds import swiss_round_name
from tournament.event.table_plan import round_table_plan
from tournament.event.types import NO_SEED, Entry, Event, Round, Stage
from tournament.models import Action, StageEntry, Tournament
from tournament.progress.next_step import Progress
from tournament.results.wording import bye_words
from tournament.services.rounds import Draft, list_tables, save_draft
from tournament.text import clean_name


class HouseUndecided(WrongState):
    """The number of players is odd, and the choice between bye and house opponent is still open."""


def no_round_reason(state: str, stage_kinds: Iterable[str]) -> str:
    """Return why no Swiss round can follow, from the event's state and stage kinds; "" if one can."""
    if state == Tournament.State.FINISHED:
        return _("The event is finished. Reopen it first.")
    return no_round_words(NoRound("bracket")) if "elimination" in stage_kinds else ""


def next_round_in(event: Event, flight: int | None) -> tuple[Event, NextRound]:
    """Return the event with its open Swiss rounds (or `flight`'s) complete, and the next round. Raises WrongState."""
    for round_ in event.rounds:
        if event.stage(round_.stage).kind == "swiss" and flight in (None, round_.stage):
            _check_results(event, round_)
    event = count_open_rounds(event, flight)
    if reason := no_round_reason(event.state, (stage.kind for stage in event.stages)):
        raise WrongState(reason)
    try:
        return event, find_next_round(event, flight)
    except NoRound as error:
        raise WrongState(no_round_words(error)) from None


def _check_results(event: Event, round_: Round) -> None:
    if round_.status == "draft":
        raise WrongState(_("Round %(number)s already has draft pairings."), number=round_.number)
    open_tables = [match.table for match in round_.matches if match.result is None]
    if open_tables and round_.status != "complete":
        raise WrongState(
            _("Results of %(round)s are outstanding at these tables: %(tables)s."),
            round=swiss_round_name(round_.number).phrase,
            tables=list_tables(round_table_plan(event, round_), open_tables),
        )


def compute_draft(
    tournament: Tournament, *, house: str | None = None, again: int | None = None, flight: int | None = None
) -> Draft:
    """Pair the next round, or draft `again` with its house opponent, without saving. Raises like `draft_next_round`."""
    event = load_event_values(tournament)
    replaced = None
    if again is not None:
        replaced = _draft_in(event, again)
        house = next((code for code in paired_codes(replaced) if event.entries[code].house), house)
        event = event.replace(rounds=[round_ for round_ in event.rounds if round_ is not replaced])
        flight = replaced.stage
    event, upcoming = next_round_in(event, flight)
    if house == "" and _asks_house(event, upcoming):
        raise HouseUndecided(_("Choose a house opponent, or the bye."))
    stage, number, byes, codes = round_to_pair(event, upcoming.stage, again) if again else upcoming
    if house:
        check_house(event, stage, house)
    if len(codes) + len(byes) < 2:
        raise WrongState(_("A round needs at least 2 players."))
    if set(byes.values()) == {"awarded_bye"} and not codes:
        raise WrongState(_("Everyone has an awarded bye, so there is no one to pair."))
    if house and len(codes) % 2:
        codes.append(house)
    attempt = _earlier_attempts(tournament, event, stage, number) + 1
    locks = _standing_locks(replaced, codes) if replaced else ()
    seed = round_seed(event.seed, number, attempt)
    request = new_request(event, stage, number, codes, seed, locks)
    pairing = _checked_pairing(event, request)
    moves = _standing_moves(replaced, pairing) if replaced else ()
    tables = seat_pairs(event, stage, number, request, pairing, replaced, moves)
    return Draft(
        stage=stage.number,
        number=number,
        matches=(*tables, *(MatchFact(a=code, result=result) for code, result in byes.items())),
        revision=tournament.revision,
        pairing=build_record(pairing, request).replace(
            attempt=attempt, edits=moves, revision=tournament.revision, seed="" if event.seed else NO_SEED
        ),
        replaces=replaced is not None,
    )


def _asks_house(event: Event, upcoming: NextRound) -> bool:
    return upcoming.is_odd and bool(event.profile["bye"].get("house_opponent"))


def _draft_in(event: Event, number: int) -> Round:
    for round_ in event.rounds:
        if (round_.number, round_.status) == (number, "draft"):
            return round_
    raise WrongState(_("Round %(number)s has no draft pairings."), number=number)


def _checked_pairing(event: Event, request: PairingRequest) -> Pairing:
    try:
        pairing = pair_round(request)
    except NoPairing as error:
        raise WrongState(no_pairing_words(error, names_in(event))) from None
    except ValueError as error:  # only an archive brings such locks
        raise WrongState(_("The locked tables do not fit together. Unlock them, then pair again.")) from error
    if not pairing.pairs:
        return pairing
    if broken := [problem for problem in verify_round(request, pairing) if problem.severity == "error"]:
        text = problem_words(broken[0], names_in(event))
        raise WrongState(_("The pairings failed their check: %(problem)s."), problem=text)
    return pairing


def _standing_locks(replaced: Round, codes: list[str]) -> tuple[Lock, ...]:
    """Return the locks that can stay: the players still play, and a locked bye is still needed."""
    playing: set[str | None] = {*codes, *([None] if len(codes) % 2 else [])}
    return tuple(lock for lock in replaced.pairing.locks if playing.issuperset(lock))


def _standing_moves(replaced: Round, pairing: Pairing) -> tuple[Edit, ...]:
    """Return the moves by hand of matches that were paired again and had kept their table."""
    there = {(frozenset((match.a, match.b)), match.table) for match in replaced.matches}
    pairs = {frozenset(pair) for pair in pairing.pairs}
    moves = {
        frozenset(edit.players): edit
        for edit in replaced.pairing.edits
        if edit.kind == "table" and (frozenset(edit.players), edit.tables[-1]) in there
    }
    return tuple(edit for pair, edit in moves.items() if pair in pairs)


def _earlier_attempts(tournament: Tournament, event: Event, stage: Stage, number: int) -> int:
    """Count the round's earlier drafts in the log. Each attempt has its own seed, and its number is public."""
    fact = f"rounds/{number}"
    earlier = [round_.pairing for round_ in event.rounds_of(stage.number) if round_.number < number]
    paired_at = (earlier[-1].revision if earlier else None) or 0
    drafts = tournament.actions.filter(kind="draft", number__gt=paired_at + 1)
    logged = drafts.values_list("changes", flat=True)
    return sum(any(item["fact"] == fact for item in changes) for changes in logged)


@pause_gc()
def draft_next_round(
    tournament: Tournament,
    *,
    house: str | None = None,
    again: int | None = None,
    flight: int | None = None,
    seen: int | None = None,
    actor: Any = "",
    key: str = "",
) -> Action | None:
    """Complete the open round and draft the next one, in one step.

    house   the code of a house opponent, who plays if the number of players is odd; "" if that is undecided
    again   the number of a draft to replace, with the next attempt's seed; on error it stays. `seen`: its revision
    flight  the number of the stage to pair, if several run side by side

    Raises WrongState if it cannot be paired, HouseUndecided, NotFound for an unknown house opponent, Conflict.
    """
    request = {"house": house, "again": again, "flight": flight, "seen": seen}
    body = {name: value for name, value in request.items() if value is not None}

    def draft() -> Action | None:
        computed = compute_draft(tournament, house=house, again=again, flight=flight)
        return save_draft(tournament, computed, **request, actor=actor, key=key)

    return do_once(tournament, "draft", key, [body, ""], draft)


class RoundChoice(NamedTuple):
    """Decisions and facts for the organizer before the next round is paired."""

    asks_house: bool = False  # an odd number of players, under a ruleset that allows a house opponent
    sitting_out: Sequence[str] = ()  # players with a bye given beforehand, each with the bye in words


def round_choice(tournament: Tournament, flight: int | None = None) -> RoundChoice:
    """Return the choice for the next round; nothing to choose if no Swiss round can follow: pairing says why."""
    try:
        event, upcoming = next_round_in(load_event_values(tournament), flight)
    except WrongState:
        return RoundChoice()
    names = names_in(event)
    byes = {code: f"{names[code]} ({bye_words(result)})" for code, result in upcoming.byes.items()}
    return RoundChoice(
        asks_house=_asks_house(event, upcoming),
        sitting_out=[byes[code] for code in sort_by_name({code: names[code] for code in byes})],
    )


@service("house")
def add_house_opponent(log: Any, name: str, flight: int | None = None) -> None:
    """Register a house opponent in that stage (None: the last). Raises WrongState for an empty name, NotFound."""
    name = clean_name(name)
    if not name:
        raise WrongState(_("Who is the house opponent? Enter a name."))
    stage = log.tournament.stages.filter(**({"number": flight} if flight else {})).last()
    if stage is None:
        raise NotFound(_("There is no session %(number)s in this event."), number=flight)
    number = log.tournament.entries.filter(house=True).count() + 1
    code = f"H{number:02d}"
    log.add(models.Entry, f"entries/{code}", {"house": True}, {"name": name})
    log.add(StageEntry, f"stages/{stage.number}/entries/{code}", {})


class Seeding(NamedTuple):
    flight: int | None  # its number, if several stages run side by side
    codes: list[str]  # the players, best seed first
    begun: bool  # whether round 1 is paired, which fixes the order
    entries: dict[str, Entry]  # {entry code: entry} of the event
    names: dict[str, str]  # {entry code: name}

    @property
    def by_hand(self) -> bool:
        return any(self.entries[code].seed_rank is not None for code in self.codes)


def load_seeding(tournament: Tournament, progress: Progress, flight: str = "") -> Seeding:
    """Return the seeding of the stage that takes entries: of several, `flight` or the first that has not begun."""
    event = load_event_values(tournament)
    stage = _find_seeded_stage(event, progress, flight)
    if stage is None:
        return Seeding(None, [], True, event.entries, names_in(event))
    flights, ranks = progress.facts.flights, seed_ranks(event, stage)
    players = [c for c in ranks if not event.entries[c].house and event.entries[c].status == "playing"]
    followed = not flights and stage is not event.stages[-1]  # by a later stage, not one side by side
    return Seeding(
        flight=stage.number if flights else None,
        codes=sorted(players, key=lambda code: ranks[code]),
        begun=followed or bool(event.rounds_of(stage.number)),
        entries=event.entries,
        names=names_in(event),
    )


def _find_seeded_stage(event: Event, progress: Progress, flight: str) -> Stage | None:
    swiss = [stage for stage in event.stages if stage.kind == "swiss"]
    if not swiss:
        return None
    if not progress.facts.flights:
        return swiss[-1]
    numbers = {str(one.number): one.number for one in progress.facts.flights}
    usual = progress.facts.stage.number if progress.facts.stage else swiss[-1].number
    return event.stage(numbers.get(flight, usual))
