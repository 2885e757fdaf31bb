"""What changed before or since a draft was paired: results, the do-not-pair list, drops, late players."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import replace

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairings.draft.checks import MOST_NAMED, Check, CheckedDraft
from standings.engine.records import wins_losses_draws
from standings.event.records import records_of
from standings.event.rounds import carried_stages_of
from standings.words.formats import format_record, record_in_words
from tournament.history.describe import describe_actions

RECENT = dt.timedelta(minutes=30)
MOST_EDITS = 5
SLIP_FIELDS = ("result", "games", "winner")  # empty before a match slip is entered for the first time


def result_checks(draft: CheckedDraft) -> Iterator[Check]:
    """Whether every earlier result is in, and nothing that the draft was paired from has changed since."""
    if last := draft.last_round:
        yield Check("good", _("All results of round %(number)s are in.") % {"number": last})
    record, request = draft.round.pairing, draft.request
    if record.revision is None or draft.tournament.standings_revision <= record.revision + 1:
        return  # nothing that a pairing depends on has changed
    if request.digest == record.digest and not record.edits:
        return
    now = request.prohibited_pairs
    then = now if record.prohibited_pairs is None else record.prohibited_pairs
    if set(map(frozenset, then)) == set(map(frozenset, now)):
        text = _("Players or results changed since these pairings were made. Pair again.")
    elif replace(request, prohibited_pairs=then).digest == record.digest:
        text = _("The do-not-pair list changed since these pairings were made. Pair again.")
    else:
        text = _(
            "Players, results or the do-not-pair list changed since these pairings were made. Pair again."
        )
    yield Check("wait", text)


def drop_checks(draft: CheckedDraft) -> Iterator[Check]:
    """Players who dropped after the round before, each with the record: a good one may be a mistake."""
    event, last = draft.event, draft.last_round
    codes = [
        code
        for code, entry in event.entries.items()
        if entry.status in ("dropped", "disqualified") and entry.dropped_after == last
    ]
    records = records_of(event, carried_stages_of(event, draft.round.stage), last) if codes else {}
    codes = [code for code in codes if code in records]  # not those of another flight
    if not codes:
        return
    text = ngettext(
        "%(count)s dropped since the last round:", "%(count)s dropped since the last round:", len(codes)
    )
    yield Check("wait", text % {"count": len(codes)})
    by_losses = sorted((wins_losses_draws(records[code])[1], draft.names[code], code) for code in codes)
    for losses, name, code in by_losses[:MOST_NAMED]:
        wins = wins_losses_draws(records[code])[0]
        sure = _("Sure?") if losses <= 1 and wins > losses else ""
        words = {"name": name, "record": record_in_words(format_record(records[code])), "sure": sure}
        yield Check("wait", (_("%(name)s: %(record)s. %(sure)s") % words).strip(), player=code)


def late_entry_checks(draft: CheckedDraft) -> Iterator[Check]:
    """Players who joined after the round before."""
    event, last = draft.event, draft.last_round
    here = set(event.entries_of(event.stage(draft.round.stage)))
    late = [
        code
        for code, entry in event.entries.items()
        if last and code in here and last < (entry.joined_round or 0) <= draft.round.number
    ]
    if late:
        text = ngettext("%(count)s joined late: %(names)s.", "%(count)s joined late: %(names)s.", len(late))
        yield Check("wait", text % {"count": len(late), "names": draft.names_words(late)})


def late_edit_checks(draft: CheckedDraft) -> Iterator[Check]:
    """Results of the round before that were changed in the last half hour."""
    tables = f"rounds/{draft.last_round}/tables/"
    now = timezone.now()
    recent = draft.tournament.actions.filter(at__gte=now - RECENT).exclude(kind__in=("draft", "publish"))
    edits = [
        action
        for action in recent.order_by("-number")
        if any(
            item["fact"].startswith(tables) and any((item.get("before") or {}).get(n) for n in SLIP_FIELDS)
            for item in action.changes
        )
    ]
    for line in describe_actions(draft.tournament, edits[:MOST_EDITS]):
        minutes = int((now - line.at).total_seconds() // 60)
        ago = ngettext("%(count)s minute ago", "%(count)s minutes ago", minutes) % {"count": minutes}
        yield Check("wait", f"{line.sentence} ({ago})")
