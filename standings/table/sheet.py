"""The standings as a table of texts: numbers rounded by the ruleset, columns with the publisher's names.

Everything is compared exactly before; printed values are never compared.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from django.utils.translation import gettext as _

from standings.engine import METRICS, Ranking, RankingRow, skipped_steps_of
from standings.engine.bracket.tree import THIRD_PLACE
from standings.engine.ranking.rank import View, slugs_of
from standings.engine.records import Outcomes, count_outcomes
from standings.event.bracket import bracket_of_event, final_places_of
from standings.event.records import external_values
from standings.event.rounds import last_swiss_round
from standings.event.swiss import standings_of
from standings.words.formats import format_number, format_value
from standings.words.metrics import formula_of_step, title_of_step, titles_of_steps
from tournament.event.types import Event
from tournament.text.display_names import listed_name, sort_key
from tournament.text.round_names import bracket_round_name


class FinalPlace(NamedTuple):
    """A final place, and how it was reached: in a round of the bracket, or by Swiss rank."""

    place: int
    origin: str


def final_place_by_code(event: Event) -> dict[str, FinalPlace]:
    """Return {code: final place} of every entry; empty before there is a bracket."""
    bracket = bracket_of_event(event)
    if bracket is None:
        return {}
    origins = {entry: _("still in the bracket") for entry in bracket.lines if entry is not None}
    for match in bracket.matches.values():
        third = match.slot == THIRD_PLACE
        origin = _("third-place match") if third else bracket_round_name(match.round, bracket.rounds).title
        origins |= dict.fromkeys(match.gone, origin)
        for entry in (match.a, match.b) if match.done else ():
            if entry is not None and (third or entry != match.winner):
                origins[entry] = origin
    if bracket.champion is not None:
        origins[bracket.champion] = _("champion")
    return {
        row.entry: FinalPlace(row.place, origins.get(row.entry, _("Swiss rank")))
        for row in final_places_of(event)
    }


NONE = "–"  # for a value that a player does not have


@dataclass(frozen=True, slots=True)
class SheetColumn:
    """A column of the standings."""

    index: int  # its place among a row's values
    slug: str  # its name in addresses
    title: str
    formula: str
    unit: str


@dataclass(slots=True)
class SheetLine:
    """A row of the standings."""

    rank: int
    code: str
    name: str
    record: Outcomes
    cells: list[tuple[str, str]]  # (column's slug, text)
    gone: bool  # the player dropped
    place: int | None = None  # the final place, and `how` it was reached, if there is a bracket
    how: str = ""
    among: int | None = None  # the rank among the lines of a filtered sheet
    frozen: bool = False  # its tiebreakers are those of the stage it last played, or of its drop


@dataclass(slots=True)
class Sheet:
    """The standings `after` a round (0: before the first)."""

    after: int
    columns: list[SheetColumn]
    lines: list[SheetLine]
    skipped: list[str] = field(default_factory=list)  # titles of steps the event does not count


def columns_of(ranking: Ranking, *, all_of_them: bool = False) -> list[SheetColumn]:
    """Return the ranking's columns; random and manual orders only if they decided a rank, unless `all_of_them`."""
    decisive = {row.decided_by for row in ranking}
    steps = ranking.steps
    return [
        SheetColumn(index, slug, title, formula_of_step(step, steps), METRICS[step.key].unit)
        for index, (step, slug, title) in enumerate(
            zip(steps, slugs_of(ranking.columns), titles_of_steps(steps), strict=True)
        )
        if all_of_them or METRICS[step.key].unit != "order" or step.key in decisive
    ]


def sheet_of(
    event: Event, names: Mapping[str, str], ranking: Ranking | None = None, after: int | None = None
) -> Sheet:
    """Build the standings after the complete rounds, or `after` a round. Raises UnknownMetric and UnknownScoring."""
    ranking = standings_of(event, after) if ranking is None else ranking
    columns = columns_of(ranking)
    lines = [_line(event, names, ranking, columns, row) for row in ranking]
    skipped = [title_of_step(step) for step in skipped_steps_of(event.profile, event.team)]
    return Sheet(last_swiss_round(event) if after is None else after, columns, lines, skipped)


def match_points_of(views: Mapping[str, View]) -> dict[str, str]:
    """Return {code: match points as printed}, whatever the ruleset ranks by first."""
    return {code: format_number(view.now.column("match_points").exact(code)) for code, view in views.items()}


def line_of(event: Event, names: Mapping[str, str], ranking: Ranking, code: str) -> SheetLine:
    """Build the row of one entry. Raises KeyError if it is not ranked."""
    return _line(event, names, ranking, columns_of(ranking), ranking.row(code))


def _line(
    event: Event, names: Mapping[str, str], ranking: Ranking, columns: list[SheetColumn], row: RankingRow
) -> SheetLine:
    view = ranking.views[row.entry]
    record = view.now.records[row.entry]
    display = event.profile.get("display") or {}
    return SheetLine(
        rank=row.rank,
        code=row.entry,
        name=names[row.entry],
        record=count_outcomes(record),
        cells=[
            (
                c.slug,
                NONE
                if _is_missing(ranking, c, row.entry)
                else format_value(row.values[c.index], c.unit, display),
            )
            for c in columns
        ],
        gone=record.left,
        frozen=view.then is not view.now,
    )


def _is_missing(ranking: Ranking, column: SheetColumn, entry: str) -> bool:
    step = ranking.steps[column.index]
    if step.key != "external_value":
        return False
    record = ranking.views[entry].now.records.get(entry)
    return record is None or step.params.get("name", "") not in record.external


def sort_sheet(sheet: Sheet, by: str) -> Sheet:
    """Sort the rows by name, last names first, or by final place; any other order leaves them as they are."""
    if by == "name":
        sheet.lines = [replace(line, name=listed_name(line.name)) for line in sheet.lines]
        sheet.lines.sort(key=lambda line: (sort_key(line.name), line.code))
    elif by == "place":
        sheet.lines.sort(key=lambda line: (line.place is None, line.place or 0))
    return sheet


def filter_by_label(sheet: Sheet, event: Event, label: str) -> Sheet:
    """Keep the rows of players with that label, each with its rank among them."""
    return _keep_lines(sheet, {code for code, entry in event.entries.items() if label in entry.labels})


def filter_by_flight(sheet: Sheet, event: Event, stage: int) -> Sheet:
    """Keep the rows of players in that Swiss stage, each with its rank among them."""
    return _keep_lines(sheet, set(event.entries_of(event.stage(stage))))


def _keep_lines(sheet: Sheet, codes: set[str]) -> Sheet:
    sheet.lines = [line for line in sheet.lines if line.code in codes]
    ranks = sorted(line.rank for line in sheet.lines)
    for line in sheet.lines:
        line.among = ranks.index(line.rank) + 1
    return sheet


def labels_of(event: Event) -> list[str]:
    """List the labels standings can be filtered by, without measured values such as "DSC cm=199.6"."""
    labels = {label for entry in event.entries.values() for label in entry.labels}
    return sorted(label for label in labels if not external_values([label]))
