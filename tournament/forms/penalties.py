"""A penalty as a judge enters it, in the order of the paper form on the back of a match slip."""

from collections.abc import Mapping
from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.access.fetch import may
from tournament.forms.entries import CleanField
from tournament.forms.search import EntrySearchForm
from tournament.models import Penalty, Tournament
from tournament.web.keyed_forms import KeyedForm
from tournament.web.layouts import button, helper_of

FIELDS = ("judge", "code", "infraction", "description", "kind")


class PenaltyForm(KeyedForm):
    """Judge, player, infraction, description, penalty. `names`: {code: name} of the players to choose from."""

    judge = CleanField(label=_("Judge"), required=False, max_length=150)
    code = forms.CharField(
        label=_("Player"),
        max_length=40,
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose the player who gets the penalty.")},
    )
    infraction = CleanField(
        label=_("Infraction"), max_length=200, error_messages={"required": _("Enter the infraction.")}
    )
    description = forms.CharField(
        label=_("Description"),
        required=False,
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("What happened. Only staff can read it. It is deleted when the player's name is."),
    )
    kind = forms.ChoiceField(
        label=_("Penalty"), widget=forms.RadioSelect, error_messages={"required": _("Choose the penalty.")}
    )
    helper = helper_of(*FIELDS, button(_("Record the penalty"), "btn-primary btn-lg"), tag=False)

    def __init__(
        self,
        tournament: Tournament,
        data: Any = None,
        *,
        names: Mapping[str, str],
        judge: str,
        code: str = "",
    ) -> None:
        super().__init__(data, initial={"judge": judge, "code": code})
        cast("forms.RadioSelect", self.fields["code"].widget).choices = list(names.items())
        kinds = Penalty.Kind.choices if may(tournament, "disqualifications") else Penalty.Kind.choices[:-1]
        cast("forms.ChoiceField", self.fields["kind"]).choices = kinds


class PenaltySearchForm(EntrySearchForm):
    """The player whose penalties to list, or who gets one."""

    target = "#penalties"
