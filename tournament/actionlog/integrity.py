"""Check every invariant of an event directly on the tables, independently of the services, in twelve queries."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator
from fractions import Fraction
from typing import Any, TypeVar

from django.db.models import Count, Exists, Max, OuterRef, QuerySet

from tournament.actionlog import triggers
from tournament.actionlog.fold import load_baseline
from tournament.actionlog.turns import at_one_moment
from tournament.models import Action, Entry, Match, Report, Round, Seat, Staff, Stage, StageEntry, Tournament

Row = Any  # a row of a table as a dict
Item = TypeVar("Item", bound=Hashable)


def repeated(items: Iterable[Item]) -> Iterator[tuple[Item, int]]:
    return ((item, count) for item, count in Counter(items).items() if count > 1)


def _by_id(rows: QuerySet[Any]) -> dict[int, Row]:
    return {row["id"]: row for row in rows.values()}


class Tables:
    """All rows of the event's tables, by primary key if other rows refer to them; log actions are only counted."""

    def __init__(self, tournament: Tournament, *, log: bool = True):
        owners = Staff.objects.filter(
            tournament=OuterRef("pk"), user=OuterRef("owner"), role=Staff.Role.OWNER
        )
        rows = Tournament.objects.annotate(owner_is_organizer=Exists(owners))
        self.tournament = rows.values().get(pk=tournament.pk)
        self.baseline = load_baseline(tournament)
        self.entries = _by_id(Entry.objects.filter(tournament=tournament))
        self.stages = _by_id(Stage.objects.filter(tournament=tournament))
        self.stage_entries = list(StageEntry.objects.filter(stage__tournament=tournament).values())
        self.rounds = _by_id(Round.objects.filter(tournament=tournament))
        self.matches = _by_id(Match.objects.filter(round__tournament=tournament))
        seats = list(Seat.objects.filter(round__tournament=tournament).order_by("round_id").values())
        self.seats = [seat for seat in seats if seat["match_id"] in self.matches]
        # seats in rounds of the event whose match is of another one
        self.strays = [seat for seat in seats if seat["match_id"] not in self.matches]
        self.reports = list(Report.objects.filter(match__round__tournament=tournament).values())
        if log:
            self._read_log(tournament)
        self.seats_of: dict[int, list[Row]] = defaultdict(list)  # by the key of their match
        for seat in self.seats:
            self.seats_of[seat["match_id"]].append(seat)

    def _read_log(self, tournament: Tournament) -> None:
        actions = Action.objects.filter(tournament=tournament).order_by()
        since = actions.filter(number__gt=self.tournament["baseline_number"])
        self.log = since.aggregate(count=Count("number", distinct=True), last=Max("number"))
        keys = actions.exclude(key="").values("key").annotate(times=Count("pk")).filter(times__gt=1)
        self.used_keys = list(keys.values_list("key", "times"))

    def code(self, entry: int | None) -> str:
        return self.entries[entry]["code"] if entry in self.entries else "nobody"

    def place(self, match: Row) -> str:
        number = self.rounds[match["round_id"]]["number"]
        return f"round {number}, table {match['table']}" if match["table"] else f"round {number}, a bye"

    def paired_here(self, round_: Row) -> bool:
        return f"rounds/{round_['number']}" not in self.baseline


POSTED = {"published", "complete"}


def check_seats(tables: Tables) -> Iterator[str]:
    """Check that seats match their matches, no one sits twice in a round, and nothing links two events."""
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
    pairing = (tables.tournament["profile"] or {}).get("pairing") or {}
    return match["result"] != "forfeit" or pairing.get("forfeits_are_meetings") in (True, None)


def check_meetings(tables: Tables) -> Iterator[str]:
    """Check for rematches, repeat byes and second byes without a waiver in Swiss rounds."""
    seats = [seat for seat in tables.seats if seat["swiss"] and not seat["waived"]]
    first = [seat for seat in seats if seat["opponent_id"] and seat["side"] == "a"]
    met = [seat for seat in first if _is_meeting(tables, tables.matches[seat["match_id"]])]
    for pair, count in repeated(tuple(sorted((seat["entry_id"], seat["opponent_id"]))) for seat in met):
        yield f"{' and '.join(map(tables.code, pair))} meet {count} times in Swiss"
    byes = [seat for seat in seats if seat["kind"] == "bye"]
    for entry, count in repeated(seat["entry_id"] for seat in byes):
        yield f"{tables.code(entry)} has {count} pairing byes"
    for round_, count in repeated(seat["round_id"] for seat in byes):
        yield f"round {tables.rounds[round_]['number']} has {count} pairing byes"


