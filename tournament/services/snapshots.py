"""Restore a snapshot to a new event, or over its own event as one action, which one undo reverses."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.db import transaction
from django.utils.translation import gettext as _

from tournament.actionlog import integrity
from tournament.actionlog.change import open_action
from tournament.actionlog.facts import SETTINGS_AFTER_END, STAFF_INBOX, is_report
from tournament.actionlog.fold import Change, State, changes_between, earlier_state, steps_between, taken_back
from tournament.actionlog.service import Log, service
from tournament.actionlog.write_back import write_back
from tournament.archive import snapshots
from tournament.archive.load import load_event
from tournament.archive.snapshots import Snapshot, read_snapshot
from tournament.errors import Conflict, WrongState, get_or_refuse
from tournament.event.read import Person, load_state, read_person, read_state
from tournament.models import Action, Tournament
from tournament.models.slugs import free_slug
from tournament.services.events import created_before

# Settings that stay as they are today.
KEPT = SETTINGS_AFTER_END | {"archived", "announcement", "announcement_until", "decklists_public"}
Personal = Mapping[str, Person]  # of players by the keys of their facts


def restore_as_new(tournament: Tournament, snapshot: Snapshot, *, owner: Any, key: str = "") -> Tournament:
    """Create a new, unlisted event from the snapshot. The same form (`key`) sent twice creates one event."""
    wanted, body = f"{tournament.slug[:60]}-from-{snapshot.number}", [tournament.pk, snapshot.number]
    event = read_snapshot(tournament, snapshot)
    name = _("%(name)s (restored)") % {"name": event.name[:100]}
    with transaction.atomic():
        if earlier := created_before(owner, key, body):
            return earlier
        rows = Tournament.objects.select_for_update().filter(pk=tournament.pk)
        get_or_refuse(rows, _("This event has been deleted."))
        slug = free_slug(Tournament, wanted, snapshots.addresses_with_files())
        restored = load_event(event, owner=owner, slug=slug)
        with open_action(restored, "create", actor=owner, key=key, body=body) as log:
            log.set(log.tournament, name=name, listed=False)
    return restored


def belongs_to_log(tournament: Tournament, snapshot: Snapshot) -> bool:
    """Whether the event's log contains the snapshot's last action, after the facts the event was loaded with."""
    log = read_snapshot(tournament, snapshot).log
    if not log or log[-1].number != snapshot.number or snapshot.number <= tournament.baseline_number:
        return False
    last = log[-1]
    return tournament.actions.filter(number=last.number, at=last.at, kind=last.kind, key=last.key).exists()


def changes_by_restoring(tournament: Tournament, snapshot: Snapshot) -> list[Change]:
    now = load_state(tournament)[0]
    return list(changes_between(now, _state_to_restore(tournament, now, snapshot.number)))


def restore_over(
    tournament: Tournament, snapshot: Snapshot, *, seen: int, actor: Any, key: str = "", reason: str
) -> Action | None:
    """Restore the event to the snapshot, after taking one of its present state `seen` (the revision shown).

    Players added since then are withdrawn. Names, contacts, player links, messages, decklists, staff and public
    settings stay as they are. Raises OSError if no snapshot can be written.
    """
    if not belongs_to_log(tournament, snapshot):
        raise WrongState(_("This snapshot does not belong to this event's log. Restore it into a new event."))
    event = read_snapshot(tournament, snapshot)
    people = {f"entries/{code}": read_person(entry) for code, entry in event.entries.items()}
    for penalty in tournament.penalties.exclude(description=""):
        people[f"penalties/{penalty.number}"] = {"description": penalty.description}
    if tournament.revision == seen:
        snapshots.write_snapshot(tournament, seen, snapshots.BEFORE_RESTORE)
    return _restore(tournament, snapshot.number, people, seen, actor=actor, key=key, reason=reason)


@service("restore", computed=("people",), after_end=True, owner=True)
def _restore(log: Log, number: int, people: Personal, seen: int) -> None:
    """Write every fact as it was after action `number`. `people`: personal fields of removed players."""
    tournament = log.tournament
    if tournament.revision != seen:
        text = _(
            "Something changed since you opened this page. Nothing was restored. Review what would change now."
        )
        raise Conflict(text)
    before = set(integrity.check(tournament, marks=False))
    now = read_state(tournament)[0]
    steps = steps_between(now, _state_to_restore(tournament, now, number))
    try:
        write_back(log, taken_back(steps), people)
    except ObjectDoesNotExist as error:
        text = _("This snapshot cannot be restored over the event. Restore it into a new event.")
        raise WrongState(text) from error
    if broken := [problem for problem in integrity.check(tournament, marks=False) if problem not in before]:
        text = _("This snapshot cannot be restored over the event: %(problem)s. Restore it into a new event.")
        raise WrongState(text, problem=broken[0])


def _state_to_restore(tournament: Tournament, now: State, number: int) -> State:
    """Return the facts after action `number`, with today's newer players, messages, decklists and public settings."""
    then = earlier_state(tournament, now, number)
    kept = {name: now["tournament"][name] for name in KEPT}
    facts = {key: fact for key, fact in then.items() if not (key.startswith(STAFF_INBOX) or is_report(key))}
    facts["tournament"] = {**then["tournament"], **kept}
    for key, fact in now.items():
        if key.startswith("entries/") and key not in then:
            stays = fact["house"] or fact["status"] == "merged"
            facts[key] = fact if stays else {**fact, "status": "dropped", "dropped_after": 0, "waits": None}
        elif is_report(key) and _is_reported_on(key.partition("/reports/")[0], now, facts):
            facts[key] = fact
        elif key.startswith("flags/"):
            facts[key] = {**fact, "round": fact["round"] if f"rounds/{fact['round']}" in then else None}
        elif key.startswith("decklists/"):
            facts[key] = {**fact, "entry": then.get(key, fact)["entry"]}
    return facts


def _is_reported_on(match: str, now: State, then: State) -> bool:
    before, after = now[match], then.get(match)
    if after is None or then["tournament"].get("reporting", "off") == "off":
        return False
    published = then["/".join(match.split("/")[:2])]["state"] == "published"
    return published and all(before[name] == after[name] for name in ("a", "b", "result"))
