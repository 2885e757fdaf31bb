"""Requests to the pairing engine, the record of its answer (facts of the round), and the tables of its pairs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from django.utils.translation import gettext as _

from pairings.engine.field import Field, field_digest
from pairings.engine.pair import solve
from pairings.engine.tables import spread_tables
from pairings.engine.types import Criterion, Pairing, PairingRequest, Proof, Reason
from pairings.engine.verify import verify
from pairings.request.entrants import (
    NoRound,
    build_entrants,
    build_policy,
    earlier_tables,
    event_before,
    find_next_round,
    is_paired,
)
from standings.table.swiss import list_carried_stages
from tournament.actionlog.fold import earlier_state, load_baseline
from tournament.actionlog.match_facts import MatchFact
from tournament.errors import NotFound, WrongState
from tournament.event.formats import format_number
from tournament.event.pairing_record import CriterionLine, Edit, Lock, PairingRecord
from tournament.event.read import build_event, load_event_values, load_state, read_person
from tournament.event.table_plan import assign_tables, round_table_plan, table_numbers
from tournament.event.types import NO_SEED, Event, Match, Round, Stage
from tournament.event.waivers import waiver
from tournament.models import Tournament


def new_request(
    event: Event, stage: Stage, number: int, codes: Sequence[str], seed: int, locks: tuple[Lock, ...] = ()
) -> PairingRequest:
    policy = build_policy(event, stage, number)
    entrants, unit, lowest = build_entrants(event, stage, number, codes)
    return PairingRequest(
        tuple(entrants), policy, seed, locks, event.forbidden, waived=locks, unit=unit, lowest=lowest
    )


def next_request(
    event: Event, *, seed_hex: str | None = None, attempt: int = 1, house: str | None = None
) -> PairingRequest:
    """Build the request for the next Swiss round. `house`: the code of a house opponent to include. Raises NoRound."""
    stage, number, byes, codes = find_next_round(event)
    codes += [house] if house else []
    if len(codes) + len(byes) < 2:
        raise NoRound("too_few")
    return new_request(event, stage, number, codes, round_seed(seed_hex or event.seed, number, attempt))


def rebuild_request(event: Event, round_: Round, codes: Sequence[str] | None = None) -> PairingRequest:
    """Build the request that a seated round answers, for the entries with these `codes` (None: the seated ones)."""
    record, number = round_.pairing, round_.number
    before = event_before(event, number)
    seed = round_seed(record.seed or event.seed, number, record.run_number)
    seated = paired_codes(round_) if codes is None else codes
    request = new_request(before, before.stage(round_.stage), number, seated, seed, record.kept_tables)
    # A draft is judged by the current do-not-pair list, a published round by the list it was paired with.
    if round_.status == "draft" or record.prohibited_pairs is None:
        return request
    return replace(request, prohibited_pairs=record.prohibited_pairs)


def pair_round(request: PairingRequest) -> Pairing:
    """Pair the round. A single player gets the bye. Raises like `pairings.engine.pair`."""
    if len(request.entrants) < 2:
        return Pairing(pairs=(), bye=next((entrant.id for entrant in request.entrants), None))
    return solve(request)


def request_digest(request: PairingRequest) -> str:
    return field_digest(Field(request))


def recorded_pairing(request: PairingRequest, round_: Round) -> Pairing:
    """Return the seats as the engine's `Pairing`, without first moves unless all are recorded."""
    tables = [match for match in round_.matches if match.b is not None]
    byes = [match.a for match in round_.matches if match.result == "bye"]
    first = tuple(match.first or "" for match in tables)
    return Pairing(
        pairs=tuple((match.a, match.b) for match in tables),
        bye=byes[0] if byes else None,
        first=first if request.policy.sides and all(first) else (),
        seed=request.seed,
    )


def players_past_side_limits(request: PairingRequest, round_: Round) -> list[str]:
    if "side_limits" not in request.policy.criteria:
        return []
    problems = verify(request.entrants, recorded_pairing(request, round_), request.policy)
    return [problem.entrants[0] for problem in problems if problem.code == "side limits"]


def same_label_matches(request: PairingRequest, round_: Round) -> list[Match]:
    """List matches of two players sharing a label, in a round that keeps such players apart."""
    if request.policy.round > request.policy.labels_apart_until_round:
        return []
    labels = {entrant.id: entrant.labels for entrant in request.entrants}
    return [match for match in round_.matches if match.b and labels[match.a] & labels[match.b]]


def round_seed(seed_hex: str | None, number: int, attempt: int = 1) -> int:
    """Return a run's seed: SHA-256 of the text "seed:round:attempt", big-endian. Raises ValueError unless hex."""
    seed = (seed_hex or NO_SEED).lower()
    if set(seed) - set("0123456789abcdef"):
        raise ValueError(f"a seed must be hexadecimal digits, not {seed_hex!r}")
    return int.from_bytes(hashlib.sha256(f"{seed}:{number}:{attempt}".encode("ascii")).digest(), "big")


