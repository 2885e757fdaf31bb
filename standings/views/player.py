"""A player's page on a phone: table, opponent, clock, rank, matches so far, and actions that only the player has."""

import datetime as dt
from collections.abc import Mapping
from typing import Any, NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from standings.bracket.tree import bracket_place_by_code
from standings.table.derivation import draw_rank_picture
from standings.table.sheet import RankedEvent, load_ranked_event
from standings.table.swiss import last_swiss_round
from standings.words.formats import format_record, record_in_words
from tournament.access.fetch import own_entries, public_tournament
from tournament.event.clock import round_clock
from tournament.event.display_names import drop_full_stop, entry_privacy
from tournament.event.rounds import round_name
from tournament.event.teams import team_lines
from tournament.history.public_corrections import (
    PublicCorrection,
    corrected_keys,
    corrections_in,
    list_public_corrections,
)
from tournament.models import Entry, Extension, Round, Tournament
from tournament.progress.posted_rounds import (
    latest_round_for,
    list_player_matches,
    posted_rounds,
)
from tournament.public.response_cache import OVERHEAD, cached_response, response_cache
from tournament.public.responses import PublicPart, build_version
from tournament.public.versions import load_event_version, load_player_version
from tournament.services.entries import waitlist_position
from tournament.services.reports import find_phone_report
from tournament.services.self_service import can_undo_drop, check_in_is_open, drop_request_state
from tournament.views import self_service
from tournament.views.reports import report_context


class PublicEvent(NamedTuple):
    """Everything that all players' pages of an event share."""

    tournament: Tournament
    ranked: RankedEvent
    rounds: list[Round]  # posted ones
    corrections: list[PublicCorrection]
    entries: dict[str, Entry]  # by code
    extensions: dict[tuple[str, int], int]  # {(code of a player, open round): minutes}

    @property
    def size(self) -> int:
        return OVERHEAD * (1 + len(self.entries))


def load_public_event(slug: str) -> PublicEvent:
    """Return the event at its public version. Raises Http404."""

    def read() -> PublicEvent:
        tournament = public_tournament(slug)
        ranked = load_ranked_event(tournament)
        extensions = Extension.objects.filter(match__round__tournament=tournament)
        # Of tables with a result, too: it may be cleared at the same public version.
        extensions = extensions.exclude(match__round__state=Round.State.COMPLETE)
        seats = extensions.values_list("match__seats__entry__code", "match__round__number", "minutes")
        return PublicEvent(
            tournament,
            ranked,
            posted_rounds(tournament),
            list_public_corrections(tournament, ranked.names),
            {entry.code: entry for entry in tournament.entries.all()},
            {(code, number): minutes for code, number, minutes in seats},
        )

    key = ("players", slug, get_language())
    return response_cache.read(key, load_event_version(slug), read)  # type: ignore[no-any-return]


class CorrectionNotice(NamedTuple):
    """A sentence about a corrected round, or about the player's entry if `round` is None."""

    round: int | None
    text: str


def correction_notices(event: PublicEvent, code: str, results: Mapping[int, str]) -> list[CorrectionNotice]:
    """Return the player's correction notices, newest round first; `results`: {round: the player's own in words}."""
    tournament, rounds = event.tournament, event.rounds
    mine = [
        each
        for each in event.corrections
        if code in each.entries or any(code in match.players for match in each.matches)
    ]
    notices = []
    for shown in rounds[::-1] if mine else ():
        since = _published_at(tournament, latest_round_for(shown, rounds), shown)
        for each in corrections_in(mine, shown.number)[::-1]:
            if since < each.at and any(code in match.players for match in each.matches):
                notices.append(CorrectionNotice(shown.number, _notice_text(each, shown, results)))
                break
    entry = next((each for each in mine if code in each.entries and not (each.repair or each.matches)), None)
    if entry and (not rounds or _published_at(tournament, rounds[-1], rounds[0]) < entry.at):
        notices.append(CorrectionNotice(None, _("Your entry was corrected.")))
    return notices


def _published_at(tournament: Tournament, latest: Round, shown: Round) -> dt.datetime:
    at = latest.published_at
    if shown.swiss and not latest.swiss:
        cuts = tournament.actions.filter(kind="cut").order_by("-number")
        at = cuts.values_list("at", flat=True).first()
    return at or dt.datetime.min.replace(tzinfo=dt.UTC)


def _notice_text(correction: PublicCorrection, round_: Round, results: Mapping[int, str]) -> str:
    values: dict[str, object] = {"round": round_name(round_).phrase}
    if correction.repair:
        return _("Round %(number)s was re-paired after it was published.") % {"number": round_.number}
    if round_.number not in results:
        return _("Correction: you are not in %(round)s anymore.") % values
    values["result"] = drop_full_stop(results[round_.number])
    return _("Correction in %(round)s: %(result)s.") % values


