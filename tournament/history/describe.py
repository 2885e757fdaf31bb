"""The log in words: what each action changed, with today's names for the codes it holds.

Each kind of fact is described in a module of its own, beside the names of its fields.
"""

from __future__ import annotations

import datetime as dt
import zoneinfo
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.actionlog.change import STAFF
from tournament.actionlog.facts import ENTRY
from tournament.actionlog.fold import Change
from tournament.history import entries
from tournament.history.context import Context, Seats
from tournament.history.entries import EntryChanges, StageEntryChanges
from tournament.history.events import describe_event
from tournament.history.matches import MatchChanges
from tournament.history.people import describe_message, describe_staff
from tournament.history.rounds import describe_round, describe_stage
from tournament.models import Action, Seat, Tournament
from tournament.services.self_service import PLAYER_ACTOR
from tournament.text.display_names import names_of

MOST_SENTENCES = 12  # for one action; the others are its details


@dataclass(frozen=True)
class DescribedAction:
    """One action in words. `details` is what its sentence only counts."""

    number: int
    at: dt.datetime
    actor: str
    sentence: str
    details: list[str]
    reason: str
    undoes: int | None


def describe_actions(tournament: Tournament, actions: Iterable[Action]) -> list[DescribedAction]:
    """The actions in words, in their order: two queries, however many they are."""
    actions = list(actions)
    names = names_of(tournament)
    seats = _seats_of(tournament, actions)
    zone = zoneinfo.ZoneInfo(tournament.time_zone)
    return [_describe(action, Context(names, seats, zone, actor=action.actor)) for action in actions]


def _seats_of(tournament: Tournament, actions: Sequence[Action]) -> Seats:
    """Who sits at the tables these actions changed."""
    keys = [change["fact"].split("/") for action in actions for change in action.changes]
    tables = {(int(p[1]), int(p[3])) for p in keys if p[0] == "rounds" and len(p) >= 4 and p[2] == "tables"}
    seats = Seat.objects.filter(
        tournament=tournament,
        round__number__in={number for number, _table in tables},
        match__table__in={table for _number, table in tables},
    )
    columns = seats.values_list(
        "round__number", "match__table", "side", "entry__code", "entry__user__username"
    )
    return {
        (number, table or 0, side): (code, account or "") for number, table, side, code, account in columns
    }


def _describe(action: Action, context: Context) -> DescribedAction:
    sentence = "; ".join(_sentences(action.changes, context))
    sentence = sentence or _("event created" if action.kind == "create" else action.kind)
    if action.undoes:
        values = {"number": action.undoes, "sentence": sentence}
        sentence = _("action %(number)s undone: %(sentence)s") % values
    return DescribedAction(
        action.number,
        action.at,
        _actor_words(context),
        sentence[:1].upper() + sentence[1:],
        context.details if len(context.details) > 1 else [],
        action.reason,
        action.undoes,
    )


def _actor_words(context: Context) -> str:
    """Who did it: an account, or a player through a player link."""
    code = context.actor.removeprefix(PLAYER_ACTOR)
    return code if code == context.actor else _("player %(name)s") % {"name": context.name(code)}


def _sentences(changes: Iterable[Change], context: Context) -> list[str]:
    """Everything an action changed: what was counted of players first, other counts last."""
    players, members, matches = EntryChanges(context), StageEntryChanges(context), MatchChanges(context)

    def describe(change: Change) -> Iterator[str]:
        key = change["fact"]
        kind, *parts = key.split("/")
        if "personal" in change:
            if key.startswith(STAFF):
                yield from describe_staff(key, change["personal"])
            elif kind == "entries":
                yield from context.personal_fields(
                    ENTRY, change["personal"], silent=entries.SILENT, of=context.name(parts[0])
                )
            return
        before, after = change["before"], change["after"]
        if kind == "tournament" and before and after:
            yield from describe_event(context, before, after)
        elif kind == "entries":
            yield from players.describe(parts[0], before, after)
        elif kind == "stages" and len(parts) == 3:
            members.count(parts[0], parts[2], after)
        elif kind == "stages" and parts[0] != "1":
            yield from describe_stage(before, after)
        elif kind == "rounds" and len(parts) == 1:
            yield from describe_round(int(parts[0]), before, after)
        elif kind == "rounds":
            yield from matches.describe(parts, before, after)
        elif kind == "flags":
            yield from describe_message(context, parts[0], before, after)

    single = [sentence for change in changes for sentence in describe(change)]
    lines = [*players.counts(), *single[:MOST_SENTENCES]]
    if more := single[MOST_SENTENCES:]:
        context.details += more
        text = ngettext("%(count)s more change", "%(count)s more changes", len(more))
        lines.append(text % {"count": len(more)})
    return [
        *lines,
        *players.summary(),
        *members.moves(),
        *players.manual_order(),
        *members.cut(),
        *matches.summary(),
    ]
