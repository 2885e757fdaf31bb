from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from tournament import archive
from tournament.access.fetch import OWNER
from tournament.actionlog.fold import Change
from tournament.archive.snapshots import BY_HAND, Snapshot, read_snapshot, snapshots_of, write_snapshot
from tournament.errors import Conflict, NotFound, Refused
from tournament.forms.events import RestoreForm
from tournament.history.describe import describe_changes
from tournament.history.snapshots import occasion_words, snapshot_problem_words
from tournament.models import Tournament
from tournament.services.snapshots import changes_by_restoring, is_of_this_log, restore_as_new, restore_over
from tournament.views.exports import saved_as
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import form_data, read_action, report_success, staff_view


@staff_view("GET", "POST", roles=OWNER)
def snapshots(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    if request.method == "POST":
        try:
            write_snapshot(tournament, tournament.revision, BY_HAND)
        except OSError as error:
            raise Refused(snapshot_problem_words(), status=503) from error
        return report_success(request, _("The snapshot is taken."), "snapshots", tournament.slug)
    rows = [(one, occasion_words(tournament, one.occasion)) for one in snapshots_of(tournament)]
    context = {"tournament": tournament, "rows": rows}
    return render(request, "tournament/snapshots/snapshots.html", context)


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
    context: dict[str, Any] = {"tournament": tournament, "snapshot": chosen, "words": words, "form": form}
    if is_of_this_log(tournament, chosen):
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
    for one in snapshots_of(tournament):
        if one.name == name:
            return one
    raise NotFound(_("There is no such snapshot. The oldest go when there are more than 50."))
