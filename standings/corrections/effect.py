"""The effect of a corrected result: ranks, the cut, the bracket, and the rounds that were played under the old one."""

from collections.abc import Mapping
from typing import NamedTuple

from standings.bracket.cut_preview import ChangedQualifiers, changed_qualifiers_of
from standings.rulesets.trial.comparison import Comparison, compare_rankings
from tournament.actionlog.change import digest_of
from tournament.actionlog.match_facts import Fact, MatchFact
from tournament.event.from_facts import match_of
from tournament.event.read import event_of
from tournament.event.types import Event
from tournament.models import Tournament
from tournament.text.display_names import names_in


class Correction(NamedTuple):
    """A result that is to become another: the match `before` and `after`, in the round of that number."""

    round: int
    before: MatchFact
    after: MatchFact


class CorrectionEffect(NamedTuple):
    """What a correction would do to the standings after the complete rounds.

    bracket      how the bracket would differ if it were set now; None where it would not, or there is none
    bracket_set  whether there is a bracket: it stays as it was set
    later        numbers of the published Swiss rounds after it: they stay as they were paired
    counts       whether the round counts in the standings already
    digest       of all that is shown
    """

    event: Event
    names: Mapping[str, str]
    comparison: Comparison
    bracket: ChangedQualifiers | None
    bracket_set: bool
    later: list[int]
    counts: bool
    digest: str


def corrected_match(before: MatchFact, fields: Fact) -> MatchFact:
    """The match with the fields of a slip, as the log writes them."""
    fact = before.to_log() | fields
    return MatchFact.from_log(before.table, fact)


def corrected_event(event: Event, correction: Correction) -> Event:
    """The event as it would be; the event itself stays as it is."""
    old, new = match_of(correction.before), match_of(correction.after)
    rounds = [
        round_.replace(matches=[new if match == old else match for match in round_.matches])
        if round_.number == correction.round
        else round_
        for round_ in event.rounds
    ]
    return event.replace(rounds=rounds)


def effect_of_correction(tournament: Tournament, correction: Correction) -> CorrectionEffect:
    """What the correction would change by the facts as they are now."""
    event = event_of(tournament, paired=False)
    names = names_in(event)
    corrected = corrected_event(event, correction)
    comparison = compare_rankings(event, corrected)
    swiss = {stage.number for stage in event.stages if stage.kind == "swiss"}
    rounds = [round_ for round_ in event.rounds if round_.stage in swiss and round_.status != "draft"]
    later = [round_.number for round_ in rounds if round_.number > correction.round]
    bracket = changed_qualifiers_of(corrected, names)
    shown = [
        correction.round,
        list(correction.before),
        list(correction.after),
        comparison.moves,
        [(swap.into, swap.out) for swap in comparison.swaps],
        bracket and [bracket.into, bracket.out],
        later,
    ]
    return CorrectionEffect(
        corrected,
        names,
        comparison,
        bracket,
        len(swiss) < len(event.stages),
        later,
        any(round_.number == correction.round and round_.status == "complete" for round_ in rounds),
        digest_of(shown),
    )
