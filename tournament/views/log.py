"""The log, undo, and snapshots to restore."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from tournament import archive
from tournament.access.permissions import DESK, OWNER
from tournament.actionlog.fold import Change
from tournament.archive.snapshots import BY_HAND, Snapshot, list_snapshots, read_snapshot, write_snapshot
from tournament.errors import Conflict, NeedsConfirmation, NotFound, Refused, WrongState
from tournament.forms.events import RestoreForm
from tournament.forms.results import UndoForm
from tournament.history.describe import DescribedAction, describe_changes, describe_undo
from tournament.history.events import occasion_words, snapshot_problem_words
from tournament.history.public_corrections import correction_addresses
from tournament.models import Action, Round, Tournament
from tournament.results.desk_sheet import load_desk_sheet
from tournament.services import undo
from tournament.services.corrections import CORRECTION
from tournament.services.snapshots import belongs_to_log, changes_by_restoring, restore_as_new, restore_over
from tournament.services.undo import can_unpublish, find_published_round, undone_numbers
from tournament.views.exports import saved_as
from tournament.views.rounds import action_words, changed_parts, round_address
from tournament.web.staff_pages import (
    StaffRequest,
    cleaned_fields,
    confirmation,
    form_data,
    read_action,
    read_number,
    report_success,
    safe_next,
    staff_view,
)

PAGE = 50


def log_address(tournament: Tournament, number: int) -> str:
    return f"{reverse('log', args=[tournament.slug])}?action={number}#action-{number}"


@staff_view("GET")
def log(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    return _log_page(request, tournament)


def _log_page(
    request: StaffRequest, tournament: Tournament, refusal: Refused | None = None, correction: str = ""
) -> HttpResponse:
    first = tournament.actions.order_by("number").values_list("number", flat=True).first() or 1
    numbers = range(tournament.revision, first - 1, -1)  # without gaps: nothing needs to be counted
    number = request.GET.get("page")
    if not number and (action := read_number(request, "action")):
        number = str((tournament.revision - action) // PAGE + 1)
    page = Paginator(numbers, PAGE).get_page(number)
    rows = tournament.actions.filter(number__in=page.object_list).order_by("-number")
    context = {
        "page": page,
        "groups": _group_by_round(tournament, describe_undo(tournament, rows)),
        "action": read_number(request, "action"),
        "message": refusal,
        "correction": correction,
    }
    return render(request, "tournament/log/log.html", context, status=refusal.status if refusal else 200)


def _group_by_round(tournament: Tournament, actions: Iterable[DescribedAction]) -> list[dict[str, Any]]:
    """Return the actions since each publication of a round, newest first; only in the last round `undo` is offered."""
    rounds = tournament.rounds.order_by("-published_at", "-number").values_list("number", "published_at")
    posted = [(number, at) for number, at in rounds if at]

    def round_at(action: DescribedAction) -> int:
        return next((number for number, at in posted if at <= action.at), 0)

    newest = posted[0][0] if posted else 0
    return [
        {"number": number, "actions": list(group), "undo": number == newest}
        for number, group in groupby(actions, key=round_at)
    ]


@staff_view("POST", roles=DESK)
def undo_action(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    data = cleaned_fields(UndoForm(request.POST))
    done = tournament.actions.filter(number=data["number"]).first()
    number = find_published_round(done) if done and not data["sure"] else None
    if number and can_unpublish(tournament, number):
        context = {"number": number, "action": done, "round": data["round"]}
        template = "_unpublish.html" if request.htmx else "unpublish.html"
        return render(request, f"tournament/log/{template}", context)
    try:
        sent = {"actor": request.user, "key": data["key"], **confirmation(request)}
        action = undo.undo_as_staff(tournament, data["number"], **sent)
    except NeedsConfirmation:
        raise
    except Refused as error:
        tournament.refresh_from_db()
        correction = _find_correction_page(tournament, done, error)
        if not request.htmx:
            return _log_page(request, tournament, error, correction)
        if not (round_ := _open_round(tournament, data["round"])):
            raise
        context = changed_parts(tournament, load_desk_sheet(tournament, round_.number), seen=data["seen"])
        context |= {"message": error, "correction": correction}
        return render(request, "tournament/results/_line_refused.html", context, status=error.status)
    tournament.refresh_from_db()
    sentence = action_words(tournament, action) or _("Already undone.")
    round_ = _open_round(tournament, data["round"])
    if round_ is None:
        place = (safe_next(request),) if request.POST.get("next") else _place_after(tournament, done)
        return report_success(request, sentence, *place)
    if not request.htmx:
        return report_success(request, sentence, round_address(tournament, round_.number))
    context = changed_parts(tournament, load_desk_sheet(tournament, round_.number), seen=data["seen"])
    return render(request, "tournament/results/_line_saved.html", {**context, "sentence": sentence})


def _find_correction_page(tournament: Tournament, action: Action | None, refusal: Refused) -> str:
    """Return the page that corrects an action that cannot be undone because of later ones; "" in other cases."""
    if action is None or not isinstance(refusal, WrongState):
        return ""
    if action.number in undone_numbers(tournament, action.number):
        return ""
    return correction_addresses(tournament, [action]).get(action.number, "")


def _place_after(tournament: Tournament, done: Action | None) -> tuple[Any, ...]:
    """Return the page to show after an undo: the bracket, the repair of a round it affects, or the desk."""
    if done and done.kind == "settings":
        return "event-settings", tournament.slug
    keys = [change["fact"].split("/") for change in done.changes] if done else []
    changed = {int(key[1]) for key in keys if key[0] == "rounds" and len(key) == 4}
    if changed and tournament.rounds.filter(number__in=changed, swiss=False).exists():
        return "desk-bracket", tournament.slug
    if not done or done.kind != CORRECTION:
        return "desk", tournament.slug
    stages = tournament.stages.filter(Q(rounds__number__in=changed) | Q(carries=True)) if changed else ()
    rounds = tournament.rounds.filter(swiss=True, state=Round.State.PUBLISHED, stage__in=stages)
    if playing := rounds.filter(number__gte=min(changed, default=0), matches__result=None).first():
        return "repair", tournament.slug, playing.number
    return "desk", tournament.slug


def _open_round(tournament: Tournament, number: int | None) -> Round | None:
    return tournament.rounds.exclude(state=Round.State.COMPLETE).filter(number=number or 0).first()


@staff_view("GET", "POST", roles=OWNER)
def snapshots(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    if request.method == "POST":
        try:
            write_snapshot(tournament, tournament.revision, BY_HAND)
        except OSError as error:
            raise Refused(snapshot_problem_words(), status=503) from error
        return report_success(request, _("The snapshot is taken."), "snapshots", tournament.slug)
    rows = [(one, occasion_words(tournament, one.occasion)) for one in list_snapshots(tournament)]
    return render(request, "tournament/snapshots/snapshots.html", {"rows": rows})


@staff_view("GET", "POST", roles=OWNER)
def snapshot(request: StaffRequest, tournament: Tournament, name: str) -> HttpResponse:
    chosen = _snapshot_named(tournament, name)
    words = occasion_words(tournament, chosen.occasion)
    form = RestoreForm(form_data(request), occasion=words, initial={"seen": tournament.revision})
    try:
        if form.submit(restore_over, tournament, chosen, actor=request.user):
            message = _("The event is as it was at: %(occasion)s. One undo takes this back.")
            return report_success(request, message % {"occasion": words}, "desk", tournament.slug)
    except OSError as error:
        raise Refused(snapshot_problem_words(), status=503) from error
    if isinstance(form.refusal, Conflict):
        tournament.refresh_from_db()
        form.show_again(tournament.revision)
    context: dict[str, Any] = {"snapshot": chosen, "words": words, "form": form}
    if belongs_to_log(tournament, chosen):
        context |= {"ours": True, **_difference(tournament, changes_by_restoring(tournament, chosen))}
    return render(request, "tournament/snapshots/snapshot.html", context, status=form.status)


def _difference(tournament: Tournament, changes: Sequence[Change]) -> dict[str, Any]:
    gone = {
        change["fact"]: 0
        for change in changes
        if change["after"] is None and change["fact"].startswith("rounds/") and change["fact"].count("/") == 1
    }
    others = []
    for change in changes:
        round_ = "/".join(change["fact"].split("/")[:2])
        if round_ not in gone:
            others.append(change)
        elif "/tables/" in change["fact"] and (change["before"] or {}).get("result"):
            gone[round_] += 1
    sentences, details = describe_changes(tournament, others)
    rounds = [(int(key.split("/")[1]), results) for key, results in gone.items()]
    return {"rounds": sorted(rounds), "sentences": sentences, "details": details, "same": not changes}


@staff_view("POST", roles=OWNER)
def restore_new(request: StaffRequest, tournament: Tournament, name: str) -> HttpResponse:
    chosen = _snapshot_named(tournament, name)
    key = read_action(request)["key"]
    restored = restore_as_new(tournament, chosen, owner=request.user, key=key)
    message = _("%(name)s is a new event. It is not listed; add its staff yourself.")
    return report_success(request, message % {"name": restored.name}, "desk", restored.slug)


@staff_view("GET", roles=OWNER)
def download(request: StaffRequest, tournament: Tournament, name: str) -> HttpResponse:
    event = read_snapshot(tournament, _snapshot_named(tournament, name))
    text = archive.canonical(event, with_seed=True)
    return saved_as(f"{tournament.slug}-{name}.json", text, "application/json")


def _snapshot_named(tournament: Tournament, name: str) -> Snapshot:
    for one in list_snapshots(tournament):
        if one.name == name:
            return one
    raise NotFound(_("There is no such snapshot. The oldest go when there are more than 50."))