def check_everyone_seated(tables: Tables) -> Iterator[str]:
    """Check that in each Swiss round paired here every player sits exactly once, and no one else does."""
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


WITHOUT_OPPONENT = {"bye", "awarded_bye", "half_bye", "zero_bye", "full_bye", "missed"}


def check_matches(tables: Tables) -> Iterator[str]:
    """Check that results fit their match, winners follow from games, and tables are unique in a round."""
    for match in tables.matches.values():
        seats = {seat["side"]: seat for seat in tables.seats_of[match["id"]]}
        paired, where = "b" in seats, tables.place(match)
        result, round_ = match["result"], tables.rounds[match["round_id"]]
        here = tables.paired_here(round_)
        if result and (result in WITHOUT_OPPONENT) == paired:
            yield f"{where}: result {result} with {len(seats)} seats"
        games = [seats[side]["games"] for side in sorted(seats)]
        if result == "played" and (None in games or match["drawn"] is None):
            yield f"{where}: played without games"
        if result is None and any(number is not None for number in games):
            yield f"{where}: games without a result"
        if result == "played" and paired and None not in games:
            yield from _check_winner(match, games, where)
            yield from _check_order(match, games, where, here)
        if paired:
            yield from _check_length(match, seats, where, here)
        yield from _check_points(match, seats, where, here)
        ended = round_["swiss"] or match["winner"] or match["draws_allowed"]
        if paired and result in ("played", "intentional_draw") and not ended:
            yield f"{where}: an elimination match without a winner"
    numbers = ((match["round_id"], match["table"]) for match in tables.matches.values() if match["table"])
    for (round_, table), count in repeated(numbers):
        yield f"round {tables.rounds[round_]['number']}: table {table} appears {count} times"


def check_reports(tables: Tables) -> Iterator[str]:
    """Check that reports have two players. A player's own report needs an event with reporting and no result yet."""
    for report in tables.reports:
        match = tables.matches[report["match_id"]]
        if match["table"] is None or len(tables.seats_of[match["id"]]) < 2:
            yield f"{tables.place(match)}: a report of a match without an opponent"
        if not tables.paired_here(tables.rounds[match["round_id"]]):
            continue
        if match["result"] is not None:
            yield f"{tables.place(match)}: a player's report of a match with a result"
        if tables.tournament["reporting"] == "off":
            yield f"{tables.place(match)}: a player's report while players do not report"


def _check_winner(match: Row, games: list[int], where: str) -> Iterator[str]:
    by_games = not match["replays"] and not match["decided"]
    winner = "" if games[0] == games[1] else "ab"[games[0] < games[1]]
    if by_games and match["winner"] != winner:
        yield f"{where}: the winner does not match the games"


def _check_length(match: Row, seats: dict[str, Row], where: str, here: bool) -> Iterator[str]:
    if any(seat["odd"] != match["odd"] for seat in seats.values()):
        yield f"{where}: match and seats differ on whether the result is odd"
    games = [seat["games"] for seat in seats.values()]
    if match["odd"] and (here or None in games):
        yield f"{where}: a result marked as odd that was not recorded elsewhere"
    if match["odd"] or None in games:
        return
    to_win = match["best_of"] // 2 + 1  # of exactly two games: both
    if min(games) >= to_win or (here and max(games) > to_win):
        yield f"{where}: {seats['a']['games']}-{seats['b']['games']} in best of {match['best_of']}"


def _check_order(match: Row, games: list[int], where: str, here: bool) -> Iterator[str]:
    order = match["game_order"]
    if order and here:
        counts = [order.count(letter) for letter in "abd"]
        if counts != [*games, match["drawn"]] or sum(counts) != len(order):
            yield f"{where}: the order of games {order} does not match {games[0]}-{games[1]}"


