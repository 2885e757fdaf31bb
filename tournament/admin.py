"""The admin: read-only lists of the main tables, because saving would bypass lock and log.

Every row links to the page that corrects it. Only superusers see events other than demos.
"""

from collections.abc import Callable
from functools import reduce
from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from tournament import models
from tournament.models import Tournament
from tournament.results.slip import games_words
from tournament.views.log import log_address
from tournament.views.rounds import round_address

Address = Callable[[models.Tournament, Any], str]


def page(name: str) -> Address:
    return lambda event, row: reverse(name, args=[event.slug])


def entry_page(event: models.Tournament, row: Any) -> str:
    entry = row if isinstance(row, models.Entry) else row.entry
    return reverse("entry", args=[event.slug, entry.code])


def decklist_page(event: models.Tournament, row: models.Decklist) -> str:
    return reverse("decklist", args=[event.slug, row.entry.code])


def round_page(event: models.Tournament, row: models.Round) -> str:
    return round_address(event, row.number)


def match_page(event: models.Tournament, match: models.Match) -> str:
    round_, seat = match.round, sort_seats(match)[0]
    if round_.state == models.Round.State.DRAFT:
        return round_address(event, round_.number)
    if match.table is None and round_.swiss:
        return reverse("correct-bye", args=[event.slug, round_.number, seat.entry.code])
    if match.table is None:
        return entry_page(event, seat)
    if match.result is not None:
        return reverse("correct", args=[event.slug, round_.number, match.table])
    if round_.swiss:
        return round_address(event, round_.number, match.table)
    return f"{reverse('desk-bracket', args=[event.slug])}#match-{round_.number}-{match.table}"


def action_page(event: models.Tournament, row: models.Action) -> str:
    return log_address(event, row.number)


def list_admin_tools(row: models.Tournament | models.Entry) -> list[tuple[str, Any]]:
    """Return (URL, label) for actions on an event or a player. Closing registration is listed only while it is open."""
    if isinstance(row, models.Entry):
        if row.house or row.status == models.Entry.Status.MERGED:
            return []
        address = [row.tournament.slug, row.code]
        return [
            (reverse("merge-entry", args=address), _("Merge…")),
            (reverse("anonymize", args=address), _("Anonymize…")),
        ]
    archive = _("Take out of the archive…") if row.archived else _("Archive…")
    tools = [(page("archive-event")(row, row), archive)]
    if row.self_registration and row.state == models.Tournament.State.OPEN:
        tools.insert(0, (page("registration")(row, row), _("Close registration…")))
    return tools


def sort_seats(match: models.Match) -> list[models.Seat]:
    return sorted(match.seats.all(), key=lambda seat: seat.side)


MOST_EVENTS = 50  # to choose from; a search finds the others


def row_link(text: Any, row: Model) -> SafeString:
    address = reverse(f"admin:tournament_{row._meta.model_name}_change", args=[row.pk])
    return format_html('<a href="{}">{}</a>', address, text)


