"""Undo: a later action that writes back what an earlier one had changed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from itertools import groupby
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.db import IntegrityError
from django.utils.translation import gettext as _

from tournament.actionlog import integrity
from tournament.actionlog.change import AWAY_RESULTS, STAFF, Log, Repeated, open_action, unlocked_seats
from tournament.actionlog.facts import kind_of
from tournament.actionlog.match_facts import MatchFact, find_match
from tournament.errors import NotFound, WrongState
from tournament.models import Action, Match, Tournament
from tournament.services.capacity import fill_spots
from tournament.services.self_service import PLAYER_ACTOR

_checks: list[Callable[[Tournament], list[str]]] = []


def add_undo_check(check: Callable[[Tournament], list[str]]) -> None:
    """Let `check` name, in sentences, what an undo would leave wrong elsewhere (a bracket): it is refused then."""
    if check not in _checks:
        _checks.append(check)


def _problems(tournament: Tournament) -> list[str]:
    return integrity.check(tournament, marks=False) + [
        said for check in _checks for said in check(tournament)
    ]


def undo_action(tournament: Tournament, number: int, *, actor: Any = "", key: str = "") -> Action | None:
    """Take action `number` back, as a new action.

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
            wrong = set(_problems(log.tournament))
            _write_all_back(log, action.changes)
            now = _problems(log.tournament)
            if broken := [problem for problem in now if problem not in wrong]:
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
    """The last action of staff that stands and is no undo itself: what “undo” on the desk takes back.

    What players did meanwhile is in the log, to be undone there.
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
    """Whether undoing would have to give back a name: those are not in the log."""
    return any(
        "personal" in item or (item["fact"].startswith("entries/") and item["after"] is None)
        for item in action.changes
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
    said = {"number": action.number, "kind": action.kind}
    if action.number <= tournament.baseline_number or action.kind == "create":
        raise WrongState(_("Action %(number)s is where this event begins: it cannot be undone.") % said)
    if tournament.state == Tournament.State.FINISHED and action.kind != "finish":
        raise WrongState(_("The event is finished. Reopen it first."))
    if tournament.profile is not None and _sets_rules(action):
        raise WrongState(_("The rules were fixed when round 1 was published."))
    undone = undone_numbers(tournament)
    if action.number in undone:
        raise WrongState(_("Action %(number)s is already undone.") % said)
    if any(item["fact"].startswith(STAFF) for item in action.changes):
        raise WrongState(_("Staff changes cannot be undone from the log. Change them on the staff page."))
    if _is_personal(action):
        raise WrongState(_("Names are not in the log: enter the old name, or the player, again."))
    touched = {key for item in action.changes for key in _touched(item)}
    for later in tournament.actions.filter(number__gt=action.number).order_by("number"):
        if later.number in undone or (later.undoes or 0) > action.number:
            continue  # taken back, or taking back something later still: nothing is left of it
        if touched & {key for item in later.changes for key in _touched(item)}:
            raise WrongState(
                _("Action %(later)s (%(kind)s) changed the same thing later. Undo that first.")
                % {"later": later.number, "kind": later.kind}
            )
    _check_publication(tournament, action)


def _sets_rules(action: Action) -> bool:
    """Whether an action of the set-up chose rules that were copied into the event since.

    Later changes carry the copy itself, before and after, and can be taken back.
    """
    rules = {"ruleset", "overrides", "best_of", "team"}
    return any(
        item["fact"] == "tournament" and rules & set(item["after"] or ()) and "profile" not in item["after"]
        for item in action.changes
    )


def _touched(item: dict[str, Any]) -> set[str]:
    """The fields a change touched; making or removing a fact touches the fact itself."""
    if "personal" in item:
        return set()
    key = item["fact"]
    if item["before"] is None or item["after"] is None:
        return {key} | {f"{key} {name}" for name in (item["after"] or item["before"])}
    return {f"{key} {name}" for name in item["after"]}


def _check_publication(tournament: Tournament, action: Action) -> None:
    """A published round goes back to a draft only while it has no result."""
    for item in action.changes:
        after = item.get("after") or {}
        if not item["fact"].startswith("rounds/") or after.get("state") != "published":
            continue
        if (item.get("before") or {}).get("state") != "draft":
            continue
        matches = Match.objects.filter(round__tournament=tournament, round__number=item["fact"].split("/")[1])
        if matches.filter(table__isnull=False, result__isnull=False).exists():
            raise WrongState(_("The round already has results: it stays published."))


def _write_all_back(log: Log, changes: list[dict[str, Any]]) -> None:
    """Write the befores, last change first; matches made or taken away together go in bulk."""
    for (number, made), group in groupby(reversed(changes), _bulk):
        items = list(group)
        if number is None:
            for item in items:
                _write_back(log, item)
            continue
        round_ = log.tournament.rounds.get(number=number)
        away = all((item["before"] or item["after"])["result"] in AWAY_RESULTS for item in items)
        with nullcontext() if away else unlocked_seats(round_):
            if made:
                log.unseat(round_, {item["fact"] for item in items})
            else:
                log.seat(round_, [MatchFact.from_log(_table(item["fact"]), item["before"]) for item in items])


def _bulk(item: dict[str, Any]) -> tuple[int | None, bool]:
    """(round number, whether the action made it) of a match made or taken away; (None, False) otherwise."""
    if kind_of(item["fact"]) is None and None in (item["before"], item["after"]):
        return int(item["fact"].split("/")[1]), item["before"] is None
    return None, False


def _table(key: str) -> int | None:
    parts = key.split("/")
    return int(parts[3]) if parts[2] == "tables" else None


def _write_back(log: Log, item: dict[str, Any]) -> None:
    """One change of a row, or of a match's fields."""
    key, before, after = item["fact"], item["before"], item["after"]
    kind = kind_of(key)
    if after is None:
        assert kind is not None
        log.add(kind.model, key, before)
        return
    row = kind.find(log.tournament, key) if kind else find_match(log.tournament, key)
    if before is None:
        log.remove(row)
    else:
        log.set(row, **before)
