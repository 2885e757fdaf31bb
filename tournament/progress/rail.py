"""The menu beside every desk page (the rail): the event's steps, and the entry of the current page."""

from itertools import groupby
from typing import NamedTuple

from django.utils.translation import gettext as _

from tournament.models import Round, Tournament
from tournament.progress.flights import Flight
from tournament.progress.next_step import ProgressFacts, is_swiss_played

# The entry of a page, by the first part of its URL after /t/<slug>/desk/.
_PLACES = {
    "overview": {""},
    "players": set("players apart last-names links no-shows regulars selected-players starting-list".split()),
    "standings": {"standings"},
    "judges": {"judge", "deck-checks", "decklists", "flags", "penalties"},
    "print": {"print", "poster"},
    "settings": {"settings", "rules"},
    "log": {"log", "correct"},
}
# The answer on the help page that the "?" of a page opens, by its URL name; for other pages, how to run an event.
_ANSWERS = {
    "add-player": "late",
    "correct": "wrong",
    "corrections": "wrong",
    "desk-bracket": "cut",
    "desk-cut": "cut",
    "desk-round": "results",
    "draft": "pairing",
    "entries": "late",
    "entry": "drop",
    "event-print": "printing",
    "judge": "judge",
    "log": "undo",
    "pair": "bye",
}


class Step(NamedTuple):
    """A step of the event, or several rounds folded into one.

    state   "done", "now" or ""
    url     "" while there is nothing to open
    who     "desk" if judges may not open it
    detail  next to the label, such as the number of tables left
    """

    label: str
    state: str = ""
    url: str = ""
    who: str = ""
    detail: str = ""
    rounds: tuple["Step", ...] = ()


class Rail(NamedTuple):
    """`current`: the URL of the current page's step; `place`: its entry if it has no step; `now`: the step in play."""

    steps: list[Step]
    current: str
    place: str
    now: Step | None
    calls: int
    page: str  # the current page's URL name
    answer: str  # on the help page


def build_rail(facts: ProgressFacts, path: str, page: str) -> Rail:
    steps = _build_steps(facts)
    every = [each for step in steps for each in (step.rounds or (step,))]
    part = path.partition("/desk/")[2].partition("/")[0]
    place = next((place for place, parts in _PLACES.items() if part in parts), "")
    urls = [step.url for step in every if step.url and place != "players"]  # its pages have tabs
    current = next((url for url in urls if path.startswith(url)), "")
    now = next((step for step in reversed(every) if step.state == "now" and step.url), None)
    return Rail(
        steps, current, "" if current else place, now, facts.open_calls, page, _ANSWERS.get(page, "start")
    )


def _build_steps(facts: ProgressFacts) -> list[Step]:
    begun, finished = bool(facts.swiss), facts.state == Tournament.State.FINISHED
    players = str(facts.players or "")
    return [
        Step(_("Registration"), "done" if begun else "now", facts.url("registration"), "desk", players),
        *([_flight_step(facts, flight) for flight in facts.flights] or _round_steps(facts)),
        *(_bracket_steps(facts) if facts.cut or facts.seeds else []),
        Step(_("Finish"), "done" if finished else ""),
    ]


def _flight_step(facts: ProgressFacts, flight: Flight) -> Step:
    if flight.last is None:
        return Step(flight.words)
    state = "done" if flight.is_over else "now"
    return Step(flight.words, state, facts.url("desk-round", flight.last.number))


def _round_steps(facts: ProgressFacts) -> list[Step]:
    """Return the open rounds, with finished ones folded into one step and those to come into another."""
    steps = [_round_step(facts, round_) for round_ in facts.swiss]
    if not facts.seeds and facts.state != Tournament.State.FINISHED:
        steps += [Step(str(number)) for number in range(len(steps) + 1, facts.rounds + 1)]
    folded = []
    for state, group in groupby(steps, key=lambda step: step.state):
        same = list(group)
        rounds = [step._replace(label=_("Round %(number)s") % {"number": step.label}) for step in same]
        if state == "now" or len(rounds) == 1:
            folded += rounds
        else:
            label = _("Rounds %(first)s–%(last)s") % {"first": same[0].label, "last": same[-1].label}
            folded.append(Step(label, state, rounds=tuple(rounds)))
    return folded or [Step(_("Rounds"))]  # how many depends on the players


def _round_step(facts: ProgressFacts, round_: Round) -> Step:
    state = "done" if round_.state == Round.State.COMPLETE else "now"
    left = facts.outstanding_by_round.get(round_.pk)
    count = _("%(n)s left") % {"n": left} if left else ""
    return Step(str(round_.number), state, facts.url("desk-round", round_.number), detail=count)


def _bracket_steps(facts: ProgressFacts) -> list[Step]:
    if facts.seeds:
        cut, bracket = "done", "done" if facts.bracket_over else "now"
    else:
        cut, bracket = "now" if is_swiss_played(facts) else "", ""
    label = _("Cut to top %(size)s") % {"size": facts.seeds or facts.cut}
    return [
        Step(label, cut, facts.url("desk-cut") if facts.swiss else "", who="desk"),
        Step(_("Bracket"), bracket, facts.url("desk-bracket") if facts.seeds else ""),
    ]
