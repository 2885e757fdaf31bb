"""Attributes of an entry: rating, seed, late entry, a value measured outside the matches."""

from __future__ import annotations

from fractions import Fraction

from standings.engine.metrics.registry import metric
from standings.engine.records import RoundRecord
from standings.engine.scoring import Number


@metric("score")
def rating(field, entry) -> int:
    """The rating before the event. Source: FIDE C.07, "RTNG"."""
    return field.records[entry].rating or 0


@metric("order", ascending=True)
def seed(field, entry) -> int:
    """The seed; entries without one share the place after the last. Source: FIDE C.07, "TPN"."""
    own = field.records[entry].seed
    return own if own is not None else 1 + field.greatest("seed", lambda record: record.seed)


@metric("count", ascending=True)
def late_flag(field, entry) -> int:
    """Ranks players who were on time above late ones with the same points. Source: Play! Pokémon TCG rules, 5.6."""
    return int(field.records[entry].late)


@metric("score", ascending=True)
def external_value(field, entry, *, name="", missing=None) -> Number:
    """The value called `name`; without one `missing`, by default more than anyone has (last if lower is better).

    Source: curling, "Draw Shot Challenge".
    """
    own = field.records[entry].external.get(name)
    if own is not None:
        return own
    if missing is not None:
        return missing
    return 1 + field.greatest(f"external {name}", lambda record: record.external.get(name))


@metric("score")
def avg_rating_opponents(field, entry) -> Number:
    """Mean over the rounds played against rated opponents; 0 without any. Source: FIDE C.07, "ARO"."""
    rated = [rating for _, rating in opponents_ratings(field, entry) if rating]
    return Fraction(sum(rated), len(rated)) if rated else 0


def opponents_ratings(field, entry) -> list[tuple[RoundRecord, int | None]]:
    """The opponent's rating in every round played, None or 0 if it has none."""
    rounds = field.records[entry].rounds
    return [(line, field.records[line.opponent].rating) for line in rounds if line.kind == "played"]
