"""The admin shows the tables and changes nothing: a save there would read before it locks, and skip the log.

Corrections are made at the desk; every row links to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.db import models
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from tournament.models import (
    Action,
    Entry,
    EventTemplate,
    Extension,
    Flag,
    Invite,
    Match,
    Penalty,
    Publisher,
    PublisherMember,
    Round,
    Rulebook,
    RulebookAction,
    Ruleset,
    Seat,
    Staff,
    Stage,
    StageEntry,
    Tournament,
)


def log_address(tournament: Tournament, row: Any) -> str:
    """The event's log, where each action can be undone."""
    return reverse("log", args=[tournament.slug])


def desk_address(tournament: Tournament, row: Any) -> str:
    """The event's desk."""
    return reverse("desk", args=[tournament.slug])


def entry_address(tournament: Tournament, entry: Entry) -> str:
    """The player's page at the desk."""
    return reverse("entry", args=[tournament.slug, entry.code])


def round_address(tournament: Tournament, round_: Round) -> str:
    """The round's page at the desk."""
    return reverse("desk-round", args=[tournament.slug, round_.number])


def match_address(tournament: Tournament, match: Match) -> str:
    """Where the result is corrected; the log for a match without a table."""
    if not match.table:
        return log_address(tournament, match)
    return reverse("result", args=[tournament.slug, match.round.number, match.table])


class ReadOnly(admin.ModelAdmin):
    """Rows to look at, each with a link to where it is corrected. No action bars: they need an inline style."""

    actions = None
    actions_on_top = False
    actions_on_bottom = False
    show_full_result_count = False
    list_per_page = 100
    event_path: str | None = "tournament"  # from a row to its event; "" for the event itself, None for none
    address: Callable[[Tournament, Any], str] = staticmethod(log_address)

    def has_add_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def get_list_display(self, request: HttpRequest) -> Any:
        return (*self.list_display, "correct") if self.event_path is not None else self.list_display

    def get_list_select_related(self, request: HttpRequest) -> Any:
        relations = {field.name for field in self.model._meta.fields if field.is_relation}
        columns = [name for name in self.list_display if name in relations]
        return (*columns, self.event_path) if self.event_path else columns

    @admin.display(description=_("at the desk"))
    def correct(self, row: Any) -> SafeString:
        """A link to where the row can be corrected."""
        tournament = row
        for name in (self.event_path or "").split("__"):
            tournament = getattr(tournament, name) if name else tournament
        return format_html('<a href="{}">{}</a>', self.address(tournament, row), _("Correct…"))


def show(model: type[models.Model], columns: str, **options: Any) -> None:
    """List a model in the admin with these columns."""
    if "address" in options:
        options["address"] = staticmethod(options["address"])
    admin.site.register(model, ReadOnly, list_display=tuple(columns.split()), **options)


show(
    Tournament,
    "name slug state owner starts_at revision",
    list_filter=("state", "demo"),
    search_fields=("name", "slug"),
    event_path="",
    address=desk_address,
)
show(
    Entry,
    "name code tournament status dropped_after",
    list_filter=("status",),
    search_fields=("name", "code"),
    address=entry_address,
)
show(Round, "number tournament stage state published_at", list_filter=("state",), address=round_address)
show(
    Match,
    "id round table result winner version",
    list_filter=("result",),
    event_path="round__tournament",
    address=match_address,
)
show(Seat, "id round entry opponent side games")
show(Stage, "number tournament kind carries ends_at")
show(StageEntry, "id stage entry seed alternate", event_path="stage__tournament")
show(Staff, "user tournament role")
show(Action, "number tournament at actor kind reason undoes", list_filter=("kind",))
show(Penalty, "number tournament entry kind reason")
show(Extension, "id match minutes reason", event_path="match__round__tournament")
show(Flag, "number tournament entry round at done")
show(Invite, "tournament role by at expires_at uses_left")
show(Publisher, "name slug", event_path=None)
show(PublisherMember, "user publisher role", event_path=None)
show(Rulebook, "name key publisher copied_from revision", event_path=None)
show(RulebookAction, "number rulebook at actor kind reason", event_path=None)
show(Ruleset, "name key version published_at published_by", event_path=None)
show(EventTemplate, "name owner", event_path=None)