def check_house(event: Event, stage: Stage, house: str) -> None:
    """Raise NotFound, or WrongState if the ruleset or another stage leaves no house opponent to play."""
    entry = event.entries.get(house)
    if entry is None or not entry.house:
        raise NotFound(_("%(code)s is not a house opponent."), code=house or '""')
    if not event.profile["bye"].get("house_opponent"):
        raise WrongState(_("This ruleset does not use house opponents."))
    if any(house in (match.a, match.b) for match in _matches_elsewhere(event, stage)):
        text = _("%(name)s plays in another session now: choose another house opponent.")
        raise WrongState(text, name=entry.name)


def revision_as_paired(tournament: Tournament, round_: Round) -> int | None:
    """Return the event revision the round was paired from (for an imported round, the file's); None if unknown."""
    revision = (round_.pairing.last_repair or round_.pairing).revision
    if revision is None and f"rounds/{round_.number}" not in load_baseline(tournament):
        return None
    return max(revision or 0, tournament.baseline_number)


def round_as_paired(tournament: Tournament, number: int) -> tuple[Event, Round]:
    """Return the event as it was when the round was paired, and the round as seated. Raises WrongState if it was not
    paired.

    A published round's event is read from the log, an imported round's from its file (unless replaced here).
    """
    event = load_event_values(tournament)
    round_ = paired_round(event, number)
    if round_ is None:
        raise WrongState(_("Round %(number)s was not paired."), number=number)
    revision = revision_as_paired(tournament, round_)
    if round_.status == "draft" or revision is None:
        return event, round_
    people = {code: read_person(entry) for code, entry in event.entries.items()}
    state = load_state(tournament)[0]
    then = build_event(tournament, earlier_state(tournament, state, revision), people)
    for match in round_.matches:
        for code in filter(None, (match.a, match.b)):  # players that a repair seated had not joined yet
            entry = then.entries.get(code)
            if entry is None or (entry.joined_round or 1) > number:
                then.entries[code] = (entry or event.entries[code]).replace(joined_round=number)
    return then.replace(rounds=[r for r in then.rounds if r.number < number] + [round_]), round_


# `pair --json` and `verify --json` print these untranslated texts, and older rounds store them.
PROOF_TEXTS = {
    "bound": "bound reached",
    "kernel": "exact matching on a kernel of {size}",
    "whole_graph": "exact matching on the whole graph",
    "blocks": "exact matching of every block of score groups",
    "exhaustive": "exhaustive search",
    "branches": "exact search that keeps later rounds possible",
    "none": "not proved",
}
_CODES = {text: code for code, text in PROOF_TEXTS.items()}


def build_record(pairing: Pairing, request: PairingRequest) -> PairingRecord:
    """Return the record a round stores of this answer. Its points are times `unit`, squares times unit²."""
    return PairingRecord(
        engine=pairing.engine,
        digest=pairing.digest,
        certificate=tuple(build_criterion_line(criterion) for criterion in pairing.certificate),
        reasons={str(code): reasons_to_json(reasons) for code, reasons in pairing.reasons.items()},
        prohibited_pairs=tuple(request.prohibited_pairs),
        locks=tuple(request.locked),
        unit=request.unit,
    )


def build_criterion_line(line: Criterion) -> CriterionLine:
    proof = line.proof
    return CriterionLine(line.criterion, line.value, line.bound, line.optimal, proof.code, proof.size)


def reasons_to_json(reasons: Iterable[Reason]) -> list[dict[str, Any]]:
    return [{"code": reason.code, **reason.params} for reason in reasons]


def reasons_from_json(kept: Any) -> str | tuple[Reason, ...]:
    """Return a player's reasons, or the sentence that an older version stored; () for anything else."""
    if isinstance(kept, str):
        return kept
    if not isinstance(kept, list):
        return ()
    return tuple(_reason(item) for item in kept if isinstance(item, Mapping) and "code" in item)


def _reason(item: Mapping[str, Any]) -> Reason:
    params = {name: tuple(value) if isinstance(value, list) else value for name, value in item.items()}
    return Reason(str(params.pop("code")), params)


PairDown = tuple[str, str]  # the points of the two players, the higher first


def plain_value(value: int | tuple[int, ...]) -> int | list[int]:
    return list(value) if isinstance(value, tuple) else value


def proof_text(proof: Proof) -> str:
    return PROOF_TEXTS.get(proof.code, proof.code).format(size=proof.size)


def proof_from_json(kept: str, size: int = 0) -> Proof:
    """Return a certificate line's proof. `kept` is a code or, in older rounds, a text."""
    if kept in PROOF_TEXTS:
        return Proof(kept, size)
    general = re.sub(r"\d+$", "{size}", kept)
    digits = re.search(r"\d+$", kept)
    return Proof(_CODES.get(general, kept), int(digits.group()) if digits else 0)


LONGEST_REASON = 200


def shorten_reason(reason: str) -> str:
    """Return the reason with single spaces, at most `LONGEST_REASON` characters."""
    return " ".join(reason.split())[:LONGEST_REASON]


