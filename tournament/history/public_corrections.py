"""Public corrections and repairs: before, after and when, never why or by whom. Also links to the correcting pages."""

import datetime as dt
import zoneinfo
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext as _

from tournament.actionlog.fold import Change
from tournament.actionlog.match_facts import Fact, MatchFact, match_facts
from tournament.event.table_plan import NO_PLAN, TablePlan, round_table_plan
from tournament.models import Action, Match, Round, Tournament
from tournament.results.wording import bye_words, result_words, words_between
from tournament.services.corrections import CORRECTION
from tournament.services.undo import undone_numbers

Facts = dict[str, Fact | None]  # matches by natural key; None: no such match
Names = Mapping[str, str]  # of players, by code


class ChangedMatch(NamedTuple):
    round: int
    key: str
    players: frozenset[str]
    words: str


def facts_now(tournament: Tournament, changes: Iterable[Change]) -> Facts:
    """Return the current matches of changes that have only single fields. One query, or none."""
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
    facts: Facts, changes: Iterable[Change], names: Names, plans: Mapping[int, TablePlan]
) -> Iterator[ChangedMatch]:
    """Yield the public changes by round and table. The newest action comes first: `facts` are those after it."""
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
            if words := _words(key, was, became, names, plans.get(number, NO_PLAN)):
                both = [match for match in (was[key], became[key]) if match]
                players = frozenset(code for match in both for code in (match.a, match.b) if code)
                yield ChangedMatch(number, key, players, words)


def _of_matches(changes: Iterable[Change]) -> Iterator[Change]:
    return (c for c in changes if c["fact"].startswith("rounds/") and c["fact"].count("/") == 3)


def _with(fact: Fact | None, fields: Fact | None) -> Fact | None:
    return None if fields is None else {**(fact or {}), **fields}


def _place(key: str) -> tuple[int, bool, int, str]:
    _rounds, number, kind, name = key.split("/")
    alone = kind == "entries"
    return int(number), alone, 0 if alone else int(name), name


def _match(key: str, fact: Fact | None) -> MatchFact | None:
    """Return the match of a fact; None if there is none, or if its players are unknown because it was removed."""
    return MatchFact.from_log(_place(key)[2] or None, fact) if fact and "a" in fact else None


Matches = Mapping[str, MatchFact | None]  # of one round, by key


def _words(key: str, was: Matches, became: Matches, names: Names, plan: TablePlan) -> str:
    """Return a match now and before, such as "Table 4: Ruiz 2–1 Lind, was 1–2"; "" if both look the same."""
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
    if match is None:
        return _("no one")
    a, b = (names.get(code, code) for code in (match.a, match.b or ""))
    return f"{a} {words_between(match) or '–'} {b}".strip()


def _player_words(code: str, matches: Matches, plan: TablePlan) -> str:
    match = next((match for match in matches.values() if match and code in (match.a, match.b)), None)
    if match is None:
        return _("not in this round")
    if match.table is None:
        return bye_words(match.result or "bye")
    return _("table %(table)s") % {"table": plan.name(match.table)}


REPAIR = "re-pair"


class PublicCorrection(NamedTuple):
    """A correction or, with `repair`, other tables for a published round. `number`: the number of its action."""

    number: int
    at: dt.datetime  # in the event's time zone
    repair: bool
    matches: list[ChangedMatch]  # changed ones, by round and table
    entries: frozenset[str]  # codes of players changed outside their matches


def list_public_corrections(tournament: Tournament, names: Mapping[str, str]) -> list[PublicCorrection]:
    """Return the corrections and repairs that were not undone, oldest first. At most four queries."""
    # Without order, because SQLite would read all.
    rows = tournament.actions.filter(kind__in=(CORRECTION, REPAIR)).order_by()
    actions = sorted(rows.values_list("number", "at", "kind", "changes"), key=itemgetter(0), reverse=True)
    undone = undone_numbers(tournament, actions[-1][0]) if actions else set()
    actions = [action for action in actions if action[0] not in undone]
    facts = facts_now(tournament, (change for *_action, changes in actions for change in changes))
    zone = zoneinfo.ZoneInfo(tournament.time_zone)
    rounds = tournament.rounds.only("tournament", "number", "table_plan") if actions else ()
    plans = {round_.number: round_table_plan(tournament, round_) for round_ in rounds}
    corrections = []
    for number, at, kind, changes in actions:
        matches = list(changed_matches(facts, changes, names, plans))
        codes = frozenset(c["fact"].split("/")[1] for c in changes if c["fact"].startswith("entries/"))
        corrections.append(PublicCorrection(number, at.astimezone(zone), kind == REPAIR, matches, codes))
    return corrections[::-1]


