"""The standings everybody may see: by rank, name or final place, after any round, of a label; as page and files."""

from __future__ import annotations

import json
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from standings.event.playoff import elimination_stage_of
from standings.table.cache import RankedEvent, ranked_event_of, standings_mark_of
from standings.table.exports import add_final_places, csv_sheet_of, json_document_of
from standings.table.manual_order import manual_orders_of
from standings.table.sheet import (
    columns_of,
    filter_by_flight,
    filter_by_label,
    labels_of,
    sheet_of,
    sort_sheet,
)
from tournament.access.fetch import public_tournament
from tournament.models import Round, Tournament
from tournament.progress.flights import stage_name
from tournament.progress.posted_rounds import nav_of, posted_rounds
from tournament.public import responses

IN_PLACE = 500  # above this many rows, numbers open on their own page: inline attributes would make the page too large
ORDERS = ("rank", "name", "place")


class Asked(NamedTuple):
    """Which standings: in what order, after which round (None: the last), of which label and session."""

    by: str = "rank"
    after: int | None = None
    label: str = ""
    session: int = 0  # 0: all of them

    @property
    def among(self) -> str:
        """Whom the lines are of, in words; empty for everybody."""
        return ", ".join(filter(None, (stage_name(self.session) if self.session else "", self.label)))

    @property
    def query(self) -> str:
        """As the end of an address; empty for the plain standings."""
        given = {"by": self.by if self.by != "rank" else "", "after": self.after or "", "label": self.label}
        given["session"] = self.session or ""
        said = urlencode({name: value for name, value in given.items() if value})
        return f"?{said}" if said else ""


def asked_by(request: HttpRequest, tournament: Tournament) -> Asked:
    """What an address asks for. Raises Http404 for an order, a round or a label that is not there."""
    by, after, label, session = (request.GET.get(name, "") for name in ("by", "after", "label", "session"))
    if by and by not in ORDERS:
        raise Http404
    if session and (tournament.hold_standings or session not in map(str, sessions_of(tournament))):
        raise Http404
    asked = Asked(by or "rank", after_of(tournament, after), label, int(session or 0))
    if label and (tournament.hold_standings or label not in labels_of(ranked_event_of(tournament).event)):
        raise Http404
    return asked


def sessions_of(tournament: Tournament) -> list[int]:
    """Numbers of the Swiss sessions with lists of their own, where there are several."""
    swiss = [stage for stage in ranked_event_of(tournament).event.stages if stage.kind == "swiss"]
    numbers = [stage.number for stage in swiss if not stage.carries]
    return numbers if len(numbers) > 1 else []


def after_of(tournament: Tournament, text: str) -> int | None:
    """The round asked for, None for none or the last. Raises Http404 for one that is not complete."""
    if not text:
        return None
    rounds = posted_rounds(tournament)
    if text not in map(str, rounds_complete(rounds)):
        raise Http404
    return int(text) if int(text) != last_complete(rounds) else None


def last_complete(rounds: list[Round]) -> int:
    """The last complete Swiss round, which of sessions side by side may come after one that is not; 0 for none."""
    over = [r.number for r in rounds if r.swiss and r.state == Round.State.COMPLETE]
    return over[-1] if over else 0


def rounds_complete(rounds: list[Round]) -> list[int]:
    """Numbers of the Swiss rounds the standings can be shown after: those with every earlier one complete."""
    numbers = []
    for round_ in rounds:
        if round_.swiss and round_.state != Round.State.COMPLETE:
            break
        if round_.swiss:
            numbers.append(round_.number)
    return numbers


@require_safe
def standings(request: HttpRequest, slug: str) -> HttpResponse:
    """The standings as of the last complete round, or as asked."""
    tournament = public_tournament(slug)
    asked = asked_by(request, tournament)
    template = "standings/standings.html"
    if asked.label:  # any number of labels may be asked for: nothing of it is kept
        return responses.search_page(request, template, _page(tournament, asked))
    name, mark = f"standings page {asked.query}", standings_mark_of(tournament)
    return responses.page(request, tournament, name, mark, template, lambda: _page(tournament, asked))


