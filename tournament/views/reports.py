"""Results by phone: reported on the player's own page, or with just the match slip."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from tournament.access.codes import check_guesses, check_personal_code, count_wrong_code
from tournament.access.fetch import own_entries, own_entry, public_tournament, staff_tournament
from tournament.access.permissions import DESK
from tournament.actionlog.match_facts import MatchFact, read_match
from tournament.errors import Forbidden, Refused
from tournament.event.display_names import load_public_names
from tournament.event.profile import ruleset_in_force
from tournament.event.rounds import find_round, match_at
from tournament.forms.reports import (
    AcceptForm,
    MatchCodeForm,
    ReportForm,
    ScoreChoice,
    SignForm,
    SlipReportForm,
    score_choices,
)
from tournament.models import Entry, Match, Round, Tournament
from tournament.public.response_cache import cached_own_poll
from tournament.results.shorthand import (
    check_digits,
    check_slip_code,
    parse_slip,
    read_slip_code,
    slip_shorthand,
)
from tournament.results.slip import MatchRules, reported_slips, turn_slip
from tournament.results.wording import report_words, slip_fact, words_between, words_of_slip
from tournament.services import reports as services
from tournament.services.results import match_rules
from tournament.views.rounds import action_words, round_address
from tournament.views.self_service import call_context, player_context, player_view
from tournament.web.staff_pages import (
    StaffRequest,
    first_error,
    form_data,
    report_success,
    see_other,
    service_fields,
    staff_view,
)

SERVICES = {
    "report": services.report_result,
    "confirm": services.confirm_report,
    "withdraw": services.withdraw_report,
}


@player_view("GET", "POST")
@cached_own_poll
def report(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """GET: the buttons and the report's state; with `?v=`, poll them. POST: the pressed button."""
    tournament, entry = own_entry(request, slug, code)
    shown = services.find_phone_report(tournament, entry)
    if "v" in request.GET:
        return _state(request, tournament, entry, shown)
    form = ReportForm(form_data(request), rules=shown.rules if shown else MatchRules())
    if request.method == "POST":
        if _is_done(request, form, tournament, entry, shown):
            return see_other("me-report", slug, code)
        shown = services.find_phone_report(tournament, entry)
    context = {
        **player_context(tournament, entry),
        **call_context(tournament, entry),
        **report_context(shown, form),
        "refused": first_error(form),
    }
    return render(request, "tournament/reports/report.html", context, status=form.status)


def _state(
    request: HttpRequest, tournament: Tournament, entry: Entry, shown: services.PhoneReport | None
) -> HttpResponse:
    if request.GET["v"] == (shown.mark if shown else ""):
        return HttpResponse(status=204)
    context = {"tournament": tournament, "entry": entry, "whole": "bar" not in request.GET}
    return render(request, "tournament/reports/_report.html", context | report_context(shown))


def _is_done(
    request: HttpRequest,
    form: ReportForm,
    tournament: Tournament,
    entry: Any,
    shown: services.PhoneReport | None,
) -> bool:
    if not form.is_valid():
        return False
    what = form.cleaned_data["what"]
    if what != "sign":
        return form.submit(SERVICES[what], tournament, entry.code, by_code=entry.by_code)
    try:
        _check_code(request, form, shown)
    except Refused as error:
        form.refuse(error)
        return False
    assert shown is not None
    form.cleaned_data |= {"read": turn_slip(form.cleaned_data["read"]), "against": entry.code}
    return form.submit(services.confirm_report, tournament, shown.opponent_code, by_code=True)


def _check_code(request: HttpRequest, form: ReportForm, shown: services.PhoneReport | None) -> None:
    sent = form.cleaned_data
    if shown is None or shown.number != sent["round"] or sent["against"] not in ("", shown.opponent_code):
        raise Refused(_("This match is over. Look at your page again."), status=409)
    opponent = shown.seat.opponent
    assert opponent is not None
    wrong = _("This is not the personal code of %(name)s. It is on the place card, not on the match slip.")
    check_personal_code(request, opponent, sent["code"], wrong % {"name": shown.opponent})


def report_context(shown: services.PhoneReport | None, sent: ReportForm | None = None) -> dict[str, Any]:
    if shown is None or shown.state in ("entered", "closed"):
        return {"report": shown}
    about = {"round": shown.number, "against": shown.opponent_code}
    is_score = sent is not None and sent.data.get("what") == "report" and not sent.data.get("slip")
    form = sent if is_score else ReportForm(rules=shown.rules, initial={**about, "what": "report"})
    assert form is not None
    form.name_opponent(shown.opponent)
    choices = score_choices(shown.rules)
    context: dict[str, Any] = {"report": shown, "form": form, "opened": is_score, "choices": choices}
    if shown.mine:
        slip = slip_shorthand(shown.mine, shown.rules)
        context["sign"] = SignForm(rules=shown.rules, initial={**about, "what": "sign", "slip": slip})
        context["sign"].name_opponent(shown.opponent)
    if shown.theirs:
        context["confirm"] = slip_shorthand(shown.theirs, shown.rules)
        context["confirm_words"] = report_words(shown.theirs)
    return context


