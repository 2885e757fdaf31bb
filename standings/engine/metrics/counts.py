"""Metrics of an entry's attributes and own rounds: points, wins, losses, cumulative and McMahon scores.

A bye can have another value in cumulative scores than in the score (`bye_as`). ClineCON counts an involuntary bye as 1
point for the entry and as half a win for its opponents, and a voluntary one as nothing.
"""

from collections.abc import Mapping
from fractions import Fraction
from itertools import accumulate
from operator import mul

from standings.engine.metrics.flat import Numbers
from standings.engine.metrics.registry import NO_ROUND, Term, metric, round_metric, term_metric
from standings.engine.records import RoundRecord
from standings.engine.scoring import Number


@metric("score")
def rating(field, entry) -> int:
    """The rating before the event. Source: FIDE C.07, "RTNG"."""
    return field.records[entry].rating or 0


@metric("order", ascending=True)
def seed(field, entry) -> int:
    """The seed. Entries without one share the place after the last seed. Source: FIDE C.07, "TPN"."""
    own = field.records[entry].seed
    return own if own is not None else 1 + field.greatest("seed", lambda record: record.seed)


@metric("count", ascending=True)
def late_flag(field, entry) -> int:
    """Ranks players who were on time above late ones with the same points. Source: Play! Pokémon TCG rules, 5.6."""
    return int(field.records[entry].late)


@metric("score", ascending=True)
def external_value(field, entry, *, name="", missing=None) -> Number:
    """The value called `name`. Entries without it get `missing`, by default 1 more than the highest value.

    Source: curling, "Draw Shot Challenge".
    """
    own = field.records[entry].external.get(name)
    if own is not None:
        return own
    if missing is not None:
        return missing
    return 1 + field.greatest(f"external {name}", lambda record: record.external.get(name))


@term_metric("score", divisor="rounds")
def avg_rating_opponents(field, entry) -> list[Term]:
    """Mean over the rounds played against rated opponents; 0 without any. Source: FIDE C.07, "ARO"."""
    rounds = [line for line in field.records[entry].rounds if line.kind == "played"]
    ratings = [(line, field.records[line.opponent].rating or None) for line in rounds]
    return [Term(line, rating, "" if rating else "no_rating") for line, rating in ratings]


@metric("order", ascending=True)
def random(field, entry) -> int:
    """The entry's place in the random order. Source: Carde.io ("random method"), ClineCON (coin toss)."""
    return field.lots[entry]


@metric("order", ascending=True)
def manual(field, entry) -> int:
    """The place in the manual order. Entries without one share a place after the last.

    That place is the number of entries plus 1, so it is the same in all stages of an event. Source: decisions of staff,
    such as play-offs, with the reason in the log.
    """
    place = field.records[entry].manual
    if place is not None:
        return place
    return 1 + max(len(field.lots), field.greatest("manual", lambda record: record.manual))


# Rounds an entry could have played and did not (FIDE C.07, "voluntary unplayed rounds").
VOLUNTARY = frozenset({"half", "zero", "full", "missed", "forfeit_loss", "no_show"})
KASHDAN = {"W": 4, "D": 2, "L": 1}
KTS_SHARES = {"mode": "wins"}  # the percentages inside a KTS number: by wins, without a minimum


@round_metric("points", by_sort=True)
def match_points(field, entry, line) -> Number:
    """Sum of match points over all rounds. Source: DCI 1999, "Match Points"."""
    return field.scoring.match_points(line)


@round_metric("count", by_sort=True)
def match_wins(field, entry, line) -> int:
    """Number of rounds won. Source: Star Wars: Unlimited on Melee, where it replaces points."""
    return int(line.outcome == "W")


@round_metric("points", games=True, by_sort=True)
def game_points(field, entry, line) -> Number:
    """Sum of game points over all rounds. Source: DCI 1999, "Game Points"."""
    return field.scoring.game_points(line)


@round_metric("count", games=True, by_sort=True)
def game_wins(field, entry, line) -> int:
    """Number of games won. Source: Melee, "Two-game matches"."""
    return line.games[0]


@round_metric("count", by_sort=True)
def wins_fide(field, entry, line) -> int:
    """Number of rounds worth a win. Source: FIDE C.07, "WIN"."""
    return int(field.scoring.match_points(line) >= field.scoring.win)


