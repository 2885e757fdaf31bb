from __future__ import annotations

from dataclasses import replace
from typing import Any

from crispy_forms.helper import FormHelper
from crispy_forms.layout import Div, Field
from django import forms
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tournament.errors import Refused
from tournament.results import game_points
from tournament.results.box_line import LONGEST_LINE
from tournament.results.desk_rows import DeskPlayer, DeskRow
from tournament.results.shorthand import parse_slip
from tournament.results.slip import MOST_DRAWN, MatchRules, Slip, check_slip, slip_of_order, slip_of_score
from tournament.web.keyed_forms import (
    LARGEST,
    BareHiddenInput,
    KeyedForm,
    NumberField,
    SureForm,
    button,
    lay_out_form,
)

OUTCOMES = [
    ("", _("as played")),
    ("id", _("intentional draw")),
    ("ll", _("double loss")),
    ("ns1", _("no-show: first player")),
    ("ns2", _("no-show: second player")),
    ("ns", _("no-show: both")),
]
CLEAR = "clear"
LONGEST_POINTS = 16  # characters
UNCHANGED = {"autocomplete": "off", "autocapitalize": "off", "spellcheck": "false"}  # as it is typed


class SeenForm(KeyedForm):
    """A desk form with the revision that its page showed."""

    unsent = ("key", "seen")
    seen = forms.IntegerField(required=False, min_value=0, max_value=LARGEST, widget=BareHiddenInput)


class VersionForm(SeenForm):
    """A form about one match, with the version of the match that its page showed."""

    version = forms.IntegerField(min_value=0, max_value=LARGEST, widget=BareHiddenInput)


class GamesField(NumberField):
    def __init__(self, **kwargs: Any) -> None:
        widget = forms.NumberInput(attrs={"inputmode": "numeric"})
        super().__init__(required=False, min_value=0, max_value=MOST_DRAWN, widget=widget, **kwargs)


class PointsField(forms.CharField):
    def __init__(self, **kwargs: Any) -> None:
        widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})
        super().__init__(required=False, max_length=LONGEST_POINTS, widget=widget, **kwargs)


