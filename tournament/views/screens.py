"""Venue screens: their contents ("faces", in `templates/tournament/screens/`), the rotation, the desk's page.

Drafts are never shown, hidden standings stay hidden, and names are the public ones. Each face has a version that
changes with its content.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from tournament.access.fetch import public_tournament
from tournament.event.clock import RoundClock, round_clock, turns_after_time
from tournament.event.display_names import listed_name, load_public_names
from tournament.event.table_plan import round_table_plan, table_name
from tournament.models import Extension, Round, Tournament
from tournament.paper.lists import assign_meeting_seats
from tournament.paper.paper_list import EventPaper
from tournament.progress.posted_rounds import (
    filter_open_rounds,
    lines_by_name,
    list_posted_tables,
    posted_rounds,
    stage_round_words,
)
from tournament.public import responses
from tournament.public.response_cache import NUMBERS, cached_response
from tournament.public.responses import Context, PublicPart
from tournament.public.versions import load_log_version
from tournament.text import fold_name
from tournament.web.staff_pages import read_number

Screen = Tournament.Screen


# {key: function that returns the context of a face with standings or bracket}.
_standings_faces: dict[str, Callable[[Tournament], Context]] = {}


def register_face(key: str, context: Callable[[Tournament], Context]) -> None:
    _standings_faces[key] = context


class Face(NamedTuple):
    key: str  # a value of `Tournament.Screen`
    mark: str
    context: Callable[[], Context]
    round: int = 0  # the number of its round, 0 if it has none

    @property
    def id(self) -> str:
        """The id of its element. It differs by round, so that a screen starts again with the first page."""
        return f"face-{self.key}-{self.round}"

    @property
    def template(self) -> str:
        return f"tournament/screens/_{self.key}.html"


@dataclass
class Faces:
    tournament: Tournament

    @cached_property
    def rounds(self) -> list[Round]:
        return posted_rounds(self.tournament)

    @cached_property
    def open(self) -> list[Round]:
        return filter_open_rounds(self.rounds) or [r for r in self.rounds if r.state != Round.State.COMPLETE]

    @property
    def usual(self) -> list[str]:
        if not self.rounds:
            return [Screen.ANNOUNCEMENT, Screen.SEATS]
        if any(round_.swiss for round_ in self.open):
            return [Screen.ANNOUNCEMENT, Screen.PAIRINGS, Screen.CLOCK]
        last = Screen.STANDINGS if self.rounds[-1].swiss else Screen.BRACKET
        return [Screen.ANNOUNCEMENT, last]

    def in_turn(self) -> list[Face]:
        """The chosen faces that have something to show; pairings and clock only while the round is being played."""
        return self._there(self.tournament.screens) or self._there(self.usual)

    def _there(self, chosen: Iterable[str]) -> list[Face]:
        faces = [face for key in Screen.values if key in chosen for face in self.of(key)]
        return [face for face in faces if self._is_on(face)]

    def _is_on(self, face: Face) -> bool:
        if face.key == Screen.BRACKET:
            return not (self.tournament.hold_standings or all(round_.swiss for round_ in self.rounds))
        if face.key == Screen.CLOCK:
            return any(round_clock(round_).is_on for round_ in self.open)
        return face.round in (0, *(round_.number for round_ in self.open))

    def of(self, key: str) -> list[Face]:
        """Return the faces for a key, one per round in progress; empty while there is nothing to show."""
        tournament, mark = self.tournament, self.tournament.standings_version
        if key == Screen.ANNOUNCEMENT:
            return [Face(key, "", dict)] if tournament.notice else []
        complete = [r for r in self.rounds if r.swiss and r.state == Round.State.COMPLETE]
        if key == Screen.STANDINGS and (tournament.hold_standings or not complete):
            return []
        if key in (Screen.STANDINGS, Screen.BRACKET):  # the bracket says itself why there is none
            return [Face(key, mark, lambda: _standings_faces[key](tournament))]
        if key == Screen.SEATS:
            seats = Face(key, str(tournament.revision), lambda: _seats(tournament))
            return [] if self.rounds else [seats]
        rounds = self.open or self.rounds[-1:]
        if key == Screen.CLOCK:
            return [self._clocks(rounds)] if rounds else []
        return [self._round_face(key, round_) for round_ in rounds]

    def _clocks(self, rounds: list[Round]) -> Face:
        """Return one face with the clocks of all rounds in progress, and the tables that have extra time."""
        rows = Extension.objects.filter(match__round__in=rounds, match__result=None)
        extended = list(rows.order_by("match__table").values_list("match__round", "match__table", "minutes"))
        clocks = [
            (round_, stage_round_words(round_, self.rounds), clock, tables_with_time(round_, clock, extended))
            for round_ in rounds
            for clock in [round_clock(round_)]
        ]
        turns = turns_after_time(self.tournament)
        about = [
            (round_.number, round_.state, round_.table_plan, clock.mark)
            for round_, _words, clock, _tables in clocks
        ]
        mark = responses.build_version(*about, *extended, turns)
        only = rounds[0] if len(rounds) == 1 else None
        context = {"clocks": clocks, "turns": turns, "round": only, "rounds": self.tournament.rounds_planned}
        return Face(Screen.CLOCK, mark, lambda: context, rounds[-1].number)

    def _round_face(self, key: str, round_: Round) -> Face:
        mark = f"{round_.number}.{round_.revision}.{round_.state[0]}.{round_clock(round_).mark}"
        context = {
            "round": round_,
            "session": stage_round_words(round_, self.rounds),
            "rounds": self.tournament.rounds_planned,
            "clock": round_clock(round_),
        }
        make = _by_name if key == Screen.PAIRINGS else _by_table
        return Face(key, mark, lambda: {**context, **make(self.tournament, round_)}, round_.number)


def tables_with_time(
    round_: Round, clock: RoundClock, extended: Iterable[tuple[int, int | None, int]]
) -> list[tuple[int | None, int, RoundClock]]:
    """Return (table, minutes, clock) for the round's tables with extra time. `extended`: (round pk, table, minutes)."""
    return [(table, more, clock.extended(more)) for row, table, more in extended if row == round_.pk]


