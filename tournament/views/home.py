import datetime as dt
from collections.abc import Iterable
from typing import Any

from django.core.paginator import Paginator
from django.db.models import F, FilteredRelation, OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tournament.errors import Forbidden
from tournament.models import Action, Staff, Tournament
from tournament.progress.posted_rounds import load_rounds_now
from tournament.services.events import list_demo_events, remove_demo_events
from tournament.text import fold_name
from tournament.web.staff_pages import private_view, read_words, report_success

PAGE = 50
BRIEFLY = 10  # events of a list on the first page; all of them on their own pages
MOST = {"running": PAGE, "over": 4}
BRIEF = "slug name game venue state starts_at time_zone demo archived self_registration".split()
LATE = dt.timedelta(days=2)  # an event that never began is no longer upcoming
NOTHING_MINE = gettext_lazy("You have no events yet. Create one: a name and a game are enough.")
LISTS = {
    "running": (gettext_lazy("Running"), gettext_lazy("No events are running right now.")),
    "coming": (gettext_lazy("Upcoming"), gettext_lazy("No upcoming events.")),
    "over": (gettext_lazy("Past"), ""),
    "archive": (gettext_lazy("My archived events"), ""),
    "mine": (gettext_lazy("My events"), NOTHING_MINE),
}


def events_for(user: Any) -> QuerySet[Any]:
    """Return the events on this user's list, own ones first, with the user's `role_` or None."""
    staff = FilteredRelation("staff", condition=Q(staff__user=user.pk))
    events = Tournament.objects.annotate(mine=staff, role_=F("mine__role"), own=Q(mine__isnull=False))
    listed = Q(listed=True, archived=False) & ~Q(state=Tournament.State.DRAFT)
    return events.filter(listed | Q(own=True)).order_by("-own", "-starts_at", "-pk").only(*BRIEF)


def find_events(events: QuerySet[Any], words: str) -> list[int]:
    """Return keys, in order, of events with all these words in name, game and venue. Ignores case and accents."""
    wanted = fold_name(words).split()
    rows = events.values_list("pk", "name", "game", "venue")
    return [pk for pk, *texts in rows if all(word in fold_name(" ".join(texts)) for word in wanted)]


@private_view("GET")
def home(request: HttpRequest) -> HttpResponse:
    events = events_for(request.user)
    if words := read_words(request.GET):
        return _search(request, words, events)
    lists = _lists(events)
    if (show := request.GET.get("show", "")) in lists:
        page = Paginator(lists[show], PAGE).get_page(request.GET.get("page"))
        title, none = LISTS[show]
        found = {"title": title, "none": none, "page": page, "events": _rows(page)}
        return render(request, "tournament/home/list.html", found)
    signed_in = request.user.is_authenticated
    sections = [_section(name, lists[name]) for name in LISTS if name != "mine"]
    context = {
        "sections": [section for section in sections if section["events"] or section["none"]],
        "mine": signed_in and lists["mine"].exists(),
        "demo": signed_in and list_demo_events(request.user).exists(),
    }
    return render(request, "tournament/home/home.html", context)


def _lists(events: QuerySet[Any]) -> dict[str, QuerySet[Any]]:
    shown, late = events.filter(archived=False), timezone.now() - LATE
    begun = Q(state__in=(Tournament.State.RUNNING, Tournament.State.FINISHED))
    forgotten = ~begun & Q(starts_at__lt=late)
    changed = Action.objects.filter(tournament=OuterRef("pk")).order_by("-number").values("at")[:1]
    running = shown.filter(state=Tournament.State.RUNNING).annotate(changed=Subquery(changed))
    upcoming = shown.exclude(begun | Q(starts_at__isnull=False, starts_at__lt=late))
    return {
        # By latest change, because a two-day event started before others, and abandoned events never finish.
        "running": running.order_by("-own", F("changed").desc(nulls_last=True), "-pk"),
        "coming": upcoming.order_by("-own", F("starts_at").asc(nulls_last=True), "pk"),
        "over": shown.filter(Q(state=Tournament.State.FINISHED) | forgotten),
        "archive": events.filter(archived=True),
        "mine": shown.filter(own=True),
    }


def _section(name: str, events: QuerySet[Any]) -> dict[str, Any]:
    most = MOST.get(name, BRIEFLY)
    first = _rows(events[: most + 1])
    title, none = LISTS[name]
    more = len(first) > most
    return {"name": name, "title": title, "none": none, "events": first[:most], "more": more}


def _rows(events: Iterable[Any]) -> list[Any]:
    rows = list(events)
    running = [event.pk for event in rows if event.state == Tournament.State.RUNNING]
    now = load_rounds_now(running) if running else {}
    for event in rows:
        event.role = Staff.Role(event.role_).label if event.role_ else ""
        event.now = now.get(event.pk, [])
    return rows


def _search(request: HttpRequest, words: str, events: QuerySet[Any]) -> HttpResponse:
    keys = find_events(events, words)
    page = Paginator(keys, PAGE).get_page(request.GET.get("page"))
    rows = events.in_bulk(list(page.object_list))
    title = ngettext("%(n)s event with “%(q)s”", "%(n)s events with “%(q)s”", len(keys))
    context = {
        "title": title % {"n": len(keys), "q": words},
        "none": _(
            "No event with that name, game or venue. Try fewer letters. Unlisted events open only by their address."
        ),
        "words": words,
        "page": page,
        "events": _rows(rows[pk] for pk in page.object_list if pk in rows),
    }
    return render(request, "tournament/home/list.html", context)


@private_view("GET", "POST", signed_in=True)
def remove_demo(request: HttpRequest) -> HttpResponse:
    demos = list_demo_events(request.user).only(*BRIEF)
    if not demos and not request.user.is_superuser:
        raise Forbidden(_("Only the owner of the demo events can remove them."))
    if request.method == "POST":
        message = _("Removed: %(count)s demo events.") % {"count": remove_demo_events(request.user)}
        return report_success(request, message, "home")
    return render(request, "tournament/home/remove_demo.html", {"demos": demos})


@private_view("GET")
def help_(request: HttpRequest) -> HttpResponse:
    return render(request, "tournament/help.html")
