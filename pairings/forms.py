"""What the organizer decides before a round is paired. Checks; never saves."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

from tournament.forms.keyed import KeyedForm
from tournament.services.registering import LONGEST_NAME, clean_name

BYE, NEW = "bye", "new"


class PairForm(KeyedForm):
    """Where the number is odd and the ruleset allows it: a bye, or a house opponent and who that is."""

    house = forms.ChoiceField(label=_("The number is odd"), required=False, widget=forms.RadioSelect)
    name = forms.CharField(label=_("Name of the new house opponent"), required=False, max_length=LONGEST_NAME)

    def __init__(self, *args: Any, houses: list[tuple[str, str]] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        known = [(code, _t("house opponent: %(name)s") % {"name": name}) for code, name in houses or []]
        choices = [(BYE, _("one player has a bye")), *known, (NEW, _("a new house opponent plays"))]
        self.fields["house"].choices = choices  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        data["name"] = clean_name(data.get("name") or "")
        if data.get("house") == NEW and not data["name"]:
            self.add_error("name", _("Who is the house opponent? Enter a name."))
        return data
