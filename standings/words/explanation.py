"""The sentences of explanations, from the codes of `standings.engine.explanation`; notes on lines are fragments."""

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from standings.engine.explanation import OWN, Explanation, ExplanationLine
from standings.engine.metrics.registry import Note
from standings.words.metrics import metric_title, param_in_words


def line_notes_in_words(line: ExplanationLine) -> str:
    return ", ".join(_in_words(LINE_NOTES, note) for note in line.notes)


def notes_in_words(explanation: Explanation) -> list[str]:
    return [_in_words(SENTENCES, note) for note in explanation.notes]


def outcome_in_words(note: Note) -> str:
    return _in_words(OUTCOMES, note)


def change_in_words(code: str) -> str:
    return str(LINE_NOTES[code]) if code else ""


def line_label_in_words(line: ExplanationLine) -> str:
    if not line.label:
        return ""
    return str(LABELS[line.label]) if line.label in LABELS else metric_title(line.label)


def reasons_in_words(notes: Iterable[Note]) -> str:
    """Return, as one fragment, why the same metric has another value elsewhere."""
    return ", ".join(
        param_in_words(**note.values) if note.code == "counted_with" else _in_words(REASONS, note)
        for note in notes
    )


def value_elsewhere(where: str, value: str, reasons: Iterable[Note]) -> str:
    """Return another value of the same metric, where it is used, and why it differs."""
    text = _("Own value %(value)s: %(why)s.")
    if where != OWN:
        text = _("Counted for opponents: %(value)s, %(why)s.")
    return text % {"value": value, "why": reasons_in_words(reasons)}


def own_value_inside(own: str, here: str, reasons: Iterable[Note]) -> str:
    """Return the opponent's real value, next to the adjusted one used here."""
    text = _("Own value %(own)s; counted as %(here)s here: %(why)s.")
    return text % {"own": own, "here": here, "why": reasons_in_words(reasons)}


def _in_words(words: dict[str, Any], note: Note) -> str:
    text = words[note.code]
    return str(text % dict(note.values)) if note.values else str(text)


LABELS = {"start": _("starting score"), "unplayed_wins": _("deducted for unplayed wins")}

LINE_NOTES: dict[str, Any] = {
    # Rounds that were not played.
    "bye": _("bye"),
    "awarded": _("awarded bye"),
    "half": _("half-point bye (requested)"),
    "zero": _("zero-point bye (requested)"),
    "full": _("full-point bye (requested)"),
    "missed": _("missed round"),
    "forfeit_win": _("won by forfeit"),
    "forfeit_loss": _("lost by forfeit"),
    "no_show": _("double no-show"),
    "double_loss": _("double loss"),
    # Values that do not count.
    "left_out": _("left out"),
    "not_counted": _("not counted"),
    "cut": _("cut: left out"),
    "highest": _("highest: left out"),
    "lowest": _("lowest: left out"),
    "lowest_unplayed": _("lowest of the voluntarily unplayed rounds: left out"),
    "no_opponent": _("no opponent: left out"),
    "not_played": _("not played: left out"),
    "no_rating": _("no rating: left out"),
    "no_score": _("no score: left out"),
    "forfeit_left_out": _("forfeit, opponent not counted: left out"),
    "no_show_left_out": _("double no-show, table not counted: left out"),
    "house_left_out": _("house opponent, not counted: left out"),
    "below_limit": _("opponent has a score of %(points)s: left out"),
    # Values used instead.
    "own_score": _("not played, own score used instead"),
    "virtual_opponent": _("not played, virtual opponent: score before this round, its result, then draws"),
    "own_score_capped": _("not played, own score used instead, capped"),
    "zero_instead": _("not played, counts as 0"),
    "own_start": _("own starting score"),
    "house_zero": _("house opponent, counts as 0"),
    "house_as_this": _("house opponent, counts as this"),
    "as_opponent": _("counts as an opponent"),
    "as_average": _("counts as the average of the others"),
    "not_in_round": _("player not in this round"),
    # Reasons why a value was changed.
    "raised": _("raised to the minimum"),
    "capped": _("capped"),
    "capped_dropped": _("capped (dropped)"),
    "rounded": ngettext_lazy("rounded to %(places)s place", "rounded to %(places)s places", "places"),
    "unplayed": _("nothing played yet"),
    "square": _("%(number)s × %(number)s"),
    "thousandths": _("in thousandths, by wins, without a minimum"),
}

