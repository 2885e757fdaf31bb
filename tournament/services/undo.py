"""Undo: a new action that writes back what an earlier one had changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.db import IntegrityError
from django.utils.translation import gettext as _

from tournament.actionlog import integrity
from tournament.actionlog.change import STAFF, Repeated, open_action
from tournament.actionlog.fold import Change
from tournament.errors import NotFound, WrongState
from tournament.models import Action, Match, Tournament
from tournament.services.capacity import fill_spots
from tournament.services.self_service import PLAYER_ACTOR
from tournament.services.undo_writes import write_back

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
            action = log.tournament.actions.filter(number=number).first()
            if action is None:
                raise NotFound(_("There is no action %(number)s.") % {"number": number})
            _check(log.tournament, action)
            before = set(_problems(log.tournament))
            write_back(log, action.changes)
            after = _problems(log.tournament)
            if broken := [problem for problem in after if problem not in before]:
                raise WrongState(
                    _(
                        "Action %(number)s can no longer be undone because later actions build on it: %(problem)s."
                    )
                    % {"number": number, "problem": broken[0]}
                )
            fill_spots(log)
    except Repeated as repeated:
        return repeated.action
    except (IntegrityError, ObjectDoesNotExist, KeyError):  # a row that later facts need, or one that is gone
        raise WrongState(
            _("Action %(number)s can no longer be undone because later actions build on it.")
            % {"number": number}
        ) from None
    return log.action


def last_undoable_action(tournament: Tournament) -> Action | None:
    """The last action of staff that is neither undone nor an undo itself: what “undo” at the desk takes back.

    What players did since then is in the log, to be undone there.
    """
    undone = undone_numbers(tournament)
    actions = tournament.actions.filter(number__gt=tournament.baseline_number)
    for action in actions.exclude(actor__startswith=PLAYER_ACTOR).order_by("-number"):
        if action.kind == "create":
            return None
        if action.undoes is None and action.number not in undone and not _is_personal(action):
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
        raise WrongState(_("Action %(number)s is where this event begins: it cannot be undone.") % values)
    if tournament.state == Tournament.State.FINISHED and action.kind != "finish":
        raise WrongState(_("The event is finished. Reopen it first."))
    if tournament.profile is not None and _sets_rules(action):
        raise WrongState(_("The rules were fixed when round 1 was published."))
    undone = undone_numbers(tournament)
    if action.number in undone:
        raise WrongState(_("Action %(number)s is already undone.") % values)
    if any(change["fact"].startswith(STAFF) for change in action.changes):
        raise WrongState(_("Staff changes cannot be undone from the log. Change them on the staff page."))
    if _is_personal(action):
        raise WrongState(_("Names are not in the log: enter the old name, or the player, again."))
    touched = {key for change in action.changes for key in _touched(change)}
    for later in tournament.actions.filter(number__gt=action.number).order_by("number"):
        if later.number in undone or (later.undoes or 0) > action.number:
            continue  # undone, or the undo of something later: nothing is left of it
        if touched & {key for change in later.changes for key in _touched(change)}:
            raise WrongState(
                _("Action %(later)s (%(kind)s) changed the same thing later. Undo that first.")
                % {"later": later.number, "kind": later.kind}
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


def _touched(change: Change) -> set[str]:
    """The fields a change touched; making or removing a fact touches the fact itself."""
    if "personal" in change:
        return set()
    key = change["fact"]
    if change["before"] is None or change["after"] is None:
        return {key} | {f"{key} {name}" for name in (change["after"] or change["before"] or ())}
    return {f"{key} {name}" for name in change["after"]}


def _check_publication(tournament: Tournament, action: Action) -> None:
    """A published round goes back to a draft only while it has no result."""
    for change in action.changes:
        after = change.get("after") or {}
        if not change["fact"].startswith("rounds/") or after.get("state") != "published":
            continue
        if (change.get("before") or {}).get("state") != "draft":
            continue
        matches = Match.objects.filter(
            round__tournament=tournament, round__number=change["fact"].split("/")[1]
        )
        if matches.filter(table__isnull=False, result__isnull=False).exists():
            raise WrongState(_("The round already has results: it stays published."))
