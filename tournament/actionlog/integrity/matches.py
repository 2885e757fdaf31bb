"""Results: what each match says must fit itself, its seats and its length."""

from collections.abc import Iterator
from fractions import Fraction

from tournament.actionlog.integrity.tables import Row, Tables, repeated

WITHOUT_OPPONENT = {"bye", "awarded_bye", "half_bye", "zero_bye", "full_bye", "missed"}


def check_matches(tables: Tables) -> Iterator[str]:
    """Results fit their match, winners follow from games, tables are unique in a round."""
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
        if paired and result and not (round_["swiss"] or match["winner"] or match["draws_allowed"]):
            yield f"{where}: an elimination match without a winner"
    numbers = ((match["round_id"], match["table"]) for match in tables.matches.values() if match["table"])
    for (round_, table), count in repeated(numbers):
        yield f"round {tables.rounds[round_]['number']}: table {table} appears {count} times"


def check_reports(tables: Tables) -> Iterator[str]:
    """Reports are of a table with two players; those of players only until it has a result, and while they report."""
    for report in tables.reports:
        match = tables.matches[report["match_id"]]
        if match["table"] is None or len(tables.seats_of[match["id"]]) < 2:
            yield f"{tables.place(match)}: a report of a match without an opponent"
        if report["source"] == "desk" or not tables.paired_here(tables.rounds[match["round_id"]]):
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
    """Games that fit the length of the match, unless it is marked as odd; no round paired here has such a mark."""
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
    """Who won each game in turn fits the games, in rounds paired here."""
    order = match["game_order"]
    if order and here:
        counts = [order.count(letter) for letter in "abd"]
        if counts != [*games, match["drawn"]] or sum(counts) != len(order):
            yield f"{where}: the order of games {order} does not match {games[0]}-{games[1]}"


def _check_points(match: Row, seats: dict[str, Row], where: str, here: bool) -> Iterator[str]:
    """Points made inside a match: of both sides, exact, and of one game not against its winner."""
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
