"""Undo: a new action that writes back what an earlier one changed."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from functools import cached_property
from typing import Any

from django.contrib.auth import get_user_model
from django.core.exceptions import ObjectDoesNotExist
from django.db import IntegrityError
from django.db.models import Exists, F, OuterRef, Q
from django.utils.translation import gettext as _

from tournament.access.permissions import DESK, may_enter_results
from tournament.actionlog import integrity
from tournament.actionlog.change import STAFF, Repeated, open_action
from tournament.actionlog.facts import ENTRY, SETTINGS_AFTER_END
from tournament.actionlog.match_facts import Fact
from tournament.actionlog.service import AFTER_END_KINDS, OWNER_KINDS
from tournament.actionlog.write_back import write_back
from tournament.errors import Forbidden, WrongState, get_or_refuse
from tournament.models import Action, Match, Penalty, Removal, Round, Staff, Tournament
from tournament.results.desk_rows import DeskRow
from tournament.services.entries import fill_spots, find_entry
from tournament.services.requested_byes import REQUESTS, find_own_rounds, published_refusal
from tournament.services.results import remove_void_reports
from tournament.services.rounds import keeping_table_names
from tournament.services.standings_hooks import standings

UNDO = "undo"
JUDGE_KINDS = ("extend", "penalty", "deck check", "end deck check", "result")  # of actions at a table
LOOKED_AT_TABLE = 500  # actions: undo older ones from the log
FEW = 8  # facts that are searched for in each action's text


def find_undo_obstacles(
    tournament: Tournament, actions: Iterable[Action], undone: Collection[int], *, most: int | None = None
) -> dict[int, WrongState]:
    """Return {action number: why it can no longer be undone}. `most`: how many later actions to check (None: all)."""
    actions = list(actions)
    obstacles = _Obstacles(tournament, actions, undone, most)
    return {action.number: why for action in actions if (why := obstacles.of(action))}


def undone_numbers(tournament: Tournament, since: int) -> set[int]:
    undone: set[int] = set()
    undos = tournament.actions.filter(kind=UNDO, number__gt=since).order_by("-number")
    for number, target in undos.values_list("number", "undoes"):
        if number not in undone and target is not None:
            undone.add(target)
    return undone


def is_personal(action: Action) -> bool:
    """Whether undoing needs a name or decklist, because the log does not contain those."""
    if any("personal" in change for change in action.changes):
        return True
    people = [change for change in action.changes if change["fact"].startswith(("entries/", "decklists/"))]
    if not any(change["after"] is None for change in people):
        return False
    return not Removal.objects.filter(tournament=action.tournament_id, number=action.number).exists()


def find_published_round(action: Action) -> int | None:
    """Return the number of the round that an action published, else None. Restored snapshots count as well."""
    for change in action.changes if action.kind != "restore" else ():
        states = [(change.get(side) or {}).get("state") for side in ("before", "after")]
        if change["fact"].startswith("rounds/") and states == ["draft", "published"]:
            return int(change["fact"].split("/")[1])
    return None


def can_unpublish(tournament: Tournament, number: int) -> bool:
    return number not in _rounds_with_results(tournament)


def _rounds_with_results(tournament: Tournament) -> set[int]:
    """Return the rounds with a result or report, except results that publishing wrote (matches lost by penalty)."""
    matches = Match.objects.filter(round__tournament=tournament, table__isnull=False)
    matches = matches.filter(Q(result__isnull=False) | Q(reports__isnull=False))
    lost = Penalty.objects.filter(counts_in=OuterRef("round__number"), entry__seats__match=OuterRef("pk"))
    matches = matches.exclude(Exists(lost.filter(Q(round=None) | Q(round__number__lt=F("counts_in")))))
    return set(matches.values_list("round__number", flat=True).distinct())


class _Obstacles:
    def __init__(
        self, tournament: Tournament, actions: list[Action], undone: Collection[int], most: int | None
    ) -> None:
        self._tournament, self._undone = tournament, undone
        published = any(map(find_published_round, actions))
        self._with_results = _rounds_with_results(tournament) if published else set()
        self._later = self._later_actions(actions, most)

    @cached_property
    def _complete(self) -> set[int]:
        complete = self._tournament.rounds.filter(swiss=True, state=Round.State.COMPLETE)
        return set(complete.values_list("number", flat=True))

    def _later_actions(self, actions: list[Action], most: int | None) -> dict[str, list[Action]]:
        """Return {field: later actions that changed it, oldest first}, without undone ones."""
        wanted = {key for action in actions for key in _touched_by(action)}
        touching: defaultdict[str, list[Action]] = defaultdict(list)
        first = min((action.number for action in actions), default=self._tournament.revision)
        if first >= self._tournament.revision:
            return touching
        later = self._tournament.actions.filter(number__gt=first)
        facts = {change["fact"] for action in actions for change in action.changes}
        if len(facts) <= FEW:
            later = later.touching(*facts)
        for action in later.order_by("number")[:most].iterator(100):
            if action.number not in self._undone:
                for key in wanted & _touched_by(action):
                    touching[key].append(action)
        return touching

    def of(self, action: Action) -> WrongState | None:
        tournament, values = self._tournament, {"number": action.number}
        if action.number <= tournament.baseline_number or action.kind == "create":
            text = _("Action %(number)s is where this event begins: it cannot be undone.")
            return WrongState(text, **values)
        if tournament.state == Tournament.State.FINISHED and not _is_for_finished_events(action):
            return WrongState(_("The event is finished. Reopen it first."))
        if tournament.profile is not None and _sets_rules(action):
            return WrongState(_("The rules were fixed when round 1 was published."))
        if action.number in self._undone:
            return WrongState(_("Action %(number)s is already undone."), **values)
        if any(change["fact"].startswith(STAFF) for change in action.changes):
            return WrongState(
                _("Staff changes cannot be undone from the log. Change them on the staff page.")
            )
        if all(change["fact"].startswith("decklists/") for change in action.changes) and is_personal(action):
            return WrongState(_("The log does not store decklists. Enter this one again."))
        if is_personal(action):
            return WrongState(_("The log does not store names. Enter the old name, or add the player again."))
        if later := self._first_later(action):
            text = _("Action %(later)s changed the same thing later. Undo that first.")
            return WrongState(text, later=later.number)
        if find_published_round(action) in self._with_results:
            return WrongState(_("The round already has results: it stays published."))
        reported = _rounds_first_reported_by(action)
        if complete := reported and self._complete & reported:
            text = _(
                "Action %(number)s can no longer be undone because later actions build on it: "
                "round %(round)s is complete."
            )
            return WrongState(text, round=min(complete), **values)
        return None

    def _first_later(self, action: Action) -> Action | None:
        later = [
            other
            for key in _touched_by(action)
            for other in self._later.get(key, ())
            if other.number > action.number and (other.undoes or 0) <= action.number
        ]
        return min(later, key=lambda other: other.number, default=None)


def _is_for_finished_events(action: Action) -> bool:
    action = find_origin(action)
    if action.kind != "settings":
        return action.kind in AFTER_END_KINDS
    return all(SETTINGS_AFTER_END.issuperset(change["after"] or ()) for change in action.changes)


def find_origin(action: Action) -> Action:
    """Return the action that an undo, or an undo of an undo, goes back to; any other action itself."""
    while action.undoes and (undone := action.tournament.actions.filter(number=action.undoes).first()):
        action = undone
    return action


def _sets_rules(action: Action) -> bool:
    """Whether an action before round 1 chose rules that have since been copied into the event."""
    rules = {"ruleset", "overrides", "best_of", "team"}
    changed = [set(change["after"] or ()) for change in action.changes if change["fact"] == "tournament"]
    return any(fields & rules and "profile" not in fields for fields in changed)


def _touched_by(action: Action) -> set[str]:
    """Return the fields an action changed. If it created or removed a fact, that is the fact itself."""
    keys: set[str] = set()
    for change in action.changes:
        if "personal" not in change:
            key, before, after = change["fact"], change["before"], change["after"]
            keys |= {f"{key} {name}" for name in after or before or ()}
            keys |= {key} if before is None or after is None else set()
    return keys


def _rounds_first_reported_by(action: Action) -> set[int]:
    """Return the rounds in which the action only entered tables' first results."""
    places = [(change["fact"].split("/"), change.get("before")) for change in action.changes]
    first = {
        int(key[1])
        for key, before in places
        if key[0] == "rounds" and before and "result" in before and before["result"] is None
    }
    return first - {int(key[1]) for key, _before in places if key[0] == "rounds" and len(key) == 2}


