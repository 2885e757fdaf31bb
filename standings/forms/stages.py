"""Another session, a next day, and an order by hand. Checks; never saves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.schemas.kinds import exact_number
from tournament.services.manual_order import LONGEST_REASON
from tournament.services.stages import MOST_ROUNDS
from tournament.web.keyed_forms import KeyField


class SessionForm(forms.Form):
    """What every further stage is asked."""

    key = KeyField()
    minutes = forms.IntegerField(label=_("Minutes per round"), required=False, min_value=1, max_value=600)


class NewSessionForm(SessionForm):
    """Another session, and when it must be over."""

    ends_at = forms.DateTimeField(
        label=_("Must end by"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"],
    )


class DayForm(SessionForm):
    """A second day: how long it is, and who plays it."""

    field_order = ["rounds", "size", "points", "minutes"]
    rounds = forms.IntegerField(label=_("Swiss rounds of that day"), min_value=1, max_value=MOST_ROUNDS)
    size = forms.IntegerField(
        label=_("Players who advance"),
        required=False,
        min_value=2,
        max_value=9999,
        help_text=_("Leave both empty to advance everyone who did not drop."),
    )
    points = forms.CharField(label=_("Or minimum points to advance"), required=False, max_length=12)

    def clean_points(self) -> str | None:
        text = self.cleaned_data["points"].strip()
        if text and exact_number(text) is None:
            raise forms.ValidationError(_("Enter a number of points, such as 18 or 5/2."))
        return text or None


class OrderForm(forms.Form):
    """Places for tied players, one field an entry, and the reason."""

    key = KeyField()
    reason = forms.CharField(label=_("Reason"), max_length=LONGEST_REASON)

    def __init__(self, *args: Any, codes: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.codes = list(codes)
        for code in self.codes:
            self.fields[f"place-{code}"] = forms.IntegerField(min_value=1, max_value=len(self.codes))

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        places = {code: data.get(f"place-{code}") or 0 for code in self.codes}
        if sorted(places.values()) != list(range(1, len(self.codes) + 1)):
            raise forms.ValidationError(
                _("Give each tied player a different place, from 1 to %(last)s."),
                params={"last": len(self.codes)},
            )
        data["order"] = sorted(places, key=lambda code: places[code])
        return data
