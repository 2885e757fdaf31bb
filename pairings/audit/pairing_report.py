"""The output of `pair`: a round paired from an archive, as JSON and as text."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairings.audit.check import entry_label
from pairings.engine.compare import repair_options
from pairings.engine.types import NoPairing, Pairing, PairingRequest
from pairings.request.entrants import build_histories, find_next_round, find_position, is_paired
from pairings.request.pairing_request import (
    assign_table_numbers,
    check_house,
    next_request,
    pair_round,
    paired_round,
    plain_value,
    proof_text,
    rebuild_request,
)
from pairings.words.certificate import CRITERIA
from pairings.words.reasons import no_pairing_words, reasons_words
from tournament.errors import WrongState
from tournament.event.pairing_record import PairingRecord
from tournament.event.types import NO_SEED, Event, Round, Stage
from tournament.results.wording import bye_words

Rows = list[list[object]]


@dataclass(frozen=True, slots=True)
class PairedRound:
    event: Event
    number: int
    pairing: Pairing
    seed: str  # the tournament seed, hexadecimal; "" if unknown
    points: dict[str, Any]  # {player: points before the round}
    tables: list[int]  # one per pair, in the pairs' order
    played: Round | None = None  # the round in the file, if it is paired again; None for the next round
    # {player: result} of players who have a bye in the next round; empty for a round of the file.
    byes: dict[str, str] = field(default_factory=dict)

    @property
    def differs(self) -> bool:
        record = self.played.pairing if self.played else PairingRecord()
        return bool(record.digest) and not has_same_request(self.pairing, record)


def pair_next(event: Event, seed_hex: str | None = None, house: str | None = None) -> PairedRound:
    """Pair the next round; `house`: the code of a house opponent who plays instead of the bye. Raises WrongState."""
    stage, number, byes, codes = find_next_round(event)
    if house is not None:
        check_house(event, stage, house)
        if len(codes) % 2 == 0:
            text = _("Round %(number)s needs no house opponent: the number of players is even. Omit --house.")
            raise WrongState(text, number=number)
    pairing = pair_round(next_request(event, seed_hex=seed_hex, house=house))
    return _at_tables(event, stage, number, pairing, seed_hex or event.seed or "", byes=byes)


def pair_again(event: Event, number: int, seed_hex: str | None = None) -> PairedRound:
    """Pair a round, or its last repair, again from the same facts. Raises ValueError if it was not paired."""
    round_ = paired_round(event, number)
    if round_ is None:
        raise ValueError(_("the file has no paired Swiss round %(number)s") % {"number": number})
    with_seed = event if seed_hex is None else event.replace(seed=seed_hex.lower())
    seed = seed_hex or round_.pairing.seed or event.seed or ""
    pairing = pairing_again(rebuild_request(with_seed, round_), round_)
    return _at_tables(event, event.stage(round_.stage), number, pairing, seed, played=round_)


def _at_tables(
    event: Event,
    stage: Stage,
    number: int,
    pairing: Pairing,
    seed: str,
    *,
    played: Round | None = None,
    byes: dict[str, str] | None = None,
) -> PairedRound:
    """Seat the pairs in table order, at their table in the file or else the one the app would assign."""
    histories = build_histories(event, stage, find_position(event, stage, number))
    points = {code: history.points for code, history in histories.items()}
    there = {frozenset((m.a, m.b)): m.table for m in (played.matches if played else ()) if m.b}
    numbers = assign_table_numbers(event, stage, number, pairing.pairs, points, by_hand=there)
    order = sorted(range(len(numbers)), key=numbers.__getitem__)
    pairs = tuple(pairing.pairs[index] for index in order)
    first = tuple(pairing.first[index] for index in order) if pairing.first else ()
    pairing = replace(pairing, pairs=pairs, first=first)
    return PairedRound(event, number, pairing, seed, points, sorted(numbers), played, byes or {})


def pairing_again(request: PairingRequest, round_: Round) -> Pairing:
    """Pair the round again; a repair starts from the tables that it tried to keep."""
    repair = round_.pairing.last_repair
    if repair is None or repair.option != "keep":
        return pair_round(request)
    before = [(m.a, m.b) for m in round_.matches if is_paired(m) and m.table not in repair.tables]
    keep = repair_options(request, [*before, *repair.gone])[1]
    return keep.pairing or pair_round(request)  # raises, with the reason


def has_same_request(pairing: Pairing, record: PairingRecord) -> bool | None:
    """Whether the stored digest equals this pairing's; None if there is none or another engine version stored it."""
    comparable = record.digest and record.engine in ("", pairing.engine)
    return pairing.digest == record.digest if comparable else None


def has_same_seats(pairing: Pairing, round_: Round) -> bool:
    tables = {frozenset((match.a, match.b)) for match in round_.matches if is_paired(match)}
    bye = set() if pairing.bye is None else {frozenset((pairing.bye, None))}
    return tables == bye.union(map(frozenset, pairing.pairs))


