"""Preview of the cut: who qualifies, the alternates, who is passed over, and what decided the last spot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from standings.engine import METRICS, Ranking
from standings.engine.bracket.cut import CutRule
from standings.event.qualifiers import elimination_stage_of, qualifiers_of
from standings.event.swiss import standings_of
from standings.words.formats import format_record, format_value
from standings.words.metrics import title_of_step
from tournament.event.types import Event

MOST_ALTERNATES = 8  # on the page


@dataclass(slots=True)
class CutLine:
    """A line of the preview. `seed` 0: not in; `why`: the reason for being passed over."""

    seed: int
    rank: int
    code: str
    name: str
    record: str
    points: str
    why: str = ""


@dataclass(slots=True)
class CutPreview:
    """What a cut would do. `decided`: what put the last qualifier ahead; `out`: outstanding tables.

    `qualifiers` come in seed order; `alternates` are the first few.
    """

    qualifiers: list[CutLine]
    alternates: list[CutLine]
    passed_over: list[CutLine]
    decided: str
    out: int


def cut_preview_of(event: Event, names: Mapping[str, str], rule: CutRule | int) -> CutPreview:
    """What a cut would do by the event's complete rounds. `rule` a size: otherwise as the ruleset cuts."""
    ranking = standings_of(event)
    cut = qualifiers_of(event, rule, ranking=ranking)
    inside, waiting = set(cut.qualifiers), set(cut.alternates)
    lines = {row.entry: _line(event, ranking, row.entry, names) for row in ranking}
    for seed, code in enumerate(cut.qualifiers, start=1):
        lines[code].seed = seed
    last = max((lines[code].rank for code in cut.qualifiers), default=0)
    over = [
        line
        for line in lines.values()
        if line.rank <= last and line.code not in inside and line.code not in waiting
    ]
    for line in over:
        line.why = _why(event, line.code)
    return CutPreview(
        [lines[code] for code in cut.qualifiers],
        [lines[code] for code in cut.alternates[:MOST_ALTERNATES]],
        over,
        _decided(event, ranking, names, cut.qualifiers, cut.alternates),
        sum(m.result is None for r in event.rounds if r.status == "complete" for m in r.matches),
    )


def _line(event: Event, ranking: Ranking, code: str, names: Mapping[str, str]) -> CutLine:
    row = ranking.row(code)
    points = format_value(
        row.values[0], METRICS[ranking.steps[0].key].unit, event.profile.get("display") or {}
    )
    return CutLine(
        0, row.rank, code, names[code], format_record(ranking.views[code].now.records[code]), points
    )


def _why(event: Event, code: str) -> str:
    """Why a player is passed over."""
    entry = event.entries[code]
    if entry.status == "dropped":
        return _("dropped")
    if entry.house:
        return _("house opponent")
    if entry.status != "playing":
        return _("not playing")
    return _("already in under another entry, or not in the last session")


def _decided(
    event: Event, ranking: Ranking, names: Mapping[str, str], inside: list[str], waiting: list[str]
) -> str:
    """What puts the last qualifier ahead of the first alternate, as a sentence."""
    if not inside or not waiting:
        return ""
    last, first = ranking.row(inside[-1]), ranking.row(waiting[0])
    values = {"last": names[last.entry], "first": names[first.entry]}
    if ranking.views[last.entry].tier != ranking.views[first.entry].tier:
        return _("%(last)s is in ahead of %(first)s because of the later stage.") % values
    display = event.profile.get("display") or {}
    for step, mine, theirs in zip(ranking.steps, last.values, first.values, strict=True):
        if mine != theirs:
            unit = METRICS[step.key].unit
            values |= {
                "title": title_of_step(step),
                "a": format_value(mine, unit, display),
                "b": format_value(theirs, unit, display),
            }
            return _("%(last)s is in ahead of %(first)s on %(title)s: %(a)s vs. %(b)s.") % values
    return _("Nothing separates %(last)s from %(first)s: they share the rank.") % values


@dataclass(slots=True)
class ChangedQualifiers:
    """Players who would be in the bracket by the standings as they are now, and players who would be out."""

    into: list[str]
    out: list[str]


def changed_qualifiers_of(event: Event, names: Mapping[str, str]) -> ChangedQualifiers | None:
    """How the bracket would differ if it were set by the Swiss results as they are now; None where it would not.

    The bracket itself stays as it was set.
    """
    stage = elimination_stage_of(event)
    if stage is None or not stage.seeds:
        return None
    seeds = list(stage.seeds)
    now = qualifiers_of(event, CutRule(len(seeds)), stay=seeds).qualifiers
    into, out = ([names[c] for c in a if c not in b] for a, b in ((now, seeds), (seeds, now)))
    return ChangedQualifiers(into, out) if into or out else None
