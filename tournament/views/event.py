"""The event's home for staff: the road, what is next, how it is run; its end and its reopening."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from tournament.access import DESK, OWNER
from tournament.flagged import flags_of
from tournament.forms.announcing import AnnounceForm
from tournament.models import Staff, Tournament
from tournament.plan import plan_of
from tournament.reading import profile_of
from tournament.road import after_swiss, pair_next, road_of
from tournament.services.places import WAITS
from tournament.services.rounds import finish_tournament, reopen_round, reopen_tournament
from tournament.services.undoing import undoable
from tournament.telling import told
from tournament.views.staff import see_other, sent, staff_view


@staff_view("GET")
def desk(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Where the event is, and the one next thing to do."""
    return render(request, "tournament/event_desk.html", desk_context(tournament))


def desk_context(tournament: Tournament) -> dict[str, Any]:
    """What the event's home shows."""
    road = road_of(tournament)
    facts = road.facts
    profile = profile_of(tournament)
    role = tournament.role  # type: ignore[attr-defined]
    over = facts.seeds or facts.out or facts.state == "finished"
    between = facts.last is not None and facts.last.state != "draft" and not over and role in DESK
    steps = [pair_next(facts), after_swiss(facts)] if between else []
    last = undoable(tournament)
    owner = role == Staff.Role.OWNER
    return {
        "tournament": tournament,
        "road": road,
        "flags": flags_of(tournament) if facts.flags else [],
        "waiting": tournament.entries.filter(WAITS).count(),
        "profile": profile,
        "last": last,
        "last_told": told(tournament, [last])[0] if last else None,
        "plan": plan_of(tournament, facts),
        "between": bool(steps),
        "others": [step for step in steps if step != road.next and (owner or step.who != "owner")],
        "can_reopen_round": owner
        and facts.last is not None
        and not facts.seeds
        and facts.last.state == "complete"
        and facts.state == "running",
        "announce_form": AnnounceForm(initial=AnnounceForm.initial_of(tournament)) if owner else None,
        "owner": owner,
    }


@staff_view("POST", roles=OWNER)
def finish(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """The end of the event."""
    finish_tournament(tournament, **sent(request))
    messages.success(request, _("The event is finished."))
    return see_other(reverse("desk", args=[tournament.slug]))


@staff_view("POST", roles=OWNER)
def reopen(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Go on with a finished event."""
    reopen_tournament(tournament, **sent(request))
    messages.success(request, _("The event is open again."))
    return see_other(reverse("desk", args=[tournament.slug]))


@staff_view("POST", roles=OWNER)
def reopen_last_round(request: HttpRequest, tournament: Tournament, number: int) -> HttpResponse:
    """Publish the last complete round again, to correct its results."""
    reopen_round(tournament, number, **sent(request))
    messages.success(request, _("Round %(number)s takes results again.") % {"number": number})
    return see_other(reverse("desk-round", args=[tournament.slug, number]))
