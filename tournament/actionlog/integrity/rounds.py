"""Rounds, waitlist and bracket, the log, and the event's owner."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from tournament.actionlog.integrity.tables import Tables, repeated


def check_rounds(tables: Tables) -> Iterator[str]:
    """Known states, one open round a Swiss stage, results for every table of a complete round."""
    open_rounds = (r["stage_id"] for r in tables.rounds.values() if r["swiss"] and r["state"] != "complete")
    for stage, count in repeated(open_rounds):
        yield f"stage {tables.stages[stage]['number']} has {count} open rounds"
    outstanding = Counter(match["round_id"] for match in tables.matches.values() if match["result"] is None)
    for row in tables.rounds.values():
        name = f"round {row['number']}"
        if row["state"] not in ("draft", "published", "complete"):
            yield f"{name} was left in the state {row['state']}"
        if row["state"] == "complete" and outstanding[row["id"]]:
            yield f"{name} is complete, but results are missing: {outstanding[row['id']]}"
        if row["swiss"] != (tables.stages[row["stage_id"]]["kind"] == "swiss"):
            yield f"{name} does not match its stage on whether it is Swiss"
    numbers = sorted(row["number"] for row in tables.rounds.values())
    if numbers != list(range(1, len(numbers) + 1)):
        yield f"rounds are numbered {numbers}"


def check_waitlist(tables: Tables) -> Iterator[str]:
    """Who is on the waitlist has a number there, no stage and no seat; no one else has such a number."""
    inside = {row["entry_id"] for row in (*tables.stage_entries, *tables.seats)}
    for pk, entry in tables.entries.items():
        waits = entry["status"] == "waitlisted"
        if f"entries/{entry['code']}" in tables.baseline:
            continue  # a list kept elsewhere need not number those who wait
        if waits != (entry["waits"] is not None):
            yield f"{entry['code']} is {entry['status']} with waitlist number {entry['waits']}"
        if waits and pk in inside:
            yield f"{entry['code']} is on the waitlist but has a place"


def check_merged(tables: Tables) -> Iterator[str]:
    """A merged entry names the one it was merged into, and has no stage and no seat."""
    inside = {row["entry_id"] for row in (*tables.stage_entries, *tables.seats)}
    for pk, entry in tables.entries.items():
        if entry["status"] == "merged" and (pk in inside or entry["same_person_as_id"] is None):
            yield f"{entry['code']} is merged but has a place, or names no other entry"


def check_prohibited_pairs(tables: Tables) -> Iterator[str]:
    """The do-not-pair list names players of this event."""
    codes = {entry["code"] for entry in tables.entries.values()}
    for pair in tables.tournament["forbidden"]:
        for code in sorted(set(pair) - codes):
            yield f"the do-not-pair list names {code}, who is not in the event"


def check_seeds(tables: Tables) -> Iterator[str]:
    """Seeds are 1…n, and a bracket's matches are between its seeds and alternates."""
    for pk, stage in tables.stages.items():
        if stage["kind"] != "elimination":
            continue
        rows = [row for row in tables.stage_entries if row["stage_id"] == pk]
        seeds = sorted({row["seed"] for row in rows if row["seed"]})
        if seeds and seeds != list(range(1, len(seeds) + 1)):
            yield f"stage {stage['number']}: seeds are {seeds}"
        inside = {row["entry_id"] for row in rows}
        for seat in tables.seats:
            here = tables.rounds[seat["round_id"]]["stage_id"] == pk
            if here and seeds and seat["entry_id"] not in inside:
                yield f"stage {stage['number']}: {tables.code(seat['entry_id'])} plays without a seed"


def check_requested_byes(tables: Tables) -> Iterator[str]:
    """Each requested bye is of a known kind, and an entry has one for a round at most, in their order."""
    for entry in tables.entries.values():
        numbers = [bye["round"] for bye in entry["requested_byes"]]
        if numbers != sorted(set(numbers)) or min(numbers, default=1) < 1:
            yield f"{entry['code']} requested byes for rounds {', '.join(map(str, numbers))}"
        if unknown := {bye["kind"] for bye in entry["requested_byes"]} - {"half", "zero", "full"}:
            yield f"{entry['code']} requested an unknown bye: {', '.join(sorted(unknown))}"


def check_bracket(tables: Tables) -> Iterator[str]:
    """The players of a later bracket round advanced from the one before, where slots say which is which."""
    advanced: dict[int, set[int]] = defaultdict(set)  # round number -> who won or had a bye there
    numbers = {pk: row["number"] for pk, row in tables.rounds.items() if not row["swiss"]}
    for match in tables.matches.values():
        if match["round_id"] in numbers:
            for seat in tables.seats_of[match["id"]]:
                if match["result"] and (match["winner"] == seat["side"] or seat["opponent_id"] is None):
                    advanced[numbers[match["round_id"]]].add(seat["entry_id"])
    for match in tables.matches.values():
        number = numbers.get(match["round_id"])
        if number is None or number == min(numbers.values()) or not match["slot"].startswith(("W", "F")):
            continue
        for seat in tables.seats_of[match["id"]]:
            if seat["entry_id"] not in advanced[number - 1]:
                code = tables.code(seat["entry_id"])
                yield f"{tables.place(match)}: {code} did not advance from round {number - 1}"


def check_log(tables: Tables) -> Iterator[str]:
    """Action numbers have no gap since the baseline, marks follow them, form keys are used once."""
    event = tables.tournament
    numbers = [row["number"] for row in tables.actions if row["number"] > event["baseline_number"]]
    if numbers != list(range(event["baseline_number"] + 1, event["revision"] + 1)):
        yield f"actions {numbers[:3]}…{numbers[-3:]} do not lead to revision {event['revision']}"
    for key, count in repeated(row["key"] for row in tables.actions if row["key"]):
        yield f"form key {key} was used {count} times"
    marks = [match["version"] for match in tables.matches.values()]
    marks += [row["revision"] for row in tables.rounds.values()]
    latest = max([event["standings_revision"], event["public_revision"], *marks])
    if latest > event["revision"]:
        yield f"a mark ({latest}) is ahead of the log ({event['revision']})"


def check_owner(tables: Tables) -> Iterator[str]:
    """The event's owner is one of its organizers."""
    if tables.tournament["owner_id"] and not tables.tournament["owner_is_organizer"]:
        yield "the event's owner is not one of its organizers"
