"""Head-to-head explained: the tied group as a table, who met whom, and what decided or why nothing did."""

from collections import Counter
from fractions import Fraction
from itertools import takewhile

from standings.engine.explanation.types import PLACE, Explanation, HeadToHead, Member
from standings.engine.metrics import metric_of
from standings.engine.metrics.head_to_head import Split, Table, splits_of, worth_on
from standings.engine.metrics.registry import read_params
from standings.engine.metrics.terms import Note, Term
from standings.engine.ranking.rank import Ranking, Tied
from standings.engine.records import FORFEIT_KINDS

FEW = 5  # the pairs that never met are listed for groups up to this size
ALL_MEET = ("minileague", "fide")  # modes that ask whether all of them met


def tied_group_of(ranking: Ranking, entry: str, index: int) -> list[str]:
    """Everyone tied with an entry on all steps before that one, itself included, best first."""

    def is_tied(other: str) -> bool:
        values = ranking.row(other).values
        return ranking.views[other].tier == tier and all(values[step] == own[step] for step in range(index))

    own, tier, order = ranking.row(entry).values, ranking.views[entry].tier, ranking.order
    at = order.index(entry)
    above, below = takewhile(is_tied, reversed(order[:at])), takewhile(is_tied, order[at + 1 :])
    return [*reversed([*above]), entry, *below]


def explain_head_to_head(ranking: Ranking, entry: str, index: int) -> Explanation:
    """The place of an entry in the group that was tied before the step at `index`."""
    step = ranking.steps[index]
    explanation = Explanation(entry, step, result=ranking.row(entry).values[index], how=PLACE)
    group = tied_group_of(ranking, entry, index)
    if len(group) == 1:
        explanation.note("not_tied")
        return explanation
    explanation.note("place_among", number=len(group))
    field, params = Tied(ranking.views, group), read_params(metric_of(step.key), step.params)
    mode, on = params.get("mode", "minileague"), params.get("on", "match_points")
    for split in splits_of(field, group, mode, on):
        if entry in split.table.points:
            explanation.groups.append(_group(split, mode))
    for line in field.records[entry].rounds:
        if line.opponent in group and line.kind not in FORFEIT_KINDS:
            explanation.add(ranking.views[entry].then, Term(line, worth_on(field, line, on)))
    return explanation


def _group(split: Split, mode: str) -> HeadToHead:
    table, parts = split
    met = Counter(entry for entry, _ in table.met)
    members = [
        Member(entry, Fraction(table.points[entry]), table.balance[entry], met[entry], place)
        for place, part in enumerate(parts, start=1)
        for entry in part
    ]
    missing = table.missing() if mode in ALL_MEET and len(members) <= FEW else []
    return HeadToHead(members, missing, _outcome(mode, table, decided=len(parts) > 1))


def _outcome(mode: str, table: Table, decided: bool) -> Note:
    """What decided, or why nothing did."""
    if mode == "two_only" and len(table.points) != 2:
        return Note("not_two", {"number": len(table.points)})
    if mode == "two_only" and not table.met:
        return Note("two_not_met")
    if mode in ALL_MEET and table.missing():
        mode += "_missing"
    return Note(OUTCOMES[mode][0 if decided else 1])


# Mode: (what decided, why nothing did).
OUTCOMES = {
    "two_only": ("two_decided", "two_even"),
    "beat_all": ("beat_all", "beat_all_nobody"),
    "minileague": ("all_met_decided", "all_met_even"),
    "minileague_missing": ("", "not_all_met"),
    "fide": ("all_met_decided", "all_met_even"),
    "fide_missing": ("fide_first", "fide_uncertain"),
    "plus_minus": ("plus_minus_decided", "plus_minus_even"),
}
