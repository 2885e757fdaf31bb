"""The event's home for staff: the progress, what is next, how it is run; its end and its reopening."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from tournament.access.fetch import DESK, OWNER
from tournament.event.profile import profile_of
from tournament.forms.announcements import AnnouncementForm
from tournament.history.describe import describe_actions
from tournament.models import Round, Staff, Tournament
from tournament.players.player_messages import player_messages_of
from tournament.progress.next_step import (
    NextStep,
    Progress,
    pairing_step,
    pairing_step_of_flight,
    progress_of,
    step_after_swiss,
)
from tournament.progress.schedule import schedule_of
from tournament.services.events import finish_tournament, reopen_tournament
from tournament.services.rounds import reopen_round
from tournament.services.undo import last_undoable_action
from tournament.services.waitlist import ON_WAITLIST
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import read_action, see_other, staff_view


@staff_view("GET")
def desk(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """How far the event is, and the one next step."""
    return render(request, "tournament/desk/desk.html", desk_context(tournament))


def desk_context(tournament: Tournament) -> dict[str, Any]:
    """What the event's home shows."""
    progress = progress_of(tournament)
    facts = progress.facts
    profile = profile_of(tournament)
    role = tournament.role
    swiss = not facts.seeds and facts.state != Tournament.State.FINISHED
    between = swiss and not facts.outstanding and role in DESK
    others = _others(progress) if between else []
    last = last_undoable_action(tournament)
    owner = role == Staff.Role.OWNER
    return {
        "tournament": tournament,
        "progress": progress,
        "player_messages": player_messages_of(tournament) if facts.open_messages else [],
        "waiting": tournament.entries.filter(ON_WAITLIST).count(),
        "profile": profile,
        "last": last,
        "last_told": describe_actions(tournament, [last])[0] if last else None,
        "schedule": schedule_of(tournament, facts),
        "others": [step for step in others if owner or step.who != "owner"],
        "can_plan": swiss and role in DESK,
        "can_reopen": [
            round_
            for round_ in ([one.last for one in facts.flights] if facts.flights else [facts.last])
            if owner and round_ and swiss and round_.state == "complete" and facts.state == "running"
        ],
        "announcement_form": AnnouncementForm(initial=AnnouncementForm.initial_of(tournament))
        if owner
        else None,
        "owner": owner,
    }


def _others(progress: Progress) -> list[NextStep]:
    """What else can be done while no table is outstanding: a further round, the cut or the end."""
    facts = progress.facts
    if facts.last is None:
        return []
    lasts = [one.last for one in facts.flights] if facts.flights else [facts.last]
    if any(last is not None and last.state == Round.State.DRAFT for last in lasts):
        return []
    shown = [each.next for each in progress.flights] or [progress.next]
    further = [pairing_step_of_flight(facts, one) for one in facts.flights if one.rounds] or [
        pairing_step(facts)
    ]
    return [
        step for step in (*further, step_after_swiss(facts)) if step not in shown and step != progress.next
    ]


@staff_view("POST", roles=OWNER)
def finish(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Finish the event."""
    finish_tournament(tournament, **read_action(request))
    messages.success(request, _("The event is finished."))
    return see_other(reverse("desk", args=[tournament.slug]))


@staff_view("POST", roles=OWNER)
def reopen(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Reopen a finished event."""
    reopen_tournament(tournament, **read_action(request))
    messages.success(request, _("The event is open again."))
    return see_other(reverse("desk", args=[tournament.slug]))


@staff_view("POST", roles=OWNER)
def reopen_last_round(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """Publish the last complete round again, to correct its results."""
    reopen_round(tournament, number, **read_action(request))
    messages.success(request, _("Round %(number)s is reopened for results.") % {"number": number})
    return see_other(reverse("desk-round", args=[tournament.slug, number]))
