import datetime as dt
import zoneinfo
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.actionlog.actors import BY_CODE, PLAYER_ACTOR, SLIP_ACTOR
from tournament.actionlog.change import STAFF
from tournament.actionlog.fold import Change
from tournament.event.display_names import load_names
from tournament.event.rounds import RoundNames, bracket_round_names, round_names
from tournament.event.table_plan import round_table_plan, table_name
from tournament.history import entries, events, rounds
from tournament.history.context import Context, Seats
from tournament.history.public_corrections import correction_addresses
from tournament.models import Action, Seat, Tournament
from tournament.services.corrections import CORRECTION
from tournament.services.undo import UNDO, find_last_undoable, find_undo_obstacles, may_undo, undone_numbers

PHONE_REPORTS = ("report", "confirm report", "withdraw report")  # kinds of actions
MOST_SENTENCES = 12  # per action; the others are details
NEWEST = 6  # actions on the desk's home
LOOKED_AT = 1_000  # later actions; obstacles after them appear on trying to undo


class DescribedAction(NamedTuple):
    number: int
    at: dt.datetime
    actor: str
    sentence: str
    details: list[str]  # values its sentence only counts
    reason: str
    undoes: int | None  # the number of the action it undid
    undone: bool = False  # whether another one undid it
    undoable: bool = False  # whether this member of the staff may undo it, and no obstacle is known
    correction: str = ""  # the page that corrects what it changed, if undo is impossible by now


def describe_actions(
    tournament: Tournament,
    actions: Iterable[Action],
    names: Mapping[str, str] | None = None,
    seats: Seats | None = None,
) -> list[DescribedAction]:
    """Return the actions in words. Passing `names` of players and `seats` of the changed tables saves queries."""
    actions = list(actions)
    names = names or load_names(tournament)
    seats = _load_changed_seats(tournament, actions) if seats is None else seats
    since = _reseats_since(tournament, actions) if seats else []
    return [
        _describe(action, _context(tournament, action, names, _seats_then(action, seats, since)))
        for action in actions
    ]


def _context(tournament: Tournament, action: Action, names: Mapping[str, str], seats: Seats) -> Context:
    zone, rounds = zoneinfo.ZoneInfo(tournament.time_zone), _rounds_in(tournament, action)
    plan = round_table_plan(tournament)
    return Context(names, seats, zone, rounds, plan, actor=action.actor, kind=action.kind)


def _rounds_in(tournament: Tournament, action: Action) -> RoundNames:
    """Return the names of rounds; of a bracket that the action set or removed, as its size was then."""
    whole = [
        (change["fact"].split("/"), change["before"] or change["after"] or {})
        for change in action.changes
        if "personal" not in change and None in (change["before"], change["after"])
    ]
    seeded = Counter(key[1] for key, fact in whole if key[0] == "stages" and fact.get("seed"))
    if not seeded:
        return round_names(tournament)
    rounds = RoundNames(tournament)
    for stage, players in seeded.items():
        own = [int(key[1]) for key, fact in whole if key[0] == "rounds" and str(fact.get("stage")) == stage]
        rounds.update(bracket_round_names(min(own), players) if own else {})
    return rounds


def describe_undo(
    tournament: Tournament,
    actions: Iterable[Action],
    undone: set[int] | None = None,
    names: Mapping[str, str] | None = None,
    seats: Seats | None = None,
) -> list[DescribedAction]:
    """Return the actions in words, each with what this staff member can do about it. `undone`: numbers, if known."""
    actions = list(actions)
    if undone is None:
        undone = undone_numbers(tournament, min((each.number for each in actions), default=0))
    allowed = [each for each in actions if each.undoes is None and may_undo(each, tournament.role)]
    obstacles = find_undo_obstacles(tournament, allowed, undone, most=LOOKED_AT)
    refused = [each for each in allowed if each.number in obstacles and each.number not in undone]
    undoable = {each.number for each in allowed} - obstacles.keys()
    addresses = correction_addresses(tournament, refused)
    return [
        each._replace(
            undone=each.number in undone,
            undoable=each.number in undoable,
            correction=addresses.get(each.number, ""),
        )
        for each in describe_actions(tournament, actions, names, seats)
    ]


def describe_saved(
    tournament: Tournament, action: Action, names: Mapping[str, str], seats: Seats | None
) -> DescribedAction:
    """Describe the result just saved, which is the newest action and so can be undone. No query."""
    saved = describe_actions(tournament, [action], names, seats)[0]
    return saved._replace(undoable=may_undo(action, tournament.role))


def describe_changes(tournament: Tournament, changes: Sequence[Change]) -> tuple[list[str], list[str]]:
    """Return a sentence for each change, and the details of changes that are only counted."""
    action = Action(changes=changes)
    seats = _load_changed_seats(tournament, [action])
    context = _context(tournament, action, load_names(tournament), seats)
    sentences = [context.capitalize(sentence) for sentence in _sentences(changes, context)]
    return sentences, context.details if len(context.details) > 1 else []


