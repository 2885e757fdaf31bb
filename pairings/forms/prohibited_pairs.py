"""The do-not-pair list: two players who are put on it or taken off it."""

from django import forms
from django.utils.translation import gettext_lazy as _

from pairings.forms.players import TwoPlayersForm
from tournament.web.keyed_forms import KeyedForm
from tournament.web.layouts import button, helper_of


class ProhibitedPairForm(TwoPlayersForm, KeyedForm):
    """Two players for the list; with `lift` they are taken off it."""

    lift = forms.BooleanField(required=False)

    helper = helper_of("a", "b", button(_("Add to the do-not-pair list")), tag=False)
