"""Public pages of the event, its rounds and its players, and its files for phones. No sign-in."""

import json
import time
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import conditional_page, require_safe

from tournament.access.fetch import public_tournament
from tournament.event.clock import round_clock
from tournament.event.display_names import find_names, listed_name, load_public_names, sort_by_name
from tournament.event.profile import ruleset_in_force
from tournament.event.teams import load_members
from tournament.history.public_corrections import (
    corrected_keys,
    corrections_in,
    list_corrected_days,
    list_public_corrections,
)
from tournament.models import Entry, Round, Stage, Tournament
from tournament.paper.everything import read_static
from tournament.progress.next_step import load_progress_facts
from tournament.progress.posted_rounds import (
    filter_open_rounds,
    latest_round_for,
    lines_by_name,
    list_posted_tables,
    posted_rounds,
    stage_round_words,
)
from tournament.progress.schedule import build_schedule, load_turnaround, minute_version
from tournament.public import responses
from tournament.public.response_cache import cached_response
from tournament.public.responses import PublicPart
from tournament.public.versions import load_log_version
from tournament.services.entries import IS_PLAYER
from tournament.services.self_service import takes_registrations
from tournament.web.staff_pages import read_words

BY = ("name", "table")
TOP_TABLES = 4  # on the event page
ICONS = (("192", "any"), ("512", "any"), ("512", "maskable"))  # side in pixels, purpose
SHORT_NAME = 30  # characters; phones cut what is longer
PAPER = "#f6f6f3"  # of site.css, light


@require_safe
@cached_response(load_log_version)
def event(request: HttpRequest, slug: str) -> HttpResponse:
    tournament = public_tournament(slug)
    version = minute_version(tournament)  # the end of the day moves with time

    def context() -> dict[str, Any]:
        part = _now_part(tournament)
        shown = part.context()
        facts = shown["facts"]
        return {
            **shown,
            "mark": part.whole_version,
            "register": takes_registrations(tournament),
            "profile": ruleset_in_force(tournament),
            "schedule": build_schedule(tournament, facts, load_turnaround(tournament, facts)),
            "corrected_days": list_corrected_days(tournament),
        }

    return responses.page(request, tournament, version, "tournament/public/event.html", context)


@require_safe
@cached_response()
def now(request: HttpRequest, slug: str) -> HttpResponse:
    return _now_part(public_tournament(slug)).poll(request)


def _now_part(tournament: Tournament) -> PublicPart:
    """Return what changes with the rounds: the current one, all of them, the top players and tables."""
    rounds, facts = posted_rounds(tournament), load_progress_facts(tournament)
    open_ = filter_open_rounds(rounds)
    last = open_[-1] if open_ else rounds[-1] if rounds else None
    shown = [last, *open_[:-1]] if last else []
    versions = (f".{round_.number}.{round_.revision}.{round_clock(round_).mark}" for round_ in shown)
    plan = f"{facts.players}.{facts.rounds}.{facts.cut}.{tournament.self_registration:d}"
    version = "".join([tournament.standings_version, ".", plan, *versions])

    def context() -> dict[str, Any]:
        swiss = [round_.number for round_ in rounds if round_.swiss]
        bracket = next((r.stage for r in rounds if not r.swiss), None)
        ended = bracket or facts.flights or tournament.state == Tournament.State.FINISHED
        return {
            "tournament": tournament,
            "facts": facts,
            "rounds": rounds,
            "round": last,
            "listed": [(round_, stage_round_words(round_, rounds)) for round_ in rounds],
            "coming": [] if ended else range(len(swiss) + 1, facts.rounds + 1),
            "proved": max(swiss, default=0),
            "bracket": bracket,
            "several": [(r, stage_round_words(r, rounds)) for r in open_] if len(open_) > 1 else [],
            "tables": list_posted_tables(last, load_public_names(tournament), results=False, most=TOP_TABLES)
            if last and last.state != Round.State.COMPLETE
            else [],
        }

    return PublicPart(tournament, version, "tournament/public/_event_parts.html", context)


@dataclass(frozen=True)
class PostedRound:
    tournament: Tournament
    round: Round
    rounds: list[Round]
    by: str

    @property
    def results(self) -> bool:
        """Whether results are shown: a Swiss round's once it is complete, a bracket's at once."""
        return not self.round.swiss or self.round.state == Round.State.COMPLETE

    @property
    def latest(self) -> Round:
        return latest_round_for(self.round, self.rounds)

    @property
    def version(self) -> str:
        """Return a version that changes with the pairings, the state, the clock, the results shown and later rounds."""
        results = self.tournament.standings_revision if self.results else 0
        ended = "e" if self.tournament.state == Tournament.State.FINISHED else ""
        clock = round_clock(self.round).mark
        return f"{self.round.revision}.{self.round.state[0]}.{results}.{self.latest.number}{ended}.{clock}"

    @property
    def part(self) -> PublicPart:
        return PublicPart(self.tournament, self.version, "tournament/public/_pairings.html", self.context)

    def context(self) -> dict[str, Any]:
        names = load_public_names(self.tournament)
        every = list_public_corrections(self.tournament, names)
        corrections = corrections_in(every, self.round.number, results=self.results)
        tables = list_posted_tables(
            self.round, names, results=self.results, corrected=corrected_keys(corrections)
        )
        return {
            "tournament": self.tournament,
            "round": self.round,
            "latest": self.latest,
            "by": self.by,
            "results": self.results,
            "tables": tables,
            "lines": lines_by_name(tables) if self.by == "name" else [],
            "sides": any(table.fact.first for table in tables),
            "odd": self.results and any(table.fact.odd for table in tables),
            "bracket": self.round.stage.kind == Stage.Kind.ELIMINATION,
            "corrections": corrections,
        }


