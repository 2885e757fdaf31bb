"""The life of a round: draft, published, complete. Matches and seats are created only here."""

import datetime as dt
import secrets
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.actionlog.facts import CLOCK_FIELDS, STAFF_INBOX
from tournament.actionlog.match_facts import MatchFact
from tournament.actionlog.service import Log, service
from tournament.errors import Conflict, WrongState
from tournament.event.clock import round_clock
from tournament.event.pairing_record import PairingRecord
from tournament.event.profile import ruleset_in_force
from tournament.event.rounds import find_round, find_swiss_round, round_name
from tournament.event.table_plan import TablePlan, parse_plan, round_table_plan
from tournament.models import Entry, Round, Stage, Tournament
from tournament.rulesets import draws_in_bracket, match_length
from tournament.services.penalties import LOSSES, NEXT_MATCH
from tournament.services.requested_byes import REQUESTED_RESULTS, requested_results
from tournament.services.results import IS_OPEN, end_lost_match
from tournament.text import join_some


@dataclass(frozen=True)
class Draft:
    """Pairings computed outside the event's lock, at `revision` of the event."""

    stage: int
    number: int
    matches: tuple[MatchFact, ...]
    revision: int
    pairing: PairingRecord = field(default_factory=PairingRecord)
    replaces: bool = False  # they replace another draft of the same round


def list_tables(plan: TablePlan, tables: Sequence[int | None]) -> str:
    """Return the names of tables for a message, at most the first 5."""
    return ", ".join(plan.name(table) for table in tables[:5]) + ("…" if len(tables) > 5 else "")


@contextmanager
def keeping_table_names(log: Log) -> Iterator[None]:
    """Keep published rounds' table names while the event's plan or rounds change: they get a copy of the plan."""
    event = log.tournament
    rounds = event.rounds.exclude(state=Round.State.DRAFT)
    before = event.table_plan
    plans = {key: before if own is None else own for key, own in rounds.values_list("pk", "table_plan")}
    yield
    for round_ in rounds.defer("pairing") if event.table_plan != before else ():
        old, new = parse_plan(plans[round_.pk]), round_table_plan(event, round_)
        used = round_.matches.exclude(table=None).values_list("table", flat=True)
        if any(old.name(table) != new.name(table) for table in used):
            log.set(round_, table_plan=plans[round_.pk])
    for draft in event.rounds.filter(state=Round.State.DRAFT, table_plan__isnull=False):
        log.set(draft, table_plan=None)


def is_being_played(round_: Round) -> bool:
    """Whether a round has begun: its clock or staff started it, or it has a result."""
    entered = round_.matches.filter(table__isnull=False, result__isnull=False)
    return round_clock(round_).has_started(timezone.now()) or entered.exists()


def check_seen(revision: int, seen: int | None) -> None:
    """Raise Conflict if a draft's `revision` is not the one `seen` (None: any)."""
    if seen is not None and seen != revision:
        text = _(
            "Someone changed these draft pairings after you opened them. Nothing was saved. Check them again."
        )
        raise Conflict(text)


def open_matches(log: Log, round_: Round, matches: Iterable[MatchFact], best_of: int | None = None) -> None:
    """Seat players in a round of any stage. `best_of`: the length of these matches, if it is not the event's."""
    profile = ruleset_in_force(log.tournament)
    swiss = round_.swiss
    usual = (log.tournament.best_of or profile["best_of_swiss"]) if swiss else profile["best_of_elim"]
    draws = swiss or draws_in_bracket(profile)
    best_of = match_length(best_of or usual)
    seated = []
    for match in matches:
        alone = match.b is None
        winner = "a" if alone and not swiss else ""
        seated.append(match._replace(best_of=best_of, draws_allowed=draws or alone, winner=winner))
    log.seat(round_, seated)
    if not swiss:
        count_penalties(log, round_)


