"""Simulate a whole Swiss event: the same arguments give the same event on every machine. No Django, no clock."""

import hashlib
from fractions import Fraction
from itertools import zip_longest
from typing import Any

from pairings.engine.rng import Rng
from pairings.request.entrants import find_next_round, playing_entries
from pairings.request.pairing_request import next_request, pair_round
from tournament.event.pairing_record import PairingRecord
from tournament.event.types import Entry, Event, Match, Round, Stage
from tournament.rulesets import ScoreRules, match_length, score_rules

MISSED: dict[str, Any] = {"loss": "missed", "half": "half_bye", "bye": "full_bye"}
# Per mille of matches, or of players per round.
CUT_OFF, AGREED, NO_SHOW, BOTH_LOSE, DROPS, DRAWN_GAME = 60, 20, 6, 3, 25, 30


def simulate(
    players: int,
    rounds: int,
    profile: dict,
    seed: int | str,
    *,
    late: int | None = None,
    awarded: int | None = None,
    clubs: int = 0,
    drops: bool = True,
) -> Event:
    """Simulate an event under a resolved ruleset, with all its rounds played.

    `late` players arrive for round 2, `awarded` ones have a bye in round 1 (None: about 1 in 25, 1 in 30). Raises
    ValueError for fewer than two players in round 1, or no rounds.
    """
    if players < 2 or rounds < 1:
        raise ValueError("a simulated event needs at least 2 players and 1 round")
    late = players // 25 if late is None else late
    awarded = players // 30 if awarded is None else awarded
    if min(late, awarded, clubs) < 0:
        raise ValueError("late players, awarded byes and clubs cannot be negative")
    if late + awarded > players - 2:
        raise ValueError("fewer than 2 players are left to be paired in round 1")
    digest = hashlib.sha256(f"simulate:{seed}".encode()).hexdigest()
    rng = Rng(int(digest, 16))
    event = Event(
        name=f"Simulated event {seed}",
        slug=f"simulated-{digest[:8]}",
        starts_at="2026-01-03T10:00:00+00:00",
        rounds_planned=rounds,
        cut=0,
        seed=digest[32:],
        state="running",
        ruleset={"preset": profile["key"]},
        profile=profile,
        stages=[Stage(number=1)],
    )
    strengths = register_players(event, players, rng, late, awarded, clubs)
    for _ in range(rounds):
        play_round(event, strengths, rng)
        if drops and len(event.rounds) < rounds:
            drop_players(event, rng, players)
    event.state = "finished"
    return event


def register_players(
    event: Event, players: int, rng: Rng, late: int, awarded: int, clubs: int
) -> dict[str, int]:
    """Register everyone, including late arrivals. Returns {entry: strength from 0 to 99}."""
    house = bool((event.profile.get("bye") or {}).get("house_opponent"))
    strengths = {f"P{number:04d}": rng.randbelow(50) + rng.randbelow(51) for number in range(1, players + 1)}
    for entry, strength in strengths.items():
        rating = 1200 + 6 * strength + rng.randbelow(200)
        labels = (f"Club {1 + rng.randbelow(clubs)}",) if clubs else ()
        event.entries[entry] = Entry(id=entry, name=f"Player {int(entry[1:])}", rating=rating, labels=labels)
    shuffled = rng.permutation(strengths)
    for entry in shuffled[:late]:
        event.entries[entry].joined_round = 2
        event.entries[entry].late = True
    for entry in shuffled[late : late + awarded]:
        event.entries[entry].awarded_byes = 1
    if house:
        event.entries["H01"] = Entry(id="H01", name="House", house=True)
        strengths["H01"] = 50
    event.entries = dict(sorted(event.entries.items()))
    return strengths


