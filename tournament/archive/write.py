"""Write plain values as an archive in canonical form: the same event gives the same bytes. Defaults are omitted."""

from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import msgspec

from tournament.archive import format
from tournament.archive.read import default_state
from tournament.event.lots import compute_lots
from tournament.event.types import Decklist, Entry, Event, Match, Penalty, Round, Stage, table_order
from tournament.rulesets import default_games
from tournament.text import make_slug

# Fields that are written even with their default.
ALWAYS: dict[type[msgspec.Struct], set[str]] = {
    Stage: {"kind", "sources"},
    format.Round: {"matches"},
    format.Match: {"table", "b", "result"},
    format.Replay: {"games"},
    Penalty: {"kind"},
    format.Action: {"changes"},
}


def canonical(event: Event, *, with_seed: bool = False) -> str:
    return msgspec.json.encode(build_archive(event, with_seed=with_seed)).decode() + "\n"


def build_archive(event: Event, *, with_seed: bool = False) -> dict[str, Any]:
    """Return the archive as JSON values. `with_seed`: include an unfinished event's seed and all decklists."""
    show_seed = with_seed or event.state == "finished"
    archive = {
        "format": "swiss-archive",
        "version": 1,
        "tournament": _tournament(event, show_seed),
        "ruleset": _ruleset(event),
        "entries": [
            _item(entry, requested_byes=tuple(map(_item, entry.requested_byes)))
            for entry in _with_lots(event, show_seed)
        ],
        "stages": _stages(event),
        "rounds": [_round(round_, event) for round_ in event.rounds],
        "forbidden": [list(pair) for pair in event.forbidden],
        "penalties": [_item(penalty) for penalty in event.penalties],
        "deck_checks": [_item(check) for check in event.deck_checks],
        "decklists": [_item(decklist) for decklist in _readable_decklists(event, with_seed)],
        "log": [
            _item(action, format.Action, changes=[_change(change) for change in action.changes])
            for action in event.log
        ],
    }
    needed = ("format", "version", "tournament", "ruleset", "entries")
    return {key: value for key, value in archive.items() if value or key in needed}


@cache
def _fields(kind: type[msgspec.Struct]) -> list[tuple[str, str, Any, bool]]:
    always = ALWAYS.get(kind, ())
    fields = msgspec.structs.fields(kind)
    return [(field.name, field.encode_name, field.default, field.name in always) for field in fields]


def _item(value: Any, kind: Any = None, **changed: Any) -> dict[str, Any]:
    item = {}
    shape: Any = kind or type(value)
    read = value.get if isinstance(value, dict) else partial(getattr, value)
    for name, key, default, always in _fields(shape):
        now = changed[name] if name in changed else read(name)
        if always or (now is not None and now != default and now != ""):
            item[key] = list(now) if isinstance(now, tuple) else now
    return item


def _tournament(event: Event, show_seed: bool) -> dict[str, Any]:
    return _item(
        event,
        format.Tournament,
        slug=event.slug if event.slug != make_slug(event.name) else None,
        date=None,
        seed=event.seed if show_seed else None,
        prizes=tuple(map(_item, event.prizes)),
        state=event.state if event.state != default_state(event) else None,
    )


def _ruleset(event: Event) -> dict[str, Any]:
    """Return the ruleset's key and changes before round 1, and the whole ruleset afterwards."""
    if event.rounds:
        return {"name": event.profile.get("name", ""), "profile": _sorted(event.profile)}
    return _item(_sorted(event.ruleset), format.Ruleset)


def _with_lots(event: Event, show_seed: bool) -> list[Entry]:
    """Return the entries by id; while the seed is secret, each with its place in the random order."""
    entries = [event.entries[code] for code in sorted(event.entries)]
    if show_seed or not event.seed:
        return entries
    lots = compute_lots(event.seed, {entry.id: entry.lot for entry in entries})
    return [entry.replace(lot=lots[entry.id]) for entry in entries]


def _readable_decklists(event: Event, secret: bool) -> list[Decklist]:
    """Return the decklists. Unless `secret`, only the newest public ones include their cards."""
    if secret:
        return list(event.decklists)
    newest = {decklist.entry: place for place, decklist in enumerate(event.decklists)}
    shown = newest.values() if event.decklists_public else ()
    lists = enumerate(event.decklists)
    return [decklist if place in shown else decklist.replace(text="") for place, decklist in lists]


def _stages(event: Event) -> list[dict[str, Any]]:
    """Return the stages; empty if there is just one Swiss stage with default settings in which everyone plays."""
    everyone = sorted(event.entries)
    if len(event.stages) == 1:
        only = event.stages[0]
        same = only.entries is None or sorted(only.entries) == everyone
        if same and only.replace(entries=None) == Stage(number=1):
            return []
    return [_stage(stage, everyone) for stage in event.stages]


def _stage(stage: Stage, everyone: list[str]) -> dict[str, Any]:
    entries = everyone if stage.entries is None else sorted(stage.entries)
    return _item(stage, entries=entries if stage.lists_entries else None)


def _round(round_: Round, event: Event) -> dict[str, Any]:
    item = _item(
        round_,
        format.Round,
        status="published" if round_.status == "repairing" else round_.status,
        matches=[_match(match, event) for match in sorted(round_.matches, key=table_order)],
        extensions=tuple(_item(extension) for extension in round_.extensions),
        clock=_item(round_.clock) or None,
        pairing=_sorted(round_.pairing.to_json()) or None,
    )
    if round_.table_plan == "":  # published without a plan, unlike None (the event's)
        item["table_plan"] = ""
    return item


def _match(match: Match, event: Event) -> dict[str, Any]:
    games: Sequence[int] | None = match.games
    if games is not None and match.result != "played":
        usual = default_games(event.profile, match.result, match.winner)
        games = None if tuple(games) == usual else games
    return _item(
        match,
        format.Match,
        games=games and list(games),
        score=match.score and [_number(value) for value in match.score],
        replays=tuple(_item(replay, format.Replay) for replay in match.replays),
        waived=match.waived and _item(match.waived, format.Waiver),
        reports=tuple(_item(report) for report in match.reports),
    )


def _number(value: str) -> int | str:
    return int(value) if value.lstrip("-").isdigit() else value


def _change(change: dict[str, Any]) -> dict[str, Any]:
    names = ("fact", "personal") if "personal" in change else ("fact", "before", "after")
    return {name: _sorted(change.get(name)) for name in names}


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list | tuple) else value
