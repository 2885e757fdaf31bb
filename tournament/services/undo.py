"""Undo: a new action that writes back what an earlier one had changed."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from itertools import groupby
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.db import IntegrityError
from django.db.models import Q
from django.utils.translation import gettext as _

from tournament.actionlog import integrity
from tournament.actionlog.change import AWAY_RESULTS, Log, Repeated, open_action
from tournament.actionlog.facts import kind_of
from tournament.actionlog.fold import Change
from tournament.actionlog.marks import SEAT_FIELDS
from tournament.actionlog.match_facts import Fact, MatchFact, find_match
from tournament.actionlog.match_rows import unlocked_seats
from tournament.actionlog.service import OWNER_KINDS
from tournament.errors import Forbidden, WrongState, get_or_refuse
from tournament.models import Action, Staff, Tournament
from tournament.services.entries import entry_of
from tournament.services.requested_byes import REQUESTS, own_rounds_of, published_refusal
from tournament.services.seats import remove_void_reports
from tournament.services.self_service import PLAYER_ACTOR
from tournament.services.undo_obstacles import is_personal, obstacles_of, undone_numbers
from tournament.services.waitlist import fill_spots

_checks: list[Callable[[Tournament], list[str]]] = []


def add_undo_check(check: Callable[[Tournament], list[str]]) -> None:
    """Let `check` name in sentences what an undo would leave wrong elsewhere (a bracket); it is then refused."""
    if check not in _checks:
        _checks.append(check)


def _problems(tournament: Tournament) -> list[str]:
    elsewhere = [problem for check in _checks for problem in check(tournament)]
    return integrity.check(tournament, marks=False) + elsewhere


def undo_action(tournament: Tournament, number: int, *, actor: Any = "", key: str = "") -> Action | None:
    """Undo action `number`, as a new action.

    Raises WrongState, naming the later action, where one touched the same fields; where the action is part
    of the file the event was loaded from; where it changed a name; and for a publication once its round
    has a result.
    """
    try:
        with open_action(tournament, "undo", actor=actor, key=key, body=[number], undoes=number) as log:
            actions = log.tournament.actions.filter(number=number)
            action = get_or_refuse(actions, _("There is no action %(number)s."), number=number)
            undone = undone_numbers(log.tournament)
            if obstacle := obstacles_of(log.tournament, [action], undone).get(number):
                raise obstacle
            _check_requested_byes(log.tournament, action)
            before = set(_problems(log.tournament))
            write_back(log, action.changes)
            remove_void_reports(log)
            after = _problems(log.tournament)
            if broken := [problem for problem in after if problem not in before]:
                raise WrongState(
                    _(
                        "Action %(number)s can no longer be undone because later actions build on it: %(problem)s."
                    ),
                    number=number,
                    problem=broken[0],
                )
            fill_spots(log)
    except Repeated as repeated:
        return repeated.action
    except (IntegrityError, ObjectDoesNotExist, KeyError):  # a row that later facts need, or one that is gone
        raise WrongState(
            _("Action %(number)s can no longer be undone because later actions build on it."), number=number
        ) from None
    return log.action


def _check_requested_byes(tournament: Tournament, action: Action) -> None:
    """Raises WrongState where the round of a bye that the action requested or withdrew is published by now."""
    for change in action.changes if action.kind in REQUESTS else ():
        entry = entry_of(tournament, change["fact"].split("/")[1])
        old, new = change["before"]["requested_byes"], change["after"]["requested_byes"]
        number = min(bye["round"] for bye in [*old, *new] if bye not in old or bye not in new)
        if number <= own_rounds_of(entry).published:
            raise published_refusal(entry, number)


def check_may_undo(tournament: Tournament, number: int, role: str | None) -> None:
    """Raises Forbidden where action `number` is, or takes back, what only an organizer may undo."""
    action = tournament.actions.filter(number=number).first()
    while action is not None and action.undoes is not None:
        action = tournament.actions.filter(number=action.undoes).first()
    if action is not None and not may_undo(action, role):
        raise Forbidden(_("Only an organizer can undo this."))


def may_undo(action: Action, role: str | None) -> bool:
    """Whether staff in that role may undo an action: those who may do it may undo it."""
    return role == Staff.Role.OWNER or (role == Staff.Role.SCOREKEEPER and action.kind not in OWNER_KINDS)


def last_undoable_action(tournament: Tournament, role: str | None = Staff.Role.OWNER) -> Action | None:
    """The last action of staff that `role` may undo, neither undone nor an undo itself: what “undo” takes back.

    What players did since then is in the log, to be undone there.
    """
    return find_last_undoable(tournament, role)[0]


def find_last_undoable(tournament: Tournament, role: str | None) -> tuple[Action | None, set[int]]:
    """`last_undoable_action`, and which of the later actions are undone, in one query: an undo is later than both."""
    undone: set[int] = set()
    actions = tournament.actions.filter(number__gt=tournament.baseline_number)
    by_staff = ~Q(actor__startswith=PLAYER_ACTOR) | Q(undoes__isnull=False)
    for action in actions.filter(by_staff).order_by("-number").iterator(20):
        if action.kind == "create":
            break
        if action.undoes is not None:
            undone |= {action.undoes} if action.number not in undone else set()
        elif action.number not in undone and not is_personal(action) and may_undo(action, role):
            return action, undone
    return None, undone


def write_back(log: Log, changes: Sequence[Change], people: Mapping[str, Fact] | None = None) -> None:
    """Write back what these changes changed, the last first; matches made, removed or reseated together go in bulk.

    `people`: the personal fields of players who come back, by the keys of their facts.
    """
    for (what, number), group in groupby(reversed(changes), _what_changed):
        items = list(group)
        if what == "seats":
            log.reseat({item["fact"]: item["before"] or {} for item in items})
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
    """A match "made" or "removed", with its round's number; its "seats", or their waiver; or ("row", 0)."""
    if kind_of(change["fact"]) is None:
        if None in (change["before"], change["after"]):
            number = int(change["fact"].split("/")[1])
            return "made" if change["before"] is None else "removed", number
        if not SEAT_FIELDS.isdisjoint(change["after"] or ()):
            return "seats", 0
    return "row", 0


def _match_before(change: Change) -> MatchFact:
    """The match that a change removed; its key is "rounds/4/tables/12" or "rounds/4/entries/P0003"."""
    _rounds, _number, kind, name = change["fact"].split("/")
    return MatchFact.from_log(int(name) if kind == "tables" else None, change["before"] or {})


def _write_back_row(log: Log, change: Change, personal: Fact | None) -> None:
    """Write back one change of a row, or of a match's fields."""
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