def corrections_in(
    corrections: Iterable[PublicCorrection], number: int, *, results: bool = True
) -> list[PublicCorrection]:
    """Return the corrections of one round. Without `results` only repairs, because results are not public yet."""
    shown = [each for each in corrections if each.repair or results]
    of_round = [each._replace(matches=[m for m in each.matches if m.round == number]) for each in shown]
    return [each for each in of_round if each.matches]


def corrected_keys(corrections: Iterable[PublicCorrection]) -> dict[str, int]:
    """Return {fact key of a match: number of its last correction}, without repairs."""
    return {match.key: each.number for each in corrections if not each.repair for match in each.matches}


class CorrectedDay(NamedTuple):
    date: dt.date
    matches: int
    rounds: list[int]


def list_corrected_days(tournament: Tournament) -> list[CorrectedDay]:
    if tournament.state != Tournament.State.FINISHED:
        return []
    days: dict[dt.date, dict[str, int]] = {}
    for each in list_public_corrections(tournament, {}):
        for match in () if each.repair else each.matches:
            days.setdefault(each.at.date(), {})[match.key] = match.round
    return [CorrectedDay(date, len(rounds), sorted({*rounds.values()})) for date, rounds in days.items()]


PLAYED = {"status", "joined_round", "dropped_after", "late"}  # fields of an entry


def correction_addresses(tournament: Tournament, actions: Iterable[Action]) -> dict[int, str]:
    """Return {action number: URL of the page that corrects its changes}, in three queries."""
    actions = list(actions)
    if not actions:
        return {}
    rounds = tournament.rounds.values_list("number", "swiss", "state")
    states = {number: (swiss, state) for number, swiss, state in rounds}
    matches = Match.objects.filter(round__tournament=tournament)
    tables = {(number, table or 0) for number, table in matches.values_list("round__number", "table")}
    codes = set(tournament.entries.values_list("code", flat=True))
    found = {action.number: _find_address(tournament, action, states, tables, codes) for action in actions}
    return {number: address for number, address in found.items() if address}


def _find_address(
    tournament: Tournament,
    action: Action,
    states: Mapping[int, tuple[bool, str]],
    tables: set[tuple[int, int]],
    codes: set[str],
) -> str:
    """Return the page of the only match, else of the last round, else of the only player that an action changed."""
    slug, matches, rounds, players, played = tournament.slug, set(), set(), set(), set()
    for change in action.changes:
        kind, *parts = change["fact"].split("/")
        if kind == "entries" or (kind == "rounds" and parts[1:2] == ["entries"]):
            players.add(parts[-1])
            if kind == "rounds" or not PLAYED.isdisjoint(change.get("after") or ()):
                played.add(parts[-1])
        elif kind == "rounds" and len(parts) == 3 and None not in (change["before"], change["after"]):
            matches.add((int(parts[0]), int(parts[2])))
        elif kind == "rounds" and len(parts) < 4:  # not the extension of a table
            rounds.add(int(parts[0]))
    if len(matches := matches & tables) == 1:
        return reverse("correct", args=[slug, *matches.pop()])
    if matches:
        return reverse("desk-round", args=[slug, max(matches)[0]])
    if rounds := rounds & states.keys():
        in_progress = states[max(rounds)] == (True, Round.State.PUBLISHED)
        return reverse("repair" if in_progress else "desk-round", args=[slug, max(rounds)])
    if len(players := players & codes) == 1:
        page = "correct-player" if states and players <= played else "entry"
        return reverse(page, args=[slug, *players])
    return reverse("entries", args=[slug]) if players else ""
