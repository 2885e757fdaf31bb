from functools import cached_property
from typing import NamedTuple

from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairings.corrections.effect import CorrectionEffect, OtherTables, is_open, other_tables_of, paired_again
from standings.event.bracket import bracket_of_event
from standings.rulesets.comparison_words import CutChange, cut_changes_in_words, rank_changes_in_words
from standings.words.formats import format_number
from tournament.event.table_plan import plan_of
from tournament.event.types import Event
from tournament.history.describe import describe_actions
from tournament.models import Tournament
from tournament.text.round_names import match_title

MOST_RANKS = 8  # before they fold away


class RankLine(NamedTuple):
    """A player whose rank or points change."""

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
        """The rank changes of the corrected players, and the best of the others."""
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
        return [
            stay % {"rounds": numbers},
            *(repair % {"round": round_.number} for round_ in rounds if is_open(round_)),
        ]

    @property
    def compares_tables(self) -> bool:
        return bool(paired_again(self.effect.later))

    @property
    def other_tables(self) -> list[str]:
        """Tables of later rounds that would be paired differently. Takes as long as pairing those rounds."""
        effect = self.effect
        others = other_tables_of(effect.before, effect.event, paired_again(effect.later))
        return [_otherwise(each, effect.event) for each in others] or [
            _("By the corrected results, no table of a later round would be paired differently.")
        ]

    @property
    def places(self) -> list[str]:
        text, names = _("%(name)s %(after)s (was %(before)s)"), self.effect.names
        return [text % {**change._asdict(), "name": names[change.entry]} for change in self.effect.places]

    @property
    def cleared(self) -> list[str]:
        names, bracket = self.effect.names, bracket_of_event(self.effect.event)
        rounds = bracket.rounds if bracket else 0
        played = _(
            "%(match)s, %(a)s vs. %(b)s: this match is cleared, with its result. The winner of the corrected match "
            "plays instead."
        )
        unplayed = _(
            "%(match)s, %(a)s vs. %(b)s: this match is cleared. The winner of the corrected match plays instead."
        )
        return [
            (played if match.played else unplayed)
            % {"match": match_title(match.slot, rounds), "a": names[match.a], "b": names[match.b]}
            for match in self.effect.cleared
        ]

    @property
    def to_tell(self) -> list[str]:
        at_table, names = _("%(name)s (table %(table)s)"), self.effect.names
        return [
            at_table % {"name": names[code], "table": table} if table else names[code]
            for code, table in self.effect.to_tell.items()
        ]


def _otherwise(round_: OtherTables, event: Event) -> str:
    plan = plan_of(event, event.rounds[round_.number - 1])
    tables = [plan.name(table) for table in round_.tables]
    text = ngettext(
        "By the corrected results, %(count)s table of round %(round)s would be paired differently: table %(tables)s.",
        "By the corrected results, %(count)s tables of round %(round)s would be paired differently: tables %(tables)s.",
        len(tables),
    )
    values = {"count": len(tables), "round": round_.number}
    return text % {**values, "tables": ", ".join(tables[:8]) + (" …" if len(tables) > 8 else "")}