def _problems(tournament: Tournament) -> list[str]:
    return integrity.check(tournament, marks=False) + standings().unsettled_matches(tournament)


def undo_action(
    tournament: Tournament, number: int, *, actor: Any = "", key: str = "", expects: str = ""
) -> Action | None:
    """Undo action `number` by a new action. Raises WrongState, naming it, if a later one changed the same fields."""
    try:
        with open_action(tournament, UNDO, actor=actor, key=key, body=[number], undoes=number) as log:
            actions = log.tournament.actions.filter(number=number)
            action = get_or_refuse(actions, _("There is no action %(number)s."), number=number)
            undone = undone_numbers(log.tournament, number)
            if obstacle := find_undo_obstacles(log.tournament, [action], undone).get(number):
                raise obstacle
            _check_requested_byes(log.tournament, action)
            before = set(_problems(log.tournament))
            people, filled = _kept_people(log.tournament, action)
            with keeping_table_names(log):
                write_back(log, action.changes, people)
            for fact, fields in filled.items():
                entry = ENTRY.find(log.tournament, fact)
                same = {name: old for name, (old, new) in fields.items() if getattr(entry, name) == new}
                log.fill_personal(entry, **same)
            log.tournament.removals.filter(number=number).delete()
            remove_void_reports(log)
            if broken := [problem for problem in _problems(log.tournament) if problem not in before]:
                text = _(
                    "Action %(number)s can no longer be undone because later actions build on it: %(problem)s."
                )
                raise WrongState(text, number=number, problem=broken[0])
            standings().confirm_undo(log)
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
    """Return, by fact key, personal fields of removed rows, and [before, after] of filled-in ones."""
    removal = tournament.removals.filter(number=action.number).first()
    kept: dict[str, Fact] = removal.personal if removal else {}
    removed = {change["fact"] for change in action.changes if "after" in change and change["after"] is None}
    people = {key: kept[key] for key in kept if key in removed}
    filled = {key: kept[key] for key in kept if key not in removed}
    for fields in people.values():
        if "user_id" in fields:
            fields["user_id"] = _existing_account(fields["user_id"])
    for fields in filled.values():
        if "user_id" in fields:
            fields["user_id"][0] = _existing_account(fields["user_id"][0])
    return people, filled