@service("draft", computed=("draft",))
def save_draft(
    log: Log,
    draft: Draft,
    house: str | None = None,
    again: int | None = None,
    flight: int | None = None,
    seen: int | None = None,
) -> None:
    """Complete the stage's open round, and save `draft` as the next round or as a replacement of one.

    `house`, `again`, `flight` and `seen` are as the form sent them. Raises WrongState if a fact changed since the draft
    was computed, a table is outstanding, or the stage has a draft; Conflict if the replaced draft is not `seen`.
    """
    tournament = log.tournament
    pairing = draft.pairing
    if tournament.revision != draft.revision:
        later = tournament.actions.filter(number__gt=draft.revision).values_list("changes", flat=True)
        if any(not change["fact"].startswith(STAFF_INBOX) for changes in later for change in changes):
            raise WrongState(_("Something changed while the round was being paired. Pair again."))
        pairing = pairing.replace(revision=tournament.revision)  # as it would be computed now
    stage = tournament.stages.get(number=draft.stage)
    if draft.replaces:
        old = tournament.rounds.get(number=draft.number, state=Round.State.DRAFT)
        check_seen(old.revision, seen)
        log.unseat(old)
        remove_round(log, old)
    complete_open_rounds(log, stage)
    fields = {"stage": draft.stage, "state": "draft", "pairing": pairing.to_json() or None}
    open_matches(log, log.add(Round, f"rounds/{draft.number}", fields), draft.matches)


def complete_open_rounds(log: Log, stage: Stage) -> None:
    """Complete the stage's published round. Raises WrongState if tables are outstanding or, in a bracket, drawn."""
    for round_ in stage.rounds.exclude(state=Round.State.COMPLETE):
        if round_.state == Round.State.DRAFT:
            raise WrongState(_("Round %(number)s already has draft pairings."), number=round_.number)
        outstanding = round_.matches.filter(IS_OPEN).order_by("table").values_list("table", flat=True)
        if tables := list(outstanding):
            text = _("Results of %(round)s are outstanding at these tables: %(tables)s.")
            names = list_tables(round_table_plan(log.tournament, round_), tables)
            raise WrongState(text, round=round_name(round_).phrase, tables=names)
        log.set(round_, state="complete")


@service("reopen round", owner=True)
def reopen_round(log: Log, number: int) -> None:
    """Publish the stage's last complete round again. Raises WrongState if a round that depends on it was paired."""
    round_ = find_round(log.tournament, number)
    stage = round_.stage.number
    later = log.tournament.rounds.filter(number__gt=number).select_related("stage")
    built_on = any(other.stage.number == stage or stage in other.stage.sources for other in later)
    if round_.state != Round.State.COMPLETE or built_on:
        raise WrongState(_("Only the last complete round can be reopened; discard later rounds first."))
    log.set(round_, state="published")


@service("discard draft")
def discard_draft(log: Log, number: int, seen: int | None = None) -> None:
    """Discard the draft `seen`. Raises WrongState if a round of another stage follows, because numbers have no gaps."""
    round_ = find_swiss_round(log.tournament, number)
    if round_.state != Round.State.DRAFT:
        raise WrongState(_("Round %(number)s is already published."), number=number)
    check_seen(round_.revision, seen)
    if log.tournament.rounds.filter(number__gt=number).exists():
        text = _("Another session's round was paired after round %(number)s. Pair this round again instead.")
        raise WrongState(text, number=number)
    log.unseat(round_)
    remove_round(log, round_)


def remove_round(log: Log, round_: Round) -> None:
    """Remove an empty round. Its penalties move to the previous round; losses due in it wait for the next match."""
    for penalty in log.tournament.penalties.filter(counts_in=round_.number):
        log.set(penalty, counts_in=NEXT_MATCH)
    for penalty in round_.penalties.all():
        log.set(penalty, round=round_.number - 1 or None)
    for row in (*round_.deck_checks.all(), *round_.flags.all()):
        log.set(row, round=None)
    log.remove(round_)


