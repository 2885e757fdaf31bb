from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tournament.access.fetch import entries_run_by
from tournament.access.permissions import DESK, STAFF
from tournament.errors import Forbidden
from tournament.event.display_names import (
    find_names,
    is_by_last_name,
    is_confirmed,
    listed_name,
    load_names,
    sort_by_name,
)
from tournament.event.teams import load_members
from tournament.forms.entries import SelectionForm
from tournament.forms.pasted_names import LastNamesForm, NamesForm
from tournament.models import Action, Entry, Staff, Tournament
from tournament.progress.flights import stage_name
from tournament.progress.next_step import ProgressFacts, build_progress, flights_by_entry
from tournament.services import entries as services
from tournament.services.drops import check_in_entries
from tournament.text import join_some
from tournament.views.imports import roster_page
from tournament.views.new_entry import late_entry_context, to_session, warn_of_waitlist
from tournament.web.staff_pages import (
    StaffRequest,
    form_data,
    name_promoted,
    read_number,
    read_words,
    report_success,
    see_other,
    service_fields,
    staff_view,
)

MOST_SKIPPED = 10  # names
PAGE, FOUND = 200, 25  # lines on a page; of a search, which more letters narrow and which answers at once


class Selected(NamedTuple):
    """An action on selected players: its service, its message with the count, and why it leaves others as they are."""

    service: Callable[..., Action | None]
    words: Callable[[int], str]
    why: Any


SELECTED = {
    "check-in": Selected(
        check_in_entries,
        partial(ngettext, "%(count)s player checked in.", "%(count)s players checked in."),
        gettext_lazy("Only players who are playing and not here yet are checked in."),
    ),
    "paid": Selected(
        services.mark_paid,
        partial(ngettext, "%(count)s player marked as paid.", "%(count)s players marked as paid."),
        gettext_lazy("The others have already paid."),
    ),
    "remove": Selected(
        services.remove_entries,
        partial(ngettext, "%(count)s player removed.", "%(count)s players removed."),
        gettext_lazy("Drop players who have a seat, a penalty, a deck check or another entry."),
    ),
}


