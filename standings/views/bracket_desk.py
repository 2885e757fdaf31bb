"""The bracket for staff: the cut, results, repeat games, decisions, first moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from standings.bracket import results
from standings.bracket.cut import (
    LARGEST,
    compute_cut,
    drop_request_context,
    find_changed_qualifiers,
    make_cut,
    preview_cut,
    undo_cut,
)
from standings.bracket.tree import build_event_tree
from standings.engine.bracket.cut import HIGHER_SEED, TIEBREAK, Due
from standings.engine.bracket.tree import FINAL
from standings.forms.bracket import BracketFirstMoveForm, BracketSlipForm, CutForm, DecisionForm, SizeForm
from standings.table.places import read_cut_rule
from standings.table.sheet import load_staff_event
from standings.table.swiss import count_open_rounds
from standings.words.bracket import Tree, TreeMatch, page_title, repeat_game_terms
from tournament.access.permissions import DESK
from tournament.errors import Forbidden, NeedsConfirmation, Refused, WrongState
from tournament.event.profile import ruleset_in_force
from tournament.event.table_plan import table_name
from tournament.forms.results import VersionForm
from tournament.history.describe import describe_last_change
from tournament.models import Action, Match, Round, Staff, Tournament
from tournament.progress.next_step import load_progress_facts
from tournament.results.desk_rows import DeskRow
from tournament.results.desk_sheet import load_desk_sheet
from tournament.results.slip import Slip
from tournament.rulesets import draws_in_bracket, match_length, rounds_and_cut
from tournament.services.drops import decline_drop, drop_entry, entry_with_request
from tournament.services.results import match_rules
from tournament.services.rounds import is_being_played
from tournament.web.staff_pages import (
    StaffRequest,
    confirmation,
    first_error,
    read_action,
    report_success,
    service_fields,
    staff_view,
)

SIZES = (2, 4, 8, 16, 32)  # one click each; any other number can be typed


@staff_view("GET", "POST", roles=DESK)
def cut(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Preview the players who advance (GET), or make the cut (POST)."""
    if request.method != "POST":
        return _cut_page(request, tournament)
    form = CutForm(request.POST, usual=match_length(ruleset_in_force(tournament)["best_of_elim"]))

    def make(**action: Any) -> None:
        lengths = form.lengths(len(compute_cut(tournament, form.rule).qualifiers))
        make_cut(tournament, form.rule, lengths=lengths, **action)

    if form.submit(make, actor=request.user):
        return report_success(request, _("The bracket is set."), "desk-bracket", tournament.slug)
    return _cut_page(request, tournament, first_error(form), form.status)


def _cut_page(
    request: StaffRequest, tournament: Tournament, refused: str = "", status: int = 200
) -> HttpResponse:
    facts = load_progress_facts(tournament)
    event, names = load_staff_event(tournament)
    rule = read_cut_rule(event, min(facts.cut or 8, LARGEST))
    form = SizeForm(request.GET if "size" in request.GET else None, initial=SizeForm.rule_as_initial(rule))
    if form.is_valid():
        rule = form.rule
    initial = SizeForm.rule_as_initial(rule)
    besides = {name: value for name, value in initial.items() if value and name != "size"}
    context = {
        "tournament": tournament,
        "form": form,
        "size": rule.size,
        "sizes": SIZES,
        "besides": f"&{urlencode(besides)}",
        "suggested": rounds_and_cut(event.profile, facts.players)[1],
        "cut": CutForm(initial=initial, ask_end=draws_in_bracket(event.profile)),
        "preview": preview_cut(count_open_rounds(event), names, rule),
        "begun": bool(facts.swiss),
        "bracket_set": bool(facts.seeds),
        "planned_left": max(facts.rounds - len(facts.swiss), 0),
        "refused": refused,
    }
    return render(request, "standings/cut/cut.html", context, status=status)


