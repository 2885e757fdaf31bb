"""The next round's draft pairings, computed from one consistent read. Writes nothing."""

from collections.abc import Collection, Iterable

from django.utils.translation import gettext as _

from pairings.engine import NoPairing, Pairing, verify
from pairings.question.field import codes_to_pair, given_byes
from pairings.question.history import earlier_tables
from pairings.question.house import check_house
from pairings.question.next_round import NoRound, next_round_of
from pairings.question.record import record_of
from pairings.question.request import PairingRequest, new_request, round_seed
from pairings.question.seats import paired_codes, tables_elsewhere
from pairings.question.tables import table_numbers_of
from pairings.words.problems import no_pairing_words, no_round_words, problem_words
from standings.event.rounds import count_open_rounds
from tournament.actionlog.match_facts import MatchFact
from tournament.errors import WrongState
from tournament.event.pairing_record import Edit, Lock
from tournament.event.read import event_of
from tournament.event.types import NO_SEED, Event, Round, Stage
from tournament.event.waivers import waiver
from tournament.models import Tournament
from tournament.services.rounds import Draft, first_few
from tournament.text.display_names import names_in

UNAVOIDABLE = "no legal pairing without it"  # the stored reason of a waiver that the pairing needed


def no_round_reason(state: str, stage_kinds: Iterable[str]) -> str:
    """Why no Swiss round follows, by the event's state and the kinds of its stages; "" where one may."""
    if state == Tournament.State.FINISHED:
        return _("The event is finished. Reopen it first.")
    return no_round_words(NoRound("bracket")) if "elimination" in stage_kinds else ""


def next_round_in(event: Event, flight: int | None) -> tuple[Event, Stage, int]:
    """The event once its open Swiss rounds (or those of one `flight`) are complete; stage and number of the next.

    Raises WrongState where such a round is a draft or waits for results, and where no Swiss round follows.
    """
    for round_ in event.rounds:
        if event.stage(round_.stage).kind == "swiss" and flight in (None, round_.stage):
            _check_results(event, round_)
    event = count_open_rounds(event, flight)
    if reason := no_round_reason(event.state, (stage.kind for stage in event.stages)):
        raise WrongState(reason)
    try:
        return event, *next_round_of(event, flight)
    except NoRound as error:
        raise WrongState(no_round_words(error)) from None


def _check_results(event: Event, round_: Round) -> None:
    if round_.status == "draft":
        raise WrongState(_("Round %(number)s already has draft pairings."), number=round_.number)
    open_tables = [match.table for match in round_.matches if match.result is None]
    if open_tables and round_.status != "complete":
        text = _("Round %(number)s is still waiting for results. Outstanding tables: %(tables)s.")
        raise WrongState(text, number=round_.number, tables=first_few(event, open_tables))


def compute_draft(
    tournament: Tournament,
    *,
    house: str | None = None,
    again: int | None = None,
    flight: int | None = None,
) -> Draft:
    """The next round as it would be drafted, with the revision it was computed at.

    `again` is the number of a draft that it is to replace, whose house opponent plays on. Raises as
    `draft_next_round`.
    """
    event = event_of(tournament)
    replaced = None
    if again is not None:
        replaced = _draft_in(event, again)
        house = next((code for code in paired_codes(replaced) if event.entries[code].house), house)
        event = event.replace(rounds=[round_ for round_ in event.rounds if round_ is not replaced])
        flight = replaced.stage
    event, stage, number = next_round_in(event, flight)
    number = again or number
    if house:
        check_house(event, stage, house)
    byes = given_byes(event, stage, number)
    codes = codes_to_pair(event, stage, number)
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
    tables = _tables(event, stage, number, request, pairing, replaced, moves)
    return Draft(
        stage=stage.number,
        number=number,
        matches=(*tables, *(MatchFact(a=code, result=result) for code, result in byes.items())),
        revision=tournament.revision,
        pairing=record_of(pairing, request).replace(
            attempt=attempt,
            edits=moves,
            revision=tournament.revision,
            seed="" if event.seed else NO_SEED,
        ),
        replaces=replaced is not None,
    )


def _draft_in(event: Event, number: int) -> Round:
    for round_ in event.rounds:
        if (round_.number, round_.status) == (number, "draft"):
            return round_
    raise WrongState(_("Round %(number)s has no draft pairings."), number=number)


