"""The admin shows the facts and changes none: a save there would read before it locks and skip the log.

Corrections go through the desk; every row links to it.
"""

from __future__ import annotations

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


class ReadOnly(admin.ModelAdmin):
    """Look, follow the link, correct it at the desk. No action bars: they need an inline style."""

    actions = None
    actions_on_top = False
    actions_on_bottom = False
    show_full_result_count = False
    list_per_page = 100
    path_to_tournament: str | None = "tournament"

    def has_add_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def get_list_display(self, request: HttpRequest) -> Any:
        return (*self.list_display, "correct") if self.path_to_tournament is not None else self.list_display

    def get_list_select_related(self, request: HttpRequest) -> Any:
        keys = [name for name in self.list_display if self._is_key(name)]
        return (*keys, self.path_to_tournament) if self.path_to_tournament else keys

    def _is_key(self, name: Any) -> bool:
        return name in {field.name for field in self.model._meta.fields if field.is_relation}

    @admin.display(description=_("at the desk"))
    def correct(self, row: Any) -> SafeString:
        """The way to change it."""
        tournament = row
        for part in (self.path_to_tournament or "").split("__"):
            tournament = getattr(tournament, part) if part else tournament
        return self.link_to(tournament, row)

    def link_to(self, tournament: Tournament, row: Any) -> SafeString:
        """To the event's log, where each action can be undone."""
        return format_html('<a href="{}">{}</a>', reverse("log", args=[tournament.slug]), _("Correct…"))


@admin.register(Tournament)
class TournamentAdmin(ReadOnly):
    list_display = ("name", "slug", "state", "owner", "starts_at", "revision")
    list_filter = ("state", "demo")
    search_fields = ("name", "slug")
    path_to_tournament = ""

    def link_to(self, tournament: Tournament, row: Any) -> SafeString:
        return format_html('<a href="{}">{}</a>', reverse("desk", args=[tournament.slug]), _("Correct…"))


@admin.register(Publisher)
class PublisherAdmin(ReadOnly):
    list_display = ("name", "slug")
    path_to_tournament = None


@admin.register(PublisherMember)
class PublisherMemberAdmin(ReadOnly):
    list_display = ("user", "publisher", "role")
    path_to_tournament = None


@admin.register(Rulebook)
class RulebookAdmin(ReadOnly):
    list_display = ("name", "key", "publisher", "copied_from", "revision")
    path_to_tournament = None


@admin.register(RulebookAction)
class RulebookActionAdmin(ReadOnly):
    list_display = ("number", "rulebook", "at", "actor", "kind", "reason")
    path_to_tournament = None


@admin.register(Ruleset)
class RulesetAdmin(ReadOnly):
    list_display = ("name", "key", "version", "published_at", "published_by")
    path_to_tournament = None


@admin.register(Entry)
class EntryAdmin(ReadOnly):
    list_display = ("name", "code", "tournament", "status", "dropped_after")
    list_filter = ("status",)
    search_fields = ("name", "code")

    def link_to(self, tournament: Tournament, row: Any) -> SafeString:
        address = reverse("entry", args=[tournament.slug, row.code])
        return format_html('<a href="{}">{}</a>', address, _("Correct…"))


@admin.register(Round)
class RoundAdmin(ReadOnly):
    list_display = ("number", "tournament", "stage", "state", "published_at")
    list_filter = ("state",)

    def link_to(self, tournament: Tournament, row: Any) -> SafeString:
        address = reverse("desk-round", args=[tournament.slug, row.number])
        return format_html('<a href="{}">{}</a>', address, _("Correct…"))


@admin.register(Match)
class MatchAdmin(ReadOnly):
    list_display = ("id", "round", "table", "result", "winner", "version")
    list_filter = ("result",)
    path_to_tournament = "round__tournament"

    def link_to(self, tournament: Tournament, row: Any) -> SafeString:
        if not row.table:
            return super().link_to(tournament, row)
        address = reverse("result", args=[tournament.slug, row.round.number, row.table])
        return format_html('<a href="{}">{}</a>', address, _("Correct…"))


@admin.register(Seat)
class SeatAdmin(ReadOnly):
    list_display = ("id", "round", "entry", "opponent", "side", "games")


@admin.register(Stage)
class StageAdmin(ReadOnly):
    list_display = ("number", "tournament", "kind", "carries", "ends_at")


@admin.register(StageEntry)
class StageEntryAdmin(ReadOnly):
    list_display = ("id", "stage", "entry", "seed", "alternate")
    path_to_tournament = "stage__tournament"


@admin.register(Staff)
class StaffAdmin(ReadOnly):
    list_display = ("user", "tournament", "role")


@admin.register(Action)
class ActionAdmin(ReadOnly):
    list_display = ("number", "tournament", "at", "actor", "kind", "reason", "undoes")
    list_filter = ("kind",)


@admin.register(Penalty)
class PenaltyAdmin(ReadOnly):
    list_display = ("number", "tournament", "entry", "kind", "reason")


@admin.register(Extension)
class ExtensionAdmin(ReadOnly):
    list_display = ("id", "match", "minutes", "reason")
    path_to_tournament = "match__round__tournament"


@admin.register(Flag)
class FlagAdmin(ReadOnly):
    list_display = ("number", "tournament", "entry", "round", "at", "done")


@admin.register(Invite)
class InviteAdmin(ReadOnly):
    list_display = ("tournament", "role", "by", "at", "expires_at", "uses_left")


@admin.register(EventTemplate)
class EventTemplateAdmin(ReadOnly):
    list_display = ("name", "owner")
    path_to_tournament = None
