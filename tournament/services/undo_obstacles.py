"""Reasons why an action cannot be undone: later actions built on it, or a name the log does not hold."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from functools import cached_property

from django.db.models import Exists, F, OuterRef, Q
from django.utils.translation import gettext as _

from tournament.actionlog.change import STAFF
from tournament.actionlog.facts import SETTINGS_AFTER_END
from tournament.actionlog.service import AFTER_END_KINDS
from tournament.errors import WrongState
from tournament.models import Action, Match, Penalty, Removal, Round, Tournament

UNDO = "undo"
FEW = 8  # facts that are searched for in each action's text


def obstacles_of(
    tournament: Tournament, actions: Iterable[Action], undone: Collection[int], *, most: int | None = None
) -> dict[int, WrongState]:
    """Return why these actions can no longer be undone, by number, in three queries.

    `undone`: the `undone_numbers`; `most`: how many later actions are looked at, None for all. For the others, only
    trying tells whether they can be undone.
    """
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
    """Whether undoing needs a name or decklist, which the log does not hold."""
    personal = any(
        "personal" in change
        or (change["fact"].startswith(("entries/", "decklists/")) and change["after"] is None)
        for change in action.changes
    )
    return personal and not _is_kept(action)


def _is_kept(action: Action) -> bool:
    if any("personal" in change for change in action.changes):
        return False
    return Removal.objects.filter(tournament=action.tournament_id, number=action.number).exists()


def published_round_of(action: Action) -> int | None:
    """Return the number of the round that an action published, else None, also for a restored snapshot."""
    for change in action.changes if action.kind != "restore" else ():
        states = [(change.get(side) or {}).get("state") for side in ("before", "after")]
        if change["fact"].startswith("rounds/") and states == ["draft", "published"]:
            return int(change["fact"].split("/")[1])
    return None


def can_unpublish(tournament: Tournament, number: int) -> bool:
    """Whether a published round can become a draft: only while it has no result."""
    return number not in _rounds_with_results(tournament)


def _rounds_with_results(tournament: Tournament) -> set[int]:
    """Return rounds with a result or report, except results written by publishing: matches lost by penalty."""
    matches = Match.objects.filter(round__tournament=tournament, table__isnull=False)
    matches = matches.filter(Q(result__isnull=False) | Q(reports__isnull=False))
    lost = Penalty.objects.filter(
        Q(round=None) | Q(round__number__lt=F("counts_in")),
        counts_in=OuterRef("round__number"),
        entry__seats__match=OuterRef("pk"),
    )
    matches = matches.exclude(Exists(lost))
    return set(matches.values_list("round__number", flat=True).distinct())


class _Obstacles:
    def __init__(
        self, tournament: Tournament, actions: list[Action], undone: Collection[int], most: int | None
    ) -> None:
        self._tournament, self._undone = tournament, undone
        self._with_results = (
            _rounds_with_results(tournament) if any(map(published_round_of, actions)) else set()
        )
        self._later = self._later_actions(actions, most)

    @cached_property
    def _complete(self) -> set[int]:
        complete = self._tournament.rounds.filter(swiss=True, state=Round.State.COMPLETE)
        return set(complete.values_list("number", flat=True))

    def _later_actions(self, actions: list[Action], most: int | None) -> dict[str, list[Action]]:
        """Return {field: actions that changed it, oldest first}, without undone ones."""
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
            return WrongState(
                _("Action %(number)s is where this event begins: it cannot be undone."), **values
            )
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
            return WrongState(_("What a decklist says is not in the log: enter it again."))
        if is_personal(action):
            return WrongState(_("Names are not in the log: enter the old name, or the player, again."))
        if later := self._first_later(action):
            text = _("Action %(later)s changed the same thing later. Undo that first.")
            return WrongState(text, later=later.number)
        if published_round_of(action) in self._with_results:
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
    action = origin_of(action)
    if action.kind != "settings":
        return action.kind in AFTER_END_KINDS
    return all(SETTINGS_AFTER_END.issuperset(change["after"] or ()) for change in action.changes)


def origin_of(action: Action) -> Action:
    """Return the original action behind an undo, or an undo of an undo; any other action itself."""
    while action.undoes and (undone := action.tournament.actions.filter(number=action.undoes).first()):
        action = undone
    return action


def _sets_rules(action: Action) -> bool:
    """Whether an action before round 1 chose rules that were copied into the event since."""
    rules = {"ruleset", "overrides", "best_of", "team"}
    return any(
        change["fact"] == "tournament"
        and rules & set(change["after"] or ())
        and "profile" not in change["after"]
        for change in action.changes
    )


def _touched_by(action: Action) -> set[str]:
    """Return the fields an action touched; making or removing a fact touches the fact itself."""
    keys: set[str] = set()
    for change in action.changes:
        if "personal" not in change:
            key, before, after = change["fact"], change["before"], change["after"]
            keys |= {f"{key} {name}" for name in after or before or ()}
            keys |= {key} if before is None or after is None else set()
    return keys


def _rounds_first_reported_by(action: Action) -> set[int]:
    """Return the rounds in which the action only entered a table's first result."""
    places = [(change["fact"].split("/"), change.get("before")) for change in action.changes]
    first = {
        int(key[1])
        for key, before in places
        if key[0] == "rounds" and before and "result" in before and before["result"] is None
    }
    return first - {int(key[1]) for key, _before in places if key[0] == "rounds" and len(key) == 2}
