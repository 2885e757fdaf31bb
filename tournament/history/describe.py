"""The log in words: what each action changed, with today's names for the codes it holds.

Each kind of fact is described in a module of its own, beside the names of its fields.
"""

import datetime as dt
import zoneinfo
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.actionlog.change import STAFF
from tournament.actionlog.fold import Change
from tournament.history import entries, events, rounds
from tournament.history.context import Context, Seats
from tournament.models import Action, Seat, Tournament
from tournament.services.self_service import PLAYER_ACTOR
from tournament.services.undo import last_undoable_action
from tournament.text.display_names import names_of

MOST_SENTENCES = 12  # for one action; the others are its details


class DescribedAction(NamedTuple):
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


def last_change_of(tournament: Tournament) -> DescribedAction | None:
    """The last action that this member of the staff may undo, in words."""
    last = last_undoable_action(tournament, tournament.role)
    return describe_actions(tournament, [last])[0] if last else None


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
    code = context.actor.removeprefix(PLAYER_ACTOR)  # by a player link
    actor = code if code == context.actor else _("player %(name)s") % {"name": context.name(code)}
    return DescribedAction(
        action.number,
        action.at,
        actor,
        sentence[:1].upper() + sentence[1:],
        context.details if len(context.details) > 1 else [],
        action.reason,
        action.undoes,
    )


def _sentences(changes: Iterable[Change], context: Context) -> Iterator[str]:
    """Everything an action changed: what happened to players first, other counts last."""
    single = [sentence for change in changes for sentence in _describe_change(context, change)]
    yield from entries.happened_words(context, entries.HAPPENED)
    yield from single[:MOST_SENTENCES]
    if more := single[MOST_SENTENCES:]:
        context.details += more
        yield ngettext("%(count)s more change", "%(count)s more changes", len(more)) % {"count": len(more)}
    yield from entries.happened_words(context, entries.CAME_OR_WENT)
    yield from entries.seeding_words(context)
    yield from entries.stage_entry_words(context)
    yield from rounds.seated_words(context)


def _describe_change(context: Context, change: Change) -> Iterable[str]:
    """The sentences of one change; none for what is only counted."""
    key = change["fact"]
    kind, *parts = key.split("/")
    if "personal" in change:
        if key.startswith(STAFF):
            return events.describe_staff(key, change["personal"])
        return entries.describe_personal(context, parts[0], change["personal"]) if kind == "entries" else ()
    before, after = change["before"], change["after"]
    if kind == "tournament" and before and after:
        return events.describe_event(context, before, after)
    if kind == "entries":
        return entries.describe_entry(context, parts[0], before, after)
    if kind == "stages" and len(parts) == 3:
        entries.count_stage_entry(context, parts[0], parts[2], after)
    elif kind == "stages" and parts[0] != "1":
        return rounds.describe_stage(before, after)
    elif kind == "rounds" and len(parts) == 1:
        return rounds.describe_round(int(parts[0]), before, after)
    elif kind == "rounds":
        return rounds.describe_match(context, parts, before, after)
    elif kind == "flags":
        return events.describe_message(context, parts[0], before, after)
    return ()
