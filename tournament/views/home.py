"""The home page: running, upcoming and past events, one's own first, and a search; removing the demo events."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_safe

from tournament.access.fetch import LoginNeeded
from tournament.errors import Forbidden
from tournament.forms.search import EventSearchForm
from tournament.models import Staff, Tournament
from tournament.services.event_deletion import remove_demo_events
from tournament.views import event_search
from tournament.web.staff_pages import see_other

BRIEFLY = 10  # events of a list on the first page; all of them on pages of their own
PAGE = 50
NOTHING_MINE = gettext_lazy("You have no events yet. Create one: a name and a game are enough.")
LISTS = {
    "mine": (gettext_lazy("My events"), NOTHING_MINE),
    "running": (gettext_lazy("Running"), gettext_lazy("No events are running right now.")),
    "coming": (gettext_lazy("Upcoming"), gettext_lazy("No upcoming events.")),
    "over": (gettext_lazy("Past"), ""),
}


@require_safe
@cache_control(private=True, no_cache=True)
def home(request: HttpRequest) -> HttpResponse:
    """The lists of events, one's own first. `?q=` searches, `?show=` opens one list in full."""
    search = EventSearchForm(request.GET, action=reverse("home"))
    if search.words:
        return _search(request, search)
    lists = _lists(request)
    if (show := request.GET.get("show", "")) in lists:
        page = Paginator(lists[show], PAGE).get_page(request.GET.get("page"))
        title, none = LISTS[show]
        context = {"title": title, "none": none, "page": page, "search": search, "desk": show == "mine"}
        return render(request, "tournament/home/list.html", context)
    sections = [_section(name, events) for name, events in lists.items()]
    context = {
        "sections": [section for section in sections if section["events"] or section["none"]],
        "search": search,
        "demo": _owns_demo(request),
    }
    return render(request, "tournament/home/home.html", context)


def _lists(request: HttpRequest) -> dict[str, QuerySet[Any]]:
    now = timezone.now()
    mine = {"mine": event_search.own_events(request.user)} if request.user.is_authenticated else {}
    others = {
        "running": event_search.running_events(),
        "coming": event_search.upcoming_events(now),
        "over": event_search.past_events(now),
    }
    return {**mine, **others}


def _section(name: str, events: QuerySet[Any]) -> dict[str, Any]:
    """The beginning of a list; `more`: whether it goes on."""
    first = list(events[: BRIEFLY + 1])
    title, none = LISTS[name]
    return {
        "name": name,
        "title": title,
        "none": none,
        "events": first[:BRIEFLY],
        "more": len(first) > BRIEFLY,
        "desk": name == "mine",
    }


def _search(request: HttpRequest, search: EventSearchForm) -> HttpResponse:
    """Listed events and one's own, by name, game and venue."""
    words = search.words
    found = event_search.find_events(event_search.listed_events(), words)
    own: set[int] = set()
    if request.user.is_authenticated:
        mine = event_search.find_events(event_search.own_events(request.user), words)
        own = set(mine)
        found = [*mine, *(pk for pk in found if pk not in own)]
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    rows = Tournament.objects.only(*event_search.BRIEF).in_bulk(list(page.object_list))
    events = [rows[pk] for pk in page.object_list if pk in rows]
    context = {"q": words, "search": search, "page": page, "events": events, "own": own, "count": len(found)}
    return render(request, "tournament/home/search.html", context)


def _owns_demo(request: HttpRequest) -> bool:
    """Whether there are demo events this person may remove."""
    if not request.user.is_authenticated:
        return False
    owned = Staff.objects.filter(user=request.user, role=Staff.Role.OWNER, tournament__demo=True)
    return owned.exists()


@require_http_methods(["GET", "HEAD", "POST"])
@cache_control(private=True, no_cache=True)
def remove_demo(request: HttpRequest) -> HttpResponse:
    """Delete the demo events, after a page that lists them. Only for their owner."""
    if not request.user.is_authenticated:
        raise LoginNeeded
    if not _owns_demo(request) and not request.user.is_superuser:
        raise Forbidden(_("Only the owner of the demo events can remove them."))
    if request.method == "POST":
        messages.success(request, _("Removed: %(count)s demo events.") % {"count": remove_demo_events()})
        return see_other(reverse("home"))
    context: dict[str, Any] = {"demos": Tournament.objects.filter(demo=True).only(*event_search.BRIEF)}
    return render(request, "tournament/home/remove_demo.html", context)