def paired_codes(round_: Round) -> list[str]:
    """List the codes of all entries the pairing seated, including house entries and the bye."""
    return [code for match in round_.matches if is_paired(match) for code in (match.a, match.b) if code]


def paired_round(event: Event, number: int) -> Round | None:
    round_ = next((round_ for round_ in event.rounds if round_.number == number), None)
    if round_ is None or event.stage(round_.stage).kind != "swiss" or not paired_codes(round_):
        return None
    return round_


def _matches_elsewhere(event: Event, stage: Stage) -> list[Match]:
    others = (r for r in event.rounds if r.status != "complete" and r.stage != stage.number)
    return [match for round_ in others for match in round_.matches]


def tables_elsewhere(event: Event, stage: Stage) -> set[int]:
    return {match.table for match in _matches_elsewhere(event, stage) if match.table is not None}


def fixed_tables(event: Event, pairs: Iterable[tuple]) -> dict[str, int]:
    return {code: table for pair in pairs for code in pair if (table := event.entries[code].fixed_table)}


UNAVOIDABLE = "no legal pairing without it"  # the stored reason of a waiver that the pairing needed


def seat_pairs(
    event: Event,
    stage: Stage,
    number: int,
    request: PairingRequest,
    pairing: Pairing,
    replaced: Round | None,
    moves: Collection[Edit],
) -> list[MatchFact]:
    """Number the pairs, add waivers for unavoidable rematches and repeat byes, and end with the bye.

    Locked tables keep number and first move from the `replaced` draft; matches moved by hand keep their number.
    """
    earlier = earlier_tables(event)
    locks = {frozenset(lock) for lock in request.locked}
    draft = {frozenset((match.a, match.b)): match for match in (replaced.matches if replaced else ())}
    by_hand = [frozenset(edit.players) for edit in moves]
    locked = {pair: match for pair, match in draft.items() if pair in locks and match.table}
    numbers = assign_table_numbers(
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


def assign_table_numbers(
    event: Event,
    stage: Stage,
    number: int,
    pairs: Sequence[tuple],
    points: Mapping[str, Any],
    *,
    locked: Mapping[frozenset, int | None] | None = None,
    by_hand: Mapping[frozenset, int | None] | None = None,
    busy: Collection[int] = (),
) -> list[int]:
    """Return the table of each pair of round `number`, in the order of the pairs; `busy` tables are not used.

    `points`: {player: points}; equal pairs may swap tables. `locked`: {pair: table} to keep if the venue's plan has it.
    `by_hand`: {pair: table} that the organizer chose.
    """
    plan = round_table_plan(event)
    fixed = fixed_tables(event, pairs)
    usual = {*islice(table_numbers(plan, busy), len(pairs)), *fixed.values(), *plan.features} - {*busy}
    kept: dict[int, int] = {}
    of_venue = {pair: table for pair, table in (locked or {}).items() if table in usual}
    for wanted in (by_hand or {}, of_venue):
        for index, pair in enumerate(pairs):
            table = wanted.get(frozenset(pair))
            if table and table not in {*kept.values(), *busy}:
                kept.setdefault(index, table)
    own = {index for index, pair in enumerate(pairs) if not fixed.keys().isdisjoint(pair)}
    tables = assign_tables(pairs, plan, skip=busy, fixed=fixed, locked=kept)
    free = [index for index in range(len(pairs)) if index not in kept and index not in own]
    groups = [sorted((points.get(code, 0) for code in pairs[index]), reverse=True) for index in free]
    return vary_tables(event, stage, number, pairs, tables, free, groups)


def vary_tables(
    event: Event,
    stage: Stage,
    number: int,
    pairs: Sequence[tuple],
    tables: list[int],
    free: Sequence[int],
    groups: Sequence[object],
) -> list[int]:
    """Rearrange tables, if the event wants that, so that few players sit where they sat in the round before `number`.

    free    indices of the pairs whose tables may change
    groups  for each of these a value; neighbors with equal values may swap tables freely (`spread_tables`)
    """
    if not event.varies_tables:
        return tables
    rounds = event.rounds_of(*list_carried_stages(event, stage.number))
    last = [round_ for round_ in rounds if round_.number < number][-1:]
    matches = [match for round_ in last for match in round_.matches if match.table]
    sat_at = {code: match.table or 0 for match in matches for code in (match.a, match.b) if code}
    before = [[sat_at[code] for code in pairs[index] if code in sat_at] for index in free]
    varied = list(tables)
    for index, table in zip(free, spread_tables(groups, [tables[i] for i in free], before), strict=True):
        varied[index] = table
    return varied


def list_pair_downs(request: PairingRequest, pairs: Iterable[tuple]) -> list[PairDown]:
    """Return the points of both players, in words, of each pair-down; a house opponent's table is none."""
    points = request.points
    houses = {entrant.id for entrant in request.entrants if entrant.house}
    down = [sorted((points[a], points[b]), reverse=True) for a, b in pairs if houses.isdisjoint((a, b))]
    return [(format_number(high), format_number(low)) for high, low in down if high != low]
