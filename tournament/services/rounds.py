"""A round's life: drafted, published, complete. Here, and nowhere else, matches and seats come to be."""

from __future__ import annotations

import datetime as dt
import secrets
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.actionlog.change import Log
from tournament.actionlog.match_facts import MatchFact
from tournament.actionlog.service import service
from tournament.errors import Conflict, NotFound, Refused, WrongState
from tournament.event.pairing_record import PairingRecord
from tournament.event.profile import profile_of
from tournament.models import Entry, Extension, Round, Stage, Tournament
from tournament.rulesets import draws_in_bracket, match_length
from tournament.services.staff import end_invites


@dataclass(frozen=True)
class Draft:
    """Pairings as computed outside the lock, and the revision they were computed at."""

    stage: int
    number: int
    matches: tuple[MatchFact, ...]
    revision: int
    pairing: PairingRecord = field(default_factory=PairingRecord)
    replaces: bool = False  # another draft of the same round


def round_of(tournament: Tournament, number: int) -> Round:
    """The round of that number. Raises NotFound."""
    round_ = tournament.rounds.filter(number=number).select_related("stage").first()
    if round_ is None:
        raise NotFound(_("There is no round %(number)s in this event.") % {"number": number})
    return round_


def check_seen(revision: int, seen: int | None) -> None:
    """Raise Conflict where a draft, now at its `revision`, is not the one that was `seen` (None: not asked)."""
    if seen is not None and seen != revision:
        raise Conflict(
            _(
                "Someone changed these draft pairings after you opened them. Nothing was saved. Check them again."
            )
        )


def open_matches(log: Log, round_: Round, matches: Iterable[MatchFact], best_of: int | None = None) -> None:
    """Seat entries in a round: the one place where matches are made, for Swiss and bracket alike.

    `best_of`: the length of these matches, where it is not the event's.
    """
    profile = profile_of(log.tournament)
    swiss = round_.swiss
    usual = (log.tournament.best_of or profile["best_of_swiss"]) if swiss else profile["best_of_elim"]
    draws = swiss or draws_in_bracket(profile)
    best_of = match_length(best_of or usual)
    log.seat(
        round_,
        [
            match._replace(
                best_of=best_of,
                draws_allowed=draws or match.b is None,
                winner="a" if not swiss and match.b is None else "",
            )
            for match in matches
        ],
    )


@service("draft", computed=("draft",))
def save_draft(
    log: Log,
    draft: Draft,
    house: str | None = None,
    again: int | None = None,
    session: int | None = None,
    seen: int | None = None,
) -> None:
    """Complete the stage's open round and keep `draft` as the next (or instead of the one it replaces).

    `house`, `again`, `session` and `seen` are what the form asked for. Raises WrongState where a fact changed since the
    draft was computed, a table is still out, or the stage already has a draft; Conflict where the draft to be replaced
    is not the one that was seen.
    """
    tournament = log.tournament
    if tournament.revision != draft.revision:
        raise WrongState(_("Something changed while the round was being paired. Pair again."))
    stage = tournament.stages.get(number=draft.stage)
    if draft.replaces:
        old = tournament.rounds.get(number=draft.number, state=Round.State.DRAFT)
        check_seen(old.revision, seen)
        log.unseat(old)
        log.remove(old)
    complete_open_rounds(log, stage)
    round_ = log.add(
        Round,
        f"rounds/{draft.number}",
        {"stage": draft.stage, "state": "draft", "pairing": draft.pairing.to_json() or None},
    )
    open_matches(log, round_, draft.matches)


def complete_open_rounds(log: Log, stage: Stage) -> None:
    """Complete the stage's published round. Raises WrongState naming the tables that are still out."""
    for round_ in stage.rounds.exclude(state=Round.State.COMPLETE):
        if round_.state == Round.State.DRAFT:
            raise WrongState(_("Round %(number)s already has draft pairings.") % {"number": round_.number})
        out = list(round_.matches.filter(result=None).order_by("table").values_list("table", flat=True))
        if out:
            named = ", ".join(str(table) for table in out[:5]) + ("…" if len(out) > 5 else "")
            raise WrongState(
                _("Round %(number)s is still waiting for results: table %(tables)s.")
                % {"number": round_.number, "tables": named}
            )
        log.set(round_, state="complete")


@service("reopen round")
def reopen_round(log: Log, number: int) -> None:
    """Publish the stage's last complete round again, so that its results can be entered anew.

    Raises WrongState once a round of the stage, or of one that follows it, came after.
    """
    round_ = round_of(log.tournament, number)
    own = round_.stage.number
    later = log.tournament.rounds.filter(number__gt=number).select_related("stage")
    built_on = any(other.stage.number == own or own in other.stage.sources for other in later)
    if round_.state != Round.State.COMPLETE or built_on:
        raise WrongState(_("Only the last complete round can be reopened; discard later rounds first."))
    log.set(round_, state="published")


