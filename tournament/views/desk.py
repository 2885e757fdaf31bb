"""The event's home for staff: progress, next step, end, announcement, messages from players."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.access.permissions import DESK, OWNER, STAFF
from tournament.archive.snapshots import is_snapshot_missing
from tournament.event.formats import moment_words
from tournament.event.rounds import find_round, round_name
from tournament.forms.clock import AnnouncementForm
from tournament.history.describe import describe_newest_changes
from tournament.history.events import snapshot_problem_words
from tournament.models import Entry, Round, Staff, Tournament
from tournament.progress.next_step import NextStep, Progress, build_progress, pairing_step, step_after_swiss
from tournament.progress.schedule import build_schedule, load_turnaround, minute_version, plan_day
from tournament.services.event_settings import change_announcement
from tournament.services.events import reopen_tournament
from tournament.services.judging import list_open_calls, list_player_messages
from tournament.services.rounds import reopen_round
from tournament.services.self_service import settle_message
from tournament.web.staff_pages import StaffRequest, form_data, read_action, report_success, staff_view

MOST_DROPS = 8


@staff_view("GET")
def desk(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    return render(request, "tournament/desk/desk.html", desk_context(tournament))


@staff_view("GET")
def now(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    if request.GET.get("v") == minute_version(tournament):
        return HttpResponse(status=204)
    return render(request, "tournament/desk/_now.html", desk_context(tournament))


def desk_context(tournament: Tournament) -> dict[str, Any]:
    moment = timezone.now()
    progress = build_progress(tournament)
    facts = progress.facts
    turnaround = load_turnaround(tournament, facts)
    schedule = build_schedule(tournament, facts, turnaround)
    role = tournament.role
    swiss = not facts.seeds and facts.state != Tournament.State.FINISHED
    between = swiss and not facts.outstanding and role in DESK
    others = _others(progress) if between else []
    owner = role == Staff.Role.OWNER
    # Dropped after the open round: to be checked before the next is paired.
    last_round = tournament.entries.filter(
        status=Entry.Status.DROPPED, dropped_after=turnaround and turnaround.number
    ).order_by("name", "code")
    return {
        "now": moment,
        "mark": minute_version(tournament),
        "progress": progress,
        "player_messages": list_player_messages(tournament) if facts.open_messages else [],
        "turnaround": turnaround,
        "day": plan_day(facts, schedule) if schedule else [],
        "drops": list(last_round[:MOST_DROPS]) if turnaround else [],
        "changes": describe_newest_changes(tournament),
        "calls": list_open_calls(tournament, moment) if facts.open_calls else [],
        "others": [step for step in others if owner or step.who != "owner"],
        "can_plan": swiss and role in DESK,
        "can_reopen": [
            round_
            for round_ in facts.last_rounds
            if owner and swiss and round_.state == "complete" and facts.state == "running"
        ],
        "announcement_form": AnnouncementForm(tournament) if owner else None,
        "owner": owner,
        "snapshot_problem": snapshot_problem_words() if is_snapshot_missing(tournament) else "",
    }


def _others(progress: Progress) -> list[NextStep]:
    facts = progress.facts
    if facts.last is None:
        return []
    if any(last.state == Round.State.DRAFT for last in facts.last_rounds):
        return []
    shown = [each.next for each in progress.flights] or [progress.next]
    further = [pairing_step(facts, one) for one in facts.flights if one.rounds] or [pairing_step(facts)]
    return [
        step for step in (*further, step_after_swiss(facts)) if step not in shown and step != progress.next
    ]


@staff_view("POST", roles=OWNER)
def reopen(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    reopen_tournament(tournament, **read_action(request))
    return report_success(request, _("The event is open again."), "desk", tournament.slug)


@staff_view("POST", roles=OWNER)
def reopen_last_round(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    reopen_round(tournament, number, **read_action(request))
    name = round_name(find_round(tournament, number)).phrase
    message = _("The results of %(round)s can be changed again.") % {"round": name}
    return report_success(request, message, "desk-round", tournament.slug, number)


@staff_view("GET", "POST", roles=OWNER)
def announcement(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    form = AnnouncementForm(tournament, form_data(request))
    if form.submit(change_announcement, tournament, actor=request.user):
        return report_success(request, _announcement_words(tournament), "desk", tournament.slug)
    context = {**desk_context(tournament), "announcement_form": form}
    return render(request, "tournament/desk/desk.html", context, status=form.status)


def _announcement_words(tournament: Tournament) -> str:
    if not tournament.notice or tournament.announcement_until is None:
        return _("No announcement is shown.")
    until = timezone.localtime(tournament.announcement_until)
    shown = f"{until:%H:%M}" if until.date() == timezone.localdate() else moment_words(until, "yMMMd")
    return _("Announced to everyone until %(until)s.") % {"until": shown}


@staff_view("GET", roles=STAFF)
def player_messages(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    context = {
        "calls": list_open_calls(tournament, timezone.now()),
        "player_messages": list_player_messages(tournament),
        "done": list_player_messages(tournament, done=True),
    }
    return render(request, "tournament/player_messages/player_messages.html", context)


@staff_view("POST", roles=STAFF)
def message_done(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    settle_message(tournament, number, **read_action(request))
    message = _("Message %(number)s is done.") % {"number": number}
    return report_success(request, message, "player-messages", tournament.slug)
