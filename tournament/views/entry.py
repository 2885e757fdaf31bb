"""One entry: its page, and everything that can be done with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.access.fetch import DESK, STAFF
from tournament.errors import Forbidden, NotFound, Refused
from tournament.forms.entries import (
    DisqualifyForm,
    EntryForm,
    JoinForm,
    NameForm,
    PersonForm,
    StaffAccountForm,
    entry_forms,
)
from tournament.forms.self_service import PlayerLinkForm
from tournament.models import Action, Entry, Seat, Staff, Tournament
from tournament.progress.facts import ProgressFacts, flights_by_entry
from tournament.progress.flights import stage_name
from tournament.progress.next_step import progress_of
from tournament.services.drops import disqualify_entry, drop_entry, reinstate_entry
from tournament.services.entries import (
    admit_entry,
    change_entry,
    change_personal_fields,
    entry_of,
    remove_entry,
    rename_entry,
)
from tournament.services.re_entries import add_re_entry, stages_to_re_enter
from tournament.services.staff import link_entry
from tournament.services.stages import move_entry
from tournament.services.waitlist import has_begun
from tournament.text.display_names import names_of
from tournament.web.keyed_forms import KeyedForm
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import first_error, read_action, read_session, see_other, staff_view

Change = Callable[..., Action | None]


@staff_view("GET")
def entry(request: StaffRequest, tournament: Tournament, code: str) -> HttpResponse:
    """One entry, and everything that can be done with it."""
    context = entry_context(tournament, entry_of(tournament, code))
    return render(request, "tournament/entries/entry.html", context)


def entry_context(tournament: Tournament, row: Entry, **bound: KeyedForm) -> dict[str, Any]:
    """The entry's page; a `bound` form, refused, takes the place of its fresh one."""
    progress = progress_of(tournament)
    facts = progress.facts
    numbers = flights_by_entry(facts, row).get(row.code, [])
    seated = Seat.objects.filter(entry=row).exists()
    judge = tournament.role == Staff.Role.JUDGE
    members = tournament.staff.order_by("user__username").values_list("user__username", flat=True)
    account = {"username": row.user.get_username() if row.user else ""}
    movable = bool(facts.flights) and row.status == Entry.Status.PLAYING and not (row.house or seated)
    return {
        "tournament": tournament,
        "entry": row,
        "shown": names_of(tournament)[row.code],
        "progress": progress,
        "sessions": [stage_name(number) for number in numbers],
        "again": stages_to_re_enter(row),
        "seated": seated,
        "begun": has_begun(tournament),
        "join_form": None if judge else _join_form(row, facts, bool(numbers)),
        "move_form": _move_form(facts) if movable and not judge else None,
        "forms": {**entry_forms(row), **bound},
        "link_form": None if judge else PlayerLinkForm(),
        "account_form": StaffAccountForm(initial=account, members=members),
        "judge": judge,
    }


def _join_form(row: Entry, facts: ProgressFacts, in_flight: bool) -> JoinForm | None:
    """The button that lets a player in (again): None while the player is in."""
    if row.status == Entry.Status.WAITLISTED:
        form = JoinForm("admit")
    elif row.status in (Entry.Status.DROPPED, Entry.Status.DISQUALIFIED):
        form = JoinForm("reinstate")
    else:
        return None
    if not in_flight and (facts.flights or not row.stage_entries.exists()):
        form.offer(facts)
    return form


def _move_form(facts: ProgressFacts) -> JoinForm:
    form = JoinForm("move")
    form.offer(facts)
    return form


@staff_view("POST", roles=STAFF)
def change(request: StaffRequest, tournament: Tournament, code: str, what: str) -> HttpResponse:
    """Do one thing with an entry: rename it, drop it, move it …"""
    if what not in DONE:
        raise NotFound(_("That is not something you can do with a player."))
    if tournament.role == Staff.Role.JUDGE and what != "drop":
        raise Forbidden(_("Judges can only drop players. Ask a scorekeeper or an organizer for the rest."))
    row = entry_of(tournament, code)
    form = FORMS[what][0](request.POST) if what in FORMS else None
    if form is not None and not form.is_valid():
        return _refused(request, tournament, row, what, form, first_error(form), 422)
    try:
        action = _change(request, tournament, row, what, form)
    except Refused as error:
        return _refused(request, tournament, row, what, form, str(error), error.status)
    played = row.stage_entries.exists() and has_begun(tournament)
    done = DONE[what] if played else UNPLAYED.get(what, DONE[what])
    messages.success(request, str(done) % {"name": row.name} if action else _("Nothing to change."))
    if what == "remove":
        return see_other(reverse("entries", args=[tournament.slug]))
    return see_other(reverse("entry", args=[tournament.slug, code]))


def _change(
    request: StaffRequest, tournament: Tournament, row: Entry, what: str, form: KeyedForm | None
) -> Action | None:
    """Do it: with a form's fields, where they differ from what is saved, or as the button says."""
    if form is not None:
        fields = form.fields_for_service()
        if what == "pairing":
            fields = {name: value for name, value in fields.items() if getattr(row, name) != value}
        about = {"actor": request.user, "key": form.cleaned_data["key"]}
        return FORMS[what][1](tournament, row.code, **fields, **about) if fields else None
    about = read_action(request)
    if what in ("paid", "unpaid"):
        return change_entry(tournament, row.code, paid=what == "paid", **about)
    if what in ("drop", "remove"):
        return BUTTONS[what](tournament, row.code, **about)
    return BUTTONS[what](tournament, row.code, stage=read_session(request), **about)


def _refused(
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


FORMS: dict[str, tuple[type[KeyedForm], Change]] = {
    "name": (NameForm, rename_entry),
    "person": (PersonForm, change_personal_fields),
    "pairing": (EntryForm, change_entry),
    "disqualify": (DisqualifyForm, disqualify_entry),
}
BUTTONS: dict[str, Change] = {
    "drop": drop_entry,
    "remove": remove_entry,
    "reinstate": reinstate_entry,
    "admit": admit_entry,
    "again": add_re_entry,
    "move": move_entry,
}
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
UNPLAYED = {  # before round 1 there is no match to play and no round to lose
    "drop": gettext_lazy("%(name)s is withdrawn before round 1: not paired and not in the standings."),
    "reinstate": gettext_lazy("%(name)s is playing."),
}


@staff_view("POST", roles=DESK)
def change_account(request: StaffRequest, tournament: Tournament, code: str) -> HttpResponse:
    """Say which member of the staff a player is."""
    row = entry_of(tournament, code)
    members = tournament.staff.values_list("user__username", flat=True)
    form = StaffAccountForm(request.POST, members=members)
    if not form.is_valid():
        raise Refused(first_error(form))
    data = form.cleaned_data
    link_entry(tournament, row.code, data["username"], actor=request.user, key=data["key"])
    messages.success(request, _("Saved."))
    return see_other(reverse("entry", args=[tournament.slug, row.code]))
