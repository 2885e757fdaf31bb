"""The first page: what is on, what is mine; a new event; the end of the demo events."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db.models import F, FilteredRelation, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_safe

from tournament.access import LoginNeeded
from tournament.errors import Forbidden, Refused
from tournament.forms.events import NewEventForm
from tournament.models import Staff, Tournament
from tournament.services.creating import create_tournament
from tournament.services.deleting import remove_demo_events
from tournament.views.staff import posted, see_other

MOST_LISTED = 50
BRIEF = ("slug", "name", "state", "starts_at", "time_zone", "demo")


@require_safe
@cache_control(private=True, no_cache=True)
def home(request: HttpRequest) -> HttpResponse:
    """What is on for everybody; for who is signed in, their own events first."""
    listed = Tournament.objects.filter(listed=True).exclude(state=Tournament.State.DRAFT).only(*BRIEF)
    mine = list(mine_of(request)) if request.user.is_authenticated else []
    context = {
        "mine": mine,
        "demo": any(event.demo for event in mine),
        "current": listed.exclude(state=Tournament.State.FINISHED)[:MOST_LISTED],
        "past": listed.filter(state=Tournament.State.FINISHED)[:MOST_LISTED],
    }
    return render(request, "tournament/home.html", context)


def mine_of(request: HttpRequest) -> QuerySet[Tournament]:
    """The events this person is on the staff of, the newest first."""
    me = FilteredRelation("staff", condition=Q(staff__user=request.user))
    mine = Tournament.objects.annotate(mine=me).filter(mine__isnull=False)
    return mine.annotate(role=F("mine__role")).only(*BRIEF)[:MOST_LISTED]


@require_http_methods(["GET", "HEAD", "POST"])
@cache_control(private=True, no_cache=True)
def new(request: HttpRequest) -> HttpResponse:
    """Create an event: its name and its ruleset are enough."""
    if not request.user.is_authenticated:
        raise LoginNeeded
    chosen = {"ruleset": request.GET["ruleset"]} if "ruleset" in request.GET else None
    form = NewEventForm(posted(request), initial=chosen)
    status = 422 if form.is_bound else 200
    if form.is_valid():
        try:
            return see_other(reverse("desk", args=[_create_once(request, form)]))
        except Refused as error:
            form.add_error(None, str(error))
            status = error.status
    return render(request, "tournament/new.html", {"form": form}, status=status)


def _create_once(request: HttpRequest, form: NewEventForm) -> str:
    """The address of the new event; of the one that is there where the same form comes twice."""
    key, fields = form.cleaned_data["key"], form.fields_for_service()
    made: dict[str, str] = request.session.get("made", {})
    if key in made and Tournament.objects.filter(slug=made[key]).exists():
        return made[key]
    event = create_tournament(fields.pop("name"), fields.pop("ruleset"), owner=request.user, **fields)
    if key:
        request.session["made"] = {**dict(list(made.items())[-9:]), key: event.slug}
    return event.slug


@require_http_methods(["GET", "HEAD", "POST"])
@cache_control(private=True, no_cache=True)
def remove_demo(request: HttpRequest) -> HttpResponse:
    """Take the demo events away, after a page that says what goes. For their staff only."""
    if not request.user.is_authenticated:
        raise LoginNeeded
    demos = Tournament.objects.filter(demo=True).only(*BRIEF)
    mine = Staff.objects.filter(user=request.user, role=Staff.Role.OWNER, tournament__demo=True)
    if not mine.exists() and not request.user.is_superuser:
        raise Forbidden(_("Only who owns the demo events can remove them."))
    if request.method == "POST":
        messages.success(request, _("Removed: %(count)s demo events.") % {"count": remove_demo_events()})
        return see_other(reverse("home"))
    context: dict[str, Any] = {"demos": demos}
    return render(request, "tournament/remove_demo.html", context)
