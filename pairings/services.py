"""Pairing as a write: read and computed outside the lock, saved under it only if nothing moved."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from pairings.engine import Pairing
from pairings.event import awarded_in, entrants_of, next_round_of, pair_next
from tournament import facts
from tournament.archive.types import Event
from tournament.errors import NotFound, WrongState
from tournament.models import Action, Entry, StageEntry, Tournament
from tournament.reading import event_of
from tournament.services.doing import service
from tournament.services.registering import clean_name
from tournament.services.rounds import Draft, Table, save_draft

UNAVOIDABLE = "no legal pairing without it"


def settled(event: Event) -> Event:
    """The event as it is once its open Swiss round is complete. Raises WrongState naming tables still out."""
    for round_ in event.rounds:
        if event.stage(round_.stage).kind != "swiss" or round_.status == "complete":
            continue
        if round_.status == "draft":
            raise WrongState(_("Round %(number)s is already drafted.") % {"number": round_.number})
        out = [match.table for match in round_.matches if match.result is None]
        if out:
            named = ", ".join(str(table) for table in out[:5]) + ("…" if len(out) > 5 else "")
            raise WrongState(
                _("Round %(number)s still waits for a result: table %(tables)s.")
                % {"number": round_.number, "tables": named}
            )
        round_.status = "complete"
    return event


def draft_next_round(
    tournament: Tournament,
    *,
    house: str | None = None,
    again: int | None = None,
    actor: Any = "",
    key: str = "",
) -> Action | None:
    """Complete the open round and draft the next one, in one step.

    `house` is the code of a house entry that plays where the field is odd; `again` the number of a draft to
    pair anew, with the next attempt's seed: it stays where that is refused. Raises WrongState where a table is
    out, nobody or only one plays, or the bracket is drawn; NotFound for an unknown house entry.
    """
    asked = {name: value for name, value in (("house", house), ("again", again)) if value is not None}
    if done := facts.sent_before(tournament, "draft", key, facts.digest_of([asked, ""])):
        return done  # the same form again: what it asked for is there, and the field has changed since
    draft = compute_draft(tournament, house=house, again=again)
    return save_draft(tournament, draft, house=house, again=again, actor=actor, key=key)


def compute_draft(tournament: Tournament, *, house: str | None = None, again: int | None = None) -> Draft:
    """The next round as it would be drafted, at the revision it was computed at. Writes nothing.

    `again` is the number of a draft that it is to replace. Raises as `draft_next_round`.
    """
    event = event_of(tournament)
    if again is not None:
        kept = [round_ for round_ in event.rounds if (round_.number, round_.status) != (again, "draft")]
        if len(kept) == len(event.rounds):
            raise WrongState(_("Round %(number)s is no draft.") % {"number": again})
        event.rounds = kept
    event = settled(event)
    if event.state == "finished":
        raise WrongState(_("The event is finished. Reopen it first."))
    if any(stage.kind == "elimination" for stage in event.stages):
        raise WrongState(_("The bracket is drawn: there are no more Swiss rounds."))
    stage, number = next_round_of(event)
    if house and (house not in event.entries or not event.entries[house].house):
        raise NotFound(_("%(code)s is no house entry.") % {"code": house})
    if house and not event.profile["bye"].get("house_opponent"):
        raise WrongState(_("This ruleset knows no house opponents."))
    awarded = awarded_in(event, stage, number)
    field = len(entrants_of(event, stage))
    if field + len(awarded) < 2:
        raise WrongState(_("A round needs at least two players."))
    if not field:
        raise WrongState(_("Everybody has an awarded bye: nobody is left to be paired."))
    if field % 2 == 0:
        house = None  # nobody is left over
    attempt = _attempts(tournament, number) + 1
    try:
        pairing = pair_next(event, attempt=attempt, house=house, forbidden=event.forbidden)
    except ValueError as error:  # NoPairing too
        raise WrongState(str(error)) from None
    return Draft(
        stage=stage.number,
        number=number,
        tables=(*_tables(event, pairing), *(Table(a=code, result="awarded_bye") for code in awarded)),
        revision=tournament.revision,
        pairing=about(pairing, attempt),
        replaces=again is not None,
    )


def _tables(event: Event, pairing: Pairing) -> list[Table]:
    """Tables in the engine's order, from 1; unavoidable exceptions say so."""
    rounds = [round_ for round_ in event.rounds if event.stage(round_.stage).kind == "swiss"]
    met = {frozenset((m.a, m.b)) for round_ in rounds for m in round_.matches if m.b}
    byes = {m.a for round_ in rounds for m in round_.matches if m.result == "bye"}
    tables = []
    for index, (a, b) in enumerate(pairing.pairs):
        repeat = frozenset((a, b)) in met
        tables.append(
            Table(
                a=str(a),
                b=str(b),
                table=index + 1,
                first=pairing.first[index] if pairing.first else "",
                waived={"rule": "repeat", "reason": UNAVOIDABLE} if repeat else None,
            )
        )
    if pairing.bye is not None:
        waived = {"rule": "bye", "reason": UNAVOIDABLE} if pairing.bye in byes else None
        tables.append(Table(a=str(pairing.bye), result="bye", waived=waived))
    return tables


def about(pairing: Pairing, attempt: int) -> dict[str, Any]:
    """How a round was paired, as the round keeps it: anybody can run it again once the seed is shown."""
    return {
        "attempt": attempt,
        "engine": pairing.engine,
        "digest": pairing.digest,
        "certificate": [
            {
                "criterion": item.criterion,
                "value": item.value,
                "bound": item.bound,
                "optimal": item.optimal,
                "proof": item.proof,
            }
            for item in pairing.certificate
        ],
        "reasons": {str(code): reason for code, reason in pairing.reasons.items()},
    }


def _attempts(tournament: Tournament, number: int) -> int:
    """How often this round was drafted before: a re-roll has another seed, and shows."""
    fact = f"rounds/{number}"
    drafts = tournament.actions.filter(kind="draft").values_list("changes", flat=True)
    return sum(any(item["fact"] == fact for item in changes) for changes in drafts)


def draft_again(tournament: Tournament, number: int, **asked: Any) -> Action | None:
    """Pair a drafted round anew (see `draft_next_round`)."""
    return draft_next_round(tournament, again=number, **asked)


def asks_for_house(tournament: Tournament) -> bool:
    """Whether the next round's field is odd and the ruleset lets a house opponent play instead of the bye."""
    try:
        event = settled(event_of(tournament))
        stage, _number = next_round_of(event)
    except WrongState:
        return False
    return bool(event.profile["bye"].get("house_opponent")) and len(entrants_of(event, stage)) % 2 == 1


@service("house")
def add_house_entry(log: Any, name: str) -> None:
    """A house opponent (ClineCON): plays where the field is odd, is never ranked, cut or given a bye."""
    name = clean_name(name)
    if not name:
        raise WrongState(_("Who is the house opponent? Enter a name."))
    stage = log.tournament.stages.order_by("-number").first()
    number = log.tournament.entries.filter(house=True).count() + 1
    code = f"H{number:02d}"
    log.add(Entry, f"entries/{code}", {"house": True}, {"name": name})
    log.add(StageEntry, f"stages/{stage.number}/entries/{code}", {})
