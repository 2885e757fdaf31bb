"""Corrections, each with a reason, even in a finished event. Rounds that have been paired since are not changed."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from tournament.actionlog import integrity
from tournament.actionlog.match_facts import Fact, MatchFact, read_match
from tournament.actionlog.service import Log, service
from tournament.errors import Refused, WrongState
from tournament.event.profile import ruleset_in_force
from tournament.event.rounds import match_at, round_name, solo_match
from tournament.event.table_plan import table_name
from tournament.event.types import LEFT_THE_EVENT
from tournament.models import Entry, Round, Seat, Stage, StageEntry, Tournament
from tournament.results.slip import Slip
from tournament.services import stage_entries
from tournament.services.drops import find_last_round
from tournament.services.entries import check_name, fill_spots, find_unmerged_entry
from tournament.services.results import write_slip
from tournament.services.seats import change_seats

CORRECTION = "correction"  # the kind of every action here
BYES = ("bye", "half_bye", "zero_bye", "full_bye", "awarded_bye", "missed")


def check_correction(log: Log) -> None:
    """Raise Refused if the reason is missing, and WrongState if there is a draft, which a correction would outdate."""
    if not log.reason:
        raise Refused(_("Say why it is corrected."), status=422)
    if draft := log.tournament.rounds.filter(state=Round.State.DRAFT).first():
        text = _("Round %(number)s has draft pairings. Discard them, make the correction, then pair again.")
        raise WrongState(text, number=draft.number)


@service(CORRECTION, after_end=True)
def correct_result(log: Log, number: int, table: int, slip: Slip, version: int | None = None) -> None:
    """Replace the result of a Swiss table; drops stay. Raises WrongState if there is no result yet."""
    match = match_at(log.tournament, number, table)
    if not match.round.swiss:
        raise WrongState(_("This is a bracket match: enter it on the bracket page."))
    if match.result is None:
        text = _("Table %(table)s of round %(round)s has no result to correct.")
        raise WrongState(text, table=table_name(log.tournament, table, match.round), round=number)
    check_correction(log)
    write_slip(log, match, slip, version, late=True)


def list_correctable_byes(tournament: Tournament) -> list[str]:
    refused = {f"{word}_bye" for word in ruleset_in_force(tournament).get("byes_refused") or ()}
    return [result for result in BYES if result not in refused]


@service(CORRECTION, after_end=True)
def correct_bye(log: Log, number: int, code: str, result: str) -> None:
    """Change a round without an opponent to another bye or to missed. A second pairing bye gets a waiver."""
    tournament = log.tournament
    match = solo_match(tournament, number, code)
    if result not in list_correctable_byes(tournament):
        raise Refused(_("This ruleset does not have such a bye. Choose another."))
    check_correction(log)
    old = read_match(match)
    if result == old.result:
        return
    if result == "bye":
        entry = find_unmerged_entry(tournament, code)
        left = entry.dropped_after is not None and entry.dropped_after < number
        if left or (entry.joined_round or 1) > number:
            text = _("%(name)s was not in the event in round %(round)s. Correct that first.")
            raise WrongState(text, name=entry.name, round=number)
    score = None if "missed" in (old.result, result) else old.score

    def seat(of: int, fact: MatchFact) -> MatchFact:
        here = of == number and fact.a == code
        return fact._replace(result=result, games=None, score=score) if here else fact

    change_seats(log, [code], seat)


@service(CORRECTION, after_end=True)
def correct_seats(log: Log, number: int, table: int, a: str, b: str = "") -> None:
    """Seat the players who really sat at a Swiss table, by code; `b` is "" for no opponent.

    A displaced player takes the incoming player's place. Each place keeps its result, and each player's drop stays.
    """
    match = match_at(log.tournament, number, table)
    check_seats_are_facts(match.round)
    check_correction(log)
    seated = [seat.entry.code for seat in match.seats.select_related("entry").order_by("side")]
    wanted = [a, b][: len(seated)]
    if len(set(wanted)) < len(wanted):
        raise Refused(_("Choose two different players."), status=422)
    into = [code for code in wanted if code not in seated]
    for code in into:
        _check_was_there(find_unmerged_entry(log.tournament, code), match.round)
    out = [code for code in seated if code not in wanted]
    occupants = dict(zip([*seated, *into], [*wanted, *out], strict=True))
    houses = set(log.tournament.entries.filter(code__in=out, house=True).values_list("code", flat=True))

    def seat(of: int, fact: MatchFact) -> MatchFact | None:
        if of != number:
            return fact
        fact = fact._replace(a=occupants.get(fact.a, fact.a), b=fact.b and occupants.get(fact.b, fact.b))
        return None if fact.b is None and fact.a in houses else fact  # house players get no bye

    change_seats(log, [*seated, *into], seat)


def check_seats_are_facts(round_: Round) -> None:
    """Raise WrongState for a draft, and for a bracket, whose seats follow from other facts."""
    if not round_.swiss:
        text = _("The players of a bracket match follow from seeds and results. Correct a result instead.")
        raise WrongState(text)
    if round_.state not in (Round.State.PUBLISHED, Round.State.COMPLETE):
        raise WrongState(_("Round %(round)s is not published yet. Publish it first."), round=round_.number)


def _check_was_there(entry: Entry, round_: Round) -> None:
    if (entry.joined_round or 1) > round_.number:
        text = _("%(name)s joined after round %(round)s. First correct when the player joined.")
    elif entry.dropped_after is not None and entry.dropped_after < round_.number:
        text = _("%(name)s had dropped before round %(round)s. First correct when the player dropped.")
    elif round_.seats.filter(entry=entry).exists():
        return
    elif entry.house:
        text = _("%(name)s, a house opponent, has no match in round %(round)s. Choose a player of the round.")
    else:
        text = _("%(name)s is not in round %(round)s. First correct when the player was in the event.")
    raise WrongState(text, name=entry.name, round=round_.number)


class Participation(NamedTuple):
    """The first and last round of a player in the event (None: to the end)."""

    joined: int
    left: int | None = None

    def place(self, number: int) -> str:
        if self.left is not None and number > self.left:
            return "after"
        return "before" if number < self.joined else "in"


def list_entry_rounds(entry: Entry) -> list[Round]:
    rounds = Round.objects.filter(stage__stage_entries__entry=entry).exclude(state=Round.State.DRAFT)
    return list(rounds.select_related("stage").order_by("number"))


def find_participation(entry: Entry, rounds: Sequence[Round]) -> Participation:
    """Return an entry's first and last round. An entry that has not played starts with the next unpublished round."""
    numbers = [round_.number for round_ in rounds]
    joined = _first_from(numbers, entry.joined_round or 1)
    if entry.status not in LEFT_THE_EVENT:
        return Participation(joined)
    played = [n for n in numbers if entry.dropped_after is None or n <= entry.dropped_after]
    return Participation(joined, max(played, default=0))


