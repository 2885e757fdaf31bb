from typing import Any, NamedTuple

from crispy_forms.helper import FormHelper
from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.forms.results import SlipForm
from tournament.results.shorthand import slip_shorthand
from tournament.results.slip import MatchRules, Slip, reported_slips
from tournament.results.wording import report_words, score_words
from tournament.web.keyed_forms import LARGEST, BareHiddenInput, KeyedForm, button, lay_out_form

WHAT = ("report", "confirm", "withdraw", "sign")
LONGEST_CODE = 12


class ScoreChoice(NamedTuple):
    """A button that reports a usual result: "I won" and "2–0"."""

    text: str
    words: str
    score: str = ""
    label: str = ""  # for screen readers


class ReportForm(SlipForm):
    """A player's report, confirmation or withdrawal, own games first. The opponent may confirm by personal `code`."""

    version = seen = outcome = a_drops = b_drops = None  # type: ignore[assignment]
    slip = forms.CharField(required=False, max_length=40, widget=BareHiddenInput)
    what = forms.ChoiceField(choices=[(what, what) for what in WHAT], widget=BareHiddenInput)
    round = forms.IntegerField(min_value=1, max_value=LARGEST, widget=BareHiddenInput)
    against = forms.CharField(required=False, max_length=20, widget=BareHiddenInput)
    code = forms.CharField(
        required=False,
        max_length=LONGEST_CODE,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),  # the opponent looks on
    )

    def name_opponent(self, name: str) -> None:
        labels = {
            "a": _("Games you won"),
            "b": _("Games %(name)s won") % {"name": name},
            "score_a": _("Your points"),
            "score_b": _("%(name)s's points") % {"name": name},
            "code": _("%(name)s's personal code") % {"name": name},
        }
        for field, label in labels.items():
            if field in self.fields:
                self[field].label = label
        if "order" in self.fields:
            self["order"].help_text = _("a: you, b: your opponent, d: drawn")

    @property
    def helper(self) -> FormHelper:
        score = ("score_a", "score_b", "a", "b", "drawn", "order", "unfinished")
        names = [name for name in score if name in self.fields]
        return lay_out_form(*names, button(_("Report this score")))

    def clean(self) -> dict[str, Any]:
        if self.cleaned_data.get("what") == "withdraw":
            return self.cleaned_data
        return super().clean()

    def fields_for_service(self) -> dict[str, Any]:
        known = {"number": self.cleaned_data["round"], "against": self.cleaned_data.get("against", "")}
        return (
            known if self.cleaned_data["what"] == "withdraw" else {**known, "slip": self.cleaned_data["read"]}
        )


class SignForm(ReportForm):
    helper = lay_out_form("code", button(gettext_lazy("Confirm"), ""))


class AcceptForm(KeyedForm):
    """Accept reports: all agreed ones, or one `table`'s, which said `text`. `by_slip`: made with the match slip."""

    by_slip = forms.BooleanField(required=False)
    table = forms.IntegerField(required=False, min_value=1, max_value=LARGEST)
    text = forms.CharField(required=False, max_length=80)


def score_choices(rules: MatchRules) -> list[ScoreChoice]:
    return [_choice(slip, rules) for slip in reported_slips(rules)]


def _choice(slip: Slip, rules: MatchRules) -> ScoreChoice:
    text, words = slip_shorthand(slip, rules), report_words(slip)
    if slip.games == (0, 0, 1) and rules.to_win > 1:
        return ScoreChoice(text, _("No result: no game won"))
    score = score_words(slip.games, slip.score)
    head = words.removesuffix(f" {score}")
    return ScoreChoice(text, head, score if head != words else "")


TYPED = {"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}


class PersonalCodeForm(KeyedForm):
    code = forms.CharField(
        label=gettext_lazy("Your personal code"),
        max_length=12,
        help_text=gettext_lazy("On your place card, or from staff. Not the code on match slips."),
        widget=forms.TextInput(attrs={**TYPED, "placeholder": "K7M-4PQ"}),
    )
    send, look = gettext_lazy("This is me"), "primary wide"


class MatchCodeForm(forms.Form):
    code = forms.CharField(
        label=gettext_lazy("Code on the match slip"),
        max_length=200,
        widget=forms.TextInput(attrs={**TYPED, "placeholder": "4-12-K7QM"}),
    )
    helper = lay_out_form("code", button(gettext_lazy("Go on"), "primary wide"), method="get")


class SlipReportForm(ReportForm):
    """A report made with the match slip; games and points of the first-listed player come first."""

    def name_sides(self, a: str, b: str) -> None:
        for side, name in (("a", a), ("b", b)):
            for field, text in ((side, _("Games %(name)s won")), (f"score_{side}", _("%(name)s's points"))):
                if field in self.fields:
                    self[field].label = text % {"name": name}
        if "order" in self.fields:
            self["order"].help_text = _("a: %(a)s, b: %(b)s, d: drawn") % {"a": a, "b": b}

    def fields_for_service(self) -> dict[str, Any]:
        return {"slip": self.cleaned_data["read"]}
