"""The standings of an event as a table of texts, as JSON and as CSV. Each process ranks each version once."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from threading import Lock
from typing import Any, NamedTuple

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from standings.engine.bracket.cut import Place
from standings.engine.bracket.tree import THIRD_PLACE
from standings.engine.metrics import METRICS
from standings.engine.ranking import Ranking, RankingRow, list_skipped_steps, list_slugs
from standings.engine.records import Outcomes, Record, count_outcomes
from standings.table import swiss
from standings.table.places import build_event_bracket, find_elimination_stage, rank_final_places
from standings.words.formats import format_value
from standings.words.metrics import list_step_titles, short_title, step_formula, step_title
from tournament.event.display_names import listed_name, names_in, sort_key
from tournament.event.formats import format_number
from tournament.event.read import load_event_values
from tournament.event.rounds import bracket_round_name
from tournament.event.types import Event
from tournament.exports import csv_text
from tournament.models import Tournament
from tournament.public import responses
from tournament.public.cache import VersionedCache
from tournament.rulesets import rounds_and_cut
from tournament.text import drop_isolates


class FinalPlace(NamedTuple):
    """A final place, and how it was reached: in a round of the bracket, or by Swiss rank."""

    place: int
    origin: str


def final_place_by_code(event: Event) -> dict[str, FinalPlace]:
    """Return {code: final place} of every entry; empty before there is a bracket."""
    bracket = build_event_bracket(event)
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
    places = rank_final_places(event)
    return {row.entry: FinalPlace(row.place, origins.get(row.entry, _("Swiss rank"))) for row in places}


EXACT = " exact"  # after a column's slug: its exact values
NONE = "–"  # for a value that a player does not have
NO_PLACE = (None, "")  # final place of an entry that was disqualified in the bracket
PLAYED = ("playing", "dropped", "disqualified")


@dataclass(frozen=True, slots=True)
class SheetColumn:
    index: int  # its place among a row's values
    slug: str  # its name in addresses
    title: str
    short: str  # for the head of a column
    formula: str
    unit: str


@dataclass(slots=True)
class SheetLine:
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
    """The standings `after` a round; 0 is before the first."""

    after: int
    columns: list[SheetColumn]
    lines: list[SheetLine]
    skipped: list[str] = field(default_factory=list)  # titles of steps the event does not count

    def sort(self, by: str) -> None:
        """Sort the rows by name (last name first) or by final place; any other value changes nothing."""
        if by == "name":
            self.lines = [replace(line, name=listed_name(line.name)) for line in self.lines]
            self.lines.sort(key=lambda line: (sort_key(line.name), line.code))
        elif by == "place":
            self.lines.sort(key=lambda line: (line.place is None, line.place or 0))

    def keep(self, codes: set[str]) -> None:
        """Keep the rows of these players, with their rank among each other."""
        self.lines = [line for line in self.lines if line.code in codes]
        ranks = sorted(line.rank for line in self.lines)
        for line in self.lines:
            line.among = ranks.index(line.rank) + 1

    def add_final_places(self, finals: Mapping[str, FinalPlace]) -> bool:
        """Add the final places to the lines. Returns whether there is a bracket."""
        for line in self.lines:
            line.place, line.how = finals.get(line.code, NO_PLACE)
        return bool(finals)


class CutLine(NamedTuple):
    size: int  # players in the bracket, by the plan or as it was set
    last: str  # the code of the last line above the cut


@dataclass
class RankedEvent:
    """A ranked event and everything needed to show it: the event, its ranking, names by code. Read-only."""

    event: Event
    ranking: Ranking
    names: Mapping[str, str]
    after: int | None = None  # the number of rounds ranked; None: all complete ones
    _turn: Lock = field(default_factory=Lock, repr=False, compare=False)

    @property
    def after_round(self) -> int:
        return swiss.last_swiss_round(self.event) if self.after is None else self.after

    @property
    def display(self) -> Mapping[str, Any]:
        return self.event.profile.get("display") or {}

    @cached_property
    def places(self) -> list[Place]:
        return rank_final_places(self.event)

    @property
    def ranks_by_round(self) -> dict[str, list[int | None]]:
        with self._turn:  # all players' pages want it when a round is complete
            return self._ranks_by_round

    @cached_property
    def _ranks_by_round(self) -> dict[str, list[int | None]]:
        return swiss.ranks_by_round(self.event)

    @cached_property
    def final_places(self) -> dict[str, FinalPlace]:
        return final_place_by_code(self.event)

    def format(self, value: Fraction | None, unit: str) -> str:
        """Return a value as printed, shares with a percent sign; "" for None."""
        if value is None:
            return ""
        return format_value(value, unit, self.display) + ("%" if unit == "share" else "")

    def format_points(self, code: str) -> str:
        return format_number(self.ranking.views[code].now.column("match_points").exact(code))

    def find_outcomes(self, code: str) -> Outcomes:
        return count_outcomes(self.ranking.views[code].now.records[code])

    def list_columns(self, *, all_of_them: bool = False) -> list[SheetColumn]:
        """Return the ranking's columns. Columns of orders, such as random, are left out unless they decided a rank."""
        steps, decisive = self.ranking.steps, {row.decided_by for row in self.ranking}
        names = zip(list_slugs(self.ranking.columns), list_step_titles(steps), strict=True)
        columns = []
        for index, (slug, title) in enumerate(names):
            step, unit = steps[index], METRICS[steps[index].key].unit
            if all_of_them or unit != "order" or step.key in decisive:
                short, formula = short_title(step.key, title), step_formula(step, steps)
                columns.append(SheetColumn(index, slug, title, short, formula, unit))
        return columns

    def build_sheet(self) -> Sheet:
        columns = self.list_columns()
        lines = [self._build_line(columns, row) for row in self.ranking]
        skipped = [step_title(step) for step in list_skipped_steps(self.event.profile, self.event.team)]
        return Sheet(self.after_round, columns, lines, skipped)

    def build_line(self, code: str) -> SheetLine:
        """Build the row of one entry. Raises KeyError if it is not ranked."""
        return self._build_line(self.list_columns(), self.ranking.row(code))

    def _build_line(self, columns: list[SheetColumn], row: RankingRow) -> SheetLine:
        view, code = self.ranking.views[row.entry], row.entry
        record = view.now.records[code]
        cells = [(column.slug, self._format_cell(column, row, record)) for column in columns]
        frozen = view.then is not view.now
        outcomes = count_outcomes(record)
        return SheetLine(row.rank, code, self.names[code], outcomes, cells, record.left, frozen=frozen)

    def _format_cell(self, column: SheetColumn, row: RankingRow, record: Record) -> str:
        step = self.ranking.steps[column.index]
        if step.key == "external_value" and step.params.get("name", "") not in record.external:
            return NONE
        return format_value(row.values[column.index], column.unit, self.display)

    def find_cut_line(self, sheet: Sheet) -> CutLine | None:
        """Return where the cut falls in a sheet by rank; None without a bracket, or if it takes everyone."""
        event, stage = self.event, find_elimination_stage(self.event)
        if stage:
            size, above = len(stage.seeds), [line for line in sheet.lines if line.code in stage.seeds]
        else:
            players = sum(entry.status in PLAYED and not entry.house for entry in event.entries.values())
            size = rounds_and_cut(event.profile, players)[1] if event.cut is None else event.cut
            above = [line for line in sheet.lines if not line.gone][:size]
        return CutLine(size, above[-1].code) if 0 < len(above) < len(sheet.lines) else None

    def list_filter_labels(self) -> list[str]:
        """List the labels that can filter the standings, without measured values such as "DSC cm=199.6"."""
        labels = {label for entry in self.event.entries.values() for label in entry.labels}
        return sorted(label for label in labels if not swiss.external_values([label]))

    def render_json(self) -> str:
        """Return the standings as `standings --json` prints them, plus names, records and final places."""
        finals = self.final_places if self.after is None else {}
        rows = swiss.rows_json(self.ranking)
        for row in rows:
            row["name"] = self.names[row["entry"]]
            *row["record"], row["not_played"] = self.find_outcomes(row["entry"])
            if finals:
                row["place"], row["place_from"] = finals.get(row["entry"], NO_PLACE)
        columns = self.list_columns(all_of_them=True)
        document = {
            "after_round": self.after_round,
            "columns": self.ranking.columns,
            "titles": [column.title for column in columns],
            "slugs": [column.slug for column in columns],
            "rule_changes": self.event.profile.get("rule_changes") or [],
            "rows": rows,
        }
        return drop_isolates(json.dumps(document, ensure_ascii=False, indent=1))

    def render_csv(self) -> str:
        """Return the standings as CSV that is safe to open in a spreadsheet."""
        finals = self.final_places if self.after is None else {}
        columns = self.list_columns(all_of_them=True)
        head = ["rank", "code", "name", "wins", "losses", "draws", "not_played"]
        for column in columns:
            head += [column.slug, column.slug + EXACT]
        rows = []
        for row in self.ranking:
            line: list[Any] = [row.rank, row.entry, self.names[row.entry], *self.find_outcomes(row.entry)]
            for column in columns:
                value = row.values[column.index]
                line += [self.format(value, column.unit).removesuffix("%"), str(value)]
            rows.append(line + list(finals.get(row.entry, NO_PLACE) if finals else ()))
        return csv_text(head + (["place", "place from"] if finals else []), rows)


