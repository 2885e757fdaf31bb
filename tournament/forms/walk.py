"""Walking the list of tables: one key is a result."""

from django import forms

from tournament.forms.results import VersionForm
from tournament.web.keyed_forms import LARGEST, BareHiddenInput


class WalkForm(VersionForm):
    """The result of one table, by a key.

    tables   the range that is walked, "" for all tables
    replace  the result may be another than the one the table has
    """

    table = forms.IntegerField(min_value=1, max_value=LARGEST, widget=BareHiddenInput)
    slip = forms.CharField(max_length=40)
    tables = forms.CharField(required=False, max_length=60, widget=BareHiddenInput)
    replace = forms.BooleanField(required=False, widget=BareHiddenInput)
