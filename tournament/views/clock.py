"""The clock of one round: its page, its controls."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.access.permissions import DESK
from tournament.event.clock import round_clock, round_length, turns_after_time
from tournament.event.rounds import find_round
from tournament.event.table_plan import table_name
from tournament.forms.clock import AddForm, ClockForm, LengthForm, ScheduleForm, SetForm, StartForm
from tournament.models import Extension, Round, Tournament
from tournament.services import clock as services
from tournament.views.rounds import action_words, round_address
from tournament.web.keyed_forms import KeyedForm
from tournament.web.staff_pages import StaffRequest, first_error, report_success, staff_view

CHANGES: dict[str, tuple[type[ClockForm], Any]] = {
    "start": (StartForm, services.start_clock),
    "begin": (ClockForm, services.begin_round),
    "schedule": (ScheduleForm, services.schedule_clock),
    "pause": (ClockForm, services.pause_clock),
    "resume": (ClockForm, services.resume_clock),
    "stop": (ClockForm, services.stop_clock),
    "add": (AddForm, services.add_minutes),
    "length": (LengthForm, services.change_length),
    "set": (SetForm, services.set_clock),
}


@staff_view("GET")
def clock(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    return _clock_page(request, find_round(tournament, number))


@staff_view("GET")
def clock_controls(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    context = clock_context(tournament, find_round(tournament, number))
    if request.GET.get("v") == context["mark"]:
        return HttpResponse(status=204)
    context |= {"page": request.GET.get("page")}
    return render(request, "tournament/clock/_controls.html", context)


@staff_view("POST", roles=DESK)
def change_clock(request: StaffRequest, tournament: Tournament, number: int, what: str) -> HttpResponse:
    if what not in CHANGES:
        raise Http404
    make, service = CHANGES[what]
    form = make(request.POST)
    done = form.submit(service, tournament, number, actor=request.user)
    round_ = find_round(tournament, number)
    if request.htmx:
        context = clock_context(tournament, round_, "" if done else first_error(form))
        return render(
            request, "tournament/clock/_controls.html", context, status=200 if done else form.status
        )
    if not done:
        return _clock_page(request, round_, what, form)
    words = action_words(tournament, form.result) or _("Nothing changed.")
    own = reverse("desk-clock", args=[tournament.slug, number])
    to = own if request.POST.get("page") == "clock" else round_address(tournament, number)
    return report_success(request, words, to)


def clock_context(tournament: Tournament, round_: Round, message: str = "") -> dict[str, Any]:
    shown = round_clock(round_)
    state = shown.state(timezone.now())
    open_ = round_.state == Round.State.PUBLISHED
    return {
        "tournament": tournament,
        "round": round_,
        "clock": shown,
        "state": state,
        "minutes": round_length(round_),
        "turns": turns_after_time(tournament),
        "may": open_ and tournament.role in DESK,
        "begun": not round_.swiss and shown.has_started(timezone.now()),
        "seen": services.clock_version(round_),
        "mark": f"{round_.state[0]}{state[0]}{shown.mark or shown.starts}.{round_length(round_)}",
        "message": message,
    }


def _clock_page(
    request: StaffRequest, round_: Round, what: str = "", refused: KeyedForm | None = None
) -> HttpResponse:
    tournament = request.tournament
    context = clock_context(tournament, round_, first_error(refused))
    start = {"minutes": context["minutes"], "seen": context["seen"]}
    forms: dict[str, KeyedForm] = {}
    if context["state"] in ("off", "scheduled"):
        forms |= {"start": StartForm(initial=start), "schedule": ScheduleForm(initial=start)}
    forms |= {"length": LengthForm(initial=start), "set": SetForm(initial=start)}
    if refused and what in forms:
        refused.initial = {**refused.initial, **start}
        forms[what] = refused
        context["message"] = ""  # shown by the form
    extended = Extension.objects.filter(match__round=round_).select_related("match").order_by("match__table")
    rows = [
        (table_name(tournament, row.match.table, round_), row, context["clock"].extended(row.minutes))
        for row in extended
    ]
    context |= {"forms": list(forms.values()) if context["may"] else [], "extended": rows, "page": "clock"}
    return render(request, "tournament/clock/clock.html", context, status=refused.status if refused else 200)
