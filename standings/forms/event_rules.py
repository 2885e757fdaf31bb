from __future__ import annotations

from typing import Any

from django import forms
from django.core import signing
from django.utils.translation import gettext_lazy as _

from tournament.forms.events import ruleset_choices
from tournament.models import RulesetVersion, Tournament
from tournament.ruleset_library.rule_fields import is_game_for_two
from tournament.ruleset_library.versions import newest_versions
from tournament.rulesets.schema import LONGEST_REASON
from tournament.services.event_rules import Version
from tournament.web.keyed_forms import KeyedForm
from tournament.web.layouts import button, helper_of

SALT = "change of rules"


class RulesetForm(forms.Form):
    """The chosen version of a ruleset; empty for the current rules."""

    ruleset = forms.ChoiceField(label=_("Use another ruleset"), required=False)
    helper = helper_of(  # the button only fills in the form below
        "ruleset", button(_("Show its fields below"), "btn-outline-secondary"), method="get", css="inside"
    )

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        newest = [
            ruleset
            for ruleset in newest_versions()
            if is_game_for_two(ruleset.profile) or ruleset.pk == tournament.ruleset_id
        ]
        older: list[tuple[Any, list[tuple[str, str]]]] = []
        if tournament.ruleset is not None:
            newest_keys = {ruleset.pk for ruleset in newest}
            versions = RulesetVersion.objects.filter(ruleset=tournament.ruleset.ruleset_id).order_by(
                "-version"
            )
            own = [
                (_value(one), f"{one.name}, {one.version}") for one in versions if one.pk not in newest_keys
            ]
            older = [(_("Other versions of the current rules"), own)] if own else []
        field: Any = self.fields["ruleset"]
        field.choices = [("", _("current rules, as they are")), *older, *ruleset_choices(newest, _value)]

    @property
    def version(self) -> Version | None:
        key, _colon, number = self.cleaned_data.get("ruleset", "").rpartition(":")
        return (key, int(number)) if key else None


def _value(ruleset: RulesetVersion) -> str:
    return f"{ruleset.key}:{ruleset.version}"


class ConfirmRulesForm(KeyedForm):
    """The signed `change` (version and overrides) whose effect the page shows under `digest`, and the reason."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Everyone can read it next to the standings, also after the event. Do not name players."),
    )
    change = forms.CharField(widget=forms.HiddenInput)
    digest = forms.CharField(max_length=64, widget=forms.HiddenInput)
    helper = helper_of("reason", tag=False)

    @classmethod
    def for_change(
        cls, version: Version | None, overrides: dict[str, Any], digest: str, reason: str = ""
    ) -> ConfirmRulesForm:
        change = signing.dumps([version, overrides], salt=SALT)
        return cls(initial={"change": change, "digest": digest, "reason": reason})

    def clean_change(self) -> tuple[Version | None, dict[str, Any]]:
        try:
            version, overrides = signing.loads(self.cleaned_data["change"], salt=SALT)
        except signing.BadSignature:
            raise forms.ValidationError(_("This form did not arrive intact. Reload the page.")) from None
        return (version[0], version[1]) if version else None, overrides
