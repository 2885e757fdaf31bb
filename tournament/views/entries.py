"""Who plays: the list, a pasted list, one entry and what can be done with it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tournament.access.fetch import STAFF
from tournament.errors import Forbidden, NotFound, Refused
from tournament.event.profile import profile_of
from tournament.forms.entries import EntryForm, NameForm, NamesForm, PersonForm, WhyForm, entry_forms
from tournament.forms.self_service import PlayerLinkForm
from tournament.models import Action, Entry, Seat, Staff, Tournament
from tournament.progress.facts import flights_by_entry
from tournament.progress.flights import stage_name
from tournament.progress.next_step import progress_of
from tournament.results.wording import late_entry_words
from tournament.services.capacity import free_spots, has_begun
from tournament.services.drops import disqualify_entry, drop_entry, reinstate_entry
from tournament.services.entries import (
    add_entries,
    admit_entry,
    change_entry,
    change_personal_fields,
    entry_of,
    remove_entry,
    rename_entry,
)
from tournament.services.stages import add_re_entry, move_entry, sessions_to_enter
from tournament.text.display_names import distinct_names, find_names, names_of, sort_by_name
from tournament.web.keyed_forms import KeyedForm
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import (
    first_error,
    form_data,
    read_action,
    read_number,
    read_session,
    see_other,
    staff_view,
)

PAGE, FOUND = 200, 25  # lines on a page; of a search, which more letters narrow and which answers at once


@staff_view("GET", "POST", roles=STAFF)
def entries(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """GET: everybody, by name, to be searched. POST: register the pasted names."""
    form = NamesForm(form_data(request))
    status = 422 if form.is_bound else 200
    if form.is_valid():
        try:
            return _register(request, tournament, form)
        except Refused as error:
            form.add_error(None, str(error))
            status = error.status
    return render(
        request, "tournament/entries/entries.html", entries_context(request, tournament, form), status=status
    )


def _register(request: StaffRequest, tournament: Tournament, form: NamesForm) -> HttpResponse:
    if tournament.role == Staff.Role.JUDGE:
        raise Forbidden(
            _(
                "Judges can drop players and issue penalties. Only a scorekeeper or an organizer can register players."
            )
        )
    data = form.cleaned_data
    about = {"actor": request.user, "key": data["key"], "reason": data["reason"]}
    add_entries(tournament, data["names"], stage=data["session"], **about)
    count = len(data["names"])
    messages.success(
        request, ngettext("%(count)s player added.", "%(count)s players added.", count) % {"count": count}
    )
    shown = f"?session={data['session']}" if data["session"] else ""
    return see_other(reverse("entries", args=[tournament.slug]) + shown)


def entries_context(request: StaffRequest, tournament: Tournament, form: NamesForm) -> dict[str, Any]:
    """The list, as it was searched for."""
    progress = progress_of(tournament)
    rows = list(tournament.entries.order_by("code").values_list("code", "name", "waits"))
    names = distinct_names({code: name for code, name, _waits in rows})
    waiting = [code for waits, code in sorted((w, c) for c, _name, w in rows if w is not None)]
    others = {code: name for code, name in names.items() if code not in set(waiting)}
    chosen = read_number(request, "session") if progress.facts.flights else 0
    inside = {code: numbers[-1] for code, numbers in flights_by_entry(progress.facts).items()}
    if chosen:
        others = {code: name for code, name in others.items() if inside.get(code) == chosen}
    words = request.GET.get("q", "")[:80].replace("\x00", "")
    codes = find_names(others, words) if words.strip() else sort_by_name(others)
    page = Paginator(codes, FOUND if words.strip() else PAGE).get_page(request.GET.get("page"))
    shown = {entry.code: entry for entry in tournament.entries.filter(code__in=list(page.object_list))}
    for code, row in shown.items():
        row.inside = stage_name(inside[code]) if code in inside else ""  # type: ignore[attr-defined]
    free = free_spots(tournament)
    last = progress.facts.stage  # new entries join it
    return {
        "tournament": tournament,
        "progress": progress,
        "form": form,
        "page": page,
        "rows": [(shown[code], names[code]) for code in page.object_list if code in shown],
        "waiting": [(code, names[code]) for code in waiting],
        "free": free,
        "over": -free if free is not None and free < 0 else 0,
        "q": words,
        "total": progress.facts.players,
        "late": 0 if progress.facts.flights else progress.facts.missed_rounds,
        "missed_as": late_entry_words(profile_of(tournament)),
        "chosen": chosen,
        "session": last.number if last and last.is_swiss and last.number > 1 else 0,
        "can_add": not progress.facts.seeds
        and not (last and last.carries)  # nobody joins a day that carries points on
        and progress.facts.state != Tournament.State.FINISHED
        and tournament.role != Staff.Role.JUDGE,
    }


@staff_view("GET")
def entry(request: StaffRequest, tournament: Tournament, code: str) -> HttpResponse:
    """One entry, and everything that can be done with it."""
    return render(
        request, "tournament/entries/entry.html", entry_context(tournament, entry_of(tournament, code))
    )


def entry_context(tournament: Tournament, row: Entry, **bound: KeyedForm) -> dict[str, Any]:
    """The entry's page, with a refused form in place of its fresh one."""
    progress = progress_of(tournament)
    seated = Seat.objects.filter(entry=row).exists()
    return {
        "tournament": tournament,
        "entry": row,
        "shown": names_of(tournament)[row.code],
        "progress": progress,
        "inside": [stage_name(number) for number in flights_by_entry(progress.facts, row).get(row.code, [])],
        "again": sessions_to_enter(row),
        "can_move": bool(progress.facts.flights) and row.status == "playing" and not (row.house or seated),
        "missed": 0 if row.stage_entries.exists() else progress.facts.missed_rounds,
        "seated": seated,
        "members": tournament.staff.order_by("user__username").values_list("user__username", flat=True),
        "forms": {**entry_forms(row), **bound},
        "link_form": None if tournament.role == Staff.Role.JUDGE else PlayerLinkForm(),
        "judge": tournament.role == Staff.Role.JUDGE,
    }


