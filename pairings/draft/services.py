"""Pairing as a write: read and computed outside the lock, saved under it only if nothing moved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from pairings.engine import NoPairing, Pairing, verify
from pairings.engine.gc_pause import uncollected
from pairings.question.field import awarded_bye_codes, playing_entries
from pairings.question.history import earlier_meetings
from pairings.question.next_round import next_round_of
from pairings.question.record import record_of
from pairings.question.request import PairingRequest, new_request
from pairings.question.tables import codes_elsewhere, table_numbers_of, tables_elsewhere
from pairings.words.problems import no_pairing_words, problem_words
from standings.event.rounds import count_open_rounds
from tournament.actionlog.change import digest_of, repeated_action
from tournament.actionlog.match_facts import MatchFact
from tournament.actionlog.service import service
from tournament.errors import NotFound, WrongState
from tournament.event.read import event_of
from tournament.event.types import NO_SEED, Event, Round, Stage
from tournament.models import Action, Entry, StageEntry, Tournament
from tournament.services.rounds import Draft, save_draft
from tournament.text.clean import clean_name
from tournament.text.display_names import names_in

UNAVOIDABLE = "no legal pairing without it"
Locks = tuple[tuple[str, str | None], ...]


def settled(event: Event, session: int | None = None) -> Event:
    """The event as it is once its open Swiss round (or that of one session) is complete.

    Raises WrongState naming tables still out.
    """
    for round_ in event.rounds:
        if event.stage(round_.stage).kind != "swiss" or round_.status == "complete":
            continue
        if session is not None and round_.stage != session:
            continue
        if round_.status == "draft":
            raise WrongState(_("Round %(number)s already has draft pairings.") % {"number": round_.number})
        out = [match.table for match in round_.matches if match.result is None]
        if out:
            named = ", ".join(str(table) for table in out[:5]) + ("…" if len(out) > 5 else "")
            raise WrongState(
                _("Round %(number)s is still waiting for results: table %(tables)s.")
                % {"number": round_.number, "tables": named}
            )
    return count_open_rounds(event, session)


@uncollected()
def draft_next_round(
    tournament: Tournament,
    *,
    house: str | None = None,
    again: int | None = None,
    session: int | None = None,
    seen: int | None = None,
    actor: Any = "",
    key: str = "",
) -> Action | None:
    """Complete the open round and draft the next one, in one step; of that `session`, where there are several.

    `house` is the code of a house entry that plays where the field is odd; `again` the number of a draft to
    pair anew, with the next attempt's seed: it stays where that is refused; `seen` that round's revision on the
    page. Raises WrongState where a table is out, nobody or only one plays, or the bracket is drawn; NotFound for an
    unknown house entry; Conflict where the draft is no longer the one that was seen.
    """
    sent = {"house": house, "again": again, "session": session, "seen": seen}
    asked = {name: value for name, value in sent.items() if value is not None}
    if done := repeated_action(tournament, "draft", key, digest_of([asked, ""])):
        return done  # the same form again: what it asked for is there, and the field has changed since
    draft = compute_draft(tournament, house=house, again=again, session=session)
    return save_draft(tournament, draft, **sent, actor=actor, key=key)


def compute_draft(
    tournament: Tournament,
    *,
    house: str | None = None,
    again: int | None = None,
    session: int | None = None,
) -> Draft:
    """The next round as it would be drafted, at the revision it was computed at. Writes nothing.

    `again` is the number of a draft that it is to replace. Raises as `draft_next_round`.
    """
    event = event_of(tournament)
    replaced: Round | None = None
    if again is not None:
        replaced = next((r for r in event.rounds if (r.number, r.status) == (again, "draft")), None)
        if replaced is None:
            raise WrongState(_("Round %(number)s has no draft pairings.") % {"number": again})
        event.rounds.remove(replaced)
        session = replaced.stage
    event = settled(event, session)
    if said := no_more(event.state, (stage.kind for stage in event.stages)):
        raise WrongState(said)
    try:
        stage, number = next_round_of(event, session)
    except ValueError as error:
        raise WrongState(str(error)) from None
    if replaced is not None:
        number = replaced.number
    if house and (house not in event.entries or not event.entries[house].house):
        raise NotFound(_("%(code)s is not a house opponent.") % {"code": house})
    if house and not event.profile["bye"].get("house_opponent"):
        raise WrongState(_("This ruleset does not use house opponents."))
    if house and house in codes_elsewhere(event, stage):
        raise WrongState(
            _("%(name)s plays in another session now: choose another house opponent.")
            % {"name": event.entries[house].name}
        )
    awarded = awarded_bye_codes(event, stage, number)
    field = [entry.id for entry in playing_entries(event, stage, number) if entry.id not in set(awarded)]
    if len(field) + len(awarded) < 2:
        raise WrongState(_("A round needs at least 2 players."))
    if not field:
        raise WrongState(_("Everyone has an awarded bye, so there is no one to pair."))
    if house and len(field) % 2:  # else nobody is left over
        field.append(house)
    attempt = _attempts(tournament, event, stage, number) + 1
    locks = still_locked(replaced, field)
    request = new_request(event, stage, number, field, attempt=attempt, locks=locks)
    try:
        pairing = request.pairing()
    except NoPairing as error:
        raise WrongState(no_pairing_words(error, names_in(event))) from None
    except ValueError as error:
        raise WrongState(str(error)) from None
    wrong = verify(request.entrants, pairing, request.policy, forbidden=request.prohibited_pairs)
    if broken := [problem for problem in wrong if problem.severity == "error"]:
        text = problem_words(broken[0], names_in(event))
        raise WrongState(_("The pairings failed their check: %(problem)s.") % {"problem": text})
    return Draft(
        stage=stage.number,
        number=number,
        matches=(
            *_tables(event, stage, request, pairing, replaced),
            *(MatchFact(a=code, result="awarded_bye") for code in awarded),
        ),
        revision=tournament.revision,
        pairing=replace(
            record_of(pairing, request),
            attempt=attempt,
            revision=tournament.revision,
            seed="" if event.seed else NO_SEED,
        ),
        replaces=again is not None,
    )


def no_more(state: str, stages: Iterable[str]) -> str:
    """Why no Swiss round follows, by the event's state and the kinds of its stages; "" where one may."""
    if state == Tournament.State.FINISHED:
        return _("The event is finished. Reopen it first.")
    if "elimination" in stages:
        return _("The bracket is set, so there are no more Swiss rounds.")
    return ""


