"""The home page: running, upcoming and past events, one's own first, and a search; removing the demo events."""

import datetime as dt
from typing import Any

from django.core.paginator import Paginator
from django.db.models import F, FilteredRelation, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.errors import Forbidden
from tournament.forms.search import EventSearchForm
from tournament.models import Tournament
from tournament.services.event_deletion import demo_events_of, remove_demo_events
from tournament.text.clean import fold_name
from tournament.web.staff_pages import private_view, report_success

BRIEFLY = 10  # events of a list on the first page; all of them on pages of their own
PAGE = 50
BRIEF = (
    "slug",
    "name",
    "game",
    "venue",
    "state",
    "starts_at",
    "time_zone",
    "demo",
    "archived",
    "self_registration",
)
LATE = dt.timedelta(days=2)  # an event that never began is no longer upcoming
NOTHING_MINE = gettext_lazy("You have no events yet. Create one: a name and a game are enough.")
LISTS = {
    "mine": (gettext_lazy("My events"), NOTHING_MINE),
    "running": (gettext_lazy("Running"), gettext_lazy("No events are running right now.")),
    "coming": (gettext_lazy("Upcoming"), gettext_lazy("No upcoming events.")),
    "over": (gettext_lazy("Past"), ""),
    "archive": (gettext_lazy("My archived events"), ""),
}


OWN = ("mine", "archive")  # of the account that is signed in; these lead to the desk


def listed_events() -> QuerySet[Tournament]:
    """The events that are listed on the home page."""
    events = Tournament.objects.filter(listed=True, archived=False)
    return events.exclude(state=Tournament.State.DRAFT).only(*BRIEF)


def own_events(user: Any) -> QuerySet[Any]:
    """Events whose staff this user is on, those that are not finished first."""
    mine = Tournament.objects.annotate(mine=FilteredRelation("staff", condition=Q(staff__user=user)))
    ended = Q(state=Tournament.State.FINISHED)
    events = mine.filter(mine__isnull=False).annotate(ended=ended)
    return events.order_by("ended", "-starts_at", "-pk").only(*BRIEF)


def find_events(events: QuerySet[Any], words: str) -> list[int]:
    """Primary keys of the events in whose name, game and venue all these words occur, in the order of `events`.

    Case and accents do not matter. Compared here, as each database folds letters in its own way.
    """
    wanted = fold_name(words).split()
    rows = events.values_list("pk", "name", "game", "venue")
    return [pk for pk, *texts in rows if all(word in fold_name(" ".join(texts)) for word in wanted)]


@private_view("GET")
def home(request: HttpRequest) -> HttpResponse:
    """The lists of events, one's own first. `?q=` searches, `?show=` opens one list in full."""
    search = EventSearchForm(request.GET, action=reverse("home"))
    if search.words:
        return _search(request, search)
    lists = _lists(request.user)
    if (show := request.GET.get("show", "")) in lists:
        page = Paginator(lists[show], PAGE).get_page(request.GET.get("page"))
        title, none = LISTS[show]
        context = {"title": title, "none": none, "page": page, "search": search, "desk": show in OWN}
        return render(request, "tournament/home/list.html", context)
    sections = [_section(name, events) for name, events in lists.items()]
    context = {
        "sections": [section for section in sections if section["events"] or section["none"]],
        "search": search,
        "demo": request.user.is_authenticated and demo_events_of(request.user).exists(),
    }
    return render(request, "tournament/home/home.html", context)


def _lists(user: Any) -> dict[str, QuerySet[Any]]:
    """The lists of events by name, one's own first. An event that never began is at last a past one.

    One's own archived events come last.
    """
    listed, late = listed_events(), timezone.now() - LATE
    forgotten = Q(state=Tournament.State.OPEN, starts_at__lt=late)
    upcoming = listed.filter(state=Tournament.State.OPEN).exclude(starts_at__lt=late)
    own = own_events(user) if user.is_authenticated else Tournament.objects.none()
    lists = {
        "mine": own.filter(archived=False),
        "running": listed.filter(state=Tournament.State.RUNNING),
        "coming": upcoming.order_by(F("starts_at").asc(nulls_last=True), "pk"),
        "over": listed.filter(Q(state=Tournament.State.FINISHED) | forgotten),
        "archive": own.filter(archived=True),
    }
    return {name: events for name, events in lists.items() if user.is_authenticated or name not in OWN}


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
        "desk": name in OWN,
    }


def _search(request: HttpRequest, search: EventSearchForm) -> HttpResponse:
    """Listed events and one's own, by name, game and venue."""
    words = search.words
    keys = find_events(listed_events(), words)
    own: set[int] = set()
    if request.user.is_authenticated:
        mine = find_events(own_events(request.user), words)
        own = set(mine)
        keys = [*mine, *(pk for pk in keys if pk not in own)]
    page = Paginator(keys, PAGE).get_page(request.GET.get("page"))
    rows = Tournament.objects.only(*BRIEF).in_bulk(list(page.object_list))
    events = [rows[pk] for pk in page.object_list if pk in rows]
    context = {"q": words, "search": search, "page": page, "events": events, "own": own, "count": len(keys)}
    return render(request, "tournament/home/search.html", context)


@private_view("GET", "POST", signed_in=True)
def remove_demo(request: HttpRequest) -> HttpResponse:
    """Delete one's own demo events and rehearsals, after a page that lists them."""
    demos = demo_events_of(request.user).only(*BRIEF)
    if not demos and not request.user.is_superuser:
        raise Forbidden(_("Only the owner of the demo events can remove them."))
    if request.method == "POST":
        message = _("Removed: %(count)s demo events.") % {"count": remove_demo_events(request.user)}
        return report_success(request, message, "home")
    return render(request, "tournament/home/remove_demo.html", {"demos": demos})