@service("publish")
def publish_round(log: Log, number: int, seen: int | None = None) -> None:
    """Publish the draft pairings `seen` (the round's revision). From now on they are facts.

    Round 1 also copies the ruleset into the event and creates a random seed if there is none. The clock stays off.
    """
    tournament = log.tournament
    round_ = find_swiss_round(tournament, number)
    if round_.state != Round.State.DRAFT:
        raise WrongState(_("Round %(number)s is already published."), number=number)
    check_seen(round_.revision, seen)
    _check_field(round_)
    unseated = Entry.objects.filter(stage_entries__stage=round_.stage, dropped_after__gte=number)
    for entry in unseated.exclude(seats__round=round_):  # they dropped in it before it was paired again
        log.set(entry, dropped_after=number - 1)
    if tournament.profile is None:
        log.set(tournament, profile=ruleset_in_force(tournament))
    if not tournament.seed:
        tournament.seed = secrets.token_hex(16)
        tournament.save(update_fields=["seed"])
    published_at = timezone.now().astimezone(dt.UTC).isoformat()
    log.set(round_, state="published", published_at=published_at, **dict.fromkeys(CLOCK_FIELDS))
    if tournament.state != Tournament.State.RUNNING:
        log.set(tournament, state="running")
    count_penalties(log, round_)


def _check_field(round_: Round) -> None:
    """Raise WrongState, with names, if the seats no longer fit the players, requested byes or do-not-pair list."""
    joined = Q(joined_round=None) | Q(joined_round__lte=round_.number)
    stays = Q(dropped_after=None) | Q(dropped_after__gte=round_.number)
    entries = Entry.objects.filter(joined, stays, house=False, status=Entry.Status.PLAYING)
    playing = set(entries.filter(stage_entries__stage=round_.stage).values_list("code", flat=True))
    seats = list(round_.seats.values_list("entry__code", "entry__house", "opponent__code", "kind"))
    seated = {code for code, house, _opponent, _kind in seats if not house}
    if gone := seated - playing:
        text = _("%(name)s dropped since these pairings were made. Pair again.")
        raise WrongState(text, name=_names(round_, gone))
    if new := playing - seated:
        raise WrongState(_("%(name)s is not seated in these pairings. Pair again."), name=_names(round_, new))
    sits_out = {code: kind for code, _house, _opponent, kind in seats if kind in REQUESTED_RESULTS}
    requested = {code: kind for code, kind in requested_results(round_).items() if code in playing}
    if changed := {code for code, _kind in sits_out.items() ^ requested.items()}:
        text = _("The requested bye of %(name)s changed since these pairings were made. Pair again.")
        raise WrongState(text, name=_names(round_, changed))
    prohibited = {frozenset(pair) for pair in round_.tournament.forbidden}
    for code, _house, opponent, _kind in seats if prohibited else ():
        if frozenset((code, opponent)) in prohibited:
            text = _("%(names)s are on the do-not-pair list. Pair again.")
            raise WrongState(text, names=_names(round_, {code, opponent}))


def _names(round_: Round, codes: Collection[str]) -> str:
    entries = round_.tournament.entries.filter(code__in=codes).order_by("code")
    return join_some(list(entries.values_list("name", flat=True)), 3)


def count_penalties(log: Log, round_: Round) -> None:
    """Apply the losses that wait for the players' next match to this round, whose seats are final now."""
    waiting = log.tournament.penalties.filter(kind__in=LOSSES, counts_in=NEXT_MATCH)
    waiting = waiting.filter(entry__seats__round=round_, entry__seats__opponent__isnull=False)
    matches: set[int] = set()
    for penalty in waiting.annotate(match=F("entry__seats__match")):
        log.set(penalty, counts_in=round_.number)
        matches.add(penalty.match)
    for match in round_.matches.filter(pk__in=matches).order_by("table"):
        end_lost_match(log, match)
