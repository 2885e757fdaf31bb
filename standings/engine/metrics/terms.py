"""Terms: each round's contribution to a value. A metric's value and its explanation use the same terms."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

from standings.engine.records import RoundRecord
from standings.engine.scoring import Number


class Note(NamedTuple):
    """A remark: its code, and the numbers and names to insert in its sentence (`standings.words.explanation`)."""

    code: str
    values: Mapping[str, Any] = MappingProxyType({})


class Term(NamedTuple):
    """One round's contribution. If `value` is None it does not count; `note` or `cut` is the code of the reason."""

    round: RoundRecord
    value: Number | None
    note: str | Note = ""  # also what replaces an opponent's value
    of: Number | None = None  # the contribution to the divisor
    voluntary: bool = False  # an unplayed round of the entry's own choice, which FIDE's cuts remove first
    cut: str = ""
    before: Number | None = None  # the value before it was changed or cut
    # (own result as part of a win, opponent's score); the value is their product.
    times: tuple[Number, Number] | None = None
    running: Number | None = None  # the points so far
    label: str = ""  # the term's kind if it is not a round: "start", "unplayed_wins" or a metric's key


NO_ROUND = RoundRecord(0, "played", None, "", (0, 0, 0))  # of a term that is none


def cut_off(term: Term, code: str) -> Term:
    return term._replace(value=None, before=term.value, cut=code)


def total_of(terms: Iterable[Term]) -> Number:
    return sum(term.value for term in terms if term.value is not None)


def sum_wholes(terms: Iterable[Term]) -> Number:
    return sum(term.of for term in terms if term.of is not None)


def count_values(terms: Iterable[Term]) -> int:
    return sum(term.value is not None for term in terms)


def term_divisor(terms: list[Term], divisor: str) -> Number | None:
    if divisor == "rounds":
        return count_values(terms)
    return sum_wholes(terms) if divisor == "wholes" else None


def divide_terms(terms: list[Term], divisor: str) -> Number:
    total, whole = total_of(terms), term_divisor(terms, divisor)
    if whole is None:
        return total
    return Fraction(total) / whole if whole else 0
