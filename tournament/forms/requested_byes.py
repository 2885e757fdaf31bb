from typing import Any, NamedTuple

from crispy_forms.helper import FormHelper
from crispy_forms.layout import Div
from django import forms
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

from tournament.event.profile import profile_of
from tournament.models import Entry
from tournament.results.wording import bye_words
from tournament.rulesets import REQUESTED, requestable_byes
from tournament.services.requested_byes import PLAYS, own_rounds_of
from tournament.web.keyed_forms import KeyedForm
from tournament.web.layouts import button, helper_of


class RequestLine(NamedTuple):
    """A requested bye. `open`: it can still be withdrawn."""

    round: int
    words: str
    open: bool


class RequestByeForm(KeyedForm):
    """Sit out a round, or without a `kind` play it. `lines`: the requests so far."""

    number = forms.IntegerField(label=_("Round"), min_value=1, max_value=99, widget=forms.Select)
    kind = forms.CharField(label=_("Bye"), required=False, max_length=4, widget=forms.Select)
    lines: tuple[RequestLine, ...] = ()
    can_request = False

    def offer(self, entry: Entry, *, by_player: bool = False) -> None:
        """Offer the open rounds, to a player only if the event allows it, and the ruleset's byes."""
        closed = entry.status not in PLAYS or (by_player and not entry.tournament.self_byes)
        rounds = range(0) if closed else own_rounds_of(entry).still_open(by_player=by_player)
        kinds = requestable_byes(profile_of(entry.tournament))[
            ::-1
        ]  # the one worth most is what players want
        self._choices("number", [(number, _t("Round %(number)s") % {"number": number}) for number in rounds])
        self._choices("kind", [(kind, bye_words(f"{kind}_bye").capitalize()) for kind in kinds])
        self.can_request = bool(rounds and kinds)
        self.lines = tuple(
            RequestLine(bye["round"], bye_words(f"{bye['kind']}_bye"), bye["round"] in rounds)
            for bye in entry.requested_byes
        )

    def _choices(self, name: str, choices: list[tuple[Any, str]]) -> None:
        widget = self.fields[name].widget
        assert isinstance(widget, forms.Select)
        widget.choices = choices

    def clean_kind(self) -> str:
        kind = self.cleaned_data["kind"]
        if kind not in ("", *REQUESTED):
            raise forms.ValidationError(_("Choose a bye."))
        return kind

    @property
    def helper(self) -> FormHelper:
        fields = Div(Div("number", css_class="col-sm-5"), Div("kind", css_class="col-sm-7"), css_class="row")
        helper = helper_of(fields, button(_("Request the bye"), "btn-outline-secondary"), tag=False)
        helper.form_show_errors = False
        return helper
