"""Preview of the cut: who qualifies, the alternates, who is passed over, and what decided the last spot."""

from collections.abc import Mapping
from typing import NamedTuple

from django.utils.translation import gettext as _

from standings.engine import METRICS, Ranking
from standings.engine.bracket.cut import Cut, CutRule
from standings.engine.ranking.deciding_step import SHARED, STAGE, deciding_step_of
from standings.event.qualifiers import elimination_stage_of, qualifiers_of
from standings.event.swiss import standings_of
from standings.words.formats import format_record, format_value
from standings.words.metrics import titles_of_steps
from tournament.event.types import Entry, Event

MOST_ALTERNATES = 8  # on the page


class CutLine(NamedTuple):
    """A line of the preview. `why`: the reason for being passed over."""

    rank: int
    name: str
    record: str
    points: str
    why: str = ""


class CutPreview(NamedTuple):
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
    last = max((ranking.row(code).rank for code in cut.qualifiers), default=0)
    able = {*cut.qualifiers, *cut.alternates}

    def line_of(code: str) -> CutLine:
        row, record = ranking.row(code), ranking.views[code].now.records[code]
        why = "" if code in able else _why(event.entries[code])
        return CutLine(row.rank, names[code], format_record(record), _value(event, ranking, code, 0), why)

    return CutPreview(
        [line_of(code) for code in cut.qualifiers],
        [line_of(code) for code in cut.alternates[:MOST_ALTERNATES]],
        [line_of(row.entry) for row in ranking if row.rank <= last and row.entry not in able],
        _decided(event, ranking, names, cut),
        sum(m.result is None for r in event.rounds if r.status == "complete" for m in r.matches),
    )


def _value(event: Event, ranking: Ranking, code: str, step: int) -> str:
    """A value of the ranking as the ruleset prints it."""
    unit = METRICS[ranking.steps[step].key].unit
    return format_value(ranking.row(code).values[step], unit, event.profile.get("display") or {})


def _why(entry: Entry) -> str:
    """Why a player is passed over."""
    if entry.status == "dropped":
        return _("dropped")
    if entry.house:
        return _("house opponent")
    if entry.status != "playing":
        return _("not playing")
    return _("already in under another entry, or not in the last session")


def _decided(event: Event, ranking: Ranking, names: Mapping[str, str], cut: Cut) -> str:
    """What puts the last qualifier ahead of the first alternate, as a sentence."""
    if not cut.qualifiers or not cut.alternates:
        return ""
    last, first = cut.qualifiers[-1], cut.alternates[0]
    values = {"last": names[last], "first": names[first]}
    decision = deciding_step_of(ranking, last, first)
    if decision.why == STAGE:
        return _("%(last)s is in ahead of %(first)s because of the later stage.") % values
    if decision.why == SHARED:
        return _("Nothing separates %(last)s from %(first)s: they share the rank.") % values
    values |= {
        "title": titles_of_steps(ranking.steps)[decision.step],
        "a": _value(event, ranking, last, decision.step),
        "b": _value(event, ranking, first, decision.step),
    }
    return _("%(last)s is in ahead of %(first)s on %(title)s: %(a)s vs. %(b)s.") % values


class ChangedQualifiers(NamedTuple):
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