def _checked_pairing(event: Event, request: PairingRequest) -> Pairing:
    """The engine's answer, verified by the independent check. Raises WrongState."""
    try:
        pairing = request.pairing()
    except NoPairing as error:
        raise WrongState(no_pairing_words(error, names_in(event))) from None
    except ValueError as error:  # only an archive brings such locks
        raise WrongState(_("The locked tables do not fit together. Unlock them, then pair again.")) from error
    if not pairing.pairs:
        return pairing
    problems = verify(request.entrants, pairing, request.policy, forbidden=request.prohibited_pairs)
    if broken := [problem for problem in problems if problem.severity == "error"]:
        text = problem_words(broken[0], names_in(event))
        raise WrongState(_("The pairings failed their check: %(problem)s."), problem=text)
    return pairing


def _standing_locks(replaced: Round, codes: list[str]) -> tuple[Lock, ...]:
    """The locks of a draft that can stay: both players still play, or the player does and a bye is still needed."""
    playing: set[str | None] = {*codes, *([None] if len(codes) % 2 else [])}
    return tuple(lock for lock in replaced.pairing.locks if playing.issuperset(lock))


def _standing_moves(replaced: Round, pairing: Pairing) -> tuple[Edit, ...]:
    """The matches of a draft moved to a table by hand that meet again and were still there, each once."""
    there = {(frozenset((match.a, match.b)), match.table) for match in replaced.matches}
    pairs = {frozenset(pair) for pair in pairing.pairs}
    moves = {
        frozenset(edit.players): edit
        for edit in replaced.pairing.edits
        if edit.kind == "table" and (frozenset(edit.players), edit.tables[-1]) in there
    }
    return tuple(edit for pair, edit in moves.items() if pair in pairs)


def _tables(
    event: Event,
    stage: Stage,
    number: int,
    request: PairingRequest,
    pairing: Pairing,
    replaced: Round | None,
    moves: Collection[Edit],
) -> list[MatchFact]:
    """The pairs with their table numbers, waivers where a rematch or a repeat bye could not be avoided, then the bye.

    Locked tables keep the number and the first move they had in the draft that is `replaced`; matches that were
    moved by hand (`moves`) keep the number.
    """
    earlier = earlier_tables(event)
    locks = {frozenset(lock) for lock in request.locks}
    draft = {frozenset((match.a, match.b)): match for match in (replaced.matches if replaced else ())}
    by_hand = [frozenset(edit.players) for edit in moves]
    locked = {pair: match for pair, match in draft.items() if pair in locks and match.table}
    numbers = table_numbers_of(
        event,
        stage,
        number,
        pairing.pairs,
        request.points,
        locked={pair: match.table for pair, match in locked.items()},
        by_hand={pair: draft[pair].table for pair in by_hand},
        busy=tables_elsewhere(event, stage),
    )
    tables = []
    for index, (a, b) in enumerate(pairing.pairs):
        first = pairing.first[index] if pairing.first else ""
        if match := locked.get(frozenset((a, b))):
            a, b, first, waived = match.a, match.b, match.first or first, match.waived
        else:
            waived = waiver(a, b, earlier, UNAVOIDABLE)
        tables.append(MatchFact(a, b, first=first, table=numbers[index], waived=waived))
    tables.sort(key=lambda table: table.table or 0)
    if (bye := pairing.bye) is not None:
        tables.append(MatchFact(bye, result="bye", waived=waiver(bye, None, earlier, UNAVOIDABLE)))
    return tables


def _earlier_attempts(tournament: Tournament, event: Event, stage: Stage, number: int) -> int:
    """How often this round was drafted before: each attempt has its own seed, and its number is public.

    Read from the log since the stage's round before was paired, as each draft's action holds all its tables.
    """
    fact = f"rounds/{number}"
    earlier = [round_.pairing for round_ in event.rounds_of(stage.number) if round_.number < number]
    paired_at = (earlier[-1].revision if earlier else None) or 0
    drafts = tournament.actions.filter(kind="draft", number__gt=paired_at + 1)
    return sum(
        any(item["fact"] == fact for item in changes) for changes in drafts.values_list("changes", flat=True)
    )
