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
show(
    models.Match,
    "id round table result winner version",
    list_filter=("result",),
    event_path="round__tournament",
    page=("result", "round__number", "table"),
)
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
