"""What an entry brings with it: rating, seed, punctuality, a value measured outside the matches."""

from __future__ import annotations

from fractions import Fraction

from standings.engine.metrics.registry import metric
from standings.engine.scoring import Number


@metric("rating", "Rating", "the entry's rating, 0 without one", "score")
def rating(field, entry) -> int:
    """The rating before the event. Source: FIDE C.07, "RTNG"."""
    return field.records[entry].rating or 0


@metric(
    "seed",
    "Seed",
    "the order before the event, 1 best; nobody without one comes before",
    "order",
    ascending=True,
)
def seed(field, entry) -> int:
    """The order before the event; entries without one share the place after the last. Source: FIDE C.07, "TPN"."""
    own = field.records[entry].seed
    return own if own is not None else 1 + max((r.seed or 0 for r in field.records.values()), default=0)


@metric("late_flag", "Came late", "1 for who came after the start, else 0", "count", ascending=True)
def late_flag(field, entry) -> int:
    """Those on time stand above those late with as many points. Source: Play! Pokémon TCG rules, 5.6."""
    return int(field.records[entry].late)


@metric("external_value", "Outside value", "a value measured outside the matches", "score", ascending=True)
def external_value(field, entry, *, name="", missing=None) -> Number:
    """The value called `name`; without one `missing`, else more than anybody has (last where lower is better).

    Source: curling, "Draw Shot Challenge".
    """
    own = field.records[entry].external.get(name)
    if own is not None:
        return own
    if missing is not None:
        return missing
    return 1 + max((r.external[name] for r in field.records.values() if name in r.external), default=0)


@metric("avg_rating_opponents", "Average rating of opponents", "mean rating of the opponents played", "score")
def avg_rating_opponents(field, entry) -> Number:
    """Exact mean over the rounds played against rated opponents; 0 without any. Source: FIDE C.07, "ARO"."""
    rounds = field.records[entry].rounds
    met = [field.records[line.opponent].rating for line in rounds if line.kind == "played"]
    rated = [rating for rating in met if rating]
    return Fraction(sum(rated), len(rated)) if rated else 0
