"""Store an archive in the database, all of it or nothing. That is no action: the file's facts are the baseline."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from msgspec.structs import asdict

from tournament import archive
from tournament.actionlog import integrity
from tournament.actionlog.facts import ENTRY, TOURNAMENT, new_row
from tournament.actionlog.match_facts import MatchFact
from tournament.actionlog.match_rows import create_matches
from tournament.errors import Conflict, Refused
from tournament.event import read, types
from tournament.event.from_facts import event_fact
from tournament.models import (
    Action,
    Entry,
    Extension,
    Penalty,
    Round,
    Ruleset,
    Staff,
    Stage,
    StageEntry,
    Tournament,
)
from tournament.results.slip import winner_of
from tournament.rulesets import match_length

RECORDED = "as recorded"


def load_event(event: types.Event, *, owner: Any = None, slug: str = "", demo: bool = False) -> Tournament:
    """Store an event as it was recorded. Raises Conflict where its address is taken, Refused for broken facts.

    Recorded rematches and repeat byes are kept, and marked as waived "as recorded".
    """
    slug = slug or event.slug
    if Tournament.objects.filter(slug=slug).exists():
        raise Conflict(
            _("There is already an event at /t/%(slug)s/. Load it under another address.") % {"slug": slug}
        )
    with transaction.atomic():
        tournament = _tournament(event, Tournament.free_slug(slug), owner, demo)
        if owner:
            Staff.objects.create(tournament=tournament, user=owner, role=Staff.Role.OWNER)
        entries = _entries(tournament, event)
        stages = _stages(tournament, event, entries)
        _rounds(tournament, event, stages)
        _penalties(tournament, event, entries)
        _log(tournament, event)
        state, _people, _revision = read.read_state(tournament)
        Tournament.objects.filter(pk=tournament.pk).update(baseline=state)
        if problems := integrity.check(tournament):
            raise Refused(_("The event cannot be stored: %(problem)s.") % {"problem": problems[0]})
    tournament.refresh_from_db()
    return tournament


def _tournament(event: types.Event, slug: str, owner: Any, demo: bool) -> Tournament:
    number = event.log[-1].number if event.log else 0
    others = {"slug": slug, "owner": owner, "demo": demo, "seed": event.seed or ""}
    marks = dict.fromkeys(("revision", "standings_revision", "baseline_number"), number)
    fact = event_fact(event)
    if preset := event.ruleset.get("preset"):
        version = event.profile.get("version", 1)
        if not event.rounds and Ruleset.objects.filter(key=preset, version=version).exists():
            overrides = event.ruleset.get("overrides") or {}
            fact |= {"profile": None, "ruleset": [preset, version], "overrides": overrides}
    row: Tournament = new_row(TOURNAMENT, Tournament(), "tournament", fact, {**others, **marks})
    row.save(force_insert=True)
    return row


def _entries(tournament: Tournament, event: types.Event) -> dict[str, Entry]:
    rows = Entry.objects.bulk_create(
        Entry(
            tournament=tournament,
            code=entry.id,
            name=entry.name,
            alias=entry.alias,
            members=list(entry.members),
            labels=list(entry.labels),
            start=entry.start or "",
            **{
                name: getattr(entry, name)
                for name in ENTRY.fields
                if name not in ("labels", "start", "same_person_as")
            },
        )
        for entry in event.entries.values()
    )
    entries = {row.code: row for row in rows}
    for code, entry in event.entries.items():
        if entry.same_person_as:
            entries[code].same_person_as = entries[entry.same_person_as]
            entries[code].save(update_fields=["same_person_as"])
    return entries


def _stages(tournament: Tournament, event: types.Event, entries: dict[str, Entry]) -> dict[int, Stage]:
    stages = {}
    for stage in event.stages:
        row = Stage.objects.create(
            tournament=tournament,
            number=stage.number,
            kind=stage.kind,
            sources=list(stage.sources),
            carries=stage.carries,
            ends_at=parse_datetime(stage.ends_at) if stage.ends_at else None,
            minutes=stage.minutes,
            best_of=list(stage.best_of),
        )
        stages[stage.number] = row
        seeds = {code: place for place, code in enumerate(stage.seeds, start=1)}
        waiting = {code: place for place, code in enumerate(stage.alternates, start=1)}
        # A bracket's seeds are its entries; recorded without seeds, its entries stand for themselves.
        listed = stage.kind == "swiss" or (stage.entries is not None and not stage.seeds)
        inside = event.entries_of(stage) if listed else stage.seeds
        codes = dict.fromkeys([*inside, *stage.alternates])
        StageEntry.objects.bulk_create(
            StageEntry(stage=row, entry=entries[code], seed=seeds.get(code), alternate=waiting.get(code))
            for code in codes
        )
    return stages


def _rounds(tournament: Tournament, event: types.Event, stages: dict[int, Stage]) -> None:
    waivers = _Waivers()
    for round_ in event.rounds:
        stage = event.stage(round_.stage)
        place = 1 + event.rounds_of(round_.stage).index(round_)
        row = Round.objects.create(
            tournament=tournament,
            stage=stages[round_.stage],
            number=round_.number,
            swiss=stages[round_.stage].is_swiss,
            state=Round.State.DRAFT,
            pairing=round_.pairing.to_json() or None,
        )
        facts = [_match_fact(match, event, stage, place) for match in round_.matches]
        create_matches(row, waivers.added_to(facts) if row.swiss else facts, tournament.revision)
        tables = {match.table: match for match in row.matches.all()}
        for extension in round_.extensions:
            Extension.objects.create(
                match=tables[extension.table], minutes=extension.minutes, reason=extension.reason
            )
        Round.objects.filter(pk=row.pk).update(state=round_.status)


class _Waivers:
    """What the database allows only as an exception: recorded rematches and repeat byes are marked as such."""

    def __init__(self) -> None:
        self.met: set[frozenset[str]] = set()
        self.had_bye: set[str] = set()

    def added_to(self, matches: list[MatchFact]) -> list[MatchFact]:
        """The matches of the next Swiss round, with the waivers they need."""
        byes = False
        waived = []
        for match in matches:
            pair = frozenset((match.a, match.b or ""))
            rule = ""
            if match.b and pair in self.met:
                rule = "repeat"
            elif match.result == "bye" and (match.a in self.had_bye or byes):
                rule = "bye"
            if match.b:
                self.met.add(pair)
            if match.result == "bye":
                self.had_bye.add(match.a)
                byes = True
            if rule and match.waived is None:
                match = match._replace(waived={"rule": rule, "reason": RECORDED})
            waived.append(match)
        return waived


def _match_fact(match: types.Match, event: types.Event, stage: types.Stage, place: int) -> MatchFact:
    """A recorded match of the round at that place of its stage."""
    winner = recorded_winner(match)
    decisive = stage.kind != "swiss" and match.b and not event.profile["draws_allowed"]["elimination"]
    return MatchFact(
        match.a,
        match.b,
        match.table,
        match.result,
        match.games,
        winner,
        match.first or "",
        match.score,
        match.game_order or "",
        match.slot or "",
        match.replays,
        match.decided or "",
        match.waived,
        best_of=match_length(event.match_length(stage, place, match.slot)),
        # A recorded draw stays as it was, also where the ruleset would not have allowed it.
        draws_allowed=not (decisive and winner),
    )


def recorded_winner(match: types.Match) -> str:
    """ "a", "b" or "": as decided, else by the last repeat game, else by the games."""
    if match.b is None:
        return ""
    if match.decided or match.result == "forfeit":
        return match.winner or ""
    games = match.replays[-1]["games"] if match.replays else match.games
    return winner_of(match.result, games)


def _penalties(tournament: Tournament, event: types.Event, entries: dict[str, Entry]) -> None:
    rounds: dict[int | None, Round] = {round_.number: round_ for round_ in tournament.rounds.all()}
    for number, item in enumerate(event.penalties, start=1):
        Penalty.objects.create(
            tournament=tournament,
            number=number,
            round=rounds.get(item.round),
            entry=entries[item.entry],
            kind=item.kind,
            reason=item.reason,
        )


def _log(tournament: Tournament, event: types.Event) -> None:
    Action.objects.bulk_create(
        Action(
            tournament=tournament,
            **{
                **asdict(action),
                "at": datetime.fromisoformat(action.at),
                "changes": list(action.changes),
            },
        )
        for action in event.log
    )


def dump_event(tournament: Tournament, *, with_seed: bool = False) -> str:
    """The event as an archive in canonical form."""
    return archive.canonical(read.event_of(tournament, whole=True), with_seed=with_seed)
