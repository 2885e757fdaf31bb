"""Why a player's pairing is unusual, in sentences (codes: `pairings.engine.proof`)."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from pairings.engine import Reason
from pairings.request.record import reasons_from_json
from tournament.event.types import Round

# The sentences that the codes are made of; of a bye, also by what may keep everyone below from taking it.
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
        "Bye: the number of players is odd, and no lower score group can take it "
        "without a second bye or a rematch."
    ),
    "bye_above_prohibited": gettext_lazy(
        "Bye: the number of players is odd, and no lower score group can take it "
        "without a second bye, a do-not-pair conflict or a rematch."
    ),
    "bye_above_later": gettext_lazy(
        "Bye: the number of players is odd, and no lower score group can take it "
        "without a second bye, a rematch or making a later planned round impossible."
    ),
    "bye_above_prohibited_later": gettext_lazy(
        "Bye: the number of players is odd, and no lower score group can take it "
        "without a second bye, a do-not-pair conflict, a rematch or making a later planned round impossible."
    ),
}


def reasons_words(reasons: str | Iterable[Reason]) -> str:
    return reasons if isinstance(reasons, str) else " ".join(map(reason_words, reasons))


def reasons_in(round_: Round) -> dict[str, str]:
    """Return {entry code: why this player's pairing is unusual}."""
    stored = round_.pairing.reasons or {}
    return {code: reasons_words(reasons_from_json(reasons)) for code, reasons in stored.items()}


def public_reasons_in(round_: Round) -> dict[str, str]:
    """Return `reasons_in`; in a re-paired round, each sentence also says which pairing it is about."""
    reasons = reasons_in(round_)
    record = round_.pairing
    finished = {code for pair in record.kept_tables for code in pair}
    if record.last_repair is None or not finished:
        return reasons
    earlier, now = _("when this table was paired: %(reason)s"), _("with the finished tables kept: %(reason)s")
    return {
        code: (earlier if code in finished else now) % {"reason": reason} for code, reason in reasons.items()
    }


def reason_words(reason: Reason) -> str:
    """Return one reason as one or more sentences, or its code if this version does not know it."""
    values: dict[str, Any] = dict(reason.params)
    values["labels"] = ", ".join(values.get("labels", ()))
    sentences = _sentences_of(reason.code, values)
    return " ".join(str(SENTENCES[key] % values) if key in SENTENCES else key for key in sentences)


def _sentences_of(code: str, numbers: Mapping[str, Any]) -> list[str]:
    if code == "paired_up":
        return [code] + ["up_before"] * bool(numbers["before"])
    if code in ("same_label", "side_limit"):
        return [code + "_proven" * bool(numbers["proven"])]
    if code == "bye_above":
        return [code + "_prohibited" * bool(numbers["prohibited"]) + "_later" * bool(numbers["later"])]
    if code != "paired_down":
        return [code]
    before = ["down_before"] * bool(numbers["before"])
    if numbers["down"] > 1:
        return ["down_several" + "_for_priority" * bool(numbers["forced"]), *before]
    alone = "down_alone" if numbers["left"] == 1 else "down_odd"
    return [alone, *["others_up"] * bool(numbers["above"]), *before]
