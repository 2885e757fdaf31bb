from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.actionlog.facts import TOURNAMENT
from tournament.actionlog.match_facts import Fact
from tournament.history.context import Context
from tournament.models import Staff
from tournament.ruleset_library.rule_fields import label_of
from tournament.rulesets import changed_fields

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
        fields = ", ".join(map(label_of, changed_fields(before["profile"], after["profile"])))
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
    """Describe roles and invitations. `key`: "staff/ada" or "invites/judge"; `words`: the log's."""
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
