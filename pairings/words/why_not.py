"""Why two players of a round are not paired, in sentences (codes: `pairings.engine.WhyNot`)."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from pairings.engine import Change
from pairings.words.costs import costs_and_savings
from pairings.words.lists import first_few
from standings.words.formats import format_number
from tournament.rulesets import is_meeting

# Where there was nothing to solve; `table` is where they are paired.
UNSOLVED = {
    "paired": gettext_lazy("They are paired, at table %(table)s."),
    "has_bye": gettext_lazy("%(a)s has the bye."),
    "even": gettext_lazy("No one has a bye this round."),
    "house_bye": gettext_lazy("%(a)s is a house opponent and cannot get the bye."),
    "house_pair": gettext_lazy("%(a)s and %(b)s are both house opponents."),
    "prohibited": gettext_lazy("%(a)s and %(b)s are on the organizer's do-not-pair list."),
}
# By whether it is a bye, and whether the round was re-paired around it.
LOCKED = {
    (False, False): gettext_lazy("%(name)s's table is locked by the organizer."),
    (True, False): gettext_lazy("%(name)s's bye is locked by the organizer."),
    (False, True): gettext_lazy(
        "%(name)s's table was finished when the round was re-paired, so it was kept."
    ),
    (True, True): gettext_lazy("%(name)s's bye was kept when the round was re-paired."),
}


def solved_words(code: str, a: str, b: str, changes: Sequence[Change], unit: int) -> str:
    """Return what pairing `a` with `b` (names; without `b`: giving `a` the bye) would cost and save."""
    what = _("%(a)s vs. %(b)s") % {"a": a, "b": b} if b else _("A bye for %(a)s") % {"a": a}
    if code == "impossible":
        return _("%(what)s is impossible: no complete set of pairings includes it.") % {"what": what}
    if code == "equal":
        return _("%(what)s would be equally good. The choice was random.") % {"what": what}
    cost, saves = costs_and_savings(changes, unit)
    if code == "better":
        first, other = _("%(what)s would be better. It would save: %(saves)s."), _("It would cost: %(cost)s.")
    else:
        first, other = _("%(what)s would cost: %(cost)s."), _("It would save: %(saves)s.")
    sentences = [first, other] if cost and saves else [first]
    return " ".join(sentences) % {"what": what, "cost": cost, "saves": saves}


def new_pair_downs_words(pairs: Sequence[tuple[Fraction, Fraction]]) -> str:
    """Return the additional pair-downs, by the points of both players; "" if there are none."""
    points = [
        _("%(a)s vs. %(b)s") % {"a": format_number(high), "b": format_number(low)} for high, low in pairs
    ]
    return _("New pair-downs: %(pairs)s.") % {"pairs": first_few(points, most=4)} if pairs else ""


def meetings_words(rounds: Sequence[int], *, bye: bool) -> str:
    values = {"rounds": get_text_list(list(map(str, rounds)), _("and"))}
    if bye:
        return _("Earlier bye in round %(rounds)s.") % values if rounds else _("No earlier bye.")
    if not rounds:
        return _("They have not played each other.")
    return _("They played each other in round %(rounds)s.") % values


def forfeits_words(rounds: Sequence[int], profile: dict[str, Any]) -> str:
    """Return the rounds they were paired in but did not play, and whether these count as meetings; "" if none."""
    if not rounds:
        return ""
    if is_meeting(profile, "forfeit"):
        text = ngettext(
            "They were paired in round %(rounds)s, but it was a forfeit, which is a meeting under this ruleset.",
            "They were paired in rounds %(rounds)s, but all were forfeits, which are meetings under this ruleset.",
            len(rounds),
        )
    else:
        text = ngettext(
            "They were paired in round %(rounds)s, but it was a forfeit, which is no meeting under this ruleset.",
            "They were paired in rounds %(rounds)s, but all were forfeits, which are no meetings under this ruleset.",
            len(rounds),
        )
    return text % {"rounds": get_text_list(list(map(str, rounds)), _("and"))}
