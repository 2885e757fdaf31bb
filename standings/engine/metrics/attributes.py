"""Attributes of an entry: rating, seed, late entry, external values; and the random and manual order."""

from standings.engine.metrics.registry import metric, term_metric
from standings.engine.metrics.terms import Term
from standings.engine.scoring import Number


@metric("score")
def rating(field, entry) -> int:
    """The rating before the event. Source: FIDE C.07, "RTNG"."""
    return field.records[entry].rating or 0


@metric("order", ascending=True)
def seed(field, entry) -> int:
    """The seed. Entries without one share the place after the last seed. Source: FIDE C.07, "TPN"."""
    own = field.records[entry].seed
    return own if own is not None else 1 + field.greatest("seed", lambda record: record.seed)


@metric("count", ascending=True)
def late_flag(field, entry) -> int:
    """Ranks players who were on time above late ones with the same points. Source: Play! Pokémon TCG rules, 5.6."""
    return int(field.records[entry].late)


@metric("score", ascending=True)
def external_value(field, entry, *, name="", missing=None) -> Number:
    """The value called `name`. Entries without it get `missing`, by default 1 more than the highest value.

    Source: curling, "Draw Shot Challenge".
    """
    own = field.records[entry].external.get(name)
    if own is not None:
        return own
    if missing is not None:
        return missing
    return 1 + field.greatest(f"external {name}", lambda record: record.external.get(name))


@term_metric("score", divisor="rounds")
def avg_rating_opponents(field, entry) -> list[Term]:
    """Mean over the rounds played against rated opponents; 0 without any. Source: FIDE C.07, "ARO"."""
    rounds = [line for line in field.records[entry].rounds if line.kind == "played"]
    ratings = [field.records[line.opponent].rating or None for line in rounds]
    return [
        Term(line, value, "" if value else "no_rating") for line, value in zip(rounds, ratings, strict=True)
    ]


@metric("order", ascending=True)
def random(field, entry) -> int:
    """The entry's place in the random order. Source: Carde.io ("random method"), ClineCON (coin toss)."""
    return field.lots[entry]


@metric("order", ascending=True)
def manual(field, entry) -> int:
    """The place in the manual order. Entries without one share a place after the last.

    That place is the number of entries plus 1, so it is the same in all stages of an event. Source: decisions of staff,
    such as play-offs, with the reason in the log.
    """
    place = field.records[entry].manual
    if place is not None:
        return place
    return 1 + max(len(field.lots), field.greatest("manual", lambda record: record.manual))