def stages_to_begin_in(tournament: Tournament) -> list[Stage]:
    return list(tournament.stages.filter(kind=Stage.Kind.SWISS, carries=False).order_by("number"))


@service(CORRECTION, after_end=True)
def correct_participation(
    log: Log, code: str, joined: int, left: int | None = None, stage: int | None = None, lifted: bool = False
) -> None:
    """Set the rounds a player takes part in, from `joined` to `left` (None: to the end).

    Added rounds count as missed, and rounds before `joined` follow the ruleset for late entries. `stage`: for a player
    who is in none. `lifted`: reverse a disqualification. Raises WrongState if the player met an opponent outside these
    rounds.
    """
    entry = find_unmerged_entry(log.tournament, code)
    if entry.house:
        raise WrongState(_("%(name)s is the house opponent and plays where one is needed."), name=entry.name)
    check_correction(log)
    rounds, was = list_entry_rounds(entry), None
    if entry.stage_entries.exists():
        was = find_participation(entry, rounds)
    else:
        into = _stage_to_begin_in(log.tournament, stage)
        log.add(StageEntry, f"stages/{into.number}/entries/{code}", {})
        log.set(entry, **stage_entries.next_seed(into))
        rounds = list_entry_rounds(entry)
        joined = _first_from([round_.number for round_ in rounds], joined)
    disqualified = entry.status == Entry.Status.DISQUALIFIED and not lifted
    if disqualified and left is None:
        left = rounds[-1].number if rounds else entry.dropped_after
    now = Participation(joined, left)
    status = "disqualified" if disqualified else "playing" if now.left is None else "dropped"
    if (now, status) == (was, entry.status):
        return
    numbers = [round_.number for round_ in rounds]
    if now.joined not in [*numbers, max(numbers, default=0) + 1] or now.left not in [None, *numbers]:
        raise Refused(_("Choose rounds of the player's own session."))
    if now.left is not None and now.left < now.joined:
        raise Refused(_("A player cannot leave before joining. Choose a later last round."))
    leaves = was is not None and (now.left, status) != (was.left, entry.status)
    if leaves and entry.stage_entries.filter(seed__isnull=False).exists():
        text = _(
            "%(name)s plays in the bracket, which decides when the player is out. Correct a bracket match."
        )
        raise WrongState(text, name=entry.name)
    facts: Fact = {"status": status, "waits": None}
    if was is None or now.left != was.left:
        facts["dropped_after"] = now.left
    if was is None or now.joined != was.joined:
        facts |= _joining_facts(rounds, now)
    log.set(entry, **facts)
    _write_rows(log, entry, rounds, was, now)


