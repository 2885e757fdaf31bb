"""The admin: the main tables by event, searchable by name. Every row links to the page that corrects it."""

from typing import Any

from django.contrib import admin
from django.db.models import Model

from tournament import models
from tournament.admin.addresses import action_page, decklist_page, entry_page, match_page, page, round_page
from tournament.admin.columns import Columns, EventFilter


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
    "name state starts_at",
    "name slug game venue owner__username",
    "state archived demo",
    event_path="",
    address=page("event-settings"),
)
show(
    models.Entry,
    "name code event status",
    f"name alias =code external_id contact {EVENT}",
    "status",
    address=entry_page,
)
show(
    models.Round,
    "number event stage state published_at",
    f"=number {EVENT}",
    "state",
    address=round_page,
)
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
    related=("entry",),
    address=entry_page,
)
show(
    models.DeckCheck,
    "number event round player judge starts_at ends_at",
    PLAYER,
    related=("entry",),
    address=entry_page,
)
show(
    models.Decklist,
    "number event player at version late main sideboard actor",
    PLAYER,
    "late",
    exclude=("text",),  # private until an organizer releases it
    related=("entry",),
    address=decklist_page,
)
show(
    models.Flag,
    "number event kind player round at done",
    PLAYER,
    "kind done",
    related=("entry",),
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
