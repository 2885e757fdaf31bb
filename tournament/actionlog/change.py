"""The one door through which facts change, and the fold over the log that gives them back.

    with facts.change(tournament, "drop", actor=user, key=key) as log:
        log.set(entry, status="dropped", dropped_after=3)

opens a transaction, takes the tournament's row lock first, writes named fields, and records before and
after of each under one numbered action. State at an earlier action, replay and undo are folds of that log.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import models, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.actionlog import facts as kinds
from tournament.actionlog import integrity
from tournament.actionlog.facts import Fact
from tournament.errors import Conflict, NotFound
from tournament.models import Action, Entry, Match, Round, Stage, StageEntry, Tournament

logger = logging.getLogger("tournament.log")

PAIRING_FIELDS = {"a", "b", "first"}  # a posted pairing changed if one of these did
# Of an entry: what standings are ranked by or filtered by.
RANKED_BY = frozenset("status lot manual house late start rating seed_rank labels".split())
NAMED_BY = frozenset(("name", "alias", "members"))  # personal, and yet on public pages
PUBLIC = ("tournament", "stages/", "penalties/")  # facts that public standings and bracket pages show
BESIDE = {"announcement", "announcement_until"}  # in the mark of every public page (`public.surroundings`)
STAFF = ("staff/", "invites/")  # what the log mentions of the people who run the event


class Repeated(Exception):
    """The same form came twice: what it asked for is already there, as `action`."""

    def __init__(self, action: Action):
        super().__init__(f"already done as action {action.number}")
        self.action = action


def digest_of(body: Any) -> str:
    """SHA-256 over what was sent, so that one key cannot carry two contents."""
    return hashlib.sha256(json.dumps(body, sort_keys=True, default=str).encode()).hexdigest()


@contextmanager
def change(
    tournament: Tournament,
    kind: str,
    *,
    actor: Any = "",
    key: str = "",
    body: Any = None,
    reason: str = "",
    undoes: int | None = None,
) -> Iterator[Log]:
    """One transaction, row lock first, one action if anything changed, one log line.

    Raises Repeated where `key` was used before with the same body, Conflict where with another one, NotFound
    where the event is gone.
    """
    digest = digest_of(body) if key else ""
    with transaction.atomic():
        locked = Tournament.objects.select_for_update().defer("baseline").filter(pk=tournament.pk).first()
        if locked is None:
            raise NotFound(_("This event has been deleted."))
        if before := repeated_action(locked, kind, key, digest):
            raise Repeated(before)
        log = Log(locked, kind, actor=str(actor or ""), key=key, body=digest, reason=reason, undoes=undoes)
        yield log
        log.close()
    tournament.refresh_from_db()
    if log.action:
        logger.info("%s #%s %s by %s", locked.slug, log.action.number, kind, log.actor or "-")
    if log.closed_round:
        for problem in integrity.check(tournament):
            logger.error("%s #%s broke an invariant: %s", locked.slug, tournament.revision, problem)


def repeated_action(tournament: Tournament, kind: str, key: str, digest: str) -> Action | None:
    """The action this form made when it was first sent, or None.

    Raises Conflict where the key came with another content or from another form.
    """
    before = Action.objects.filter(tournament=tournament, key=key).first() if key else None
    if before and (before.body != digest or before.kind != kind):
        raise Conflict(_("This form was already sent with different values. Reload the page."))
    return before


class Log:
    """The changes of one action, while they are being written. `tournament` is the locked row."""

    def __init__(self, tournament: Tournament, kind: str, **about: Any):
        self.tournament = tournament
        self.kind = kind
        self.actor = about.pop("actor", "")
        self.about = about
        self.changes: list[dict[str, Any]] = []
        self.action: Action | None = None
        self._matches: set[int] = set()
        self._rounds: set[int] = set()
        self._standings = False
        self._people = False  # somebody came or went: equal names may be told apart otherwise on every page
        self.closed_round = False  # an action that completes a round is checked by fsck at once

    @property
    def reason(self) -> str:
        """Why, in the words of the person who does it; "" where none was given."""
        return str(self.about.get("reason") or "").strip()

    @property
    def number(self) -> int:
        """The number this action will have."""
        return self.tournament.revision + 1

    def set(self, row: models.Model, **fields: Any) -> bool:
        """Save those of the named fields that differ. `fields` are in the log's words. True if any did."""
        if isinstance(row, Match):
            key, before = kinds.match_key(row), kinds.read_match(row)
        else:
            kind = kinds.KINDS[type(row)]
            key, before = kind.key(row), kinds.read_row(kind, row, fields)
        after = {name: value for name, value in fields.items() if before[name] != value}
        if not after:
            return False
        if isinstance(row, Match):
            kinds.write_match(row, after)
        else:
            kinds.write_row(kind, self.tournament, row, after)
        self._record(key, {name: before[name] for name in after}, after, row)
        return True

    def set_personal(self, row: models.Model, **fields: Any) -> None:
        """Save personal fields: the log says that they changed, never what they say."""
        kind = kinds.KINDS[type(row)]
        for name, value in fields.items():
            setattr(row, name, value)
        row.save(update_fields=list(fields))
        self.changes.append({"fact": kind.key(row), "personal": sorted(fields)})
        if NAMED_BY & set(fields):
            self._standings = self._people = True

    def mention(self, fact: str, *what: str) -> None:
        """Say in the log what is about people and no fact: who is on staff. It has no values to fold or undo."""
        self.changes.append({"fact": fact, "personal": list(what)})

    def add(self, model: type[models.Model], key: str, fields: Fact, personal: Fact | None = None) -> Any:
        """A new row under its natural key; fields not named hold their defaults and are recorded too."""
        kind = kinds.KINDS[model]
        row = kinds.create_row(kind, self.tournament, key, fields, personal)
        self._record(key, None, kinds.read_row(kind, row), row)
        return row

    def enter(self, stage: Stage, people: dict[str, tuple[Fact, Fact]]) -> None:
        """New entries {code: (facts, personal fields)} with their places in a stage, in bulk."""
        rows = [
            kinds.new_row(kinds.ENTRY, self.tournament, f"entries/{code}", *both)
            for code, both in people.items()
        ]
        Entry.objects.bulk_create(rows)
        places = StageEntry.objects.bulk_create(StageEntry(stage=stage, entry=row) for row in rows)
        for kind, made in ((kinds.ENTRY, rows), (kinds.STAGE_ENTRY, places)):
            for row in made:
                self._record(kind.key(row), None, kinds.read_row(kind, row), row)

    def remove(self, row: models.Model) -> None:
        """Take a row away; matches go by `unseat`."""
        kind = kinds.KINDS[type(row)]
        key, before = kind.key(row), kinds.read_row(kind, row)
        row.delete()
        self._record(key, before, None, None)

    def seat(self, round_: Round, facts: list[tuple[int | None, Fact]]) -> None:
        """New matches of a round with their seats: `(table, match fact)` each."""
        full = [(table, _whole_match(fact)) for table, fact in facts]
        kinds.create_matches(round_, full, self.number)
        for table, fact in full:  # their version is this action's already
            place = f"tables/{table}" if table else f"entries/{fact['a']}"
            self.changes.append({"fact": f"rounds/{round_.number}/{place}", "before": None, "after": fact})
        self._rounds.add(round_.pk)

    def unseat(
        self, round_: Round, keys: Collection[str] | None = None, *, of: Collection[str] | None = None
    ) -> None:
        """Take matches of a round away with their seats, in bulk: all of them, those under `keys`, or those
        at which one of the entries with the codes `of` sits."""
        seats = round_.seats.all()
        if of is not None:
            seats = seats.filter(match__in=round_.seats.filter(entry__code__in=of).values("match"))
        found = kinds.match_facts(seats)
        chosen = {key: found[key] for key in found if keys is None or key in keys}
        kinds.delete_matches([pk for _, pk, _ in chosen.values()])
        self.changes += [{"fact": key, "before": fact, "after": None} for key, (fact, _, _) in chosen.items()]
        self._rounds.add(round_.pk)
        self._standings |= not round_.swiss or round_.state == Round.State.COMPLETE

    def _record(self, key: str, before: Fact | None, after: Fact | None, row: models.Model | None) -> None:
        self.changes.append({"fact": key, "before": before, "after": after})
        if isinstance(row, Match):
            self._matches.add(row.pk)
            if PAIRING_FIELDS & set(after or ()):
                self._rounds.add(row.round_id)
            if row.round.state == Round.State.COMPLETE or not row.round.swiss:
                self._standings = True
        elif isinstance(row, Round):
            self._rounds.add(row.pk)
            states = {(before or {}).get("state"), (after or {}).get("state")}
            self.closed_round |= (after or {}).get("state") == Round.State.COMPLETE
            if Round.State.COMPLETE in states or not row.swiss:
                self._standings = True
        if key.startswith("entries/") and (before is None or after is None):
            self._people = True
        self._standings |= _shows(key, before, after)

    def close(self) -> None:
        """Write the action and move the marks, if anything changed."""
        if not self.changes:
            return
        tournament = self.tournament
        number = tournament.revision + 1
        self.action = Action.objects.create(
            tournament=tournament,
            number=number,
            at=timezone.now(),
            actor=self.actor,
            kind=self.kind,
            changes=self.changes,
            **self.about,
        )
        tournament.revision = number
        marks = ["revision"]
        if self._standings:
            tournament.standings_revision = number
            marks.append("standings_revision")
        tournament.save(update_fields=marks)
        if self._people:
            self._rounds |= set(tournament.rounds.values_list("pk", flat=True))
        Match.objects.filter(pk__in=self._matches).update(version=number)
        Round.objects.filter(pk__in=self._rounds).update(revision=number)


