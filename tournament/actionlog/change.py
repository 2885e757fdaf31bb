"""The only way facts change.

    with open_action(tournament, "drop", actor=user, key=key) as log:
        log.set(entry, status="dropped", dropped_after=3)

This opens a transaction, takes the tournament's row lock first, writes the named fields, and records the values before
and after in one numbered action. Earlier states, replay and undo are folds of that log.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.db.models import Max, Model
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament import models
from tournament.actionlog import facts, integrity, match_facts
from tournament.actionlog.actors import check_pace
from tournament.actionlog.fold import Change
from tournament.actionlog.match_facts import Fact, MatchFact, find_match, match_key, read_match
from tournament.actionlog.turns import turn_to_write
from tournament.errors import Conflict, NeedsConfirmation, NotFound, Refused
from tournament.models import Action, Match, Round, Tournament
from tournament.monitoring.metrics import note_save, note_turn
from tournament.rulesets import is_meeting

logger = logging.getLogger("tournament.log")

STAFF = ("staff/", "invites/")  # what the log mentions of the people who run the event


Listener = Callable[[Tournament, Action], None]
_listeners: list[Listener] = []


def add_log_listener(listener: Listener) -> None:
    """Register a function that is called with each committed action; its exceptions are only logged."""
    if listener not in _listeners:
        _listeners.append(listener)


class Repeated(Exception):
    """The same form was sent twice; the first time made `action`."""

    def __init__(self, action: Action):
        super().__init__(f"already done as action {action.number}")
        self.action = action


def hash_body(body: Any) -> str:
    """Return the SHA-256 of a form's content, to detect one key used for two contents."""
    return hashlib.sha256(json.dumps(body, sort_keys=True, default=str).encode()).hexdigest()


@contextmanager
def open_action(
    tournament: Tournament,
    kind: str,
    *,
    actor: Any = "",
    key: str = "",
    body: Any = None,
    reason: str = "",
    undoes: int | None = None,
    preview: bool = False,
) -> Iterator[Log]:
    """Open a transaction with the row lock; if anything changes, write one action and one log line.

    A `preview` is rolled back; its action says what would be written. Raises Repeated if `key` was used before with the
    same body, Conflict if with another body, NotFound if the event is gone.
    """
    started = time.perf_counter()
    with turn_to_write() as end_turn, transaction.atomic():
        transaction.on_commit(end_turn)  # before the listeners
        locked = Tournament.objects.select_for_update().filter(pk=tournament.pk).first()
        if locked is None:
            raise NotFound(_("This event has been deleted."))
        note_turn(started)
        if not preview and (earlier := repeated_action(locked, kind, key, body)):
            raise Repeated(earlier)
        digest = hash_body(body) if key else ""
        # Composed like names, so that anonymizing finds them.
        why = unicodedata.normalize("NFC", str(reason or ""))
        about = {"kind": kind, "key": key, "body": digest, "reason": why, "undoes": undoes}
        log = Log(locked, str(actor or ""), about)
        yield log
        log.close()
        if log.action:
            transaction.on_commit(log.tell_listeners, robust=True)
        transaction.set_rollback(preview)
        if not preview:
            tournament.refresh_from_db()  # under the lock, where no one has deleted it
    if preview:
        tournament.refresh_from_db()
    if log.action and not preview:
        note_save(log.action, actor, started)
    if log.closed_round and not preview:
        for problem in integrity.check(tournament):
            logger.error("%s #%s broke an invariant: %s", locked.slug, tournament.revision, problem)


def repeated_action(tournament: Tournament, kind: str, key: str, body: Any) -> Action | None:
    """Return the action this form already made. Raises Conflict if the key came with other content or another kind."""
    earlier = tournament.actions.sent_as(key).first() if key else None
    if earlier is None:
        return None
    if earlier.body != hash_body(body) or earlier.kind != kind:
        raise Conflict(_("This form was already sent with different values. Reload the page."))
    return earlier


def do_once(
    tournament: Tournament, kind: str, key: str, body: Any, work: Callable[[], Action | None]
) -> Action | None:
    """Return the result of `work` or, if it was refused because this form was sent before, its action."""
    try:
        return work()
    except Refused:
        if earlier := repeated_action(tournament, kind, key, body):
            return earlier
        raise


