"""The effect of a correction before it is saved: its own service writes it and is rolled back."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from django.db import transaction
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairings.engine.compare import repair_options
from pairings.engine.types import NoPairing, PairingRequest
from pairings.request.entrants import is_paired
from pairings.request.pairing_request import rebuild_request
from standings.bracket.cut import ChangedQualifiers, find_changed_qualifiers
from standings.bracket.tree import place_label_by_code
from standings.preview.comparison import Comparison, compare_rankings
from standings.preview.rule_change import CutChange, cut_changes_in_words, rank_changes_in_words
from standings.table.places import build_event_bracket
from tournament.actionlog.change import hash_body
from tournament.actionlog.fold import Change, State, fold
from tournament.actionlog.match_facts import Fact, MatchFact
from tournament.event.display_names import names_in
from tournament.event.formats import format_number
from tournament.event.pairing_record import Lock
from tournament.event.read import Person, build_event, load_state
from tournament.event.rounds import match_title
from tournament.event.table_plan import round_table_plan
from tournament.event.types import Event, Round
from tournament.history.describe import describe_actions
from tournament.models import Action, Tournament
from tournament.text import join_some


def rounds_changed_by(changes: Iterable[Change]) -> set[int]:
    keys = (change["fact"].split("/") for change in changes)
    return {int(parts[1]) for parts in keys if parts[0] == "rounds" and len(parts) == 4}


def players_changed_by(changes: Sequence[Change], event: Event) -> set[str]:
    """Return the codes of players whose matches or entries change; `event` is the corrected event."""
    changed = {change["fact"] for change in changes}
    players = {key.split("/")[1] for key in changed if key.startswith("entries/")}
    for round_ in event.rounds:
        for match in round_.matches:
            if MatchFact(match.a, match.b, match.table).key_in(round_.number) in changed:
                players |= {code for code in (match.a, match.b) if code}
    for change in changes:
        before = change.get("before") or {}
        players |= {before[side] for side in "ab" if before.get(side) in event.entries}
    return players


def rounds_after(event: Event, changes: Sequence[Change], *, own: bool = False) -> list[Round]:
    """List the published Swiss rounds of these players that follow the first changed one. `own` includes that round."""
    first = min(rounds_changed_by(changes), default=None)
    if first is None:
        return []
    players = players_changed_by(changes, event)
    stages = {
        stage.number
        for stage in event.stages
        if stage.kind == "swiss" and not players.isdisjoint(event.entries_of(stage))
    }
    return [
        round_
        for round_ in event.rounds
        if round_.number >= first + (not own)
        and round_.stage in stages
        and round_.status in ("published", "complete")
    ]


def is_open(round_: Round) -> bool:
    return round_.status == "published" and any(match.result is None for match in round_.matches)


def paired_again(later: Sequence[Round]) -> list[Round]:
    """Return the rounds whose tables are compared: the first and the one in progress, if they were paired here."""
    return [
        round_
        for place, round_ in enumerate(later)
        if (place == 0 or round_.status == "published") and round_.pairing.digest
    ]


def find_other_tables(event: Event, corrected: Event, rounds: Iterable[Round]) -> dict[int, list[int]]:
    """Return {round: tables} that would be paired differently after the correction but not before it."""
    others = {}
    for round_ in rounds:
        if tables := _unlike_best(corrected, round_):
            others[round_.number] = sorted(tables - _unlike_best(event, round_))
    return {number: tables for number, tables in others.items() if tables}


def _unlike_best(event: Event, round_: Round) -> set[int]:
    request = rebuild_request(event, round_)
    published = tuple((m.a, m.b) for m in round_.matches if is_paired(m))
    pairs = _nearest_pairs(request, published)
    tables = {m.table for m in round_.matches if m.b and m.table and frozenset((m.a, m.b)) not in pairs}
    return tables if pairs else set()


# Cached, because the preview of the next correction often needs the same pairings.
@lru_cache(maxsize=8)
def _nearest_pairs(request: PairingRequest, published: tuple[Lock, ...]) -> frozenset[frozenset[str]]:
    """Return the pairs of the optimal round that keeps the most `published` ones; empty if no round is possible."""
    try:
        keep = repair_options(request, published)[1]
    except NoPairing:
        return frozenset()
    return frozenset(map(frozenset, keep.pairing.pairs)) if keep.pairing else frozenset()


class CorrectionEffect(NamedTuple):
    action: Action  # as it would be written
    before: Event  # the event as it is
    event: Event  # as it would be
    names: Mapping[str, str]
    comparison: Comparison  # of the standings after the complete rounds
    # How the bracket would differ if it were set now; None if it would not, or has not been set.
    bracket: ChangedQualifiers | None
    bracket_set: bool  # whether there is a bracket: its seeds stay
    # (player, before, after): final places that would change in the bracket, as printed ("1st", "3rd–4th", "still in").
    places: list[tuple[str, str, str]]
    cleared: list[Fact]  # bracket matches that would be removed
    reopened: bool  # whether a finished event would have matches to play again
    later: list[Round]  # published Swiss rounds after it in these players' stages: they stay as paired
    counts: bool  # whether a changed round already counts in the standings
    to_tell: dict[str, str]  # {code: table in the round being played, or ""} of the players concerned
    digest: str  # of everything shown


def effect_of_correction(
    tournament: Tournament, preview: Callable[[], Action | None], *, newcomer: str = ""
) -> CorrectionEffect | None:
    """Return the effect of the action that `preview` writes and rolls back; None if it writes nothing."""
    state, people, action = _read_and_preview(tournament, preview)
    if action is None:
        return None
    event = build_event(tournament, state, people)
    fold(state, action.changes)
    added = {key.split("/")[1] for key in state if key.startswith("entries/")} - set(people)
    corrected = build_event(tournament, state, people | {code: {"name": newcomer} for code in added})
    names = names_in(corrected) | names_in(event)  # two entries that become one are told apart as before
    comparison = compare_rankings(event, corrected)
    numbers = rounds_changed_by(action.changes)
    bracket = find_changed_qualifiers(corrected, names)
    to_tell = _to_tell(corrected, action.changes, comparison)
    cleared = list(_cleared(action.changes))
    was, now = place_label_by_code(event, names), place_label_by_code(corrected, names)
    places = [(code, was[code], place) for code, place in now.items() if was.get(code, place) != place]
    shown = [
        hash_body(action.changes),
        comparison.moves,
        [(swap.into, swap.out) for swap in comparison.swaps],
        bracket and [bracket.into, bracket.out],
        places,
    ]
    return CorrectionEffect(
        action=action,
        before=event,
        event=corrected,
        names=names,
        comparison=comparison,
        bracket=bracket,
        bracket_set=any(stage.kind != "swiss" for stage in event.stages),
        places=places,
        cleared=cleared,
        reopened=event.state == "finished" != corrected.state,
        later=rounds_after(corrected, action.changes),
        counts=any(round_.status == "complete" for round_ in event.rounds if round_.number in numbers),
        to_tell=to_tell,
        digest=hash_body(shown),
    )


def _read_and_preview(
    tournament: Tournament, preview: Callable[[], Action | None]
) -> tuple[State, dict[str, Person], Action | None]:
    """Read the event and preview at the same revision. If other writes keep interfering, lock the tournament's row."""
    state, people = load_state(tournament)
    revision = tournament.revision
    action = preview()
    if action is None or action.number == revision + 1:
        return state, people, action
    with transaction.atomic():
        Tournament.objects.select_for_update().only("pk").get(pk=tournament.pk)
        tournament.refresh_from_db()
        return *load_state(tournament), preview()


