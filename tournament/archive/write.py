"""Write plain values as an archive in canonical form: the same event, the same bytes.

Keys stand in the order of the format, keys of free objects (rulesets, changes) in alphabetical order;
nothing that holds its default is written.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from tournament.archive.read import default_state
from tournament.event.slugs import slug_of
from tournament.event.types import Entry, Event, Match, Round, Stage
from tournament.rulesets import default_games


def canonical(event: Event, *, with_seed: bool = False) -> str:
    """The archive's text, ending in a newline."""
    return (
        json.dumps(archive_of(event, with_seed=with_seed), ensure_ascii=False, separators=(",", ":")) + "\n"
    )


def archive_of(event: Event, *, with_seed: bool = False) -> dict[str, Any]:
    """The archive as JSON values. Only a finished event shows its seed, unless `with_seed`."""
    show_seed = with_seed or event.state == "finished"
    archive: dict[str, Any] = {
        "format": "swiss-archive",
        "version": 1,
        "tournament": _tournament(event, show_seed),
        "ruleset": _ruleset(event),
        "entries": [_entry(entry) for entry in _with_lots(event, show_seed)],
    }
    if stages := _stages(event):
        archive["stages"] = stages
    if event.rounds:
        archive["rounds"] = [_round(round_, event) for round_ in event.rounds]
    for name, items in (("forbidden", event.forbidden), ("penalties", event.penalties), ("log", event.log)):
        if items:
            archive[name] = [_sorted(item) if isinstance(item, dict) else list(item) for item in items]
    if event.penalties:
        archive["penalties"] = [_kept(item, ("round", "entry", "kind", "reason")) for item in event.penalties]
    if event.log:
        archive["log"] = [_action(item) for item in event.log]
    return archive


def _tournament(event: Event, show_seed: bool) -> dict[str, Any]:
    return _dropped(
        {
            "name": event.name,
            "slug": event.slug if event.slug != slug_of(event.name) else None,
            "starts_at": event.starts_at,
            "time_zone": event.time_zone if event.time_zone != "UTC" else None,
            "rounds": event.rounds_planned,
            "cut": event.cut,
            "best_of": event.best_of,
            "team": event.team or None,
            "round_minutes": event.round_minutes,
            "seed": event.seed if show_seed else None,
            "state": event.state if event.state != default_state(event) else None,
            "game": event.game or None,
            "venue": event.venue or None,
            "first_table": event.first_table if event.first_table != 1 else None,
            "skip_tables": list(event.skip_tables) or None,
            "capacity": event.capacity,
            "self_registration": event.self_registration or None,
            "listed": None if event.listed else False,
            "name_privacy": event.name_privacy if event.name_privacy != "full" else None,
            "hold_standings": event.hold_standings or None,
        }
    )


def _ruleset(event: Event) -> dict[str, Any]:
    """How the event named it before round 1; whole afterwards."""
    if event.rounds:
        return {"name": event.profile.get("name", ""), "profile": _sorted(event.profile)}
    return _kept(_sorted(event.ruleset), ("preset", "version", "overrides", "name", "profile"))


def _with_lots(event: Event, show_seed: bool) -> list[Entry]:
    """The entries by id; where the seed stays secret, each with its place in the draw of lots."""
    entries = [event.entries[code] for code in sorted(event.entries)]
    if show_seed or not event.seed:
        return entries
    places = {code: place for place, code in enumerate(event.lots(), start=1)}
    return [replace(entry, lot=places[entry.id]) for entry in entries]


def _entry(entry: Entry) -> dict[str, Any]:
    return _dropped(
        {
            "id": entry.id,
            "name": entry.name,
            "status": entry.status if entry.status != "playing" else None,
            "rating": entry.rating,
            "labels": list(entry.labels) or None,
            "joined_round": entry.joined_round,
            "dropped_after": entry.dropped_after,
            "seed_rank": entry.seed_rank,
            "awarded_byes": entry.awarded_byes or None,
            "house": entry.house or None,
            "late": entry.late or None,
            "same_person_as": entry.same_person_as,
            "start": entry.start,
            "lot": entry.lot,
            "manual": entry.manual,
            "members": list(entry.members) or None,
            "fixed_table": entry.fixed_table,
            "alias": entry.alias or None,
            "rating_source": entry.rating_source or None,
            "checked_in": entry.checked_in or None,
            "paid": entry.paid or None,
            "waits": entry.waits,
        }
    )