class SlipForm(VersionForm):
    """The slip of one match. `cleaned_data["read"]` is the Slip, or None to clear the table."""

    slip = forms.CharField(required=False, max_length=40)
    score_a = PointsField()
    score_b = PointsField()
    a = GamesField()
    b = GamesField()
    drawn = GamesField(label=_("Drawn games"))
    order = forms.CharField(
        label=_("Who won which game, in order"),
        required=False,
        max_length=9,
        help_text=_("a: the first-listed player, b: the second, d: drawn"),
        widget=forms.TextInput(attrs={**UNCHANGED, "placeholder": "ab"}),
    )
    outcome = forms.ChoiceField(label=_("Other result"), required=False, choices=OUTCOMES)
    unfinished = forms.BooleanField(label=_("Time called: 1 game unfinished"), required=False)
    a_drops = forms.BooleanField(required=False)
    b_drops = forms.BooleanField(required=False)

    def __init__(self, *args: Any, rules: MatchRules, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.rules = rules
        # Ask only for what the ruleset records.
        without = [] if rules.order else ["order"]
        without += [] if rules.scores else ["score_a", "score_b"]
        without += ["a", "b", "drawn", "unfinished"] if rules.by_score else []
        for name in without:
            del self.fields[name]

    def name_players(self, row: DeskRow) -> None:
        for side, player in (("a", row.a), ("b", row.b)):
            if player is not None:
                self._name_player(side, player)
        names = {
            "ns1": gettext("no-show: %(name)s") % {"name": row.a.name},
            "ns2": gettext("no-show: %(name)s") % {"name": row.b.name if row.b else ""},
        }
        offered = [(key, label) for key, label in OUTCOMES if key != "id" or self.rules.intentional]
        self.set_choices("outcome", [(key, names.get(key, label)) for key, label in offered])
        if self.rules.scores:
            self["outcome"].help_text = gettext(
                "With this result, points are awarded by staff. Leave them empty if there are none."
            )
        first = next(name for name in ("score_a", "a") if name in self.fields)
        self.fields[first].widget.attrs["autofocus"] = True

    def _name_player(self, side: str, player: DeskPlayer) -> None:
        name = {"name": player.name}
        self[f"{side}_drops"].label = gettext("%(name)s drops") % name
        if f"score_{side}" in self.fields:
            self[f"score_{side}"].label = _label(gettext("%(name)s: points") % name, player)
        if side in self.fields:
            text = gettext("%(name)s: games won") % name if self.rules.scores else player.name
            self[side].label = _label(text, player)
            self.fields[side].widget.attrs["max"] = self.rules.to_win

    @property
    def helper(self) -> FormHelper:
        names = [name for name in ("score_a", "score_b", "a", "b", "drawn", "order") if name in self.fields]
        ticks = [name for name in ("unfinished", "a_drops", "b_drops") if name in self.fields]
        fields = [*names, Field("outcome", wrapper_class="wide"), Div(*ticks, css_class="checks")]
        return lay_out_form(Div(*fields, css_class="slip"), tag=False)

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if not self.errors.keys().isdisjoint(SlipForm.base_fields):  # others may be invalid
            return data
        try:
            data["read"] = None if data["slip"] == CLEAR else self._read(data)
        except Refused as error:
            raise forms.ValidationError(str(error)) from None
        return data

    def fields_for_service(self) -> dict[str, Any]:
        return {"slip": self.cleaned_data["read"], "version": self.cleaned_data["version"]}

    def _read(self, data: dict[str, Any]) -> Slip:
        drops = "".join(side for side in "ab" if data.get(f"{side}_drops"))
        text = data["slip"] or data.get("outcome")
        slip = parse_slip(text, self.rules) if text else self._played(data)
        if not data["slip"] and slip.score is None:
            slip = replace(slip, score=self._score(data))
        slip = replace(slip, drops="".join(sorted(set(slip.drops + drops))))
        check_slip(slip, self.rules)
        return slip

    def _played(self, data: dict[str, Any]) -> Slip:
        if self.rules.by_score:
            score = self._score(data)
            if score is None:
                raise Refused(gettext("Enter both players' points, or choose another result."))
            return slip_of_score(score)
        order = (data.get("order") or "").strip().lower()
        if order and not set(order) <= set("abd"):
            raise Refused(
                gettext("Enter who won each game, one letter per game: a, b, or d for a drawn game.")
            )
        if data["a"] is None and data["b"] is None and not data["drawn"]:
            if order:
                return slip_of_order(order)
            raise Refused(gettext("Enter the games each player won, or choose another result."))
        games = (data["a"] or 0, data["b"] or 0, data["drawn"] or 0)
        return Slip("played", *games, unfinished=data["unfinished"], order=order)

    def _score(self, data: dict[str, Any]) -> game_points.Score | None:
        points = (data.get("score_a") or "").strip(), (data.get("score_b") or "").strip()
        if self.rules.scores is None or not any(points):
            return None
        if not all(points):
            raise Refused(gettext("Enter both players' points."))
        a, b = (game_points.parse_points(text, self.rules.scores) for text in points)
        return a, b


def _label(text: str, player: DeskPlayer) -> SafeString:
    first = format_html(' <span class="tag plain">{}</span>', gettext("moves first")) if player.first else ""
    return format_html("{}{}", text, first)


class PointsForm(VersionForm):
    points = PointsField(label=_("Points"))
    helper = lay_out_form(Div(Field("points", autofocus=True), button(_("Save")), css_class="slip"))


class BoxForm(SeenForm):
    expects = forms.CharField(required=False, widget=BareHiddenInput)  # the changes that were confirmed
    replace = forms.BooleanField(required=False, widget=forms.HiddenInput)  # another result
    # The last table entered here (the page suggests the next one), and the table named without JavaScript.
    after = forms.IntegerField(required=False, min_value=0, max_value=LARGEST, widget=BareHiddenInput)
    line = forms.IntegerField(required=False, min_value=0, max_value=LARGEST, widget=BareHiddenInput)
    text = forms.CharField(
        label=_("Table and result"),
        required=False,
        max_length=LONGEST_LINE,
        widget=forms.TextInput(
            attrs={**UNCHANGED, "id": "line", "autofocus": True, "aria-describedby": "understood"}
        ),
    )
    seen = forms.IntegerField(
        required=False, min_value=0, max_value=LARGEST, widget=BareHiddenInput(attrs={"id": "seen"})
    )

    @classmethod
    def shown(cls, revision: int, rules: MatchRules | None, **initial: Any) -> BoxForm:
        """Build the box for a page at that revision, with an example of what these rules accept."""
        form = cls(initial={"seen": revision, **initial})
        by_score, by_order = (rules.by_score, rules.order) if rules else (False, False)
        example = "12 412 388" if by_score else "12 ab" if by_order else "12 21"
        form.fields["text"].widget.attrs["placeholder"] = example[3:] if initial.get("line") else example
        return form

    @classmethod
    def swapped(cls, revision: int) -> BoxForm:
        """Build only the box's field `seen`, which htmx swaps into the page."""
        form = cls(initial={"seen": revision})
        form.fields["seen"].widget.attrs["hx-swap-oob"] = "outerHTML"
        return form


class UndoForm(SureForm, SeenForm):
    """The action to undo, and the round whose desk asked for it."""

    number = forms.IntegerField(min_value=1, max_value=LARGEST)
    round = forms.IntegerField(required=False, min_value=1, max_value=9999)
