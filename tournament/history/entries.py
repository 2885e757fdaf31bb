"""Changes of players, and of the players in stages, in words: a few by name, many by their number."""

from collections.abc import Iterator, Mapping, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.actionlog.actors import PHONE
from tournament.actionlog.facts import ENTRY
from tournament.actionlog.match_facts import Fact
from tournament.history.context import Context, field_label
from tournament.results.wording import bye_words
from tournament.services.anonymity import RETENTION
from tournament.services.corrections import CORRECTION
from tournament.services.entries import LAST_NAMES

# Fields with their own sentences, or without any.
SILENT = frozenset(
    "status checked_in seed_rank manual manual_after joined_round dropped_after house late same_person_as start lot "
    "waits requested_byes link_number paid former_names former_contacts".split()
)
HAPPENED = {
    "waitlisted": gettext_lazy("%(names)s on the waitlist"),
    "admitted": gettext_lazy("%(names)s moved up from the waitlist"),
    "playing": gettext_lazy("%(names)s reinstated"),
    "withdrawn": gettext_lazy("%(names)s withdrawn"),
    "dropped": gettext_lazy("%(names)s dropped"),
    "disqualified": gettext_lazy("%(names)s disqualified"),
    "anonymized": gettext_lazy("%(names)s anonymized"),
    "sorted": gettext_lazy("last names confirmed: %(names)s"),
    "cleared": gettext_lazy("contacts removed: %(names)s"),
    "here": gettext_lazy("%(names)s checked in"),
    "away": gettext_lazy("check-in undone for %(names)s"),
    "paid": gettext_lazy("%(names)s paid"),
    "unpaid": gettext_lazy("payment undone for %(names)s"),
}
CAME_OR_WENT = {"added": gettext_lazy("%(names)s registered"), "removed": gettext_lazy("%(names)s removed")}


def describe_entry(context: Context, code: str, before: Fact | None, after: Fact | None) -> Iterator[str]:
    name = context.name(code)
    if before is None or after is None:
        waits = after and after.get("status") == "waitlisted"
        context.players["waitlisted" if waits else "added" if after else "removed"].append(name)
        return
    if "same_person_as" in after:
        yield _same_person_words(context, code, before, after)
        if "merged" in (before.get("status"), after.get("status")):
            return
    if status := after.get("status"):
        if status == "playing" and before["status"] == "waitlisted":
            status = "admitted"
        elif status == "dropped" and after.get("dropped_after") == 0:
            status = "withdrawn"
        if context.kind != CORRECTION or status != "dropped":
            context.players[status].append(name)
    yield from _participation_words(context, name, after)
    yield from _requested_bye_words(name, before, after)
    if "checked_in" in after:
        context.players["here" if after["checked_in"] else "away"].append(name)
    if "paid" in after:
        context.players["paid" if after["paid"] else "unpaid"].append(name)
    if "seed_rank" in after:
        context.seeds.append((after["seed_rank"], name))
    if "manual" in after:
        context.places[after["manual"] or 0].append(name)
    yield from context.fields(ENTRY, before, after, silent=SILENT, of=name)


def _requested_bye_words(name: str, before: Fact, after: Fact) -> Iterator[str]:
    old, new = (
        {bye["round"]: bye["kind"] for bye in fact.get("requested_byes") or ()} for fact in (before, after)
    )
    for number in sorted(old.keys() | new.keys() if "requested_byes" in after else ()):
        values = {"name": name, "round": number, "bye": bye_words(f"{new.get(number)}_bye")}
        if number not in new:
            yield _("%(name)s: request for a bye in round %(round)s withdrawn") % values
        elif new[number] != old.get(number):
            yield _("%(name)s: %(bye)s requested for round %(round)s") % values


def _participation_words(context: Context, name: str, after: Fact) -> Iterator[str]:
    left, corrected = after.get("dropped_after"), context.kind == CORRECTION
    if left and after.get("status", "dropped") == "dropped" and (corrected or "status" not in after):
        values = {"name": name, "round": context.rounds[left].phrase}
        yield _("%(name)s counts as dropped after %(round)s") % values
    if corrected and "joined_round" in after:
        values = {"name": name, "number": after["joined_round"]}
        from_round = _("%(name)s is in the event from round %(number)s")
        yield (from_round if after["joined_round"] else _("%(name)s is in the event from the start")) % values


def _same_person_words(context: Context, code: str, before: Fact, after: Fact) -> str:
    first = after["same_person_as"] or before["same_person_as"]
    if after.get("status") == "merged":
        text = _("%(name)s merged into %(first)s")
    elif before.get("status") == "merged":
        text = _("%(name)s no longer merged into %(first)s")
        first = before["same_person_as"]
    elif after["same_person_as"] is None:
        text = _("%(name)s is no longer the same person as %(first)s")
    else:
        text = _("%(name)s is the same person as %(first)s")
    # Their names may be equal.
    name, other = (f"{context.names.get(each, each)} ({each})" for each in (code, first))
    return text % {"name": name, "first": other}


def describe_personal(context: Context, code: str, fields: Sequence[str]) -> Iterator[str]:
    if context.kind in ("anonymize", RETENTION):
        what = "anonymized" if context.kind == "anonymize" or "name" in fields else "cleared"
        context.players[what].append(context.name(code))
        return
    if context.kind == LAST_NAMES:
        context.players["sorted"].append(context.name(code))
        return
    if PHONE in fields:
        yield _("a phone was added to the page of %(name)s, by personal code") % {"name": context.name(code)}
    for name in fields:
        if name in ENTRY.personal and name not in SILENT:
            yield f"{context.name(code)}: {field_label(ENTRY, name)} {_('changed')}"


def count_stage_entry(context: Context, stage: str, code: str, after: Fact | None) -> None:
    if (after or {}).get("seed"):
        context.qualified += 1
    else:
        context.moved[code]["from" if after is None else "to"] = stage


def happened_words(context: Context, kinds: Mapping[str, object]) -> Iterator[str]:
    for kind, names in context.players.items():
        if kind in kinds:
            yield str(kinds[kind]) % {"names": context.list_names(names)}


def seeding_words(context: Context) -> Iterator[str]:
    seeded = [f"{seed} {name}" for seed, name in sorted(row for row in context.seeds if row[0])]
    if seeded:
        yield _("manual seeding: %(names)s") % {"names": context.list_names(seeded)}
    if removed := [name for seed, name in context.seeds if not seed]:
        yield _("seed removed: %(names)s") % {"names": context.list_names(removed)}


def stage_entry_words(context: Context) -> Iterator[str]:
    for code, stages in context.moved.items():
        if len(stages) == 2:
            values = {"name": context.name(code), **stages}
            yield _("%(name)s moved from session %(from)s to session %(to)s") % values
    placed = [name for place in sorted(context.places) if place for name in context.places[place]]
    if placed:
        yield _("manual order: %(names)s") % {"names": ", ".join(placed)}
    elif context.places:
        yield _("manual order removed: %(names)s") % {"names": ", ".join(context.places[0])}
    if context.qualified:
        yield _("bracket of the top %(count)s set") % {"count": context.qualified}
