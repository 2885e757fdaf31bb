"""Where a bracket match is played, and who moves first in it."""

from collections.abc import Mapping
from itertools import chain, islice
from typing import Any

from standings.engine.bracket.elimination import first_mover_of
from standings.engine.bracket.slots import THIRD_PLACE
from standings.engine.bracket.types import Bracket, BracketMatch
from tournament.actionlog.match_facts import MatchFact
from tournament.event.table_numbers import table_numbers
from tournament.event.table_plan import plan_of
from tournament.models import Round, Tournament


def seated_match(
    match: BracketMatch, bracket: Bracket, rules: Mapping[str, Any], tournament: Tournament, round_: Round
) -> MatchFact:
    """The fact of a match that is ready. Tables are numbered by place in the round, from the top of the tree.

    `rules`: the ruleset's `elimination`.
    """
    a, b = (match.a, match.b) if match.a is not None else (match.b, None)
    assert a is not None
    if b is None:
        return MatchFact(a=a, slot=match.slot, result="bye")
    place = int(match.slot.split(".")[1]) + (1 if match.slot == THIRD_PLACE else 0)
    number = _table_number(tournament, round_, place, (a, b))
    return MatchFact(a=a, b=b, slot=match.slot, table=number, first=first_side_of(match, bracket, rules))


def _table_number(tournament: Tournament, round_: Round, place: int, players: tuple[str, str]) -> int:
    """The table at that place of a round; the next free one where the event's tables changed since.

    A player with a fixed table sits there, and no one else is sent to it. Where a rule chooses the feature matches,
    the first ones are.
    """
    taken = set(round_.matches.values_list("table", flat=True))
    fixed_entries = round_.stage.stage_entries.filter(entry__fixed_table__isnull=False)
    fixed = dict(fixed_entries.values_list("entry__code", "entry__fixed_table"))
    own = sorted(fixed[code] or 0 for code in players if code in fixed and fixed[code] not in taken)
    if own:
        return own[0]
    taken |= set(fixed.values())
    plan = plan_of(tournament)
    features = plan.features if tournament.feature_rule != tournament.Features.HAND else ()
    venue = chain(features, table_numbers(plan, tournament.skip_tables))
    numbers = islice(venue, place - 1, None)
    return next(number for number in numbers if number not in taken)


def first_side_of(match: BracketMatch, bracket: Bracket, rules: Mapping[str, Any]) -> str:
    """The side that moves first by the ruleset; "" where a player chooses, or no one moves first.

    In round 1 by the ruleset's list (`round1_first`, from the top), else the better seed: the figure with
    ClineCON's list is not in our copy of its rules. Later by who moved first before.
    """
    if not rules.get("colours"):
        return ""
    a, b = str(match.a), str(match.b)
    listed = rules.get("round1_first") or []
    place = int(match.slot.split(".")[1])
    if match.round == 1 and place <= len(listed):
        return listed[place - 1]
    had_a, had_b = (_sides_had(entry, match.round, bracket) for entry in (a, b))
    seeds, last = bracket.seeds, match.round == bracket.rounds
    return first_mover_of(had_a, had_b, seeds[a], seeds[b], last, rules["colours"])


def _sides_had(entry: str, before: int, bracket: Bracket) -> list[str]:
    """ "first" or "second" for each match of an entry in the rounds before."""
    sides = []
    for match in bracket.matches.values():
        if match.round < before and match.meeting and match.meeting.b:
            played = match.meeting.ref[1]
            if played.first and entry in (played.a, played.b):
                sides.append("first" if (played.first == "a") == (entry == played.a) else "second")
    return sides