@round_metric("count", by_sort=True)
def won_otb(field, entry, line) -> int:
    """Number of rounds won by playing. Source: FIDE C.07, "WON"."""
    return int(line.kind == "played" and line.outcome == "W")


@round_metric("count")
def black_games(field, entry, line) -> int:
    """Number of rounds played with the second move. Source: FIDE C.07, "BPG"."""
    return int(line.kind == "played" and line.side == "second")


@round_metric("count")
def black_wins(field, entry, line) -> int:
    """Number of rounds won by playing with the second move. Source: FIDE C.07, "BWG"."""
    return int(line.kind == "played" and line.side == "second" and line.outcome == "W")


@round_metric("count", by_sort=True)
def rounds_elected(field, entry, line) -> int:
    """Number of rounds that were not voluntarily left unplayed. Source: FIDE C.07, "REP"."""
    return int(line.kind not in VOLUNTARY)


@round_metric("score", by_sort=True)
def kashdan(field, entry, line) -> int:
    """Ranks a win and a loss above two draws. Source: USCF rule 34E7."""
    return KASHDAN[line.outcome] if line.kind in ("played", "double_loss") else 0


@round_metric("score")
def loss_round_squares(field, entry, line) -> int:
    """Sum of the squared numbers of lost rounds: the later, the higher. Missed rounds are losses, byes are not.

    Source: Konami (Japan), from memory.
    """
    return line.number**2 if line.outcome == "L" and not line.is_bye else 0


@round_metric("count", games=True)
def second_game_wins(field, entry, line) -> int:
    """Number of second games won, if the order of games is recorded; a bye of two games counts as one.

    Source: Melee, "Two-game matches".
    """
    return int(line.order[1:2] == "W" if line.order else line.is_bye and line.games[0] > 1)


@round_metric("count", inner="match_wins")
def opp_match_wins_sum(field, entry, line) -> int | None:
    """Rounds won by the opponents, summed over the matches. Source: Games Workshop, organised play."""
    return None if line.opponent is None else field.value("match_wins", line.opponent)


@term_metric("score")
def kts_number(field, entry, *, mode="truncate") -> list[Term]:
    """XXYYYZZZ: points, OMW and OOMW from wins without a minimum, each per mille and at most 999.

    33 points, .726 and .677 give 33726677. `mode`: truncate or half_up. Source: yugioh.wikia, "Tie-Breakers".
    """
    half = Fraction(1, 2) if mode == "half_up" else 0
    points = field.value("match_points", entry)
    terms = [Term(NO_ROUND, int(points) * 1_000_000, before=points, label="match_points")]
    for key, place in (("opp_match_win_pct", 1000), ("opp_opp_match_win_pct", 1)):
        share = field.value(key, entry, KTS_SHARES)
        thousandths = min(int(share * 1000 + half), 999)
        terms.append(Term(NO_ROUND, thousandths * place, "thousandths", before=share, label=key))
    return terms


UNPLAYED_WINS = frozenset({"bye", "awarded", "full", "forfeit_win"})


def round_worth(field, line: RoundRecord, bye_as: Mapping[str, Number]) -> Number:
    """Return a round's match points, or a bye's value in `bye_as`; "awarded" follows "bye" unless given."""
    kind = "bye" if line.kind == "awarded" and "awarded" not in bye_as else line.kind
    if kind in bye_as and line.opponent is None:
        return bye_as[kind]
    return field.scoring.match_points(line)


def twixt_byes(field) -> dict[str, Number]:
    """Return the values of byes in opponents' tiebreaks at ClineCON: half a win, or nothing if voluntary."""
    return {"bye": field.scoring.half_win, "half": 0, "zero": 0, "full": 0}


def _cumulatives(field, cut=0, deduct_unplayed_wins=False, bye_as=None) -> Numbers:
    flat = field.flat
    worths = flat.values_of_rounds(lambda alone, line: round_worth(alone, line, bye_as or {}))
    totals = [sum(list(accumulate(own))[cut:]) for own in flat.parts(worths.parts)]
    if deduct_unplayed_wins:
        won_unplayed = [line.kind in UNPLAYED_WINS for line in flat.examples]
        wins = list(map(mul, worths.parts, map(won_unplayed.__getitem__, flat.sorts)))
        totals = [total - sum(own) for total, own in zip(totals, flat.parts(wins), strict=True)]
    return Numbers(totals, worths.whole)


