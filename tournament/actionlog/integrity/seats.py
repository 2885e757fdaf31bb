"""Seats: who sits where, and what Swiss rounds forbid."""

from collections import defaultdict
from collections.abc import Iterator

from tournament.actionlog.integrity.tables import Row, Tables, repeated

POSTED = {"published", "complete"}


def check_seats(tables: Tables) -> Iterator[str]:
    """Seats mirror matches, no one sits twice in a round, nothing links two events."""
    event = tables.tournament["id"]
    for seat in tables.strays:
        yield f"round {tables.rounds[seat['round_id']]['number']}: a seat at a match of another event"
    for member in tables.stage_entries:
        if member["entry_id"] not in tables.entries:
            yield f"stage {tables.stages[member['stage_id']]['number']}: a player of another event"
    for seat in tables.seats:
        match, entry = tables.matches[seat["match_id"]], seat["entry_id"]
        where = f"{tables.place(match)}: seat of {tables.code(entry)}"
        if seat["tournament_id"] != event or entry not in tables.entries:
            yield f"{where} belongs to another event"
        if seat["round_id"] != match["round_id"]:
            yield f"{where} is in another round than its match"
        if seat["opponent_id"] == entry:
            yield f"{where} faces itself"
        if seat["swiss"] != tables.rounds[match["round_id"]]["swiss"]:
            yield f"{where} does not match its round on whether it is Swiss"
    for (round_, entry), count in repeated((seat["round_id"], seat["entry_id"]) for seat in tables.seats):
        yield f"round {tables.rounds[round_]['number']}: {tables.code(entry)} sits {count} times"
    for match in tables.matches.values():
        yield from _check_both_seats(tables, match)


def _check_both_seats(tables: Tables, match: Row) -> Iterator[str]:
    seats = sorted(tables.seats_of[match["id"]], key=lambda seat: seat["side"])
    where, sides = tables.place(match), "".join(seat["side"] for seat in seats)
    if sides not in ("a", "ab"):
        yield f"{where}: {len(seats)} seats"
        return
    opponents = [seat["opponent_id"] for seat in seats]
    if opponents != ([seats[1]["entry_id"], seats[0]["entry_id"]] if sides == "ab" else [None]):
        yield f"{where}: the two seats do not name each other"
    kind = "match" if sides == "ab" else match["result"]
    if any(seat["kind"] != kind for seat in seats):
        yield f"{where}: a seat's kind is not {kind}"
    if any(seat["meeting"] != _is_meeting(tables, match) for seat in seats):
        yield f"{where}: a seat does not say whether its players have met"
    if any(seat["waived"] != bool(match["waived_rule"]) for seat in seats):
        yield f"{where}: waiver of match and seats differ"
    if match["waived_rule"] and not match["waived_reason"]:
        yield f"{where}: waived without a reason"


def _is_meeting(tables: Tables, match: Row) -> bool:
    """Whether the players of a match have met by it: of a forfeit the event's ruleset says so."""
    pairing = (tables.tournament["profile"] or {}).get("pairing") or {}
    return match["result"] != "forfeit" or pairing.get("forfeits_are_meetings") in (True, None)


def check_meetings(tables: Tables) -> Iterator[str]:
    """In Swiss rounds no rematch, no second pairing bye of a player, one pairing bye a round, unless waived."""
    seats = [seat for seat in tables.seats if seat["swiss"] and not seat["waived"]]
    met = [
        seat
        for seat in seats
        if seat["opponent_id"]
        and seat["side"] == "a"
        and _is_meeting(tables, tables.matches[seat["match_id"]])
    ]
    for pair, count in repeated(tuple(sorted((seat["entry_id"], seat["opponent_id"]))) for seat in met):
        yield f"{' and '.join(map(tables.code, pair))} meet {count} times in Swiss"
    byes = [seat for seat in seats if seat["kind"] == "bye"]
    for entry, count in repeated(seat["entry_id"] for seat in byes):
        yield f"{tables.code(entry)} has {count} pairing byes"
    for round_, count in repeated(seat["round_id"] for seat in byes):
        yield f"round {tables.rounds[round_]['number']} has {count} pairing byes"


def check_everyone_seated(tables: Tables) -> Iterator[str]:
    """In each Swiss round paired here, everyone who plays sits exactly once, and no one else does."""
    members: dict[int, set[int]] = defaultdict(set)
    for member in tables.stage_entries:
        members[member["stage_id"]].add(member["entry_id"])
    kinds: dict[int, dict[int, str]] = defaultdict(dict)
    for seat in tables.seats:
        kinds[seat["round_id"]][seat["entry_id"]] = seat["kind"]
    for row in tables.rounds.values():
        if not row["swiss"] or row["state"] not in POSTED or not tables.paired_here(row):
            continue
        for pk in (members[row["stage_id"]] | set(kinds[row["id"]])) & tables.entries.keys():
            entry, kind = tables.entries[pk], kinds[row["id"]].get(pk)
            if entry["house"]:
                continue
            dropped = entry["dropped_after"] is not None and entry["dropped_after"] < row["number"]
            plays = (entry["joined_round"] or 1) <= row["number"] and not dropped
            if plays and kind is None and entry["status"] in ("playing", "dropped", "disqualified"):
                yield f"round {row['number']}: {entry['code']} plays and has no seat"
            if not plays and kind in ("match", "bye"):
                yield f"round {row['number']}: {entry['code']} does not play and has a seat"