# Counted in players; the largest real event takes about 15 MB.
rankings: VersionedCache[RankedEvent] = VersionedCache(
    10_000, lambda ranked: 1 + len(ranked.names), name="rankings"
)


def load_public_event(tournament: Tournament) -> tuple[Event, dict[str, str]]:
    """Return the event as plain values, and {code: public name}."""
    event = load_event_values(tournament, paired=False)
    return event, names_in(event, public=True)


def load_staff_event(tournament: Tournament) -> tuple[Event, dict[str, str]]:
    event = load_event_values(tournament, paired=False)
    return event, names_in(event)


def rank_live(event: Event, names: Mapping[str, str]) -> RankedEvent:
    """Rank the event by every result so far, including open rounds."""
    event = swiss.count_open_rounds(event)
    return RankedEvent(event, swiss.compute_standings(event), names)


def load_ranked_event(tournament: Tournament, after: int | None = None) -> RankedEvent:
    """Rank the event, with public names, after all complete rounds or the first `after`. Raises NoSuchRound."""

    def rank_event() -> RankedEvent:
        event, names = load_public_event(tournament)
        return RankedEvent(event, swiss.compute_standings(event, after), names, after)

    key = (*responses.event_cache_key(tournament), after, get_language())
    return rankings.read(key, f"{tournament.standings_version} {responses.release()}", rank_event)