def pairing_document(paired: PairedRound) -> dict[str, Any]:
    pairing = paired.pairing
    document: dict[str, Any] = {
        "round": paired.number,
        "pairs": pairing.pairs,
        "bye": pairing.bye,
        "first": pairing.first,
        "certificate": [asdict(line) | {"proof": proof_text(line.proof)} for line in pairing.certificate],
        "reasons": {str(entrant): reasons_words(reasons) for entrant, reasons in pairing.reasons.items()},
        "seed": (paired.seed or NO_SEED).lower(),
        "digest": pairing.digest,
        "engine": pairing.engine,
    }
    if paired.byes:
        document["given_byes"] = paired.byes
    if paired.played is None:
        return document
    record = paired.played.pairing
    return document | {
        "seed_known": bool(paired.seed),
        "attempt": record.run_number,
        "recorded_digest": record.digest or None,
        "recorded_engine": record.engine or None,
        "asked_the_same": has_same_request(pairing, record),
        "seated_the_same": has_same_seats(pairing, paired.played),
        "edits": len(record.edits) + len(record.repairs),
    }


def pairing_table(paired: PairedRound) -> Rows:
    """Return a header and one row per table, each player with the points before the round."""
    event, sides = paired.event, paired.pairing.first

    def seat(code: str) -> list[object]:
        return [entry_label(event.entries[code]), paired.points.get(code, 0)]

    rows: Rows = [["table", "a", "points", "b", "points", *(["first"] if sides else [])]]
    for index, (table, (a, b)) in enumerate(zip(paired.tables, paired.pairing.pairs, strict=True)):
        rows.append([table, *seat(a), *seat(b)] + ([sides[index]] if sides else []))
    if paired.pairing.bye is not None:
        rows.append(["", *seat(paired.pairing.bye), "bye"])
    rows += [["", *seat(code), bye_words(result)] for code, result in paired.byes.items()]
    return rows


def reasons_table(paired: PairedRound) -> Rows:
    places: list[tuple[object, str]] = [
        (table, code)
        for table, pair in zip(paired.tables, paired.pairing.pairs, strict=True)
        for code in pair
    ]
    places += [("", paired.pairing.bye)] if paired.pairing.bye else []
    reasons, entries = paired.pairing.reasons, paired.event.entries
    rows: Rows = [
        [table, entry_label(entries[code]), reasons_words(reasons[code])]
        for table, code in places
        if code in reasons
    ]
    return [["table", "player", "why"], *rows] if rows else []


def certificate_lines(paired: PairedRound) -> Iterator[str]:
    for line in paired.pairing.certificate:
        values = {
            "criterion": CRITERIA[line.criterion],
            "value": plain_value(line.value),
            "bound": plain_value(line.bound),
            "proof": proof_text(line.proof),
        }
        text = (
            _("%(criterion)s: %(value)s (%(proof)s)")
            if line.optimal
            else _("%(criterion)s: %(value)s, lower bound %(bound)s")
        )
        yield text % values
    seed = (paired.seed or NO_SEED).lower()
    known, unknown = _("seed %(seed)s, %(engine)s"), _("seed %(seed)s (no seed given), %(engine)s")
    yield (unknown if seed == NO_SEED else known) % {"seed": seed, "engine": paired.pairing.engine}


def comparison_lines(paired: PairedRound) -> list[str]:
    """Compare a round paired again with the one in the file; empty for the next round."""
    if paired.played is None:
        return []
    record = paired.played.pairing
    same_request = has_same_request(paired.pairing, record)
    edits = len(record.edits) + len(record.repairs)
    names = {
        "digest": paired.pairing.digest,
        "recorded": record.digest,
        "engine": paired.pairing.engine,
        "other": record.engine,
        "edits": edits,
    }
    if not record.digest:
        lines = [_("the file keeps no digest for this round")]
    elif same_request is None:
        lines = [
            _("recorded %(recorded)s by engine %(other)s"),
            _("this is engine %(engine)s: it pairs differently, so the rounds cannot be compared"),
        ]
    elif not same_request and not paired.seed:
        lines = [
            _("recorded %(recorded)s"),
            _(
                "not compared: the file has no seed (secret until the event ends); "
                "pass --seed with the seed the event's page publishes then"
            ),
        ]
    elif not same_request:
        lines = [
            _("digest %(digest)s"),
            _(
                "recorded %(recorded)s: the input differs (another seed, or results and players changed since)"
            ),
        ]
    elif has_same_seats(paired.pairing, paired.played):
        lines = [_("digest %(recorded)s, as recorded: the file has the same pairings")]
    else:
        text = ngettext(
            "digest %(recorded)s, as recorded: THE FILE HAS OTHER PAIRINGS (%(edits)s manual change recorded)",
            "digest %(recorded)s, as recorded: THE FILE HAS OTHER PAIRINGS (%(edits)s manual changes recorded)",
            edits,
        )
        lines = [text]
    return [line % names for line in lines]


def no_pairing_advice(event: Event, error: NoPairing) -> str:
    names = {code: entry_label(entry) for code, entry in event.entries.items()}
    words = no_pairing_words(error, names)
    if error.code == "too_many_groups":
        return words
    never = (event.profile.get("pairing") or {}).get("repeats") == "never"
    if not never:
        advice = _('Remove a pair from "forbidden" in the file, then pair again.')
    elif event.forbidden:
        advice = _(
            'Remove a pair from "forbidden" in the file or let the ruleset allow rematches '
            '("repeats": "last_resort"), then pair again.'
        )
    else:
        advice = _('Let the ruleset allow rematches ("repeats": "last_resort"), then pair again.')
    return f"{words} {advice}"
