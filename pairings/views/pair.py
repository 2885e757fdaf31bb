"""Pair the next round: no-shows, the house opponent, the seeding, the do-not-pair list."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from pairings.draft.services import (
    HouseUndecided,
    RoundChoice,
    add_house_opponent,
    draft_next_round,
    load_seeding,
    no_round_reason,
    round_choice,
)
from pairings.forms.drafts import BYE, NEW, OUT, PairForm, ProhibitedPairForm, SeedingForm
from tournament.access.permissions import DESK
from tournament.errors import Refused, WrongState
from tournament.event.display_names import listed_name, load_names, sort_by_name
from tournament.event.profile import ruleset_in_force
from tournament.models import Round, Tournament
from tournament.progress.check_in import list_absent_players
from tournament.progress.flights import Flight
from tournament.progress.next_step import (
    Progress,
    ProgressFacts,
    build_progress,
    load_progress_facts,
    pairing_step,
)
from tournament.services.entries import clear_seeding, prohibit_pair, save_seeding
from tournament.views.check_in import report_no_shows
from tournament.web.staff_pages import (
    StaffRequest,
    first_error,
    form_data,
    read_action,
    read_number,
    read_session,
    report_success,
    see_other,
    staff_view,
)


@staff_view("GET", "POST", roles=DESK)
def pair(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    houses = list(tournament.entries.filter(house=True).order_by("code").values_list("code", "name"))
    initial = {"session": read_number(request, "session") or None}
    form = PairForm(form_data(request), houses=houses, initial=initial)
    if not form.is_valid():  # or only shown
        return _pair_page(tournament, request, form)
    data = form.cleaned_data
    try:
        if not _is_absence_settled(request, tournament, data):
            return see_other(_pair_address(tournament, data))
        house = _new_house(request, tournament, data) if data["house"] == NEW else data["house"]
        draft_next_round(
            tournament,
            house=None if house == BYE else house,
            flight=data["session"],
            actor=request.user,
            key=data["key"],
        )
    except HouseUndecided:
        return see_other(_pair_address(tournament, data))
    except Refused as error:
        if (latest := _latest_round(tournament, data["session"])) and latest.state == Round.State.DRAFT:
            return see_other("draft", tournament.slug, latest.number)  # the button was pressed twice
        form.refuse(error)
        return _pair_page(tournament, request, form)
    drafted = _latest_round(tournament, data["session"])
    return see_other("draft", tournament.slug, drafted.number if drafted else 1)


def _pair_address(tournament: Tournament, data: dict[str, Any]) -> str:
    query = f"?session={data['session']}" if data["session"] else ""
    return reverse("pair", args=[tournament.slug]) + query


def _is_absence_settled(request: StaffRequest, tournament: Tournament, data: dict[str, Any]) -> bool:
    """Whether pairing can go on; withdraws absent players if the form says so. Raises WrongState."""
    of = _part_to_pair(load_progress_facts(tournament), data["session"])
    absent = {person.code for person in list_absent_players(tournament, of)}
    if not (absent and data["absent"]):
        return not absent
    if not absent <= set(data["codes"]):
        raise WrongState(_("More players are not checked in by now. Review the list."))
    if data["absent"] == OUT:
        if of.players - len(absent) < 2:
            raise WrongState(_("A round needs at least 2 players."))
        report_no_shows(request, tournament, data["codes"], data["session"])
        of = _part_to_pair(load_progress_facts(tournament), data["session"])
        return not of.absent  # those who moved up from the waitlist
    return True


def _part_to_pair(facts: ProgressFacts, session: int | None) -> ProgressFacts | Flight:
    return next((flight for flight in facts.flights if flight.number == session), facts)


def _pair_page(tournament: Tournament, request: StaffRequest, form: PairForm) -> HttpResponse:
    over = no_round_reason(tournament.state, tournament.stages.values_list("kind", flat=True))
    progress = build_progress(tournament)
    flight = _chosen_flight(progress, form)
    choice = RoundChoice() if over else round_choice(tournament, flight.number if flight else None)
    form.asks_house = choice.asks_house
    form.action = reverse("pair", args=[tournament.slug])
    form.back = reverse("desk", args=[tournament.slug])
    of = flight or progress.facts
    absent = [] if over else list_absent_players(tournament, of)
    form.ask_absent([person.code for person in absent], enough=of.players - len(absent) >= 2)
    if flight and not form.is_bound:
        form.initial["session"] = flight.number
    context = {
        "tournament": tournament,
        "progress": progress,
        "flight": flight,
        "next": pairing_step(progress.facts, flight) if flight else progress.next,
        "form": form,
        "absent": absent,
        "sitting_out": choice.sitting_out,
        "message": first_error(form) if form.errors else over,
        "over": over,
    }
    return render(request, "pairings/pair.html", context, status=form.status)


def _chosen_flight(progress: Progress, form: PairForm) -> Flight | None:
    """Return the stage the form names, or the next one to pair; None unless stages run side by side."""
    number = str(form["session"].value() or progress.next.flight or "")
    flights = {str(flight.number): flight for flight in progress.facts.flights}
    return flights.get(number) or next(iter(flights.values()), None)


def _latest_round(tournament: Tournament, session: int | None) -> Round | None:
    of_stage = {"stage__number": session} if session else {}
    return tournament.rounds.filter(**of_stage).order_by("-number").first()


def _new_house(request: StaffRequest, tournament: Tournament, data: dict[str, Any]) -> str | None:
    """Return the code of the named house opponent; the form's first submission registers a new one."""
    key = f"{data['key'][:58]}-house" if data["key"] else ""
    add_house_opponent(tournament, data["name"], data["session"], actor=request.user, key=key)
    newest = tournament.entries.filter(house=True).order_by("-code").first()
    return newest.code if newest else None