def still_locked(replaced: Round | None, field: list[str]) -> Locks:
    """The locked tables of a draft that can stand: everybody there still plays, and a bye is still needed."""
    here = set(field)
    locked = replaced.pairing.locks if replaced else ()
    odd = len(field) % 2 == 1
    return tuple((a, b) for a, b in locked if a in here and (b in here or (b is None and odd)))


def _tables(
    event: Event, stage: Stage, request: PairingRequest, pairing: Pairing, replaced: Round | None
) -> list[MatchFact]:
    """Tables in the engine's order, numbered as the hall is; unavoidable exceptions say so.

    Locked ones keep the number and the first move they had in the draft that is replaced.
    """
    met, byes = earlier_meetings(event)
    kept = {frozenset(pair) for pair in request.locks}
    old = {frozenset((m.a, m.b)): m for m in replaced.matches if m.table} if replaced and kept else {}
    stay = {both: match for both, match in old.items() if both in kept}
    busy = tables_elsewhere(event, stage)
    numbers = table_numbers_of(
        event, pairing.pairs, {both: match.table for both, match in stay.items()}, busy
    )
    tables = []
    for index, (a, b) in enumerate(pairing.pairs):
        waived = {"rule": "repeat", "reason": UNAVOIDABLE} if frozenset((a, b)) in met else None
        first = pairing.first[index] if pairing.first else ""
        number = numbers[index]
        if match := stay.get(frozenset((a, b))):
            tables.append(
                MatchFact(match.a, match.b, first=match.first or first, table=number, waived=match.waived)
            )
            continue
        tables.append(MatchFact(a=str(a), b=str(b), table=number, first=first, waived=waived))
    if pairing.bye is not None:
        waived = {"rule": "bye", "reason": UNAVOIDABLE} if pairing.bye in byes else None
        tables.append(MatchFact(a=str(pairing.bye), result="bye", waived=waived))
    return sorted(tables, key=lambda table: (table.table is None, table.table or 0))


def _attempts(tournament: Tournament, event: Event, stage: Stage, number: int) -> int:
    """How often this round was drafted before: a re-roll has another seed, and shows.

    Only drafts made after the stage's round before was paired are read: each holds all its tables.
    """
    fact = f"rounds/{number}"
    earlier = [round_.pairing for round_ in event.rounds_of(stage.number) if round_.number < number]
    paired_at = (earlier[-1].revision if earlier else None) or 0
    drafts = tournament.actions.filter(kind="draft", number__gt=paired_at + 1)
    return sum(
        any(item["fact"] == fact for item in changes) for changes in drafts.values_list("changes", flat=True)
    )


def draft_again(tournament: Tournament, number: int, **asked: Any) -> Action | None:
    """Pair a drafted round anew (see `draft_next_round`)."""
    return draft_next_round(tournament, again=number, **asked)


def asks_for_house(tournament: Tournament, session: int | None = None) -> bool:
    """Whether the next round's field is odd and the ruleset lets a house opponent play instead of the bye."""
    try:
        event = settled(event_of(tournament), session)
        stage, number = next_round_of(event, session)
    except (WrongState, ValueError):
        return False  # no Swiss round follows: pairing says why
    away = set(awarded_bye_codes(event, stage, number))
    field = [entry for entry in playing_entries(event, stage, number) if entry.id not in away]
    return bool(event.profile["bye"].get("house_opponent")) and len(field) % 2 == 1


@service("house")
def add_house_entry(log: Any, name: str, session: int | None = None) -> None:
    """A house opponent (ClineCON): plays where the field is odd, is never ranked, cut or given a bye.

    `session`: the Swiss session it belongs to, where that is not the last one.
    """
    name = clean_name(name)
    if not name:
        raise WrongState(_("Who is the house opponent? Enter a name."))
    stage = log.tournament.stages.filter(**({"number": session} if session else {})).last()
    if stage is None:
        raise NotFound(_("There is no session %(number)s in this event.") % {"number": session})
    number = log.tournament.entries.filter(house=True).count() + 1
    code = f"H{number:02d}"
    log.add(Entry, f"entries/{code}", {"house": True}, {"name": name})
    log.add(StageEntry, f"stages/{stage.number}/entries/{code}", {})
