"""The organizer's form: the rules of one event that may be changed in it."""

from typing import Any

from django import forms

from standings.rulesets.editor.profile_form import ProfileForm, is_open
from tournament.event.profile import profile_of
from tournament.models import Tournament
from tournament.rulebooks.rule_fields import FIELDS
from tournament.rulesets import differences, stated_rules
from tournament.rulesets.schema import set_value
from tournament.services.event_rules import Version, fixed_fields, rules_after
from tournament.web.keyed_forms import KeyField

SET_ELSEWHERE = "best_of_swiss"


class EventRulesForm(ProfileForm):
    """The fields as they are in the event, or as another `version` of a ruleset has them."""

    key = KeyField()
    ruleset = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(
        self,
        data: Any = None,
        *,
        tournament: Tournament,
        version: Version | None = None,
        checked: bool = True,
    ) -> None:
        self.tournament, self.version = tournament, version
        profile = rules_after(tournament, version, None) if version else profile_of(tournament)
        super().__init__(data, profile=profile, paths=_open_paths(tournament, profile), checked=checked)

    def initial_values(self) -> dict[str, Any]:
        """What the fields show at first."""
        return {**super().initial_values(), "ruleset": ":".join(map(str, self.version or ()))}

    @property
    def overrides(self) -> dict[str, Any]:
        """What the event changes of the ruleset, as an archive names it; after `is_valid`."""
        overrides: dict[str, Any] = {}
        for change in differences(stated_rules(rules_after(self.tournament, self.version, None)), self.rules):
            set_value(overrides, change["path"], change["after"])
        return overrides


def _open_paths(tournament: Tournament, profile: dict[str, Any]) -> list[str]:
    """The fields that the publisher leaves open and that are not fixed in the running event."""
    open_fields = profile.get("open_fields")
    closed = {*fixed_fields(tournament), SET_ELSEWHERE}
    changeable = FIELDS if open_fields is None else open_fields
    return [path for path in FIELDS if is_open(path, changeable) and not is_open(path, closed)]