@staff_view("GET", "POST", roles=DESK)
def seeding(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    if request.method != "POST":
        return _seeding_page(request, tournament, SeedingForm())
    form = SeedingForm(request.POST)
    if not form.means_save:
        kept = SeedingForm(initial={name: request.POST.get(name, "") for name in ("reason", "session")})
        return _seeding_page(request, tournament, kept, form.moved_codes)
    if not form.submit(save_seeding, tournament, actor=request.user):
        return _seeding_page(request, tournament, form, form.codes)
    return _done(request, tournament, _("The seeding is saved."), form.cleaned_data["session"])


@staff_view("POST", roles=DESK)
def seed_by_rating(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    session = read_session(request)
    clear_seeding(tournament, session, **read_action(request))
    return _done(request, tournament, _("The seeding follows ratings again."), session)


def _done(request: StaffRequest, tournament: Tournament, text: str, session: int | None) -> HttpResponse:
    address = reverse("seeding", args=[tournament.slug])
    return report_success(request, text, f"{address}?session={session}" if session else address)


def _seeding_page(
    request: StaffRequest, tournament: Tournament, form: SeedingForm, codes: list[str] | None = None
) -> HttpResponse:
    progress = build_progress(tournament)
    flight = request.POST.get("session") or request.GET.get("session") or ""
    now = load_seeding(tournament, progress, flight)
    current = codes is not None and sorted(codes) == sorted(now.codes)
    if codes is not None and not current and form.status == 200:
        raise WrongState(_("Someone joined or left while you were working. Check the list again."))
    shown = codes if codes is not None and current else now.codes
    context = {
        "tournament": tournament,
        "progress": progress,
        "seeding": now,
        "session": now.flight,
        "rows": [(now.entries[code], now.names[code], form.order_input(code)) for code in shown],
        "unsaved": shown != now.codes,
        "form": form,
    }
    return render(request, "pairings/seeding.html", context, status=form.status)


@staff_view("GET", "POST", roles=DESK)
def prohibited_pairs(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    names = load_names(tournament, merged=False)
    offered = {code: listed_name(names[code]) for code in sort_by_name(names)}
    form = ProhibitedPairForm(names, form_data(request), offered=offered, auto_id="pair-%s")
    if form.submit(prohibit_pair, tournament, actor=request.user):
        data = form.cleaned_data
        added, lifted = _("%(a)s and %(b)s will not be paired."), _("%(a)s and %(b)s can be paired again.")
        success = (lifted if data["lift"] else added) % {"a": names[data["a"]], "b": names[data["b"]]}
        return report_success(request, success, "prohibited-pairs", tournament.slug, undo=form.result)
    context = {
        "tournament": tournament,
        "form": form,
        "message": first_error(form),
        "players": form.players,
        "pairs": [(a, names.get(a, a), b, names.get(b, b)) for a, b in tournament.forbidden],
        "labels_until": int(ruleset_in_force(tournament)["pairing"].get("labels_apart_until_round") or 0),
    }
    return render(request, "pairings/prohibited_pairs.html", context, status=form.status)