def _check_points(match: Row, seats: dict[str, Row], where: str, here: bool) -> Iterator[str]:
    """Check points scored in a match: both sides have some, they are exact, and they fit a single game's winner."""
    texts = [seats[side]["score"] for side in sorted(seats)]
    if not any(texts):
        return
    if match["result"] is None:
        yield f"{where}: points without a result"
    if not all(texts):
        yield f"{where}: points of one side only"
        return
    try:
        points = [Fraction(text) for text in texts]
    except (ValueError, ZeroDivisionError):
        yield f"{where}: {texts} are not valid points"
        return
    if here and match["result"] == "played" and match["best_of"] == 1 and len(points) == 2:
        winner = "" if points[0] == points[1] else "ab"[points[0] < points[1]]
        if winner != match["winner"]:
            yield f"{where}: the winner does not match the points"


def check_rounds(tables: Tables) -> Iterator[str]:
    """Check states, one open round per Swiss stage, and results for every table of a complete round."""
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


def check_entries(tables: Tables) -> Iterator[str]:
    """Check waitlist numbers, merged entries and requested byes. Neither the waitlisted nor the merged have a place."""
    inside = {row["entry_id"] for row in (*tables.stage_entries, *tables.seats)}
    for pk, entry in tables.entries.items():
        code, waits = entry["code"], entry["status"] == "waitlisted"
        if f"entries/{code}" not in tables.baseline:  # a waitlist recorded elsewhere may have no numbers
            if waits != (entry["waits"] is not None):
                yield f"{code} is {entry['status']} with waitlist number {entry['waits']}"
            if waits and pk in inside:
                yield f"{code} is on the waitlist but has a place"
        if entry["status"] == "merged" and (pk in inside or entry["same_person_as_id"] is None):
            yield f"{code} is merged but has a place, or names no other entry"
        numbers = [bye["round"] for bye in entry["requested_byes"]]
        if numbers != sorted(set(numbers)) or min(numbers, default=1) < 1:
            yield f"{code} requested byes for rounds {', '.join(map(str, numbers))}"
        if unknown := {bye["kind"] for bye in entry["requested_byes"]} - {"half", "zero", "full"}:
            yield f"{code} requested an unknown bye: {', '.join(sorted(unknown))}"


def check_event(tables: Tables) -> Iterator[str]:
    """Check that the do-not-pair list names players, and that the event's owner is an organizer."""
    codes = {entry["code"] for entry in tables.entries.values()}
    for pair in tables.tournament["forbidden"]:
        for code in sorted(set(pair) - codes):
            yield f"the do-not-pair list names {code}, who is not in the event"
    if tables.tournament["owner_id"] and not tables.tournament["owner_is_organizer"]:
        yield "the event's owner is not one of its organizers"


def check_seeds(tables: Tables) -> Iterator[str]:
    """Check that seeds are 1…n, and that the bracket's matches are between its seeds and alternates."""
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


def check_bracket(tables: Tables) -> Iterator[str]:
    """Check that the players of a later bracket round advanced from the previous one."""
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
    """Check that action numbers have no gap since the baseline, versions follow them, and form keys are used once."""
    event = tables.tournament
    since, revision = event["baseline_number"], event["revision"]
    count, last = tables.log["count"], tables.log["last"] or since
    if (since + count, last) != (revision, revision):
        yield f"{count} actions from {since + 1} to {last} do not lead to revision {revision}"
    for key, count in tables.used_keys:
        yield f"form key {key} was used {count} times"
    marks = [match["version"] for match in tables.matches.values()]
    marks += [row["revision"] for row in tables.rounds.values()]
    latest = max([event["standings_revision"], event["public_revision"], *marks])
    if latest > event["revision"]:
        yield f"a mark ({latest}) is ahead of the log ({event['revision']})"


CHECKS = (
    check_seats,
    check_meetings,
    check_matches,
    check_reports,
    check_rounds,
    check_everyone_seated,
    check_entries,
    check_seeds,
    check_bracket,
    check_event,
)


def check(tournament: Tournament, *, marks: bool = True) -> list[str]:
    """Return one sentence per violated invariant. `marks`: also check the log (not while writing an action)."""
    with at_one_moment():
        tables = Tables(tournament, log=marks)
        problems = [f"guard missing: {name}" for name in triggers.missing_triggers()]
    for part in (*CHECKS, check_log) if marks else CHECKS:
        problems.extend(part(tables))
    return problems