@require_safe
@cached_response(load_player_version)
def player(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    part = whole = player_part(slug, code)
    tournament = part.tournament
    if tournament.decklists_public:
        whole = part._replace(version=f"{part.version}.{tournament.public_revision}")

    def context() -> dict[str, Any]:
        has_decklist = tournament.decklists_public and tournament.decklists.filter(entry__code=code).exists()
        return {**part.context_with_html("seat"), "has_decklist": has_decklist}

    return whole.page(request, "standings/player/player.html", context)


@require_safe
@cached_response(load_player_version)
def now(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    return player_part(slug, code).poll(request)


def player_part(slug: str, code: str) -> PublicPart:
    """Return the polled part of an entry's page. Its context raises Http404 for an unknown entry."""
    event = load_public_event(slug)
    newest_match = load_player_version(slug, code)[4:]  # before the matches: what is newer is shown again
    clocks = [round_clock(round_).mark for round_ in event.rounds if round_.state != Round.State.COMPLETE]
    version = build_version(
        event.tournament.standings_version,
        max((round_.revision for round_ in event.rounds), default=0),
        clocks,
        newest_match,
        [minutes for (who, _round), minutes in event.extensions.items() if who == code],
    )
    template = "standings/player/_player.html"
    return PublicPart(event.tournament, version, template, lambda: _player_context(event, code))


def _player_context(event: PublicEvent, code: str) -> dict[str, Any]:
    if code not in event.entries:
        raise Http404
    tournament, entry, ranked, rounds = event.tournament, event.entries[code], event.ranked, event.rounds
    names, held = ranked.names, tournament.hold_standings
    matches = list_player_matches(entry, rounds, names)
    current = next((m for m in reversed(matches) if m.round.state != Round.State.COMPLETE), None)
    more = event.extensions.get((code, current.round.number), 0) if current else 0
    results = {match.round.number: match.result.sentence for match in matches}
    notices = correction_notices(event, code, results)
    return {
        "tournament": tournament,
        "entry": entry,
        "name": names[code],
        "team": team_lines(entry.members, entry.captain, entry_privacy(entry, tournament)),
        "matches": [match for match in matches[::-1] if match.result.outcome],
        "current": current,
        "more": more,
        "clock": current and round_clock(current.round).extended(more),
        "latest": rounds[-1] if rounds else None,
        "standing": None if held else _player_standing(tournament, ranked, code),
        "opponent_record": "" if held or current is None else _record_words(ranked, current.other),
        "paired_next": entry.status == Entry.Status.PLAYING,
        "waits": waitlist_position(entry),
        "corrected": corrected_keys(event.corrections),
        "notices": notices,
        "announced": "".join(f" {notice.text}" for notice in notices),
    }


def _player_standing(tournament: Tournament, ranked: RankedEvent, code: str) -> dict[str, Any] | None:
    """Return the player's place `after` the last complete round and in the `bracket`; None if not ranked.

    `final`: the final place, once known; `out`: whether the bracket is played without this player; `ranks`: a chart.
    """
    if code not in ranked.ranking:
        return None
    finished = tournament.state == Tournament.State.FINISHED
    final = {place.entry: place.place for place in ranked.places} if finished else {}
    bracket = bracket_place_by_code(ranked.event, ranked.names, ranked.places)
    return {
        "after": last_swiss_round(ranked.event),
        "rank": ranked.ranking.row(code).rank,
        "points": ranked.format_points(code),
        "record": format_record(ranked.find_outcomes(code)),
        "final": final.get(code),
        "bracket": bracket.get(code),
        "out": bool(bracket) and code not in bracket,
        "ranks": draw_rank_picture(ranked.ranks_by_round.get(code, [])),
    }


def _record_words(ranked: RankedEvent, code: str) -> str:
    if code not in ranked.ranking or not last_swiss_round(ranked.event):
        return ""
    return record_in_words(ranked.find_outcomes(code))


@self_service.player_view("GET")
def me(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the page of this device's player: a list if there are several, instructions if there is none."""
    tournament = public_tournament(slug)
    mine = own_entries(request, tournament)
    if len(mine) == 1:
        return render(request, "standings/player/me.html", _my_context(tournament, mine[0]))
    return self_service.device_page(request, tournament, mine)


@self_service.own_view("GET")
def entry(request: HttpRequest, tournament: Tournament, row: Entry) -> HttpResponse:
    several = len(own_entries(request, tournament)) > 1
    return render(request, "standings/player/me.html", {**_my_context(tournament, row), "several": several})


def _my_context(tournament: Tournament, row: Entry) -> dict[str, Any]:
    playing = row.status in (Entry.Status.PLAYING, Entry.Status.WAITLISTED)
    part = player_part(tournament.slug, row.code)
    return {
        **part.context(),
        "mark": part.whole_version,
        **self_service.player_context(tournament, row),
        "can_check_in": row.status == Entry.Status.PLAYING and check_in_is_open(tournament),
        **self_service.call_context(tournament, row),
        **report_context(find_phone_report(tournament, row)),
        **self_service.push_context(row),
        "check_in": _check_in_state(tournament),
        "can_leave": playing and tournament.state != Tournament.State.FINISHED,
        "can_undo_drop": can_undo_drop(row),
        "drop_request": drop_request_state(row),
        "has_decklist": tournament.decklist_rule != "off" and row.decklists.exists(),
        "public": reverse("player", args=[tournament.slug, row.code]),
    }


def _check_in_state(tournament: Tournament) -> str:
    now = timezone.now()
    if tournament.check_in_from and now < tournament.check_in_from:
        return "later"
    return "over" if tournament.check_in_until and now > tournament.check_in_until else ""