@staff_view("POST", results=True)
def accept(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    swiss = find_round(tournament, number).swiss
    if not swiss and tournament.role not in DESK:
        raise Forbidden(_("Your role in this event does not allow that."))
    action = services.accept_reports(tournament, number, **service_fields(request, AcceptForm(request.POST)))
    words = action_words(tournament, action) or _("No two reports match anymore.")
    page = round_address(tournament, number) if swiss else reverse("desk-bracket", args=[tournament.slug])
    return report_success(request, words, page)


@player_view("GET")
def find(request: HttpRequest, slug: str) -> HttpResponse:
    tournament = public_tournament(slug)
    form = MatchCodeForm(request.GET or None)
    status = 200
    if form.is_valid():
        try:
            code = read_slip_code(form.cleaned_data["code"])
            check_digits(code)  # a misread one is no guess
            return see_other("slip-report", slug, *code)
        except Refused as refusal:
            form.add_error("code", str(refusal))
            status = 422
    context = {"tournament": tournament, "form": form}
    return render(request, "tournament/reports/find_slip.html", context, status=status)


@player_view("GET", "POST")
def slip_report(request: HttpRequest, slug: str, number: int, table: int, check: str) -> HttpResponse:
    """Open a scanned slip: staff enter the result, players report on their own page, others report here."""
    if request.user.is_authenticated and (own := _event_of_staff(request, slug)):
        match_at(own, number, table)
        return see_other("scan-slip", slug, number, table, check)
    tournament = public_tournament(slug)
    match = _find_slip_match(request, tournament, number, table, check)
    fact = read_match(match)
    for entry in own_entries(request, tournament):
        if entry.code in (fact.a, fact.b):
            return see_other("me-report", slug, entry.code)
    rules = match_rules(match, ruleset_in_force(tournament))
    form = SlipReportForm(form_data(request), rules=rules, initial={"what": "report", "round": number})
    if form.submit(services.report_by_slip, tournament, number, table, players=(fact.a, fact.b)):
        words = _("Reported. Staff check it at the event desk before it counts.")
        return report_success(request, words, "slip-report", slug, number, table, check)
    context = _slip_context(tournament, match, fact, form)
    return render(request, "tournament/reports/slip_report.html", context, status=form.status)


def _event_of_staff(request: HttpRequest, slug: str) -> Tournament | None:
    try:
        return staff_tournament(request, slug)
    except Http404:
        return None


def _find_slip_match(
    request: HttpRequest, tournament: Tournament, number: int, table: int, check: str
) -> Match:
    check_guesses(request, tournament.pk)
    try:
        match = match_at(tournament, number, table)
        if match.round.state == Round.State.DRAFT:
            raise Refused(_("There is no such match."), status=404)
        fact = read_match(match)
        check_slip_code(tournament.slug, (number, table, check.upper()), (fact.a, fact.b))
    except Refused:
        count_wrong_code(request, tournament.pk)
        text = _(
            "This code belongs to no match that is posted now. Compare it with your slip, or ask at the event desk."
        )
        raise Refused(text, status=404) from None
    return match


def _slip_context(
    tournament: Tournament, match: Match, fact: MatchFact, form: SlipReportForm
) -> dict[str, Any]:
    names, rules = load_public_names(tournament), form.rules
    a, b = names[fact.a], names[fact.b or ""]
    closed = match.round.state != Round.State.PUBLISHED or tournament.reporting == Tournament.Reporting.OFF
    form.name_sides(a, b)
    report = match.reports.filter(source=services.SLIP).first() if match.result is None else None
    choices = [] if rules.by_score else reported_slips(rules)
    return {
        "tournament": tournament,
        "match": match,
        "a": a,
        "b": b,
        "reported": words_of_slip(parse_slip(report.slip, rules)) if report else "",
        "form": None if closed or match.result is not None else form,
        "opened": form.is_bound or len(choices) < 2,
        "choices": [
            ScoreChoice(
                slip_shorthand(slip, rules),
                "",
                words_of_slip(slip),
                f"{a} {words_between(slip_fact(slip))} {b}",
            )
            for slip in choices
        ],
        "refused": first_error(form),
    }