class Log:
    """One action while it is being written. `tournament` is the locked row."""

    def __init__(self, tournament: Tournament, actor: str, about: dict[str, Any]):
        self.tournament = tournament
        self.actor = actor
        self.about = about  # the other columns of the action
        self.changes: list[Change] = []
        # other players' matches that change, as (before, after), to be confirmed first
        self.to_confirm: list[tuple[str, str]] = []
        self.advice = ""  # what else the person can do
        self.action: Action | None = None
        self.closed_round = False  # an action that completes a round is checked at once
        self._matches: set[int] = set()
        self._facts: dict[int, MatchFact] = {}  # of matches, as they stand
        self._versioned: set[int] = set()  # matches whose row has this action's number already
        self._rounds: set[int] = set()
        self._standings = False
        self._at_one_table = 0  # changes visible only to staff and the players there
        # personal fields of removed or filled-in rows, by fact key
        self.removed: dict[str, Fact] = {}
        self._people = False  # players were added or removed, which may renumber equal names

    @property
    def reason(self) -> str:
        return str(self.about["reason"] or "").strip()

    @property
    def number(self) -> int:
        return self.tournament.revision + 1

    def set(self, row: Model, **fields: Any) -> bool:
        """Save the named fields that differ, in log format. Return whether any did."""
        if isinstance(row, Match):
            key, before = match_key(row), self.read(row).to_log()
        else:
            kind = facts.KINDS[type(row)]
            key, before = kind.key_of(row), facts.read_row(kind, row, fields)
        after = {name: value for name, value in fields.items() if before[name] != value}
        if not after:
            return False
        if isinstance(row, Match):
            met = is_meeting(self.tournament.profile or {}, after.get("result"))
            match_facts.write_match(row, after, met, version=self.number, first=before["games"] is None)
            self._facts[row.pk] = MatchFact.from_log(row.table, before | after)
            self._versioned.add(row.pk)
        else:
            facts.write_row(kind, self.tournament, row, after)
            if "profile" in after:
                match_facts.mark_meetings(self.tournament)
        self.record(key, {name: before[name] for name in after}, after, row)
        return True

    def read(self, match: Match) -> MatchFact:
        if match.pk not in self._facts:
            self._facts[match.pk] = read_match(match)
        return self._facts[match.pk]

    def set_personal(self, row: Model, **fields: Any) -> None:
        """Save the personal fields that differ. The log names them but not their values."""
        changed = {name: value for name, value in fields.items() if getattr(row, name) != value}
        if changed:
            self.changes.append({"fact": facts.KINDS[type(row)].key_of(row), "personal": sorted(changed)})
            if isinstance(row, models.Entry):
                given = {name: fields[name] for name in facts.FORMER if name in fields}
                changed = {**facts.former_fields(row, changed), **changed, **given}
            self._save_personal(row, changed)

    def fill_personal(self, row: Model, **fields: Any) -> None:
        """Save personal fields by column name. An undo finds their [before, after] values outside the log."""
        old = {name: getattr(row, name) for name in fields}
        if changed := {name: value for name, value in fields.items() if old[name] != value}:
            key = facts.KINDS[type(row)].key_of(row)
            self.removed[key] = {name: [old[name], value] for name, value in changed.items()}
            self._save_personal(row, changed)

    def _save_personal(self, row: Model, fields: Fact) -> None:
        facts.KINDS[type(row)].check_lengths(fields)
        for name, value in fields.items():
            setattr(row, name, value)
        row.save(update_fields=list(fields))
        if not fields.keys().isdisjoint(facts.PUBLIC_PERSONAL_FIELDS):
            self._standings = self._people = True

    def set_personal_fields(self, rows: Collection[Model], names: Collection[str]) -> None:
        if rows and not set(facts.PUBLIC_PERSONAL_FIELDS).isdisjoint(names):
            self._standings = self._people = True
        for model in {type(row) for row in rows}:
            model._default_manager.bulk_update(rows, list(names), batch_size=200)
            key_of = facts.KINDS[model].key_of
            self.changes += [{"fact": key_of(row), "personal": sorted(names)} for row in rows]

    def mention(self, fact: str, *words: str) -> None:
        """Log something private that is not a fact of the event, such as staff or phones. It cannot be undone."""
        self.changes.append({"fact": fact, "personal": list(words)})
        self._at_one_table += 1

    def add(self, model: type[Model], key: str, fields: Fact, personal: Fact | None = None) -> Any:
        """Add a row under its natural key. Fields not given get their defaults, which are recorded too."""
        kind = facts.KINDS[model]
        row = facts.new_row(kind, self.tournament, key, fields, personal)
        row.save(force_insert=True)
        self.record(key, None, facts.read_row(kind, row), row)
        return row

    def add_next(self, model: type[Model], fields: Fact, personal: Fact | None = None) -> None:
        """Add a row under the next free number of its kind, such as "flags/3"."""
        rows = model._default_manager.filter(tournament=self.tournament)
        number = (rows.aggregate(last=Max("number"))["last"] or 0) + 1
        self.add(model, facts.KINDS[model].key.format(number=number), fields, personal)

    def add_event(self) -> None:
        fact = facts.read_row(facts.TOURNAMENT, self.tournament)
        self.changes = [{"fact": "tournament", "before": None, "after": fact}]

    def enter(self, stage: models.Stage, people: dict[str, tuple[Fact, Fact]]) -> None:
        entries = [
            facts.new_row(facts.ENTRY, self.tournament, f"entries/{code}", known, personal)
            for code, (known, personal) in people.items()
        ]
        self.add_all(entries)
        self.add_all([models.StageEntry(stage=stage, entry=entry) for entry in entries])

    def remove(self, row: Model) -> None:
        """Delete a row that is not a match; for matches there is `unseat`."""
        kind = facts.KINDS[type(row)]
        key, before = kind.key_of(row), facts.read_row(kind, row)
        row.delete()
        self.record(key, before, None, None)

    def set_all(self, rows: Sequence[Model], **fields: Any) -> None:
        """Save the same fields, in bulk, in rows of one kind. Each row must differ in each field."""
        for row in rows:
            kind = facts.KINDS[type(row)]
            self.record(kind.key_of(row), facts.read_row(kind, row, fields), dict(fields), row)
        if rows:
            type(rows[0])._default_manager.filter(pk__in=[row.pk for row in rows]).update(**fields)

    def add_all(self, rows: Sequence[Model]) -> None:
        if rows:
            type(rows[0])._default_manager.bulk_create(rows)
        for row in rows:
            kind = facts.KINDS[type(row)]
            self.record(kind.key_of(row), None, facts.read_row(kind, row), row)

    def remove_all(self, rows: Sequence[Model], *, keep: bool = False) -> None:
        """Delete rows of one kind, in bulk. `keep`: store their personal fields for an undo."""
        for row in rows:
            kind = facts.KINDS[type(row)]
            key = kind.key_of(row)
            if keep and kind.personal:
                columns = [kind.column(name).attname for name in kind.personal]
                self.removed[key] = {name: getattr(row, name) for name in columns}
            self.record(key, facts.read_row(kind, row), None, None)
        if rows:
            type(rows[0])._default_manager.filter(pk__in=[row.pk for row in rows]).delete()

    def seat(self, round_: Round, matches: Iterable[MatchFact]) -> None:
        matches = list(matches)
        match_facts.create_matches(round_, matches, self.number)  # their version is this action's already
        for fact in matches:
            self.changes.append({"fact": fact.key_in(round_.number), "before": None, "after": fact.to_log()})
        self._note_seats(round_)

    def unseat(
        self, round_: Round, keys: Collection[str] | None = None, *, of: Collection[str] | None = None
    ) -> None:
        """Delete matches of a round and everything attached: all, those with `keys`, or those of players in `of`."""
        matches = round_.matches.all()
        if of is not None:
            matches = matches.filter(pk__in=round_.seats.filter(entry__code__in=of).values("match"))
        stored = match_facts.match_facts(matches)
        if keys is not None:
            stored = {key: stored[key] for key in stored if key in keys}
        pks = [match.pk for match in stored.values()]
        for model in (models.Extension, models.Report):
            for row in model._default_manager.filter(match__in=pks).select_related("match__round"):
                self.remove(row)
        # Triggers refuse it unless the round is draft or repairing.
        models.Seat.objects.filter(match__in=pks).delete()
        Match.objects.filter(pk__in=pks).delete()
        self._facts.clear()
        for key, match in stored.items():
            self.changes.append({"fact": key, "before": match.fact.to_log(), "after": None})
        self._note_seats(round_)

    def _note_seats(self, round_: Round) -> None:
        self._rounds.add(round_.pk)
        self._standings |= not round_.swiss or round_.state == Round.State.COMPLETE

    def reseat(self, seats: Mapping[str, Fact]) -> None:
        """Change players (`a`, `b`) or waivers of these tables at once. Reports of the previous players are removed."""
        rows = {key: find_match(self.tournament, key) for key in seats}
        if any(fields.keys() - {"waived"} for fields in seats.values()):
            for report in models.Report.objects.filter(match__in=list(rows.values())):
                self.remove(report)
        self._facts.clear()
        before = {key: read_match(row) for key, row in rows.items()}
        match_facts.replace_seats([(row, before[key]._replace(**seats[key])) for key, row in rows.items()])
        for key, row in rows.items():
            fact = before[key].to_log()
            self.record(key, {name: fact[name] for name in seats[key]}, dict(seats[key]), row)

    def record(self, key: str, before: Fact | None, after: Fact | None, row: Model | None) -> None:
        """Record a change that was written, and its effect on the versions of rounds and standings."""
        self.changes.append({"fact": key, "before": before, "after": after})
        if isinstance(row, Match):
            self._matches.add(row.pk)
            if facts.PAIRING_FIELDS & set(after or ()):
                self._rounds.add(row.round_id)
            self._standings |= row.round.state == Round.State.COMPLETE or not row.round.swiss
        elif isinstance(row, Round) and not (before and after and set(after) <= set(facts.CLOCK_FIELDS)):
            self._rounds.add(row.pk)
            states = [(fact or {}).get("state") for fact in (before, after)]
            self.closed_round |= states[1] == Round.State.COMPLETE
            self._standings |= Round.State.COMPLETE in states or not row.swiss
        if key.startswith("entries/") and (before is None or after is None):
            self._people = True
        self._standings |= facts.is_public(key, before, after)
        self._at_one_table += facts.is_private_to_table(key, before, after, row)

    def check_confirmed(self, expects: str, number: int | None = None) -> None:
        """Raise Conflict if the changes or the action differ from those shown, NeedsConfirmation if none were shown."""
        if number not in (None, self.number) or (expects and hash_body(self.changes) != expects):
            raise Conflict(_("This is no longer what you were shown. Nothing was saved. Look at it again."))
        if self.to_confirm and not expects:
            raise NeedsConfirmation(self.to_confirm, self.advice, hash_body(self.changes))

    def close(self) -> None:
        if not self.changes:
            return
        check_pace(self.tournament, self.actor)
        tournament, number = self.tournament, self.number
        about = {**self.about, "actor": self.actor, "changes": self.changes}
        self.action = Action(tournament=tournament, number=number, at=timezone.now(), **about)
        self.action.save(force_insert=True)
        if self.removed:
            models.Removal.objects.create(tournament=tournament, number=number, personal=self.removed)
        marks = ["revision"]
        # A correction (with a reason) and its undo are shown to players, whatever they change.
        corrects = self.reason or self.about["undoes"] is not None
        if self._at_one_table < len(self.changes) or corrects:
            marks.append("public_revision")
        if self._standings:
            marks.append("standings_revision")
        for mark in marks:
            setattr(tournament, mark, number)
        tournament.save(update_fields=marks)
        if self._people:
            self._rounds |= set(tournament.rounds.values_list("pk", flat=True))
        if reseated := self._matches - self._versioned:
            Match.objects.filter(pk__in=reseated).update(version=number)
        if self._rounds:
            Round.objects.filter(pk__in=self._rounds).update(revision=number)

    def tell_listeners(self) -> None:
        for listener in _listeners:
            if self.action:
                listener(self.tournament, self.action)
