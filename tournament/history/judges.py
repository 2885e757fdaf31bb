"""What judges decide and what players tell staff, in words: penalties, deck checks, messages and calls."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from tournament.actionlog.match_facts import Fact
from tournament.history.context import Context
from tournament.models import Flag, Penalty


def describe_penalty(context: Context, before: Fact | None, after: Fact | None) -> Iterator[str]:
    """A penalty that was given or taken back, or the round in which it counts; a disqualification says itself."""
    fact = after or before or {}
    if "kind" not in fact:
        if fact.get("counts_in"):
            yield _("a loss by penalty counts in round %(round)s") % {"round": fact["counts_in"]}
        return
    if fact["kind"] == Penalty.Kind.DISQUALIFICATION:
        return
    kinds = dict(Penalty.Kind.choices)
    values = {
        "name": context.name(fact["entry"]),
        "kind": kinds[Penalty.Kind(fact["kind"])],
        "infraction": fact["reason"],
    }
    text = _("%(name)s: %(kind)s (%(infraction)s)") if after else _("%(name)s: %(kind)s removed")
    yield text % values


def describe_deck_check(
    context: Context, number: str, before: Fact | None, after: Fact | None
) -> Iterator[str]:
    """A deck check that began, ended or was taken back."""
    if before is None or after is None:
        text = _("%(name)s: deck check started") if after else _("%(name)s: deck check removed")
        yield text % {"name": context.name((after or before or {})["entry"])}
        return
    if "ends_at" not in after:
        return
    ended = after["ends_at"] and context.clock(after["ends_at"], "%H:%M")
    text = _("deck check ended at %(time)s") if ended else _("deck check goes on")
    if code := context.checked.get(number):  # not of one that was taken back
        text = _("%(name)s: deck check ended at %(time)s") if ended else _("%(name)s: deck check goes on")
    yield text % {"name": context.name(code or ""), "time": ended}


def describe_flag(context: Context, number: str, before: Fact | None, after: Fact | None) -> Iterator[str]:
    """A player's message to staff or call for a judge: sent, answered, settled or deleted.

    What changed does not say which of the two it is; the kind of the action does, but not of an undo.
    """
    called = (after or before or {}).get("kind") == Flag.Kind.CALL
    if before is None:
        text = (
            _("%(name)s called a judge")
            if called
            else _("%(name)s reported a problem to staff (message %(number)s)")
        )
    elif after is None:
        text = _("judge call %(number)s deleted") if called else _("message %(number)s deleted")
    elif after.get("judge"):
        text = _("%(judge)s on the way to judge call %(number)s")
    elif "judge" in after:
        text = _("judge call %(number)s waits for a judge")
    elif not after.get("done"):
        text = _("message or judge call %(number)s is open again")
    elif context.kind == "call done":
        text = _("judge call %(number)s marked done")
    else:
        text = _("message %(number)s marked done")
    judge = (after or {}).get("judge", "")
    name = context.name((after or before or {}).get("entry") or "")
    yield text % {"number": number, "name": name, "judge": judge}