def _stages(event: Event) -> list[dict[str, Any]]:
    """Left out where there is one Swiss stage of everybody and nothing more to say of it."""
    everybody = sorted(event.entries)
    if len(event.stages) == 1:
        only = event.stages[0]
        same = only.entries is None or sorted(only.entries) == everybody
        if same and replace(only, entries=None) == Stage(number=1):
            return []
    return [_stage(stage, everybody) for stage in event.stages]


def _stage(stage: Stage, everybody: list[str]) -> dict[str, Any]:
    # Where a bracket has its seeds, they are its entries; where it has none, they follow from the ranking.
    listed = stage.kind == "swiss" or (stage.entries is not None and not stage.seeds)
    return _dropped(
        {
            "number": stage.number,
            "kind": stage.kind,
            "from": list(stage.sources),
            "carries": stage.carries or None,
            "entries": (sorted(stage.entries) if stage.entries is not None else everybody)
            if listed
            else None,
            "seeds": list(stage.seeds) or None,
            "alternates": list(stage.alternates) or None,
            "ends_at": stage.ends_at,
            "minutes": stage.minutes,
            "best_of": list(stage.best_of) or None,
        }
    )


def _round(round_: Round, event: Event) -> dict[str, Any]:
    status = "published" if round_.status == "repairing" else round_.status
    matches = sorted(round_.matches, key=lambda match: (match.table is None, match.table or 0, match.a))
    return _dropped(
        {
            "number": round_.number,
            "stage": round_.stage if round_.stage != 1 else None,
            "status": status if status != "complete" else None,
            "matches": [_match(match, event) for match in matches],
            "extensions": [_kept(item, ("table", "minutes", "reason")) for item in round_.extensions] or None,
            "pairing": _sorted(round_.pairing.to_json()) or None,
        }
    )


def _match(match: Match, event: Event) -> dict[str, Any]:
    """`table`, `b` and `result` stand even when null; games only where the result does not give them."""
    games = match.games
    if games is not None and match.result != "played":
        given = default_games(event.profile, match.result, match.winner)
        games = None if given == tuple(games) else games
    rest = _dropped(
        {
            "games": list(games) if games is not None else None,
            "winner": match.winner,
            "first": match.first,
            "score": [_number(value) for value in match.score] if match.score else None,
            "game_order": match.game_order,
            "slot": match.slot,
            "replays": [_kept(replay, ("games", "first")) for replay in match.replays] or None,
            "decided": match.decided,
            "waived": _kept(match.waived, ("rule", "reason")) if match.waived else None,
            "reports": [_sorted(report) for report in match.reports] or None,
        }
    )
    first = {"first": rest.pop("first")} if "first" in rest else {}
    return {"table": match.table, "a": match.a, "b": match.b, **first, "result": match.result, **rest}


def _number(value: str) -> int | str:
    return int(value) if value.lstrip("-").isdigit() else value


def _action(item: dict) -> dict[str, Any]:
    ordered = _kept(item, ("number", "at", "actor", "kind", "changes", "reason", "key", "undoes"))
    if "changes" in ordered:
        ordered["changes"] = [_change(change) for change in ordered["changes"]]
    return ordered


def _change(change: dict) -> dict[str, Any]:
    """Which fact, then its fields before and after, null where there was or is none."""
    names = ("fact", "personal") if "personal" in change else ("fact", "before", "after")
    return {name: _sorted(change.get(name)) for name in names}


def _dropped(item: dict[str, Any]) -> dict[str, Any]:
    """Without the keys that say nothing."""
    return {key: value for key, value in item.items() if value is not None}


def _kept(item: dict[str, Any], order: tuple[str, ...]) -> dict[str, Any]:
    """The keys of this order that say something, in this order."""
    return {key: item[key] for key in order if item.get(key) not in (None, "")}


def _sorted(value: Any) -> Any:
    """Keys of free objects in alphabetical order, at every depth."""
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list | tuple) else value
