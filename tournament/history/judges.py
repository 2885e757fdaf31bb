from collections.abc import Iterator

from django.utils.translation import gettext as _

from tournament.actionlog.match_facts import Fact
from tournament.history.context import Context
from tournament.models import Flag, Penalty
from tournament.text.decklists import counts_words


def describe_penalty(context: Context, before: Fact | None, after: Fact | None) -> Iterator[str]:
    """Describe a penalty, its undo, or the round in which it counts; a disqualification is described elsewhere."""
    fact = after or before or {}
    if "kind" not in fact:
        if fact.get("counts_in"):
            yield _("a loss by penalty counts in %(round)s") % {
                "round": context.rounds[fact["counts_in"]].phrase
            }
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
    if before is None or after is None:
        text = _("%(name)s: deck check started") if after else _("%(name)s: deck check removed")
        yield text % {"name": context.name((after or before or {})["entry"])}
        return
    if "ends_at" not in after:
        return
    ended = after["ends_at"] and context.clock(after["ends_at"], "%H:%M")
    text = _("deck check ended at %(time)s") if ended else _("deck check goes on")
    if code := context.checked.get(number):  # not of an undone one
        text = _("%(name)s: deck check ended at %(time)s") if ended else _("%(name)s: deck check goes on")
    yield text % {"name": context.name(code or ""), "time": ended}


def describe_decklist(context: Context, before: Fact | None, after: Fact | None) -> Iterator[str]:
    fact = after or before or {}
    if before is not None and after is not None:  # by a merge, which is described itself
        return
    values = {
        "name": context.name(fact["entry"]),
        "version": fact["version"],
        "cards": counts_words(fact["main"], fact["sideboard"]),
    }
    if after is None:
        text = _("%(name)s: decklist, version %(version)s, removed (%(cards)s)")
    elif fact["version"] > 1:
        text = _("%(name)s: decklist changed, version %(version)s (%(cards)s)")
        text = _("%(name)s: decklist changed late, version %(version)s (%(cards)s)") if fact["late"] else text
    else:
        text = _("%(name)s: decklist handed in (%(cards)s)")
        text = _("%(name)s: decklist handed in late (%(cards)s)") if fact["late"] else text
    yield text % values


def describe_flag(context: Context, number: str, before: Fact | None, after: Fact | None) -> Iterator[str]:
    if (after or before or {}).get("kind") == Flag.Kind.DROP:
        text = _("%(name)s asked to drop") if before is None else _("%(name)s no longer asks to drop")
        yield text % {"name": context.name((after or before or {})["entry"])}
        return
    if context.kind in ("drop", "disqualify", "penalty"):
        return  # this settles the request
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
        text = _("message, judge call or drop request %(number)s is open again")
    elif context.kind == "decline drop":
        text = _("drop request %(number)s declined")
    elif context.kind == "call done":
        text = _("judge call %(number)s marked done")
    else:
        text = _("message %(number)s marked done")
    judge = (after or {}).get("judge", "")
    name = context.name((after or before or {}).get("entry") or "")
    yield text % {"number": number, "name": name, "judge": judge}