@service(CORRECTION, after_end=True)
def add_missing_entry(log: Log, name: str, joined: int, stage: int | None = None) -> None:
    """Add a missing player from round `joined` on, even after the end. Rounds already played count as missed."""
    name = check_name(name)
    check_correction(log)
    into = _stage_to_begin_in(log.tournament, stage)
    rounds = list(into.rounds.exclude(state=Round.State.DRAFT).order_by("number"))
    now = Participation(_first_from([round_.number for round_ in rounds], joined))
    [code] = stage_entries.next_codes(log.tournament, 1)
    facts = {"status": "playing", **stage_entries.next_seed(into), **_joining_facts(rounds, now)}
    log.enter(into, {code: (facts, {"name": name})})
    _write_rows(log, find_unmerged_entry(log.tournament, code), rounds, None, now)


def _first_from(numbers: Sequence[int], joined: int) -> int:
    return min([n for n in numbers if n >= joined], default=max(numbers, default=0) + 1)


def _stage_to_begin_in(tournament: Tournament, number: int | None) -> Stage:
    stages = [stage for stage in stages_to_begin_in(tournament) if number in (None, stage.number)]
    if len(stages) != 1:
        raise Refused(_("Choose the session that the player was in."))
    return stages[0]


def _joining_facts(rounds: Sequence[Round], now: Participation) -> Fact:
    late = bool(rounds) and now.joined > rounds[0].number
    return {"joined_round": now.joined if late else None, "late": late}


def _write_rows(
    log: Log, entry: Entry, rounds: Sequence[Round], was: Participation | None, now: Participation
) -> None:
    seats = {seat.round_id: seat for seat in entry.seats.select_related("match", "opponent")}
    results = {"before": stage_entries.missed_result(log.tournament), "in": "missed", "after": None}
    changed: dict[int, str | None] = {}
    for round_ in rounds:
        then, place = was and was.place(round_.number), now.place(round_.number)
        seat = seats.get(round_.pk)
        stays = seat and place == "in" and (seat.opponent or then == "after")
        if then == place or not round_.swiss or stays:
            continue
        if seat and seat.opponent:
            raise _met_opponent(entry, round_, seat)
        if seat:
            changed[round_.number] = results[place]
        elif result := results[place]:
            log.seat(round_, [MatchFact(entry.code, result=result)])

    def seat_alone(number: int, fact: MatchFact) -> MatchFact | None:
        if number not in changed or fact.a != entry.code:
            return fact
        result = changed[number]
        return fact._replace(result=result, games=None, score=None) if result else None

    if changed:
        change_seats(log, [entry.code], seat_alone)


