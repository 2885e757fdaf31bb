"""What an action made of each match, as everyone may read it: who sat there and how it ended, before and since."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

from django.db.models import Q
from django.utils.translation import gettext as _

from tournament.actionlog.fold import Change
from tournament.actionlog.match_facts import Fact, MatchFact, match_facts
from tournament.event.table_plan import TablePlan
from tournament.models import Match, Tournament
from tournament.results.wording import bye_words, result_words

Facts = dict[str, Fact | None]  # matches by natural key; None: no such match
Names = Mapping[str, str]  # of players, by code


class ChangedMatch(NamedTuple):
    """A match that is not what it was. `key`: of its fact; `players`: who sat there before or since."""

    round: int
    key: str
    players: frozenset[str]
    words: str


def facts_now(tournament: Tournament, changes: Iterable[Change]) -> Facts:
    """The matches as they are now of which these changes hold single fields; one query, none without such."""
    partial = [c["fact"].split("/") for c in _of_matches(changes) if None not in (c["before"], c["after"])]
    if not partial:
        return {}
    matches = Match.objects.filter(
        Q(table__in={int(name) for *_round, kind, name in partial if kind == "tables"}) | Q(table=None),
        round__tournament=tournament,
        round__number__in={int(number) for _rounds, number, *_name in partial},
    )
    return {key: stored.fact.to_log() for key, stored in match_facts(matches).items()}


def changed_matches(
    facts: Facts, changes: Iterable[Change], names: Names, plan: TablePlan
) -> Iterator[ChangedMatch]:
    """The matches that read otherwise after these changes, by round and table.

    `facts`, matches as they were after the changes, become what they were before: so the newest action comes first.
    """
    changes = list(_of_matches(changes))
    after: Facts = {}
    for change in changes:
        after[change["fact"]] = _with(after.get(change["fact"], facts.get(change["fact"])), change["after"])
    before = dict(after)
    for change in reversed(changes):
        before[change["fact"]] = _with(before[change["fact"]], change["before"])
    facts |= before
    for number, keys in groupby(sorted(after, key=_place), key=lambda key: _place(key)[0]):
        in_round = list(keys)
        was, became = ({key: _match(key, side[key]) for key in in_round} for side in (before, after))
        for key in in_round:
            if words := _words(key, was, became, names, plan):
                both = [match for match in (was[key], became[key]) if match]
                players = frozenset(code for match in both for code in (match.a, match.b) if code)
                yield ChangedMatch(number, key, players, words)


def _of_matches(changes: Iterable[Change]) -> Iterator[Change]:
    """The changes of matches themselves, not of their rounds or time extensions."""
    return (c for c in changes if c["fact"].startswith("rounds/") and c["fact"].count("/") == 3)


def _with(fact: Fact | None, fields: Fact | None) -> Fact | None:
    return None if fields is None else {**(fact or {}), **fields}


def _place(key: str) -> tuple[int, bool, int, str]:
    """The order of matches by round and table; players without an opponent after the tables."""
    _rounds, number, kind, name = key.split("/")
    alone = kind == "entries"
    return int(number), alone, 0 if alone else int(name), name


def _match(key: str, fact: Fact | None) -> MatchFact | None:
    """The match of a fact; None for none, and for one that is gone today so that its players are not known."""
    return MatchFact.from_log(_place(key)[2] or None, fact) if fact and "a" in fact else None


Matches = Mapping[str, MatchFact | None]  # of one round, by key


def _words(key: str, was: Matches, became: Matches, names: Names, plan: TablePlan) -> str:
    """What a match is and was, such as "Table 4: Ruiz 2–1 Lind, was 1–2"; "" where both read the same."""
    old, new = was[key], became[key]
    _round, alone, table, code = _place(key)
    if alone:
        where = names.get(code, code)
        now, before = (_player_words(code, matches, plan) for matches in (became, was))
    else:
        where = _("Table %(table)s") % {"table": plan.name(table)}
        now, before = (_seats_words(match, names) for match in (new, old))
    if now == before:
        return ""
    if old and new and old.b and (old.a, old.b) == (new.a, new.b):
        before = result_words(old) or _("no result")
    return _("%(where)s: %(now)s, was %(before)s") % {"where": where, "now": now, "before": before}


def _seats_words(match: MatchFact | None, names: Names) -> str:
    """Who sits at a table, the result between them."""
    if match is None:
        return _("no one")
    a, b = (names.get(code, code) for code in (match.a, match.b or ""))
    return f"{a} {result_words(match) or '–'} {b}".strip()


def _player_words(code: str, matches: Matches, plan: TablePlan) -> str:
    """Where a player is who had or has no opponent."""
    match = next((match for match in matches.values() if match and code in (match.a, match.b)), None)
    if match is None:
        return _("not in this round")
    if match.table is None:
        return bye_words(match.result or "bye")
    return _("table %(table)s") % {"table": plan.name(match.table)}
