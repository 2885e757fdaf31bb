"""The list of what a scorekeeper checks before a round is published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairings.draft.change_checks import drop_checks, late_edit_checks, late_entry_checks, result_checks
from pairings.draft.checks import Check, CheckedDraft, first_tables_words
from pairings.engine import cost_of
from pairings.question.field import playing_entries
from pairings.question.request import PairingRequest
from tournament.event.types import Event, Round
from tournament.models import Tournament


def checks_of(
    tournament: Tournament, event: Event, round_: Round, request: PairingRequest, names: Mapping[str, str]
) -> list[Check]:
    """The whole list, in the order in which it is read; `request`: the one the draft answers."""
    draft = CheckedDraft(tournament, event, round_, request, names)
    lists = (
        _seat_checks,
        result_checks,
        _exception_checks,
        _label_checks,
        _fixed_table_checks,
        _bye_checks,
        drop_checks,
        late_entry_checks,
        late_edit_checks,
    )
    return [check for checks in lists for check in checks(draft)]


def _seat_checks(draft: CheckedDraft) -> Iterator[Check]:
    """Every player is seated exactly once, and no one else is."""
    event, round_ = draft.event, draft.round
    playing = {entry.id for entry in playing_entries(event, event.stage(round_.stage), round_.number)}
    seats = Counter(code for match in round_.matches for code in (match.a, match.b) if code)
    houses = [code for code in seats if event.entries[code].house]
    problems = (
        (_("Seated twice: %(names)s. Pair again."), [code for code, times in seats.items() if times > 1]),
        (_("Not seated: %(names)s. Pair again."), sorted(playing - set(seats))),
        (
            _("No longer playing: %(names)s. Pair again."),
            [code for code in seats if code not in playing and code not in houses],
        ),
    )
    for text, codes in problems:
        if codes:
            yield Check("bad", text % {"names": draft.names_words(codes)})
    if not any(codes for _text, codes in problems):
        players = ngettext(
            "%(count)s player is seated, once.", "All %(count)s players are seated, each once.", len(playing)
        )
        yield Check("good", players % {"count": len(playing)})
    if houses:
        yield Check("good", _("House opponent: %(name)s.") % {"name": draft.names_words(houses)})


def _exception_checks(draft: CheckedDraft) -> Iterator[Check]:
    """Prohibited pairs, rematches and locked tables."""
    matches, names = draft.round.matches, draft.names
    prohibited = {frozenset(pair) for pair in draft.event.forbidden}
    for match in matches:
        if match.b and frozenset((match.a, match.b)) in prohibited:
            words = {"a": names[match.a], "b": names[match.b], "table": match.table}
            text = _("Table %(table)s: %(a)s and %(b)s are on the do-not-pair list. Pair again.")
            yield Check("bad", text % words)
    rematches = [match.table for match in matches if match.waived and match.waived["rule"] == "repeat"]
    if rematches:
        text = ngettext("%(count)s rematch: %(tables)s.", "%(count)s rematches: %(tables)s.", len(rematches))
        yield Check("wait", text % {"count": len(rematches), "tables": first_tables_words(rematches)})
    else:
        yield Check("good", _("No rematches."))
    if locks := {frozenset(lock) for lock in draft.round.pairing.locks}:
        tables = [match.table for match in matches if frozenset((match.a, match.b)) in locks]
        yield Check("wait", _("Locked: %(tables)s.") % {"tables": first_tables_words(tables)})


def _label_checks(draft: CheckedDraft) -> Iterator[Check]:
    """Pairs who share a label, while the ruleset keeps such players apart."""
    if tables := [match.table for match in draft.request.same_label_matches(draft.round)]:
        text = ngettext(
            "%(count)s pair shares a label: %(tables)s.",
            "%(count)s pairs share a label: %(tables)s.",
            len(tables),
        )
        yield Check("wait", text % {"count": len(tables), "tables": first_tables_words(tables)})


def _fixed_table_checks(draft: CheckedDraft) -> Iterator[Check]:
    """Whether players with a fixed table sit there, or at that of an opponent who has one too."""
    fixed = {code: entry.fixed_table for code, entry in draft.event.entries.items() if entry.fixed_table}
    seats, broken = 0, False
    for match in draft.round.matches:
        own = {code: fixed[code] for code in (match.a, match.b or "") if code in fixed and match.table}
        seats += len(own)
        if own and match.table not in own.values():
            code, table = next(iter(own.items()))
            words = {"name": draft.names[code], "fixed": table, "table": match.table}
            text = _("%(name)s has fixed table %(fixed)s but is seated at table %(table)s.")
            yield Check("wait", text % words)
            broken = True
    if seats and not broken:
        text = ngettext("%(count)s fixed table is kept.", "%(count)s fixed tables are kept.", seats)
        yield Check("good", text % {"count": seats})


def _bye_checks(draft: CheckedDraft) -> Iterator[Check]:
    """Whether the bye, or the house opponent instead of it, is where it should be."""
    request = draft.request
    byes = [match.a for match in draft.round.matches if match.result == "bye"]
    if not byes and not any(entrant.house for entrant in request.entrants):
        return
    cost = cost_of(request.entrants, request.seating_of(draft.round), request.policy)
    if not byes:
        if cost["second_bye"]:
            yield Check(
                "wait", _("The player who meets the house opponent already had a house opponent or a bye.")
            )
        elif cost["bye_group"]:
            yield Check("wait", _("The house opponent plays someone above the lowest score group."))
        return
    words = {"name": draft.names[byes[0]]}
    if cost["second_bye"]:
        yield Check("wait", _("Repeat bye: %(name)s already had one.") % words)
    elif cost["bye_group"]:
        yield Check("wait", _("The bye of %(name)s is above the lowest score group.") % words)
    else:
        yield Check("good", _("Bye: %(name)s, in the lowest score group.") % words)
