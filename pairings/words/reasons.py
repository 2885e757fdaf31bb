"""Reasons in words: why a pairing is unusual, why two players do not meet, why a round cannot be paired."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, ngettext_lazy

from pairings.engine.compare import Change
from pairings.engine.types import NoPairing, Problem, Reason
from pairings.request.entrants import NoRound
from pairings.request.pairing_request import PairDown, plain_value, reasons_from_json
from pairings.words.certificate import CRITERIA, costs_and_savings, shorten_list
from tournament.event.types import Round
from tournament.rulesets import is_meeting

# Sentences by reason code; for byes, also by the possible cause.
SENTENCES: dict[str, Any] = {
    "locked": gettext_lazy("Set by the organizer."),
    "rematch": gettext_lazy("Rematch: no pairing of this round has fewer rematches."),
    "rematch_for_priority": gettext_lazy(
        "Rematch: fewer rematches would cost more on a higher-priority criterion."
    ),
    "house_opponent": gettext_lazy("Plays the house opponent instead of getting the bye."),
    "paired_up": gettext_lazy("Paired up: plays someone who was paired down."),
    "up_before": ngettext_lazy(
        "Paired up %(before)s time before.", "Paired up %(before)s times before.", "before"
    ),
    "down_alone": gettext_lazy("Paired down: no one else is left in this score group."),
    "down_odd": ngettext_lazy(
        "Paired down: %(left)s player is left in this score group, an odd number.",
        "Paired down: %(left)s players are left in this score group, an odd number.",
        "left",
    ),
    "down_several": ngettext_lazy(
        "Paired down: %(down)s of the %(left)s player left in this score group are paired down.",
        "Paired down: %(down)s of the %(left)s players left in this score group are paired down.",
        "left",
    ),
    "down_several_for_priority": ngettext_lazy(
        "Paired down: %(down)s of the %(left)s player left in this score group are paired down; "
        "smaller score differences would cost more on a higher-priority criterion.",
        "Paired down: %(down)s of the %(left)s players left in this score group are paired down; "
        "smaller score differences would cost more on a higher-priority criterion.",
        "left",
    ),
    "others_up": ngettext_lazy("%(above)s other was paired up.", "%(above)s others were paired up.", "above"),
    "down_before": ngettext_lazy(
        "Paired down %(before)s time before.", "Paired down %(before)s times before.", "before"
    ),
    "same_label": gettext_lazy(
        "Same label (%(labels)s): no swap was found that keeps more such players apart."
    ),
    "same_label_proven": gettext_lazy(
        "Same label (%(labels)s): no pairing as good on the higher-priority criteria "
        "keeps more such players apart."
    ),
    "side_limit": gettext_lazy("On one side too often: no swap was found that avoids it."),
    "side_limit_proven": gettext_lazy(
        "On one side too often: no pairing as good on the higher-priority criteria has fewer such players."
    ),
    "bye_for_priority": gettext_lazy(
        "Bye: the number of players is odd, and a lower bye would cost more on a higher-priority criterion."
    ),
    "bye_repeat": gettext_lazy(
        "Repeat bye: everyone who could take it without more rematches has had as many."
    ),
    "bye_ranked": gettext_lazy(
        "Bye: the number of players is odd; "
        "lowest ranked in the lowest score group, among players without a bye."
    ),
    "bye_random": gettext_lazy(
        "Bye: the number of players is odd; "
        "chosen at random in the lowest score group, among players without a bye."
    ),
    "bye_above": gettext_lazy(
        "Bye: the number of players is odd, and no lower score group can take it without %(causes)s."
    ),
}


def reasons_words(reasons: str | Iterable[Reason]) -> str:
    return reasons if isinstance(reasons, str) else " ".join(map(reason_words, reasons))


def reasons_in(round_: Round) -> dict[str, str]:
    """Return {entry code: why this player's pairing is unusual}."""
    stored = round_.pairing.reasons or {}
    return {code: reasons_words(reasons_from_json(reasons)) for code, reasons in stored.items()}


def public_reasons_in(round_: Round) -> dict[str, str]:
    """Return `reasons_in`; in a re-paired round, each sentence also names the pairing that it is about."""
    reasons = reasons_in(round_)
    record = round_.pairing
    finished = {code for pair in record.kept_tables for code in pair}
    if record.last_repair is None or not finished:
        return reasons
    earlier, now = _("when this table was paired: %(reason)s"), _("with the finished tables kept: %(reason)s")
    texts = {code: earlier if code in finished else now for code in reasons}
    return {code: texts[code] % {"reason": reason} for code, reason in reasons.items()}


def reason_words(reason: Reason) -> str:
    """Return one reason as one or more sentences, or its code if this version does not know it."""
    values: dict[str, Any] = dict(reason.params)
    values["labels"] = ", ".join(values.get("labels", ()))
    if reason.code == "bye_above":
        values["causes"] = _bye_causes(prohibited=values["prohibited"], later=values["later"])
    sentences = _list_sentence_keys(reason.code, values)
    return " ".join(str(SENTENCES[key] % values) if key in SENTENCES else key for key in sentences)


def _bye_causes(*, prohibited: Any, later: Any) -> str:
    causes = [_("a second bye"), _("a do-not-pair conflict") if prohibited else "", _("a rematch")]
    causes.append(_("making a later planned round impossible") if later else "")
    return get_text_list([cause for cause in causes if cause], _("or"))


def _list_sentence_keys(code: str, numbers: Mapping[str, Any]) -> list[str]:
    if code == "paired_up":
        return [code] + ["up_before"] * bool(numbers["before"])
    if code in ("same_label", "side_limit"):
        return [code + "_proven" * bool(numbers["proven"])]
    if code != "paired_down":
        return [code]
    before = ["down_before"] * bool(numbers["before"])
    if numbers["down"] > 1:
        return ["down_several" + "_for_priority" * bool(numbers["forced"]), *before]
    alone = "down_alone" if numbers["left"] == 1 else "down_odd"
    return [alone, *["others_up"] * bool(numbers["above"]), *before]


# Fragments, used after a round's number or inside a sentence.
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
# By code and whether the policy allows rematches.
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
    ("too_many_groups", True): gettext_lazy(
        "There are too many score groups to find the smallest score differences from the top down. In the ruleset, "
        "choose the smallest sum of them instead."
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
    first_names = shorten_list([str(names.get(entrant, entrant)) for entrant in error.entrants])
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


# Answers that needed no solving; `table` is where they are paired.
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
    """Return what pairing `a` with `b` would cost and save (without `b`: giving `a` the bye). Both are names."""
    what = _("%(a)s vs. %(b)s") % {"a": a, "b": b} if b else _("A bye for %(a)s") % {"a": a}
    if code == "impossible":
        return _("%(what)s is impossible: no complete set of pairings includes it.") % {"what": what}
    if code == "undecided":
        return _(
            "Whether %(what)s is possible was not decided: "
            "there are too many score groups to compare all rounds from the top down."
        ) % {"what": what}
    if code == "equal":
        return _("%(what)s would be equally good. The choice was random.") % {"what": what}
    cost, saves = costs_and_savings(changes, unit)
    if code == "better":
        first, other = _("%(what)s would be better. It would save: %(saves)s."), _("It would cost: %(cost)s.")
    else:
        first, other = _("%(what)s would cost: %(cost)s."), _("It would save: %(saves)s.")
    sentences = [first, other] if cost and saves else [first]
    return " ".join(sentences) % {"what": what, "cost": cost, "saves": saves}


def new_pair_downs_words(pairs: Sequence[PairDown]) -> str:
    """Return the additional pair-downs; "" if there are none."""
    points = [_("%(a)s vs. %(b)s") % {"a": high, "b": low} for high, low in pairs]
    return _("New pair-downs: %(pairs)s.") % {"pairs": shorten_list(points, most=4)} if pairs else ""


def meetings_words(rounds: Sequence[int], *, bye: bool) -> str:
    values = {"rounds": get_text_list(list(map(str, rounds)), _("and"))}
    if bye:
        return _("Earlier bye in round %(rounds)s.") % values if rounds else _("No earlier bye.")
    if not rounds:
        return _("They have not played each other.")
    return _("They played each other in round %(rounds)s.") % values


def forfeits_words(rounds: Sequence[int], profile: dict[str, Any]) -> str:
    """Say in which rounds the two were paired but did not play, and whether that counts as a meeting; "" if none."""
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
            "They were paired in round %(rounds)s, but a forfeit does not count as a meeting under this ruleset.",
            "They were paired in rounds %(rounds)s, but forfeits do not count as meetings under this ruleset.",
            len(rounds),
        )
    return text % {"rounds": get_text_list(list(map(str, rounds)), _("and"))}