@term_metric("score", at_once=_cumulatives)
def cumulative(field, entry, *, cut=0, deduct_unplayed_wins=False, bye_as=None) -> list[Term]:
    """Sum of the running scores after each round of the record.

    `cut`: how many of the first running scores are dropped; `deduct_unplayed_wins`: without the points of unplayed wins
    (USCF); `bye_as`: values of byes by kind. Source: ClineCON, "Cumulative".
    """
    rounds = field.records[entry].rounds
    worths = [round_worth(field, line, bye_as or {}) for line in rounds]
    running = zip(rounds, accumulate(worths), strict=True)
    terms = [Term(line, score) for line, score in running]
    terms[:cut] = [Term(term.round, None, "cut") for term in terms[:cut]]
    wins = [worth for line, worth in zip(rounds, worths, strict=True) if line.kind in UNPLAYED_WINS]
    if deduct_unplayed_wins and sum(wins):
        terms.append(Term(NO_ROUND, -sum(wins), label="unplayed_wins"))
    return terms


def _oppositions(field, bye_as=None) -> Numbers:
    column, flat = _cumulative_column(field, bye_as), field.flat
    met, _ = flat.values_met(column.numbers, lambda entry, line: [opponent_term(field, line, column)])
    return flat.totals(met)


@term_metric("score", inner="cumulative", at_once=_oppositions)
def cumulative_opposition(field, entry, *, bye_as=None) -> list[Term]:
    """Sum of the opponents' cumulative scores, their byes worth `bye_as`. Source: ClineCON."""
    column = _cumulative_column(field, bye_as)
    return [opponent_term(field, line, column) for line in field.records[entry].rounds]


def _cumulative_column(field, bye_as):
    return field.column("cumulative", {"bye_as": bye_as} if bye_as else {})


def opponent_term(field, line: RoundRecord, scores) -> Term:
    """Return the opponent's value in `scores`; for a house opponent by the ruleset's `house_contribution`."""
    if line.opponent is None:
        return Term(line, None, "no_opponent")
    contribution = field.scoring.house_contribution
    if not field.records[line.opponent].house or contribution == "own":
        return Term(line, scores[line.opponent])
    return Term(line, None, "house_left_out") if contribution == "exclude" else Term(line, 0, "house_zero")


# McMahon scores and the sums of opponents' scores built on them (EGF tournament system rules). An unpaired round has no
# opponent. With `unpaired` "start" it adds the entry's own starting score, as if the opponent had that score (McMahon);
# with "zero" it adds nothing (Swiss).
PART = {"W": Fraction(1), "D": Fraction(1, 2), "L": Fraction(0)}  # of a win, by outcome


def mms_terms(field, entry, start=0) -> list[Term]:
    record = field.records[entry]
    points = [Term(line, field.scoring.match_points(line)) for line in record.rounds]
    return [Term(NO_ROUND, record.start or start, label="start"), *points]


@metric("points", terms=mms_terms)
def mms(field, entry, *, start=0) -> Number:
    """The starting score (`start` if the entry has none) plus the points of every round. Source: EGF."""
    record = field.records[entry]
    return (record.start or start) + field.scoring.points(record)


@round_metric("score", inner="mms")
def sos(field, entry, line, *, unpaired="zero", start=0) -> Number | Term:
    """Sum of opponents' scores. Source: EGF."""
    if line.opponent is not None:
        return field.value("mms", line.opponent, {"start": start})
    return Term(line, field.records[entry].start or start, "own_start") if unpaired == "start" else 0


@round_metric("score", inner="sos")
def sosos(field, entry, line, *, unpaired="zero", start=0) -> Number | None:
    """Sum of the opponents' SOS; an unpaired round adds nothing here. Source: EGF."""
    if line.opponent is None:
        return None
    return field.value("sos", line.opponent, {"unpaired": unpaired, "start": start})


@round_metric("score", inner="mms")
def sodos(field, entry, line, *, start=0) -> Term | None:
    """Sum of defeated opponents' scores, as in Sonneborn-Berger. Source: EGF."""
    if line.opponent is None:
        return None
    part, score = PART[line.outcome], field.value("mms", line.opponent, {"start": start})
    return Term(line, part * score, times=(part, score))
