"""The rounds of an event that count, and the event as it was after them."""

from collections.abc import Callable, Collection
from functools import partial

from tournament.event.types import LEFT_THE_EVENT, Entry, Event, Round, Stage

OPEN = ("published", "repairing")
NOT_ADMITTED = ("registered", "waitlisted", "merged")


class NoSuchRound(ValueError):
    pass


def carried_stages_of(event: Event, stage_number: int) -> list[int]:
    """Return the stages whose rounds count together: the stage and those it carries points from, in the file's order.

    Raises KeyError for an unknown stage.
    """
    open_stages, members = [stage_number], set()
    while open_stages:
        stage = event.stage(open_stages.pop())
        if stage.number in members:
            continue
        members.add(stage.number)
        if stage.carries:
            open_stages += [n for n in stage.sources if event.stage(n).kind == "swiss"]
    return [stage.number for stage in event.stages if stage.number in members]


def counted_rounds(event: Event, after: int | None = None) -> list[Round]:
    """Return the rounds that count: complete ones, or with `after` the file's rounds up to it, without drafts.

    Raises NoSuchRound if the event has fewer rounds.
    """
    if after is None:
        return [round_ for round_ in event.rounds if round_.status == "complete"]
    if not 0 <= after <= len(event.rounds):
        raise NoSuchRound(f"There is no round {after}: the event has {len(event.rounds)}.")
    return [round_ for round_ in event.rounds[:after] if round_.status != "draft"]


def last_swiss_round(event: Event) -> int:
    swiss = {stage.number for stage in event.stages if stage.kind == "swiss"}
    return max((r.number for r in counted_rounds(event) if r.stage in swiss), default=0)


def event_after(event: Event, after: int | None = None) -> Event:
    """Return the event as it was after its counted Swiss rounds, all of them complete.

    Removes later rounds, and late entries, drops, disqualifications and manual orders of later rounds, of rounds still
    being played, and of the bracket. Raises NoSuchRound.
    """
    swiss = [stage.number for stage in event.stages if stage.kind == "swiss"]
    rounds = [round_ for round_ in counted_rounds(event, after) if round_.stage in swiss]
    has_happened = _has_happened(event, rounds, after)
    begun = [number for number in swiss if any(round_.stage == number for round_ in rounds)] or swiss[:1]
    inside = {code for number in begun for code in event.entries_of(event.stage(number))}
    met = {code for round_ in rounds for match in round_.matches if match.b for code in (match.a, match.b)}
    left, disqualified = last_rounds(event), _disqualifications(event)
    entries = {}
    for code, entry in event.entries.items():
        joined = (entry.joined_round or 1) == 1 or has_happened(code, entry.joined_round or 1)
        if code in met or (code in inside and joined and entry.status not in NOT_ADMITTED):
            last = left.get(code, 0)
            out = max(last, disqualified.get(code, 0))
            entries[code] = _entry_after(entry, last, out, partial(has_happened, code))
    return event.replace(
        entries=entries,
        stages=stages_with(event, entries),
        rounds=[
            round_.replace(
                status="complete", matches=[match for match in round_.matches if match.a in entries]
            )
            for round_ in rounds
        ],
    )


def last_rounds(event: Event) -> dict[str, int]:
    """Return {player who left: the player's last round}: as stored, else the last round with a seat (0: none)."""
    gone = {
        code: entry.dropped_after for code, entry in event.entries.items() if entry.status in LEFT_THE_EVENT
    }
    if None not in gone.values():
        return {code: number or 0 for code, number in gone.items()}
    seated = {
        code: round_.number
        for round_ in event.rounds
        for match in round_.matches
        for code in (match.a, match.b)
    }
    return {code: seated.get(code, 0) if number is None else number for code, number in gone.items()}


def _has_happened(event: Event, rounds: list[Round], after: int | None) -> Callable[[str, int], bool]:
    last = max((round_.number for round_ in rounds), default=0)
    # Flights are played side by side: one may have completed a later round than another is playing.
    open_ = [
        (round_.number, set(event.entries_of(event.stage(round_.stage))))
        for round_ in event.rounds
        if round_.number < last and round_.status in OPEN and after is None
    ]
    return lambda code, number: (
        number <= last and not any(first <= number and code in codes for first, codes in open_)
    )


def _disqualifications(event: Event) -> dict[str, int]:
    """Return {player: the round of the disqualification} if a penalty tells; a player may have dropped before."""
    return {
        penalty.entry: penalty.round or 0 for penalty in event.penalties if penalty.kind == "disqualification"
    }


def stages_with(event: Event, codes: Collection[str]) -> list[Stage]:
    return [
        stage
        if stage.entries is None
        else stage.replace(entries=tuple(code for code in stage.entries if code in codes))
        for stage in event.stages
    ]


def _entry_after(entry: Entry, left: int, out: int, has_happened: Callable[[int], bool]) -> Entry:
    """Return the entry without a drop after round `left`, a disqualification in round `out` or a later order."""
    changes: dict = {}
    if entry.status == "disqualified" and not has_happened(out):
        changes["status"] = "dropped"
    if entry.status in LEFT_THE_EVENT and not has_happened(left):
        changes |= {"status": "playing", "dropped_after": None}
    if entry.manual_after is not None and not has_happened(entry.manual_after):
        changes |= {"manual": None, "manual_after": None}
    return entry.replace(**changes) if changes else entry


def count_open_rounds(event: Event, stage: int | None = None) -> Event:
    """Return the event with its published rounds (or those of one stage) as complete, to rank by every result so far.

    The event itself does not change.
    """
    rounds = [
        round_.replace(status="complete")
        if round_.status in OPEN and stage in (None, round_.stage)
        else round_
        for round_ in event.rounds
    ]
    return event.replace(rounds=rounds)
