"""Every invariant of a tournament, checked again on the bare tables and by none of the services' code.

Ten queries whatever the size. "Seated exactly once" binds rounds paired here, not rounds recorded elsewhere
and loaded. The numbers in brackets are SAFETY §3's.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from tournament.actionlog import triggers
from tournament.actionlog.integrity_matches import matches
from tournament.models import Action, Entry, Match, Round, Seat, Stage, StageEntry, Tournament

Row = Any  # a row of a table as a dict
SHOWN = {"published", "complete"}


class Tables:
    """The rows of one tournament as dicts, read once."""

    def __init__(self, tournament: Tournament):
        self.tournament = Tournament.objects.values().get(pk=tournament.pk)
        self.entries = {row["id"]: row for row in Entry.objects.filter(tournament=tournament).values()}
        self.stages = {row["id"]: row for row in Stage.objects.filter(tournament=tournament).values()}
        self.stage_entries = list(StageEntry.objects.filter(stage__tournament=tournament).values())
        self.rounds = {row["id"]: row for row in Round.objects.filter(tournament=tournament).values()}
        self.matches = {row["id"]: row for row in Match.objects.filter(round__tournament=tournament).values()}
        self.seats = list(Seat.objects.filter(round__tournament=tournament).order_by("round_id").values())
        self.actions = list(
            Action.objects.filter(tournament=tournament).order_by("number").values("number", "undoes", "key")
        )
        self.by_match: dict[int, list[Row]] = defaultdict(list)
        for seat in self.seats:
            self.by_match[seat["match_id"]].append(seat)

    def code(self, entry: int | None) -> str:
        return self.entries[entry]["code"] if entry in self.entries else "nobody"

    def place(self, match: Row) -> str:
        """Round and table in words."""
        number = self.rounds[match["round_id"]]["number"]
        return f"round {number}, table {match['table']}" if match["table"] else f"round {number}, a bye"

    def here(self, round_: Row) -> bool:
        """Whether the round was paired here, after the baseline the event was loaded with."""
        return f"rounds/{round_['number']}" not in self.tournament["baseline"]


def check(tournament: Tournament, *, marks: bool = True) -> list[str]:
    """What is wrong, a sentence each; empty where every invariant holds.

    Without `marks` the log's numbers are left out: an action being written is ahead of them.
    """
    tables = Tables(tournament)
    problems = [f"guard missing: {name}" for name in triggers.missing_triggers()]
    parts = (
        _seats,
        _meetings,
        matches,
        _rounds,
        _everyone,
        _waiting,
        _seeds,
        _bracket,
        *((_log,) if marks else ()),
    )
    for part in parts:
        problems.extend(part(tables))
    return problems


def _seats(tables: Tables) -> Iterator[str]:
    """[I1, I5, I6, I26] Seats mirror matches, nobody sits twice, nothing links two events."""
    own = tables.tournament["id"]
    for seat in tables.seats:
        match, entry = tables.matches[seat["match_id"]], seat["entry_id"]
        said = f"{tables.place(match)}: seat of {tables.code(entry)}"
        if seat["tournament_id"] != own or entry not in tables.entries:
            yield f"{said} belongs to another event"
        if seat["round_id"] != match["round_id"]:
            yield f"{said} is in another round than its match"
        if seat["opponent_id"] == entry:
            yield f"{said} faces itself"
        if seat["swiss"] != tables.rounds[match["round_id"]]["swiss"]:
            yield f"{said} does not match its round on whether it is Swiss"
    for (number, entry), count in Counter((s["round_id"], s["entry_id"]) for s in tables.seats).items():
        if count > 1:
            yield f"round {tables.rounds[number]['number']}: {tables.code(entry)} sits {count} times"
    for match in tables.matches.values():
        yield from _mirror(tables, match)


def _mirror(tables: Tables, match: Row) -> Iterator[str]:
    seats = sorted(tables.by_match[match["id"]], key=lambda seat: seat["side"])
    sides = "".join(seat["side"] for seat in seats)
    if sides not in ("a", "ab"):
        yield f"{tables.place(match)}: {len(seats)} seats"
        return
    faced = [seat["opponent_id"] for seat in seats]
    if faced != ([seats[1]["entry_id"], seats[0]["entry_id"]] if sides == "ab" else [None]):
        yield f"{tables.place(match)}: the two seats do not name each other"
    kind = "match" if sides == "ab" else match["result"]
    if any(seat["kind"] != kind for seat in seats):
        yield f"{tables.place(match)}: a seat's kind is not {kind}"
    if any(seat["waived"] != bool(match["waived_rule"]) for seat in seats):
        yield f"{tables.place(match)}: waiver of match and seats differ"
    if match["waived_rule"] and not match["waived_reason"]:
        yield f"{tables.place(match)}: waived without a reason"


def _meetings(tables: Tables) -> Iterator[str]:
    """[I2, I3, I4] No repeat, no second pairing bye, one pairing bye a round, unless waived."""
    met: Counter[tuple[int, int]] = Counter()
    byes: Counter[int] = Counter()
    round_byes: Counter[int] = Counter()
    for seat in tables.seats:
        if not seat["swiss"] or seat["waived"]:
            continue
        if seat["opponent_id"] and seat["side"] == "a":
            a, b = sorted((seat["entry_id"], seat["opponent_id"]))
            met[a, b] += 1
        if seat["kind"] == "bye":
            byes[seat["entry_id"]] += 1
            round_byes[seat["round_id"]] += 1
    for (a, b), count in met.items():
        if count > 1:
            yield f"{tables.code(a)} and {tables.code(b)} meet {count} times in Swiss"
    for entry, count in byes.items():
        if count > 1:
            yield f"{tables.code(entry)} has {count} pairing byes"
    for number, count in round_byes.items():
        if count > 1:
            yield f"round {tables.rounds[number]['number']} has {count} pairing byes"


def _rounds(tables: Tables) -> Iterator[str]:
    """[I9, I10, I12] Known states, one open round a Swiss stage, complete means all results are in."""
    open_rounds = Counter(
        row["stage_id"] for row in tables.rounds.values() if row["swiss"] and row["state"] != "complete"
    )
    for stage, count in open_rounds.items():
        if count > 1:
            yield f"stage {tables.stages[stage]['number']} has {count} open rounds"
    out = Counter(match["round_id"] for match in tables.matches.values() if match["result"] is None)
    for row in tables.rounds.values():
        said = f"round {row['number']}"
        if row["state"] not in ("draft", "published", "complete"):
            yield f"{said} was left in the state {row['state']}"
        if row["state"] == "complete" and out[row["id"]]:
            yield f"{said} is complete, but results are missing: {out[row['id']]}"
        if row["swiss"] != (tables.stages[row["stage_id"]]["kind"] == "swiss"):
            yield f"{said} does not match its stage on whether it is Swiss"
    numbers = sorted(row["number"] for row in tables.rounds.values())
    if numbers != list(range(1, len(numbers) + 1)):
        yield f"rounds are numbered {numbers}"


def _everyone(tables: Tables) -> Iterator[str]:
    """[I1, I14] In each Swiss round paired here, whoever plays sits exactly once, and nobody else does."""
    members: dict[int, set[int]] = defaultdict(set)
    for place in tables.stage_entries:
        members[place["stage_id"]].add(place["entry_id"])
    seated: dict[int, dict[int, str]] = defaultdict(dict)
    for seat in tables.seats:
        seated[seat["round_id"]][seat["entry_id"]] = seat["kind"]
    for row in tables.rounds.values():
        if not row["swiss"] or row["state"] not in SHOWN or not tables.here(row):
            continue
        for pk in members[row["stage_id"]] | set(seated[row["id"]]):
            entry, kind = tables.entries[pk], seated[row["id"]].get(pk)
            if entry["house"]:
                continue
            left = entry["dropped_after"] is not None and entry["dropped_after"] < row["number"]
            plays = (entry["joined_round"] or 1) <= row["number"] and not left
            if plays and kind is None and entry["status"] in ("playing", "dropped", "disqualified"):
                yield f"round {row['number']}: {entry['code']} plays and has no seat"
            if not plays and kind in ("match", "bye"):
                yield f"round {row['number']}: {entry['code']} does not play and has a seat"


def _waiting(tables: Tables) -> Iterator[str]:
    """Who waits has a number in the list, no place in a stage and no seat; nobody else has such a number."""
    inside = {row["entry_id"] for row in (*tables.stage_entries, *tables.seats)}
    for pk, entry in tables.entries.items():
        waits = entry["status"] == "waitlisted"
        if f"entries/{entry['code']}" in tables.tournament["baseline"]:
            continue  # a list kept elsewhere need not number those who wait
        if waits != (entry["waits"] is not None):
            yield f"{entry['code']} is {entry['status']} with waitlist number {entry['waits']}"
        if waits and pk in inside:
            yield f"{entry['code']} is on the waitlist but has a place"


def _seeds(tables: Tables) -> Iterator[str]:
    """[I21] Seeds are 1…n, and a bracket's matches are between its seeds and alternates."""
    for pk, stage in tables.stages.items():
        if stage["kind"] != "elimination":
            continue
        seeds = {
            row["seed"]: row["entry_id"]
            for row in tables.stage_entries
            if row["stage_id"] == pk and row["seed"]
        }
        if seeds and sorted(seeds) != list(range(1, len(seeds) + 1)):
            yield f"stage {stage['number']}: seeds are {sorted(seeds)}"
        inside = {row["entry_id"] for row in tables.stage_entries if row["stage_id"] == pk}
        for seat in tables.seats:
            own = tables.rounds[seat["round_id"]]["stage_id"] == pk
            if own and seeds and seat["entry_id"] not in inside:
                yield f"stage {stage['number']}: {tables.code(seat['entry_id'])} plays without a seed"