def _cleared(changes: Sequence[Change]) -> Iterator[Fact]:
    seated = {
        (after["slot"], after["a"], after["b"])
        for change in changes
        if (after := change.get("after") or {}).get("slot")
    }
    for change in changes:
        before = change.get("before") or {}
        if "personal" in change or change["after"] is not None or not (before.get("slot") and before["b"]):
            continue
        if (before["slot"], before["a"], before["b"]) not in seated:
            yield before


def _to_tell(event: Event, changes: Sequence[Change], comparison: Comparison) -> dict[str, str]:
    concerned = players_changed_by(changes, event)
    concerned |= {move.entry for swap in comparison.swaps for move in (swap.into, swap.out) if move}
    tables = {
        code: round_table_plan(event, round_).name(match.table)
        for round_ in event.rounds
        if round_.status == "published"
        for match in round_.matches
        if match.result is None
        for code in (match.a, match.b)
        if code
    }
    players = (event.entries[code] for code in sorted(concerned))
    return {one.id: tables.get(one.id, "") for one in players if not one.house and one.status != "merged"}


MOST_RANKS = 8  # before they fold away


class RankLine(NamedTuple):
    name: str
    before: str
    after: str
    points: str  # "9 → 6" if changed
    note: str  # into or out of the cut


class CorrectionWords:
    def __init__(self, tournament: Tournament, effect: CorrectionEffect) -> None:
        self.tournament, self.effect = tournament, effect

    @cached_property
    def sentence(self) -> str:
        return describe_actions(self.tournament, [self.effect.action], self.effect.names)[0].sentence

    @cached_property
    def ranks(self) -> list[RankLine]:
        comparison, size = self.effect.comparison, self.effect.comparison.size
        into, out = _("into the top %(size)s") % {"size": size}, _("out of the top %(size)s") % {"size": size}
        notes = {}
        if not self.effect.bracket_set:
            notes = {swap.into.entry: into for swap in comparison.swaps if swap.into}
            notes |= {swap.out.entry: out for swap in comparison.swaps if swap.out}
        return [
            RankLine(*words, self._points(move.entry), notes.get(move.entry, ""))
            for move, words in zip(
                comparison.moves, rank_changes_in_words(comparison, self.effect.names), strict=True
            )
        ]

    def _points(self, code: str) -> str:
        sides = (self.effect.comparison.before, self.effect.comparison.after)
        values = [ranking.row(code).values[0] for ranking in sides if code in ranking]
        return " → ".join(dict.fromkeys(map(format_number, values)))

    @property
    def first_ranks(self) -> list[RankLine]:
        """The `MOST_RANKS` rank changes to show: the corrected players first, then the best-ranked others."""
        concerned = {self.effect.names[code] for code in self.effect.to_tell}
        first = sorted(self.ranks, key=lambda line: line.name not in concerned)[:MOST_RANKS]
        return [line for line in self.ranks if line in first]

    @property
    def cut_changes(self) -> list[CutChange]:
        display = self.effect.event.profile.get("display") or {}
        return cut_changes_in_words(self.effect.comparison, self.effect.names, display)

    @property
    def later(self) -> list[str]:
        rounds = self.effect.later
        if not rounds:
            return []
        numbers = get_text_list([str(round_.number) for round_ in rounds], _("and"))
        stay = ngettext(
            "Round %(rounds)s stays as it was paired.",
            "Rounds %(rounds)s stay as they were paired.",
            len(rounds),
        )
        repair = _("After saving, you choose whether to repair round %(round)s, which is being played.")
        repairs = [repair % {"round": round_.number} for round_ in rounds if is_open(round_)]
        return [stay % {"rounds": numbers}, *repairs]

    @property
    def compares_tables(self) -> bool:
        return bool(paired_again(self.effect.later))

    @property
    def other_tables(self) -> list[str]:
        """Sentences on later tables that would be paired differently. Slow: it pairs those rounds."""
        effect = self.effect
        others = find_other_tables(effect.before, effect.event, paired_again(effect.later))
        return [_otherwise(number, tables, effect.event) for number, tables in others.items()] or [
            _("With the corrected results, every table of the later rounds would be paired the same.")
        ]

    @property
    def places(self) -> list[str]:
        text, names = _("%(name)s %(after)s (was %(before)s)"), self.effect.names
        places = self.effect.places
        return [text % {"name": names[code], "before": was, "after": now} for code, was, now in places]

    @property
    def cleared(self) -> list[str]:
        names, bracket = self.effect.names, build_event_bracket(self.effect.event)
        rounds = bracket.rounds if bracket else 0
        played = _(
            "%(match)s, %(a)s vs. %(b)s: this match is cleared, with its result. The winner of the corrected match "
            "plays instead."
        )
        unplayed = _(
            "%(match)s, %(a)s vs. %(b)s: this match is cleared. The winner of the corrected match plays instead."
        )
        return [
            (unplayed if match["result"] is None else played)
            % {"match": match_title(match["slot"], rounds), "a": names[match["a"]], "b": names[match["b"]]}
            for match in self.effect.cleared
        ]

    @property
    def to_tell(self) -> list[str]:
        at_table, names = _("%(name)s (table %(table)s)"), self.effect.names
        return [
            at_table % {"name": names[code], "table": table} if table else names[code]
            for code, table in self.effect.to_tell.items()
        ]


def _otherwise(number: int, differing: Sequence[int], event: Event) -> str:
    plan = round_table_plan(event, event.rounds[number - 1])
    tables = [plan.name(table) for table in differing]
    text = ngettext(
        "With the corrected results, %(count)s table of round %(round)s would be paired differently: %(tables)s.",
        "With the corrected results, %(count)s tables of round %(round)s would be paired differently: %(tables)s.",
        len(tables),
    )
    return text % {"count": len(tables), "round": number, "tables": join_some(tables, most=8)}
