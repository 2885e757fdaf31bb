"""The admin shows the tables and changes nothing: a save there would read before it locks, and skip the log.

Corrections are made at the desk; every row links to it.
"""

from functools import reduce
from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from tournament import models
from tournament.results.wording import games_words


class ReadOnly(admin.ModelAdmin):
    """Rows to look at, each with a link to where it is corrected. No action bars: they need an inline style."""

    actions = None
    actions_on_top = False
    actions_on_bottom = False
    show_full_result_count = False
    list_per_page = 100
    event_path: str | None = "tournament"  # from a row to its event; "" for the event itself, None for none
    page: tuple[str, ...] = (
        "log",
    )  # an address at the desk: its name, and the paths to what it names besides

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    has_change_permission = has_delete_permission = has_add_permission

    def get_list_display(self, request: HttpRequest) -> Any:
        return (*self.list_display, "correct") if self.event_path is not None else self.list_display

    def get_list_select_related(self, request: HttpRequest) -> Any:
        relations = {field.name for field in self.model._meta.fields if field.is_relation}
        columns = [name for name in self.list_display if name in relations]
        return (*columns, self.event_path) if self.event_path else columns

    @admin.display(description=_("at the desk"))
    def correct(self, row: Any) -> SafeString:
        """A link to where the row can be corrected: its page, else the log, where each action can be undone."""
        name, *paths = self.page
        values = [value_at(row, path) for path in paths]
        if not all(values):
            name, values = "log", []  # a match without a table
        address = reverse(name, args=[value_at(row, self.event_path or "").slug, *values])
        return format_html('<a href="{}">{}</a>', address, _("Correct…"))


def value_at(row: Any, path: str) -> Any:
    """What a path such as "round__number" leads to; the row itself where it is empty."""
    return reduce(getattr, path.split("__") if path else [], row)


def show(model: type[Model], columns: str, **options: Any) -> None:
    """List a model in the admin with these columns."""
    admin.site.register(model, ReadOnly, list_display=tuple(columns.split()), **options)


show(
    models.Tournament,
    "name slug state owner starts_at revision",
    list_filter=("state", "demo"),
    search_fields=("name", "slug"),
    event_path="",
    page=("desk",),
)
show(
    models.Entry,
    "name code tournament status dropped_after",
    list_filter=("status",),
    search_fields=("name", "code"),
    page=("entry", "code"),
)
show(
    models.Round,
    "number tournament stage state published_at",
    list_filter=("state",),
    page=("desk-round", "number"),
)


@admin.register(models.Match)
class Matches(ReadOnly):
    """Matches by event, round and table, with who plays and how it ended."""

    list_display = ("event", "number", "table", "players", "outcome")
    list_filter = ("round__tournament", "result")
    list_select_related = ("round__tournament",)
    search_fields = ("seats__entry__name", "seats__entry__code", "round__tournament__name")
    ordering = ("-round__tournament", "-round__number", "table")
    event_path = "round__tournament"
    page = ("correct", "round__number", "table")

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).prefetch_related("seats__entry")

    def get_list_select_related(self, request: HttpRequest) -> Any:
        return self.list_select_related

    @admin.display(description=_("event"), ordering="round__tournament__name")
    def event(self, match: models.Match) -> str:
        return match.round.tournament.name

    @admin.display(description=_("round"), ordering="round__number")
    def number(self, match: models.Match) -> int:
        return match.round.number

    @admin.display(description=_("players"))
    def players(self, match: models.Match) -> str:
        return " – ".join(seat.entry.name for seat in sorted(match.seats.all(), key=lambda seat: seat.side))

    @admin.display(description=_("result"), ordering="result")
    def outcome(self, match: models.Match) -> str:
        seats = sorted(match.seats.all(), key=lambda seat: seat.side)
        if match.result != "played":
            return match.get_result_display() or "–"
        return games_words((seats[0].games or 0, seats[-1].games or 0, match.drawn or 0))


show(models.Seat, "id round entry opponent side games")
show(models.Stage, "number tournament kind carries ends_at")
show(models.StageEntry, "id stage entry seed alternate", event_path="stage__tournament")
show(models.Staff, "user tournament role")
show(models.Action, "number tournament at actor kind reason undoes", list_filter=("kind",))
show(models.Penalty, "number tournament entry kind reason")
show(models.Extension, "id match minutes reason", event_path="match__round__tournament")
show(models.Flag, "number tournament entry round at done")
show(models.Invite, "tournament role by at expires_at uses_left")
show(models.Publisher, "name slug", event_path=None)
show(models.PublisherMember, "user publisher role", event_path=None)
show(models.Rulebook, "name key publisher copied_from revision", event_path=None)
show(models.RulebookAction, "number rulebook at actor kind reason", event_path=None)
show(models.Ruleset, "name key version published_at published_by", event_path=None)
show(models.EventTemplate, "name owner", event_path=None)
