"""The stages of an event for staff: the list, another session, a next day."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from standings.forms.stages import DayForm, FlightForm, StageForm, StageRemovalForm
from standings.stages.next_day import add_next_day
from tournament.access.fetch import DESK
from tournament.errors import Refused
from tournament.models import Tournament
from tournament.progress.next_step import progress_of
from tournament.progress.stages import stage_lines_of
from tournament.services.stages import add_stage, remove_stage
from tournament.web.staff_pages import first_error, read_action, read_session, see_other, staff_view


@staff_view("GET", "POST", roles=DESK)
def stages(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """GET: every stage, and what can follow. POST: `what` is session, day or remove."""
    if request.method != "POST":
        return _stages_page(request, tournament)
    what = request.POST.get("what")
    if what == "remove":
        return _remove(request, tournament)
    form = DayForm(request.POST) if what == "day" else FlightForm(request.POST)
    with timezone.override(tournament.time_zone):
        valid = form.is_valid()
    if not valid:
        return _stages_page(request, tournament, form, status=422)
    try:
        message = _open(request, tournament, form)
    except Refused as error:
        form.add_error(None, str(error))
        return _stages_page(request, tournament, form, status=error.status)
    messages.success(request, message)
    return see_other(reverse("stages", args=[tournament.slug]))


def _open(request: HttpRequest, tournament: Tournament, form: StageForm) -> str:
    """Open the stage; the message says what is next. Raises Refused."""
    key = form.cleaned_data["key"]
    if isinstance(form, DayForm):
        add_next_day(tournament, **form.fields_for_service(), actor=request.user, key=key)
        return _("The next day is open: pair its first round.")
    add_stage(tournament, **form.fields_for_service(), actor=request.user, key=key)
    return _("The session is open. Register players, or re-enter players from their pages.")


def _remove(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Remove an empty session."""
    number = read_session(request) or 0
    try:
        remove_stage(tournament, number, **read_action(request))
    except Refused as error:
        return _stages_page(request, tournament, refused=str(error), status=error.status)
    messages.success(request, _("Session %(number)s is removed.") % {"number": number})
    return see_other(reverse("stages", args=[tournament.slug]))


def _stages_page(
    request: HttpRequest,
    tournament: Tournament,
    form: StageForm | None = None,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    lines = stage_lines_of(tournament)
    swiss = tournament.state != Tournament.State.FINISHED and bool(lines) and lines[-1].swiss
    last = lines[-1] if swiss and len(lines) > 1 else None
    empty = last if last and not (last.rounds or last.players or last.follows) else None
    context = {
        "tournament": tournament,
        "progress": progress_of(tournament),
        "lines": lines,
        "flight_form": form if isinstance(form, FlightForm) else FlightForm(),
        "day_form": form if isinstance(form, DayForm) else DayForm(),
        "refused": refused or (first_error(form) if form is not None else ""),
        "can_plan": swiss,
        "can_follow": swiss and all(line.rounds for line in lines),
        "removal": StageRemovalForm(initial={"session": empty.number}) if empty else None,
    }
    return render(request, "standings/stages/stages.html", context, status=status)