def _existing_account(pk: Any) -> Any:
    return pk if get_user_model().objects.filter(pk=pk).exists() else None


def _check_requested_byes(tournament: Tournament, action: Action) -> None:
    for change in action.changes if action.kind in REQUESTS else ():
        entry = find_entry(tournament, change["fact"].split("/")[1])
        old, new = change["before"]["requested_byes"], change["after"]["requested_byes"]
        number = min(bye["round"] for bye in [*old, *new] if bye not in old or bye not in new)
        if number <= find_own_rounds(entry).published:
            raise published_refusal(entry, number)


def may_undo(action: Action, role: str | None) -> bool:
    """Whether this role may do both the action and its reversal."""
    if role == Staff.Role.OWNER:
        return True
    if role != Staff.Role.SCOREKEEPER or _completes_swiss_round(action):
        return False
    return find_origin(action).kind not in OWNER_KINDS


def _completes_swiss_round(action: Action) -> bool:
    """Whether an action completed a round, for example by pairing the next one, which only an organizer may reopen."""
    numbers = [
        int(change["fact"].split("/")[1])
        for change in action.changes
        if change["fact"].startswith("rounds/") and (change["after"] or {}).get("state") == "complete"
    ]
    return bool(numbers) and action.tournament.rounds.filter(number__in=numbers, swiss=True).exists()


def find_last_undoable(tournament: Tournament, role: str | None) -> tuple[Action | None, set[int]]:
    """Return the last staff action that `role` may undo, and the numbers of later ones that were undone."""
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


def last_action_at(tournament: Tournament, row: DeskRow) -> Action | None:
    """Return the last action at a table that judges may do and that is not undone; None if it is long ago."""
    key = row.fact.key_in(row.round)
    players = {player.code for player in (row.a, row.b) if player}
    since = tournament.revision - LOOKED_AT_TABLE
    undone = undone_numbers(tournament, since)
    actions = tournament.actions.filter(kind__in=JUDGE_KINDS, number__gt=since).exclude(number__in=undone)
    for action in actions.order_by("-number"):
        for change in action.changes:
            fact = change["fact"]
            by_judge = fact.startswith(("penalties/", "deck-checks/"))
            about = by_judge and (change.get("after") or {}).get("entry") in players
            if about or fact in (key, f"{key}/extension"):
                return action
    return None


def may_undo_at_table(tournament: Tournament, action: Action, user: Any) -> bool:
    """Whether this staff member may undo the action. Judges may undo only their own actions of certain kinds."""
    if tournament.role in DESK:
        return may_undo(action, tournament.role)
    own = action.actor == str(user) and action.kind in JUDGE_KINDS
    if not own or (action.kind == "result" and not may_enter_results(tournament)):
        return False
    keys = [change["fact"].split("/") for change in action.changes]
    numbers = {int(key[1]) for key in keys if key[0] == "rounds"}
    closed = tournament.rounds.filter(number__in=numbers).exclude(state=Round.State.PUBLISHED)
    return "entries" not in {key[0] for key in keys} and not (numbers and closed.exists())


def undo_as_staff(
    tournament: Tournament, number: int, *, actor: Any, key: str = "", expects: str = ""
) -> Action | None:
    """Undo an action. Raises Forbidden if this member of the staff may not."""
    action = tournament.actions.filter(number=number).first()
    if action is not None and not may_undo_at_table(tournament, action, actor):
        text = _("A judge can undo only what this judge did, while the round is in progress.")
        if tournament.role in DESK:
            text = _("Only an organizer can undo this.")
        raise Forbidden(text)
    return undo_action(tournament, number, actor=actor, key=key, expects=expects)
