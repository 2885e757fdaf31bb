"""The rows of the bracket desk: a match with what it waits for, and the forms beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from standings.bracket.results import due_of, time_left
from standings.engine.bracket.elimination import HIGHER_SEED, Due
from standings.engine.bracket.slots import FINAL
from standings.forms.bracket import TIEBREAK, BracketSlipForm, DecisionForm
from standings.words.bracket import repeat_game_terms
from standings.words.tree import Tree, TreeMatch
from tournament.errors import Refused
from tournament.forms.results import VersionForm
from tournament.models import Round, Tournament
from tournament.results.desk_rows import DeskPlayer, DeskRow
from tournament.results.desk_sheet import desk_sheet_of

DRAWN = ("repeat", "higher_seed", "insist", "tiebreak")  # kinds of `Due` after a draw


@dataclass
class BracketRow:
    """A match of the bracket at the desk. `rules`: the ruleset's `elimination`; `refusal`: of what was sent for it."""

    at: DeskRow
    match: TreeMatch
    due: Due
    rules: Mapping[str, Any]
    refusal: Refused | None = None

    @property
    def b(self) -> DeskPlayer:
        """The second player: a bye has no row."""
        assert self.at.b is not None
        return self.at.b

    @property
    def drawn(self) -> bool:
        """Whether the match was drawn and is still to be decided."""
        return self.due.kind in DRAWN

    @property
    def open(self) -> bool:
        """Whether something is still to be entered."""
        return self.at.out or self.drawn

    @property
    def note(self) -> str:
        """How the match was decided, where its games do not say."""
        return self.match.note if self.match.repeats or self.match.decided else ""

    @property
    def may_skip_game(self) -> bool:
        """Whether a drawn match can be decided without a repeat game; in the final only when time is short."""
        return self.due.kind != "repeat" or self.match.slot != FINAL

    @property
    def repeat_terms(self) -> str:
        """Who moves first in the repeat game, and how long it takes."""
        return repeat_game_terms(self.due, {"a": self.at.a.name, "b": self.b.name})

    # --- the first move of an open match ----------------------------------------------------------------

    @property
    def chooser(self) -> str:
        """The name of the better seed, where the ruleset lets that player choose who moves first."""
        if self.rules.get("first_choice") != "higher_seed" or self.rules.get("colours"):
            return ""
        seeds = {side.seed: side.name for side in self.match.sides if side.seed}
        return seeds[min(seeds)] if seeds else ""

    @property
    def asks_first(self) -> bool:
        """Whether someone moves first by rule or by choice."""
        return self.at.out and bool(self.rules.get("colours") or self.chooser)

    @property
    def assumes_first(self) -> bool:
        """Whether the first move follows our assumption, because the ruleset lists none for round 1."""
        by_rule = bool(self.rules.get("colours")) and not self.rules.get("round1_first")
        return by_rule and self.match.slot.startswith("W1.")

    # --- forms, each with a key of its own --------------------------------------------------------------

    @property
    def version_form(self) -> VersionForm:
        """For buttons that need nothing else."""
        return VersionForm(initial={"version": self.at.version})

    @cached_property
    def slip_form(self) -> BracketSlipForm:
        """The box for any other result."""
        label = _("Other result for %(a)s vs. %(b)s") % {"a": self.at.a.name, "b": self.b.name}
        return self._slip_form(label)

    @cached_property
    def repeat_form(self) -> BracketSlipForm:
        """The repeat game's result."""
        return self._slip_form(repeat=True)

    def _slip_form(self, label: str = "", **initial: Any) -> BracketSlipForm:
        initial["version"] = self.at.version
        auto_id = self._auto_id("slip")
        return BracketSlipForm(label=label, rules=self.at.rules, auto_id=auto_id, initial=initial)

    @cached_property
    def decision_form(self) -> DecisionForm:
        """The decision without a game."""
        labels = {"repeat": _("Reason to skip the repeat game"), "insist": _("Who insists, and why")}
        by_seed = self.due.kind in ("repeat", "higher_seed")
        initial = {"version": self.at.version, "how": HIGHER_SEED if by_seed else TIEBREAK}
        auto_id = self._auto_id("decision")
        return DecisionForm(label=labels.get(self.due.kind, ""), auto_id=auto_id, initial=initial)

    def _auto_id(self, form: str) -> str:
        return f"{form}-{self.at.round}-{self.at.table}-%s"


def bracket_rows_of(tournament: Tournament, tree: Tree | None, rules: Mapping[str, Any]) -> list[BracketRow]:
    """A row for each match of the tree that is open or played, in the order of rounds and tables."""
    matches = {(match.round, match.table): match for match in tree.matches} if tree else {}
    rounds = tournament.rounds.filter(swiss=False).exclude(state=Round.State.DRAFT)
    rows = []
    for round_ in rounds.select_related("stage").order_by("number"):
        time = time_left(round_)
        for at in desk_sheet_of(tournament, round_).rows:
            match = matches.get((at.round, at.table))
            if at.b is not None and match is not None:
                due = due_of(at.fact, match.slot, dict(rules), time)
                rows.append(BracketRow(at, match, due, rules))
    return rows


def refuse(rows: list[BracketRow], number: int, table: int, error: Refused) -> None:
    """Say in the row of a table what was refused."""
    for row in rows:
        if (row.at.round, row.at.table) == (number, table):
            row.refusal = error
