"""Log sentences about the event, its staff, judges and snapshots."""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.actionlog.facts import TOURNAMENT
from tournament.actionlog.match_facts import Fact
from tournament.event.rounds import round_names
from tournament.history.context import Context
from tournament.models import Flag, Penalty, Staff, Tournament
from tournament.monitoring.installation import is_disk_full
from tournament.rulesets import changed_fields
from tournament.rulesets.rule_fields import rule_label
from tournament.services.decklists import counts_words

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
        if number := fact.get("counts_in"):
            yield _("a loss by penalty counts in %(round)s") % {"round": context.rounds[number].phrase}
        return
    if fact["kind"] == Penalty.Kind.DISQUALIFICATION:
        return
    kind = Penalty.Kind(fact["kind"]).label
    values = {"name": context.name(fact["entry"]), "kind": kind, "infraction": fact["reason"]}
    text = _("%(name)s: %(kind)s (%(infraction)s)") if after else _("%(name)s: %(kind)s removed")
    yield text % values


def describe_deck_check(context: Context, before: Fact | None, after: Fact | None) -> Iterator[str]:
    if before is None or after is None:
        text = _("%(name)s: deck check started") if after else _("%(name)s: deck check removed")
        yield text % {"name": context.name((after or before or {})["entry"])}
    elif "ends_at" in after:
        ended = after["ends_at"] and context.clock(after["ends_at"], "%H:%M")
        yield _("deck check ended at %(time)s") % {"time": ended} if ended else _("deck check goes on")


def describe_decklist(context: Context, before: Fact | None, after: Fact | None) -> Iterator[str]:
    fact = after or before or {}
    if before is not None and after is not None:  # by a merge, which is described itself
        return
    cards = counts_words(fact["main"], fact["sideboard"])
    values = {"name": context.name(fact["entry"]), "version": fact["version"], "cards": cards}
    if after is None:
        text = _("%(name)s: decklist %(version)s removed (%(cards)s)")
    elif fact["late"]:
        text = _("%(name)s: decklist %(version)s handed in late (%(cards)s)")
    else:
        text = _("%(name)s: decklist %(version)s handed in (%(cards)s)")
    yield text % values


def describe_flag(context: Context, number: str, before: Fact | None, after: Fact | None) -> Iterator[str]:
    """Describe a message, a judge call or a drop request. A drop or a penalty settles a request without a word."""
    if context.kind in ("drop", "disqualify", "penalty"):
        return
    values = {"number": number}
    if before is None or after is None:
        fact = after or before or {}
        values["what"] = str(Flag.Kind(fact["kind"]).label)
        values["name"] = context.name(fact["entry"] or "")
        text = _("%(name)s: %(what)s %(number)s") if after else _("%(name)s: %(what)s %(number)s deleted")
    elif "judge" in after:
        values["judge"] = after["judge"]
        coming = _("%(judge)s on the way to judge call %(number)s")
        text = coming if after["judge"] else _("judge call %(number)s waits for a judge")
    elif not after.get("done"):
        text = _("message, judge call or drop request %(number)s is open again")
    elif context.kind == "decline drop":
        text = _("drop request %(number)s declined")
    else:
        text = _("message or judge call %(number)s marked done")
    yield text % values


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
