"""The clock of a round with its buttons, on whatever page of the desk."""

from typing import Any

from django import template
from django.template import Context

from tournament.models import Round, Tournament
from tournament.views.clock import controls_of

register = template.Library()


@register.inclusion_tag("tournament/clock/_controls.html", takes_context=True)
def clock_controls(context: Context, round_: Round) -> dict[str, Any]:
    """The controls of a round's clock; only the time for a judge."""
    return controls_of(context["tournament"], round_)


@register.simple_tag
def bracket_rounds_in_progress(tournament: Tournament) -> list[Round]:
    """The rounds of the bracket that are being played: each has a clock."""
    rounds = tournament.rounds.filter(swiss=False, state=Round.State.PUBLISHED)
    return list(rounds.select_related("stage", "tournament").defer("pairing"))