def _bracket(tables: Tables) -> Iterator[str]:
    """[I21] Whoever plays a later bracket round came through the one before, where slots say which is which."""
    through: dict[int, set[int]] = defaultdict(set)  # round number -> who won or had a bye there
    numbers = {pk: row["number"] for pk, row in tables.rounds.items() if not row["swiss"]}
    for match in tables.matches.values():
        if match["round_id"] in numbers:
            for seat in tables.by_match[match["id"]]:
                if match["result"] and (match["winner"] == seat["side"] or seat["opponent_id"] is None):
                    through[numbers[match["round_id"]]].add(seat["entry_id"])
    for match in tables.matches.values():
        number = numbers.get(match["round_id"])
        if number is None or number == min(numbers.values()) or not match["slot"].startswith(("W", "F")):
            continue
        for seat in tables.by_match[match["id"]]:
            if seat["entry_id"] not in through[number - 1]:
                code = tables.code(seat["entry_id"])
                yield f"{tables.place(match)}: {code} did not advance from round {number - 1}"


def _log(tables: Tables) -> Iterator[str]:
    """[I18, I23] Action numbers have no gap since the baseline, marks follow them, keys are used once."""
    about = tables.tournament
    numbers = [row["number"] for row in tables.actions if row["number"] > about["baseline_number"]]
    expected = list(range(about["baseline_number"] + 1, about["revision"] + 1))
    if numbers != expected:
        yield f"actions {numbers[:3]}…{numbers[-3:]} do not lead to revision {about['revision']}"
    keys = Counter(row["key"] for row in tables.actions if row["key"])
    yield from (f"form key {key} was used {count} times" for key, count in keys.items() if count > 1)
    latest = max(
        [match["version"] for match in tables.matches.values()]
        + [row["revision"] for row in tables.rounds.values()]
        + [about["standings_revision"]],
        default=0,
    )
    if latest > about["revision"]:
        yield f"a mark ({latest}) is ahead of the log ({about['revision']})"