def _met_opponent(entry: Entry, round_: Round, seat: Seat) -> WrongState:
    table = table_name(entry.tournament, seat.match.table, round_)
    where = round_name(round_).phrase
    other = seat.opponent.name if seat.opponent else ""
    values: dict[str, Any] = {"name": entry.name, "other": other, "table": table, "round": where}
    if seat.match.result is None:
        text = _(
            "%(name)s sits at table %(table)s in %(round)s. Drop the player and repair that round first."
        )
    else:
        text = _(
            "%(name)s met %(other)s in %(round)s, table %(table)s. "
            "Correct who sat there first, or choose another round."
        )
    return WrongState(text, **values)


# --- two entries of one player ---

FILLED_FACTS = ("rating", "rating_source", "labels", "seed_rank", "fixed_table", "paid", "checked_in")
FILLED_PERSONAL = ("last_name", "contact", "alias", "display_name_only", "notes", "user_id", "members")
# If a round has different rows for the two entries, the first of these results is kept.
SEAT_KINDS = ("match", "bye", "awarded_bye", "full_bye", "half_bye", "zero_bye", "missed")


@service(CORRECTION, after_end=True)
def merge_entries(log: Log, keep: str, other: str) -> None:
    """Merge `other` into `keep`, which takes over the rounds that `other` played; `other` stays, marked as merged.

    Entries of different stages are only linked as one person. Empty fields of `keep` are filled from `other`, except
    membership number and player link. Raises WrongState if both had an opponent in one round, or if `other` is in the
    bracket.
    """
    mine, theirs = find_unmerged_entry(log.tournament, keep), find_unmerged_entry(log.tournament, other)
    if mine == theirs or mine.house or theirs.house:
        raise Refused(_("Choose the other entry of the same player."), status=422)
    check_correction(log)
    linked = [row for each in (theirs, mine) for row in stage_entries.list_person_entries(each)]
    person = {row.pk: row for row in (*linked, theirs, mine)}
    stages, others = (set(entry.stage_entries.values_list("stage", flat=True)) for entry in (mine, theirs))
    if stages and others and not stages & others:
        _link(log, mine.same_person_as or mine, person.values())
        return
    if theirs.stage_entries.filter(seed__isnull=False).exists():
        text = _(
            "%(name)s (%(code)s) has a place in the bracket. Keep that entry, and merge the other one into it."
        )
        raise WrongState(text, name=theirs.name, code=theirs.code)
    problems = set(integrity.check(log.tournament, marks=False))
    facts = _merge_facts(mine, theirs)
    del person[theirs.pk]
    log.set(theirs, status="merged", dropped_after=0, checked_in=False, waits=None, same_person_as=keep)
    log.set(mine, **facts)
    links = [entry.same_person_as for entry in (mine, theirs) if entry.same_person_as]
    _link(log, next((entry for entry in links if entry not in (mine, theirs)), mine), person.values())
    missing = theirs.stage_entries.exclude(stage__stage_entries__entry=mine).select_related("stage")
    into = [(row.stage.number, row.alternate) for row in missing]
    stage_entries.leave_stages(log, theirs)
    for number, alternate in into:
        log.add(StageEntry, f"stages/{number}/entries/{keep}", {"alternate": alternate})
    _take_seats(log, mine, theirs)
    _take_mentions(log, mine, theirs)
    filled = {name: getattr(mine, name) or getattr(theirs, name) for name in FILLED_PERSONAL}
    log.fill_personal(mine, **filled, captain=(mine if mine.members else theirs).captain)
    fill_spots(log)
    if broken := [each for each in integrity.check(log.tournament, marks=False) if each not in problems]:
        raise WrongState(_("These two cannot be merged: %(problem)s."), problem=broken[0])