@staff_view("GET", "POST", roles=STAFF)
def entries(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    if request.method == "POST" and tournament.role == Staff.Role.JUDGE:
        text = _(
            "Judges can drop players and issue penalties. Only a scorekeeper or an organizer can register players."
        )
        raise Forbidden(text)
    form = NamesForm(tournament, form_data(request))
    form.back = reverse("entries", args=[tournament.slug])
    if form.is_valid() and form.is_table:
        return roster_page(request, form.cleaned_data["names"].encode())
    if form.submit(services.add_entries, tournament, actor=request.user):
        count = len(form.fields_for_service()["names"])
        message = ngettext("%(count)s player added.", "%(count)s players added.", count) % {"count": count}
        response = report_success(request, message, to_session(form.back, form), undo=form.result)
        warn_of_waitlist(request, tournament)
        return response
    context = entries_context(request, tournament, form)
    template = "pasted_names.html" if form.asks else "entries.html"
    context |= {"understood": form.understood[:PAGE], "more_understood": max(len(form.understood) - PAGE, 0)}
    return render(request, f"tournament/entries/{template}", context, status=form.status)


@staff_view("POST", roles=DESK)
def selected_entries(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    fields = service_fields(request, SelectionForm(request.POST))
    codes, what = fields.pop("codes"), SELECTED[fields.pop("do")]
    if fields.pop("everyone", False):
        codes = _find(request, tournament, build_progress(tournament).facts).codes
    address = f"{reverse('entries', args=[tournament.slug])}?{request.GET.urlencode()}"
    if not codes:
        messages.error(request, _("No player was selected. Tick the boxes in the list first."))
        return see_other(address)
    action = what.service(tournament, codes, **fields)
    done = {change["fact"].removeprefix("entries/") for change in action.changes} if action else set()
    done &= set(codes)
    if done:
        words = what.words(len(done)) % {"count": len(done)}
        response = report_success(request, words, address, undo=action)
    else:
        response = see_other(address)
    if skipped := sorted(set(codes) - done):
        _warn_of_skipped(request, tournament, skipped, what.why)
    name_promoted(request, tournament, action)
    return response


def _warn_of_skipped(request: StaffRequest, tournament: Tournament, codes: list[str], why: Any) -> None:
    text = ngettext(
        "%(count)s player was left as is: %(names)s.",
        "%(count)s players were left as they are: %(names)s.",
        len(codes),
    )
    known = dict(tournament.entries.filter(code__in=codes).values_list("code", "name"))
    names = join_some([known.get(code, code) for code in codes], MOST_SKIPPED)
    messages.warning(request, f"{text % {'count': len(codes), 'names': names}} {why}")


def entries_context(request: StaffRequest, tournament: Tournament, form: NamesForm) -> dict[str, Any]:
    progress = build_progress(tournament)
    facts = progress.facts
    chosen = read_number(request, "session") if facts.flights else 0
    joining = late_entry_context(tournament, progress, form, chosen)
    stage, free = facts.stage, joining["free"]
    finished, judge = facts.state == Tournament.State.FINISHED, tournament.role == Staff.Role.JUDGE
    return {
        "progress": progress,
        "form": form,
        **joining,
        **_list_context(request, tournament, facts),
        "over": -free if free is not None and free < 0 else 0,
        "total": facts.playing,
        "begun": bool(facts.swiss),
        "pastes": form.is_bound or "add" in request.GET or not facts.playing,
        "chosen": chosen,
        "session": stage.number if stage and stage.is_swiss and stage.number > 1 else 0,
        "can_add": not (facts.seeds or finished or judge),
        "unconfirmed": _unconfirmed_last_names(tournament),
        "shared_numbers": services.shared_numbers(tournament)[:MOST_SKIPPED],
    }


def _unconfirmed_last_names(tournament: Tournament) -> int:
    if tournament.team or tournament.role == Staff.Role.JUDGE or not is_by_last_name(tournament):
        return 0
    rows = tournament.entries.filter(house=False, last_name="").exclude(status=Entry.Status.MERGED)
    return rows.count()


class Found(NamedTuple):
    """The players found, on all pages, and the waitlist in its order."""

    names: dict[str, str]  # of all, by code
    sessions: dict[str, int]
    codes: list[str]
    waiting: list[str]


def _find(request: StaffRequest, tournament: Tournament, facts: ProgressFacts) -> Found:
    words, chosen = read_words(request.GET), read_number(request, "session")
    names = load_names(tournament, merged=False)
    waitlist = tournament.entries.filter(waits__isnull=False).order_by("waits")
    waiting = list(waitlist.values_list("code", flat=True)) if facts.waiting else []
    sessions = {code: numbers[-1] for code, numbers in flights_by_entry(facts).items()}
    anyone = not (chosen and facts.flights)
    listed = {
        code: name
        for code, name in names.items()
        if code not in waiting and (anyone or sessions.get(code) == chosen)
    }
    codes = find_names(listed, words, load_members(tournament)) if words else sort_by_name(listed)
    return Found(names, sessions, codes, waiting)


def _list_context(request: StaffRequest, tournament: Tournament, facts: ProgressFacts) -> dict[str, Any]:
    names, sessions, codes, waiting = _find(request, tournament, facts)
    words = read_words(request.GET)
    page = Paginator(codes, FOUND if words else PAGE).get_page(request.GET.get("page"))
    shown = {entry.code: entry for entry in tournament.entries.filter(code__in=list(page.object_list))}
    here = [code for code in page.object_list if code in shown]
    form = SelectionForm.shown([(code, names[code]) for code in here], len(codes))
    selects = bool(here) and tournament.role != Staff.Role.JUDGE
    return {
        "words": words,
        "selection": form if selects else None,
        "page": page,
        "rows": [
            (
                shown[code],
                listed_name(names[code]),
                stage_name(sessions[code]) if code in sessions else "",
                box,
            )
            for code, box in zip(here, form["codes"] if selects else [None] * len(here), strict=True)
        ],
        "waiting": [(code, names[code]) for code in waiting],
    }


@staff_view("GET", "POST", roles=DESK)
def last_names(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    form = LastNamesForm(*_unconfirmed(request, tournament), form_data(request))
    if form.submit(services.confirm_last_names, tournament, actor=request.user):
        count = len(form.fields_for_service()["last_names"])
        text = ngettext("%(count)s last name confirmed.", "%(count)s last names confirmed.", count)
        left = form.left + len(form.people) - count
        return report_success(
            request, text % {"count": count}, "last-names" if left else "entries", tournament.slug
        )
    return render(request, "tournament/entries/last_names.html", {"form": form}, status=form.status)


def _unconfirmed(request: StaffRequest, tournament: Tournament) -> tuple[list[Entry], dict[str, str]]:
    rows = tournament.entries.filter(house=False).exclude(status=Entry.Status.MERGED).order_by("code")
    entries = [] if tournament.team else [e for e in rows if not is_confirmed(e.name, e.last_name)]
    earlier = (
        entries_run_by(request).exclude(tournament=tournament).exclude(last_name="").order_by("tournament_id")
    )
    names = {entry.name for entry in entries}
    known = earlier.filter(tournament__demo=tournament.demo).values_list("name", "last_name") if names else ()
    return entries, {name: last for name, last in known if name in names and is_confirmed(name, last)}
