"""Who runs an event: an invitation, a member's role."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.models import Staff
from tournament.services.staff import MOST_PEOPLE
from tournament.web.keyed_forms import KeyedForm

ROLES = [Staff.Role.SCOREKEEPER, Staff.Role.JUDGE, Staff.Role.OWNER]
HOURS = [(24, _("1 day")), (72, _("3 days")), (168, _("1 week")), (31 * 24, _("1 month"))]


class InviteForm(KeyedForm):
    """Whom to let in: the role, how many people, for how long."""

    button = _("Create invitation")
    role = forms.ChoiceField(label=_("Role"), choices=[(role, role.label) for role in ROLES])
    people = forms.IntegerField(
        label=_("Number of people"),
        min_value=1,
        max_value=MOST_PEOPLE,
        initial=1,
        help_text=_("Anyone who has the address can use it, up to this many times in all."),
    )
    hours = forms.TypedChoiceField(
        label=_("Valid for"),
        coerce=int,
        choices=HOURS,
        help_text=_("It ends when the event is finished, at the latest."),
    )


class MemberForm(KeyedForm):
    """A member, and what becomes of them: a role, or off the staff."""

    REMOVE = "remove"
    username = forms.CharField(max_length=150)
    role = forms.ChoiceField(choices=[*Staff.Role.choices, (REMOVE, REMOVE)])


class PlaysForm(KeyedForm):
    """Which member of the staff an entry is."""

    username = forms.CharField(max_length=150, required=False)


class TransferForm(KeyedForm):
    """To whom the event goes."""

    username = forms.CharField(max_length=150)


class WithdrawForm(KeyedForm):
    """Which invitation nobody may use any more."""

    invite = forms.IntegerField(min_value=1, max_value=2**31 - 1)
