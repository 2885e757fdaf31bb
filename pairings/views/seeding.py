"""The starting list: who is seeded where before round 1, and why."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pairings.question.field import seed_ranks
from tournament.access.fetch import DESK
from tournament.errors import Refused, WrongState
from tournament.event.read import event_of
from tournament.event.types import Event, Stage
from tournament.models import Tournament
from tournament.progress.next_step import Progress, progress_of
from tournament.services.seeding import LONGEST_REASON, clear_seeding, save_seeding
from tournament.text.display_names import distinct_names
from tournament.web.keyed_forms import KeyedForm, SessionField
from tournament.web.staff_pages import read_action, read_session, see_other, staff_view


class OrderForm(KeyedForm):
    """The order as it is on the page, and why it shall be that."""

    session = SessionField()
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=LONGEST_REASON,
        error_messages={"required": gettext_lazy("Enter a reason. It is recorded in the log.")},
    )


@staff_view("GET", "POST", roles=DESK)
def starting_list(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """GET: the order. POST: `up`, `down` or `move` show another one, `save` keeps what is shown."""
    if request.method != "POST":
        return _page(request, tournament)
    codes = request.POST.getlist("order")
    if not _means_save(request.POST):
        form = OrderForm(initial=_kept(request))
        return _page(request, tournament, moved(codes, request.POST), form)
    form = OrderForm(request.POST)
    if not form.is_valid():
        return _page(request, tournament, codes, form, status=422)
    data = form.cleaned_data
    try:
        about = {"actor": request.user, "key": data["key"], "reason": data["reason"]}
        save_seeding(tournament, codes, data["session"], **about)
    except Refused as error:
        form.add_error(None, str(error))
        return _page(request, tournament, codes, form, status=error.status)
    messages.success(request, _("The seeding is saved."))
    return _back(tournament, data["session"])


def _back(tournament: Tournament, session: int | None) -> HttpResponse:
    shown = f"?session={session}" if session else ""
    return see_other(reverse("starting-list", args=[tournament.slug]) + shown)


def _means_save(asked: Any) -> bool:
    """Enter in the reason presses the form's first button, "Move": without places it means the last one."""
    places = asked.get("from", "").strip() or asked.get("to", "").strip()
    return "save" in asked or ("move" in asked and not places and bool(asked.get("reason", "").strip()))


def _kept(request: HttpRequest) -> dict[str, str]:
    return {name: request.POST.get(name, "") for name in ("reason", "session")}


@staff_view("POST", roles=DESK)
def by_rating(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Back to the order by rating."""
    session = read_session(request)
    clear_seeding(tournament, session, **read_action(request))
    messages.success(request, _("The seeding follows ratings again."))
    return _back(tournament, session)


def moved(codes: list[str], asked: Any) -> list[str]:
    """The order after one step up or down, or after a move from one place to another; as it was for nonsense."""
    order = list(codes)
    for name, by in (("up", -1), ("down", 1)):
        if asked.get(name) in order:
            at = order.index(asked[name])
            order.insert(max(at + by, 0), order.pop(at))
            return order
    places = [asked.get(name, "").strip() for name in ("from", "to")]
    if all(text.isascii() and text.isdigit() and len(text) < 10 for text in places):
        there, to = map(int, places)
        if 1 <= there <= len(order) and 1 <= to <= len(order):
            order.insert(to - 1, order.pop(there - 1))
    return order


def _page(
    request: HttpRequest,
    tournament: Tournament,
    codes: list[str] | None = None,
    form: OrderForm | None = None,
    status: int = 200,
) -> HttpResponse:
    event = event_of(tournament)
    progress = progress_of(tournament)
    asked = request.POST.get("session") or request.GET.get("session") or ""
    stage, begun = _stage(event, progress, asked)
    names = distinct_names({code: entry.name for code, entry in event.entries.items()})
    now = _order(event, stage) if stage else []
    shown = codes if codes is not None and sorted(codes) == sorted(now) else now
    if codes is not None and shown is now and status == 200:
        raise WrongState(_("Someone joined or left while you were working. Check the list again."))
    context = {
        "tournament": tournament,
        "progress": progress,
        "session": stage.number if stage and progress.facts.flights else None,
        "rows": [(event.entries[code], names[code]) for code in shown],
        "by_hand": any(event.entries[code].seed_rank is not None for code in now),
        "unsaved": shown != now,
        "begun": begun,
        "form": form or OrderForm(),
    }
    return render(request, "pairings/starting.html", context, status=status)


def _stage(event: Event, progress: Progress, asked: str) -> tuple[Stage | None, bool]:
    """(the Swiss session that takes entries, or the last one; whether its order is fixed).

    Of sessions side by side the one `asked` for, or the first that has not begun.
    """
    swiss = [stage for stage in event.stages if stage.kind == "swiss"]
    if not swiss:
        return None, True
    if progress.facts.flights:
        numbers = {str(one.number): one.number for one in progress.facts.flights}
        usual = progress.facts.stage.number if progress.facts.stage else swiss[-1].number
        stage = event.stage(numbers.get(asked, usual))
        return stage, bool(event.rounds_of(stage.number))
    return swiss[-1], swiss[-1] is not event.stages[-1] or bool(event.rounds_of(swiss[-1].number))


def _order(event: Event, stage: Stage) -> list[str]:
    """Codes of those in the starting list, the best first."""
    ranks = seed_ranks(event, stage)
    here = [c for c in ranks if not event.entries[c].house and event.entries[c].status == "playing"]
    return sorted(here, key=lambda code: ranks[code])
