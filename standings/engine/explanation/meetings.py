"""Head-to-head explained: the tied group as a table, who met whom, and what decided or why nothing did."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from standings.engine.explanation.types import PLACE, Explanation, HeadToHead, Member, Note
from standings.engine.metrics import meetings, metric_of
from standings.engine.metrics.registry import read_params
from standings.engine.ranking.rank import Ranking, Tied
from standings.engine.records import FORFEIT_KINDS

FEW = 5  # the pairs that never met are listed for groups up to this size
ALL_MEET = ("minileague", "fide")  # modes that ask whether all of them met


def tied_group_of(ranking: Ranking, entry: str, index: int) -> list[str]:
    """Everyone tied with an entry on all steps before that one, itself included, best first."""
    rows, row = ranking.rows, ranking.row(entry)
    tier = ranking.views[entry].tier
    at = next(i for i, other in enumerate(rows) if other.entry == entry)

    def is_tied(i: int) -> bool:
        other = rows[i]
        same_tier = ranking.views[other.entry].tier == tier
        return same_tier and all(other.values[step] == row.values[step] for step in range(index))

    first = last = at
    while first and is_tied(first - 1):
        first -= 1
    while last + 1 < len(rows) and is_tied(last + 1):
        last += 1
    return [row.entry for row in rows[first : last + 1]]


def explain_meeting(ranking: Ranking, entry: str, index: int) -> Explanation:
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
    for split in meetings.splits_of(field, group, mode=mode, on=on):
        if entry in split.table.points:
            explanation.groups.append(_group(split, mode))
    for line in field.records[entry].rounds:
        if line.opponent in group and line.kind not in FORFEIT_KINDS:
            explanation.add(ranking.views[entry].then, line, meetings.worth_on(field, line, on))
    return explanation


def _group(split: meetings.Split, mode: str) -> HeadToHead:
    table, parts = split
    met = Counter(entry for entry, _ in table.met)
    members = [
        Member(entry, Fraction(table.points[entry]), table.balance[entry], met[entry], place)
        for place, part in enumerate(parts, start=1)
        for entry in part
    ]
    missing = table.missing() if mode in ALL_MEET and len(members) <= FEW else []
    return HeadToHead(members, missing, _outcome(mode, table, decided=len(parts) > 1))


def _outcome(mode: str, table: meetings.Table, decided: bool) -> Note:
    """What decided, or why nothing did."""
    if mode == "two_only" and len(table.points) != 2:
        return Note("not_two", {"number": len(table.points)})
    if mode == "two_only" and not table.met:
        return Note("two_not_met")
    if mode == "fide" and not table.all_met():
        return Note("fide_first" if decided else "fide_uncertain")
    if mode == "minileague" and not table.all_met():
        return Note("not_all_met")
    return Note(OUTCOMES[mode][0 if decided else 1])


# Mode: (what decided, why nothing did).
OUTCOMES = {
    "two_only": ("two_decided", "two_even"),
    "beat_all": ("beat_all", "beat_all_nobody"),
    "minileague": ("all_met_decided", "all_met_even"),
    "fide": ("all_met_decided", "all_met_even"),
    "plus_minus": ("plus_minus_decided", "plus_minus_even"),
}
