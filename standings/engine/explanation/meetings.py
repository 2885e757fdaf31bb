"""Head-to-head told: the tied group as a small table, who met whom, and what decided or why nothing did."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from standings.engine.explanation.types import PLACE, Explanation, Member, Split
from standings.engine.metrics import meetings, metric_of
from standings.engine.metrics.meetings import splits_of
from standings.engine.metrics.registry import prepared
from standings.engine.ranking.rank import Ranking, Tied
from standings.engine.records import FORFEIT_KINDS

FEW = 5  # up to so many tied, everybody who never met is named
ALL_MEET = ("minileague", "fide")  # semantics that ask whether all of them met
NOT_USED = "does not apply: "


def tied_before(ranking: Ranking, entry: str, index: int) -> list[str]:
    """Everybody level with an entry on all steps before that one, itself included, best first."""
    rows, row = ranking.rows, ranking.row(entry)
    tier = ranking.views[entry].tier
    at = next(i for i, other in enumerate(rows) if other.entry == entry)

    def level(i: int) -> bool:
        other = rows[i]
        same_tier = ranking.views[other.entry].tier == tier
        return same_tier and all(other.values[step] == row.values[step] for step in range(index))

    first = last = at
    while first and level(first - 1):
        first -= 1
    while last + 1 < len(rows) and level(last + 1):
        last += 1
    return [row.entry for row in rows[first : last + 1]]


def explain_meeting(ranking: Ranking, entry: str, index: int) -> Explanation:
    """The place of an entry in the group that was tied before the step at `index`."""
    step = ranking.steps[index]
    known = metric_of(step.key)
    told = Explanation(
        entry, step.key, step.title, known.formula, known.unit,
        result=ranking.row(entry).values[index], how=PLACE,
    )  # fmt: skip
    group = tied_before(ranking, entry, index)
    if len(group) == 1:
        told.notes.append("no one was still tied at this step")
        return told
    told.notes.append(f"the place among the {len(group)} who were tied before this step")
    field, params = Tied(ranking.views, group), prepared(known, step.params)
    mode, on = params.get("mode", "minileague"), params.get("on", "match_points")
    splits = splits_of(field, group, mode=mode, on=on)
    for split in splits:
        if entry in split.table.points:
            told.splits.append(_told(split, mode))
    for line in field.records[entry].rounds:
        if line.opponent in group and line.kind not in FORFEIT_KINDS:
            told.add(ranking.views[entry].then, line, meetings.worth_on(field, line, on))
    return told


def _told(split: meetings.Split, mode: str) -> Split:
    table, parts = split
    met = Counter(entry for entry, _ in table.met)
    members = [
        Member(entry, Fraction(table.points[entry]), table.balance[entry], met[entry], place)
        for place, part in enumerate(parts, start=1)
        for entry in part
    ]
    missing = table.missing() if mode in ALL_MEET and len(members) <= FEW else []
    return Split(members, missing, WHY[mode](table, len(parts) > 1))


def _two_only(table: meetings.Table, decided: bool) -> str:
    if len(table.points) != 2:
        return f"{NOT_USED}it needs exactly 2 tied players, and {len(table.points)} are tied"
    if not table.met:
        return f"{NOT_USED}the two did not play each other"
    return (
        "2 players are tied and have played: the points from those matches decide"
        if decided
        else "their matches against each other are even"
    )


def _beat_all(table: meetings.Table, decided: bool) -> str:
    return (
        "the player who beat all the others comes first"
        if decided
        else f"{NOT_USED}no one beat all the others"
    )


def _minileague(table: meetings.Table, decided: bool) -> str:
    if not table.all_met():
        return f"{NOT_USED}not all of them played each other"
    return (
        "all played each other: the points from those matches decide"
        if decided
        else "all played each other and are still even"
    )


def _plus_minus(table: meetings.Table, decided: bool) -> str:
    return "wins less losses against each other decide" if decided else "wins less losses are level"


def _fide(table: meetings.Table, decided: bool) -> str:
    if table.all_met():
        return _minileague(table, decided)
    if decided:
        return "not all played each other, but the first stays first whatever the missing matches would have brought"
    return f"{NOT_USED}not all played each other, and no one is certain to be first"


WHY = {
    "two_only": _two_only,
    "beat_all": _beat_all,
    "minileague": _minileague,
    "plus_minus": _plus_minus,
    "fide": _fide,
}
