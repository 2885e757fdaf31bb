"""A player's own page: the table, the opponent, the clock, and where the player stands. For a phone."""

import json
from datetime import timedelta
from typing import Any

from django.db.models import Max, Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from standings.event.bracket import final_places_of
from standings.table.cache import ranked_event_of, standings_mark_of
from standings.table.sheet import sheet_of
from standings.words.formats import points_in_words, record_in_words
from tournament.access.fetch import public_tournament
from tournament.actionlog.match_facts import MatchFact, match_facts
from tournament.models import Entry, Extension, Match, Round, Tournament
from tournament.progress.posted_rounds import nav_of, posted_rounds
from tournament.public import responses
from tournament.results import wording
from tournament.services.capacity import waitlist_position
from tournament.text.display_names import public_names_of


@require_safe
def player(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The page of one entry."""
    tournament = public_tournament(slug)
    mark = _mark(tournament, code)
    return responses.page(
        request,
        tournament,
        f"player {code}",
        mark,
        "standings/player/player.html",
        lambda: seat_of(tournament, code, mark),
    )


def seat_of(tournament: Tournament, code: str, mark: str = "") -> dict[str, Any]:
    """What the page of an entry shows, its polled part rendered as `seat`. Raises Http404."""
    mark = mark or _mark(tournament, code)  # before the facts: what is newer than its mark is shown again
    about = _context(tournament, code)
    seat = responses.part(
        tournament, f"player {code} now", mark, "standings/player/_player.html", lambda: about
    )
    return {**about, "seat": seat}


@require_safe
def now(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The polled part of it: two queries while nothing has changed."""
    tournament = public_tournament(slug)
    return responses.fragment(
        request,
        tournament,
        f"player {code} now",
        _mark(tournament, code),
        "standings/player/_player.html",
        lambda: _context(tournament, code),
    )


def _mark(tournament: Tournament, code: str) -> str:
    """The pairings and results of this entry's posted matches, their extra time, and the standings."""
    mine = Match.objects.filter(seats__entry__code=code, round__tournament=tournament)
    found = mine.exclude(round__state=Round.State.DRAFT).aggregate(
        round=Max("round__revision"), match=Max("version"), more=Sum("extension__minutes")
    )
    return f"{found['round'] or 0}.{found['match'] or 0}.{found['more'] or 0}.{standings_mark_of(tournament)}"


def _context(tournament: Tournament, code: str) -> dict[str, Any]:
    """Everything the page shows. Raises Http404 for no such entry."""
    entry = tournament.entries.filter(code=code).first()
    if entry is None:
        raise Http404
    rounds = posted_rounds(tournament)
    names = public_names_of(tournament)
    matches = _matches(tournament, entry, rounds, names)
    current = next((m for m in reversed(matches) if m["round"].state != Round.State.COMPLETE), None)
    return {
        "tournament": tournament,
        "entry": entry,
        "name": names[code],
        "matches": matches[::-1],
        "current": current,
        "ends": current and _ends(current),
        "latest": rounds[-1] if rounds else None,
        "nav": nav_of(tournament, rounds),
        "standing": _standing(tournament, code),
        "paired_next": entry.status == Entry.Status.PLAYING,
        "waits": waitlist_position(entry),
    }


def _matches(
    tournament: Tournament, entry: Entry, rounds: list[Round], names: dict[str, str]
) -> list[dict[str, Any]]:
    """The entry's matches in posted rounds, in order, each as the player lived it."""
    by_number = {round_.number: round_ for round_ in rounds}
    told = []
    matches = Match.objects.filter(seats__entry=entry)
    for key, (fact, pk, _version) in match_facts(matches).items():
        number = key.split("/")[1]
        if int(number) not in by_number:
            continue
        other = fact.b if fact.a == entry.code else fact.a
        told.append(
            {
                "pk": pk,
                "round": by_number[int(number)],
                "table": fact.table,
                "other": other,
                "against": names[other] if other else "",
                "told": wording.player_result(fact, entry.code, names[other] if other else ""),
                "first": _who_first(fact, entry.code),
            }
        )
    return sorted(told, key=lambda match: match["round"].number)


def _who_first(fact: MatchFact, code: str) -> str:
    """me, them, or empty where nobody moves first."""
    if not fact.first:
        return ""
    return "me" if (fact.a if fact.first == "a" else fact.b) == code else "them"


def _ends(match: dict[str, Any]) -> dict[str, Any]:
    """When this table's time is up, with the minutes it was given on top."""
    more = Extension.objects.filter(match_id=match["pk"]).values_list("minutes", flat=True).first() or 0
    ends = match["round"].ends_at
    return {"at": ends + timedelta(minutes=more) if ends else None, "more": more}


def _standing(tournament: Tournament, code: str) -> dict[str, Any] | None:
    """Rank, points and record after the last complete Swiss round; the final place once it is known."""
    if tournament.hold_standings:
        return None
    told = json.loads(
        responses.cached_text(
            tournament, "places", standings_mark_of(tournament), lambda: _places(tournament)
        )
    )
    if code not in told["rows"]:
        return None
    rank, points, record = told["rows"][code]
    return {
        "after": told["after"],
        "rank": rank,
        "points": points_in_words(points),
        "record": record_in_words(record),
        "final": told["final"].get(code),
    }


def _places(tournament: Tournament) -> str:
    """Everybody's rank, points, record and, when the event is over, final place."""
    ranked_event = ranked_event_of(tournament)
    sheet = sheet_of(ranked_event.event, ranked_event.names, ranked_event.ranking)
    final = (
        {row.entry: row.place for row in final_places_of(ranked_event.event)}
        if tournament.state == Tournament.State.FINISHED
        else {}
    )
    rows = {
        line.code: (line.rank, line.cells[0][1] if line.cells else "", line.record) for line in sheet.lines
    }
    return json.dumps({"after": sheet.after, "rows": rows, "final": final})
