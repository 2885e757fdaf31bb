"""From a repair's pairing to tables: which matches go, which are new, and where they sit."""

from collections.abc import Collection
from itertools import chain

from django.utils.translation import gettext as _

from pairings.engine import Pairing
from pairings.engine.tables import spread_tables
from pairings.question.history import earlier_tables, event_before
from pairings.question.seats import fixed_tables, tables_elsewhere
from pairings.question.tables import last_tables
from tournament.actionlog.match_facts import MatchFact
from tournament.event.table_numbers import table_numbers
from tournament.event.table_plan import plan_of
from tournament.event.types import Event, Match, Round
from tournament.event.waivers import waiver


def new_and_leaving(event: Event, round_: Round, pairing: Pairing) -> tuple[list[MatchFact], list[Match]]:
    """(new matches, matches that go): pairs that stay keep their table and first move."""
    pairs = {frozenset(pair) for pair in pairing.pairs}
    leaving = [
        match
        for match in round_.matches
        if (match.b and frozenset((match.a, match.b)) not in pairs)
        or (match.result == "bye" and match.a != pairing.bye)
    ]
    there = {frozenset((match.a, match.b)) for match in round_.matches if match.b}
    earlier, reason = earlier_tables(event_before(event, round_.number)), _("no better pairing was possible")
    first = pairing.first or ("",) * len(pairing.pairs)
    new = [
        MatchFact(a, b, first=side, waived=waiver(a, b, earlier, reason))
        for (a, b), side in zip(pairing.pairs, first, strict=True)
        if frozenset((a, b)) not in there
    ]
    numbers = _table_numbers(event, round_, leaving, [(match.a, match.b) for match in new])
    new = [match._replace(table=table) for match, table in zip(new, numbers, strict=True)]
    bye = pairing.bye
    if bye is not None and not any(m.a == bye and m.result == "bye" for m in round_.matches):
        new.append(MatchFact(bye, result="bye", waived=waiver(bye, None, earlier, reason)))
    return new, leaving


def _table_numbers(event: Event, round_: Round, leaving: list[Match], pairs: list[tuple]) -> list[int]:
    """Tables for new pairs: a player's fixed one if it is free, else those that became free, else further ones.

    Where the event varies its tables, pairs change among these, but for feature tables, if a player sat there before.
    """
    seated = [(match.a, match.b) for match in round_.matches if match.b]
    fixed = fixed_tables(event, [*seated, *pairs])
    taken = {match.table for match in round_.matches} - {match.table for match in leaving}
    closed = taken | set(fixed.values()) | tables_elsewhere(event, event.stage(round_.stage))
    own_tables: dict[tuple, int] = {}
    for pair in pairs:
        own = sorted(fixed[code] for code in pair if code in fixed and fixed[code] not in taken)
        if own:
            own_tables[pair] = own[0]
            taken.add(own[0])
    plan = plan_of(event)
    free = sorted(match.table for match in leaving if match.table and match.table not in closed)
    free.sort(key=lambda table: table not in plan.features)  # the top pair of them plays the feature match
    venue = table_numbers(plan, {*event.skip_tables, *free, *filter(None, closed)})
    numbers = chain(free, venue)
    tables = [own_tables[pair] if pair in own_tables else next(numbers) for pair in pairs]
    return _vary(event, round_, pairs, tables, {*own_tables.values(), *plan.features})


def _vary(
    event: Event, round_: Round, pairs: list[tuple], tables: list[int], kept: Collection[int]
) -> list[int]:
    """The tables, those that are not `kept` so that the fewest players sit where they sat the round before."""
    free = [index for index, table in enumerate(tables) if table not in kept] if event.vary_tables else []
    last = last_tables(event, event.stage(round_.stage), round_.number)
    sat = [[last[code] for code in pairs[index] if code in last] for index in free]
    seated = spread_tables(free, [tables[index] for index in free], sat)
    for index, table in zip(free, seated, strict=True):
        tables[index] = table
    return tables
