"""Undo: a new action that writes back what an earlier one had changed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from itertools import groupby
from typing import Any

from django.contrib.auth import get_user_model
from django.core.exceptions import ObjectDoesNotExist
from django.db import IntegrityError
from django.db.models import Q
from django.utils.translation import gettext as _

from tournament.actionlog import integrity
from tournament.actionlog.change import Log, Repeated, open_action
from tournament.actionlog.facts import ENTRY, KINDS, SEAT_FIELDS, STAGE_ENTRY, kind_of, new_row
from tournament.actionlog.fold import Change
from tournament.actionlog.match_facts import AWAY_RESULTS, Fact, MatchFact, find_match, unlocked_seats
from tournament.actionlog.service import OWNER_KINDS
from tournament.errors import Forbidden, WrongState, get_or_refuse
from tournament.models import Action, Entry, Staff, StageEntry, Tournament
from tournament.services.entries import entry_of, fill_spots
from tournament.services.requested_byes import REQUESTS, own_rounds_of, published_refusal
from tournament.services.rounds import keeping_table_names
from tournament.services.seats import remove_void_reports
from tournament.services.undo_obstacles import UNDO, is_personal, obstacles_of, origin_of, undone_numbers

_checks: list[Callable[[Tournament], list[str]]] = []
_listeners: list[Callable[[Log], None]] = []


def add_undo_check(check: Callable[[Tournament], list[str]]) -> None:
    """Register a function that returns sentences about what an undo would break elsewhere; it is then refused."""
    if check not in _checks:
        _checks.append(check)


def add_undo_listener(listener: Callable[[Log], None]) -> None:
    """Register a function that asks for confirmation of an undo (other matches of a bracket that change)."""
    if listener not in _listeners:
        _listeners.append(listener)


def _problems(tournament: Tournament) -> list[str]:
    elsewhere = [problem for check in _checks for problem in check(tournament)]
    return integrity.check(tournament, marks=False) + elsewhere


def undo_action(
    tournament: Tournament, number: int, *, actor: Any = "", key: str = "", expects: str = ""
) -> Action | None:
    """Undo action `number`, as a new action.

    Raises WrongState, naming the later action, if one touched the same fields; if it was loaded from a file or changed
    a name; and for a publication once its round has a result. Raises NeedsConfirmation like services.
    """
    try:
        with open_action(tournament, UNDO, actor=actor, key=key, body=[number], undoes=number) as log:
            actions = log.tournament.actions.filter(number=number)
            action = get_or_refuse(actions, _("There is no action %(number)s."), number=number)
            undone = undone_numbers(log.tournament, number)
            if obstacle := obstacles_of(log.tournament, [action], undone).get(number):
                raise obstacle
            _check_requested_byes(log.tournament, action)
            before = set(_problems(log.tournament))
            people, filled = _kept_people(log.tournament, action)
            with keeping_table_names(log):
                write_back(log, action.changes, people)
            _take_back_filled(log, filled)
            log.tournament.removals.filter(number=number).delete()
            remove_void_reports(log)
            after = _problems(log.tournament)
            if broken := [problem for problem in after if problem not in before]:
                text = _(
                    "Action %(number)s can no longer be undone because later actions build on it: %(problem)s."
                )
                raise WrongState(text, number=number, problem=broken[0])
            for listener in _listeners:
                listener(log)
            fill_spots(log)
            log.check_confirmed(expects)
    except Repeated as repeated:
        return repeated.action
    except (IntegrityError, ObjectDoesNotExist, KeyError):  # a row that later facts need, or one that is gone
        raise WrongState(
            _("Action %(number)s can no longer be undone because later actions build on it."), number=number
        ) from None
    return log.action


def _kept_people(tournament: Tournament, action: Action) -> tuple[dict[str, Fact], dict[str, Fact]]:
    """Return personal fields of removed rows, and [before, after] of filled-in ones, by fact key."""
    removal = tournament.removals.filter(number=action.number).first()
    kept: dict[str, Fact] = removal.personal if removal else {}
    removed = {change["fact"] for change in action.changes if "after" in change and change["after"] is None}
    people = {key: kept[key] for key in kept if key in removed}
    filled = {key: kept[key] for key in kept if key not in removed}
    accounts = [fields.get("user_id") for fields in people.values()]
    accounts += [fields["user_id"][0] for fields in filled.values() if "user_id" in fields]
    left = set(get_user_model().objects.filter(pk__in=filter(None, accounts)).values_list("pk", flat=True))
    for fields in people.values():
        if "user_id" in fields and fields["user_id"] not in left:
            fields["user_id"] = None
    for fields in filled.values():
        if "user_id" in fields and fields["user_id"][0] not in left:
            fields["user_id"][0] = None
    return people, filled


def _take_back_filled(log: Log, filled: Mapping[str, Fact]) -> None:
    for key, fields in filled.items():
        entry = ENTRY.find(log.tournament, key)
        log.fill_personal(
            entry, **{name: old for name, (old, new) in fields.items() if getattr(entry, name) == new}
        )


def _check_requested_byes(tournament: Tournament, action: Action) -> None:
    for change in action.changes if action.kind in REQUESTS else ():
        entry = entry_of(tournament, change["fact"].split("/")[1])
        old, new = change["before"]["requested_byes"], change["after"]["requested_byes"]
        number = min(bye["round"] for bye in [*old, *new] if bye not in old or bye not in new)
        if number <= own_rounds_of(entry).published:
            raise published_refusal(entry, number)


def check_may_undo(tournament: Tournament, number: int, role: str | None) -> None:
    action = tournament.actions.filter(number=number).first()
    if action is not None and not may_undo(action, role):
        raise Forbidden(_("Only an organizer can undo this."))


def may_undo(action: Action, role: str | None) -> bool:
    """Whether this role may do both the action and its reverse."""
    if role == Staff.Role.OWNER:
        return True
    if role != Staff.Role.SCOREKEEPER or _completes_swiss_round(action):
        return False
    return origin_of(action).kind not in OWNER_KINDS


def _completes_swiss_round(action: Action) -> bool:
    """Whether an action, such as pairing the next round, completed one that only an organizer may reopen."""
    numbers = [
        int(change["fact"].split("/")[1])
        for change in action.changes
        if change["fact"].startswith("rounds/") and (change["after"] or {}).get("state") == "complete"
    ]
    return bool(numbers) and action.tournament.rounds.filter(number__in=numbers, swiss=True).exists()


def last_undoable_action(tournament: Tournament, role: str | None = Staff.Role.OWNER) -> Action | None:
    """Return the last staff action that `role` may undo, neither undone nor an undo itself."""
    return find_last_undoable(tournament, role)[0]


def find_last_undoable(tournament: Tournament, role: str | None) -> tuple[Action | None, set[int]]:
    """Return `last_undoable_action` and the numbers of later undone actions, in one query."""
    undone: set[int] = set()
    actions = tournament.actions.filter(number__gt=tournament.baseline_number)
    by_staff = ~Q(actor__contains=":") | Q(undoes__isnull=False)
    for action in actions.filter(by_staff).order_by("-number").iterator(20):
        if action.kind == "create":
            break
        if action.undoes is not None:
            undone |= {action.undoes} if action.number not in undone else set()
        elif action.number not in undone and not is_personal(action) and may_undo(action, role):
            return action, undone
    return None, undone


def write_back(log: Log, changes: Sequence[Change], people: Mapping[str, Fact] | None = None) -> None:
    """Write back changes, the last first, in bulk if possible. `people`: restored personal fields, by fact key."""
    for (what, number), group in groupby(reversed(changes), _what_changed):
        items = list(group)
        if what == "seats":
            log.reseat({item["fact"]: item["before"] or {} for item in items})
            continue
        if what in ("entries", "stages"):
            _write_back_people(log, what, items, people or {})
            continue
        if what == "row":
            for item in items:
                _write_back_row(log, item, (people or {}).get(item["fact"]))
            continue
        round_ = log.tournament.rounds.get(number=number)
        away = all((item["before"] or item["after"] or {})["result"] in AWAY_RESULTS for item in items)
        with nullcontext() if away else unlocked_seats(round_):
            if what == "made":
                log.unseat(round_, {item["fact"] for item in items})
            else:
                log.seat(round_, map(_match_before, items))


def _what_changed(change: Change) -> tuple[str, int]:
    """Classify a change for bulk writing, with its round; ("entries", 1) or ("stages", 1) for those that left."""
    came_or_went = None in (change["before"], change["after"])
    linked = (change["before"] or {}).get("same_person_as")  # to an entry that may come back with it
    if kind_of(change["fact"]) in (ENTRY, STAGE_ENTRY) and came_or_went and not linked:
        return change["fact"].split("/")[0], int(change["after"] is None)
    if kind_of(change["fact"]) is None:
        if None in (change["before"], change["after"]):
            number = int(change["fact"].split("/")[1])
            return "made" if change["before"] is None else "removed", number
        if not SEAT_FIELDS.isdisjoint(change["after"] or ()):
            return "seats", 0
    return "row", 0


def _match_before(change: Change) -> MatchFact:
    """Return the match that a change removed; its key is "rounds/4/tables/12" or "rounds/4/entries/P0003"."""
    _rounds, _number, kind, name = change["fact"].split("/")
    return MatchFact.from_log(int(name) if kind == "tables" else None, change["before"] or {})


def _write_back_people(log: Log, what: str, changes: Sequence[Change], people: Mapping[str, Fact]) -> None:
    """Write back added or removed entries, or their places in stages. Raises KeyError for missing personal fields."""
    entries = {entry.code: entry for entry in log.tournament.entries.all()}
    if changes[0]["before"] is None:
        inside = StageEntry.objects.filter(stage__tournament=log.tournament).select_related("stage", "entry")
        candidates: Iterable[Entry | StageEntry] = entries.values() if what == "entries" else inside
        rows = {KINDS[type(row)].key_of(row): row for row in candidates}
        log.remove_all([rows[change["fact"]] for change in changes])
        return
    stages = {str(stage.number): stage for stage in log.tournament.stages.all()}
    back: list[Entry | StageEntry] = []
    for change in changes:
        key, fact = change["fact"], change["before"] or {}
        if what == "entries":
            back.append(new_row(ENTRY, log.tournament, key, fact, people.get(key)))
        else:
            _stages, number, _entries, code = key.split("/")
            back.append(StageEntry(stage=stages[number], entry=entries[code], **fact))
    log.add_all(back)


def _write_back_row(log: Log, change: Change, personal: Fact | None) -> None:
    key, before, after = change["fact"], change["before"], change["after"]
    kind = kind_of(key)
    if after is None:
        assert kind is not None and before is not None
        log.add(kind.model, key, before, personal)
        return
    row = kind.find(log.tournament, key) if kind else find_match(log.tournament, key)
    if before is None:
        log.remove(row)
    else:
        log.set(row, **before)