@staff_view("POST", roles=DESK)
def undo_the_cut(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    undo_cut(tournament, **read_action(request))
    message = _("The cut is undone. Cut again when you are ready.")
    return report_success(request, message, "desk-cut", tournament.slug)


DRAWN = ("repeat", "higher_seed", "insist", "tiebreak")  # kinds of `Due` after a draw


@dataclass
class BracketRow:
    at: DeskRow
    match: TreeMatch
    due: Due
    rules: Mapping[str, Any]  # the ruleset's `elimination`
    refusal: Refused | None = None  # of what was sent for it

    @property
    def names(self) -> dict[str, str]:
        assert self.at.b is not None
        return {"a": self.at.a.name, "b": self.at.b.name}

    @property
    def drawn(self) -> bool:
        return self.due.kind in DRAWN

    @property
    def open(self) -> bool:
        return self.at.out or self.drawn

    @property
    def note(self) -> str:
        return self.match.note if self.match.repeats or self.match.decided else ""

    @property
    def may_skip_game(self) -> bool:
        """Whether a drawn match can be decided without a repeat game; in the final only if time is short."""
        return self.due.kind != "repeat" or self.match.slot != FINAL

    @property
    def repeat_terms(self) -> str:
        return repeat_game_terms(self.due, self.names)

    # --- the first move of an open match ----------------------------------------------------------------

    @property
    def chooser(self) -> str:
        if self.rules.get("first_choice") != "higher_seed" or self.rules.get("colours"):
            return ""
        seeds = {side.seed: side.name for side in self.match.sides if side.seed}
        return seeds[min(seeds)] if seeds else ""

    @property
    def asks_first(self) -> bool:
        return self.at.out and bool(self.rules.get("colours") or self.chooser)

    @property
    def assumes_first(self) -> bool:
        """Whether the first move follows our assumption, because the ruleset has no list for round 1."""
        by_rule = bool(self.rules.get("colours")) and not self.rules.get("round1_first")
        return by_rule and self.match.slot.startswith("W1.")

    # --- forms, each with its own key -------------------------------------------------------------------

    @property
    def version_form(self) -> VersionForm:
        return VersionForm(initial={"version": self.at.version})

    @cached_property
    def slip_form(self) -> BracketSlipForm:
        return self._slip_form(_("Other result for %(a)s vs. %(b)s") % self.names)

    @cached_property
    def repeat_form(self) -> BracketSlipForm:
        return self._slip_form(repeat=True)

    def _slip_form(self, label: str = "", **initial: Any) -> BracketSlipForm:
        initial["version"] = self.at.version
        auto_id = self._auto_id("slip")
        return BracketSlipForm(label=label, rules=self.at.rules, auto_id=auto_id, initial=initial)

    @cached_property
    def decision_form(self) -> DecisionForm:
        labels = {"repeat": _("Reason to skip the repeat game"), "insist": _("Who insists, and why")}
        by_seed = self.due.kind in ("repeat", "higher_seed")
        initial = {"version": self.at.version, "how": HIGHER_SEED if by_seed else TIEBREAK}
        auto_id = self._auto_id("decision")
        return DecisionForm(label=labels.get(self.due.kind, ""), auto_id=auto_id, initial=initial)

    def _auto_id(self, form: str) -> str:
        return f"{form}-{self.at.round}-{self.at.table}-%s"


def list_bracket_rows(
    tournament: Tournament, tree: Tree | None, rules: Mapping[str, Any]
) -> list[BracketRow]:
    """Return a row for each open or played match of the tree, in order of rounds and tables."""
    matches = {(match.round, match.table): match for match in tree.matches} if tree else {}
    rounds = tournament.rounds.filter(swiss=False).exclude(state=Round.State.DRAFT)
    rows = []
    for round_ in rounds.select_related("stage").order_by("number"):
        time = results.time_left(round_)
        for at in load_desk_sheet(tournament, round_.number).rows:
            match = matches.get((at.round, at.table))
            if at.b is not None and match is not None:
                rows.append(BracketRow(at, match, results.find_due(at.fact, match.slot, rules, time), rules))
    return rows


PAGE, PART = "standings/bracket_desk/desk.html", "standings/bracket_desk/_desk.html"


@staff_view("GET")
def bracket(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    return render(request, PAGE, _bracket_context(tournament))


@staff_view("GET")
def drop_requests(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Poll the players' requests to leave the bracket; 204 if their version is still `?v=`."""
    context = drop_request_context(tournament)
    if request.GET.get("v") == context["mark"]:
        return HttpResponse(status=204)
    return render(request, "standings/bracket_desk/_drop_requests.html", context)


@staff_view("POST")
def settle_drop_request(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    entry = entry_with_request(tournament, number)
    sent, name = read_action(request), {"name": entry.name}
    if "decline" in request.POST:
        decline_drop(tournament, number, **sent)
        return report_success(request, _("%(name)s stays in.") % name, "desk-bracket", tournament.slug)
    drop_entry(tournament, entry.code, **sent, **confirmation(request))
    return report_success(request, _("%(name)s dropped.") % name, "desk-bracket", tournament.slug)


@staff_view("POST", roles=DESK)
def result(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    match = results.bracket_match_at(tournament, number, table)

    def record(*place: Any, slip: Slip | None, repeat: bool, **more: Any) -> Action | None:
        if slip is None:
            raise Refused(_("A bracket result cannot be cleared. Correct or undo it instead."))
        if repeat:
            return results.record_repeat_game(*place, slip, time=results.time_left(match.round), **more)
        return results.record_bracket_result(*place, slip, **more)

    form = BracketSlipForm(request.POST, rules=match_rules(match, ruleset_in_force(tournament)))
    return _save(request, tournament, match, form, record)


@staff_view("POST", roles=DESK)
def decision(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    """Decide a drawn match without a game; between tied finalists only an organizer can."""
    match = results.bracket_match_at(tournament, number, table)

    def decide(*place: Any, winner: str, **more: Any) -> Action | None:
        if winner and tournament.role != Staff.Role.OWNER:
            raise Forbidden(_("Only an organizer can decide between tied players."))
        return results.decide_match(*place, winner=winner, time=results.time_left(match.round), **more)

    return _save(request, tournament, match, DecisionForm(request.POST), decide)


@staff_view("POST", roles=DESK)
def first(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    match = results.bracket_match_at(tournament, number, table)
    return _save(request, tournament, match, BracketFirstMoveForm(request.POST), results.choose_first_move)


def _save(
    request: StaffRequest,
    tournament: Tournament,
    match: Match,
    form: VersionForm,
    service: Callable[..., Any],
) -> HttpResponse:
    """Save a match's form. A refusal is shown in its row; later matches it would clear, on the correction page."""
    number, table = match.round.number, match.table
    try:
        if not form.is_valid():
            raise Refused(first_error(form), status=422)
        sent = {**service_fields(request, form), **confirmation(request)}
        action = service(tournament, number, table, **sent)
    except Refused as error:
        if isinstance(error, NeedsConfirmation):
            if match.result is None:
                raise
            words = _(
                "This changes who plays in later matches. Correct the result: the page shows what that clears."
            )
            error = WrongState(words)
        context = _bracket_context(tournament)
        for row in context["rows"]:
            if (row.at.round, row.at.table) == (number, table):
                row.refusal = error
        return render(request, PART if request.htmx else PAGE, context, status=error.status)
    if request.htmx:
        return render(request, PART, {**_bracket_context(tournament), "done": action})
    message = _("Saved: bracket table %(table)s.") % {"table": table_name(tournament, table, match.round)}
    return report_success(request, message, "desk-bracket", tournament.slug)


def _bracket_context(tournament: Tournament) -> dict[str, Any]:
    tournament.refresh_from_db()
    event, names = load_staff_event(tournament)
    tree = build_event_tree(event, names)
    rows = list_bracket_rows(tournament, tree, ruleset_in_force(tournament)["elimination"])
    is_open = any(row.open for row in rows)
    return {
        "tournament": tournament,
        "tree": tree,
        "title": page_title(tree, tournament.name),
        "rows": rows,
        "open": [row for row in rows if row.open],
        "entered": [row for row in reversed(rows) if not row.open],
        "can_enter": tournament.state == Tournament.State.RUNNING and tournament.role in DESK,
        "can_correct": tournament.role in DESK,
        "owner": tournament.role == Staff.Role.OWNER,
        "would_be": find_changed_qualifiers(event, names),
        "last": describe_last_change(tournament, names) if tournament.role in DESK else None,
        "unplayed": not any(is_being_played(round_) for round_ in tournament.rounds.filter(swiss=False)),
        "over": tree is not None and tree.over and not is_open,
    }
