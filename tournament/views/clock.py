"""The clock of a round for staff, and the server's time by which every page counts."""

import time
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournament.access.fetch import may
from tournament.event.clock import clock_of, length_of, turns_after_time
from tournament.event.table_plan import table_name
from tournament.forms.clock import AddForm, ClockForm, LengthForm, ScheduleForm, SetForm, StartForm
from tournament.models import Extension, Round, Tournament
from tournament.services import clock as services
from tournament.services.rounds import round_of
from tournament.views.rounds import action_words, round_address
from tournament.web.keyed_forms import KeyedForm
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import first_error, report_success, staff_view

CHANGES: dict[str, tuple[type[ClockForm], Any]] = {
    "start": (StartForm, services.start_clock),
    "schedule": (ScheduleForm, services.schedule_clock),
    "pause": (ClockForm, services.pause_clock),
    "resume": (ClockForm, services.resume_clock),
    "stop": (ClockForm, services.stop_clock),
    "add": (AddForm, services.add_minutes),
    "length": (LengthForm, services.change_length),
    "set": (SetForm, services.set_clock),
}


@require_safe
@never_cache
def server_time(request: HttpRequest) -> HttpResponse:
    """The server's time in milliseconds since 1970, from which a page learns how wrong its device's clock is."""
    return HttpResponse(str(time.time_ns() // 1_000_000), content_type="text/plain; charset=utf-8")


@staff_view("GET")
def clock(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """Everything that can be done with a round's clock, and the tables with more time."""
    return _page(request, tournament, round_of(tournament, number))


@staff_view("GET")
def controls(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """The polled clock with its buttons: 204 while its mark is `?v=`."""
    context = controls_of(tournament, round_of(tournament, number))
    if request.GET.get("v") == context["mark"]:
        return HttpResponse(status=204)
    context |= {"page": request.GET.get("page")}
    return render(request, "tournament/clock/_controls.html", context)


@staff_view("POST", right="clock")
def change(request: StaffRequest, tournament: Tournament, number: int, what: str) -> HttpResponse:
    """Do one thing with the clock. Answers its buttons to a script, else leads back to the page it was done on."""
    if what not in CHANGES:
        raise Http404
    make, service = CHANGES[what]
    form = make(request.POST)
    done = form.submit(service, tournament, number, actor=request.user)
    round_ = round_of(tournament, number)
    if request.htmx:
        context = controls_of(tournament, round_, "" if done else first_error(form))
        return render(
            request, "tournament/clock/_controls.html", context, status=200 if done else form.status
        )
    if not done:
        return _page(request, tournament, round_, what, form)
    words = action_words(tournament, form.result) or _("Nothing changed.")
    own = reverse("desk-clock", args=[tournament.slug, number])
    to = own if request.POST.get("page") == "clock" else round_address(tournament, number)
    return report_success(request, words, to)


def controls_of(tournament: Tournament, round_: Round, message: str = "") -> dict[str, Any]:
    """What the clock's buttons need; `message`: why the last one was refused."""
    shown = clock_of(round_)
    state = shown.state(timezone.now())
    open_ = round_.state == Round.State.PUBLISHED
    return {
        "tournament": tournament,
        "round": round_,
        "clock": shown,
        "state": state,
        "minutes": length_of(round_),
        "turns": turns_after_time(tournament),
        "may": open_ and may(tournament, "clock"),
        "seen": services.seen_of(round_),
        "mark": f"{round_.state[0]}{state[0]}{shown.mark}.{length_of(round_)}",
        "message": message,
    }


def _page(
    request: StaffRequest,
    tournament: Tournament,
    round_: Round,
    what: str = "",
    refused: KeyedForm | None = None,
) -> HttpResponse:
    """The page of a clock; the form of `what`, refused, takes the place of its fresh one."""
    context = controls_of(tournament, round_, first_error(refused) if refused else "")
    start = {"minutes": context["minutes"], "seen": context["seen"]}
    forms: dict[str, KeyedForm] = {}
    if context["state"] in ("off", "scheduled"):
        forms |= {"start": StartForm(initial=start), "schedule": ScheduleForm(initial=start)}
    forms |= {"length": LengthForm(initial=start), "set": SetForm(initial=start)}
    if refused and what in forms:
        refused.initial = {**refused.initial, **start}
        forms[what] = refused
        context["message"] = ""  # the form says it
    extended = Extension.objects.filter(match__round=round_).select_related("match").order_by("match__table")
    rows = [
        (table_name(tournament, row.match.table), row, context["clock"].extended(row.minutes))
        for row in extended
    ]
    context |= {"forms": list(forms.values()) if context["may"] else [], "extended": rows, "page": "clock"}
    return render(request, "tournament/clock/clock.html", context, status=refused.status if refused else 200)
