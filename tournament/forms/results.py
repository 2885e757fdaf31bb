"""Result slips: from a button, from the fields of a row, or from the one box. Check; never save."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

from tournament.errors import Refused
from tournament.results import game_points
from tournament.results.shorthand import parse_slip
from tournament.results.slip import MOST_DRAWN, MatchRules, Slip, check_slip, slip_of_order, slip_of_score
from tournament.web.keyed_forms import LARGEST, KeyField

OUTCOMES = [
    ("", _("as played")),
    ("id", _("intentional draw")),
    ("ll", _("double loss")),
    ("ns1", _("no-show: first player")),
    ("ns2", _("no-show: second player")),
    ("ns", _("no-show: both")),
]
CLEAR = "clear"


class SeenForm(forms.Form):
    """What every form of the desk carries: its key, and the revision its page shows."""

    key = KeyField()
    seen = forms.IntegerField(required=False, min_value=0, max_value=LARGEST, widget=forms.HiddenInput)


class SlipForm(SeenForm):
    """The slip of one match. `cleaned_data["read"]` is the Slip, or None to clear the table."""

    version = forms.IntegerField(min_value=0, max_value=LARGEST, widget=forms.HiddenInput)
    slip = forms.CharField(required=False, max_length=40)
    a = forms.IntegerField(required=False, min_value=0, max_value=MOST_DRAWN)
    b = forms.IntegerField(required=False, min_value=0, max_value=MOST_DRAWN)
    drawn = forms.IntegerField(label=_("Drawn games"), required=False, min_value=0, max_value=MOST_DRAWN)
    score_a = forms.CharField(required=False, max_length=16)
    score_b = forms.CharField(required=False, max_length=16)
    order = forms.CharField(label=_("Who won which game, in order"), required=False, max_length=9)
    unfinished = forms.BooleanField(label=_("Time called: 1 game unfinished"), required=False)
    outcome = forms.ChoiceField(label=_("Other result"), required=False, choices=OUTCOMES)
    a_drops = forms.BooleanField(required=False)
    b_drops = forms.BooleanField(required=False)

    def __init__(
        self, *args: Any, rules: MatchRules, names: tuple[str, str] = ("", ""), **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.rules = rules
        self._leave_out()
        if any(names):
            self._name(*names)

    def _leave_out(self) -> None:
        """Ask for what the ruleset records, and for nothing else."""
        without = [] if self.rules.order else ["order"]
        without += [] if self.rules.scores else ["score_a", "score_b"]
        without += ["a", "b", "drawn", "unfinished"] if self.rules.by_score else []
        for name in without:
            del self.fields[name]
        if self.rules.by_score:
            self.fields["outcome"].label = _t("Other result")

    def _name(self, a: str, b: str) -> None:
        """Say who instead of first and second."""
        points = _t("%(name)s: games won") if self.rules.scores else "%(name)s"
        for side, name in (("a", a), ("b", b)):
            if side in self.fields:
                self.fields[side].label = points % {"name": name}
            if f"score_{side}" in self.fields:
                self.fields[f"score_{side}"].label = _t("%(name)s: points") % {"name": name}
            self.fields[f"{side}_drops"].label = _t("%(name)s drops") % {"name": name}
        said = {
            "ns1": _t("no-show: %(name)s") % {"name": a},
            "ns2": _t("no-show: %(name)s") % {"name": b},
        }
        self.fields["outcome"].choices = [  # type: ignore[attr-defined]
            (key, said.get(key, label)) for key, label in OUTCOMES if key != "id" or self.rules.intentional
        ]

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if self.errors:
            return data
        try:
            data["read"] = None if data["slip"] == CLEAR else self._read(data)
        except Refused as error:
            raise forms.ValidationError(str(error)) from None
        return data

    def _read(self, data: dict[str, Any]) -> Slip:
        drops = "".join(side for side in "ab" if data[f"{side}_drops"])
        text = data["slip"] or data["outcome"]
        slip = parse_slip(text, self.rules) if text else self._played(data)
        if not data["slip"] and slip.score is None:
            slip = replace(slip, score=self._score(data))
        slip = replace(slip, drops="".join(sorted(set(slip.drops + drops))))
        check_slip(slip, self.rules)
        return slip

    def _played(self, data: dict[str, Any]) -> Slip:
        """The games, or the points where they say who won."""
        if self.rules.by_score:
            score = self._score(data)
            if score is None:
                raise Refused(_t("Enter both players' points, or choose another result."))
            return slip_of_score(score)
        order = (data.get("order") or "").strip().lower()
        if order and not set(order) <= set("abd"):
            raise Refused(_t("Enter who won each game, one letter per game: a, b, or d for a drawn game."))
        if data["a"] is None and data["b"] is None and not data["drawn"]:
            if order:
                return slip_of_order(order)
            raise Refused(_t("Enter the games each player won, or choose another result."))
        games = (data["a"] or 0, data["b"] or 0, data["drawn"] or 0)
        return Slip("played", *games, unfinished=data["unfinished"], order=order)

    def _score(self, data: dict[str, Any]) -> game_points.Score | None:
        """Both points; None where neither is given."""
        given = (data.get("score_a") or "").strip(), (data.get("score_b") or "").strip()
        if self.rules.scores is None or not any(given):
            return None
        if not all(given):
            raise Refused(_t("Enter both players' points."))
        return game_points.parse_points(given[0], self.rules.scores), game_points.parse_points(
            given[1], self.rules.scores
        )


class PointsForm(SeenForm):
    """The points staff give an entry that sits alone; empty takes them back."""

    version = forms.IntegerField(min_value=0, max_value=LARGEST, widget=forms.HiddenInput)
    points = forms.CharField(label=_("Points"), required=False, max_length=16)


@dataclass(frozen=True)
class BoxLine:
    """What was typed in the one box: a table, and what to do there."""

    what: str  # "slip", "clear", "show", "extend", or "" for nothing typed
    table: int = 0
    text: str = ""
    minutes: int = 0


_LINE = re.compile(r"(?:\+(?P<minutes>\d{1,2})\s+(?P<late>\d{1,4})|(?P<table>\d{1,4})\s+(?P<text>\S.*))")


class BoxForm(SeenForm):
    """The one box of the desk. `cleaned_data["line"]` is the Line."""

    text = forms.CharField(required=False, max_length=40)

    def clean_text(self) -> str:
        text = self.cleaned_data["text"]
        try:
            self.line = parse_line(text)
        except Refused as error:
            raise forms.ValidationError(str(error)) from None
        return text


def parse_line(text: str) -> BoxLine:
    """A line such as `12 21`, `12 -` (clear), `12 ?` (show), `+5 12` (extend). Raises Refused."""
    text = " ".join(text.split())
    if not text:
        return BoxLine("")
    found = _LINE.fullmatch(text)
    if not found:
        raise Refused(
            _t(
                "“%(text)s” was not understood. Type a table and its result, such as 12 21. To "
                "clear, type 12 -. For a time extension, type +5 12."
            )
            % {"text": text[:40]}
        )
    if found["late"]:
        return BoxLine("extend", int(found["late"]), minutes=int(found["minutes"]))
    table, said = int(found["table"]), found["text"]
    return BoxLine({"-": "clear", "?": "show"}.get(said, "slip"), table, said)
