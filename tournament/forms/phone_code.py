"""The code on the slip with which a phone becomes a player's own."""

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.web.keyed_forms import KeyedForm
from tournament.web.layouts import button, helper_of


class PhoneCodeForm(KeyedForm):
    """The player's phone code."""

    code = forms.CharField(
        label=_("Phone code beside your name on the slip"),
        max_length=12,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}
        ),
    )
    helper = helper_of("code", button(_("This is me"), "btn-primary w-100"), tag=False)
