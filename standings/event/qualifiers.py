"""The cut of an event: the rule of its ruleset, and who qualifies for the bracket."""

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Any

from standings.engine.bracket.cut import Cut, CutRule, cut
from standings.engine.ranking.rank import Ranking
from standings.event.rounds import event_after
from standings.event.swiss import standings_of
from tournament.event.types import Event, Stage

ALL_TIED = "include_all_tied"


def elimination_stage_of(event: Event) -> Stage | None:
    return next((stage for stage in reversed(event.stages) if stage.kind == "elimination"), None)


def cut_rule_of(event: Event, size: int) -> CutRule:
    rules = event.profile.get("cut") or {}
    least = rules.get("min_points")
    return CutRule(size, None if least is None else Fraction(least), rules.get("tie_policy") == ALL_TIED)


def qualifiers_of(
    event: Event,
    rule: CutRule | int,
    *,
    ranking: Ranking | None = None,
    stay: Collection[str] = (),
) -> Cut:
    """Return the best of the Swiss ranking that may advance, in seed order, and the alternates.

    `rule`: a size means the ruleset's cut to that size. `ranking`: the event's standings, if computed already.
    `stay`: entries that count as playing though they dropped. Skips entries withdrawn, dropped or disqualified by
    then and house entries; a person takes one spot; after a second day only its entries qualify.
    """
    ranking = standings_of(event) if ranking is None else ranking
    playing = [code for code, entry in event_after(event).entries.items() if entry.status == "playing"]
    last = _last_swiss_entries(event)
    rule = cut_rule_of(event, rule) if isinstance(rule, int) else rule
    return pick_qualifiers(
        event,
        [entry for entry in ranking.order if entry in last],
        rule.size,
        {*stay, *playing},
        points={row.entry: row.values[0] for row in ranking},
        min_points=rule.min_points,
        all_tied=rule.all_tied,
    )


def pick_qualifiers(
    event: Event, order: Sequence[str], size: int, stay: Collection[str] = (), **limits: Any
) -> Cut:
    """Return the first `size` of `order` that may advance, one entry per person; `limits`: as for `cut`."""
    here = {e.id for e in event.entries.values() if (e.status == "playing" or e.id in stay) and not e.house}
    persons = {entry: _person(event, entry) for entry in event.entries}
    return cut(order, size, passed_over=set(event.entries) - here, persons=persons, **limits)


def _last_swiss_entries(event: Event) -> set[str]:
    """Return the entries of the elimination stage's named sources, otherwise of the last Swiss stages."""
    stage = elimination_stage_of(event)
    swiss = [s for s in event.stages if s.kind == "swiss"]
    if stage is not None and stage.sources:
        last = [s for s in swiss if s.number in stage.sources]
    else:
        followed = {n for s in swiss for n in s.sources}
        last = [s for s in swiss if s.number not in followed]
    return {entry for s in last for entry in event.entries_of(s)}


def _person(event: Event, entry: str) -> str:
    chain = [entry]
    while (other := event.entries[entry].same_person_as) is not None:
        if other in chain:
            return min(chain[chain.index(other) :])
        chain.append(other)
        entry = other
    return entry