def _posted_round(request: HttpRequest, slug: str, number: int) -> PostedRound:
    tournament = public_tournament(slug)
    rounds = posted_rounds(tournament)
    by = request.GET.get("by", "")
    for each in rounds:
        if each.number == number:
            return PostedRound(tournament, each, rounds, by if by in BY else "name")
    raise Http404


@require_safe
@cached_response(by=BY)
def round_(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    posted = _posted_round(request, slug, number)
    tournament, rounds = posted.tournament, posted.rounds

    def context() -> dict[str, Any]:
        return {
            "tournament": tournament,
            "round": posted.round,
            "rounds": rounds,
            "by": posted.by,
            "part": posted.part.html(),
            "session": stage_round_words(posted.round, rounds),
            "listed": [(other, stage_round_words(other, rounds)) for other in rounds],
        }

    version = f"{posted.version}.{rounds[-1].number}"
    return responses.page(request, tournament, version, "tournament/public/round.html", context)


@require_safe
@cached_response(by=BY)
def pairings(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    return _posted_round(request, slug, number).part.poll(request)


@require_safe
@cached_response()
def players(request: HttpRequest, slug: str) -> HttpResponse:
    tournament = public_tournament(slug)
    words = read_words(request.GET)

    def context() -> dict[str, Any]:
        names = load_public_names(tournament, merged=False)
        apart = list(
            tournament.entries.exclude(IS_PLAYER).order_by("waits").values_list("code", "status", "house")
        )
        for code, _status, house in apart:
            if house:
                del names[code]
        waiting = [code for code, status, _house in apart if status == Entry.Status.WAITLISTED]
        gone = {code for code, status, _house in apart if status == Entry.Status.DROPPED}
        members = load_members(tournament, public=True)
        codes = find_names(names, words, members) if words else sort_by_name(names)
        return {
            "tournament": tournament,
            "q": words,
            "players": [
                (code, listed_name(names[code]), members.get(code), code in gone)
                for code in codes
                if code not in waiting
            ],
            "waiting": [(place, code, names[code]) for place, code in enumerate(waiting, 1) if code in codes],
            "codes": codes,
        }

    if words:
        about = context()
        if (
            len(about["codes"]) == 1
        ):  # no cookie here, where the answer may be shared: the next address sets it
            return responses.shared_redirect("me-found", slug, about["codes"][0])
        return responses.search_page(request, "tournament/public/players.html", about)
    version = str(tournament.public_revision)
    return responses.page(request, tournament, version, "tournament/public/players.html", context)


@require_safe
def manifest(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the event's app manifest, which opens the event's page or, with `?start=me`, the player's own."""
    tournament = public_tournament(slug)
    start = "me" if request.GET.get("start") == "me" else "public-event"
    return responses.file(
        request,
        tournament,
        f"{start}.webmanifest",
        "",
        "application/manifest+json",
        lambda: json.dumps(_build_app_manifest(tournament, start), ensure_ascii=False),
    )


def _build_app_manifest(tournament: Tournament, start: str) -> dict[str, Any]:
    home = reverse("public-event", args=[tournament.slug])
    return {
        "id": home,
        "name": tournament.name,
        "short_name": tournament.name[:SHORT_NAME],
        "start_url": reverse(start, args=[tournament.slug]),
        "scope": home,
        "display": "standalone",
        "background_color": PAPER,
        "theme_color": PAPER,
        "icons": [
            {
                "src": staticfiles_storage.url(f"icons/{purpose}-{side}.png"),
                "sizes": f"{side}x{side}",
                "type": "image/png",
                "purpose": purpose,
            }
            for side, purpose in ICONS
        ],
    }


@require_safe
@conditional_page
@cache_control(no_cache=True)
def service_worker(request: HttpRequest) -> HttpResponse:
    """Serve the worker from the root, because it may only serve pages below its own URL."""
    return HttpResponse(read_static("sw.js"), content_type="text/javascript; charset=utf-8")


@require_safe
@cache_control(public=True, max_age=365 * 24 * 60 * 60, immutable=True)
def site_logo(request: HttpRequest, name: str) -> HttpResponse:
    logo = settings.SITE_LOGO
    if not logo.content or name != logo.name:
        raise Http404
    return HttpResponse(logo.content, content_type=logo.kind)


@require_safe
@never_cache
def server_time(request: HttpRequest) -> HttpResponse:
    return HttpResponse(str(time.time_ns() // 1_000_000), content_type="text/plain; charset=utf-8")
