from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from tournament.access.permissions import DESK
from tournament.forms.stages import DayForm, FlightForm, StageRemovalForm
from tournament.models import Tournament
from tournament.progress.flights import list_stages
from tournament.services.stages import add_next_day, add_stage, remove_stage
from tournament.web.keyed_forms import KeyedForm
from tournament.web.staff_pages import StaffRequest, first_error, report_success, staff_view


@staff_view("GET", "POST", roles=DESK)
def stages(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """List the stages and possible next ones. POST: `what` is session, day or remove."""
    if request.method != "POST":
        return _stages_page(request, tournament)
    form: KeyedForm
    match request.POST.get("what"):
        case "remove":
            form, service = StageRemovalForm(request.POST), remove_stage
            message = _("Session %(number)s is removed.") % {"number": request.POST.get("session")}
        case "day":
            form, service = DayForm(request.POST, auto_id="day_%s"), add_next_day
            message = _("The next day is open: pair its first round.")
        case _other:
            form, service = FlightForm(request.POST), add_stage
            message = _("The session is open. Register players, or re-enter players from their pages.")
    if form.submit(service, tournament, actor=request.user):
        return report_success(request, message, "stages", tournament.slug, undo=form.result)
    return _stages_page(request, tournament, form)


def _stages_page(
    request: StaffRequest, tournament: Tournament, form: KeyedForm | None = None
) -> HttpResponse:
    stages = list_stages(tournament)
    swiss = tournament.state != Tournament.State.FINISHED and bool(stages) and stages[-1].is_swiss
    last = stages[-1] if swiss and len(stages) > 1 else None
    empty = last if last and not (last.own or last.players or last.follows) else None
    context = {
        "stages": stages,
        "flight_form": form if isinstance(form, FlightForm) else FlightForm(),
        "day_form": form if isinstance(form, DayForm) else DayForm(auto_id="day_%s"),
        "refused": first_error(form),
        "can_plan": swiss,
        "can_follow": swiss and all(stage.own for stage in stages),
        "removal": empty.number if empty else None,
    }
    status = form.status if form else 200
    return render(request, "tournament/stages/stages.html", context, status=status)