@service("discard draft")
def discard_draft(log: Log, number: int, seen: int | None = None) -> None:
    """Throw a draft away, the one `seen` (the round's revision). The round before stays complete.

    Rounds are numbered without a gap: with a later one, of another session, the draft can only be paired anew.
    """
    round_ = round_of(log.tournament, number)
    if round_.state != Round.State.DRAFT:
        raise WrongState(_("Round %(number)s is already published.") % {"number": number})
    check_seen(round_.revision, seen)
    if log.tournament.rounds.filter(number__gt=number).exists():
        raise WrongState(
            _("Another session's round was paired after round %(number)s. Pair this round again instead.")
            % {"number": number}
        )
    log.unseat(round_)
    log.remove(round_)


@service("publish")
def publish_round(log: Log, number: int, seen: int | None = None) -> None:
    """Publish a draft, the one `seen` (the round's revision): from now on its pairings are facts.

    Everything is checked against the facts as they are now: who plays, once each, and what changed since
    the draft. With round 1 the whole ruleset is copied into the event and a missing seed is drawn.
    """
    tournament = log.tournament
    round_ = round_of(tournament, number)
    if round_.state != Round.State.DRAFT:
        raise WrongState(_("Round %(number)s is already published.") % {"number": number})
    check_seen(round_.revision, seen)
    _check_field(round_)
    if tournament.profile is None:
        log.set(tournament, profile=profile_of(tournament))
    if not tournament.seed:
        tournament.seed = secrets.token_hex(16)
        tournament.save(update_fields=["seed"])
    minutes = round_.stage.minutes or tournament.round_minutes
    now = timezone.now()
    ends = (now + dt.timedelta(minutes=minutes)).isoformat() if minutes else None
    log.set(
        round_,
        state="published",
        published_at=now.astimezone(dt.UTC).isoformat(),
        minutes=minutes,
        ends_at=ends,
    )
    if tournament.state != Tournament.State.RUNNING:
        log.set(tournament, state="running")


def _check_field(round_: Round) -> None:
    """Everyone who plays sits exactly once, nobody else does, and none who must never meet meet.

    Raises WrongState naming whom.
    """
    playing = set(playing_in(round_.stage, round_.number).values_list("code", flat=True))
    seats = list(round_.seats.values_list("entry__code", "entry__house", "opponent__code"))
    seated = {code for code, house, _opponent in seats if not house}
    if gone := seated - playing:
        raise WrongState(
            _("%(name)s dropped since these pairings were made. Pair again.") % {"name": _names(round_, gone)}
        )
    if new := playing - seated:
        raise WrongState(
            _("%(name)s is not seated in these pairings. Pair again.") % {"name": _names(round_, new)}
        )
    never = {frozenset(pair) for pair in round_.tournament.forbidden}
    if never and (met := next((s for s in seats if frozenset((s[0], s[2])) in never), None)):
        both = _names(round_, {met[0], met[2]})
        raise WrongState(_("%(names)s are on the do-not-pair list. Pair again.") % {"names": both})


def _names(round_: Round, codes: Collection[str]) -> str:
    names = list(round_.tournament.entries.filter(code__in=sorted(codes)[:3]).values_list("name", flat=True))
    return ", ".join(names) + (" …" if len(codes) > 3 else "")


def playing_in(stage: Stage, number: int) -> models.QuerySet[Entry]:
    """The entries that play round `number` (counted over all stages) of a stage, house entries left out."""
    return Entry.objects.filter(
        models.Q(joined_round=None) | models.Q(joined_round__lte=number),
        models.Q(dropped_after=None) | models.Q(dropped_after__gte=number),
        stage_entries__stage=stage,
        house=False,
        status=Entry.Status.PLAYING,
    ).order_by("code")


@service("finish")
def finish_tournament(log: Log) -> None:
    """The end: everything that was published is complete. The seed is shown from now on."""
    tournament = log.tournament
    if tournament.state != Tournament.State.RUNNING:
        raise WrongState(_("Only a running event can be finished."))
    for stage in tournament.stages.all():
        complete_open_rounds(log, stage)
    log.set(tournament, state="finished")
    end_invites(tournament)


@service("reopen", after_end=True)
def reopen_tournament(log: Log) -> None:
    """Go on with a finished event."""
    if log.tournament.state != Tournament.State.FINISHED:
        raise WrongState(_("The event is not finished."))
    log.set(log.tournament, state="running")


@service("extend")
def extend_table(log: Log, number: int, table: int, minutes: int, why: str = "") -> None:
    """More minutes for one table, on top of those it has."""
    if not 1 <= minutes <= 60:
        raise Refused(_("A time extension must be 1 to 60 minutes."))
    round_ = round_of(log.tournament, number)
    if round_.state != Round.State.PUBLISHED:
        raise WrongState(_("Round %(number)s is not in progress.") % {"number": number})
    match = round_.matches.filter(table=table).first()
    if match is None:
        raise NotFound(_("Round %(round)s has no table %(table)s.") % {"round": number, "table": table})
    extension = Extension.objects.filter(match=match).first()
    if extension:
        log.set(extension, minutes=extension.minutes + minutes, reason=why or extension.reason)
    else:
        log.add(Extension, f"rounds/{number}/tables/{table}/extension", {"minutes": minutes, "reason": why})