def play_round(event: Event, strengths: dict[str, int], rng: Rng) -> None:
    upcoming = find_next_round(event)
    add_missed_rounds(event, upcoming.number)
    house = "H01" if "H01" in event.entries and upcoming.is_odd and rng.randbelow(2) else None
    pairing = pair_round(next_request(event, house=house))
    matches = []
    seats: Any = zip_longest(pairing.pairs, pairing.first)
    for table, ((a, b), first) in enumerate(seats, start=1):
        match = Match(table=table, a=a, b=b, first=first)
        play_match(match, event.profile, strengths, rng)
        matches.append(match)
    if pairing.bye is not None:
        matches.append(Match(table=None, a=pairing.bye, b=None, result="bye"))
    byes: Any = upcoming.byes.items()
    matches += [Match(table=None, a=entry, b=None, result=result) for entry, result in byes]
    record = PairingRecord(engine=pairing.engine, digest=pairing.digest, attempt=1)
    stage = upcoming.stage.number
    event.rounds.append(Round(number=upcoming.number, stage=stage, matches=matches, pairing=record))


def add_missed_rounds(event: Event, number: int) -> None:
    """Record the rounds missed by players arriving for round `number`, as the ruleset counts them."""
    missed = MISSED[event.profile["late_entry"].get("missed", "loss")]
    for entry in event.entries.values():
        if entry.joined_round == number:
            for round_ in event.rounds:
                round_.matches.append(Match(table=None, a=entry.id, b=None, result=missed))


def play_match(match: Match, profile: dict, strengths: dict[str, int], rng: Rng) -> None:
    allowed = profile["draws_allowed"]
    lot = rng.randbelow(1000)
    if lot < NO_SHOW:
        match.result, match.winner = "forfeit", "b" if rng.randbelow(2) else "a"
        return
    if lot < NO_SHOW + BOTH_LOSE and allowed.get("double_loss"):
        match.result = "double_loss"
        return
    if lot < NO_SHOW + BOTH_LOSE + AGREED and allowed.get("match") and allowed.get("intentional"):
        match.result = "intentional_draw"
        return
    games = play_games(profile["best_of_swiss"], strengths[match.a] - strengths[match.b or ""], rng)
    if games[0] == games[1] and not allowed.get("match"):
        match.result = "double_loss"  # unresolved under a ruleset that does not allow draws
        return
    match.result, match.games = "played", games
    if rules := score_rules(profile, match_length(profile["best_of_swiss"])):
        match.score = play_score(games, rules, rng)


def play_score(games: tuple[int, int, int], rules: ScoreRules, rng: Rng) -> tuple[str, str]:
    """Return both sides' points for these games: the winner scores more, a draw gives equal points."""
    ahead = (games[0] > games[1]) - (games[0] < games[1])
    if rules.decimals:  # twenty victory points are shared
        shares = Fraction(10) + ahead * Fraction(1 + rng.randbelow(1000), 100)
        return str(shares), str(20 - shares)
    made, margin = 20 + rng.randbelow(60), 1 + rng.randbelow(30)
    return str(made + margin * (ahead > 0)), str(made + margin * (ahead < 0))


def play_games(best_of: int | str, edge: int, rng: Rng) -> tuple[int, int, int]:
    """Return games (won by a, won by b, drawn). Sometimes time runs out and the current game is drawn."""
    length = int(str(best_of).removeprefix("exactly_"))
    needed = length if isinstance(best_of, str) else (length + 1) // 2
    cut_off = rng.randbelow(1000) < CUT_OFF
    stops_after = rng.randbelow(length) if cut_off else length
    wins = [0, 0]
    drawn = played = 0
    while played < stops_after and max(wins) < needed:
        if rng.randbelow(1000) < DRAWN_GAME:
            drawn += 1
        else:
            wins[rng.randbelow(200) >= 100 + edge] += 1
        played += 1
    if cut_off and max(wins) < needed:
        drawn += 1
    return wins[0], wins[1], drawn


def drop_players(event: Event, rng: Rng, players: int) -> None:
    """Drop some players after the last round, keeping at least half of the field and at least four."""
    number = event.rounds[-1].number
    here = playing_entries(event, event.stages[0], number)
    may_go = len(here) - max(4, players // 2)
    for entry in rng.permutation(here):
        if may_go > 0 and rng.randbelow(1000) < DROPS:
            entry.status, entry.dropped_after = "dropped", number
            may_go -= 1
