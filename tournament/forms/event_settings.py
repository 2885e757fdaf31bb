"""How an event is run: all its settings on one page, in a few groups."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.actionlog import facts
from tournament.actionlog.facts import RULE_SETTINGS
from tournament.forms.event_fields import EventForm, tables_text, wall_clock
from tournament.models import Tournament

GROUPS = (
    (_("Event"), "name game venue starts_at time_zone".split()),
    (_("Rounds"), "rounds_planned cut round_minutes best_of team".split()),
    (_("Tables and player limit"), "first_table skip_tables capacity".split()),
    (_("Public pages"), "name_privacy listed hold_standings".split()),
)


class SettingsForm(EventForm):
    """All settings but the rules. `seen` is what they were when the page was made.

    Only what the person changed is sent on (`changes`), so that two people who change different settings
    at a time do not take each other's back.
    """

    asked = ["seen", *(name for _title, names in GROUPS for name in names)]
    button = _("Save the settings")
    seen = forms.CharField(required=False, max_length=20_000, widget=forms.HiddenInput)

    def __init__(
        self, data: Any = None, *, tournament: Tournament, suggested: tuple[int, int], players: int
    ) -> None:
        """`suggested`: rounds and cut by the ruleset for so many `players`."""
        self.now = facts.read_row(facts.TOURNAMENT, tournament, self._settings())
        initial = {
            **self.now,
            "starts_at": wall_clock(tournament.starts_at, tournament.time_zone),
            "skip_tables": tables_text(tournament.skip_tables),
            "seen": json.dumps(self.now),
        }
        super().__init__(data, initial=initial, zone=tournament.time_zone)
        self.about: dict[str, Any] = {"suggested": suggested, "players": players}
        rounds, cut = suggested
        said = {"rounds": rounds, "cut": cut, "players": players}
        if players > 1:  # before, what a ruleset says of nobody would read like the answer
            top = _("ruleset default: top %(cut)s") if cut else _("ruleset default: no cut")
            self.offer_cuts(top % said, tournament.cut)
            self.fields["rounds_planned"].help_text = (
                _("If empty, %(rounds)s: the ruleset's number for %(players)s players.") % said
            )
        else:
            self.offer_cuts(_("ruleset default"), tournament.cut)
        if tournament.profile is not None:
            for name in RULE_SETTINGS:
                self.fields[name].disabled = True
                self.fields[name].help_text = _("Fixed when round 1 was published.")

    @classmethod
    def _settings(cls) -> list[str]:
        return [name for name in cls.asked if name != "seen"]

    @property
    def groups(self) -> list[tuple[Any, list[forms.BoundField]]]:
        """The fields by group, as the page shows them."""
        return [(title, [self[name] for name in names]) for title, names in GROUPS]

    def clean_seen(self) -> dict[str, Any]:
        """What the person saw; nothing where a script sent none."""
        try:
            seen = json.loads(self.cleaned_data["seen"] or "{}")
        except ValueError:
            seen = None
        if not isinstance(seen, dict):
            raise forms.ValidationError(_("This form did not arrive intact. Reload the page."))
        return seen

    def changes(self) -> dict[str, Any]:
        """The settings that differ from what the person saw, in the log's words; after `is_valid`."""
        seen = {**self.now, **self.cleaned_data["seen"]}
        changed = {}
        for name in self._settings():
            value = self.cleaned_data[name]
            same = value == seen[name]
            if name == "starts_at":  # the field shows minutes only
                same = (value or "")[:16] == str(seen[name] or "")[:16]
            if not same and not self.fields[name].disabled:
                changed[name] = value
        return changed

    def over(self, tournament: Tournament) -> SettingsForm:
        """The same changes over what is saved by now: sent again, they were made in sight of it."""
        fresh = SettingsForm(tournament=tournament, **self.about)
        shown = {name: fresh[name].value() for name in fresh.fields}
        mine = {name: self.data.get(name) for name in self.changes()}
        data = {
            name: value
            for name, value in {**shown, **mine}.items()
            if value is not None and value is not False
        }
        return SettingsForm(data, tournament=tournament, **self.about)
