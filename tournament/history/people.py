"""What players told staff, and who is on the staff, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from tournament.actionlog.match_facts import Fact
from tournament.history.context import Context
from tournament.models import Staff


def describe_message(context: Context, number: str, before: Fact | None, after: Fact | None) -> Iterator[str]:
    """A player's message to staff that was sent, settled or deleted."""
    if before is None:
        text = _("%(name)s reported a problem to staff (message %(number)s)")
    elif after is None:
        text = _("message %(number)s deleted")
    else:
        text = _("message %(number)s marked done") if after["done"] else _("message %(number)s is open again")
    yield text % {"number": number, "name": context.name((after or before or {}).get("entry") or "")}


def describe_staff(key: str, words: Sequence[str]) -> Iterator[str]:
    """Roles and invitations. `key`: "staff/ada" or "invites/judge"; `words`: what the log says of it."""
    kind, name = key.split("/", 1)
    roles = dict(Staff.Role.choices)
    if kind == "invites":
        made = "made" in words
        text = _("invitation as %(role)s created") if made else _("invitation as %(role)s revoked")
        yield text % {"role": roles.get(name, name)}
        return
    texts = {"gone": _("staff: %(name)s removed"), "holder": _("event transferred to %(name)s")}
    for word in words:
        text = texts.get(word, _("staff: %(name)s became %(role)s"))
        yield text % {"name": name, "role": roles.get(word, word)}
