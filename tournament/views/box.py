"""The one box of the desk: each line is done at once, and the page brought up to now."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from tournament.access.fetch import DESK
from tournament.errors import Conflict, Refused
from tournament.event.profile import profile_of
from tournament.forms.box import BoxForm
from tournament.models import Action, Match, Round, Tournament
from tournament.results.shorthand import LONGEST_LINE, BoxLine, parse_slip
from tournament.results.slip import Slip
from tournament.services.results import rules_of
from tournament.services.rounds import extend_table, match_at, round_of
from tournament.views.results import conflict_page, enter_slip
from tournament.views.rounds import action_words, changed_parts, round_address, round_context
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import first_error, report_success, see_other, staff_view


@staff_view("POST", roles=DESK)
def box(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """Do one line. Answers what was saved, and brings the page up to now."""
    round_ = round_of(tournament, number)
    form = BoxForm(request.POST)
    try:
        if not form.is_valid():
            raise Refused(first_error(form), status=422)
        if not form.line.what:
            return see_other(_next_outstanding(tournament, round_))
        action = _apply(request, tournament, round_, form)
    except Conflict as error:
        match, line = match_at(tournament, number, form.line.table), form.line
        slip = _slip_of(tournament, match, line)
        return conflict_page(request, tournament, match, slip, error, f"{line.table} {line.text}")
    except Refused as error:
        return _refused(request, tournament, round_, error)
    return _saved(request, tournament, round_, form, action)


def _apply(request: StaffRequest, tournament: Tournament, round_: Round, form: BoxForm) -> Action | None:
    """Do what the line says. The version is that of the row the page showed."""
    line, data = form.line, form.cleaned_data
    match = match_at(tournament, round_.number, line.table)
    about = {"actor": request.user, "key": data["key"]}
    if line.what == "show":
        return None
    if line.what == "extend":
        return extend_table(tournament, round_.number, line.table, line.minutes, **about)
    seen = data["seen"]
    version = match.version if seen is None or match.version <= seen else seen
    return enter_slip(tournament, match, _slip_of(tournament, match, line), version, **about)


def _slip_of(tournament: Tournament, match: Match, line: BoxLine) -> Slip | None:
    """The slip in a line; None where the line clears the table. Raises Refused."""
    rules = rules_of(match, profile_of(tournament))
    return parse_slip(line.text, rules) if line.what == "slip" else None


def _next_outstanding(tournament: Tournament, round_: Round) -> str:
    """The address of the next table without a result."""
    match = round_.matches.filter(result=None, table__isnull=False).order_by("table").first()
    return round_address(tournament, round_.number, match.table if match else None)


def _saved(
    request: StaffRequest, tournament: Tournament, round_: Round, form: BoxForm, action: Action | None
) -> HttpResponse:
    """What was saved (or shown), with its undo, and every row that changed meanwhile."""
    line = form.line
    context = changed_parts(tournament, round_, seen=form.cleaned_data["seen"] or 0)
    row = context["sheet"].row(line.table)
    if row not in context["changed"] and line.what == "extend":
        context["changed"].append(row)  # a time extension is no new version of the match
    sentence = action_words(tournament, action)
    if not request.htmx:
        result = f"{row.a.name} – {row.b.name if row.b else ''}: {row.words or _('no result')}"
        message = sentence or _("Table %(table)s: ") % {"table": row.table} + result
        return report_success(request, message, f"{round_address(tournament, round_.number)}#box")
    quiet = action is None and line.what != "show"
    context |= {"row": row, "done": action, "quiet": quiet, "sentence": sentence}
    return render(request, "tournament/results/_line_saved.html", context)


def _refused(request: StaffRequest, tournament: Tournament, round_: Round, error: Refused) -> HttpResponse:
    """Why the line was refused; its text stays in the box."""
    context = {"message": str(error), "tournament": tournament, "round": round_}
    if request.htmx:
        return render(request, "tournament/results/_line_refused.html", context, status=error.status)
    text = request.POST.get("text", "")[:LONGEST_LINE]
    context |= round_context(tournament, round_, text)
    return render(request, "tournament/rounds/round.html", context, status=error.status)
