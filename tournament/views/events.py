import datetime as dt
from contextlib import suppress
from typing import Any, NamedTuple

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.access.permissions import OWNER
from tournament.actionlog.facts import TOURNAMENT
from tournament.archive.snapshots import list_snapshots
from tournament.errors import Conflict, NotFound, Refused
from tournament.event.formats import moment_words
from tournament.event.profile import ruleset_in_force
from tournament.event.read import load_event_values
from tournament.forms.event_settings import TOPICS, SettingsForm
from tournament.forms.events import ArchiveForm, DeleteForm, EventCopyForm, NewEventForm
from tournament.history.context import field_label, field_value_words
from tournament.models import Round, Staff, Tournament
from tournament.progress.next_step import ProgressFacts, build_progress
from tournament.progress.schedule import build_schedule, load_turnaround
from tournament.services import events as services
from tournament.services.event_settings import change_settings
from tournament.services.judging import list_player_messages
from tournament.views.home import events_for
from tournament.views.rounds import action_words
from tournament.web.keyed_forms import SureForm
from tournament.web.staff_pages import (
    StaffRequest,
    cleaned_fields,
    form_data,
    private_view,
    read_action,
    report_success,
    staff_view,
)

MOST_OFFERED = 5  # events to copy
WEEK = dt.timedelta(days=7)


@private_view("GET", "POST", signed_in=True)
def new(request: StaffRequest) -> HttpResponse:
    chosen = {"ruleset": request.GET["ruleset"]} if "ruleset" in request.GET else None
    form = NewEventForm(form_data(request), initial=chosen)
    if form.submit(services.create_tournament, owner=request.user):
        return event_created(request, form.result)
    context = {"form": form, "earlier": _earlier(request.user)}
    return render(request, "tournament/events/new.html", context, status=form.status)


def _earlier(user: Any) -> list[Tournament]:
    mine = events_for(user).filter(role_=Staff.Role.OWNER).order_by("-starts_at", "-pk")
    newest: dict[str, Tournament] = {}
    for event in mine[: 10 * MOST_OFFERED]:
        newest.setdefault(event.name, event)
    return list(newest.values())[:MOST_OFFERED]


