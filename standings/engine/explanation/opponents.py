"""Explainers of sums over the opponents' scores: Buchholz and its family, Sonneborn-Berger, ratings."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from standings.engine.explanation.parts import field_inside, part_of
from standings.engine.explanation.types import exactly
from standings.engine.metrics import attributes, buchholz, sonneborn, sums
from standings.engine.ranking.chain import Step


def cumulative_opposition(told, field, entry, params):
    _shares(told, field, params, sums.cumulative_shares(field, entry, params.get("bye_as")))
    told.sum_up()


def _shares(told, field, params, shares, kept=None, why: Callable = lambda share: "cut"):
    """Lines of what opponents (or what stands for them) give; those not `kept` are cut."""
    step = Step(told.metric, params)
    for share in shares:
        cut = kept is not None and share.value is not None and share not in kept
        note = share.left_out or share.instead
        if cut:
            note = f"{note + ', ' if note else ''}{why(share)}: left out"
        line = told.add(field, share.round, None if cut else share.value, note)
        line.changed_from = exactly(share.value) if cut else None
        if share.value is not None and not share.instead:
            line.part = part_of(step, share.round.opponent)


def _of_buchholz(told, field, source, entry, params, cuts):
    """Buchholz of an entry in `source` (the field itself, or as if the last round had been drawn)."""
    low, high = cuts.get("cut_low", 0), cuts.get("cut_high", 0)
    shares = buchholz.buchholz_shares(source, entry, **params)
    above = buchholz.after_cuts(shares, low)
    kept = buchholz.after_cuts(shares, low, high)

    def why(share) -> str:
        if share in above:
            return "highest"
        return "lowest of the voluntarily unplayed rounds" if share.voluntary else "lowest"

    _shares(told, source, params, shares, kept, why)
    told.sum_up()


CUTS = ("cut_low", "cut_high")


def of_buchholz(told, field, entry, params):
    kept = {name: value for name, value in params.items() if name not in CUTS}
    _of_buchholz(told, field, field_inside(Step(told.metric), field), entry, kept, params)
    if told.metric == "fore_buchholz":
        told.notes.append(f"every pairing of round {field.rounds} counts as a draw")


def solkoff(told, field, entry, params):
    _of_buchholz(told, field, field, entry, {"rule": "uscf"}, {})


def modified_median(told, field, entry, params):
    cuts = buchholz.median_cuts(field, entry)
    _of_buchholz(told, field, field, entry, {"rule": "uscf"}, cuts)
    half = Fraction(field.rounds) * field.scoring.half_win
    side = {(1, 1): "exactly", (1, 0): "more than", (0, 1): "less than"}[cuts["cut_low"], cuts["cut_high"]]
    ends = {(1, 1): "the highest and the lowest are", (1, 0): "the lowest is", (0, 1): "the highest is"}
    told.notes.append(
        f"own score {field.scoring.points(field.records[entry])} is {side} half of the "
        f"maximum ({half}), so {ends[cuts['cut_low'], cuts['cut_high']]} left out"
    )


def avg_opp_buchholz(told, field, entry, params):
    step = Step("avg_opp_buchholz", params)
    counted = buchholz.games_met(field, entry, params.get("forfeits_as_played", False))
    for line in field.records[entry].rounds:
        part = part_of(step, line.opponent) if line in counted else None
        value = field.value("buchholz", part.entry, part.step.params) if part else None
        told.add(field, line, value, "" if part else "not played: left out", part=part)
    told.sum_up(len(counted))


def adjusted_score(told, field, entry, params):
    for line, worth in buchholz.adjusted_worths(field, entry, **params):
        own = field.scoring.match_points(line)
        told.add(field, line, worth, changed_from=exactly(own) if own != worth else None)
    told.notes.append("as this score counts for opponents")
    told.sum_up()


def sonneborn_berger(told, field, entry, params):
    kept = {name: value for name, value in params.items() if name != "cut_low"}
    parts = sonneborn.parts_of(field, entry, **kept)
    counting = sonneborn.after_cut(parts, params.get("cut_low", 0))
    for part in parts:
        cut = not any(part is other for other in counting)
        worth = Fraction(field.scoring.match_points(part.round)) / field.scoring.win
        note = part.instead + (", " if part.instead and cut else "") + ("cut: left out" if cut else "")
        line = told.add(field, part.round, None if cut else part.value, note)
        line.times = (worth, Fraction(part.opponent))
        line.changed_from = exactly(part.value) if cut else None
        if not part.instead:
            line.part = part_of(Step(told.metric, params), part.round.opponent)
    told.sum_up()


def avg_rating_opponents(told, field, entry, params):
    for line, rating in attributes.opponents_ratings(field, entry):
        told.add(field, line, rating or None, "" if rating else "no rating: left out")
    told.sum_up(told.counting)