@require_safe
def table(request: HttpRequest, slug: str) -> HttpResponse:
    """The polled part of the standings."""
    tournament = public_tournament(slug)
    asked = asked_by(request, tournament)
    if asked.label:
        raise Http404
    name, mark = f"standings {asked.query}", standings_mark_of(tournament)
    context = lambda: table_context(tournament, asked)  # noqa: E731
    return responses.fragment(request, tournament, name, mark, "standings/_table.html", context)


def _page(tournament: Tournament, asked: Asked) -> dict[str, Any]:
    rounds = posted_rounds(tournament)
    complete = [] if tournament.hold_standings else rounds_complete(rounds)
    if (newest := last_complete(rounds)) and newest not in complete and not tournament.hold_standings:
        complete.append(newest)
    about: dict[str, Any] = {
        "tournament": tournament,
        "table": _part(tournament, asked),
        "nav": nav_of(tournament, rounds),
        "asked": asked,
        "complete": complete,
        "after": asked.after or (newest if complete else 0),
    }
    if complete:
        event = ranked_event_of(tournament).event
        sessions = [(number, stage_name(number)) for number in sessions_of(tournament)]
        about |= {"labels": labels_of(event), "profile": event.profile, "sessions": sessions}
    return about


def _part(tournament: Tournament, asked: Asked) -> SafeString:
    template = "standings/_table.html"
    if asked.label:
        return SafeString(render_to_string(template, table_context(tournament, asked)))
    name, mark = f"standings {asked.query}", standings_mark_of(tournament)
    return responses.part(tournament, name, mark, template, lambda: table_context(tournament, asked))


def table_context(tournament: Tournament, asked: Asked) -> dict[str, Any]:
    """What the table of the standings shows; nothing of it while the owner holds the standings back."""
    about: dict[str, Any] = {"tournament": tournament, "links": True, "asked": asked}
    if tournament.hold_standings:
        return {**about, "held": True}
    ranked_event = ranked_event_of(tournament, asked.after)
    sheet = sheet_of(ranked_event.event, ranked_event.names, ranked_event.ranking, asked.after)
    final = asked.after is None and add_final_places(sheet, ranked_event.final_places)
    if asked.label:
        filter_by_label(sheet, ranked_event.event, asked.label)
    if asked.session:
        filter_by_flight(sheet, ranked_event.event, asked.session)
    sort_sheet(sheet, asked.by if asked.by != "place" or final else "rank")
    at = f"?after={asked.after}" if asked.after else ""
    in_place = len(sheet.lines) <= IN_PLACE
    decisions = manual_orders_of(tournament, ranked_event.event, ranked_event.ranking, ranked_event.names)
    return {**about, "sheet": sheet, "in_place": in_place, "final": final, "at": at, "decisions": decisions}


def width_of(ranked_event: RankedEvent) -> int:
    """How many columns the table of the standings has, for a row that spans all of them."""
    return len(columns_of(ranked_event.ranking)) + 3 + (elimination_stage_of(ranked_event.event) is not None)


@require_safe
def as_json(request: HttpRequest, slug: str) -> HttpResponse:
    """The standings for programs, exact fractions as strings."""
    tournament, after = _open(request, slug)

    def text() -> str:
        return json.dumps(
            json_document_of(ranked_event_of(tournament, after), after), ensure_ascii=False, indent=1
        )

    name = f"standings{f'-{after}' if after else ''}.json"
    return responses.file(request, tournament, name, standings_mark_of(tournament), "application/json", text)


@require_safe
def as_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """The standings for spreadsheets."""
    tournament, after = _open(request, slug)

    def text() -> str:
        return csv_sheet_of(ranked_event_of(tournament, after), after)

    name = f"standings{f'-{after}' if after else ''}.csv"
    return responses.file(request, tournament, name, standings_mark_of(tournament), "text/csv", text)


def _open(request: HttpRequest, slug: str) -> tuple[Tournament, int | None]:
    """The event and the round asked for. Raises Http404 while the standings are held back."""
    tournament = public_tournament(slug)
    if tournament.hold_standings:
        raise Http404
    return tournament, after_of(tournament, request.GET.get("after", ""))
