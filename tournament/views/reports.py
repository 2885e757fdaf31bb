"""The result by phone: a player reports it, confirms the opponent's report, or lets the opponent confirm here."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from tournament.access.fetch import own_entry
from tournament.access.throttle import WRONG_CODES
from tournament.errors import Refused
from tournament.forms.reports import AcceptForm, ReportForm, SignForm, score_choices
from tournament.models import Entry, Tournament
from tournament.players.reports import PhoneReport, phone_report_of
from tournament.public.kept_answers import kept_poll
from tournament.results.report_words import report_words
from tournament.results.shorthand import slip_shorthand
from tournament.results.slip import MatchRules, turn_slip
from tournament.results.slip_code import is_phone_code, phone_code
from tournament.services.reports import accept_reports, confirm_report, report_result, withdraw_report
from tournament.views.rounds import action_words, round_address
from tournament.views.self_service import call_context, player_context, player_view
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import first_error, report_success, see_other, service_fields, staff_view

SERVICES = {"report": report_result, "confirm": confirm_report, "withdraw": withdraw_report}


@player_view("GET", "POST")
@kept_poll
def report(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """GET: the buttons, and how the report stands; with `?v=` its polled state. POST: do what a button says."""
    tournament, entry = own_entry(request, slug, code)
    shown = phone_report_of(tournament, entry)
    if "v" in request.GET:
        return _state(request, tournament, entry, shown)
    form = None
    if request.method == "POST":
        form = ReportForm(request.POST, rules=shown.rules if shown else MatchRules())
        if _is_done(form, tournament, entry, shown):
            return see_other("me-report", slug, code)
        shown = phone_report_of(tournament, entry)
    context = {
        **player_context(tournament, entry),
        **call_context(tournament, entry),
        **report_context(tournament, entry),
    }
    context |= _forms_of(shown, form) | {"refused": first_error(form) if form and form.errors else ""}
    return render(request, "tournament/reports/report.html", context, status=form.status if form else 200)


def _state(
    request: HttpRequest, tournament: Tournament, entry: Entry, shown: PhoneReport | None
) -> HttpResponse:
    """The polled part of this page, or with `?bar=` of the player's own: 204 while nothing has changed."""
    if request.GET["v"] == (shown.mark if shown else ""):
        return HttpResponse(status=204)
    part = "_bar" if "bar" in request.GET else "_state"
    context = {"tournament": tournament, "entry": entry, "report": shown}
    return render(request, f"tournament/reports/{part}.html", context)


def _is_done(form: ReportForm, tournament: Tournament, entry: Entry, shown: PhoneReport | None) -> bool:
    """Whether what was posted is done."""
    if not form.is_valid():
        return False
    what = form.cleaned_data["what"]
    if what != "sign":
        return form.submit(SERVICES[what], tournament, entry.code)
    try:
        _check_code(form, tournament, shown)
    except Refused as error:
        form.refuse(error)
        return False
    assert shown is not None
    form.cleaned_data |= {"read": turn_slip(form.cleaned_data["read"]), "against": entry.code}
    # A reason is kept in the log: how it came that the opponent's phone was not needed.
    return form.submit(confirm_report, tournament, shown.opponent_code, reason=_("phone code of the slip"))


def _check_code(form: ReportForm, tournament: Tournament, shown: PhoneReport | None) -> None:
    """Raises Refused for a code that is not the opponent's in this match, and after too many of them."""
    sent = form.cleaned_data
    if shown is None or shown.number != sent["round"] or sent["against"] not in ("", shown.opponent_code):
        raise Refused(_("This match is over. Look at your page again."), status=409)
    table = shown.match.table or 0
    place = f"{tournament.pk}/{shown.number}/{table}"
    if WRONG_CODES.is_spent(place):
        raise Refused(
            _("Too many wrong codes. Wait 10 minutes, or bring the signed slip to the desk."), status=429
        )
    if not is_phone_code(
        form.cleaned_data["code"], phone_code(tournament.pk, shown.number, table, shown.opponent_code)
    ):
        WRONG_CODES.count(place)
        raise Refused(
            _("This is not the phone code of %(name)s. Compare it with the slip."),
            name=shown.opponent,
            status=422,
        )


def report_context(tournament: Tournament, entry: Entry) -> dict[str, Any]:
    """What the player's own page shows of the report."""
    return {"report": phone_report_of(tournament, entry)}


def _forms_of(shown: PhoneReport | None, sent: ReportForm | None) -> dict[str, Any]:
    """The buttons and the fields, while the match can be reported."""
    if shown is None or shown.state in ("entered", "closed"):
        return {"choices": []}
    about = {"round": shown.number, "against": shown.opponent_code}
    is_score = sent is not None and sent.data.get("what") == "report" and not sent.data.get("slip")
    form = sent if is_score else ReportForm(rules=shown.rules, initial={**about, "what": "report"})
    assert form is not None
    form.name_opponent(shown.opponent)
    context: dict[str, Any] = {"choices": score_choices(shown.rules), "form": form, "opened": is_score}
    if shown.mine:
        slip = slip_shorthand(shown.mine, shown.rules)
        context["sign"] = SignForm(rules=shown.rules, initial={**about, "what": "sign", "slip": slip})
    if shown.theirs:
        context["confirm"] = slip_shorthand(shown.theirs, shown.rules)
        context["confirm_words"] = report_words(shown.theirs)
    return context


@staff_view("POST", right="results")
def accept(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """Accept all reports of a round on which both players agree, or those of one table."""
    action = accept_reports(tournament, number, **service_fields(request, AcceptForm(request.POST)))
    words = action_words(tournament, action) or _("No 2 reports agree now.")
    return report_success(request, words, round_address(tournament, number))