def _by_name(tournament: Tournament, round_: Round) -> Context:
    plan = round_table_plan(tournament, round_)
    lines = lines_by_name(list_posted_tables(round_, load_public_names(tournament), results=False))
    rows = [(line.me.name, line.table and plan.name(line.table), line.words) for line in lines]
    return {"lines": with_initials(rows)}


def _by_table(tournament: Tournament, round_: Round) -> Context:
    tables = list_posted_tables(round_, load_public_names(tournament), results=False)
    return {"tables": tables, "sides": any(table.fact.first for table in tables)}


def _seats(tournament: Tournament) -> Context:
    paper = EventPaper(tournament)
    rows = [
        (listed_name(paper.public_names[code]), table_name(tournament, table), "")
        for code, table in assign_meeting_seats(paper)
    ]
    return {"lines": with_initials(rows)}


def cut_lists(context: Context, part: int, of: int) -> Context:
    """Return a page's context with its list reduced to part number `part` (from 1) of `of` equal parts."""

    def cut(rows: list[Any]) -> list[Any]:
        return rows[len(rows) * (part - 1) // of : len(rows) * part // of]

    context = {name: cut(rows) if name in ("lines", "tables") else rows for name, rows in context.items()}
    if lines := context.get("lines"):
        context["lines"] = with_initials(line[:3] for line in lines)
    if sheet := context.get("sheet"):
        context["sheet"] = replace(sheet, lines=cut(sheet.lines))
    return context


def with_initials(lines: Iterable[tuple[str, Any, str]]) -> list[tuple[str, Any, str, bool]]:
    """Yield (name, table, words, whether the name begins with a new letter) for each line."""
    before, marked = "", []
    for name, table, words in lines:
        initial = fold_name(name)[:1]
        marked.append((name, table, words, initial != before))
        before = initial
    return marked


TURN = "turn"  # the rotation's name, where one face has its key
THEMES = ("light", "dark")
MOST_SCREENS = 12  # side by side


@require_safe
@cached_response(load_log_version, theme=THEMES, part=NUMBERS, of=NUMBERS)
def screen(request: HttpRequest, slug: str, what: str = TURN) -> HttpResponse:
    """Show a screen: page after page, without input. `?theme=light` or `dark` overrides the device's setting."""
    part = _part(request, slug, what)
    theme = request.GET.get("theme", "")
    theme = theme if theme in THEMES else ""

    def context() -> Context:
        return {"tournament": part.tournament, "faces": part.html(), "theme": theme}

    return part.page(request, "tournament/screens/screen.html", context)


@require_safe
@cached_response(load_log_version, part=NUMBERS, of=NUMBERS)
def screen_part(request: HttpRequest, slug: str, what: str = TURN) -> HttpResponse:
    return _part(request, slug, what).poll(request)


def _part(request: HttpRequest, slug: str, what: str) -> PublicPart:
    """Return a screen's polled part; `?part=1&of=3` gives a third of each list. Raises Http404 for an unknown face."""
    if what not in (TURN, *Screen.values):
        raise Http404
    tournament = public_tournament(slug)
    faces = Faces(tournament).in_turn() if what == TURN else Faces(tournament).of(what)
    about = [tournament.state, tournament.venue, tournament.rounds_planned, tournament.screen_seconds]
    version = responses.build_version(
        *about, tournament.hold_standings, *((face.id, face.mark) for face in faces)
    )
    part, of = read_number(request, "part"), read_number(request, "of")
    if not 1 <= part <= of <= MOST_SCREENS:
        part = of = 1
    template = "tournament/screens/_screen.html"
    return PublicPart(tournament, version, template, lambda: _context(tournament, what, faces, part, of))


def _context(tournament: Tournament, what: str, faces: list[Face], part: int, of: int) -> Context:
    shown = [{"face": face, **cut_lists(face.context(), part, of)} for face in faces]
    context: Context = {
        "tournament": tournament,
        "what": what,
        "shown": shown,
        "held": tournament.hold_standings,
    }
    return context | ({"query": f"?part={part}&of={of}"} if of > 1 else {})