def describe_newest_changes(tournament: Tournament) -> list[DescribedAction]:
    """Return the newest actions, each with what this member of the staff can do about it."""
    rows = tournament.actions.filter(number__gt=tournament.baseline_number).order_by("-number")
    return describe_undo(tournament, rows[:NEWEST])


def describe_last_change(
    tournament: Tournament,
    names: Mapping[str, str] | None = None,
    seats_in: Callable[[Action], Seats | None] = lambda action: None,
) -> DescribedAction | None:
    """Return the last action that this staff member may undo, in words. `seats_in`: seats of the changed tables."""
    last, undone = find_last_undoable(tournament, tournament.role)
    return describe_undo(tournament, [last], undone, names, seats_in(last))[0] if last else None


def _load_changed_seats(tournament: Tournament, actions: Sequence[Action]) -> Seats:
    keys = [change["fact"].split("/") for action in actions for change in action.changes]
    tables = {(int(p[1]), int(p[3])) for p in keys if p[0] == "rounds" and len(p) >= 4 and p[2] == "tables"}
    seats = Seat.objects.filter(tournament=tournament, match__table__in={table for _number, table in tables})
    seats = seats.filter(round__number__in={number for number, _table in tables})
    columns = "side round__number round__table_plan match__table entry__code entry__user__username".split()
    changed = {}
    for seat in seats.select_related("round", "match", "entry__user").only(*columns):
        account = seat.entry.user.username if seat.entry.user else ""
        name = table_name(tournament, seat.match.table, seat.round)
        changed[seat.round.number, seat.match.table or 0, seat.side] = (seat.entry.code, account, name)
    return changed


def _reseats_since(tournament: Tournament, actions: Sequence[Action]) -> list[tuple[int, Change]]:
    """Return (action number, change) for later corrections of seats and their undos, newest first."""
    first = min((action.number for action in actions if action.number), default=None)
    if first is None or first >= tournament.revision:
        return []
    later = tournament.actions.filter(kind__in=(CORRECTION, UNDO), number__gt=first).order_by()
    return [
        (number, change)
        for number, changes in sorted(later.values_list("number", "changes"), reverse=True)
        for change in changes
        if "/tables/" in change["fact"] and change["before"] and change["after"]
    ]


def _seats_then(action: Action, seats: Seats, since: Iterable[tuple[int, Change]]) -> Seats:
    """Return the seats when the action was made, by reversing the changes made `since`."""
    then, accounts = dict(seats), {code: account for code, account, _name in seats.values()}
    for number, change in since:
        if not action.number or number <= action.number:
            break
        _rounds, round_, _tables, table, *_more = change["fact"].split("/")
        for side in ("a", "b"):
            if code := (change["before"] or {}).get(side):
                place = (int(round_), int(table), side)
                then[place] = (code, accounts.get(code, ""), seats[place][2] if place in seats else "")
    return then


def _describe(action: Action, context: Context) -> DescribedAction:
    # Named only once, because decks checked together end together.
    sentence = "; ".join(dict.fromkeys(_sentences(action.changes, context)))
    sentence = sentence or _("event created" if action.kind == "create" else action.kind)
    if action.undoes:
        values = {"number": action.undoes, "sentence": sentence}
        sentence = _("action %(number)s undone: %(sentence)s") % values
    actor, sentence = _actor_words(action, context), context.capitalize(sentence)
    details = context.details if len(context.details) > 1 else []
    return DescribedAction(action.number, action.at, actor, sentence, details, action.reason, action.undoes)


def _actor_words(action: Action, context: Context) -> str:
    if action.actor.startswith(SLIP_ACTOR):
        return _("someone with the match slip")
    code = action.actor.removeprefix(PLAYER_ACTOR)
    if code == action.actor:
        return code
    values = {"name": context.name(code)}
    if action.kind not in PHONE_REPORTS:
        return _("player %(name)s") % values
    if any(BY_CODE in change.get("personal", ()) for change in action.changes):
        return _("player %(name)s, by personal code") % values
    return _("player %(name)s, by own link") % values


def _sentences(changes: Iterable[Change], context: Context) -> Iterator[str]:
    every = [sentence for change in changes for sentence in _describe_change(context, change)]
    single = list(dict.fromkeys(every))
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
        return rounds.describe_round(context, int(parts[0]), before, after)
    elif kind == "rounds":
        return rounds.describe_match(context, parts, before, after)
    elif kind == "flags":
        return events.describe_flag(context, parts[0], before, after)
    elif kind == "penalties":
        return events.describe_penalty(context, before, after)
    elif kind == "deck-checks":
        return events.describe_deck_check(context, before, after)
    elif kind == "decklists":
        return events.describe_decklist(context, before, after)
    return ()
