"""Store an archive in the database, all or nothing. This is no action: the facts become the baseline."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from msgspec import to_builtins
from msgspec.structs import asdict

from tournament import archive
from tournament.actionlog import facts, integrity
from tournament.actionlog.facts import Kind, new_row
from tournament.actionlog.match_facts import Fact, MatchFact, create_matches
from tournament.errors import Conflict, Refused
from tournament.event import read, types
from tournament.event.read import SAME_NAMES
from tournament.event.waivers import Meetings
from tournament.models import Action, Baseline, Entry, Round, RulesetVersion, Staff, StageEntry, Tournament
from tournament.models.slugs import insert_at_free_slug
from tournament.results.slip import find_match_winner, is_odd
from tournament.rulesets import draws_in_bracket, match_length

RECORDED = "as recorded"


def load_event(event: types.Event, *, owner: Any = None, slug: str = "", demo: bool = False) -> Tournament:
    """Store an event as recorded. Rematches and repeat byes get waivers; results against the rules are marked."""
    slug = slug or event.slug
    with transaction.atomic():
        if Tournament.objects.filter(slug=slug).exists():
            text = _("There is already an event at /t/%(slug)s/. Load it under another address.")
            raise Conflict(text, slug=slug)
        tournament = _tournament(event, slug, owner, demo)
        if owner:
            Staff.objects.create(tournament=tournament, user=owner, role=Staff.Role.OWNER)
        _stages(tournament, event, _entries(tournament, event))
        _rounds(tournament, event)
        numbered = {
            facts.PENALTY: event.penalties,
            facts.DECK_CHECK: event.deck_checks,
            facts.DECKLIST: event.decklists,
        }
        for kind, items in numbered.items():
            for number, item in enumerate(items, start=1):
                _add(kind, tournament, kind.key.format(number=number), asdict(item))
        _log(tournament, event)
        state, _people = read.read_state(tournament)
        Baseline.objects.create(tournament=tournament, facts=state)
        if problems := integrity.check(tournament):
            raise Refused(_("The event cannot be stored: %(problem)s."), problem=problems[0])
    tournament.refresh_from_db()
    return tournament


def _tournament(event: types.Event, slug: str, owner: Any, demo: bool) -> Tournament:
    number = event.log[-1].number if event.log else 0
    others = {"owner": owner, "demo": demo, "seed": event.seed or ""}
    marks = dict.fromkeys(("revision", "standings_revision", "public_revision", "baseline_number"), number)
    fact = {name: getattr(event, name) for name in SAME_NAMES} | {"prizes": to_builtins(event.prizes)}
    fact |= {"profile": event.profile, "ruleset": None, "overrides": {}}
    if preset := event.ruleset.get("preset"):
        version = event.profile.get("version", 1)
        if not event.rounds and RulesetVersion.objects.filter(key=preset, version=version).exists():
            overrides = event.ruleset.get("overrides") or {}
            fact |= {"profile": None, "ruleset": [preset, version], "overrides": overrides}
    row: Tournament = new_row(facts.TOURNAMENT, Tournament(), "tournament", fact, {**others, **marks})
    insert_at_free_slug(row, slug)
    return row


def _add(kind: Kind, tournament: Tournament, key: str, fact: Fact) -> Any:
    row = new_row(kind, tournament, key, fact)
    row.save(force_insert=True)
    return row


def _entries(tournament: Tournament, event: types.Event) -> dict[str, Entry]:
    rows = []
    for code, entry in event.entries.items():
        columns = to_builtins(entry) | {"start": entry.start or "", "same_person_as": None}
        del columns["id"]
        rows.append(Entry(tournament=tournament, code=code, **columns))
    entries = {row.code: row for row in Entry.objects.bulk_create(rows)}
    for code, entry in event.entries.items():
        if entry.same_person_as:
            entries[code].same_person_as = entries[entry.same_person_as]
            entries[code].save(update_fields=["same_person_as"])
    return entries


def _stages(tournament: Tournament, event: types.Event, entries: dict[str, Entry]) -> None:
    for stage in event.stages:
        fact = {name: getattr(stage, name) for name in facts.STAGE.fields}
        row = _add(facts.STAGE, tournament, f"stages/{stage.number}", fact)
        seeds = {code: place for place, code in enumerate(stage.seeds, start=1)}
        waiting = {code: place for place, code in enumerate(stage.alternates, start=1)}
        inside = event.entries_of(stage) if stage.lists_entries else stage.seeds
        StageEntry.objects.bulk_create(
            StageEntry(stage=row, entry=entries[code], seed=seeds.get(code), alternate=waiting.get(code))
            for code in dict.fromkeys([*inside, *stage.alternates])
        )


def _rounds(tournament: Tournament, event: types.Event) -> None:
    meetings = Meetings(event.profile)
    for round_ in event.rounds:
        key = f"rounds/{round_.number}"
        stage = event.stage(round_.stage)
        place = 1 + event.rounds_of(round_.stage).index(round_)
        pairing = round_.pairing.to_json() or None
        fact = {"stage": stage.number, "state": "draft", "pairing": pairing, **asdict(round_.clock)}
        fact["table_plan"] = round_.table_plan
        row: Round = _add(facts.ROUND, tournament, key, fact)
        matches = [_match_fact(match, event, stage, place) for match in round_.matches]
        if row.swiss:
            needed = [meetings.add(round_.number, fact, RECORDED) for fact in matches]
            matches = [m._replace(waived=m.waived or w) for m, w in zip(matches, needed, strict=True)]
        create_matches(row, matches, tournament.revision)
        for item in round_.extensions:
            fact = {"minutes": item.minutes, "reason": item.reason}
            _add(facts.EXTENSION, tournament, f"{key}/tables/{item.table}/extension", fact)
        for match in round_.matches:
            for report in match.reports:
                report_key = f"{key}/tables/{match.table}/reports/{report.source}"
                _add(facts.REPORT, tournament, report_key, {"slip": report.slip})
        Round.objects.filter(pk=row.pk).update(state=round_.status)


def _match_fact(match: types.Match, event: types.Event, stage: types.Stage, place: int) -> MatchFact:
    winner = _decide_winner(match)
    decisive = stage.kind != "swiss" and match.b and not draws_in_bracket(event.profile)
    fields = {name: value for name, value in asdict(match).items() if value is not None and name != "reports"}
    fields |= {
        "winner": winner,
        "best_of": match_length(event.match_length(stage, place, match.slot)),
        # Keep a recorded draw even if the ruleset does not allow draws.
        "draws_allowed": not (decisive and winner),
        "odd": is_odd(event, stage, place, match),
    }
    return MatchFact(**fields)


def _decide_winner(match: types.Match) -> str:
    """Return the winner ("a", "b" or "") by the recorded decision, else the last repeat game, else the games."""
    if match.b is None:
        return ""
    if match.decided or match.result == "forfeit":
        return match.winner or ""
    games = match.replays[-1]["games"] if match.replays else match.games
    return find_match_winner(match.result, games)


def _log(tournament: Tournament, event: types.Event) -> None:
    rows = ({**asdict(action), "at": datetime.fromisoformat(action.at)} for action in event.log)
    Action.objects.bulk_create(Action(tournament=tournament, **row) for row in rows)


def dump_event(tournament: Tournament, *, with_seed: bool = False) -> str:
    return archive.canonical(read.load_whole_event(tournament), with_seed=with_seed)
