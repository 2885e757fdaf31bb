"""Who belongs to a publisher."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.models import PublisherMember
from tournament.web.layouts import button, helper_of


class PublisherMemberForm(forms.Form):
    """Someone by the name they sign in with, and their role."""

    username = forms.CharField(label=_("Username"), max_length=150)
    role = forms.ChoiceField(label=_("Role"), choices=PublisherMember.Role.choices, initial="editor")
    helper = helper_of("username", "role", button(_("Add member"), "btn-outline-secondary"), tag=False)


class RemovalForm(forms.Form):
    """The button beside a member: the name of who is removed."""

    remove = forms.CharField(widget=forms.HiddenInput, max_length=150)
