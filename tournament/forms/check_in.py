"""Withdrawing the players who did not check in."""

from __future__ import annotations

from collections.abc import Sequence

from crispy_forms.helper import FormHelper
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from tournament.forms.late_entries import LateEntryForm
from tournament.players.checkin_list import ExpectedPlayer
from tournament.web.keyed_forms import CodesField
from tournament.web.layouts import button, helper_of, link


class NoShowsForm(LateEntryForm):
    """The players to withdraw, as they were shown."""

    helper: FormHelper
    codes = CodesField()

    @classmethod
    def shown(cls, absent: Sequence[ExpectedPlayer], session: int | None, back: str) -> NoShowsForm:
        """The form for these players; `back`: the address of the check-in page."""
        form = cls(initial={"codes": [person.code for person in absent], "session": session})
        text = ngettext("Withdraw %(count)s no-show", "Withdraw %(count)s no-shows", len(absent))
        send = button(text % {"count": len(absent)}, "btn-danger")
        back_link = link(_("Back to the check-in"), back, "btn btn-outline-secondary")
        form.helper = helper_of(send, back_link, css="d-flex flex-wrap gap-2 mb-3")
        return form
