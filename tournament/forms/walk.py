"""Walking the list of tables: one key is a result."""

from django import forms

from tournament.forms.results import VersionForm
from tournament.web.keyed_forms import LARGEST, BareHiddenInput


class WalkForm(VersionForm):
    """The result of one table, by a key. `replace`: it may be another than the one the table has."""

    table = forms.IntegerField(min_value=1, max_value=LARGEST, widget=BareHiddenInput)
    slip = forms.CharField(max_length=40)
    replace = forms.BooleanField(required=False, widget=BareHiddenInput)
