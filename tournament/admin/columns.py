"""Columns that show other rows, linked to them."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from tournament import models
from tournament.admin.addresses import seats_of, tools_of
from tournament.admin.read_only import ReadOnly, row_link
from tournament.results.wording import games_words


def list_link(text: Any, model: type[Model], **query: Any) -> SafeString:
    """A link to the rows of a list that fit."""
    address = reverse(f"admin:tournament_{model._meta.model_name}_changelist")
    return format_html('<a href="{}?{}">{}</a>', address, urlencode(query), text)


class Columns(ReadOnly):
    """Columns that show other rows, linked to them. `match_path`: from a row to its match; "" for the match itself."""

    match_path = "match"

    @admin.display(description=_("lists"))
    def lists(self, event: models.Tournament) -> SafeString:
        """The event's players, rounds, matches and log."""
        lists = [
            (_("Players"), models.Entry),
            (_("Rounds"), models.Round),
            (_("Matches"), models.Match),
            (_("Log"), models.Action),
        ]
        return format_html_join(
            " · ", "{}", ((list_link(text, model, event=event.slug),) for text, model in lists)
        )

    @admin.display(description=_("housekeeping"))
    def tools(self, row: models.Tournament | models.Entry) -> SafeString:
        """What can be done with an event or a player, each behind a page that asks first."""
        return format_html_join(" · ", '<a href="{}">{}</a>', tools_of(row))

    @admin.display(description=_("matches"))
    def matches(self, row: models.Entry | models.Round) -> SafeString:
        """The matches of a player or a round."""
        if isinstance(row, models.Round):
            return list_link(_("Matches"), models.Match, round__id__exact=row.pk)
        return list_link(_("Matches"), models.Match, event=row.tournament.slug, q=row.code)

    @admin.display(description=_("player"), ordering="entry__name")
    def player(self, row: Any) -> SafeString:
        """The player."""
        return row_link(row.entry.name, row.entry)

    @admin.display(description=_("players"))
    def players(self, match: models.Match) -> SafeString:
        """Who plays a match."""
        links = ((row_link(seat.entry.name, seat.entry),) for seat in seats_of(match))
        return format_html_join(" – ", "{}", links)

    @admin.display(description=_("round"))
    def at_round(self, row: Any) -> SafeString:
        """The round of a match or of what belongs to one."""
        round_ = self.match_of(row).round
        return row_link(round_.number, round_)

    @admin.display(description=_("table"))
    def at_table(self, row: Any) -> Any:
        """The table; none for a bye."""
        return self.match_of(row).table or "–"

    @admin.display(description=_("result"), ordering="result")
    def outcome(self, match: models.Match) -> str:
        """The games, or what else ended the match."""
        seats = seats_of(match)
        if match.result != "played":
            return match.get_result_display() or "–"
        return games_words((seats[0].games or 0, seats[-1].games or 0, match.drawn or 0))

    def match_of(self, row: Any) -> models.Match:
        """The match a row belongs to."""
        match: models.Match = getattr(row, self.match_path) if self.match_path else row
        return match


class Matches(Columns):
    """Matches, fetched with who plays."""

    match_path = ""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).prefetch_related("seats__entry")
