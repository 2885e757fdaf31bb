"""Undo: a new action that writes back what an earlier one had changed."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from itertools import groupby
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.db import IntegrityError
from django.utils.translation import gettext as _

from tournament.actionlog import integrity
from tournament.actionlog.change import AWAY_RESULTS, STAFF, Log, Repeated, open_action, unlocked_seats
from tournament.actionlog.facts import kind_of
from tournament.actionlog.fold import Change
from tournament.actionlog.match_facts import MatchFact, find_match
from tournament.actionlog.service import OWNER_KINDS
from tournament.errors import Forbidden, WrongState, get_or_refuse
from tournament.models import Action, Match, Staff, Tournament
from tournament.services.self_service import PLAYER_ACTOR
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
            _check(log.tournament, action)
            before = set(_problems(log.tournament))
            _write_back(log, action.changes)
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


def check_may_undo(tournament: Tournament, number: int, role: str | None) -> None:
    """Raises Forbidden where action `number` is, or takes back, what only an organizer may do."""
    action = tournament.actions.filter(number=number).first()
    while action is not None and action.undoes is not None:
        action = tournament.actions.filter(number=action.undoes).first()
    if action is not None and not may_undo(action, role):
        raise Forbidden(_("Only an organizer can undo this: only an organizer can do it."))


def may_undo(action: Action, role: str | None) -> bool:
    """Whether a member of the staff in that role may take back an action: whoever may do it may."""
    return role == Staff.Role.OWNER or (role == Staff.Role.SCOREKEEPER and action.kind not in OWNER_KINDS)


def last_undoable_action(tournament: Tournament, role: str | None = Staff.Role.OWNER) -> Action | None:
    """The last action of staff that `role` may undo, neither undone nor an undo itself: what “undo” takes back.

    What players did since then is in the log, to be undone there.
    """
    undone = undone_numbers(tournament)
    actions = tournament.actions.filter(number__gt=tournament.baseline_number)
    for action in actions.exclude(actor__startswith=PLAYER_ACTOR).order_by("-number"):
        if action.kind == "create":
            return None
        if action.number in undone or action.undoes is not None or _is_personal(action):
            continue
        if may_undo(action, role):
            return action
    return None


def _is_personal(action: Action) -> bool:
    """Whether undoing would need a name: those are not in the log."""
    return any(
        "personal" in change or (change["fact"].startswith("entries/") and change["after"] is None)
        for change in action.changes
    )


def undone_numbers(tournament: Tournament) -> set[int]:
    """Numbers of the actions that an undo, itself not undone, took back."""
    undone: set[int] = set()
    undos = tournament.actions.exclude(undoes=None).order_by("-number").values_list("number", "undoes")
    for number, target in undos:
        if number not in undone and target is not None:
            undone.add(target)
    return undone


def _check(tournament: Tournament, action: Action) -> None:
    values = {"number": action.number}
    if action.number <= tournament.baseline_number or action.kind == "create":
        raise WrongState(_("Action %(number)s is where this event begins: it cannot be undone."), **values)
    if tournament.state == Tournament.State.FINISHED and action.kind not in ("finish", "correction"):
        raise WrongState(_("The event is finished. Reopen it first."))
    if tournament.profile is not None and _sets_rules(action):
        raise WrongState(_("The rules were fixed when round 1 was published."))
    undone = undone_numbers(tournament)
    if action.number in undone:
        raise WrongState(_("Action %(number)s is already undone."), **values)
    if any(change["fact"].startswith(STAFF) for change in action.changes):
        raise WrongState(_("Staff changes cannot be undone from the log. Change them on the staff page."))
    if _is_personal(action):
        raise WrongState(_("Names are not in the log: enter the old name, or the player, again."))
    touched = _touched_by(action)
    for later in tournament.actions.filter(number__gt=action.number).order_by("number"):
        if later.number in undone or (later.undoes or 0) > action.number:
            continue  # undone, or the undo of something later: nothing is left of it
        if touched & _touched_by(later):
            raise WrongState(
                _("Action %(later)s (%(kind)s) changed the same thing later. Undo that first."),
                later=later.number,
                kind=later.kind,
            )
    _check_publication(tournament, action)


def _sets_rules(action: Action) -> bool:
    """Whether an action before round 1 chose rules that were copied into the event since.

    Later changes hold the copy itself, before and after, and can be undone.
    """
    rules = {"ruleset", "overrides", "best_of", "team"}
    return any(
        change["fact"] == "tournament"
        and rules & set(change["after"] or ())
        and "profile" not in change["after"]
        for change in action.changes
    )


def _touched_by(action: Action) -> set[str]:
    """The fields an action touched; making or removing a fact touches the fact itself."""
    keys: set[str] = set()
    for change in action.changes:
        if "personal" not in change:
            key, before, after = change["fact"], change["before"], change["after"]
            keys |= {f"{key} {name}" for name in after or before or ()}
            keys |= {key} if before is None or after is None else set()
    return keys


def published_round_of(action: Action) -> int | None:
    """The number of the round that an action published; None for any other action."""
    for change in action.changes:
        states = [(change.get(side) or {}).get("state") for side in ("before", "after")]
        if change["fact"].startswith("rounds/") and states == ["draft", "published"]:
            return int(change["fact"].split("/")[1])
    return None


def can_unpublish(tournament: Tournament, number: int) -> bool:
    """Whether a published round can go back to a draft: only while it has no result."""
    matches = Match.objects.filter(round__tournament=tournament, round__number=number)
    return not matches.filter(table__isnull=False, result__isnull=False).exists()


def _check_publication(tournament: Tournament, action: Action) -> None:
    number = published_round_of(action)
    if number is not None and not can_unpublish(tournament, number):
        raise WrongState(_("The round already has results: it stays published."))


def _write_back(log: Log, changes: Sequence[Change]) -> None:
    """Write back what these changes changed; matches made or removed together go in bulk."""
    for (number, made), group in groupby(reversed(changes), _matches_of_round):
        items = list(group)
        if number is None:
            for item in items:
                _write_back_row(log, item)
            continue
        round_ = log.tournament.rounds.get(number=number)
        away = all((item["before"] or item["after"] or {})["result"] in AWAY_RESULTS for item in items)
        with nullcontext() if away else unlocked_seats(round_):
            if made:
                log.unseat(round_, {item["fact"] for item in items})
            else:
                log.seat(round_, map(_match_before, items))


def _matches_of_round(change: Change) -> tuple[int | None, bool]:
    """(round number, whether the action made it) of a match made or removed; (None, False) otherwise."""
    if kind_of(change["fact"]) is None and None in (change["before"], change["after"]):
        return int(change["fact"].split("/")[1]), change["before"] is None
    return None, False


def _match_before(change: Change) -> MatchFact:
    """The match that a change removed; its key is "rounds/4/tables/12" or "rounds/4/entries/P0003"."""
    _rounds, _number, kind, name = change["fact"].split("/")
    return MatchFact.from_log(int(name) if kind == "tables" else None, change["before"] or {})


def _write_back_row(log: Log, change: Change) -> None:
    """Write back one change of a row, or of a match's fields."""
    key, before, after = change["fact"], change["before"], change["after"]
    kind = kind_of(key)
    if after is None:
        assert kind is not None and before is not None
        log.add(kind.model, key, before)
        return
    row = kind.find(log.tournament, key) if kind else find_match(log.tournament, key)
    if before is None:
        log.remove(row)
    else:
        log.set(row, **before)
