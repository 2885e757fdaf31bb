"""The cut: how many play on. The rules of an event: which version, and why. Checks; never saves."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from django import forms
from django.core import signing
from django.utils.translation import gettext_lazy as _

from standings.bracket.cut import LARGEST, SMALLEST
from standings.engine.bracket.cut import CutRule
from tournament.forms.event_fields import in_our_time
from tournament.forms.events import offered
from tournament.models import Ruleset, Tournament
from tournament.rulebooks.library import newest_rulesets
from tournament.rulesets.kinds import LONGEST_REASON
from tournament.schemas.kinds import exact_number
from tournament.services.event_rules import Version
from tournament.web.keyed_forms import KeyField

SALT = "change of rules"


class SizeForm(forms.Form):
    """How many would play on, for the preview; from the address, so nothing but a number is believed."""

    size = forms.IntegerField(
        label=_("Players who advance"),
        min_value=SMALLEST,
        max_value=LARGEST,
        help_text=_(
            "2, 4, 8, 16 … or any number in between. If the bracket is not full, the top seeds get byes."
        ),
    )

    min_points = forms.CharField(
        label=_("Minimum points"),
        required=False,
        max_length=12,
        help_text=_("Everyone with at least this many points also advances. Leave empty to use the ruleset."),
    )
    all_tied = forms.BooleanField(label=_("Include everyone tied with the last player in"), required=False)

    def clean_min_points(self) -> Fraction | None:
        text = self.cleaned_data["min_points"].strip()
        points = exact_number(text) if text else None
        if text and (points is None or points < 0):
            raise forms.ValidationError(_("Enter points as a number, such as 19 or 9/2."))
        return points

    @staticmethod
    def asking(rule: CutRule) -> dict[str, Any]:
        """The initial values that ask for this cut."""
        return {**rule._asdict(), "min_points": "" if rule.min_points is None else str(rule.min_points)}

    @property
    def rule(self) -> CutRule:
        """The cut asked for; after `is_valid`."""
        data = self.cleaned_data
        return CutRule(data["size"], data["min_points"], data["all_tied"])


LENGTHS = [("", _("ruleset default")), ("1", "1"), ("3", "3"), ("5", "5")]


class CutForm(SizeForm):
    """The cut itself, once, and how the bracket is played."""

    best_of = forms.ChoiceField(label=_("Match length"), choices=LENGTHS, required=False)
    final_best_of = forms.ChoiceField(label=_("Match length in the final"), choices=LENGTHS, required=False)
    ends_at = forms.DateTimeField(
        label=_("Bracket must end by"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"],
        validators=[in_our_time],
    )
    key = KeyField()

    def __init__(self, *args: Any, ask_end: bool = False, usual: int = 3, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.usual = usual
        for name in ("size", "min_points", "all_tied"):
            self.fields[name].widget = forms.HiddenInput()
        if not ask_end:
            self.fields["ends_at"].widget = forms.HiddenInput()

    def lengths(self, entrants: int) -> tuple[int, ...]:
        """Best of how many games, round by round, where it is not the ruleset's; after `is_valid`."""
        most, final = (self.cleaned_data[name] for name in ("best_of", "final_best_of"))
        if not most and not final:
            return ()
        rounds = max(entrants - 1, 1).bit_length()
        every = int(most or self.usual)
        return (*[every] * (rounds - 1), int(final or every))


class RulesetForm(forms.Form):
    """Which version of which ruleset; empty: the one in force."""

    ruleset = forms.ChoiceField(label=_("Use another ruleset"), required=False)

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        newest = newest_rulesets()
        older: list[tuple[Any, list[tuple[str, str]]]] = []
        if tournament.ruleset is not None:
            known = {ruleset.pk for ruleset in newest}
            versions = Ruleset.objects.filter(rulebook=tournament.ruleset.rulebook_id).order_by("-version")
            own = [(_value(one), f"{one.name}, {one.version}") for one in versions if one.pk not in known]
            older = [(_("Other versions of the current rules"), own)] if own else []
        in_force = ("", _("current rules, as they are"))
        groups = [in_force, *older, *offered(newest, _value)]
        self.fields["ruleset"].choices = groups  # type: ignore[attr-defined]

    @property
    def version(self) -> Version | None:
        """The chosen version; after `is_valid`."""
        key, _colon, number = self.cleaned_data.get("ruleset", "").rpartition(":")
        return (key, int(number)) if key else None


def _value(ruleset: Ruleset) -> str:
    return f"{ruleset.key}:{ruleset.version}"


class ConfirmRulesForm(forms.Form):
    """The `change` (version and overrides, signed) whose effect was shown under `digest`, and why."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Everyone can read it next to the standings, also after the event. Do not name players."),
    )
    change = forms.CharField(widget=forms.HiddenInput)
    digest = forms.CharField(max_length=64, widget=forms.HiddenInput)
    key = KeyField()

    @classmethod
    def of(
        cls, version: Version | None, overrides: dict[str, Any], digest: str, reason: str = ""
    ) -> ConfirmRulesForm:
        """The empty form of a change."""
        change = signing.dumps([version, overrides], salt=SALT)
        return cls(initial={"change": change, "digest": digest, "reason": reason})

    def clean_change(self) -> tuple[Version | None, dict[str, Any]]:
        """The change as it was shown."""
        try:
            version, overrides = signing.loads(self.cleaned_data["change"], salt=SALT)
        except signing.BadSignature:
            raise forms.ValidationError(_("This form did not arrive intact. Reload the page.")) from None
        return (version[0], version[1]) if version else None, overrides