def _link(log: Log, first: Entry, person: Iterable[Entry]) -> None:
    for entry in person:
        if entry.status != Entry.Status.MERGED:
            log.set(entry, same_person_as=None if entry == first else first.code)


def _merge_facts(mine: Entry, theirs: Entry) -> Fact:
    """Return the kept entry's facts: gaps filled from the other entry, and in the event whenever either one was."""
    facts: dict[str, Any] = {name: getattr(mine, name) or getattr(theirs, name) for name in FILLED_FACTS}
    byes = {bye["round"]: bye for entry in (theirs, mine) for bye in entry.requested_byes}
    facts["requested_byes"] = [byes[number] for number in sorted(byes)]
    inside = [entry for entry in (mine, theirs) if entry.stage_entries.exists()]
    if theirs not in inside:
        waits = [entry.waits for entry in (mine, theirs) if entry.waits is not None]
        if waits and mine not in inside and mine.status != Entry.Status.DISQUALIFIED:
            facts |= {"status": "waitlisted", "dropped_after": None, "waits": min(waits)}
        return facts
    joined = min(entry.joined_round or 1 for entry in inside)
    facts |= {"joined_round": None if joined == 1 else joined, "waits": None}
    facts["late"] = all(entry.late for entry in inside)
    if mine.stage_entries.filter(seed__isnull=False).exists():
        return facts  # the bracket says when the player is out
    states = [entry.status for entry in inside]
    gone = "disqualified" if Entry.Status.DISQUALIFIED in states else "dropped"
    stays = gone == "dropped" and Entry.Status.PLAYING in states
    left = [find_last_round(e) if e.dropped_after is None else e.dropped_after for e in inside]
    return facts | {"status": "playing" if stays else gone, "dropped_after": None if stays else max(left)}


def _take_seats(log: Log, mine: Entry, theirs: Entry) -> None:
    """Seat the kept entry wherever either entry sat. Raises WrongState if both had an opponent."""
    codes = (mine.code, theirs.code)
    rows: dict[int, dict[str, int]] = {}
    seats = log.tournament.seats.filter(entry__code__in=codes, swiss=True)
    for number, code, kind in seats.values_list("round__number", "entry__code", "kind"):
        rows.setdefault(number, {})[code] = SEAT_KINDS.index(kind)
    for number, kinds in sorted(rows.items()):
        if list(kinds.values()) == [0, 0]:
            text = _(
                "Both have an opponent in round %(round)s. If they are one person, correct who sat there first."
            )
            raise WrongState(text, round=number)

    def seat(number: int, fact: MatchFact) -> MatchFact | None:
        players = [fact.a, fact.b]
        sits = [code for code in codes if code in players]
        if not sits:
            return fact
        if sits[0] != min(rows[number], key=lambda code: (rows[number][code], code != mine.code)):
            return None
        return fact._replace(
            a=mine.code if fact.a == theirs.code else fact.a, b=mine.code if fact.b == theirs.code else fact.b
        )

    change_seats(log, codes, seat)


def _take_mentions(log: Log, mine: Entry, theirs: Entry) -> None:
    tournament = log.tournament
    for named in (tournament.penalties, tournament.deck_checks, tournament.decklists, tournament.flags):
        for mention in named.filter(entry=theirs):
            log.set(mention, entry=mine.code)
    for row in tournament.entries.filter(same_person_as=theirs):
        log.set(row, same_person_as=mine.code)
    if any(theirs.code in pair for pair in tournament.forbidden):
        new = {theirs.code: mine.code}
        pairs = {frozenset(new.get(code, code) for code in pair) for pair in tournament.forbidden}
        log.set(tournament, forbidden=sorted(sorted(pair) for pair in pairs if len(pair) > 1))
