"""Changes of the event, its staff, judging and snapshots in words."""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.actionlog.facts import TOURNAMENT
from tournament.actionlog.match_facts import Fact
from tournament.event.rounds import round_names
from tournament.history.context import Context
from tournament.models import Flag, Penalty, Staff, Tournament
from tournament.rulesets import changed_fields
from tournament.rulesets.rule_fields import rule_label
from tournament.services.decklists import counts_words
from tournament.web.disk import is_disk_full

# Fields with their own sentences, or without any.
SILENT = frozenset(
    "state archived ruleset overrides profile announcement announcement_until decklists_public".split()
)
STATES = {
    "running": gettext_lazy("the event is running"),
    "finished": gettext_lazy("the event is finished"),
    "open": gettext_lazy("registration is open"),
    "draft": gettext_lazy("the event is being set up"),
}


def describe_event(context: Context, before: Fact, after: Fact) -> Iterator[str]:
    if "state" in after:
        yield str(STATES.get(after["state"], after["state"]))
    if "archived" in after:
        yield _("event archived") if after["archived"] else _("event taken out of the archive")
    if "decklists_public" in after:
        yield _("decklists made public") if after["decklists_public"] else _("decklists made private again")
    if before.get("profile") and after.get("profile"):
        fields = ", ".join(map(rule_label, changed_fields(before["profile"], after["profile"])))
        yield _("rules changed: %(fields)s") % {"fields": fields or _("nothing")}
    elif after.get("ruleset"):
        key, version = after["ruleset"]
        yield _("ruleset %(key)s, version %(version)s") % {"key": key, "version": version}
    elif "overrides" in after and "profile" not in after:
        yield _("rules of this event changed")
    if {"announcement", "announcement_until"} & set(after):
        yield _announcement_words(context, after)
    if "forbidden" in after:
        pairs = [
            [f"{context.name(a)} – {context.name(b)}" for a, b in fact["forbidden"]]
            for fact in (before, after)
        ]
        before, after = {**before, "forbidden": pairs[0]}, {**after, "forbidden": pairs[1]}
    silent = SILENT | {"cut"} if context.kind == "cut" else SILENT  # described by its seeds
    yield from context.fields(TOURNAMENT, before, after, silent=silent)


def _announcement_words(context: Context, after: Fact) -> str:
    text, end = after.get("announcement"), after.get("announcement_until")
    until = context.clock(end, "%H:%M") if end else ""
    if text:
        return _("announced until %(until)s: “%(text)s”") % {"until": until, "text": text}
    if until:
        return _("announcement shown until %(until)s") % {"until": until}
    return _("announcement taken down")


def describe_staff(key: str, words: Sequence[str]) -> Iterator[str]:
    """Describe roles and invitations. `key`: "staff/ada" or "invites/judge"; `words`: the ones in the log."""
    kind, name = key.split("/", 1)
    roles = dict(Staff.Role.choices)
    if kind == "invites":
        made = "made" in words
        text = _("invitation as %(role)s created") if made else _("invitation as %(role)s revoked")
        yield text % {"role": roles.get(name, name)}
        return
    texts = {"gone": _("staff: %(name)s removed"), "holder": _("event transferred to %(name)s")}
    for word in words:
        became = _("staff: %(name)s became %(role)s") if word in roles else _("staff: %(name)s: %(role)s")
        yield texts.get(word, became) % {"name": name, "role": roles.get(word, word)}


def describe_penalty(context: Context, before: Fact | None, after: Fact | None) -> Iterator[str]:
    """Describe a penalty, its undo, or a change of the round it counts in. Skips disqualifications."""
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


OCCASIONS = {
    "finished": gettext_lazy("Event finished"),
    "cut": gettext_lazy("Bracket set"),
    "by-hand": gettext_lazy("Taken by hand"),
    "before-restore": gettext_lazy("Before a restore"),
}
ROUNDS = {"published": gettext_lazy("%(round)s published"), "complete": gettext_lazy("%(round)s complete")}


def occasion_words(tournament: Tournament, occasion: str) -> str:
    """Return when a snapshot was taken, such as "Round 4 published"; an unknown occasion is returned unchanged."""
    if occasion in OCCASIONS:
        return str(OCCASIONS[occasion])
    _round, _dash, rest = occasion.partition("-")
    number, _dash, state = rest.partition("-")
    if state not in ROUNDS or not number.isdecimal():
        return occasion
    return str(ROUNDS[state]) % {"round": round_names(tournament)[int(number)].title}


def snapshot_problem_words() -> str:
    if is_disk_full():
        return _(
            "No snapshot could be written: the disk is full. Free some space on the server, then take a snapshot."
        )
    return _(
        "No snapshot could be written. Check the folder “snapshots” on the server, then take a snapshot."
    )
