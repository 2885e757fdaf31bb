"""Write logged changes back, for an undo or to restore a snapshot."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from itertools import groupby

from tournament.actionlog.change import Log
from tournament.actionlog.facts import ENTRY, KINDS, SEAT_FIELDS, STAGE_ENTRY, find_kind, new_row
from tournament.actionlog.fold import Change
from tournament.actionlog.match_facts import AWAY_RESULTS, Fact, MatchFact, find_match, unlocked_seats
from tournament.models import Entry, StageEntry


def write_back(log: Log, changes: Sequence[Change], people: Mapping[str, Fact] | None = None) -> None:
    """Reverse changes, the last one first, in bulk if possible. `people`: restored personal fields, by fact key."""
    for (what, number), group in groupby(reversed(changes), _what_changed):
        items = list(group)
        if what == "seats":
            log.reseat({item["fact"]: item["before"] or {} for item in items})
            continue
        if what in ("entries", "stages"):
            _write_back_people(log, what, items, people or {})
            continue
        if what == "row":
            for item in items:
                _write_back_row(log, item, (people or {}).get(item["fact"]))
            continue
        round_ = log.tournament.rounds.get(number=number)
        away = all((item["before"] or item["after"] or {})["result"] in AWAY_RESULTS for item in items)
        with nullcontext() if away else unlocked_seats(round_):
            if what == "made":
                log.unseat(round_, {item["fact"] for item in items})
            else:
                log.seat(round_, map(_match_before, items))


def _what_changed(change: Change) -> tuple[str, int]:
    """Classify a change for bulk writing, as (kind, round); ("entries", 1) or ("stages", 1) for removed rows."""
    came_or_went = None in (change["before"], change["after"])
    linked = (change["before"] or {}).get("same_person_as")  # to an entry that may come back with it
    if find_kind(change["fact"]) in (ENTRY, STAGE_ENTRY) and came_or_went and not linked:
        return change["fact"].split("/")[0], int(change["after"] is None)
    if find_kind(change["fact"]) is None:
        if None in (change["before"], change["after"]):
            number = int(change["fact"].split("/")[1])
            return "made" if change["before"] is None else "removed", number
        if not SEAT_FIELDS.isdisjoint(change["after"] or ()):
            return "seats", 0
    return "row", 0


def _match_before(change: Change) -> MatchFact:
    """Return the match that a change removed; its key is "rounds/4/tables/12" or "rounds/4/entries/P0003"."""
    _rounds, _number, kind, name = change["fact"].split("/")
    return MatchFact.from_log(int(name) if kind == "tables" else None, change["before"] or {})


def _write_back_people(log: Log, what: str, changes: Sequence[Change], people: Mapping[str, Fact]) -> None:
    """Write back added or removed entries, or their places in stages. Raises KeyError for missing personal fields."""
    entries = {entry.code: entry for entry in log.tournament.entries.all()}
    if changes[0]["before"] is None:
        inside = StageEntry.objects.filter(stage__tournament=log.tournament).select_related("stage", "entry")
        candidates: Iterable[Entry | StageEntry] = entries.values() if what == "entries" else inside
        rows = {KINDS[type(row)].key_of(row): row for row in candidates}
        log.remove_all([rows[change["fact"]] for change in changes])
        return
    stages = {str(stage.number): stage for stage in log.tournament.stages.all()}
    back: list[Entry | StageEntry] = []
    for change in changes:
        key, fact = change["fact"], change["before"] or {}
        if what == "entries":
            back.append(new_row(ENTRY, log.tournament, key, fact, people.get(key)))
        else:
            _stages, number, _entries, code = key.split("/")
            back.append(StageEntry(stage=stages[number], entry=entries[code], **fact))
    log.add_all(back)


def _write_back_row(log: Log, change: Change, personal: Fact | None) -> None:
    key, before, after = change["fact"], change["before"], change["after"]
    kind = find_kind(key)
    if after is None:
        assert kind is not None and before is not None
        log.add(kind.model, key, before, personal)
        return
    row = kind.find(log.tournament, key) if kind else find_match(log.tournament, key)
    if before is None:
        log.remove(row)
    else:
        log.set(row, **before)