class Columns(admin.ModelAdmin):
    """Read-only rows, each with a link to `address`, which corrects it. No action bars: they need inline styles."""

    actions = None
    show_full_result_count = False
    list_per_page = 100
    address: Address = staticmethod(page("log"))
    event_path: str | None = "tournament"  # query path to the event; "" for itself, None for none
    prefetched: tuple[str, ...] = ()  # what columns show of other rows, where there are many

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    has_change_permission = has_delete_permission = has_add_permission

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.event_path is not None or super().has_view_permission(request, obj)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return True  # of an account that may open the admin at all

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request).defer(*self.exclude or ()).prefetch_related(*self.prefetched)
        if self.event_path is None or request.user.is_superuser:
            return rows
        return rows.filter(**{self.path_to("demo"): True})

    def get_list_display(self, request: HttpRequest) -> Any:
        return self.list_display if self.event_path is None else (*self.list_display, "correct")

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        return [name for name in self.get_list_display(request) if name in ("tools", "correct")]

    def get_list_select_related(self, request: HttpRequest) -> Any:
        relations = {field.name for field in self.model._meta.fields if field.is_relation}
        columns = ["entry" if name == "player" else name for name in self.list_display]
        return [*(relations & {*columns}), *filter(None, [self.event_path])]

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        if lookup.partition("__")[0] in ("seed", *(self.exclude or ())) or lookup.endswith("regex"):
            return False
        return super().lookup_allowed(lookup, value, request)

    def path_to(self, column: str) -> str:
        return f"{self.event_path}__{column}" if self.event_path else column

    def event_of(self, row: Any) -> Tournament:
        event: Tournament = reduce(getattr, self.event_path.split("__") if self.event_path else [], row)
        return event

    @admin.display(description=_("event"))
    def event(self, row: Any) -> SafeString:
        event = self.event_of(row)
        return row_link(event.name, event)

    @admin.display(description=_("at the desk"))
    def correct(self, row: Any) -> SafeString:
        return format_html('<a href="{}">{}</a>', self.address(self.event_of(row), row), _("Correct…"))

    @admin.display(description=_("housekeeping"))
    def tools(self, row: models.Tournament | models.Entry) -> SafeString:
        return format_html_join(" · ", '<a href="{}">{}</a>', list_admin_tools(row))

    @admin.display(description=_("player"), ordering="entry__name")
    def player(self, row: Any) -> SafeString:
        return row_link(row.entry.name, row.entry)

    @admin.display(description=_("players"))
    def players(self, match: models.Match) -> SafeString:
        links = ((row_link(seat.entry.name, seat.entry),) for seat in sort_seats(match))
        return format_html_join(" – ", "{}", links)

    @admin.display(description=_("round"))
    def at_round(self, match: models.Match) -> SafeString:
        return row_link(match.round.number, match.round)

    @admin.display(description=_("result"), ordering="result")
    def outcome(self, match: models.Match) -> str:
        seats = sort_seats(match)
        if match.result != "played":
            return match.get_result_display() or "–"
        return games_words((seats[0].games or 0, seats[-1].games or 0, match.drawn or 0))


class EventFilter(admin.SimpleListFilter):
    title = _("event")
    parameter_name = "event"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        self.path = model_admin.path_to("slug")
        events = Tournament.objects.order_by("-pk")
        if not request.user.is_superuser:
            events = events.filter(demo=True)
        rows = events.values_list("slug", "name")[:MOST_EVENTS]
        return [(slug, f"{name} · {slug}") for slug, name in rows]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(**{self.path: self.value()}) if self.value() else queryset


def show(model: type[Model], columns: str, search: str = "", filters: str = "", **options: Any) -> None:
    of_event = [EventFilter] if options.get("event_path", "tournament") else []
    if "address" in options:
        options["address"] = staticmethod(options["address"])
    admin.site.register(
        model,
        Columns,
        list_display=columns.split(),
        search_fields=search.split(),
        list_filter=[*of_event, *filters.split()],
        **options,
    )


EVENT = "tournament__name"
PLAYER = f"entry__name =entry__code {EVENT}"
show(
    models.Tournament,
    "name state starts_at tools",
    "name slug game venue owner__username",
    "state archived demo",
    event_path="",
    address=page("event-settings"),
)
show(
    models.Entry,
    "name code event status tools",
    f"name alias =code external_id contact {EVENT}",
    "status",
    address=entry_page,
)
show(models.Round, "number event stage state published_at", f"=number {EVENT}", "state", address=round_page)
show(
    models.Match,
    "__str__ event at_round players outcome",
    f"seats__entry__name =seats__entry__code round__{EVENT}",
    "result",
    prefetched=("seats__entry",),
    ordering=("-round__tournament", "-round__number", "table"),
    event_path="round__tournament",
    address=match_page,
)
show(
    models.Penalty,
    "number event round player kind reason judge",
    f"{PLAYER} reason judge",
    "kind",
    address=entry_page,
)
show(models.DeckCheck, "number event round player judge starts_at ends_at", PLAYER, address=entry_page)
show(
    models.Decklist,
    "number event player at version late main sideboard actor",
    PLAYER,
    "late",
    exclude=("text",),  # private until an organizer releases it
    address=decklist_page,
)
show(
    models.Flag,
    "number event kind player round at done",
    PLAYER,
    "kind done",
    address=page("player-messages"),
)
show(models.Stage, "number event kind carries ends_at", EVENT, address=page("stages"))
show(
    models.Action,
    "number event at actor kind reason undoes",
    f"=number actor kind reason {EVENT}",
    "kind",
    address=action_page,
)
show(models.Staff, "user event role", f"user__username {EVENT}", "role", address=page("staff"))
show(
    models.Invite,
    "role event by at expires_at uses_left",
    f"by__username {EVENT}",
    "role",
    address=page("staff"),
)
show(models.Ruleset, "name key owner copied_from revision", "name key owner__username", event_path=None)
show(models.RulesetVersion, "name key version published_at note", "name key", event_path=None)