def event_created(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    minutes = tournament.round_minutes
    values = {"name": tournament.name, "ruleset": ruleset_in_force(tournament)["name"], "minutes": minutes}
    if minutes:
        text = _(
            "%(name)s is set up with the %(ruleset)s rules and rounds of %(minutes)s minutes. Add your players."
        )
    else:
        text = _("%(name)s is set up with the %(ruleset)s rules. Add your players.")
    return report_success(request, text % values, "entries", tournament.slug)


@staff_view("GET", "POST", roles=OWNER)
def copy(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    others = tournament.staff.exclude(user=request.user)
    staff = list(others.select_related("user").order_by("role", "user__username"))
    start = tournament.starts_at and timezone.localtime(tournament.starts_at)
    initial = {"name": tournament.name, "starts_at": same_time_later(start, timezone.now())}
    form = EventCopyForm(form_data(request), staff=staff, initial=initial)
    if form.submit(services.copy_event, tournament, owner=request.user):
        return event_created(request, form.result)
    return render(request, "tournament/events/copy.html", {"form": form}, status=form.status)


def same_time_later(start: dt.datetime | None, now: dt.datetime) -> dt.datetime | None:
    """Move `start` by whole weeks until it is after `now`. Its local time of day stays, across daylight saving time."""
    while start and start <= now:
        start += max((now - start) // WEEK, 1) * WEEK
    return start


@staff_view("GET", "POST", roles=OWNER)
def archive(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    form = ArchiveForm(form_data(request))
    if form.submit(services.archive_event, tournament, actor=request.user):
        text = _("%(name)s is archived.") if tournament.archived else _("%(name)s is back in the lists.")
        return report_success(request, text % {"name": tournament.name}, "event-settings", tournament.slug)
    question = _("Take %(name)s out of the archive?") if tournament.archived else _("Archive %(name)s?")
    context = {"form": form, "question": question % {"name": tournament.name}}
    return render(request, "tournament/events/archive.html", context, status=form.status)


@staff_view("GET", "POST", roles=OWNER)
def delete(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    filled_in = {"name": tournament.name} if tournament.demo else None  # a demo event goes in one step
    form = DeleteForm(form_data(request), event=tournament, initial=filled_in)
    if form.is_valid():
        try:
            with suppress(NotFound):  # the same form, sent twice at once, has deleted it
                services.delete_event(tournament, form.cleaned_data["name"], actor=request.user)
            return report_success(request, _("%(name)s is deleted.") % {"name": tournament.name}, "home")
        except Refused as error:
            form.add_error("name", str(error))
            form.refusal = error
    context = {
        "progress": build_progress(tournament),
        "form": form,
        "rounds": tournament.rounds.exclude(state=Round.State.DRAFT).count(),
    }
    return render(request, "tournament/events/delete.html", context, status=form.status)


@staff_view("GET", "POST", roles=OWNER)
def settings(request: StaffRequest, tournament: Tournament, topic: str = "") -> HttpResponse:
    """Show every topic with its value, and the form of one. POST saves only that topic's fields."""
    progress = build_progress(tournament)
    form: SettingsForm | None = None
    conflict: Conflict | None = None
    if topic in TOPICS:
        about: dict[str, Any] = {"topic": topic, "tournament": tournament, "players": progress.facts.players}
        form = SettingsForm(form_data(request), **about)
        if form.submit(change_settings, tournament, actor=request.user):
            words = action_words(tournament, form.result) or _("Nothing was changed.")
            return report_success(request, words, "settings-topic", tournament.slug, topic, undo=form.result)
        if isinstance(form.refusal, Conflict):
            tournament.refresh_from_db()
            conflict = form.refusal
            form = SettingsForm(**about)
    context = {
        "progress": progress,
        "topic": topic,
        "form": form,
        "sections": _sections(tournament, progress.facts),
        "schedule": build_schedule(tournament, progress.facts, load_turnaround(tournament, progress.facts)),
        "conflict": conflict,
        "rows": _conflict_rows(conflict) if conflict else [],
    }
    status = conflict.status if conflict else form.status if form else 200
    return render(request, "tournament/events/settings.html", context, status=status)


class Topic(NamedTuple):
    """A line of the settings, with its value in words. `page`: the URL name of its own page, if it has one."""

    key: str
    title: str
    value: str
    page: str = ""


def _sections(tournament: Tournament, facts: ProgressFacts) -> list[tuple[str, list[Topic]]]:
    profile = ruleset_in_force(tournament)
    start = tournament.starts_at and timezone.localtime(tournament.starts_at)
    rounds = ngettext("%(n)s Swiss round", "%(n)s Swiss rounds", facts.rounds) % {"n": facts.rounds}
    minutes = tournament.round_minutes
    vary = tournament.vary_tables
    if vary is None:
        vary = not profile["pairing"].get("boards_in_order")
    prizes, members = len(tournament.prizes), tournament.staff.count()
    return [
        (_("Event"), [
            Topic("place", _("Name and place"), _listed(
                tournament.name, tournament.venue, moment_words(start, "yMMMEd"))),
            Topic("rounds", _("Rounds, time and cut"), _listed(
                rounds, minutes and _("%(n)s minutes") % {"n": minutes},
                _("then the top %(size)s") % {"size": facts.cut} if facts.cut else _("no cut"))),
            Topic("rules", _("Ruleset"), _listed(
                profile["name"], _("changed") if tournament.overrides else _("unchanged")), "desk-rules"),
            Topic("tables", _("Tables"), _listed(
                tournament.table_plan or _("numbered from 1"),
                _("a different table each round") if vary else _("in score order"))),
            Topic("prizes", _("Prizes"), ngettext("%(n)s line", "%(n)s lines", prizes) % {"n": prizes}
                  if prizes else _("none yet"), "desk-prizes"),
        ]),
        (_("People"), [
            Topic("staff", _("Staff"), ngettext("%(n)s person", "%(n)s people", members) % {"n": members}, "staff"),
            Topic("judges", _("What judges may do"), _("everything at a table, and enter results")
                  if tournament.judge_results else _("everything at a table, but no results")),
            Topic("phones", _("Reports by phone"), tournament.get_reporting_display()),
            Topic("decklists", _("Decklists"), _("not collected")
                  if tournament.decklist_rule == Tournament.DecklistRule.OFF
                  else tournament.get_decklist_rule_display()),
            Topic("public", _("Public pages"), _listed(
                tournament.get_name_privacy_display(),
                _("on the home page") if tournament.listed else _("not listed"),
                tournament.hold_standings and _("standings hidden"))),
        ]),
        (_("Keep and finish"), [
            Topic("snapshots", _("Snapshots"), _("%(n)s saved") % {"n": len(list_snapshots(tournament))}, "snapshots"),
            Topic("copy", _("Use again"), _("copy this event"), "copy-event"),
            Topic("end", _("Finish, archive, delete"), _listed(
                tournament.state_in_words, tournament.archived and _("archived"))),
        ]),
    ]  # fmt: skip


def _listed(*parts: Any) -> str:
    return ", ".join(str(part) for part in parts if part)


def _conflict_rows(conflict: Conflict) -> list[dict[str, str]]:
    def words(name: str, value: Any) -> str:
        return field_value_words(TOURNAMENT, name, value, timezone.get_current_timezone())

    return [
        {"what": field_label(TOURNAMENT, name)}
        | {side: words(name, row[side]) for side in ("theirs", "yours")}
        for row in conflict.rows()
        if (name := row["what"])
    ]


@staff_view("GET", "POST", roles=OWNER)
def finish(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Show the effect of finishing. POST finishes; it first asks if player messages are open or prizes are set."""
    running = tournament.state == Tournament.State.RUNNING
    messages = list_player_messages(tournament)
    if request.method == "POST":
        action, sure = read_action(request), cleaned_fields(SureForm(request.POST))["sure"]
        if sure or not running or not (tournament.prizes or messages):
            services.finish_tournament(tournament, **action)
            return report_success(request, _("The event is finished."), "desk", tournament.slug)
    event = load_event_values(tournament, paired=False)
    outstanding = [
        (round_.number, sum(match.b is not None and match.result is None for match in round_.matches))
        for round_ in event.rounds
        if round_.status != "draft"
    ]
    context = {
        "event": event,
        "progress": build_progress(tournament),
        "player_messages": messages,
        "outstanding": [(number, count) for number, count in outstanding if count],
        "drafts": [round_.number for round_ in event.rounds if round_.status == "draft"],
    }
    return render(request, "tournament/events/finish.html", context)
