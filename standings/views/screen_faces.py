"""What a venue screen can show, one face a file of `templates/standings/screens/`, and which are on automatically.

Drafts never show, hidden standings stay hidden, names are the public ones. Each face has a mark that moves when what it
shows does.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from standings.paper.event_lists import seats_of
from standings.paper.round_paper import EventPaper
from standings.table.cache import ranked_event_of, standings_mark_of
from standings.table.exports import add_final_places
from standings.table.sheet import sheet_of, sort_sheet
from standings.views.bracket import screen_context
from standings.views.public_parts import Context
from tournament.event.clock import RoundClock, clock_of, turns_after_time
from tournament.event.table_plan import table_name
from tournament.models import Extension, Round, Tournament
from tournament.progress.posted_rounds import (
    lines_by_name,
    open_rounds_of,
    posted_rounds,
    stage_round_words,
    tables_of,
)
from tournament.public import responses
from tournament.text.clean import fold_name
from tournament.text.display_names import listed_name, public_names_of

Screen = Tournament.Screen


class Face(NamedTuple):
    """One thing a screen shows. `key`: a value of `Tournament.Screen`; `round`: whose, 0 where it is of no round."""

    key: str
    mark: str
    context: Callable[[], Context]
    round: int = 0

    @property
    def id(self) -> str:
        """The id of its element: another one for another round, so that a screen begins with its first page."""
        return f"face-{self.key}-{self.round}"

    @property
    def template(self) -> str:
        """What it looks like."""
        return f"standings/screens/_{self.key}.html"


@dataclass
class Faces:
    """The faces of an event at this moment."""

    tournament: Tournament

    @cached_property
    def rounds(self) -> list[Round]:
        """The posted rounds."""
        return posted_rounds(self.tournament)

    @cached_property
    def open(self) -> list[Round]:
        """The rounds being played: Swiss ones, else those of the bracket."""
        return open_rounds_of(self.rounds) or [r for r in self.rounds if r.state != Round.State.COMPLETE]

    @property
    def usual(self) -> list[str]:
        """What is shown where the organizer chose nothing, or nothing of that is there."""
        if not self.rounds:
            return [Screen.ANNOUNCEMENT, Screen.SEATS]
        if any(round_.swiss for round_ in self.open):
            return [Screen.ANNOUNCEMENT, Screen.PAIRINGS, Screen.CLOCK]
        last = Screen.STANDINGS if self.rounds[-1].swiss else Screen.BRACKET
        return [Screen.ANNOUNCEMENT, last]

    def in_turn(self) -> list[Face]:
        """The chosen faces that have something to show; pairings and clock only while the round is played."""
        return self._there(self.tournament.screens) or self._there(self.usual)

    def _there(self, chosen: Iterable[str]) -> list[Face]:
        faces = [face for key in Screen.values if key in chosen for face in self.of(key)]
        return [face for face in faces if self._is_on(face)]

    def _is_on(self, face: Face) -> bool:
        """Whether the rotation shows a face now."""
        if face.key == Screen.BRACKET:
            return self.has_bracket
        if face.key == Screen.CLOCK:
            return any(clock_of(round_).is_on for round_ in self.open)
        return face.round in (0, *(round_.number for round_ in self.open))

    @property
    def has_bracket(self) -> bool:
        """Whether everyone may see a bracket."""
        return not (self.tournament.hold_standings or all(round_.swiss for round_ in self.rounds))

    def of(self, key: str) -> list[Face]:
        """The faces under a key, one a round where several are played; none while there is nothing to show."""
        tournament, mark = self.tournament, standings_mark_of(self.tournament)
        if key == Screen.ANNOUNCEMENT:
            return [Face(key, "", dict)] if tournament.notice else []
        if key == Screen.STANDINGS:
            shown = self._complete and not tournament.hold_standings
            return [Face(key, mark, lambda: _standings(tournament))] if shown else []
        if key == Screen.BRACKET:  # says itself why there is none
            return [Face(key, mark, lambda: screen_context(tournament))]
        if key == Screen.SEATS:
            return (
                [Face(key, str(tournament.revision), lambda: _seats(tournament))] if not self.rounds else []
            )
        rounds = self.open or self.rounds[-1:]
        if key == Screen.CLOCK:
            return [self._clocks(rounds)] if rounds else []
        return [self._of_round(key, round_) for round_ in rounds]

    def _clocks(self, rounds: list[Round]) -> Face:
        """The clocks of all rounds being played on one face, with the tables that have extra time."""
        rows = Extension.objects.filter(match__round__in=rounds, match__result=None)
        extended = list(rows.order_by("match__table").values_list("match__round", "match__table", "minutes"))
        clocks = [
            (round_, stage_round_words(round_, self.rounds), clock, tables_with_time(round_, clock, extended))
            for round_ in rounds
            for clock in [clock_of(round_)]
        ]
        turns = turns_after_time(self.tournament)
        about = [(round_.number, round_.state, clock.mark) for round_, _words, clock, _tables in clocks]
        mark = responses.mark_of(*about, *extended, turns)
        only = rounds[0] if len(rounds) == 1 else None
        context = {"clocks": clocks, "turns": turns, "round": only, "rounds": self.tournament.rounds_planned}
        return Face(Screen.CLOCK, mark, lambda: context, rounds[-1].number)

    @property
    def _complete(self) -> list[Round]:
        return [r for r in self.rounds if r.swiss and r.state == Round.State.COMPLETE]

    def _of_round(self, key: str, round_: Round) -> Face:
        mark = f"{round_.number}.{round_.revision}.{round_.state[0]}.{clock_of(round_).mark}"
        context = {
            "round": round_,
            "session": stage_round_words(round_, self.rounds),
            "rounds": self.tournament.rounds_planned,
            "clock": clock_of(round_),
        }
        make = _by_name if key == Screen.PAIRINGS else _by_table
        return Face(key, mark, lambda: {**context, **make(self.tournament, round_)}, round_.number)


def tables_with_time(
    round_: Round, clock: RoundClock, extended: Iterable[tuple[int, int | None, int]]
) -> list[tuple[int | None, int, RoundClock]]:
    """(table, minutes, its own clock) of the round's tables in `extended`, (round's row, table, minutes) of all."""
    return [(table, more, clock.extended(more)) for row, table, more in extended if row == round_.pk]


def _by_name(tournament: Tournament, round_: Round) -> Context:
    lines = lines_by_name(tables_of(round_, public_names_of(tournament), results=False))
    rows = [(line.me.name, line.table and table_name(tournament, line.table), line.words) for line in lines]
    return {"lines": with_initials(rows)}


def _by_table(tournament: Tournament, round_: Round) -> Context:
    tables = tables_of(round_, public_names_of(tournament), results=False)
    return {"tables": tables, "sides": any(table.fact.first for table in tables)}


def _standings(tournament: Tournament) -> Context:
    ranked = ranked_event_of(tournament)
    sheet = sheet_of(ranked.event, ranked.names, ranked.ranking)
    if final := add_final_places(sheet, ranked.final_places):
        sort_sheet(sheet, "place")
    return {"sheet": sheet, "final": final}


def _seats(tournament: Tournament) -> Context:
    paper = EventPaper(tournament)
    rows = [
        (listed_name(paper.public_names[code]), table_name(tournament, table), "")
        for code, table in seats_of(paper)
    ]
    return {"lines": with_initials(rows)}


def part_of_lists(context: Context, part: int, of: int) -> Context:
    """What a face shows, of its list only that part of `of` equal ones; the first is 1."""

    def cut(rows: list[Any]) -> list[Any]:
        return rows[len(rows) * (part - 1) // of : len(rows) * part // of]

    context = {name: cut(rows) if name in ("lines", "tables") else rows for name, rows in context.items()}
    if lines := context.get("lines"):
        context["lines"] = with_initials(line[:3] for line in lines)
    if sheet := context.get("sheet"):
        context["sheet"] = replace(sheet, lines=cut(sheet.lines))
    return context


def with_initials(lines: Iterable[tuple[str, Any, str]]) -> list[tuple[str, Any, str, bool]]:
    """(name, table, words) of lines by name, each with whether its name begins with another letter."""
    before, marked = "", []
    for name, table, words in lines:
        initial = fold_name(name)[:1]
        marked.append((name, table, words, initial != before))
        before = initial
    return marked
