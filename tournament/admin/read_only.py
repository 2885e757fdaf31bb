"""Lists that show the tables and change nothing: a save there would read before it locks, and skip the log.

A superuser sees every event; other accounts that may open the admin, such as the demo's, see the demo events only.
"""

from functools import reduce
from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from tournament.admin.addresses import Address, page
from tournament.models import Tournament

MOST_EVENTS = 50  # to choose from; a search finds the others


def row_link(text: Any, row: Model) -> SafeString:
    """A link to a row's own page in the admin."""
    address = reverse(f"admin:tournament_{row._meta.model_name}_change", args=[row.pk])
    return format_html('<a href="{}">{}</a>', address, text)


class ReadOnly(admin.ModelAdmin):
    """Rows to look at, each with a link to where it is corrected. No action bars: they need an inline style.

    `address` is where a row is corrected; it takes the event and the row.
    """

    actions = None
    show_full_result_count = False
    list_per_page = 100
    address: Address = staticmethod(page("log"))
    event_path: str | None = "tournament"  # from a row to its event; "" for the event itself, None for none
    related: tuple[str, ...] = ()  # what columns show of other rows, besides the columns that are rows

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    has_change_permission = has_delete_permission = has_add_permission

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.event_path is not None or super().has_view_permission(request, obj)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return True  # of an account that may open the admin at all

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request).defer(*self.exclude or ())
        if self.event_path is None or request.user.is_superuser:
            return rows
        return rows.filter(**{self.path_to("demo"): True})

    def get_list_display(self, request: HttpRequest) -> Any:
        return self.list_display if self.event_path is None else (*self.list_display, "correct")

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        return [name for name in self.get_list_display(request) if name in ("tools", "correct")]

    def get_list_select_related(self, request: HttpRequest) -> Any:
        relations = {field.name for field in self.model._meta.fields if field.is_relation}
        columns = [name for name in self.list_display if name in relations]
        return [*columns, *self.related, *filter(None, [self.event_path])]

    def path_to(self, column: str) -> str:
        """The path from a row to a column of its event, as queries write it."""
        return f"{self.event_path}__{column}" if self.event_path else column

    def event_of(self, row: Any) -> Tournament:
        """The event a row belongs to."""
        event: Tournament = reduce(getattr, self.event_path.split("__") if self.event_path else [], row)
        return event

    @admin.display(description=_("event"))
    def event(self, row: Any) -> SafeString:
        """The event, linked to its row."""
        event = self.event_of(row)
        return row_link(event.name, event)

    @admin.display(description=_("at the desk"))
    def correct(self, row: Any) -> SafeString:
        """A link to the page where the row is corrected."""
        return format_html('<a href="{}">{}</a>', self.address(self.event_of(row), row), _("Correct…"))


class EventFilter(admin.SimpleListFilter):
    """Rows of one event, chosen among the newest."""

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