FORMS: dict[str, type[KeyedForm]] = {
    "name": NameForm,
    "person": PersonForm,
    "pairing": EntryForm,
    "disqualify": WhyForm,
}


@staff_view("POST", roles=STAFF)
def change(request: StaffRequest, tournament: Tournament, code: str, what: str) -> HttpResponse:
    """Do one thing with an entry: name, pairing, drop, reinstate, move, enter again, remove …"""
    if what not in DONE:
        raise NotFound(_("That is not something you can do with a player."))
    if tournament.role == Staff.Role.JUDGE and what != "drop":
        raise Forbidden(_("Judges can only drop players. Ask a scorekeeper or an organizer for the rest."))
    row = entry_of(tournament, code)
    form = FORMS[what](request.POST) if what in FORMS else None
    if form is not None and not form.is_valid():
        return _again(request, tournament, row, what, form, first_error(form), 422)
    try:
        action = _do(request, tournament, code, what, form)
    except Refused as error:
        return _again(request, tournament, row, what, form, str(error), error.status)
    done = (
        DONE[what] if row.stage_entries.exists() and has_begun(tournament) else UNPLAYED.get(what, DONE[what])
    )
    messages.success(request, str(done) % {"name": row.name} if action else _("Nothing to change."))
    target = "entries" if what == "remove" else "entry"
    args = [tournament.slug] if what == "remove" else [tournament.slug, code]
    return see_other(reverse(target, args=args))


DONE = {
    "name": gettext_lazy("The player is now called %(name)s."),
    "person": gettext_lazy("%(name)s: saved."),
    "pairing": gettext_lazy("%(name)s: saved."),
    "admit": gettext_lazy("%(name)s is playing."),
    "move": gettext_lazy("%(name)s plays in the other session."),
    "paid": gettext_lazy("%(name)s: marked as paid."),
    "unpaid": gettext_lazy("%(name)s: marked as not paid."),
    "drop": gettext_lazy(
        "%(name)s dropped and will not be paired again. A match already paired still has to be played."
    ),
    "reinstate": gettext_lazy(
        "%(name)s is reinstated and plays from the next round on. Missed rounds count as losses."
    ),
    "disqualify": gettext_lazy("%(name)s is disqualified."),
    "again": gettext_lazy("%(name)s is in the new session, as a new entry; the earlier one is withdrawn."),
    "remove": gettext_lazy("%(name)s was removed."),
}

UNPLAYED = {  # the same for a player who has not played yet: no open match, no lost rounds
    "drop": gettext_lazy("%(name)s dropped before round 1: not paired and not in the standings."),
    "reinstate": gettext_lazy("%(name)s is playing."),
}


INTO = {"reinstate": reinstate_entry, "admit": admit_entry, "again": add_re_entry, "move": move_entry}


def _do(
    request: StaffRequest, tournament: Tournament, code: str, what: str, form: KeyedForm | None
) -> Action | None:
    if form is not None:
        about: dict[str, Any] = {"actor": request.user, "key": form.cleaned_data["key"]}
        fields = form.fields_for_service()
        if what == "name":
            return rename_entry(tournament, code, fields["name"], **about)
        if what == "person":
            return change_personal_fields(tournament, code, **fields, **about)
        if what == "disqualify":
            return disqualify_entry(tournament, code, fields["why"], **about)
        current = entry_of(tournament, code)
        changed = {name: value for name, value in fields.items() if getattr(current, name) != value}
        return change_entry(tournament, code, **changed, **about) if changed else None
    if what in ("paid", "unpaid"):
        return change_entry(tournament, code, paid=what == "paid", **read_action(request))
    if what in INTO:
        return INTO[what](tournament, code, stage=read_session(request), **read_action(request))
    return {"drop": drop_entry, "remove": remove_entry}[what](tournament, code, **read_action(request))


def _again(
    request: StaffRequest,
    tournament: Tournament,
    row: Entry,
    what: str,
    form: KeyedForm | None,
    message: str,
    status: int,
) -> HttpResponse:
    """The entry's page with what was filled in and why it was refused."""
    if form is not None and not form.errors:
        form.add_error(None, message)
    context = entry_context(tournament, row, **({what: form} if form is not None else {}))
    return render(request, "tournament/entries/entry.html", {**context, "message": message}, status=status)