def _shows(key: str, before: Fact | None, after: Fact | None) -> bool:
    """Whether a change shows on public standings and bracket pages by what it says."""
    whole = before is None or after is None
    if key.startswith("entries/"):
        return whole or bool(RANKED_BY & set(after or ()))
    return key.startswith(PUBLIC) and (whole or not set(after or ()) <= BESIDE)


def _whole_match(fact: Fact) -> Fact:
    """A match fact with every field, so that its creation records all of them."""
    nothing: Fact = {
        "b": None,
        "result": None,
        "games": None,
        "winner": "",
        "first": "",
        "score": None,
        "game_order": "",
        "slot": "",
        "replays": [],
        "decided": "",
        "waived": None,
        "best_of": 3,
        "draws_allowed": True,
    }
    whole = {**nothing, **fact}
    return {name: whole[name] for name in kinds.MATCH_FIELDS}


AWAY_RESULTS = (
    "missed",
    "half_bye",
    "zero_bye",
    "full_bye",
)  # rounds an entry was away for: no posted pairing


@contextmanager
def unlocked_seats(round_: Round) -> Iterator[None]:
    """The state in which the seats of a published round may change, inside one transaction."""
    state = Round.objects.filter(pk=round_.pk).values_list("state", flat=True).get()
    needed = state not in (Round.State.DRAFT, Round.State.REPAIRING)
    if needed:
        Round.objects.filter(pk=round_.pk).update(state=Round.State.REPAIRING)
    yield
    if needed:
        Round.objects.filter(pk=round_.pk, state=Round.State.REPAIRING).update(state=state)


# --- folds over the log ---------------------------------------------------------------------------------

State = dict[str, Fact]


def fold(state: State, changes: list[dict[str, Any]]) -> None:
    """Apply one action's changes to a state, in place. A personal change leaves the facts alone."""
    for item in changes:
        if "personal" in item:
            continue
        key, before, after = item["fact"], item["before"], item["after"]
        if after is None:
            del state[key]
        elif before is None:
            state[key] = dict(after)
        else:
            state[key].update(after)


def state_at(tournament: Tournament, number: int | None = None) -> State:
    """The facts after action `number` (None: now), rebuilt from the baseline and the log alone."""
    state = json.loads(json.dumps(tournament.baseline))
    actions = tournament.actions.filter(number__gt=tournament.baseline_number)
    if number is not None:
        actions = actions.filter(number__lte=number)
    for changes in actions.order_by("number").values_list("changes", flat=True):
        fold(state, changes)
    return {key: kinds.with_defaults(key, fact) for key, fact in state.items()}
