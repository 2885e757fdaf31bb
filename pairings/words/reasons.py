"""Why a player's place in a round is unusual, in sentences (codes: `pairings.engine.proof.reasons`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from pairings.engine import Reason
from pairings.question.record import reasons_from_json
from tournament.event.types import Round

SENTENCES = {
    "locked": gettext_lazy("Set by the organizer."),
    "rematch": gettext_lazy("Rematch: no pairing of this round has fewer rematches."),
    "rematch_for_priority": gettext_lazy(
        "Rematch: fewer rematches would cost more on a higher-priority criterion."
    ),
    "house_opponent": gettext_lazy("Plays the house opponent instead of getting the bye."),
    "paired_up": gettext_lazy("Paired up: plays someone who was paired down."),
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
}
# By whether prohibited pairs, and whether later planned rounds, may be why nobody below can take the bye.
BYE_ABOVE = {
    (False, False): gettext_lazy(
        "Bye: the number of players is odd, and no lower score group can take it "
        "without a second bye or a rematch."
    ),
    (True, False): gettext_lazy(
        "Bye: the number of players is odd, and no lower score group can take it "
        "without a second bye, a do-not-pair conflict or a rematch."
    ),
    (False, True): gettext_lazy(
        "Bye: the number of players is odd, and no lower score group can take it "
        "without a second bye, a rematch or making a later planned round impossible."
    ),
    (True, True): gettext_lazy(
        "Bye: the number of players is odd, and no lower score group can take it "
        "without a second bye, a do-not-pair conflict, a rematch or making a later planned round impossible."
    ),
}


def reasons_words(reasons: str | Iterable[Reason]) -> str:
    """All reasons of a player as sentences; a text that an older version stored stays as it is."""
    return reasons if isinstance(reasons, str) else " ".join(map(reason_words, reasons))


def reasons_in(round_: Round) -> dict[str, str]:
    """{code: why this player's place in the round is unusual, in sentences}."""
    stored = round_.pairing.reasons or {}
    return {code: reasons_words(reasons_from_json(reasons)) for code, reasons in stored.items()}


def public_reasons_in(round_: Round) -> dict[str, str]:
    """As `reasons_in`; in a re-paired round each says which of its pairings it is about."""
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
    """One reason as a sentence, or a few; its code where this version does not know it."""
    numbers: dict[str, Any] = dict(reason.params)
    if reason.code == "paired_down":
        return _down_words(**numbers)
    if reason.code == "paired_up":
        return _joined(SENTENCES["paired_up"], _up_before_words(numbers["before"]))
    if reason.code == "same_label":
        text = (
            _(
                "Same label (%(labels)s): no pairing as good on the higher-priority criteria "
                "keeps more such players apart."
            )
            if numbers["proven"]
            else _("Same label (%(labels)s): no swap was found that keeps more such players apart.")
        )
        return text % {"labels": ", ".join(numbers["labels"])}
    if reason.code == "bye_above":
        return str(BYE_ABOVE[bool(numbers["prohibited"]), bool(numbers["later"])])
    return str(SENTENCES.get(reason.code, reason.code))


def _down_words(left: int, down: int, above: int, before: int, forced: int) -> str:
    return _joined(
        _crowd_words(left, down, forced) if down > 1 else _odd_words(left, above),
        ngettext("Paired down %(count)s time before.", "Paired down %(count)s times before.", before)
        % {"count": before}
        if before
        else "",
    )


def _odd_words(left: int, above: int) -> str:
    """Why one player of a score group is paired down: it is odd, or empty but for that player."""
    alone = (
        _("Paired down: no one else is left in this score group.")
        if left == 1
        else ngettext(
            "Paired down: %(count)s player is left in this score group, an odd number.",
            "Paired down: %(count)s players are left in this score group, an odd number.",
            left,
        )
        % {"count": left}
    )
    others = ngettext("%(count)s other was paired up.", "%(count)s others were paired up.", above)
    return _joined(alone, others % {"count": above} if above else "")


def _crowd_words(left: int, down: int, forced: int) -> str:
    """Why several players of a score group are paired down."""
    text = (
        ngettext(
            "Paired down: %(down)s of the %(left)s player left in this score group are paired down; "
            "smaller score differences would cost more on a higher-priority criterion.",
            "Paired down: %(down)s of the %(left)s players left in this score group are paired down; "
            "smaller score differences would cost more on a higher-priority criterion.",
            left,
        )
        if forced
        else ngettext(
            "Paired down: %(down)s of the %(left)s player left in this score group are paired down.",
            "Paired down: %(down)s of the %(left)s players left in this score group are paired down.",
            left,
        )
    )
    return text % {"down": down, "left": left}


def _up_before_words(before: int) -> str:
    text = ngettext("Paired up %(count)s time before.", "Paired up %(count)s times before.", before)
    return text % {"count": before} if before else ""


def _joined(*sentences: object) -> str:
    return " ".join(str(sentence) for sentence in sentences if sentence)
