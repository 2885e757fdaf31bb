from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from pairings.forms.corrections import ChosenPlayersForm, RepairChoiceForm, RepairForm
from pairings.repair.options import RepairOption
from pairings.repair.page import RepairPage, repair_page
from pairings.repair.services import apply_repair
from pairings.words.edits import list_table_changes
from tournament.access.permissions import DESK
from tournament.errors import NotFound, Refused
from tournament.event.display_names import load_names
from tournament.event.rounds import find_swiss_round
from tournament.event.table_plan import round_table_plan
from tournament.models import Tournament
from tournament.web.keyed_forms import button
from tournament.web.staff_pages import StaffRequest, first_error, read_number, report_success, staff_view


@staff_view("GET", "POST", roles=DESK)
def repair(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    names = load_names(tournament)
    if request.method != "POST":
        chosen = "chosen" in request.GET  # otherwise the facts decide who is added and removed
        choice = RepairChoiceForm(names, request.GET if chosen else None, auto_id="%s")
        return _repair_page(request, tournament, number, choice)
    form = RepairForm(names, request.POST)
    if not form.is_valid():
        return _repair_page(request, tournament, number, form)
    data = form.cleaned_data
    try:
        action = apply_repair(
            tournament,
            number,
            plan=data["plan"],
            added=data["into"],
            removed=data["out"],
            drops=data["drop"],
            seen=data["seen"] or 0,
            reason=data["reason"],
            actor=request.user,
            key=data["key"],
        )
    except Refused as error:
        tournament.refresh_from_db()
        return _repair_page(request, tournament, number, form, error)
    success = _("Round %(number)s is re-paired. Announce these tables.") % {"number": number}
    address = reverse("repair-changes", args=[tournament.slug, number])
    shown = action.number if action else tournament.revision
    return report_success(request, success, f"{address}?action={shown}")


def _repair_page(
    request: StaffRequest,
    tournament: Tournament,
    number: int,
    form: RepairChoiceForm | RepairForm,
    refused: Refused | None = None,
) -> HttpResponse:
    round_ = find_swiss_round(tournament, number)
    page, error = _load_repair_page(tournament, number, form)
    message, status = "", 200
    if form.errors:
        message, status = first_error(form), 422
    elif refused or error:
        message = str(refused or error)
        status = max(each.status for each in (refused, error) if each)
    context = {
        "tournament": tournament,
        "round": round_,
        "page": page,
        "message": message,
        "choice": _choice_form(form, page),
        "options": [(option, _option_form(request, page, option)) for option in page.options],
        "opened": _opened_option(request, page),
    }
    return render(request, "pairings/repair.html", context, status=status)


def _opened_option(request: StaffRequest, page: RepairPage) -> str:
    """Return the name of the option to show: the one that was sent, else the one that changes least; "" for none."""
    options = [option for option in page.options if option.plan]
    sent = [option for option in options if option.plan == request.POST.get("plan")]
    shown = sent or ([] if page.stands_best else options)
    return shown[0].name if shown else ""


def _load_repair_page(
    tournament: Tournament, number: int, form: ChosenPlayersForm
) -> tuple[RepairPage, Refused | None]:
    if not form.is_bound:
        return repair_page(tournament, number), None
    valid, refused = form.is_valid(), None
    added, removed = form.codes_in("into"), form.codes_in("out")
    if valid:
        missing = form.cleaned_data.get("missing")
        try:
            return repair_page(tournament, number, added, {*removed, *filter(None, [missing])}), None
        except Refused as error:
            if isinstance(form, RepairForm):  # the options have changed: show those there are now
                return repair_page(tournament, number), error
            refused = error
    return repair_page(tournament, number, added, removed, refused=True), refused


def _choice_form(form: ChosenPlayersForm, page: RepairPage) -> RepairChoiceForm:
    if isinstance(form, RepairChoiceForm) and form.is_bound and not page.options:
        choice = form
    else:
        initial = {"into": page.added, "out": page.removed}
        choice = RepairChoiceForm(page.open.names, initial=initial, auto_id="%s")
    names = page.open.names
    choice.offer("into", {code: names[code] for code in (*page.open.absent, *page.added)})
    labels = {code: _("%(name)s (dropped)") % {"name": names[code]} for code in page.open.dropped}
    choice.offer("out", labels | {code: names[code] for code in page.removed if code not in labels})
    return choice


def _option_form(request: StaffRequest, page: RepairPage, option: RepairOption) -> RepairForm | None:
    if not option.plan:
        return None
    initial = {"seen": page.seen, "plan": option.plan, "into": page.added, "out": page.removed}
    initial["reason"] = request.POST.get("reason", "")
    initial["drop"] = request.POST.getlist("drop")
    form = RepairForm(page.open.names, initial=initial, auto_id=f"%s-{option.name}")
    names = page.open.names
    labels = {code: names[code] for code in page.removed if code not in page.open.dropped}
    labels |= {code: _("%(name)s, after this round") % {"name": names[code]} for code in page.added}
    form.offer("drop", labels)
    if option.name == "keep":
        form.button = button(_("Change these tables"))
    else:
        form.button = button(_("Re-pair these tables"), "")
    return form


@staff_view("GET")
def repair_changes(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    action = tournament.actions.filter(kind="re-pair", number=read_number(request, "action")).first()
    if action is None:
        raise NotFound(_("There is no such repair in this event."))
    round_ = find_swiss_round(tournament, number)
    plan = round_table_plan(tournament, round_)
    context = {
        "tournament": tournament,
        "round": round_,
        "action": action,
        "changes": list_table_changes(action.changes, number, load_names(tournament), plan),
    }
    return render(request, "pairings/repair_changes.html", context)
