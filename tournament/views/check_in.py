from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django_htmx.http import HttpResponseClientRefresh

from tournament.access.permissions import DESK
from tournament.errors import Refused
from tournament.forms.entries import NoShowsForm
from tournament.models import Entry, Tournament
from tournament.progress.check_in import count_players, find_player, list_players
from tournament.progress.next_step import build_progress, flights_by_entry, load_progress_facts
from tournament.services.drops import before_start, check_in_entry, reinstate_entry, withdraw_no_shows
from tournament.services.entries import change_entry
from tournament.text import join_some
from tournament.web.staff_pages import (
    StaffRequest,
    name_promoted,
    read_number,
    read_words,
    report_success,
    see_other,
    service_fields,
    staff_view,
)

PAGE, FOUND = 200, 25  # lines on a page; of a search, which more letters narrow and which answers at once
MOST_NAMED = 5  # of several players found
KINDS = {
    "missing": gettext_lazy("Not here"),
    "": gettext_lazy("All"),
    "unpaid": gettext_lazy("Not paid"),
    "out": gettext_lazy("Withdrawn"),
}
BUTTONS = ("here", "away", "paid", "unpaid", "again")


@staff_view("GET", "POST", roles=DESK)
def check_in_page(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    if request.method == "POST":
        return _search(request, tournament) if "q" in request.POST else _press(request, tournament)
    return _list(request, _list_context(tournament, request.GET))


def _list(request: StaffRequest, context: dict[str, Any], status: int = 200) -> HttpResponse:
    page = Paginator(context["people"], FOUND if context["words"] else PAGE).get_page(request.GET.get("page"))
    return render(request, "tournament/check_in/check_in.html", {**context, "page": page}, status=status)


def _list_context(tournament: Tournament, query: QueryDict) -> dict[str, Any]:
    progress = build_progress(tournament)
    context = _counts_context(tournament, query, swapped=False)
    flights = flights_by_entry(progress.facts)
    everyone = context["words"] and context["kind"] == "missing"  # a search also finds who is here
    kind = "" if everyone else context["kind"]
    people = list_players(tournament, kind, context["words"], flights=flights)
    return {**context, "progress": progress, "people": people}


def _counts_context(tournament: Tournament, query: QueryDict, *, swapped: bool) -> dict[str, Any]:
    counts = count_players(tournament)
    kind = query.get("show", "missing")
    return {
        "counts": counts,
        "fees": counts["unpaid"] < counts["expected"],  # none are taken where no one has paid
        "before_start": before_start(tournament),
        "words": read_words(query),
        "lists": [(value, label, counts[value or "expected"]) for value, label in KINDS.items()],
        "kind": kind if kind in KINDS else "missing",
        "swapped": swapped,
    }


def _search(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    context = _list_context(tournament, request.POST)
    words, kind = context["words"], context["kind"]
    found = context["people"] if words else []
    if "find" in request.POST or len(found) != 1 or found[0].status == Entry.Status.DROPPED:
        if "find" not in request.POST and found:
            messages.warning(request, _undecided_words(found))
        if request.htmx and "find" not in request.POST:
            return _list(request, context, 422)  # keeps the line in the box
        return see_other(_address(tournament, q=words, show=kind))
    done = check_in_entry(tournament, found[0].code, actor=request.user)
    text = _("%(name)s is checked in.") if done else _("%(name)s was already checked in.")
    return report_success(
        request, text % {"name": found[0].shown}, _address(tournament, show=kind), undo=done
    )


def _address(tournament: Tournament, **query: str) -> str:
    address = reverse("check-in", args=[tournament.slug])
    return f"{address}?{urlencode(query)}" if query else address


def _undecided_words(found: list[Any]) -> str:
    if len(found) == 1:
        text = _("%(name)s was withdrawn before round 1. Press “Arrived” to let the player in.")
        return text % {"name": found[0].shown}
    names = join_some([person.shown for person in found], MOST_NAMED)
    text = _("%(count)s players match: %(names)s. Type more letters, or press “Check in” next to the name.")
    return text % {"count": len(found), "names": names}


def _press(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    name = next((name for name in BUTTONS if name in request.POST), "")
    code = request.POST.get(name, "").replace("\x00", "")
    if name in ("here", "away"):
        check_in_entry(tournament, code, name == "here", actor=request.user)
    elif name in ("paid", "unpaid"):
        change_entry(tournament, code, paid=name == "paid", actor=request.user)
    elif name == "again":
        reinstate_entry(tournament, code, here=True, actor=request.user)
    else:
        raise Refused(_("Nothing was selected. Use a button next to a name."))
    if not request.htmx:
        return see_other(f"{request.get_full_path()}#check-{code}")
    flights = flights_by_entry(load_progress_facts(tournament)) if tournament.stages.count() > 1 else {}
    person = find_player(tournament, code, flights)
    if person is None:  # dropped since the page was opened
        return HttpResponseClientRefresh()
    context = _counts_context(tournament, request.POST, swapped=True)
    return render(request, "tournament/check_in/_row.html", {**context, "person": person})


@staff_view("GET", "POST", roles=DESK)
def no_shows(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    if request.method == "POST":
        fields = service_fields(request, NoShowsForm(request.POST))
        report_no_shows(request, tournament, fields.pop("codes"), fields.pop("stage"), **fields)
        return see_other("check-in", tournament.slug)
    progress = build_progress(tournament)
    facts = progress.facts
    number = read_number(request, "session")
    flight = next((flight for flight in facts.flights if flight.number == number), None)
    stage = flight.stage if flight else facts.stage
    several = stage is not None and stage.is_swiss and (stage.number > 1 or bool(facts.flights))
    shown = stage.number if stage and several else None
    absent = list_players(tournament, "missing", stage=shown)
    chosen = stage.number if stage and facts.flights else None
    context = {
        "progress": progress,
        "chosen": chosen,
        "missed": flight.missed_rounds if flight else facts.missed_rounds,
        "before_start": not flight.rounds if flight else facts.before_start,
        "drafted": next(iter(flight.rounds if flight else facts.stage_rounds), None),
        "counts": count_players(tournament, shown),
        "absent": absent,
        "codes": "\n".join(person.code for person in absent),
    }
    return render(request, "tournament/check_in/no_shows.html", context)


def report_no_shows(
    request: StaffRequest, tournament: Tournament, codes: list[str], stage: int | None, **sent: Any
) -> None:
    """Withdraw the no-shows among these players. The next page says how many, and who moved up."""
    action = withdraw_no_shows(tournament, codes, stage, **{"actor": request.user, **sent})
    statuses = [(item["after"] or {}).get("status") for item in action.changes] if action else []
    count = statuses.count(Entry.Status.DROPPED)
    text = ngettext("%(count)s no-show withdrawn.", "%(count)s no-shows withdrawn.", count)
    messages.success(request, text % {"count": count})
    name_promoted(request, tournament, action)
