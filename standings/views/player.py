"""A player's page on a phone: table, opponent, clock, rank, and the matches so far."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from django.db.models import Max, Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from standings.event.bracket import final_places_of
from standings.table.cache import ranked_event_of, standings_mark_of
from standings.table.rank_history import rank_picture_of, ranks_by_round
from standings.table.sheet import sheet_of
from standings.views.player_corrections import notices_of
from standings.views.public_parts import PublicPart
from standings.words.formats import points_in_words, record_in_words
from tournament.access.fetch import public_tournament
from tournament.actionlog.match_facts import match_facts
from tournament.event.clock import RoundClock, clock_of
from tournament.history.public_corrections import corrected_keys, public_corrections_of
from tournament.models import Entry, Extension, Match, Round, Tournament
from tournament.progress.posted_rounds import nav_of, posted_rounds
from tournament.public import responses
from tournament.public.kept_answers import kept
from tournament.results.wording import PlayerResult, player_result
from tournament.services.waitlist import waitlist_position
from tournament.text.display_names import public_names_of
from tournament.text.teams import team_lines


class PlayerMatch(NamedTuple):
    """A match in a posted round as its player sees it. `opponent`: the name, empty for a bye; `key`: of its fact.

    `odd`: as it was recorded, which these rules do not have.
    """

    pk: int
    round: Round
    table: int | None
    opponent: str
    result: PlayerResult
    moves_first: str  # me, them, or empty where that does not matter
    key: str
    odd: bool


@require_safe
@kept
def player(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The page of one entry."""
    part = player_part(public_tournament(slug), code)
    return part.page(request, "standings/player/player.html", lambda: part.context_with_html("seat"))


@require_safe
@kept
def now(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The polled part of the page: two queries while nothing has changed."""
    return player_part(public_tournament(slug), code).poll(request)


def player_part(tournament: Tournament, code: str) -> PublicPart:
    """The polled part of an entry's page. Its context raises Http404 for no such entry."""
    mark = _mark_of(tournament, code)  # before the facts: what is newer than its mark is shown again
    template = "standings/player/_player.html"
    return PublicPart(tournament, f"player {code}", mark, template, lambda: _player_context(tournament, code))


def _mark_of(tournament: Tournament, code: str) -> str:
    """What the page depends on: the entry's posted pairings and results, clocks and time extensions, the latest
    round, the standings."""
    mine = Match.objects.filter(seats__entry__code=code, round__tournament=tournament)
    newest = mine.exclude(round__state=Round.State.DRAFT).aggregate(
        paired=Max("round__revision"),
        match=Max("version"),
        more=Sum("extension__minutes"),
        starts=Max("round__starts_at"),
        ends=Max("round__ends_at"),
        left=Sum("round__seconds_left"),
    )
    clock = RoundClock(newest["starts"], newest["ends"], newest["left"])
    parts = [str(newest[name] or 0) for name in ("paired", "match", "more")] + [clock.mark]
    return ".".join([*parts, str(tournament.latest or 0), standings_mark_of(tournament)])


def _player_context(tournament: Tournament, code: str) -> dict[str, Any]:
    """Everything the page shows. Raises Http404 for no such entry."""
    entry = tournament.entries.filter(code=code).first()
    if entry is None:
        raise Http404
    rounds = posted_rounds(tournament)
    names = public_names_of(tournament)
    matches = _matches_of(entry, rounds, names)
    current = next((m for m in reversed(matches) if m.round.state != Round.State.COMPLETE), None)
    corrections = public_corrections_of(tournament, names)
    results = {match.round.number: match.result.sentence for match in matches}
    notices = notices_of(tournament, code, corrections, rounds, results)
    return {
        "tournament": tournament,
        "entry": entry,
        "name": names[code],
        "team": team_lines(entry.members, entry.captain, tournament.name_privacy),
        "matches": matches[::-1],
        "current": current,
        "ends": current and _end_of(current),
        "latest": rounds[-1] if rounds else None,
        "nav": nav_of(tournament, rounds),
        "standing": _standing_of(tournament, code),
        "paired_next": entry.status == Entry.Status.PLAYING,
        "waits": waitlist_position(entry),
        "corrected": corrected_keys(corrections),
        "notices": notices,
        "announced": "".join(f" {notice.text}" for notice in notices),
    }


def _matches_of(entry: Entry, rounds: list[Round], names: Mapping[str, str]) -> list[PlayerMatch]:
    """The entry's matches in posted rounds, in order."""
    by_number = {round_.number: round_ for round_ in rounds}
    matches = []
    for key, (fact, pk, _version) in match_facts(Match.objects.filter(seats__entry=entry)).items():
        round_ = by_number.get(int(key.split("/")[1]))
        if round_ is None:
            continue
        other = fact.b if fact.a == entry.code else fact.a
        opponent = names[other] if other else ""
        mover = {"": None, "a": fact.a, "b": fact.b}[fact.first or ""]
        moves_first = ("me" if mover == entry.code else "them") if mover else ""
        result = player_result(fact, entry.code, opponent)
        matches.append(PlayerMatch(pk, round_, fact.table, opponent, result, moves_first, key, fact.odd))
    return sorted(matches, key=lambda match: match.round.number)


def _end_of(match: PlayerMatch) -> dict[str, Any]:
    """The `clock` of this table, with `more`: the minutes of its time extension."""
    more = Extension.objects.filter(match_id=match.pk).values_list("minutes", flat=True).first() or 0
    return {"clock": clock_of(match.round).extended(more), "more": more}


def _standing_of(tournament: Tournament, code: str) -> dict[str, Any] | None:
    """Where the player stands `after` the last complete round; `final`: the final place once it is known;
    `ranks`: the picture of the rank after each round.

    None while the standings are hidden or the player is not ranked.
    """
    if tournament.hold_standings:
        return None
    mark = standings_mark_of(tournament)
    text = responses.cached_text(tournament, "places", mark, lambda: _standings_text(tournament))
    standings = json.loads(text)
    if code not in standings["rows"]:
        return None
    rank, points, record = standings["rows"][code]
    return {
        "after": standings["after"],
        "rank": rank,
        "points": points_in_words(points),
        "record": record_in_words(record),
        "final": standings["final"].get(code),
        "ranks": rank_picture_of(standings["ranks"].get(code, [])),
    }


def _standings_text(tournament: Tournament) -> str:
    """Everyone's rank, points and record, rank after each round and, when the event is over, final place, as JSON."""
    ranked = ranked_event_of(tournament)
    sheet = sheet_of(ranked.event, ranked.names, ranked.ranking)
    finished = tournament.state == Tournament.State.FINISHED
    final = {row.entry: row.place for row in final_places_of(ranked.event)} if finished else {}
    rows = {
        line.code: (line.rank, line.cells[0][1] if line.cells else "", line.record) for line in sheet.lines
    }
    ranks = ranks_by_round(ranked.event)
    return json.dumps({"after": sheet.after, "rows": rows, "final": final, "ranks": ranks})
