from __future__ import annotations

from typing import Any

from crispy_forms.helper import FormHelper
from crispy_forms.layout import Div
from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.actionlog import facts
from tournament.actionlog.facts import RULE_SETTINGS
from tournament.event.profile import ruleset_in_force
from tournament.event.settings import LEAST_SECONDS, MOST_SECONDS
from tournament.forms.events import MOMENTS, VARY_TABLES, EventForm
from tournament.forms.fields import SeenField
from tournament.models import Tournament
from tournament.rulesets import rounds_and_cut
from tournament.web.keyed_forms import KeyedForm, NumberField, button, lay_out_form

# The fields of each settings topic that has a form.
TOPICS = {
    "place": "name game venue starts_at time_zone".split(),
    "rounds": "rounds_planned cut round_minutes best_of team".split(),
    "tables": ["table_plan", "vary_tables"],
    "judges": ["judge_results"],
    "phones": ["reporting"],
    "decklists": "decklist_rule decklists_until deck_least deck_most sideboard_most".split(),
    "public": "name_privacy name_order listed hold_standings".split(),
}


class SettingsForm(EventForm):
    """The settings of one topic. Saves only the `changes` since `seen`, so that others' changes stay."""

    seen = SeenField()

    def __init__(self, data: Any = None, *, topic: str, tournament: Tournament, players: int) -> None:
        """`players`: their number, from which the ruleset suggests the rounds and the cut."""
        self.topic, self.players = topic, players
        self.names = ["seen", *TOPICS[topic]]
        self.now = facts.read_row(facts.TOURNAMENT, tournament, TOPICS[topic])
        moments = {name: getattr(tournament, name) for name in MOMENTS}
        super().__init__(data, initial={**self.now, **moments, "seen": self.now})
        if topic == "rounds":
            self._suggest(tournament)
        if topic == "tables":
            in_order = ruleset_in_force(tournament)["pairing"].get("boards_in_order")
            usual = _("ruleset default: no, in score order") if in_order else _("ruleset default: yes")
            self.set_choices("vary_tables", [("", usual), *VARY_TABLES])
        if tournament.profile is not None:
            for name in RULE_SETTINGS & self.fields.keys():
                self.fields[name].disabled = True
                self.fields[name].help_text = _("Fixed when round 1 was published.")

    def _suggest(self, tournament: Tournament) -> None:
        rounds, cut = rounds_and_cut(ruleset_in_force(tournament), self.players)
        values = {"rounds": rounds, "cut": cut, "players": self.players}
        if self.players > 1:  # with fewer, the ruleset's numbers are meaningless
            top = _("ruleset default: top %(cut)s") if cut else _("ruleset default: no cut")
            self.offer_cuts(top % values, tournament.cut)
            self.fields["rounds_planned"].help_text = (
                _("If empty, %(rounds)s: the ruleset's number for %(players)s players.") % values
            )
        else:
            self.offer_cuts(_("ruleset default"), tournament.cut)

    @property
    def helper(self) -> FormHelper:
        return lay_out_form(Div(*TOPICS[self.topic], css_class="fields two"), button(_("Save")))

    def changes(self) -> dict[str, Any]:
        seen = {**self.now, **self.cleaned_data["seen"]}
        changed = {}
        for name in TOPICS[self.topic]:
            value = self.cleaned_data[name]
            same = value == seen[name]
            if name in MOMENTS:  # the field shows minutes only
                same = (value or "")[:16] == str(seen[name] or "")[:16]
            if not same and not self.fields[name].disabled:
                changed[name] = value
        return changed

    def fields_for_service(self) -> dict[str, Any]:
        return {"seen": self.cleaned_data["seen"], **self.changes()}


class ScreensForm(KeyedForm):
    screens = forms.MultipleChoiceField(
        label=_("Show in turn"),
        choices=Tournament.Screen.choices,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Leave empty to follow the event."),
    )
    screen_seconds = NumberField(label=_("Seconds per page"), min_value=LEAST_SECONDS, max_value=MOST_SECONDS)
    seen = SeenField()
    helper = lay_out_form("seen", "screens", "screen_seconds", button(_("Save the rotation")))

    def __init__(self, tournament: Tournament, data: Any = None) -> None:
        shown = {"screens": tournament.screens, "screen_seconds": tournament.screen_seconds}
        super().__init__(data, initial={**shown, "seen": shown})