SENTENCES: dict[str, Any] = {
    "frozen_at_drop": _("Frozen after round %(round)s, when the player dropped."),
    "frozen": _("Frozen after round %(round)s, the last round of the last stage played."),
    "unplayed": _("Nothing played yet."),
    "minimum_unplayed": _("Nothing played yet: the minimum."),
    "alone": _("No opponent yet."),
    "minimum_alone": _("No opponent yet: the minimum."),
    "nothing_measured": _("Nothing to measure yet."),
    "nothing_conceded": _("Nothing conceded, so the points scored stand as they are."),
    "divided_by_maximum": ngettext_lazy(
        "Divided by %(number)s opponent and by the maximum of %(points)s points.",
        "Divided by %(number)s opponents and by their maximum of %(points)s points.",
        "number",
    ),
    "divided_by_best": _("Divided by %(value)s, the value of winning every round."),
    "recency_rule": _("Each round: the value before × %(decay)s + the points so far."),
    "koya_limit": _("Only opponents with at least %(limit)s points count."),
    "counts_for_opponents": _("As this score counts for opponents."),
    "last_round_drawn": _("Every pairing of round %(round)s counts as a draw."),
    "median_both": ngettext_lazy(
        "Own score %(score)s is exactly half of the maximum (%(half)s), so the highest and the lowest are left out.",
        "Own score %(score)s is exactly half of the maximum (%(half)s), "
        "so the %(number)s highest and the %(number)s lowest are left out.",
        "number",
    ),
    "median_lowest": ngettext_lazy(
        "Own score %(score)s is more than half of the maximum (%(half)s), so the lowest is left out.",
        "Own score %(score)s is more than half of the maximum (%(half)s), "
        "so the %(number)s lowest are left out.",
        "number",
    ),
    "median_highest": ngettext_lazy(
        "Own score %(score)s is less than half of the maximum (%(half)s), so the highest is left out.",
        "Own score %(score)s is less than half of the maximum (%(half)s), "
        "so the %(number)s highest are left out.",
        "number",
    ),
    "rating": _("Rating at registration; 0 if none."),
    "seed": _("Seeding before the event."),
    "late_flag": _("1 for players who arrived late, 0 for players who were on time."),
    "external_value": _("Measured outside the matches."),
    "external_value_missing": _(
        'This player has no label "%(name)s=…" with a number: counted as more than anyone else has.'
    ),
    "external_value_instead": _('This player has no label "%(name)s=…" with a number: counted as %(value)s.'),
    "lot_place": _("Place %(place)s of %(number)s in the event's random order, lowest first."),
    "lot_stored": _("Random number %(lot)s is stored with this player; stored numbers come first."),
    "lot_drawn": _(
        "Anyone can recompute it: SHA-256 of the event's seed, the word lot and the player's "
        "code (%(entry)s), in ascending order."
    ),
    "manual_place": _("Set manually by staff: place %(place)s."),
    "no_manual_place": _("No manual order was set for this player: ranked after everyone who has one."),
    "not_tied": _("No one was still tied at this step."),
    "place_among": _("The place among the %(number)s who were tied before this step."),
}

OUTCOMES: dict[str, Any] = {
    "not_two": _("does not apply: it needs exactly 2 tied players, and %(number)s are tied"),
    "two_not_met": _("does not apply: the two did not play each other"),
    "two_decided": _("2 players are tied and have played: the points from those matches decide"),
    "two_even": _("their matches against each other are even"),
    "beat_all": _("the player who beat all the others comes first"),
    "beat_all_nobody": _("does not apply: no one beat all the others"),
    "not_all_met": _("does not apply: not all of them played each other"),
    "all_met_decided": _("all played each other: the points from those matches decide"),
    "all_met_even": _("all played each other and are still even"),
    "fide_first": _(
        "not all played each other, but the first stays first whatever the missing matches would have brought"
    ),
    "fide_uncertain": _("does not apply: not all played each other, and no one is certain to be first"),
    "plus_minus_decided": _("wins minus losses against each other decide"),
    "plus_minus_even": _("wins minus losses are equal"),
}

REASONS: dict[str, Any] = {
    "byes_left_out": _("byes left out"),
    "byes_counted": _("byes counted"),
    "no_shows_left_out": _("double no-shows left out"),
    "no_shows_counted": _("double no-shows counted"),
    "missed_left_out": _("missed and sat-out rounds left out"),
    "missed_counted": _("missed and sat-out rounds counted"),
    "no_minimum": _("without a minimum"),
    "no_maximum": _("without a maximum"),
}
