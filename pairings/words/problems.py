"""Problems of a round or a plan, and why a round cannot be paired (codes: `pairings.engine.verify`, `NoPairing`)."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, ngettext_lazy

from pairings.engine import NoPairing, Problem, feasible_rounds
from pairings.request.next_round import NoRound
from pairings.request.record import plain_value
from pairings.words.costs import CRITERIA
from pairings.words.lists import first_few
from tournament.ruleset_library.rule_fields import pairing_note

# Fragments, as they stand behind a round's number or inside a sentence.
PROBLEMS: dict[str, Any] = {
    "unknown": gettext_lazy("%(a)s is not in the field"),
    "missing": gettext_lazy("%(a)s is not seated"),
    "no bye": gettext_lazy("an odd number of players needs a bye"),
    "bye": gettext_lazy("%(a)s has a bye, but the number of players is even"),
    "house bye": gettext_lazy("%(a)s is a house opponent and cannot get the bye"),
    "second bye": gettext_lazy("%(a)s already had a bye"),
    "bye group": gettext_lazy("%(a)s has the bye but is not in the lowest score group"),
    "bye after drop": gettext_lazy("%(a)s had dropped"),
    "self": gettext_lazy("%(a)s is paired with itself"),
    "forbidden": gettext_lazy("%(a)s and %(b)s are on the do-not-pair list"),
    "house pair": gettext_lazy("%(a)s and %(b)s are both house opponents"),
    "repeat": gettext_lazy("%(a)s and %(b)s have already played"),
    "not seated": gettext_lazy(
        "%(a)s belongs in round %(round)s but is not seated, and the file does not say why: "
        "record a missed round or a drop"
    ),
    "no awarded bye": gettext_lazy(
        "%(a)s was awarded a bye for round %(round)s, but the round has no row for it: "
        "record the awarded bye, or award fewer"
    ),
    "odd result": gettext_lazy(
        "%(a)s against %(b)s is odd: %(games)s stands as recorded, and these rules have no such result"
    ),
    "first": gettext_lazy("every pair needs one player who moves first"),
    "side limits": gettext_lazy(
        "%(a)s is on one side too often: %(running)s times running, %(more)s times more than on the other"
    ),
    "listed twice": ngettext_lazy(
        "%(a)s is in the field %(count)s time", "%(a)s is in the field %(count)s times", "count"
    ),
    "doubled": ngettext_lazy("%(a)s is seated %(count)s time", "%(a)s is seated %(count)s times", "count"),
    "table": ngettext_lazy(
        "%(count)s player at one table instead of 2", "%(count)s players at one table instead of 2", "count"
    ),
    "several byes": ngettext_lazy(
        "%(count)s bye in one round: a pairing gives one at most",
        "%(count)s byes in one round: a pairing gives one at most",
        "count",
    ),
}
# By code and by whether the policy allows rematches.
NO_PAIRING = {
    ("house_entrants", True): gettext_lazy(
        "There are more house opponents than players, and house opponents cannot play each other."
    ),
    ("no_opponent", True): gettext_lazy("With the do-not-pair list, no opponent is left for: %(names)s."),
    ("no_opponent", False): gettext_lazy(
        "Without rematches or do-not-pair conflicts, no opponent is left for: %(names)s."
    ),
    ("left_over", True): gettext_lazy(
        "With the do-not-pair list, at least 1 player is left without an opponent, for example: %(names)s."
    ),
    ("left_over", False): gettext_lazy(
        "Without rematches or do-not-pair conflicts, at least 1 player is left without an opponent, "
        "for example: %(names)s."
    ),
    ("rematch", False): gettext_lazy("They have already played, and this ruleset does not allow rematches."),
}
NO_PAIRING_NAMELESS = {
    True: gettext_lazy("With the do-not-pair list, at least 1 player is left without an opponent."),
    False: gettext_lazy(
        "Without rematches or do-not-pair conflicts, at least 1 player is left without an opponent."
    ),
}

NO_ROUND = {
    "bracket": gettext_lazy("The bracket is set, so there are no more Swiss rounds."),
    "not_complete": gettext_lazy("Round %(number)s is not complete."),
    "no_session": gettext_lazy("There is no Swiss session %(number)s."),
    "session_over": gettext_lazy("Session %(number)s is over: its points carried over to another stage."),
    "no_stage": gettext_lazy("The event has no Swiss stage."),
    "too_few": gettext_lazy("A round needs at least 2 players."),
}


def no_round_words(error: NoRound) -> str:
    return NO_ROUND[error.code] % {"number": error.number}


def no_pairing_words(error: NoPairing, names: Mapping[Any, str]) -> str:
    if error.code == "left_over" and not error.entrants:
        return str(NO_PAIRING_NAMELESS[error.rematches])
    first_names = first_few([str(names.get(entrant, entrant)) for entrant in error.entrants])
    return NO_PAIRING[error.code, error.rematches] % {"names": first_names}


def problem_words(problem: Problem, names: Mapping[Any, str]) -> str:
    """Return the problem as a fragment without a capital or a period."""
    params: dict[str, Any] = dict(problem.params)
    who = [str(names.get(entrant, entrant)) for entrant in problem.entrants] or [""]
    if problem.code.startswith("avoidable "):
        params = {name: plain_value(value) for name, value in params.items()}
        params["criterion"] = CRITERIA[problem.code.removeprefix("avoidable ")]
    text = str(_template(problem) % {**params, "a": who[0], "b": who[-1]})
    return _("%(problem)s (waived)") % {"problem": text} if "waived" in problem.params else text


def _template(problem: Problem) -> Any:
    code, params = problem.code, problem.params
    if code.startswith("avoidable "):
        return _("%(criterion)s: %(value)s, where %(best)s was possible")
    if code == "not seated" and params["paired_here"]:
        return _(
            "%(a)s belongs in round %(round)s but is not seated: "
            "restore the lost match or bye from an earlier copy of the file"
        )
    if code == "first" and "untracked" in params:
        return _("this ruleset does not track who moves first")
    if code == "repeat" and problem.severity == "error":
        return _("%(a)s and %(b)s have already played, and this ruleset does not allow rematches")
    if code == "first" and "unrecorded" in params:
        return _("some tables do not record who moves first")
    return PROBLEMS[code]


def too_many_rounds_words(players: int, rounds: int) -> str:
    """Return one sentence if that many rounds are impossible without a rematch; else ""."""
    if players < 2:
        return _("A round needs at least 2 players.")
    most = feasible_rounds(players)
    if rounds <= most:
        return ""
    text = ngettext(
        "%(players)s players cannot play %(rounds)s round without rematches. The most is %(most)s.",
        "%(players)s players cannot play %(rounds)s rounds without rematches. The most is %(most)s.",
        rounds,
    )
    return text % {"players": players, "rounds": rounds, "most": most}


def notes_on(players: int, rounds: int, profile: dict[str, Any]) -> list[str]:
    """Return sentences on where a simulation of this event differs from play."""
    notes = []
    if note := pairing_note(profile):
        notes.append(f"{profile['key']}: {note}.")
    if warning := too_many_rounds_words(players, rounds):
        notes.append(f"{warning} {_('The event has rematches.')}")
    return notes
