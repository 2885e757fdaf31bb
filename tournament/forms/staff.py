from __future__ import annotations

from collections.abc import Iterable

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.models import Staff
from tournament.services.staff import MOST_PEOPLE
from tournament.web.keyed_forms import LARGEST, KeyedForm, NumberField

ROLES = [Staff.Role.SCOREKEEPER, Staff.Role.JUDGE, Staff.Role.OWNER]
HOURS = [(24, _("1 day")), (72, _("3 days")), (168, _("1 week")), (31 * 24, _("1 month"))]
LONGEST_USERNAME = 150


class InviteForm(KeyedForm):
    role = forms.ChoiceField(label=_("Role"), choices=[(role, role.label) for role in ROLES])
    people = NumberField(
        label=_("Number of people"),
        min_value=1,
        max_value=MOST_PEOPLE,
        initial=1,
        help_text=_("Anyone with the link can use it, up to this many times."),
    )
    hours = forms.TypedChoiceField(label=_("Valid for"), coerce=int, choices=HOURS)
    send = _("Create invitation")


class MemberForm(KeyedForm):
    """A member of the staff, and the new role or `REMOVE`."""

    REMOVE = "remove"
    username = forms.CharField(max_length=LONGEST_USERNAME)
    role = forms.ChoiceField(choices=[*Staff.Role.choices, (REMOVE, REMOVE)])


class TransferForm(KeyedForm):
    username = forms.CharField(label=_("New owner"), max_length=LONGEST_USERNAME, widget=forms.Select)
    send, look = _("Transfer"), "danger"

    @classmethod
    def shown(cls, members: Iterable[str]) -> TransferForm:
        form = cls(auto_id="transfer-%s")
        form.set_choices("username", [(name, name) for name in members])
        return form


class WithdrawForm(KeyedForm):
    invite = forms.IntegerField(min_value=1, max_value=LARGEST)
